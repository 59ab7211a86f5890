"""Replies explained on the screen: golden files a person can read, and nothing of a reply that steers the terminal.

A file of `explained/`: options of the command, the reply after `--- reply`, what is shown after `--- shown`.
"""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from tests.wire.golden import all_cases

from opposable.cli.explained import explained, seen
from opposable.cli.parse import parse
from opposable.cli.screen import Screen
from opposable.wire.explain import explain

ROOT = Path(__file__).parents[2]
FILES = sorted((Path(__file__).parent / "explained").glob("*.txt"))


def shown(text: str, tools: Any = (), finish: str | None = "stop", **how: bool) -> str:
    out = io.StringIO()
    explained(explain(text, tools, finish, **how), Screen(out, out, io.StringIO()))
    return out.getvalue()


def golden(file: Path) -> tuple[dict[str, str], str, str]:
    head, _, rest = file.read_text("utf-8").partition("--- reply\n")
    reply, _, wanted = rest.partition("--- shown\n")
    return dict(line.split(": ", 1) for line in head.splitlines()), reply, wanted


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_reply_is_shown_as_its_golden_file_says(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    options, reply, wanted = golden(file)
    (tmp_path / "reply.txt").write_text(reply.removesuffix("\n"), "utf-8")
    code = parse(
        str(tmp_path / "reply.txt"),
        tool=(options["tool"],),
        finish_reason=options.get("finish", "stop"),
        explain=True,
    )
    assert (code, capsys.readouterr().out) == (0, wanted)


@pytest.mark.parametrize(("page", "name"), [("README.md", "malformed"), ("docs/command-line.md", "mended")])
def test_what_a_page_shows_is_what_is_shown(page: str, name: str) -> None:
    (wanted,) = (golden(file)[2] for file in FILES if file.stem == name)
    assert wanted in (ROOT / page).read_text("utf-8")


def test_no_character_of_a_short_reply_is_lost() -> None:
    for case in all_cases():
        parts = explain(case.reply, case.tools, case.finish, starts_in_reasoning=case.starts_in_reasoning)
        text = shown(case.reply, case.tools, case.finish, starts_in_reasoning=case.starts_in_reasoning)
        assert all(character.isprintable() or character == "\n" for character in text)
        lines = [line.removeprefix("  | ") for line in text.splitlines() if line.startswith("  | ")]
        if all(len(part.raw) < 400 and part.raw.count("\n") < 5 for part in parts):
            assert "".join(lines).replace("␠", " ") == seen(case.reply).replace("\n", "")


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("a\nb", "a␊\nb"), ("a\tb\r", "a␉b␍"), ("\x1b[31m", "␛[31m"), ("\0\x7f\x9b", "␀<U+007F><U+009B>"),
        ("\u202e\u200b\u00a0\u2028\ufeff", "<U+202E><U+200B><U+00A0><U+2028><U+FEFF>"), ("\ud800", "<U+D800>"),
        ("Köln 東京 🚀", "Köln 東京 🚀"),
    ],
)  # fmt: skip
def test_what_cannot_be_seen_has_a_sign(text: str, sign: str) -> None:
    assert seen(text) == sign


def test_blanks_at_the_end_of_a_line_are_seen() -> None:
    assert "  | a␠␠\n" in shown("a  ")
    assert "  | a ␊\n  | b\n" in shown("a \nb")


def test_an_empty_reply_says_so() -> None:
    assert shown("") == "the reply is empty\n"


def test_of_a_long_text_the_ends_are_shown_and_what_is_left_out_is_counted() -> None:
    text = shown("a" * 1_000_000)
    assert "… 998,400 more characters left out here" in text
    assert text.count("a" * 10) > 10
    assert len(text) < 4000
    many = shown("\n".join(map(str, range(1000))))
    assert "… 3,832 more characters left out here" in many
    assert "  | 999\n" in many


def test_of_a_long_argument_it_is_said_how_much_is_left_out() -> None:
    call = {"name": "add", "arguments": {"a": "x" * 5000}}
    text = shown(f"<tool_call>{json.dumps(call)}</tool_call>", [{"name": "add", "parameters": {}}])
    assert "… 4,766 more characters" in text


def test_of_very_many_parts_the_rest_is_counted() -> None:
    text = shown('<tool_call>{"name":"x"}</tool_call>' * 1000)
    assert text.splitlines()[0] == "0 calls · 1,000 rejected blocks · 35,000 characters"
    assert text.splitlines()[-1] == "… 600 more parts left out, 21,000 characters"


def test_wide_characters_are_wrapped_by_their_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert max(len(line) for line in shown("東" * 100).splitlines()[2:]) <= 22
