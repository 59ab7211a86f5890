"""Who may run what. Law: a verdict is a value; nothing here asks anybody or waits."""

from collections.abc import Iterable

from opposable.events import ApprovalGiven
from opposable.messages import Approval, ToolCall, ToolSpec

EVERYTHING = "*"
"""In place of a tool's name: every tool."""


class Rules:
    """What each tool's own word says, and which tools the person has allowed for good."""

    def __init__(self, always: Iterable[str] = ()) -> None:
        self._always = set(always)

    def rule(self, call: ToolCall, spec: ToolSpec) -> Approval:
        if spec.approval == "ask" and not self._always.isdisjoint((spec.name, EVERYTHING)):
            return "auto"
        return spec.approval

    def remember(self, call: ToolCall, answer: ApprovalGiven) -> None:
        if answer.verdict == "always":
            self._always.add(call.name)
