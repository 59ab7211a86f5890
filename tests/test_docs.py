"""The guides keep their word: every Python block, and every `$ opposable` command in a console block, is run.

A file's blocks are run in their order, in one namespace, in a process and an empty folder of their own. A comment on
the line before a block changes that: `<!-- no-run: why -->` leaves it out, `<!-- model -->` says that it needs the
embedded model.
"""

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SECONDS = 200  # a first run of the embedded model fetches it

FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,}|~{3,}) *(?P<info>[^`\n]*)$")
NOTE = re.compile(r"^ *<!-- *(?P<note>no-run|model)\b(?:: *(?P<why>.*?))? *-->$")
COMMAND = re.compile(r"^\$ (opposable(?: .*)?)$", re.MULTILINE)

# Runs in the child: (kind, line, text) in their order. The traceback of a Python block shows the guide's own lines.
DRIVER = """
import ast, shlex, subprocess, sys
where, blocks = ast.literal_eval(sys.stdin.read())
space = {"__name__": "__main__"}
for kind, line, text in blocks:
    if kind == "python":
        exec(compile("\\n" * line + text, where, "exec"), space)
    else:
        words = [sys.executable, "-m", *shlex.split(text, comments=True)]
        if subprocess.run(words, stdin=subprocess.DEVNULL).returncode:
            sys.exit(f"{where}:{line}: failed: $ {text}")
"""


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: the language it is said to be in, the line of its fence, its text, the comment before it."""

    language: str
    line: int
    text: str
    note: str | None


def blocks_of(markdown: str) -> list[Block]:
    found: list[Block] = []
    note: str | None = None
    opened: re.Match[str] | None = None
    start, body = 0, list[str]()
    for number, line in enumerate(markdown.splitlines(), 1):
        fence = FENCE.match(line)
        if opened:
            if fence and fence["fence"].startswith(opened["fence"]) and not fence["info"].strip():
                language = opened["info"].split(maxsplit=1)[0] if opened["info"].strip() else ""
                found.append(Block(language, start, "\n".join(body) + "\n", note))
                opened = note = None
            else:
                body.append(line.removeprefix(opened["indent"]))
        elif fence:
            opened, start, body = fence, number, []
        elif said := NOTE.match(line):
            assert said["note"] != "no-run" or said["why"], f"line {number}: say why it is not run"
            note = said["note"]
        elif line.strip():
            note = None
    return found


def runnable(blocks: list[Block]) -> list[tuple[str, int, str]]:
    steps: list[tuple[str, int, str]] = []
    for block in blocks:
        if block.note == "no-run":
            continue
        if block.language == "python":
            steps.append(("python", block.line, block.text))
        elif block.language == "console":
            text = block.text.replace("\\\n", "")
            steps.extend(("console", block.line, command) for command in COMMAND.findall(text))
    return steps


def run(where: str, steps: list[tuple[str, int, str]], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", DRIVER],
        input=repr((where, steps)),
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
    )


def guides() -> list[Path]:
    files = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [file for file in files if ROOT / "docs" / "decisions" not in file.parents]


def cases() -> list[object]:
    params: list[object] = []
    for file in guides():
        blocks = blocks_of(file.read_text("utf-8"))
        if runnable(blocks):
            marks = [pytest.mark.model] if any(block.note == "model" for block in blocks) else []
            params.append(pytest.param(file, id=str(file.relative_to(ROOT)), marks=marks))
    return params


@pytest.mark.timeout(SECONDS + 20)
@pytest.mark.parametrize("guide", cases())
def test_the_blocks_of_a_guide_run(guide: Path, tmp_path: Path) -> None:
    done = run(str(guide), runnable(blocks_of(guide.read_text("utf-8"))), tmp_path)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


def test_there_are_guides_to_read() -> None:
    assert ROOT / "README.md" in guides()


SAMPLE = """
Text.

```python
x = 1
```

<!-- no-run: needs a server -->
```python
raise SystemExit(3)
```

<!-- model -->

```console
$ opposable --version
0.1.0
$ make setup
$ opposable run \\
    --help
```

- In a list:

  ```python
  assert x == 1
  ```

````markdown
```python
raise SystemExit(4)
```
````
"""


def test_blocks_are_found_with_their_notes() -> None:
    blocks = blocks_of(SAMPLE)
    assert [(block.language, block.note) for block in blocks] == [
        ("python", None),
        ("python", "no-run"),
        ("console", "model"),
        ("python", None),
        ("markdown", None),
    ]
    assert [(kind, text) for kind, _, text in runnable(blocks)] == [
        ("python", "x = 1\n"),
        ("console", "opposable --version"),
        ("console", "opposable run     --help"),
        ("python", "assert x == 1\n"),
    ]


def test_leaving_a_block_out_wants_a_reason() -> None:
    with pytest.raises(AssertionError, match="say why"):
        blocks_of("<!-- no-run -->\n```python\n```\n")


def test_a_file_is_one_namespace(tmp_path: Path) -> None:
    assert run("guide.md", [("python", 1, "x = 1\n"), ("python", 5, "assert x == 1\n")], tmp_path).returncode == 0


def test_a_block_that_breaks_is_shown_by_its_line(tmp_path: Path) -> None:
    done = run("guide.md", [("python", 41, "y = 1\n1 / 0\n")], tmp_path)
    assert done.returncode == 1
    assert 'File "guide.md", line 43' in done.stderr


def test_a_command_that_fails_is_named(tmp_path: Path) -> None:
    done = run("guide.md", [("console", 7, "opposable_without_this_module")], tmp_path)
    assert done.returncode == 1
    assert "guide.md:7: failed: $ opposable_without_this_module" in done.stderr
