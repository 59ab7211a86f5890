"""The guide to new models keeps its word: its row and its file of cases are all that a new shape takes."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.test_docs import Block, blocks_of

ROOT = Path(__file__).parents[1]
GUIDE = ROOT / "docs" / "new-models.md"
NEIGHBOUR = '    Shape(\n        "tool-tag",\n'


def block(language: str, begins: str) -> Block:
    (found,) = [
        one
        for one in blocks_of(GUIDE.read_text("utf-8"))
        if one.language == language and one.text.lstrip().startswith(begins)
    ]
    return found


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for folder in ("src", "tests", "docs"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / file, tmp_path)
    return tmp_path


def run(folder: Path, *words: str) -> str:
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join((str(folder / "src"), str(folder))), "COLUMNS": "80"}
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=folder, env=environ, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_two_files_make_a_shape(copy: Path) -> None:
    rows = copy / "src" / "opposable" / "wire" / "shapes" / "json.py"
    row = block("python", 'Shape(\n        "kettle"').text.rstrip("\n") + "\n"
    before, neighbour, after = rows.read_text("utf-8").partition(NEIGHBOUR)
    rows.write_text(before + row + neighbour + after, "utf-8")
    cases = copy / "tests" / "wire" / "cases" / "kettle.txt"
    cases.write_text(block("text", "# JSON between tags").text, "utf-8")
    for words in (("tests/wire", "-k", "kettle"), ("tests/wire/test_cases.py", "-k", "not test_a_case")):
        assert re.search(r"\d+ passed", run(copy, "pytest", "-q", "-p", "no:cacheprovider", *words))


def test_what_the_guide_shows_is_what_is_shown(tmp_path: Path) -> None:
    space: dict[str, object] = {}
    first = block("python", "import json").text
    exec(first.replace('Path("', f'Path("{tmp_path.as_posix()}/'), space)
    shown = run(ROOT, "opposable", "parse", f"{tmp_path}/reply.txt", "--tools", f"{tmp_path}/tools.json", "--explain")
    command, _, wanted = block("console", "$ opposable parse reply.txt").text.partition("\n")
    assert command.endswith("--explain")
    assert shown == wanted
