"""Who may run what: the tool's word, what the person allowed for good, and nothing else."""

import pytest

from opposable.agent.approval import EVERYTHING, Rules
from opposable.contracts import Approver
from opposable.events import ApprovalGiven
from opposable.messages import Approval, ToolCall, ToolSpec

CALL = ToolCall("1", "write", {})


def rule(rules: Approver, approval: Approval, name: str = "write") -> Approval:
    return rules.rule(ToolCall("1", name, {}), ToolSpec(name, approval=approval))


@pytest.mark.parametrize("approval", ["auto", "ask", "deny"])
def test_a_tool_says_itself(approval: Approval) -> None:
    assert rule(Rules(), approval) == approval


def test_what_is_allowed_for_good_is_not_asked() -> None:
    rules = Rules(["write"])
    assert [rule(rules, "ask"), rule(rules, "ask", "read"), rule(rules, "deny")] == ["auto", "ask", "deny"]


def test_everything_may_be_allowed_but_what_is_denied() -> None:
    rules = Rules([EVERYTHING])
    assert [rule(rules, "ask"), rule(rules, "ask", "read"), rule(rules, "deny")] == ["auto", "auto", "deny"]


def test_only_always_is_remembered() -> None:
    rules = Rules()
    rules.remember(CALL, ApprovalGiven("k", "once"))
    rules.remember(CALL, ApprovalGiven("k", "refuse"))
    assert rule(rules, "ask") == "ask"
    rules.remember(CALL, ApprovalGiven("k", "always"))
    assert [rule(rules, "ask"), rule(rules, "ask", "read")] == ["auto", "ask"]
