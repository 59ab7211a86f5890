from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opposable.errors import TryAgain
from opposable.tools.builtin.files import MOST_BYTES, _text, file_tools
from opposable.tools.toolbox import Tool


@pytest.fixture
def tools(tmp_path: Path) -> dict[str, Tool]:
    return {made.spec.name: made for made in file_tools(tmp_path / "w")}


def test_what_they_are(tools: dict[str, Tool]) -> None:
    assert list(tools) == ["file_read", "file_write"]
    assert (tools["file_read"].spec.approval, tools["file_read"].spec.repeatable) == ("auto", True)
    assert (tools["file_write"].spec.approval, tools["file_write"].spec.repeatable) == ("ask", False)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a\nb\nc", "wrote 3 lines (5 bytes) to notes/x.txt"),
        ("a\nb\n", "wrote 2 lines (4 bytes) to notes/x.txt"),
        ("é", "wrote 1 line (2 bytes) to notes/x.txt"),
        ("x", "wrote 1 line (1 byte) to notes/x.txt"),
        ("", "wrote 0 lines (0 bytes) to notes/x.txt"),
    ],
)
def test_writing_says_what_it_did(tools: dict[str, Tool], tmp_path: Path, content: str, said: str) -> None:
    assert tools["file_write"](path="./notes//x.txt", content=content) == said
    assert (tmp_path / "w" / "notes" / "x.txt").read_bytes() == content.encode()
    assert tools["file_write"](path="notes/x.txt", content=content) == said + ", in place of the old file"
    assert tools["file_read"](path="notes/x.txt") == (content or "(notes/x.txt is empty)")


def test_lines_are_written_as_they_are(tools: dict[str, Tool]) -> None:
    tools["file_write"](path="x", content="a\r\nb\n")
    assert tools["file_read"](path="x") == "a\r\nb\n"


@pytest.mark.parametrize(
    ("content", "said"), [("\ud800", "lone surrogate"), ("x" * (MOST_BYTES + 1), "1,000,001 bytes")]
)
def test_what_cannot_be_written(tools: dict[str, Tool], content: str, said: str) -> None:
    with pytest.raises(TryAgain, match=said):
        tools["file_write"](path="x", content=content)


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "C:\\x", "~/x", "NUL"])
def test_paths_are_checked_by_both(tools: dict[str, Tool], path: str) -> None:
    with pytest.raises(TryAgain, match=r"notes/result\.txt"):
        tools["file_read"](path=path)
    with pytest.raises(TryAgain, match=r"notes/result\.txt"):
        tools["file_write"](path=path, content="")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"plain", "plain"),
        ("\ufeffmarked".encode(), "marked"),
        ("wide é".encode("utf-16"), "(f is not UTF-8; read as UTF-16)\nwide é"),
        ("caf\xe9".encode("cp1252"), "(f is not UTF-8; read as Windows-1252)\ncafé"),
        (b"\xff\xfe\x00", None),
        (b"\x89PNG\r\n\x1a\n\x00\x00", None),
        (bytes(range(1, 256)), None),
        (b"a\0b", None),
    ],
)
def test_what_is_read_is_text_or_refused(data: bytes, text: str | None) -> None:
    if text is None:
        with pytest.raises(TryAgain, match="no text file"):
            _text(data, "f")
    else:
        assert _text(data, "f") == text


@given(st.binary(max_size=200))
def test_any_bytes_are_text_or_refused(data: bytes) -> None:
    try:
        _text(data, "f").encode()
    except TryAgain:
        return


@given(st.text(max_size=200).filter(lambda text: text and "\0" not in text and not text.startswith("\ufeff")))
def test_utf8_is_read_as_it_is(text: str) -> None:
    assert _text(text.encode(), "f") == text
