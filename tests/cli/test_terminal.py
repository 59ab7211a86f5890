"""In a real terminal: what a person is asked, what they answer, and Ctrl-C at every moment."""

import json
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

if sys.platform == "win32":
    pytest.skip("needs a pty", allow_module_level=True)

from tests.cli.terminal import Terminal, terminal

from opposable.store import StoredModel

CTRL_C, CTRL_D = "\x03", "\x04"
INTERRUPTED = 130


def call(name: str, **arguments: Any) -> str:
    return f"<tool_call>{json.dumps({'name': name, 'arguments': arguments})}</tool_call>"


WRITE = call("file_write", path="notes.txt", content="buy milk")


@contextmanager
def conversation(folder: Path, *answers: str, environ: dict[str, str] | None = None, **plan: Any) -> Iterator[Terminal]:
    file = folder / "plan.json"
    file.write_text(json.dumps({"answers": answers, "workspace": str(folder / "files"), **plan}), "utf-8")
    with terminal(["-m", "tests.cli.scripted", str(file)], environ) as at:
        yield at


def test_yes_lets_the_call_run(tmp_path: Path) -> None:
    with conversation(tmp_path, WRITE, "Noted.") as at:
        at.until("[a]lways in this run: ")
        assert "› file_write · notes.txt · buy milk" in at.seen
        assert "waits for you · creates notes.txt in" in at.seen
        at.type("y\n")
        assert at.end() == 0
    assert (tmp_path / "files" / "notes.txt").read_text() == "buy milk"
    assert "done · wrote 1 line (8 bytes) to notes.txt\n" in at.seen
    assert "Noted.\n" in at.seen


def test_no_asks_why_and_tells_the_model(tmp_path: Path) -> None:
    with conversation(tmp_path, WRITE, "I will not.") as at:
        at.until("in this run: ")
        at.type("maybe\n")  # no answer: it is asked again
        at.until("maybe\n  Allow file_write?")
        at.type("n\n")
        at.until("Why?")
        at.type("not today\n")
        assert at.end() == 0
    assert "refused · The person refused this call: not today." in at.seen
    assert not (tmp_path / "files").exists()


def test_always_asks_no_second_time_and_shows_what_changes(tmp_path: Path) -> None:
    again = call("file_write", path="notes.txt", content="buy bread")
    with conversation(tmp_path, WRITE, again, "Done.") as at:
        at.until("in this run: ")
        at.type("a\n")
        assert at.end() == 0
    assert at.seen.count("Allow file_write?") == 1
    assert (tmp_path / "files" / "notes.txt").read_text() == "buy bread"


def test_a_diff_is_shown_of_a_file_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "notes.txt").write_text("eggs\nbuy flour\n")
    with conversation(tmp_path, call("file_write", path="notes.txt", content="eggs\nbuy milk\n"), "Done.") as at:
        at.until("in this run: ")
        assert "replaces notes.txt in" in at.seen
        assert "    - buy flour\n    + buy milk\n" in at.seen
        at.type("y\n")
        assert at.end() == 0


def test_a_long_text_can_be_seen_whole(tmp_path: Path) -> None:
    content = "".join(f"line {number}\n" for number in range(40))
    with conversation(tmp_path, call("file_write", path="notes.txt", content=content), "Done.") as at:
        at.until("[v]iew all: ")
        assert "line 39" not in at.seen
        at.type("v\n")
        at.until("+ line 39\n  Allow file_write? [y]es, [n]o, [a]lways in this run, [v]iew all: ")
        at.type("y\n")
        assert at.end() == 0


def test_what_was_typed_before_the_question_is_no_answer(tmp_path: Path) -> None:
    with conversation(tmp_path, "Let me write it down. " + WRITE, "Done.", pause=0.03) as at:
        at.until("Let me")
        at.type("y\n")
        at.until("in this run: ")
        at.type("n\n")
        at.until("Why?")
        at.type("\n")
        assert at.end() == 0
    assert not (tmp_path / "files").exists()


def test_end_of_input_is_no_consent(tmp_path: Path) -> None:
    with conversation(tmp_path, WRITE) as at:
        at.until("in this run: ")
        at.type(CTRL_D)
        assert at.end() == 4
    assert not (tmp_path / "files").exists()


