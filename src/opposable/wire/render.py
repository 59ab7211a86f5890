"""Calls written in a shape, for histories and examples. Law: what is written here is read back the same, or refused."""

from collections.abc import Iterable, Sequence
from typing import Any

from opposable.errors import CannotCarry
from opposable.wire.events import Reply
from opposable.wire.fits import kind
from opposable.wire.offered import Tool
from opposable.wire.reply import parse
from opposable.wire.shapes import writable
from opposable.wire.shapes.shape import Callable


def render(calls: Iterable[Callable], shape: str, tools: Iterable[Tool] | None = None) -> str:
    """These calls as a model taught this shape writes them, one after the other.

    `tools`: what is offered where this will be read. A shape that writes values as text leaves their types to a tool's
    schema; without `tools` each is taken to have one that these arguments fit.
    Errors: CannotCarry for calls that would not be read back the same; ValueError where no such shape can be written.
    """
    row, some = writable(shape), list(calls)
    if not some:
        return ""
    try:
        written = row.write(some)
    except (TypeError, RecursionError) as error:
        raise CannotCarry(f"the shape {shape} cannot hold what is no JSON: {error}") from error
    reply = parse(written, _fitting(some) if tools is None else tools)
    if not _is(reply, some):
        raise CannotCarry(f"the shape {shape} cannot hold these arguments: they would not be read back the same")
    return written


def _is(reply: Reply, calls: Sequence[Callable]) -> bool:
    """Does the reply make these calls and say nothing else? The types of values count too: 1 is not True."""
    told = (reply.content, reply.reasoning, reply.rejected)
    read = [(call.name, dict(call.arguments)) for call in reply.tool_calls]
    return told == (None, None, ()) and repr(read) == repr([(call.name, dict(call.arguments)) for call in calls])


def _fitting(calls: Iterable[Callable]) -> list[Tool]:
    """Tools that these calls fit."""
    found: dict[str, dict[str, dict[str, list[str]]]] = {}
    for call in calls:
        parameters = found.setdefault(call.name, {})
        for key, value in call.arguments.items():
            types = parameters.setdefault(key, {"type": []})["type"]
            types += [] if kind(value) in types else [kind(value)]
    schemas: dict[str, Any] = {name: {"type": "object", "properties": known} for name, known in found.items()}
    return [{"name": name, "parameters": schema} for name, schema in schemas.items()]
