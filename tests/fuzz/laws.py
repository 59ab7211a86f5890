"""What holds of every input. Law: each law has a name, and what breaks it is told, never raised."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from tests.fuzz.inputs import Input

from opposable.wire import AllReasoning, Call, Event, Reasoning, Rejected, Reply, StreamParser, Text, collect, parse


@dataclass(frozen=True, slots=True)
class Broken:
    """A law that an input broke, and how."""

    law: str
    how: str


class Breach(Exception):
    """A law is broken: its name, and how."""


def broken(given: Input) -> Broken | None:
    """The law that this input breaks, if it breaks one."""
    return judged(given)[1]


def judged(given: Input) -> tuple[Reply | None, Broken | None]:
    """What the input is read as, and the law that it breaks, if it breaks one."""
    try:
        reply = check(given)
    except Breach as breach:
        return None, Broken(*breach.args)
    except Exception as error:
        return None, Broken("raises", f"{type(error).__name__}: {error}"[:400])
    return reply, None


def check(given: Input) -> Reply:
    """Hold the input to every law. Errors: Breach, and whatever the parser raises."""
    events = read(given, ())
    reply = collect(events)
    adds_up(given.text, events, reply)
    callable_(given, reply)
    told = key(reply)
    same("cuts", told, key(collect(read(given, given.cuts))), f"cut at {str(given.cuts)[:80]}")
    if given.shape is not None:
        again = parse(given.text, given.tools, given.finish, starts_in_reasoning=given.starts, shape=given.shape)
        same("again", told, key(again), f"told {given.shape}")
    expected(given, reply)
    return reply


def read(given: Input, cuts: Sequence[int]) -> list[Event]:
    """The events of the text, cut at these places."""
    parser = StreamParser(given.tools, starts_in_reasoning=given.starts)
    text, feed, at = given.text, parser.feed, 0
    events: list[Event] = []
    for cut in cuts:
        events += feed(text[at:cut])
        at = cut
    events += feed(text[at:])
    events += parser.close(given.finish)
    if "".join([event.raw for event in events]) != text:
        raise Breach("lost", f"the raws are not the text, cut at {list(cuts)[:9]}")
    return events


def key(reply: Reply) -> tuple[object, ...]:
    """All of a reply, as what can be compared: 1 is not True, and members have an order."""
    return reply.content, reply.reasoning, reply.rejected, repr(reply.tool_calls) if reply.tool_calls else ""


def same(law: str, one: object, other: object, how: str) -> None:
    if one != other:
        raise Breach(law, f"{how}: {other!r} is not {one!r}"[:2000])


def adds_up(text: str, events: Sequence[Event], reply: Reply) -> None:
    """Content and reasoning are the raws that are said to be theirs, but for white space at their ends."""
    content, reasoning = "", ""
    for event in events:
        if isinstance(event, AllReasoning):
            reasoning += content.removeprefix(event.opened)
            content = ""
        elif isinstance(event, Text) or (isinstance(event, Rejected) and event.part == "content"):
            content += event.raw
        elif isinstance(event, Reasoning) or (isinstance(event, Rejected) and event.part == "reasoning"):
            reasoning += event.raw
    if (reply.content or "") not in content or (reply.content or "").strip() != content.strip():
        raise Breach("content", f"{reply.content!r} of {content!r}")
    if (reply.reasoning or "").replace("\n", "") != reasoning.replace("\n", ""):
        raise Breach("reasoning", f"{reply.reasoning!r} of {reasoning!r}")
    same(
        "calls",
        reply.tool_calls,
        tuple(event for event in events if isinstance(event, Call)),
        "the calls of the events",
    )
    same(
        "rejected", reply.rejected, tuple(event for event in events if isinstance(event, Rejected)), "what they reject"
    )


def callable_(given: Input, reply: Reply) -> None:
    """Calls are of offered tools, with a raw, and their arguments are JSON that can be sent."""
    for call in reply.tool_calls:
        if not any(call.name == tool.get("function", tool)["name"] for tool in given.tools):
            raise Breach("offered", call.name)
        if call.raw not in given.text:
            raise Breach("raw", repr(call.raw))
        json.dumps(call.arguments, allow_nan=False, ensure_ascii=False).encode("utf-8")


def expected(given: Input, reply: Reply) -> None:
    """What is known of the input by how it was made."""
    if given.kind not in ("written", "cut"):
        return
    calls = [(call.name, call.arguments) for call in reply.tool_calls]
    known = list(given.calls if given.kind == "written" else given.calls[: len(calls)])
    if repr(calls) != repr(known):
        raise Breach(given.kind, f"{calls!r} is not {known!r}"[:2000])


def is_wrong(given: Input, reply: Reply) -> bool:
    """Is what came of a call with faults another call, which its tool would even take?"""
    calls = [(call.name, call.arguments) for call in reply.tool_calls]
    return (
        given.kind == "near" and bool(calls) and repr(calls) != repr(list(given.calls)) and all(map(given.takes, calls))
    )
