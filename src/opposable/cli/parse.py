"""The command `parse`: what a model's reply means. Law: the library's own parser, and nothing is added to its word."""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from opposable.cli.app import STDIN
from opposable.cli.explained import explained
from opposable.cli.screen import Screen
from opposable.cli.text import decoded
from opposable.errors import SettingsError
from opposable.messages import ToolSpec
from opposable.wire import Reply
from opposable.wire import parse as read
from opposable.wire.explain import explain as parts_of
from opposable.wire.machine import ENDED
from opposable.wire.offered import Offered, Tool

_CUT_OFF = ("length", "max_tokens", "limit")
"""Finish reasons of servers for a reply that was cut off, beside those for one that its model ended."""


def parse(
    file: str = STDIN,
    /,
    *,
    tools: Path | None = None,
    tool: tuple[str, ...] = (),
    finish_reason: Annotated[str, Parameter(name="--finish")] = "stop",
    starts_in_reasoning: bool = False,
    explain: bool = False,
) -> int:
    """Read a model's reply and print what it means, as JSON.

    Only calls to tools that were offered are calls: name them with --tools or --tool.

    Parameters
    ----------
    file
        The file that holds the reply; - reads it from standard input, and so does no file.
    tools
        The tools that were offered, as only calls to these count. A JSON file: a list of tools in the OpenAI format, or of
        objects with name and parameters.
    tool
        Tools that were offered, by name, with commas between; any arguments fit. May be repeated.
    finish_reason
        Why the reply ended, as servers say it: stop, tool_calls, end_turn or stop_sequence where the model ended it;
        length, max_tokens or limit where it was cut off.
    starts_in_reasoning
        The chat template has opened the reasoning already.
    explain
        Show the reply itself instead: what each part of it is, which shape and mends were used, what was rejected and why.
    """
    if finish_reason not in (*ENDED, *_CUT_OFF):
        known = ", ".join((*ENDED, *_CUT_OFF))
        raise SettingsError(f"--finish {finish_reason} is not known; right is one of {known}")
    offered = _offered(tools, _names(tool))
    text = decoded(sys.stdin.buffer.read(), "stdin") if file == STDIN else _text(Path(file))
    if explain:
        parts = parts_of(text, offered, finish_reason, starts_in_reasoning=starts_in_reasoning)
        explained(parts, Screen())
        rejected = [part.rejected for part in parts if part.rejected is not None]
    else:
        reply = read(text, offered, finish_reason, starts_in_reasoning=starts_in_reasoning)
        sys.stdout.write(json.dumps(_plain(reply), indent=2, default=str) + "\n")
        rejected = [*reply.rejected]
    if not offered and any(block.cause == "unknown_tool" for block in rejected):
        sys.stderr.write("no tools were offered, so no call counts; offer them with --tool NAME or --tools FILE\n")
    return 0


def _offered(file: Path | None, names: Iterable[str]) -> list[Tool]:
    """The tools of a file, and those of these names that it has not. Errors: SettingsError."""
    tools = _tools(file) if file else []
    try:
        known = Offered(tools)
    except ValueError as error:
        raise SettingsError(f"{file}: {error}") from error
    return [*tools, *(ToolSpec(name, parameters={"type": "object"}) for name in names if name not in known)]


def _names(given: Iterable[str]) -> list[str]:
    return [name.strip() for names in given for name in names.split(",") if name.strip()]


def _text(file: Path) -> str:
    """Errors: SettingsError, where it cannot be read or is no text."""
    data = _bytes(file)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SettingsError(f"{file} is no text: its byte {error.start} is no UTF-8. Save it as UTF-8") from error
    if "\0" in text:
        raise SettingsError(f"{file} is no text: its byte {data.index(0)} is null. Is it UTF-16? Save it as UTF-8")
    return text


def _bytes(file: Path) -> bytes:
    if str(file) == STDIN:
        raise SettingsError("the tools cannot come from stdin; right is --tools FILE")
    try:
        return file.read_bytes()
    except OSError as error:
        raise SettingsError(f"{file} cannot be read: {error.strerror}") from error


def _tools(file: Path) -> list[Tool]:
    try:
        given = json.loads(_bytes(file))
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{file} is not JSON: {error}") from error
    if not isinstance(given, list):
        raise SettingsError(f"{file} is no list; right is a JSON list of tools")
    for place, one in enumerate(given):
        inner = one.get("function", one) if isinstance(one, dict) else None
        if not isinstance(inner, dict) or not isinstance(inner.get("name"), str):
            raise SettingsError(f"{file}: entry {place} is no tool; right is an object with a name and parameters")
    return given


def _plain(reply: Reply) -> dict[str, Any]:
    return {
        "content": reply.content,
        "reasoning": reply.reasoning,
        "tool_calls": [
            {
                "name": call.name,
                "arguments": call.arguments,
                "id": call.id,
                "shape": call.shape,
                "mends": list(call.mends),
                "raw": call.raw,
            }
            for call in reply.tool_calls
        ],
        "rejected": [
            {"cause": block.cause, "why": block.why, "shape": block.shape or None, "raw": block.raw}
            for block in reply.rejected
        ],
    }
