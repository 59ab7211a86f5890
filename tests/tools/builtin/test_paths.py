import pytest
from hypothesis import given
from hypothesis import strategies as st

from opposable.errors import TryAgain
from opposable.tools.builtin.paths import parts_of


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("notes/result.txt", ("notes", "result.txt")),
        ("./notes/./result.txt", ("notes", "result.txt")),
        ("notes//result.txt", ("notes", "result.txt")),
        ("workspace/a.txt", ("workspace", "a.txt")),
        (".hidden", (".hidden",)),
        ("a..b/...c", ("a..b", "...c")),
        ("résumé 最終.md", ("résumé 最終.md",)),
        ("console/com10.txt", ("console", "com10.txt")),
        ("notes~/x~1", ("notes~", "x~1")),
        ("%2e%2e/x", ("%2e%2e", "x")),
        ("$HOME/x", ("$HOME", "x")),
    ],
)
def test_what_passes(path: str, parts: tuple[str, ...]) -> None:
    assert parts_of(path) == parts


REFUSED = [
    *("", " ", ".", "./", "/", "//", "notes/", "notes/."),
    *("/etc/passwd", "//server/share/x", "/notes/x.txt", "/dev/null", "file:///etc/passwd", "https://example.org/x"),
    *("..", "../x", "notes/../x", "notes/../../x", "./../x", "notes/..", "a/b/../../../x"),
    *("~", "~/x", "~root/x", "~\\x", "./~/x", ".//~"),
    *(
        "C:/Windows/x",
        "c:x",
        "C:\\x",
        "\\\\server\\share\\x",
        "\\\\?\\C:\\x",
        "\\x",
        "notes\\x",
        "..\\x",
        "notes\\..\\..\\x",
    ),
    *("x:y", "notes/x.txt:stream", "x.txt::$DATA"),
    *(
        "CON",
        "con",
        "NUL",
        "nul.txt",
        "COM1.txt",
        "Lpt9.tar.gz",
        "aux/x",
        "notes/PRN",
        "CON .txt",
        "CONIN$",
        "COM¹",
        "ＣＯＮ",
    ),
    *("x.", "x ", " x", "notes./x", "notes /x", "x..", "... ", "notes/ x"),
    *("a\0b", "a\nb", "x\r", "a\x7fb", "a\u202etxt.exe", "\ufeffx", "a\u2028b", "\ud800", "\u200b"),
    *("a<b", "a>b", 'a"b', "a|b", "a?b", "a*b"),
    *("．．/x", "．．／x", "／etc/passwd", "..／x", "․․/x", "‥/x", "Ｃ：/x", "＼x", "～/x", "a／b"),
    *("x" * 241, "é" * 121, "a/" * 33 + "x", "x" * 1001, "a/" * 500),
]


@pytest.mark.parametrize("path", REFUSED)
def test_what_is_refused_with_words(path: str) -> None:
    with pytest.raises(TryAgain) as caught:
        parts_of(path)
    said = str(caught.value)
    assert "Right is a path in the workspace, such as notes/result.txt." in said
    assert said.isascii()
    assert len(said) < 700


@given(st.text(st.sampled_from("./\\~:aC ON\0x．／-"), max_size=12) | st.text(max_size=30))
def test_what_passes_cannot_lead_out(path: str) -> None:
    try:
        parts = parts_of(path)
    except TryAgain:
        return
    assert parts
    for name in parts:
        assert name not in ("", ".", "..")
        assert not set(name) & set('/\\:\0*?"<>|')
        assert name == name.strip(" ").rstrip(".")
    assert parts_of("/".join(parts)) == parts
