"""The house keeps its own rules: floors, sizes, docstrings, no hidden imports, no addresses beside the pins."""

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "opposable"
FILES = sorted(SRC.rglob("*.py"))
FILE_LINES = 400
FUNCTION_LINES = 60

# The face loads its names at first use, the start of the program loads the rest when it runs: only these two may.
LAZY = {SRC / "__init__.py", SRC / "__main__.py"}
# Rows of the table of shapes are long lists by nature.
TABLE = SRC / "wire" / "shapes"

each_file = pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SRC)))

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(file: Path) -> Iterator[Function]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, Function):
            yield node


def names_of_ours(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names if alias.name.split(".")[0] == "opposable"]
    if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").split(".")[0] == "opposable"):
        return ["." * node.level + (node.module or "")]
    return []


def test_imports_only_point_down() -> None:
    command = shutil.which("lint-imports", path=str(Path(sys.executable).parent))
    assert command, "import-linter is not installed: make setup"
    done = subprocess.run([command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@each_file
def test_a_file_is_short(file: Path) -> None:
    if TABLE not in file.parents:
        assert len(file.read_text("utf-8").splitlines()) <= FILE_LINES


@each_file
def test_a_function_is_short(file: Path) -> None:
    long = {
        function.name: lines
        for function in functions(file)
        if (lines := (function.end_lineno or 0) - function.lineno + 1) > FUNCTION_LINES
    }
    assert not long


@each_file
def test_a_module_says_what_it_is(file: Path) -> None:
    assert ast.get_docstring(ast.parse(file.read_text("utf-8")))


@each_file
def test_imports_are_not_hidden(file: Path) -> None:
    if file in LAZY:
        return
    tree = ast.parse(file.read_text("utf-8"))
    assert "TYPE_CHECKING" not in {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert not [name for function in functions(file) for node in ast.walk(function) for name in names_of_ours(node)]


def test_all_is_sorted() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "RUF022", "--output-format", "concise", SRC],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


# Where a package comes from is the affair of the machine that installs it: pins name hashes, never a place.
PINS = [path for glob in ("requirements/*", "*.lock", "*/package-lock.json") for path in sorted(ROOT.glob(glob))]
ADDRESS = re.compile(r"https?://|--(?:extra-)?index-url|--find-links|\bgit\+", re.IGNORECASE)


def test_pins_name_no_address() -> None:
    assert ROOT / "requirements" / "dev.txt" in PINS
    assert not {file.name: found for file in PINS if (found := ADDRESS.findall(file.read_text("utf-8")))}


def test_every_pin_has_a_hash() -> None:
    text = (ROOT / "requirements" / "dev.txt").read_text("utf-8").replace("\\\n", "")
    pins = [line for line in text.splitlines() if line and not line.lstrip().startswith(("#", "--only-binary"))]
    assert len(pins) > 20
    assert not [pin for pin in pins if "==" not in pin or "--hash=sha256:" not in pin]
