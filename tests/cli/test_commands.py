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
    assert {name for name in loaded if name.startswith("opposable.")} <= {
        "opposable.__main__", "opposable.cli", "opposable.cli.ends", "opposable.errors",
    }  # fmt: skip
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
    (["run", "x", "--model", "~nobodyx/a.gguf"], 3, "home folder"),
    (["use", "~nobodyx/a.gguf"], 3, "home folder"),
    (["use", "nope.gguf"], 3, "There is no file"),
    (["run", "x", "--model", f"{'m' * 300}.gguf"], 3, "There is no file"),
    (["use", f"{'m' * 300}.gguf"], 3, "There is no file"),
    (["models", "remove", f"hf:a/b:{'m' * 300}.gguf"], 3, "not on this machine"),
    (["run", " \n "], 2, "the prompt is empty"),
    (["run", "x", "--temperature", "nan"], 2, "from 0 to 100"),
    (["run", "x", "--temperature", "inf"], 2, "from 0 to 100"),
    (["run", "x", "--temperature=-1"], 2, "from 0 to 100"),
    (["run", "x", "--max-tokens", "0"], 2, "from 1 to 2147483647"),
    (["run", "x", "--max-tokens", "99999999999"], 2, "from 1 to 2147483647"),
    (["run", "x", "--seed=-1"], 2, "from 0 to 4294967294"),
    (["run", "x", "--seed", "4294967295"], 2, "from 0 to 4294967294"),
    (["run", "x", "--workspace", "README.md"], 2, "README.md is none"),
    (["run", "x", "--workspace", "README.md/below"], 2, "README.md is none"),
    (["run", "x", "--workspace", "m" * 300], 2, "cannot be used"),
    (["parse", "--tools", "nope.json"], 2, "nope.json cannot be read"),
    (["parse", "--tools", "README.md"], 2, "README.md is not JSON"),
    (["parse", "--tools", "-"], 2, "the tools cannot come from stdin"),
    (["parse", "nope.txt"], 2, "nope.txt cannot be read"),
    (["parse", "tests"], 2, "tests cannot be read"),
    (["parse", "m" * 300], 2, "cannot be read"),
    (["parse", ""], 2, "cannot be read"),
    (["parse", "--finish", "lenght"], 2, "--finish lenght is not known; right is one of stop, tool_calls,"),
    (["parse", "README.md", "README.md"], 2, "Unused Tokens"),
]


def test_a_path_is_not_said_to_be_fetched(environ: dict[str, str]) -> None:
    assert "Fetching" not in call(["run", "x", "--model", "nope.gguf"], environ).stderr


@pytest.mark.parametrize(("words", "code", "said"), MISUSES, ids=[" ".join(words)[:60] for words, _, _ in MISUSES])
def test_a_mistake_is_told_and_has_its_code(words: list[str], code: int, said: str, environ: dict[str, str]) -> None:
    done = call(words, environ)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="has no such files")
@pytest.mark.parametrize("words", [["run", "x", "--model"], ["use"], ["models", "path"], ["models", "pull"]])
def test_what_is_no_file_is_no_model(words: list[str], environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "folder.gguf").mkdir()
    os.mkfifo(tmp_path / "pipe.gguf")
    for name in ("folder.gguf", "pipe.gguf"):
        done = call([*words, str(tmp_path / name)], environ)
        assert (done.returncode, done.stdout) == (3, "")
        assert f"{name} is no file" in done.stderr
    assert not (tmp_path / "config").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="the command line is bytes")
def test_a_prompt_that_is_no_utf8_is_told(environ: dict[str, str]) -> None:
    words = [b"run", b"caf\xe9", b"--model", b"nope.gguf"]
    done = subprocess.run([sys.executable, "-m", "opposable", *words], env=environ, capture_output=True, check=False)
    assert done.returncode == 3
    assert b"the prompt is not all UTF-8" in done.stderr
    said = call(["run", "-", "--model", "nope.gguf"], environ, b"caf\xe9")
    assert said.returncode == 3
    assert "byte 3 on stdin is no UTF-8" in said.stderr


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


