"""Text in pieces is wrapped between words, however it was cut."""

from hypothesis import given
from hypothesis import strategies as st

from opposable.cli.column import Column


def laid(pieces: list[str], width: int) -> str:
    out: list[str] = []
    column = Column(width, lambda text, style: out.append(text))
    for piece in pieces:
        column.add(piece)
    column.end()
    return "".join(out)


def test_words_go_to_the_next_line() -> None:
    assert laid(["one two three"], 8) == "one two\nthree\n"


def test_a_word_that_comes_in_pieces_stays_whole() -> None:
    assert laid(["one t", "wo th", "ree"], 8) == "one two\nthree\n"


def test_lines_of_the_text_are_kept_with_their_indent() -> None:
    assert laid(["def f():\n    return 1\n\nend"], 40) == "def f():\n    return 1\n\nend\n"


def test_wide_characters_take_two_cells() -> None:
    assert laid(["日本 日本 日本"], 9) == "日本 日本\n日本\n"


WORDS = st.lists(st.sampled_from(["a", "bc", "def", " ", "  ", "\n", "-", "xyzzy"]), max_size=40)


@given(WORDS, st.integers(1, 5))
def test_the_cuts_do_not_show(pieces: list[str], size: int) -> None:
    text = "".join(pieces)
    assert laid(pieces, 12) == laid([text], 12) == laid([text[n : n + size] for n in range(0, len(text), size)], 12)


@given(WORDS)
def test_every_word_comes_out(pieces: list[str]) -> None:
    assert laid(pieces, 12).split() == "".join(pieces).split()
