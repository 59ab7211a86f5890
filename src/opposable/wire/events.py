"""What is said of a reply, piece by piece, and the reply that the pieces add up to.

Law: every event carries its `raw`; the raws of all events, joined in order, are the text to the letter.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Cause = Literal["unknown_tool", "malformed", "truncated", "in_reasoning", "after_fake_result", "after_end_of_turn"]
Part = Literal["content", "reasoning", "nothing"]


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of the content."""

    raw: str


@dataclass(frozen=True, slots=True)
class Reasoning:
    """A piece of the reasoning."""

    raw: str


@dataclass(frozen=True, slots=True)
class Marker:
    """Something that is neither content nor reasoning: a tag that was taken off, layout, an end-of-turn token."""

    raw: str


@dataclass(frozen=True, slots=True)
class AllReasoning:
    """A closer of reasoning that no marker had opened: all text so far was reasoning, but for the words that `opened` it."""

    raw: str
    opened: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """A call to an offered tool. `id` is the model's own, if it wrote one; `mends` name the repairs that were needed.

    `written`: the name as the model wrote it, which `name` may differ from in decoration and case.
    """

    name: str
    arguments: Mapping[str, Any]
    id: str | None
    shape: str
    mends: tuple[str, ...]
    raw: str
    written: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Rejected:
    """A block that looked like a call and is none, for this cause. `part`: what its raw belongs to.

    `why`: more of the cause, in words for people; empty where the cause says it all. `shape`: the shape it was read in, if any.
    """

    cause: Cause
    raw: str
    part: Part = "content"
    why: str = field(default="", compare=False)
    shape: str = field(default="", compare=False)


Event: TypeAlias = Text | Reasoning | Marker | AllReasoning | Call | Rejected


@dataclass(frozen=True, slots=True)
class Reply:
    """What a reply means. None: it has no content, or no reasoning."""

    content: str | None
    reasoning: str | None
    tool_calls: tuple[Call, ...]
    rejected: tuple[Rejected, ...]