def test_parse_offers_by_name_what_the_file_has_not(environ: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    file.write_text('[{"name": "add", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}}]')
    (found,) = parsed(["--tools", str(file), "--tool", "add,other"], environ, REPLY.encode())["tool_calls"]
    assert found["name"] == "add"


@pytest.mark.parametrize(
    "text",
    ["{}", "[1]", '[{"function": {}}]', '[{"name": 1}]', '[{"name": "a"}, {"name": "a", "parameters": {}}]'],
)
def test_parse_says_what_is_wrong_with_a_file_of_tools(text: str, environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text(text)
    done = call(["parse", "--tools", str(tmp_path / "tools.json")], environ)
    assert done.returncode == 2
    assert "tools.json" in done.stderr
    assert done.stderr.count("\n") == 1


def test_parse_is_told_how_the_reply_began_and_ended(environ: dict[str, str]) -> None:
    cut = parsed(["--tool", "add", "--finish", "length"], environ, b'<tool_call>{"name": "add", "argu')
    assert [block["cause"] for block in cut["rejected"]] == ["truncated"]
    begun = parsed(["--starts-in-reasoning"], environ, b"I think.</think>Yes.")
    assert (begun["reasoning"], begun["content"]) == ("I think.", "Yes.")


def test_parse_reads_what_is_no_utf8(environ: dict[str, str]) -> None:
    done = call(["parse"], environ, b"caf\xe9")
    assert json.loads(done.stdout)["content"] == "caf\N{REPLACEMENT CHARACTER}"
    assert "byte 3 on stdin is no UTF-8" in done.stderr


def test_parse_reads_a_file(environ: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "reply.txt"
    file.write_bytes(REPLY.encode())
    wanted = parsed(["--tool", "add"], environ, REPLY.encode())
    for words in ([str(file), "--tool", "add"], ["--tool", "add", str(file)]):
        assert parsed(words, environ, b"not this") == wanted
    assert parsed(["-", "--tool", "add"], environ, REPLY.encode()) == wanted


@pytest.mark.parametrize(
    ("data", "said"), [(b"caf\xe9", "byte 3 is no UTF-8"), (b"a\0b", "byte 1 is null. Is it UTF-16?")]
)
def test_parse_refuses_a_file_that_is_no_text(data: bytes, said: str, environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "reply.txt").write_bytes(data)
    done = call(["parse", str(tmp_path / "reply.txt")], environ)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"reply.txt is no text: its {said}" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("names", [["--tool", "other,add"], ["--tool", "other, add ,"], ["--tool=other", "--tool=add"]])
def test_parse_takes_several_names(names: list[str], environ: dict[str, str]) -> None:
    assert [found["name"] for found in parsed(names, environ, REPLY.encode())["tool_calls"]] == ["add"]


def test_parse_says_that_tools_are_to_be_offered(environ: dict[str, str]) -> None:
    done = call(["parse"], environ, REPLY.encode())
    assert [block["cause"] for block in json.loads(done.stdout)["rejected"]] == ["unknown_tool"]
    assert (done.returncode, done.stderr.count("\n")) == (0, 1)
    assert "--tool NAME or --tools FILE" in done.stderr
    assert call(["parse", "--tool", "other"], environ, REPLY.encode()).stderr == ""
    assert call(["parse"], environ, b"Hello.").stderr == ""


def test_parse_explains(environ: dict[str, str]) -> None:
    done = call(["parse", "--tool", "add", "--explain"], environ, REPLY.encode())
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("1 call · 0 rejected blocks")
    assert "mended extra_comma" in done.stdout
    unknown = call(["parse", "--explain"], environ, REPLY.encode())
    assert (unknown.returncode, unknown.stderr.count("\n")) == (0, 1)
    assert "why: no tool is called 'add'" in unknown.stdout


@pytest.mark.parametrize("data", [b"", bytes(range(256)), b"\xff" * 5000, b"<tool_call>" * 100_000])
def test_parse_explains_anything(data: bytes, environ: dict[str, str]) -> None:
    done = call(["parse", "--explain"], environ, data)
    assert done.returncode == 0
    assert all(character.isprintable() or character == "\n" for character in done.stdout)


def test_parse_says_of_a_rejected_block_why(environ: dict[str, str]) -> None:
    (block,) = parsed(["--tool", "other"], environ, REPLY.encode())["rejected"]
    assert (block["cause"], block["why"], block["shape"]) == ("unknown_tool", "no tool is called 'add'", "hermes")


def test_parse_says_in_its_help_what_goes_in_and_comes_out(environ: dict[str, str]) -> None:
    said = " ".join(call(["parse", "--help"], environ).stdout.split())
    for word in ("JSON comes out", "file that holds the reply", "standard input", "only calls to these count"):
        assert word in said
