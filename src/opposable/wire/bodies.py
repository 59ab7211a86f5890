"""Bodies of JSON: values that say names and arguments, or the arguments alone. Law: scanned as it comes, read once, whole."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from opposable.wire import scan
from opposable.wire.calls import Draft, drafts, is_call_key, names_a_call, read
from opposable.wire.mend import Malformed
from opposable.wire.offered import Offered
from opposable.wire.rules import Rules, literal
from opposable.wire.source import Literals, Source, Wait
from opposable.wire.steps import Block, Body, Found

BRACKETS = ("{", "[")
_TICKS = re.compile(r"`+")
_LABEL = re.compile(r"[\w+:.-]+")
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
class Calls(Body):
    """JSON that says names and arguments: one call, a list of calls, or several in a row."""

    def may_begin(self, char: str) -> bool:
        return char in "{[`jJ"

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        return (yield from _scan_fenced(src, block, None, _BETWEEN_CALLS))

    def read(self, body: str, name: str, tools: Offered, *, ended: bool) -> list[Draft]:
        values, mends = read(body, ended=ended)
        found = drafts(values)
        found[0].mends += mends
        return found

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        return json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)

    def grammar(self, name: str, rules: Rules) -> str:
        begin = json.dumps({"name": name, "arguments": 0}, ensure_ascii=False)[:-2]
        return f"{literal(begin)} {rules.arguments()} {literal('}')}"


@dataclass(frozen=True, slots=True)
class CallList(Calls):
    """The same where a list of calls is taught."""

    @property
    def list_marks(self) -> tuple[str, str, str]:
        return "[", ", ", "]"


@dataclass(frozen=True, slots=True)
class BareCalls(Calls):
    """The same where no marker says that calls come: let go as soon as its keys can no longer be those of a call."""

    openers: tuple[str, ...] = ()

    def may_begin(self, char: str) -> bool:
        return char in BRACKETS

    def names_a_call(self, raw: str) -> bool:
        return names_a_call(raw)

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        if not self.may_begin((yield from src.char())):
            return "no"
        return (yield from _scan_json(src, block, is_call_key, _BETWEEN_CALLS))


@dataclass(frozen=True, slots=True)
class Arguments(Body):
    """JSON that is the arguments alone; the name stood before it."""

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        start = src.at
        state = yield from _scan_fenced(src, block, None, _NOTHING_BETWEEN)
        if state == "no":
            src.back(start)
            state = yield from _scan_json(src, block, None, _NOTHING_BETWEEN)
        return state

    def read(self, body: str, name: str, tools: Offered, *, ended: bool) -> list[Draft]:
        if not body.strip():
            return [Draft(name)]
        values, mends = read(body, ended=ended)
        if len(values) != 1 or not isinstance(values[0], dict | str | None):
            raise Malformed("the arguments are no object")
        return [Draft(name, values[0], mends=mends)]

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        return json.dumps(arguments, ensure_ascii=False)

    def grammar(self, name: str, rules: Rules) -> str:
        return rules.arguments()
