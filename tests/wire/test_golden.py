"""The reader of golden cases passes nothing over."""

import pytest
from tests.wire.golden import Unreadable, read

HEAD = "# What it shows.\ntools: ring_bell\n\n"
GOOD = "== one\nholds: C1\n--- reply\nhi\n---\n"


def test_a_case_is_read() -> None:
    (case,) = read(HEAD + '== one\nholds: C1, C2\n--- reply\nhi\n\n--- reasoning as JSON\n"a\\u0000"\n---\n', "f")
    assert (case.title, case.holds, case.reply, case.reasoning) == ("one", ["C1", "C2"], "hi\n", "a\0")
    assert (case.content, case.calls, case.rejected, case.finish) == (None, [], [], "stop")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (HEAD + GOOD.replace("holds: C1", "hold: C1"), "not a key"),
        (HEAD + GOOD.replace("holds: C1", "holds: C1\nholds: C2"), "not a key"),
        (HEAD + GOOD.replace("holds: C1\n", ""), "no holds"),
        ("model: x\n" + GOOD, "not a key"),
        (GOOD, "no tools"),
        (HEAD + GOOD + GOOD.replace("holds: C1\n", ""), "f:12: no holds in the case 'one', which begins at line 9"),
        (GOOD.replace("holds: C1\n", ""), "no holds and no tools in the case 'one', which begins at line 1"),
        (HEAD + GOOD.replace("holds", "tools: weather\nholds"), "f:9: no tool 'weather' in tests/wire/tools.json"),
        (HEAD.replace("bell", "bell, weather") + GOOD, "no tool 'weather' in tests/wire/tools.json"),
        (HEAD + GOOD.replace("--- reply", "--- answer"), "not a part"),
        (HEAD + GOOD.replace("--- reply", "--- reply as YAML"), "not a part"),
        (HEAD + GOOD.replace("--- reply", "--- content"), "no reply"),
        (HEAD + GOOD.replace("---\n", "--- reply\nhi\n---\n", 1), "not a part"),
        (HEAD + GOOD.replace("hi\n---\n", "hi\n"), "no end"),
        (HEAD + "== one\nholds: C1\n", "no end"),
        (HEAD + GOOD.replace("holds", "content: as it is\nholds"), "the reply"),
        (HEAD + GOOD.replace("holds", "begins: soon\nholds"), "begins"),
        (HEAD + GOOD.replace("hi\n---", "hi\n--- calls\nring_bell {]\n---"), "f:"),
        (HEAD + GOOD.replace("hi\n---", "hi\n--- calls\nring_bell {}\n  why: x\n---"), "not a word of a call"),
    ],
)
def test_what_is_not_understood_is_said(text: str, fault: str) -> None:
    with pytest.raises(Unreadable, match=fault):
        read(text, "f")
