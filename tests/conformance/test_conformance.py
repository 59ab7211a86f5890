"""CanIToolCall's own checks over all its fixtures, whole and streamed; each that fails has a reason, and the page says so."""

import pytest
from canitoolcall.fixtures import load_families, load_fixtures
from canitoolcall.results import CheckResult, Status
from tests.conformance import peers
from tests.conformance.harness import Judged, all_judged, failing, starts_in_reasoning
from tests.conformance.page import NOT_YET, PAGE, REASONS, Reason, kept, read, written
from tests.wire.golden import rulings

pytestmark = pytest.mark.slow

FIXTURES = 469
AT_LEAST = 466
"""How many of them pass or pass softly. It only goes up."""


def test_all_fixtures_are_read() -> None:
    assert len(all_judged()) == FIXTURES
    assert not [result.id for result in all_judged() if result.status is Status.ERROR]


def test_enough_pass() -> None:
    assert FIXTURES - len(failing(all_judged())) >= AT_LEAST


def test_streamed_is_as_whole() -> None:
    assert not {result.id: result.unlike for result in all_judged() if result.unlike}


def test_each_that_fails_has_a_reason_and_no_other() -> None:
    assert sorted(read(REASONS.read_text("utf-8"))) == sorted(result.id for result in failing(all_judged()))


def test_reasons_name_clauses() -> None:
    clauses = {reason.clause for reason in read(REASONS.read_text("utf-8")).values()}
    assert clauses <= {*rulings(), NOT_YET}
    _, kinds = peers.read(peers.PEERS.read_text("utf-8"))
    assert {kind.clause for kind in kinds} <= {*rulings(), peers.OURS}


def test_the_page_is_as_it_would_be_written() -> None:
    told = read(REASONS.read_text("utf-8"))
    assert written(all_judged(), told) == PAGE.read_text("utf-8"), "make docs"


def test_prompts_that_open_the_reasoning() -> None:
    families = load_families()
    opened = {fixture.id: starts_in_reasoning(fixture, families[fixture.family]) for fixture in load_fixtures()}
    assert opened["qwen3-hermes/thinking2507-single-call"] is True  # recorded
    assert opened["glm/glm47-single-call"] is True  # as the template makes it
    assert opened["kimi/k3-single-call"] is True
    assert opened["deepseek/vllm-v31-text-before-call"] is False  # opened and closed


def test_reasons_are_kept() -> None:
    text = "# Why.\n\na/one | C5 | Cut off.\na/two | not yet | Hm.\n"
    assert kept(text, ["a/one", "b/new"]) == "# Why.\n\na/one | C5 | Cut off.\nb/new | not yet | Not yet looked at.\n"
    assert kept(text, ["a/one", "a/two"]) == text


@pytest.mark.parametrize("text", ["a/one\n", "a/one | C5\n", "a/one | | x\n", "a/one | C5 | x\na/one | C6 | y\n"])
def test_what_is_no_reason_is_said(text: str) -> None:
    with pytest.raises(ValueError, match="line"):
        read(text)


@pytest.mark.parametrize(
    "text",
    [
        "x\n\n== a | C1\nWhy.\n  x/1\n",
        "1\n\n== a | C1\nWhy.\n",
        "1\n\n== a\nWhy.\n  x/1\n",
        "1\n\n== a | C1\nWhy.\n  x, x\n",
    ],
)
def test_what_is_no_kind_is_said(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        peers.read(text)


def test_the_page_says_why() -> None:
    fixture = all_judged()[0].fixture
    bad = Judged(fixture, (CheckResult("expected_match", "nonstream", Status.FAIL, "other content"),), ("token",))
    assert bad.faults == ["expected_match: fail: other content"]
    text = written([bad], {fixture.id: Reason("C5", "A <tag> is cut off.")})
    assert f"| `{fixture.id.partition('/')[2]}` | C5 | A \\<tag\\> is cut off. |" in text
    assert f"- C5: {rulings()['C5']}" in text
    assert f"Streamed unlike whole: `{fixture.id}`." in text
    assert "Not yet: " in written([bad], {})
