"""The window on a text: what is held, what is let go, and going back."""

import pytest

from opposable.wire.source import INDENT, Literals, Source, Wait


def done(work: Wait[object]) -> object:
    """What a reader returns that needs no more text."""
    try:
        next(work)
    except StopIteration as stop:
        return stop.value
    raise AssertionError("it waits")


def waits(work: Wait[object]) -> bool:
    return next(work, "done") is None


TAGS = Literals(["<a>", "<ab>", "</a"], ["```", "Go:"])


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("x", ""), ("x<", "<"), ("x<a", "<a"), ("x<<a", "<a"), ("x<ax", ""), ("a\n<", "<"), ("x`", ""), ("\nx`", ""),
        ("x\n`", "`"), ("\n  ``", "  ``"), ("\n", ""), ("\nGo", "Go"), ("\nGot", ""), ("\nGo and a long line", ""),
        ("\n" + " " * INDENT, " " * INDENT), ("\n" + " " * (INDENT + 1), ""),
    ],
)  # fmt: skip
def test_what_may_still_become_a_marker(text: str, held: str) -> None:
    assert text[TAGS.held_from(text, 1) :] == held  # the first character was looked at before


def test_the_longest_literal_wins_wherever_the_text_is_cut() -> None:
    source = Source()
    source.feed("x<a")
    assert source.seek(TAGS) is None
    source.take()
    source.feed("b>")
    assert done(source.look(TAGS)) == "<ab>"


def test_looking_waits_while_a_literal_may_come() -> None:
    source = Source()
    source.feed("<a")
    assert waits(source.look(TAGS))
    source.closed = True
    assert done(source.look(TAGS)) is None


def test_going_back_over_what_came_in_pieces() -> None:
    source = Source()
    for piece in ("ab", "cd", "ef"):
        source.feed(piece)
        source.pos = len(source.text)
    assert (source.at, source.since(0), source.since(3), source.since(5)) == (6, "abcdef", "def", "f")
    source.back(5)
    assert (source.at, source.since(2)) == (5, "cde")
    source.back(1)
    assert (source.at, source.text[source.pos :]) == (1, "bcdef")
    source.pos += 2
    assert source.take() == "abc"
    source.back(3)
    assert (source.at, source.text[source.pos - 1 :]) == (3, "cdef")


def test_going_back_to_where_nothing_is_held() -> None:
    source = Source()
    source.feed("ab")
    source.pos = len(source.text)
    source.take()
    for piece in ("cd", "ef"):
        source.feed(piece)
        source.pos = len(source.text)
    source.back(2)
    assert (source.at, source.text) == (2, "bcdef")
    assert source.since(2) == ""


def test_a_set_of_nothing_is_nowhere() -> None:
    source = Source()
    source.feed("\nx")
    assert source.seek(Literals([])) is None
    source.closed = True
    assert done(source.look(Literals([]))) is None
