"""The few kinds of step that a wire shape is made of. Law: each can go over its part of a text, and write itself.

A step's `scan` goes over its part of a reply as it comes and notes in the `Block` what stood where; what the parts mean
is read once, when the block is whole. `write` is what a model taught this shape would have written.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, TypeAlias

from opposable.wire import scan
from opposable.wire.calls import Draft, drafts, is_call_key, read
from opposable.wire.mend import Malformed
from opposable.wire.source import Literals, Source, Wait

Found: TypeAlias = Literal["on", "cut", "no"]
"""What a step found: its part, so that the next may go on; the end of the reply; something else, so this is no block."""


_literals = cache(Literals)


@dataclass(slots=True)
class Block:
    """A block under way: where it began, what its steps found, and what may end it.

    `markers` end a value that is not whole, `ends` even where they seemed to stand within a string of it. `loose`: its
    strings are not trusted to hide a marker. `last`: it is not whole, and nothing follows it in its turn.
    """

    start: int
    markers: Literals
    ends: Literals
    parts: dict[str, tuple[int, int]] = field(default_factory=dict)
    whole: bool = False
    last: bool = False
    mends: list[str] = field(default_factory=list)
    loose: bool = False

    def text(self, part: str, raw: str) -> str:
        """The text of a part, out of the block's raw; empty where it was not found."""
        start, end = self.parts.get(part, (self.start, self.start))
        return raw[start - self.start : end - self.start]


@dataclass(frozen=True, slots=True)
class Mark:
    """The opener: the text as it is taught, then how it drifts. Doubled openers count as one."""

    texts: tuple[str, ...]

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        return self.texts[0]


@dataclass(frozen=True, slots=True)
class Space:
    """White space of any kind and length; `text` is how it is taught."""

    text: str = ""

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        return "on" if (yield from src.skip(scan.SPACE)) else "cut"

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Maybe:
    """A marker that may be missing."""

    texts: tuple[str, ...]

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        found = yield from src.look(_literals(self.texts))
        src.pos += len(found or "")
        return "on"

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        return self.texts[0]


_NAME = re.compile(r"[^\s<>\[\]{}()\"'=`|]+")
_NAME_IN_TAG = re.compile(r"[^\n<>]+")


@dataclass(frozen=True, slots=True)
class Name:
    """The tool's name as plain text, up to `until` (or, where that is empty, up to what can be no part of a name)."""

    until: str = ""
    longest: int = 128

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        start = src.at
        char = yield from src.skip(_NAME_IN_TAG if self.until else _NAME)
        if (char and src.at == start) or src.at - start > self.longest:
            return "no"
        if not char and self.until:
            return "cut"
        block.parts["name"] = (start, src.at)
        if not char:
            return "cut"
        if self.until and char != self.until:
            return "no"
        src.pos += len(self.until)
        return "on"

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        return name + self.until


@dataclass(frozen=True, slots=True)
class Id:
    """The model's own id of the call, after a marker; both may be missing."""

    texts: tuple[str, ...]

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        found = yield from src.look(_literals(self.texts))
        if found is not None:
            src.pos += len(found)
            start = src.at
            yield from src.skip(_NAME)
            block.parts["id"] = (start, src.at)
        return "on"

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        return ""


_LABEL = re.compile(r"[\w+:.-]+")


@dataclass(frozen=True, slots=True)
class Label:
    """What a code fence says of itself after its backticks. A line of anything else is no fence of calls."""

    text: str

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        start = src.at
        char = yield from src.skip(_LABEL)
        if not char:
            return "cut"
        return "on" if char in " \t\r\n{[" and src.at - start <= 40 else "no"

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        return self.text


_TICKS = re.compile(r"`+")
_FENCE = Literals(["```"])


def _over_fence(src: Source) -> Wait[bool]:
    """Go over a code fence or a language label that stands before a value. Is this where a value begins?"""
    start = src.at
    yield from src.skip(_TICKS)
    ticks, label = src.at - start, src.at
    yield from src.skip(_LABEL)
    if 0 < ticks < 3 or (not ticks and src.at > label and src.since(label).casefold() != "json"):
        return False
    char = yield from src.skip(scan.SPACE)
    return char != "" and char in "{["


def _scan_fenced(src: Source, block: Block, keys: scan.KeyCheck | None, between: re.Pattern[str]) -> Wait[Found]:
    """Go over JSON values as `_scan_json` does, and over a fence or label around them, which belongs to the body."""
    start = src.at
    if not (yield from _over_fence(src)):
        return "no"
    state = yield from _scan_json(src, block, keys, between)
    if block.whole and src.since(start).startswith("`"):
        end = src.at
        yield from src.skip(scan.SPACE)
        if (yield from src.look(_FENCE)) is not None:
            yield from src.skip(_TICKS)
        else:
            src.back(end)
    block.parts["body"] = (start, src.at if block.whole else block.parts["body"][1])
    return state


def _scan_json(src: Source, block: Block, keys: scan.KeyCheck | None, between: re.Pattern[str]) -> Wait[Found]:
    """Go over one JSON value, and over more of them where they follow it."""
    start = end = src.at
    while True:
        found = yield from (scan.broken(src, block.markers) if block.loose else scan.json(src, block.markers, keys))
        if found == "no":
            return "no"
        if found != "whole":
            block.whole = False
            end = src.at
            break
        block.whole = True
        end = src.at
        char = yield from src.skip(between)
        if not char or char not in "{[" or (yield from src.look(block.markers)) is not None:
            src.back(end)
            break
    block.parts["body"] = (start, end)
    return "on" if block.whole or found == "marker" else "cut"


_BETWEEN_CALLS = re.compile(r"[\s,;]+")
_NOTHING_BETWEEN = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class Calls:
    """JSON that says names and arguments: one call, a list of calls, or several in a row."""

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        return (yield from _scan_fenced(src, block, None, _BETWEEN_CALLS))

    def read(self, body: str, name: str, *, ended: bool) -> list[Draft]:
        values, mends = read(body, ended=ended)
        found = drafts(values)
        found[0].mends += mends
        return found

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        return json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class BareCalls(Calls):
    """The same where no marker says that calls come: let go as soon as its keys can no longer be those of a call."""

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        return (yield from _scan_json(src, block, is_call_key, _BETWEEN_CALLS))


@dataclass(frozen=True, slots=True)
class Arguments:
    """JSON that is the arguments alone; the name stood before it."""

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        start = src.at
        state = yield from _scan_fenced(src, block, None, _NOTHING_BETWEEN)
        if state == "no":
            src.back(start)
            state = yield from _scan_json(src, block, None, _NOTHING_BETWEEN)
        return state

    def read(self, body: str, name: str, *, ended: bool) -> list[Draft]:
        if not body.strip():
            return [Draft(name)]
        values, mends = read(body, ended=ended)
        if len(values) != 1 or not isinstance(values[0], dict | str | None):
            raise Malformed("the arguments are no object")
        return [Draft(name, values[0], mends=mends)]

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        return json.dumps(arguments, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Close:
    """The closer: the text as it is taught, then how it drifts. It may be missing, and it may be doubled."""

    texts: tuple[str, ...]

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        return self.texts[0]


Body: TypeAlias = Calls | BareCalls | Arguments
Inner: TypeAlias = Space | Maybe | Name | Id | Label | Body
Step: TypeAlias = Mark | Inner | Close
