"""Tools by prompt alone: they are listed in the system message, and the model writes its calls into its text.

Law: no prompt names a model or a family. Earlier calls and results are written as the model was asked to write them, so
that the transcript itself shows the format.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from opposable.contracts import Turn
from opposable.messages import Message, Request, Sampling, ToolResult, ToolSpec
from opposable.strategies.asking import joined, read
from opposable.wire import render

_PLAIN = """\
You can use these tools, one JSON object a line:
{tools}

To call a tool, write exactly one block for each call, and nothing else:
<tool_call>
{{"name": "the tool's name", "arguments": {{"argument": "value"}}}}
</tool_call>

Call only the tools listed here. The results come back in <tool_response> blocks. When you have what you need, or no tool
helps, answer in plain text."""

_HERMES = """\
You may call functions to help with the user's request. You are given their signatures within <tools></tools> tags:
<tools>
{tools}
</tools>
For each call, return a JSON object with the function's name and arguments within <tool_call></tool_call> tags:
<tool_call>
{{"name": <function name>, "arguments": <arguments as a JSON object>}}
</tool_call>
Do not make up values. The results are given to you within <tool_response></tool_response> tags."""


def _plain_tool(spec: ToolSpec) -> dict[str, object]:
    return {"name": spec.name, "description": spec.description, "parameters": spec.parameters}


def _openai_tool(spec: ToolSpec) -> dict[str, object]:
    return {"type": "function", "function": _plain_tool(spec)}


def _text_result(result: ToolResult) -> str:
    return result.text


def _json_result(result: ToolResult) -> str:
    return json.dumps({"name": result.name, "content": result.text}, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Rendering:
    """How tools, calls and results are written: the section of the system message, one tool in it, one result."""

    section: str
    tool: Callable[[ToolSpec], dict[str, object]]
    result: Callable[[ToolResult], str]


RENDERINGS = {
    "plain": Rendering(_PLAIN, _plain_tool, _text_result),
    "hermes": Rendering(_HERMES, _openai_tool, _json_result),
}
"""The renderings by name."""

_SHAPE = "hermes"
_STOP = ("<tool_response>",)


class Prompted:
    """The strategy, in one of its renderings. Works with every model that takes text."""

    def __init__(self, rendering: str = "plain", sampling: Sampling | None = None) -> None:
        sampling = sampling or Sampling()
        self._rendering = RENDERINGS[rendering]
        self._sampling = replace(sampling, stop=(*sampling.stop, *_STOP))
        self.name = f"prompted/{rendering}"

    def turn(self, conversation: Sequence[Message], tools: Sequence[ToolSpec]) -> Turn:
        messages = transcript(conversation, tools, self._rendering)
        return (yield from read(Request(messages, shown=True, sampling=self._sampling), tools))

    def notes(self, tools: Sequence[ToolSpec]) -> tuple[str, ...]:
        return ()


def transcript(conversation: Sequence[Message], tools: Sequence[ToolSpec], rendering: Rendering) -> tuple[Message, ...]:
    """The conversation as plain system, user and assistant text, with the tools in the first system message."""
    messages = [_as_text(message, rendering) for message in conversation]
    if not tools:
        return joined(messages)
    lines = "\n".join(json.dumps(rendering.tool(spec), ensure_ascii=False) for spec in tools)
    section = rendering.section.format(tools=lines)
    if messages and messages[0].role == "system":
        messages[0] = replace(messages[0], text=f"{messages[0].text}\n\n{section}")
    else:
        messages.insert(0, Message("system", section))
    return joined(messages)


def _as_text(message: Message, rendering: Rendering) -> Message:
    if message.result is not None:
        return Message("user", f"<tool_response>\n{rendering.result(message.result)}\n</tool_response>")
    if message.calls:
        calls = render(message.calls, _SHAPE)
        return Message("assistant", f"{message.text}\n{calls}" if message.text else calls)
    return replace(message, reasoning=None)
