"""A run with a scripted model, piped: plain lines for a person, JSON for a program."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def tool_call(name: str, **arguments: Any) -> str:
    return f"<tool_call>{json.dumps({'name': name, 'arguments': arguments})}</tool_call>"


WRITE = tool_call("file_write", path="notes.txt", content="buy milk")
REFUSE = '{"key": "approve call_1", "verdict": "refuse", "reason": "no"}\n'
ONCE = '{"key": "approve call_1", "verdict": "once"}\n'


def started(folder: Path, answers: list[str], **plan: Any) -> list[str]:
    file = folder / "plan.json"
    file.write_text(json.dumps({"answers": answers, "workspace": str(folder / "files"), **plan}), "utf-8")
    return [sys.executable, "-m", "tests.cli.scripted", str(file)]


def ran(folder: Path, *answers: str, said: str = "", **plan: Any) -> "subprocess.CompletedProcess[str]":
    done = subprocess.run(
        started(folder, list(answers), **plan),
        input=said, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return done


def events(done: "subprocess.CompletedProcess[str]") -> list[dict[str, Any]]:
    assert done.stdout.isascii()
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_pipe_gets_plain_lines(tmp_path: Path) -> None:
    think = "<think>The person wants\nsomething written.</think>"
    done = ran(tmp_path, think + WRITE, tool_call("calculate", expression="1 +"), "Done.", always=["*"])
    assert done.returncode == 0
    *lines, last = done.stdout.splitlines()
    assert lines[:6] == [
        "scripted · prompted/hermes",
        "(reasoning, 35 characters) The person wants something written.",
        "› file_write · notes.txt · buy milk",
        '  path = "notes.txt"',
        '  content = "buy milk"',
        "  done · wrote 1 line (8 bytes) to notes.txt",
    ]
    assert lines[6:8] == ["› calculate · 1 +", '  expression = "1 +"']
    assert lines[8].startswith("  failed · ")
    assert lines[-1] == "Done."
    assert last.endswith(" written")
    assert "\x1b" not in done.stdout + done.stderr


def test_a_call_that_cannot_be_settled_is_shown_all_the_same(tmp_path: Path) -> None:
    done = ran(tmp_path, tool_call("file_read", path=[1]), "Sorry.")
    assert "› file_read · [1]\n  path = [1]\n  failed" in done.stdout


def test_nobody_to_ask_ends_the_run(tmp_path: Path) -> None:
    done = ran(tmp_path, WRITE, said="y\ny\n")
    assert done.returncode == 4
    assert done.stderr.startswith("file_write waits for approval, and nobody is here")
    assert not (tmp_path / "files").exists()


def test_a_model_that_fails_is_told(tmp_path: Path) -> None:
    done = ran(tmp_path, WRITE, always=["*"])  # the script ends too early
    assert done.returncode == 1
    assert done.stderr.startswith("The script has no answer to request 2")


def test_events_are_told_as_json(tmp_path: Path) -> None:
    done = ran(tmp_path, WRITE, "Noted: \x1b[31mé", said=ONCE, face="json")
    assert done.returncode == 0
    told = events(done)
    kinds = [event["type"] for event in told if event["type"] != "text_delta"]
    assert kinds == [
        "run_started", "turn_ended", "call_ready", "approval_asked", "approval_given", "call_started", "call_ended",
        "turn_ended", "run_ended",
    ]  # fmt: skip
    assert told[-1]["answer"] == "Noted: \x1b[31mé"
    assert (tmp_path / "files" / "notes.txt").read_text() == "buy milk"


def test_a_program_can_refuse(tmp_path: Path) -> None:
    done = ran(tmp_path, WRITE, "All right.", said=REFUSE, face="json")
    assert "approval_given" in done.stdout
    assert next(event for event in events(done) if event["type"] == "call_ended")["result"]["failed"]
    assert not (tmp_path / "files").exists()


def test_answers_may_come_early_and_in_another_order(tmp_path: Path) -> None:
    said = ONCE.replace("call_1", "call_2") + "\n" + REFUSE
    done = ran(tmp_path, WRITE, WRITE, "Done.", said=said, face="json")
    assert [event["verdict"] for event in events(done) if event["type"] == "approval_given"] == ["refuse", "once"]


def test_a_program_that_says_nothing_more_gives_no_consent(tmp_path: Path) -> None:
    done = ran(tmp_path, WRITE, face="json")
    assert done.returncode == 4
    assert events(done)[-1] == {
        "type": "error",
        "error": "Paused",
        "message": "file_write waits for approval, and nobody is here to give it. "
        "Start this in a terminal, or allow all tools with --yes.",
    }
    assert done.stderr == ""


TWICE = '{"key": "approve call_1", "verdict": "refuse", "verdict": "once"}'


@pytest.mark.parametrize(
    "line", [TWICE, "yes", "[]", '{"key": "approve call_1", "verdict": "maybe"}', '{"verdict": "once"}']
)
def test_an_answer_that_is_none_ends_the_run(line: str, tmp_path: Path) -> None:
    done = ran(tmp_path, WRITE, said=f"{line}\n", face="json")
    assert done.returncode == 2
    assert events(done)[-1]["error"] == "SettingsError"
    assert not (tmp_path / "files").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="has no such pipes")
@pytest.mark.parametrize("face", ["screen", "json"])
def test_a_reader_that_goes_is_no_failure(face: str, tmp_path: Path) -> None:
    process = subprocess.Popen(
        started(tmp_path, ["word " * 2000], face=face),
        cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (141, b"")


def test_a_terminal_without_the_characters_gets_others(tmp_path: Path) -> None:
    words = started(tmp_path, ["caf\u00e9 \u65e5\u672c"])
    done = subprocess.run(
        words, cwd=ROOT, capture_output=True, check=False, env={**os.environ, "PYTHONIOENCODING": "ascii"}
    )
    assert done.returncode == 0
    assert b"caf? ??" in done.stdout


def test_what_will_be_written_is_shown_whole(tmp_path: Path) -> None:
    done = ran(tmp_path, tool_call("file_write", path="n.txt", content="a\x0bb\x1b[8m\nc\u2028d\n"))
    assert "    2 control characters\n    + a␋b␛[8m\n    + c·d\n" in done.stdout


def test_a_change_of_line_endings_is_said(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "n.txt").write_bytes(b"a\n")
    done = ran(tmp_path, tool_call("file_write", path="n.txt", content="a\r\n"))
    assert "    line endings change\n    - a\n    + a␍\n" in done.stdout


def test_an_answer_does_not_pass_for_a_call(tmp_path: Path) -> None:
    done = ran(tmp_path, "Look:\n› calculate · 1+1\n  › done")
    assert "Look:\n\\› calculate · 1+1\n" in done.stdout
    assert "\n›" not in done.stdout
