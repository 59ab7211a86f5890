"""`opposable.parse`: the parser's own `parse`, and typed functions as tools besides. Law: no function, nothing loaded."""

from collections.abc import Callable, Iterable
from typing import Any

import opposable
from opposable import wire


def parse(
    text: str,
    tools: Iterable[wire.Tool | Callable[..., Any]] = (),
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
    offered = [_offered(tool) for tool in tools]
    return wire.parse(text, offered, finish_reason, starts_in_reasoning=starts_in_reasoning, shape=shape)


def _offered(tool: Any) -> wire.Tool:
    # Through the face, which loads the maker of schemas only now.
    made = opposable.tool(tool) if callable(tool) and not hasattr(tool, "spec") else tool
    offered: wire.Tool = getattr(made, "spec", made)
    return offered
