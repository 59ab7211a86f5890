"""`import opposable` is free, and a name of the face loads only what it needs."""

import json
import subprocess
import sys

import pytest

NEW_MODULES = """
import json, sys
before = set(sys.modules)
exec(sys.argv[1])
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def loaded_by(statement: str) -> set[str]:
    command = [sys.executable, "-c", NEW_MODULES, statement]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


def of_others(modules: set[str]) -> set[str]:
    return {name for name in modules if name.split(".")[0] not in {"opposable", *sys.stdlib_module_names}}


def of_ours(modules: set[str]) -> set[str]:
    return {name for name in modules if name.split(".")[0] == "opposable"}


def test_importing_does_nothing() -> None:
    loaded = loaded_by("import opposable")
    assert of_ours(loaded) == {"opposable"}
    assert not of_others(loaded)
    assert "asyncio" not in loaded


def only_the_parser(statement: str) -> None:
    loaded = loaded_by(statement)
    assert not of_others(loaded)
    assert not {
        name
        for name in of_ours(loaded)
        if name not in {"opposable", "opposable.errors", "opposable.reading"} and name.split(".")[1] != "wire"
    }


@pytest.mark.parametrize("name", ["parse", "StreamParser", "collect", "render", "call_grammar", "CannotCarry"])
def test_a_name_of_the_parser_loads_the_parser_alone(name: str) -> None:
    only_the_parser(f"import opposable; opposable.{name}")


@pytest.mark.parametrize(
    "statement",
    [
        "parse('hi', [T])",
        "StreamParser([T]).feed('hi')",
        "render([{'name': 'add', 'arguments': {'a': 1}}], 'hermes', tools=[T])",
        "call_grammar([T], 'hermes')",
    ],
)
def test_without_a_function_the_parser_is_all_that_runs(statement: str) -> None:
    only_the_parser(f"import opposable; T = {{'name': 'add', 'parameters': {{}}}}; opposable.{statement}")


def test_every_name_of_the_face_can_be_had() -> None:
    loaded_by("import opposable\nfor name in opposable.__all__: getattr(opposable, name)")
