"""The program as it is called: what it prints, and how it ends."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from opposable import __version__
from opposable.store import CATALOGUE

ROOT = Path(__file__).parents[2]
EMBEDDED = CATALOGUE["smollm2-135m"]


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """A person who has nothing yet."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("OPPOSABLE")}
    places = {f"OPPOSABLE_{name}": str(tmp_path / name.lower()) for name in ("CONFIG", "CACHE", "DATA")}
    return {**kept, **places, "COLUMNS": "100"}


def call(
    words: Sequence[str], environ: Mapping[str, str], said: bytes = b"", module: str = "opposable"
) -> "subprocess.CompletedProcess[str]":
    done = subprocess.run(
        [sys.executable, "-m", module, *words], input=said, env=environ, cwd=ROOT, capture_output=True, check=False
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return subprocess.CompletedProcess(words, done.returncode, done.stdout.decode(), done.stderr.decode())


def test_version_loads_nothing(environ: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "opposable", "--version"],
        env=environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout == f"opposable {__version__}\n"
    loaded = {line.split("|")[-1].strip() for line in done.stderr.splitlines()}
    assert {name for name in loaded if name.startswith("opposable.")} <= {"opposable.__main__"}
    assert not loaded & {"cyclopts", "rich", "asyncio"}


def test_help_loads_no_command(environ: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "opposable", "--help"],
        env=environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "  run   " in done.stdout
    loaded = {line.split("|")[-1].strip() for line in done.stderr.splitlines()}
    assert not loaded & {"asyncio", "opposable.face", "opposable.store", "rich._emoji_codes", "rich.markdown"}


@pytest.mark.parametrize("words", [["run"], ["use"], ["models"], ["models", "pull"], ["parse"]])
def test_every_command_has_help(words: list[str], environ: dict[str, str]) -> None:
    done = call([*words, "--help"], environ)
    assert done.returncode == 0
    assert done.stdout.startswith(f"Usage: opposable {' '.join(words)}")
    assert max(map(len, done.stdout.splitlines())) <= 100


MISUSES: list[tuple[list[str], int, str]] = [
    (["nope"], 2, 'Unknown command "nope"'),
    (["run"], 2, "PROMPT requires an argument"),
    (["run", "x", "--modle", "y"], 2, "Did you mean --model?"),
    (["run", "x", "--temperature", "warm"], 2, "Invalid value"),
    (["run", ""], 2, "the prompt is empty"),
    (["run", "-"], 2, "the prompt is empty"),
    (["run", "x", "--tools", "calculate,nope"], 2, "there is no tool 'nope'"),
    (["run", "x", "--strategy", "nope"], 2, "there is no strategy 'nope'"),
    (["run", "x", "--model", "nope"], 3, "There is no model 'nope'"),
    (["run", "x", "--model", "nope.gguf"], 3, "nope.gguf"),
    (["run", "x", "--model", "README.md.gguf"], 3, "README.md.gguf"),
    (["models", "path", "store:nope"], 3, "The catalogue has no store:nope"),
    (["models", "path", "store:smollm2-135m"], 3, "opposable models pull store:smollm2-135m"),
    (["models", "remove", "store:smollm2-135m"], 3, "not on this machine"),
    (["use", "nope"], 3, "There is no model 'nope'"),
    (["parse", "--tools", "nope.json"], 2, "nope.json cannot be read"),
    (["parse", "--tools", "README.md"], 2, "README.md is not JSON"),
]


def test_a_path_is_not_said_to_be_fetched(environ: dict[str, str]) -> None:
    assert "Fetching" not in call(["run", "x", "--model", "nope.gguf"], environ).stderr


@pytest.mark.parametrize(("words", "code", "said"), MISUSES, ids=[" ".join(words) for words, _, _ in MISUSES])
def test_a_mistake_is_told_and_has_its_code(words: list[str], code: int, said: str, environ: dict[str, str]) -> None:
    done = call(words, environ)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr


def test_settings_that_cannot_be_read_are_a_mistake(environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text("default_model = ")
    done = call(["models"], environ)
    assert done.returncode == 2
    assert "is not valid TOML" in done.stderr


# models, use


@pytest.fixture
def embedded(environ: dict[str, str]) -> Path:
    """A file in the place and of the size of the embedded model; it holds nothing."""
    file = Path(environ["OPPOSABLE_CACHE"], "models", EMBEDDED.name, EMBEDDED.file)
    file.parent.mkdir(parents=True)
    with file.open("wb") as stream:
        stream.write(b"GGUF")
        stream.truncate(EMBEDDED.size)
    return file


def test_models_are_listed(environ: dict[str, str], embedded: Path) -> None:
    lines = call(["models"], environ).stdout.splitlines()
    assert lines[1].split()[:5] == ["store:smollm2-135m", "98", "MB", "here", "Apache-2.0"]
    assert "not here  Gemma Terms of Use" in lines[2]
    assert lines == call(["models", "list"], environ).stdout.splitlines()
    for words in (["models", "--json"], ["models", "list", "--json"]):
        here, away = json.loads(call(words, environ).stdout)
        assert (here["name"], here["here"], here["path"]) == ("store:smollm2-135m", True, str(embedded))
        assert (away["here"], away["path"], away["licence"]) == (False, None, "Gemma Terms of Use")


def test_a_model_has_a_path_until_it_is_removed(environ: dict[str, str], embedded: Path) -> None:
    assert call(["models", "path", "store:smollm2-135m"], environ).stdout == f"{embedded}\n"
    assert "98 MB freed" in call(["models", "remove", "store:smollm2-135m"], environ).stdout
    assert not embedded.exists()


def test_use_says_whether_the_model_is_here(environ: dict[str, str], tmp_path: Path) -> None:
    done = call(["use", "store:smollm2-135m"], environ)
    assert done.returncode == 0
    assert "is the default model now" in done.stdout
    assert "opposable models pull store:smollm2-135m" in done.stdout
    assert "smollm2-135m" in (tmp_path / "config" / "config.toml").read_text()


def test_use_wants_a_file_that_is_a_model(environ: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "x.gguf"
    file.write_text("no model")
    done = call(["use", str(file)], environ)
    assert done.returncode == 3
    assert "is not a usable GGUF file" in done.stderr
    assert not (tmp_path / "config").exists()


# parse

REPLY = '<think>Hm.</think>Sure. <tool_call>{"name": "add", "arguments": {"a": 1, }}</tool_call>'


def parsed(words: Sequence[str], environ: Mapping[str, str], said: bytes) -> Any:
    done = call(["parse", *words], environ, said)
    assert done.returncode == 0
    return json.loads(done.stdout)


def test_parse_finds_calls(environ: dict[str, str]) -> None:
    reply = parsed(["--tool", "add", "--tool", "other"], environ, REPLY.encode())
    assert (reply["content"], reply["reasoning"], reply["rejected"]) == ("Sure. ", "Hm.", [])
    (found,) = reply["tool_calls"]
    assert (found["name"], found["arguments"], found["id"]) == ("add", {"a": 1}, None)
    assert found["mends"]
    assert found["raw"] in REPLY


@pytest.mark.parametrize("wrapped", [False, True])
def test_parse_takes_tools_from_a_file(wrapped: bool, environ: dict[str, str], tmp_path: Path) -> None:
    tool: dict[str, Any] = {"name": "add", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}}
    file = tmp_path / "tools.json"
    file.write_text(json.dumps([{"type": "function", "function": tool} if wrapped else tool]))
    assert parsed(["--tools", str(file)], environ, REPLY.encode())["tool_calls"][0]["arguments"] == {"a": 1}


@pytest.mark.parametrize("text", ["{}", "[1]", '[{"function": {}}]', '[{"name": 1}]'])
def test_parse_says_what_is_wrong_with_a_file_of_tools(text: str, environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text(text)
    done = call(["parse", "--tools", str(tmp_path / "tools.json")], environ)
    assert done.returncode == 2
    assert "tools.json" in done.stderr


def test_parse_is_told_how_the_reply_began_and_ended(environ: dict[str, str]) -> None:
    cut = parsed(["--tool", "add", "--finish", "length"], environ, b'<tool_call>{"name": "add", "argu')
    assert [block["cause"] for block in cut["rejected"]] == ["truncated"]
    begun = parsed(["--starts-in-reasoning"], environ, b"I think.</think>Yes.")
    assert (begun["reasoning"], begun["content"]) == ("I think.", "Yes.")


def test_parse_reads_what_is_no_utf8(environ: dict[str, str]) -> None:
    done = call(["parse"], environ, b"caf\xe9")
    assert json.loads(done.stdout)["content"] == "caf\N{REPLACEMENT CHARACTER}"
    assert "byte 3 on stdin is no UTF-8" in done.stderr
