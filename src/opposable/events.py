"""What happens in a run, as frozen data that any face can show. Law: an event is settled and plain, never a callback.

A run is a stream of these, in this order: `RunStarted`; for each turn `TextDelta` and `ReasoningDelta` as they come and
`TurnEnded` with the settled reply; for each call `CallReady`, `ApprovalAsked` and `ApprovalGiven` where a person is
asked, `CallStarted`, `CallEnded`; at the end `RunEnded`. A call that cannot or may not run is not started, one whose
arguments cannot be settled is not ready: they only end. An error ends a run without `RunEnded`.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal, TypeAlias

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
    """The model's reply of one turn, settled. `cut`: its text came to the limit of tokens before its end."""

    text: str | None
    reasoning: str | None
    calls: tuple[ToolCall, ...]
    usage: Usage
    cut: bool = False


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
    """The run is over, or waits for a person's word on the calls in `waiting`: its answer, and what it cost so far."""

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


def as_json(event: Event) -> dict[str, Any]:
    """The event as plain JSON: its `type` is the class's name in snake_case, its fields are named as here."""
    return {"type": re.sub(r"(?<!^)(?=[A-Z])", "_", type(event).__name__).lower(), **_plain(event)}


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no such number
    return value if value is None or isinstance(value, str | int | float) else str(value)
