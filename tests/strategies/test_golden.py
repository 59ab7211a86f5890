"""Each turn of the golden cases: what is asked and what comes of it, to the letter."""

from pathlib import Path

import pytest
from tests.strategies.golden import Case, asked_as_text, files, played, read, reply_as_text, rewritten

from opposable.assembly import STRATEGIES

CASES = [case for path in files() for case in read(path)]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_turn(case: Case) -> None:
    asked, reply, shown = played(case)
    assert [asked_as_text(request) for request in asked] == [text for head, text in case.parts if head == "asked"]
    assert [reply_as_text(reply)] == [text for head, text in case.parts if head == "reply"]
    if asked[-1].shown:
        assert shown.strip() == "\n".join(filter(None, [reply.reasoning, reply.content])).strip()


@pytest.mark.parametrize("path", files(), ids=lambda path: path.stem)
def test_the_files_are_as_they_would_be_written(path: Path) -> None:
    assert rewritten(path) == path.read_text("utf-8")


def test_every_strategy_has_cases() -> None:
    assert {case.keys["strategy"] for case in CASES} == STRATEGIES.keys() - {"prompted"}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("what?", "not understood"),
        ("== a\nmodel: x\n", "not a key"),
        ("== a\n--- asked for\n", "not a part"),
        ("== a\n--- said\n", "no end"),
    ],
)
def test_what_is_not_understood_is_said(tmp_path: Path, text: str, fault: str) -> None:
    (tmp_path / "x.txt").write_text(text, "utf-8")
    with pytest.raises(ValueError, match=fault):
        read(tmp_path / "x.txt")
