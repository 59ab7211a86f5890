"""Bodies of JSON: values that say names and arguments, or the arguments alone. Law: scanned as it comes, read once, whole."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from opposable.wire import scan
from opposable.wire.calls import Draft, NoCall, drafts, is_call_key, read_arguments, read_drafts
from opposable.wire.mend import Malformed, match_end
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
    yield from scan.over_breaks(src)
    start = src.at
    yield from src.skip(_TICKS)
    ticks, label = src.at - start, src.at
    yield from src.skip(_LABEL)
    if 0 < ticks < 3 or (not ticks and src.at > label and src.since(label).casefold() != "json"):
        return False
    char = yield from scan.over_breaks(src)
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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Calls(Body):
    """JSON that says names and arguments: one call, a list of calls, or several in a row."""

    openers: tuple[str, ...] = ()

    def may_begin(self, char: str) -> bool:
        return char in "{[`jJ\\"

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        return (yield from _scan_fenced(src, block, None, _BETWEEN_CALLS))

    def read(self, body: str, name: str, tools: Offered, *, ended: bool) -> list[Draft]:
        return read_drafts(body, drafts, tools, ended=ended)

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        return json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)

    def grammar(self, name: str, rules: Rules) -> str:
        begin = json.dumps({"name": name, "arguments": 0}, ensure_ascii=False)[:-2]
        return f"{literal(begin)} {rules.arguments()} {literal('}')}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CallList(Calls):
    """The same where a list of calls is taught."""

    @property
    def list_marks(self) -> tuple[str, str, str]:
        return "[", ", ", "]"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BareCalls(Calls):
    """The same where no marker says that calls come: let go as soon as its keys can no longer be those of a call."""

    def may_begin(self, char: str) -> bool:
        return char in BRACKETS

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        if not self.may_begin((yield from src.char())):
            return "no"
        return (yield from _scan_json(src, block, is_call_key, _BETWEEN_CALLS))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class KeyedCalls(CallList):
    """JSON in which a key is the name, and its value the arguments."""

    def read(self, body: str, name: str, tools: Offered, *, ended: bool) -> list[Draft]:
        return read_drafts(body, lambda values: _keyed(values, tools), tools, ended=ended)

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        return json.dumps({name: arguments}, ensure_ascii=False)

    def grammar(self, name: str, rules: Rules) -> str:
        begin = json.dumps({name: 0}, ensure_ascii=False)[:-2]
        return f"{literal(begin)} {rules.arguments()} {literal('}')}"


def _keyed(values: list[Any], tools: Offered) -> list[Draft]:
    found: list[Draft] = []
    for value in _flat(values):
        if not isinstance(value, dict) or not value:
            raise NoCall("no name")
        if any(tools.name(key) is not None for key in value) or not any(map(is_call_key, value)):
            found += [Draft(key, item) for key, item in value.items()]
        else:
            found += drafts([value])
    if not found:
        raise NoCall("an empty list")
    return found


def _flat(values: list[Any]) -> list[Any]:
    return [item for value in values for item in (value if isinstance(value, list) else [value])]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Arguments(Body):
    """JSON that is the arguments alone; the name stood before it.

    `fence`: how a code fence around it begins, where one is taught. `others`: what stands here in a shape of other
    arguments that begins like this one.
    """

    openers: tuple[str, ...] = ()
    fence: str = ""
    others: tuple[str, ...] = ()

    def names_a_call(self, raw: str) -> bool:
        return True

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        start = src.at
        state = yield from _scan_fenced(src, block, None, _NOTHING_BETWEEN)
        if state == "no":
            src.back(start)
            found = yield from src.look(block.markers)
            if found is not None and found.startswith(self.others):
                return "no"
            state = yield from _scan_json(src, block, None, _NOTHING_BETWEEN)
        return state

    def read(self, body: str, name: str, tools: Offered, *, ended: bool) -> list[Draft]:
        if not body.strip():
            return [Draft(name)]
        values, mends = read_arguments(body, name, tools, ended=ended)
        if len(values) != 1 or not isinstance(values[0], dict | str | None):
            raise Malformed("the arguments are no object")
        return [Draft(name, values[0], mends=_untaught(mends, self.fence))]

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        return _fenced(json.dumps(arguments, ensure_ascii=False), self.fence)

    def grammar(self, name: str, rules: Rules) -> str:
        before, _, after = _fenced("\0", self.fence).partition("\0")
        return f"{literal(before)} {rules.arguments()} {literal(after)}" if before else rules.arguments()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Object(Arguments):
    """The same where nothing but an object, or what ends the block, may follow the name."""

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        char = yield from src.char()
        if char and char not in "{`" and (yield from src.look(block.markers)) is None:
            return "no"
        return (yield from Arguments.scan(self, src, block))


@lru_cache(maxsize=64)
def _names(names: tuple[str, ...]) -> Literals:
    return Literals(prefix + name for prefix in _BULLETS for name in names if name)


_BULLETS = ("", "- ", "* ")
_LONGEST_KNOWN = 40
"""Longer keys than this are not compared with those that are known."""
_DECODER = json.JSONDecoder()
_AFTER_NAME = re.compile(r":?[\s\ufeff]*")
_BETWEEN_LINES = re.compile(r"[\s,;]+")


def _bare(head: str) -> str:
    return head[2:] if head[:2] in _BULLETS else head


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NamedObjects(Body):
    """Names of offered tools, each with the object of its arguments after it; the name before the first stands there."""

    def may_begin(self, char: str) -> bool:
        return char in "{: \t\r\n"

    def names_a_call(self, raw: str) -> bool:
        return True

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        heads = _names(tuple(block.tools))
        name = block.text("name", src.since(block.start))
        while True:
            state = yield from self._object(src, block, name)
            if state == "no":
                return "no"
            end = src.at
            block.parts["body"] = (block.start, end)
            if not block.whole:
                return state
            yield from src.skip(_BETWEEN_LINES)
            head = yield from src.look(heads)
            if head is None:
                src.back(end)
                return "on"
            src.pos += len(head)
            name = _bare(head)

    def _object(self, src: Source, block: Block, name: str) -> Wait[Found]:
        """Go over the object of arguments for this tool; nothing but its parameters can be keys of it, if it has any."""
        if (yield from src.char()) == ":":
            src.pos += 1
        if (yield from src.skip(scan.SPACE)) != "{":
            return "no"
        known = block.tools.parameters(name)
        may_be_long = any(len(key) > _LONGEST_KNOWN for key in known)
        keys = None if not known or may_be_long else (lambda key: key in known or "\\" in key or is_call_key(key))
        return (yield from _scan_json(src, block, keys, _NOTHING_BETWEEN))

    def read(self, body: str, name: str, tools: Offered, *, ended: bool) -> list[Draft]:
        heads = _names(tuple(tools))
        found: list[Draft] = []
        at = 0
        while at < len(body):
            head = heads.match(body, at) or ""
            at = match_end(_AFTER_NAME, body, at + len(head))
            text, at = _one(body, at)
            found += [_once(draft, tools) for draft in Arguments().read(text, _bare(head), tools, ended=ended)]
            at = match_end(_BETWEEN_LINES, body, at)
        return found

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        return " " + json.dumps(arguments, ensure_ascii=False)

    def grammar(self, name: str, rules: Rules) -> str:
        return f"{literal(' ')} {rules.arguments()}"


def _one(text: str, at: int) -> tuple[str, int]:
    """The value that begins here; all of the text, where none ends."""
    try:
        end = _DECODER.raw_decode(text, at)[1]
    except (ValueError, RecursionError):
        end = len(text)
    return text[at:end], end


def _once(draft: Draft, tools: Offered) -> Draft:
    """The call, where its object says the name again, and holds the arguments under a key of their own."""
    value, mends = draft.arguments, draft.mends
    if isinstance(value, dict) and value.get("name") == draft.name and "name" not in tools.parameters(draft.name):
        draft = drafts([value])[0]
        draft.mends += mends
    return draft


def _untaught(mends: list[str], fence: str) -> list[str]:
    return [mend for mend in mends if mend != "fence" or not fence]


def _fenced(text: str, fence: str) -> str:
    return f"{fence}\n{text}\n```" if fence else text
