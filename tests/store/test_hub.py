import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.store.parts import gguf, hub, serving

from opposable.errors import ModelNotFetched, ModelNotFound, ModelUnusable
from opposable.store import find, pull, remove

SRC = Path(__file__).parents[2] / "src"
DATA = gguf(weights=bytes(range(256)) * 120_000)
NAME = "hf:anna/tiny:q4/tiny.gguf"
FILES = {"q4/tiny.gguf": DATA, "page.gguf": b"<html>" * 50}


class Halt(Exception):
    pass


def test_a_file_of_the_hub(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    with serving(hub(FILES, asked=[])) as url:
        model = pull(NAME, tmp_path, progress=lambda *now: seen.append(now), endpoint=url)
    assert model.path == tmp_path / "models" / "hf" / "anna" / "tiny" / "q4" / "tiny.gguf"
    assert model.path.read_bytes() == DATA
    assert seen[-1] == (len(DATA), len(DATA))
    assert len(seen) > 2
    assert find(NAME, tmp_path) == model
    assert not [path for path in (tmp_path / ".partial").iterdir() if path.is_dir()]
    assert pull(NAME, tmp_path, endpoint=url) == model
    assert remove(NAME, tmp_path) == len(DATA)


def test_it_goes_on_where_it_stopped(tmp_path: Path) -> None:
    def halt(done: int, total: int) -> None:
        if done > total / 2:
            raise Halt

    asked: list[tuple[str, str, str | None]] = []
    with serving(hub(FILES, asked=asked)) as url:
        with pytest.raises(Halt):
            pull(NAME, tmp_path, progress=halt, endpoint=url)
        assert find(NAME, tmp_path) is None
        asked.clear()
        seen: list[int] = []
        model = pull(NAME, tmp_path, progress=lambda done, _: seen.append(done), endpoint=url)
    ranges = [wanted for method, path, wanted in asked if method == "GET" and path.startswith("/cdn/")]
    assert len(ranges) == 1
    assert ranges[0] is not None
    assert int(ranges[0].removeprefix("bytes=").rstrip("-").split("-")[0]) >= len(DATA) // 4
    assert seen[0] >= len(DATA) // 4
    assert model.path.read_bytes() == DATA


@pytest.mark.parametrize(
    ("name", "error", "says"),
    [
        ("hf:anna/nope:x.gguf", ModelNotFound, "no repository anna/nope"),
        ("hf:anna/tiny:nope.gguf", ModelNotFound, "no file nope.gguf"),
        ("hf:anna/gated:x.gguf", ModelNotFetched, "terms agreed to"),
        ("hf:anna/tiny:page.gguf", ModelUnusable, "does not begin"),
    ],
)
def test_what_the_hub_does_not_give(tmp_path: Path, name: str, error: type[Exception], says: str) -> None:
    with serving(hub(FILES, asked=[])) as url, pytest.raises(error, match=says):
        pull(name, tmp_path, endpoint=url)
    assert find(name, tmp_path) is None


def test_a_wrong_hash(tmp_path: Path) -> None:
    with serving(hub(FILES, asked=[], etag="0" * 64)) as url, pytest.raises(ModelNotFetched, match="wrong content"):
        pull(NAME, tmp_path, endpoint=url)
    assert find(NAME, tmp_path) is None


def test_no_network(tmp_path: Path) -> None:
    with serving(hub(FILES, asked=[])) as url:
        pass
    with pytest.raises(ModelNotFetched, match="could not be fetched"):
        pull(NAME, tmp_path, endpoint=url)


def test_the_hub_that_the_environment_names(tmp_path: Path) -> None:
    script = f"import sys, pathlib; from opposable.store import pull; pull({NAME!r}, pathlib.Path(sys.argv[1]))"
    asked: list[tuple[str, str, str | None]] = []
    with serving(hub(FILES, asked=asked)) as url:
        done = subprocess.run(
            [sys.executable, "-c", script, tmp_path],
            env={**os.environ, "HF_ENDPOINT": url, "PYTHONPATH": str(SRC), "HF_HOME": str(tmp_path / "home")},
            capture_output=True,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert find(NAME, tmp_path) is not None
    # No question but for the file: the library's telemetry is off.
    assert {path.split("/")[1] for _, path, _ in asked} == {"anna", "cdn"}


def test_two_at_once(tmp_path: Path) -> None:
    script = f"import sys, pathlib; from opposable.store import pull; pull({NAME!r}, pathlib.Path(sys.argv[1]))"
    asked: list[tuple[str, str, str | None]] = []
    with serving(hub(FILES, asked=asked)) as url:
        both = [
            subprocess.Popen(
                [sys.executable, "-c", script, tmp_path],
                env={**os.environ, "HF_ENDPOINT": url, "PYTHONPATH": str(SRC), "HF_HOME": str(tmp_path / "home")},
            )
            for _ in range(2)
        ]
        assert [process.wait(60) for process in both] == [0, 0]
    model = find(NAME, tmp_path)
    assert model is not None
    assert model.path.read_bytes() == DATA
    assert len([path for method, path, _ in asked if method == "GET" and path.startswith("/cdn/")]) <= 2
