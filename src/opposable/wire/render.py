"""Calls written in a shape, for histories and examples. Law: what is written here is read back the same, or refused."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from opposable.errors import CannotCarry
from opposable.wire.events import Call, Reply
from opposable.wire.fits import kind
from opposable.wire.offered import Offered, Tool
from opposable.wire.reply import parse
from opposable.wire.shapes import writable
from opposable.wire.shapes.shape import Callable, Shape

Given: TypeAlias = Callable | Mapping[str, Any]
"""An object with `name` and `arguments`, or a dict in the OpenAI format or with these two keys."""


def render(calls: Iterable[Given], shape: str, tools: Iterable[Tool] | None = None) -> str:
    """These calls as a model taught this shape writes them, one after the other.

    `calls`: objects or dicts with `name` and `arguments`, or tool calls in the OpenAI format, whose arguments are JSON
    text. `tools`: what is offered where this will be read. A shape that writes values as text leaves their types to a
    tool's schema; without `tools` each is taken to have one that these arguments fit.
    Errors: CannotCarry for calls that would not be read back the same; ValueError where no such shape can be written, or
    arguments are text that is no JSON; TypeError for what is no call.
    """
    row, some = writable(shape), [_call(one) for one in calls]
    if not some:
        return ""
    offered = None if tools is None else list(tools)
    written, trouble = _tried(row, some, offered)
    if trouble:
        raise CannotCarry(f"the shape {shape} cannot hold {_blamed(row, some, offered, trouble)}")
    return written


def _call(given: Any) -> Call:
    """A call, however it was given."""
    inner = given.get("function", given) if isinstance(given, Mapping) else getattr(given, "function", given)
    if isinstance(inner, Mapping):
        name, arguments = inner.get("name"), inner.get("arguments")
    else:
        name, arguments = getattr(inner, "name", None), getattr(inner, "arguments", None)
    if isinstance(name, str) and isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"the arguments of the call of {name} are text that is no JSON: {error}") from error
    if not isinstance(name, str) or not isinstance(arguments, Mapping):
        raise TypeError(
            "a call is an object or dict with a `name` (str) and `arguments` (a dict, or JSON text of one), or an OpenAI "
            f"tool call; this is none: {given!r}"
        )
    return Call(name, dict(arguments), None, "", (), "")


def _tried(row: Shape, calls: Sequence[Call], tools: Sequence[Tool] | None) -> tuple[str, str]:
    """These calls as they are written, and why they cannot be; the latter is empty where they can."""
    try:
        written = row.write(calls)
    except (TypeError, RecursionError) as error:
        return "", f"it is no JSON ({error})"
    reply = parse(written, _fitting(calls) if tools is None else tools)
    return written, "" if _is(reply, calls) else "it would not be read back the same"


def _blamed(row: Shape, calls: Sequence[Call], tools: Sequence[Tool] | None, trouble: str) -> str:
    """What cannot be held, and why: an argument of the first call that cannot, that call, or all of them together."""
    for place, call in enumerate(calls, 1):
        why = _tried(row, [call], tools)[1]
        if why:
            which = f"call {place}, {call.name!r}"
            if tools is not None and call.name not in Offered(tools):
                return f"{which}: no tool of this name is offered"
            blamed = [key for key, value in call.arguments.items() if _is_to_blame(row, call.name, key, value, tools)]
            return f"the argument {blamed[0]!r} of {which}: {why}" if blamed else f"{which}: {why}"
    return f"these calls together: {trouble}"


def _is_to_blame(row: Shape, name: str, key: str, value: Any, tools: Sequence[Tool] | None) -> bool:
    """Can this argument not be held alone, though another value in its place can?"""
    plain = "x" if isinstance(value, str) else 1
    tried = [Call(name, {key: one}, None, "", (), "") for one in (value, plain)]
    bad, good = (_tried(row, [one], tools)[1] for one in tried)
    return bool(bad) and not good


def _is(reply: Reply, calls: Sequence[Call]) -> bool:
    """Does the reply make these calls and say nothing else? The types of values count too: 1 is not True."""
    told = (reply.content, reply.reasoning, reply.rejected)
    read = [(call.name, dict(call.arguments)) for call in reply.tool_calls]
    return told == (None, None, ()) and repr(read) == repr([(call.name, dict(call.arguments)) for call in calls])


def _fitting(calls: Iterable[Call]) -> list[Tool]:
    """Tools that these calls fit."""
    found: dict[str, dict[str, dict[str, list[str]]]] = {}
    for call in calls:
        parameters = found.setdefault(call.name, {})
        for key, value in call.arguments.items():
            types = parameters.setdefault(key, {"type": []})["type"]
            types += [] if kind(value) in types else [kind(value)]
    schemas: dict[str, Any] = {name: {"type": "object", "properties": known} for name, known in found.items()}
    return [{"name": name, "parameters": schema} for name, schema in schemas.items()]
