"""Calls in Gemma's own writing: `call:name{key:<|"|>text<|"|>,other:3}`. Law: what the quotes hold is text to the letter.

Keys and single words need no quotes here. A bare number or truth value is text where the schema has only strings.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from opposable.wire import scan
from opposable.wire.bodies.bare import Bare, settle
from opposable.wire.calls import Draft
from opposable.wire.dialects import GEMMA, by_opening
from opposable.wire.mend import Malformed, Reader
from opposable.wire.offered import Offered
from opposable.wire.rules import Form, Notation, Rules, literal
from opposable.wire.source import Source, Wait
from opposable.wire.steps import Block, Body, Found, in_a_row

_HEAD = re.compile(r"(?:call)?\s*:?\s*([\w.:/-]+)\s*")
_NAME = re.compile(r"[\w.:/-]+")
_WORDS = re.compile(r"[\w$.+-]+(?: [\w$.+-]+)+")
_BETWEEN = re.compile(r"[\s\ufeff,;]+")
_KEY = re.compile(r"(?!--)[\w$.+-]+")
_CALL = re.compile(r"call\s*:\s*[\w.:/-]{1,128}+\s*[{(]")


class _Gemma(Reader):
    """Reads calls of Gemma."""

    def calls(self) -> list[Draft]:
        """All calls, up to the end of the text."""
        found: list[Draft] = []
        while self.peek():
            head = _HEAD.match(self.text, self.pos)
            bracket = self.text[head.end() : head.end() + 1] if head else ""
            if head is None or bracket not in ("{", "("):
                raise Malformed("no name and bracket")
            self.pos = head.end()
            found.append(Draft(head.group(1), self.object(1, GEMMA.brackets[bracket])))
            if self.peek() in (",", ";"):
                self.pos += 1
        return found

    def key(self) -> str:
        """A key, which may be several words here."""
        words = _WORDS.match(self.text, self.pos)
        if words is None:
            return super().key()
        self.pos = words.end()
        return words.group()

    def word(self, depth: int) -> Any:
        """A word, and what it writes."""
        start = self.pos
        value = super().word(depth)
        return Bare(self.text[start : self.pos], value)


@dataclass(frozen=True, slots=True)
class GemmaCalls(Body):
    """One call of Gemma or several in a row; `call:` may be missing. `quote`: what is taught to stand around text."""

    quote: str = '<|"|>'

    def may_begin(self, char: str) -> bool:
        return char == ":" or char.isidentifier()

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        start = src.at
        found = yield from in_a_row(src, block, lambda: _call(src, block), lambda: src.skip(_BETWEEN))
        if found == "no" and not block.whole:
            return "no"
        end = block.parts["body"][1]
        is_head = not block.whole and found == "end" and _HEAD.fullmatch(src.since(start)) is not None
        block.parts["body"] = (start, start if is_head else end)
        return "on" if block.whole or found == "marker" else "cut"

    def is_prose(self, body: str) -> bool:
        return False

    def names_a_call(self, raw: str) -> bool:
        return _CALL.search(raw) is not None

    def read(self, body: str, name: str, tools: Offered, *, ended: bool) -> list[Draft]:
        reader = _Gemma(body, GEMMA, ended=ended)
        with reader.saying_where():
            found = [settle(draft, tools) for draft in reader.calls()]
        if not found:
            raise Malformed("no call")
        found[0].mends += dict.fromkeys(reader.mends)
        return found

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        return f"call:{name}{_written(arguments, self.quote)}"

    def grammar(self, name: str, rules: Rules) -> str:
        rules.notation = _notation(self.quote)
        return f"{literal(f'call:{name}')} {rules.arguments()}"


def _written(value: Any, quote: str) -> str:
    """A value as Gemma writes it. Text that holds the quote is written as in JSON."""
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{_key(key, quote)}:{_written(item, quote)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_written(item, quote) for item in value) + "]"
    written = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, str):
        return written
    is_free = not any(closer in value for closer in by_opening(GEMMA)[quote].closes)
    return f"{quote}{value}{quote}" if is_free else written.replace("<", "\\u003c")


def _key(key: str, quote: str) -> str:
    return key if _KEY.fullmatch(key) else _written(key, quote)


@cache
def _notation(quote: str) -> Notation:
    """How values are written between these quotes. Text has no `<` that what closes it could begin with."""
    firsts = "".join(closer.lstrip("</")[0] for closer in by_opening(GEMMA)[quote].closes)
    around = literal(quote)
    return Notation(
        lambda value: _written(value, quote),
        Form("{", "}", lambda key: _key(key, quote) + ":"),
        colon=":",
        comma=",",
        rules={
            "char": rf'[^<] | "<" "/"? [^</{firsts}]',
            "string": f"{around} char* {around}",
            "text": f"{around} char+ {around}",
            "object": '"{" (member ("," member)*)? "}"',
            "member": 'string ":" value',
            "array": '"[" (value ("," value)*)? "]"',
        },
    )


def _call(src: Source, block: Block) -> Wait[scan.End]:
    """Go over one call: its name, and what its brackets hold."""
    start = src.at
    yield from src.skip(_NAME)
    head = src.since(start)
    char = yield from src.skip(scan.SPACE)
    if head == "call" or head.endswith(":"):
        yield from src.skip(_NAME)
        char = yield from src.skip(scan.SPACE)
    if not char:
        return "end"
    return (yield from scan.term(src, block.markers, GEMMA)) if char in "{(" else "no"
