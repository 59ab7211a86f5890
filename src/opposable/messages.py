"""The nouns of a conversation with a model, as frozen data. Law: nothing here knows a feature.

`extra` carries fields that only one server dialect knows; whoever does not know them passes them on.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

JsonSchema: TypeAlias = Mapping[str, Any]
"""A JSON Schema (draft 2020-12) as parsed JSON."""

Role = Literal["system", "user", "assistant", "tool"]
Approval = Literal["auto", "ask", "deny"]
Purpose = Literal["answer", "decide", "choose", "fill"]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model sees it (name, description, JSON Schema of its arguments), and what the loop must know of it.

    `approval`: run it at once, ask the person first, or never run it.
    `repeatable`: running it twice does no harm, so it may be started again after a crash.
    """

    name: str
    description: str = ""
    parameters: JsonSchema = field(default_factory=lambda: {"type": "object", "properties": {}})
    approval: Approval = "auto"
    repeatable: bool = False


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call a model made: `id` is unique in its conversation, `arguments` is parsed JSON."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of one call, as text for the model. `failed` results say what went wrong and what to try."""

    call_id: str
    name: str
    text: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """One message. Assistant messages may hold calls; a message of role `tool` holds one result."""

    role: Role
    text: str = ""
    reasoning: str | None = None
    calls: tuple[ToolCall, ...] = ()
    result: ToolResult | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sampling:
    """How tokens are drawn. None means: as the server or model has it. `max_tokens` bounds one answer."""

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Constraint:
    """What an answer must look like, in one or two notations; a client takes the one it can enforce.

    `gbnf`: a grammar in llama.cpp's notation, from its rule `root`. `schema`: a JSON Schema of the answer as JSON. Where
    both are there the grammar is the narrower one: what it lets through fits the schema, but for what it notes.
    """

    gbnf: str | None = None
    schema: JsonSchema | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model.

    `purpose` names what a strategy asks it for. A last message of role `assistant` is the beginning of the answer,
    which the model goes on writing (its text is not repeated in the answer). `shown`: its deltas may be shown to a
    person as they come. `alternatives`: how many likeliest tokens to report at each place (0: none).
    """

    messages: tuple[Message, ...]
    purpose: Purpose = "answer"
    shown: bool = False
    sampling: Sampling = Sampling()
    constraint: Constraint | None = None
    alternatives: int = 0
    tools: tuple[ToolSpec, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Usage:
    """What an answer cost. `prompt_tokens` were sent, `cached_tokens` of them were known already; `seconds` of wall time."""

    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.cached_tokens + other.cached_tokens,
            self.completion_tokens + other.completion_tokens,
            self.seconds + other.seconds,
        )


@dataclass(frozen=True, slots=True)
class Token:
    """One token of an answer, its natural-log probability, and the likeliest tokens at its place with theirs."""

    text: str
    logprob: float
    alternatives: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of an answer as it comes."""

    text: str = ""
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """A whole answer. `finish_reason` as in the OpenAI dialect: stop, length, tool_calls; None: cut off."""

    text: str
    reasoning: str | None = None
    calls: tuple[ToolCall, ...] = ()
    finish_reason: str | None = "stop"
    usage: Usage = Usage()
    tokens: tuple[Token, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
