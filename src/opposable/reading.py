"""The parser's own names, which take typed functions as tools besides. Law: no function, nothing but the parser loaded."""

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import opposable
from opposable import wire
from opposable.wire import grammar
from opposable.wire.render import Given

Tool: TypeAlias = wire.Tool | Callable[..., Any]
"""A typed function, what `opposable.tool` makes of one, or whatever the parser takes by itself."""


def parse(
    text: str,
    tools: Iterable[Tool] = (),
    finish_reason: str | None = "stop",
    *,
    starts_in_reasoning: bool = False,
    shape: str | None = None,
) -> wire.Reply:
    """What a model's reply means: its content, its reasoning, its calls to the offered tools, and what was no call.

    `tools`: typed functions, objects with `name` and `parameters` (JSON Schema), or dicts in the OpenAI format.
    `finish_reason`: why the reply ended, as servers say it; `length`, None and anything unknown mean that it was cut
    off. `starts_in_reasoning`: the chat template has opened the reasoning. `shape`: a hint on which nothing depends.
    Never raises on text. Errors: ToolError, where a function lacks types or a description.
    """
    return wire.parse(text, _offered(tools), finish_reason, starts_in_reasoning=starts_in_reasoning, shape=shape)


class StreamParser(wire.StreamParser):
    """Reads a reply as it comes: `feed` it what has come, then `close` it; both give the events that are settled by it.

    `tools`: typed functions, objects with `name` and `parameters` (JSON Schema), or dicts in the OpenAI format.
    `starts_in_reasoning`: the chat template has opened the reasoning. `shape`: a hint on which nothing depends.
    Never raises on text. Errors: ToolError, where a function lacks types or a description.
    """

    def __init__(
        self, tools: Iterable[Tool] = (), *, starts_in_reasoning: bool = False, shape: str | None = None
    ) -> None:
        super().__init__(_offered(tools), starts_in_reasoning=starts_in_reasoning, shape=shape)


def render(calls: Iterable[Given], shape: str, tools: Iterable[Tool] | None = None) -> str:
    """These calls as a model taught this shape writes them, one after the other.

    `calls`: those of a reply, objects with `name` and `arguments`, or tool calls in the OpenAI format. `tools`: what is
    offered where this will be read; without it each argument is taken to be of the type that it has.
    Errors: CannotCarry for calls that would not be read back the same; ValueError where no such shape can be written.
    """
    return wire.render(calls, shape, None if tools is None else _offered(tools))


def call_grammar(tools: Iterable[Tool], shape: str) -> grammar.CallGrammar:
    """A grammar of one or more calls to these tools, in a shape that can be written.

    Its `gbnf` is for llama.cpp; its `schema`, where the shape is JSON that says the name, is of the body of one block;
    its `notes` say what of the tools' schemas is not held.
    Errors: ValueError, where no such shape can be written or no tool is offered; ToolError as `parse`.
    """
    return grammar.calls(_offered(tools), shape)


def _offered(tools: Iterable[Tool]) -> list[wire.Tool]:
    return [_one(tool) for tool in tools]


def _one(tool: Any) -> wire.Tool:
    # Through the face, which loads the maker of schemas only now.
    made = opposable.tool(tool) if callable(tool) and not hasattr(tool, "spec") else tool
    offered: wire.Tool = getattr(made, "spec", made)
    return offered
