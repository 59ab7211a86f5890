"""Text of others is shown as text."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from opposable.cli.text import arguments, block, clean, lines_in, one_line, sentence, size
from opposable.messages import ToolCall


@given(st.text(alphabet=st.characters(exclude_categories=[])))
def test_nothing_is_left_that_a_terminal_obeys(text: str) -> None:
    kinds = {unicodedata.category(c) for c in clean(text) if c not in "\n\t\u200c\u200d"}
    assert not kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"}


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"])))
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert clean(text) == text


def test_what_turns_text_is_shown() -> None:
    assert clean("safe\u202etxt.exe") == "safe·txt.exe"
    assert clean("\x1b]0;title\x07\x9b31mred\r\n") == "]0;title31mred\n"


def test_markup_of_rich_is_text() -> None:
    assert clean("[bold]x[/bold] :smile:") == "[bold]x[/bold] :smile:"


@given(st.text(), st.integers(2, 50))
def test_one_line_is_one_and_short(text: str, most: int) -> None:
    line = one_line(text, most)
    assert "\n" not in line
    assert len(line) <= most


def test_a_block_says_what_is_left_out() -> None:
    assert block("a\nb\nc\nd\n", lines=2, width=10) == ["a", "b", "… 2 more lines"]
    assert block("abcdefgh", lines=2, width=4) == ["abc…"]
    assert block("", lines=2, width=4) == [""]


def test_lines_and_sizes_in_words() -> None:
    assert [lines_in(text) for text in ("", "a", "a\n", "a\nb")] == ["0 lines", "1 line", "1 line", "2 lines"]
    assert [size(n) for n in (1, 2_000, 98_362_432, 4_500_000_000)] == ["1 byte", "2 KB", "98 MB", "4.5 GB"]


def said(name: str, **given: object) -> str:
    return sentence(ToolCall("call_1", name, given))


def test_a_call_is_a_sentence() -> None:
    assert said("current_time") == "current_time"
    assert said("calculate", expression="17 * 23") == "calculate · 17 * 23"
    assert said("file_write", path="notes/result.txt", content="a\nb\nc\n") == "file_write · notes/result.txt · 3 lines"
    assert said("f", at={"x": [1, None]}, empty="") == 'f · {"x": [1, null]} · (empty)'


def test_arguments_are_shown_with_their_names_and_types() -> None:
    call = {"path": "a.txt", "times": 3, "content": "\n".join(str(n) for n in range(12))}
    assert arguments(call, 60) == [
        'path = "a.txt"',
        "times = 3",
        "content = 12 lines",
        *(f"| {n}" for n in range(8)),
        "| … 4 more lines",
    ]
    assert arguments({"x": "\ud800 half"}, 60) == ['x = "\\ud800 half"']
