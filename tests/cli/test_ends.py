"""How the program ends: by signals, and where nobody takes what it says."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from opposable.store import StoredModel

if sys.platform == "win32":
    pytest.skip("signals and shells of POSIX", allow_module_level=True)

ROOT = Path(__file__).parents[2]

# Whoever runs the tests may ignore SIGHUP, as nohup does.
PROGRAM = """
import signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.{interrupt})
from opposable.__main__ import main
sys.exit(main(sys.argv[1:]))
"""
STORY = [
    "run",
    "Tell me a story.",
    "--tools",
    "none",
    "--seed",
    "1",
    "--json",
    "--max-tokens",
    "900",
    "--temperature",
    "1",
]


# Interrupted within an `exec` of the library (a dataclass is made by one), CPython ends itself by SIGINT at its exit,
# though the interrupt was handled; before all code of ours, `main` says 130.
OUTSIDE = (-signal.SIGINT, 130)


@pytest.mark.model
@pytest.mark.parametrize("interrupt", ["default_int_handler", "SIG_IGN"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_a_run_and_leaves_nothing(
    number: signal.Signals, code: int, interrupt: str, small_model: StoredModel, tmp_path: Path
) -> None:
    scratch = tmp_path / "t"
    scratch.mkdir()
    environment = {**os.environ, "TMPDIR": str(scratch)}
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(interrupt=interrupt), *STORY, "--model", str(small_model.path)],
        cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip
    assert process.stdout
    while "text_delta" not in process.stdout.readline():
        assert process.poll() is None
    process.send_signal(number)
    said, problems = process.communicate(timeout=20)
    assert (process.returncode, problems) == (code, "")
    assert '"Interrupted"' in said.splitlines()[-1]
    assert not list(scratch.iterdir())


def test_a_signal_at_any_moment_is_no_traceback() -> None:
    for pause in (0.05, 0.1, 0.2, 0.3):
        process = subprocess.Popen(
            [sys.executable, "-m", "opposable", "parse"],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        time.sleep(pause)
        process.send_signal(signal.SIGTERM)
        _, problems = process.communicate(timeout=20)
        assert process.returncode in {143, -signal.SIGTERM, *OUTSIDE}
        assert "Traceback" not in problems


@pytest.mark.parametrize(
    ("end", "code"), [(">/dev/full", 1), (">&-", 0), ("<&- >&- 2>&-", 0), (">/dev/full 2>/dev/full", 1)]
)
@pytest.mark.parametrize("words", ["--version", "--help", "models", "models --json", "parse"])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="has no full device")
def test_nobody_takes_what_is_said(words: str, end: str, code: int) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" -m opposable {words} {end}', sys.executable],
        input="", cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
    assert ("No space left" in done.stderr) == (end == ">/dev/full")
