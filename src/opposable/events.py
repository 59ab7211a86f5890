"""What happens in a run, as frozen data that any face can show. Law: an event is settled and plain, never a callback.

A run is a stream of these, in this order: `RunStarted`; for each turn `TextDelta` and `ReasoningDelta` as they come and
`TurnEnded` with the settled reply; for each call `CallReady`, `ApprovalAsked` and `ApprovalGiven` where a person is
asked, `CallStarted`, `CallEnded`; at the end `RunEnded`.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from opposable.messages import ToolCall, ToolResult, Usage


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A run began, with this model and this strategy. `notes` say what a person should know of it."""

    model: str
    strategy: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A piece of the model's reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The model's reply of one turn, settled."""

    text: str | None
    reasoning: str | None
    calls: tuple[ToolCall, ...]
    usage: Usage


@dataclass(frozen=True, slots=True)
class CallReady:
    """A call whose arguments are settled by the tool's schema: what will run, if it may."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class ApprovalAsked:
    """A call that waits for a person. The answer is given under `key`."""

    key: str
    call: ToolCall


@dataclass(frozen=True, slots=True)
class ApprovalGiven:
    """The person's answer to `ApprovalAsked`. `reason` goes to the model where the call was refused."""

    key: str
    verdict: Literal["once", "always", "refuse"]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A call begins to run."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class CallEnded:
    """What came of a call, and how many seconds it took."""

    result: ToolResult
    seconds: float


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The run is over: its answer and its whole cost. `waiting`: it is paused, with calls that wait for a person."""

    answer: str
    usage: Usage
    status: Literal["done", "waiting"] = "done"
    waiting: tuple[ApprovalAsked, ...] = ()


Event: TypeAlias = (
    RunStarted
    | TextDelta
    | ReasoningDelta
    | TurnEnded
    | CallReady
    | ApprovalAsked
    | ApprovalGiven
    | CallStarted
    | CallEnded
    | RunEnded
)