def ends_cleanly(at: Terminal) -> None:
    at.type(CTRL_C)
    assert at.end(seconds=5) == INTERRUPTED
    assert at.seen.rstrip().endswith("\ninterrupted")
    assert "Traceback" not in at.seen


def test_ctrl_c_while_asking(tmp_path: Path) -> None:
    with conversation(tmp_path, WRITE) as at:
        at.until("in this run: ")
        ends_cleanly(at)
    assert not (tmp_path / "files").exists()


def test_ctrl_c_while_generating(tmp_path: Path) -> None:
    with conversation(tmp_path, "word " * 1000, pause=0.05) as at:
        at.until("word word word")
        ends_cleanly(at)


def test_ctrl_c_while_the_model_thinks(tmp_path: Path) -> None:
    with conversation(tmp_path, "word", pause=60) as at:
        at.until("waiting for scripted · ")
        ends_cleanly(at)


def test_ctrl_c_while_a_tool_runs(tmp_path: Path) -> None:
    with conversation(tmp_path, call("doze", seconds=60)) as at:
        at.until("doze is running · ")
        ends_cleanly(at)


def test_colour_is_for_states_and_not_for_models(tmp_path: Path) -> None:
    with conversation(tmp_path, call("calculate", expression="17 * 23"), "It is \x1b[31m391\x1b[0m.") as at:
        assert at.end() == 0
    assert b"\x1b[32mdone" in at.raw
    assert b"\x1b[31m" not in at.raw
    assert "It is [31m391[0m." in at.raw.decode()


def test_colour_can_be_off(tmp_path: Path) -> None:
    with conversation(tmp_path, call("calculate", expression="2"), "2", environ={"NO_COLOR": "1"}) as at:
        assert at.end() == 0
    assert "  done · 2\n" in at.seen
    assert not re.search(rb"\x1b\[(3|4|9|10)\d", at.raw)


def test_lines_are_wrapped_between_words(tmp_path: Path) -> None:
    with conversation(tmp_path, "lorem ipsum " * 30) as at:
        assert at.end() == 0
    lines = [line for line in at.seen.splitlines() if line.startswith(("lorem", "ipsum"))]
    assert len(lines) > 3
    assert all(len(line) <= 80 and set(line.split()) <= {"lorem", "ipsum"} for line in lines)


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.0, 0.2, 0.5, 1.0, 2.0, 3.0])
def test_ctrl_c_with_a_real_model(seconds: float, small_model: StoredModel, tmp_path: Path) -> None:
    words = [
        "-m",
        "opposable",
        "run",
        "Write a long story about a fish.",
        "--model",
        small_model.name,
        "--tools",
        "none",
    ]
    with terminal(words, {"OPPOSABLE_CONFIG": str(tmp_path)}) as at:
        at.until("constrained\n")
        time.sleep(seconds)  # while it is loaded, while it reads the question, while it writes
        ends_cleanly(at)


def explained(folder: Path, environ: dict[str, str]) -> str:
    """What a terminal gets of a reply that would turn it red, move on it, and name it anew."""
    file = folder / "reply.txt"
    call = '<tool_call>{"name": "add", "arguments": {"a": "\x1b[8m"}}</tool_call>'
    file.write_text(f"x\x1b[31m\x1b[2J\x1b]0;name\x07\r\x9b5A\u202e {call}", "utf-8")
    with terminal(["-m", "opposable", "parse", str(file), "--tool", "add", "--explain"], environ) as at:
        assert at.end() == 0
        return at.raw.decode().replace("\r\n", "\n")


def test_a_reply_is_explained_in_colour_and_steers_nothing(tmp_path: Path) -> None:
    raw = explained(tmp_path, {"NO_COLOR": ""})
    assert "\x1b[33mcall, mended" in raw
    assert re.sub(r"\x1b\[[0-9;]*m", "", raw) == explained(tmp_path, {"NO_COLOR": "1"})
    assert set(re.findall(r"\x1b\[[0-9;]*m", raw)) <= {"\x1b[0m", "\x1b[33m"}


def test_without_colour_a_reply_is_explained_in_the_same_words(tmp_path: Path) -> None:
    raw = explained(tmp_path, {"NO_COLOR": "1"})
    assert "call, mended" in raw
    assert all(character.isprintable() or character == "\n" for character in raw)
