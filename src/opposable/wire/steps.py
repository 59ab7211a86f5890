"""The few kinds of step that a wire shape is made of. Law: each can go over its part of a text, and write itself.

A step's `scan` goes over its part of a reply as it comes and notes in the `Block` what stood where; what the parts mean
is read once, when the block is whole. `write` is what a model taught this shape would have written.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Literal, TypeAlias

from opposable.errors import CannotCarry
from opposable.wire import scan
from opposable.wire.calls import Draft, names_a_call
from opposable.wire.offered import Offered
from opposable.wire.rules import Rules, literal
from opposable.wire.source import Literals, Source, Wait

Found: TypeAlias = Literal["on", "cut", "no"]
"""What a step found: its part, so that the next may go on; the end of the reply; something else, so this is no block."""

NAME = "{name}"
"""In a marker: the name of an offered tool."""

_literals = cache(Literals)
_PROSE = re.compile(r"[^\s{\[\"'“`]")


@dataclass(slots=True)
class Block:
    """A block under way: where it began, what its steps found, and what may end it.

    `tools`: what was offered. `closers`: those of its shape. `markers` end a value that is not whole: the closers, any
    opener, the end of the turn. `ends` end it even where they seemed to stand within a string of it. `loose`: its strings
    are not trusted to hide a marker. `last`: it is not whole, and nothing follows it in its turn. `parts`: where its name,
    id, body and closer stand, as places in the reply. `seen`: up to where was looked ahead in vain.
    """

    start: int
    tools: Offered
    closers: Literals
    markers: Literals
    ends: Literals
    parts: dict[str, tuple[int, int]] = field(default_factory=dict)
    whole: bool = False
    last: bool = False
    mends: list[str] = field(default_factory=list)
    loose: bool = False
    seen: int = 0

    def text(self, part: str, raw: str) -> str:
        """The text of a part, out of the block's raw; empty where it was not found."""
        start, end = self.parts.get(part, (self.start, self.start))
        return raw[start - self.start : end - self.start]


class Step(ABC):
    """A part of a shape."""

    __slots__ = ()

    def may_begin(self, char: str) -> bool:
        """May this part begin with this character?"""
        return True

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        """Go over this part, and note in the block what stood where. `Blocks` finds the markers at both ends."""
        raise AssertionError("a marker at an end")

    @abstractmethod
    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        """This part of a call. Errors: CannotCarry."""

    def at(self, place: int) -> "Step":
        """The same in the call before which as many were written."""
        return self

    def grammar(self, name: str, rules: Rules) -> str:
        """This part of any call to the tool of this name: the body of a rule of GBNF, empty for nothing."""
        written = self.write(name, {})
        return literal(written) if written else ""


class Body(Step):
    """The part that holds the arguments, and the names too where no part before it does.

    `openers` may begin it where the marker before it is missing.
    """

    __slots__ = ()

    @property
    def openers(self) -> tuple[str, ...]:
        """Texts that begin a block of this shape where its own marker is missing, or where it has none."""
        return ()

    @property
    def list_marks(self) -> tuple[str, str, str] | None:
        """What is written before, between and after the calls that share a block; None: each has its own."""
        return None

    @abstractmethod
    def grammar(self, name: str, rules: Rules) -> str:
        """The arguments of any call to this tool, and its name where no part before says it."""

    @abstractmethod
    def read(self, body: str, name: str, tools: Offered, *, ended: bool) -> list[Draft]:
        """The calls that a whole body writes. `ended`: closers missing at its end may be added.

        Errors: NoCall, Refused, Malformed.
        """

    def is_prose(self, body: str) -> bool:
        """Is this body, which did not end and is not closed, no value at all but text?"""
        return _PROSE.match(body) is not None

    def names_a_call(self, raw: str) -> bool:
        """Does this block, which could not be read, have what a call has? Asked only where no marker says so."""
        return names_a_call(raw)

    def is_head(self, body: str) -> bool:
        """Is there nothing of a call in this body, or no more than its name? Asked where the reply was cut off in it."""
        return not body.strip()

    def broken_at(self, body: str, ends: Literals) -> int | None:
        """Where a body that is not whole ends, as what ends a block stands within it; None where nothing does."""
        found = ends.search(body)
        return None if found is None else found[0]


class ReadBody(Body):
    """A body that is read and never written."""

    __slots__ = ()

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        raise CannotCarry("calls in this shape are read, not written")

    def grammar(self, name: str, rules: Rules) -> str:
        raise CannotCarry("calls in this shape are read, not written")


def in_a_row(
    src: Source, block: Block, one: Callable[[], Wait[scan.End]], between: Callable[[], Wait[str]]
) -> Wait[scan.End]:
    """Go over a value, and over more of its kind where they follow; they are the body. How the last of them ended.

    `one` goes over a value. `between` goes over what may part two of them; the first character of the next, if any.
    """
    start = end = src.at
    while True:
        found = yield from (scan.broken(src, block.markers) if block.loose else one())
        if found == "no" and end > start:
            src.back(end)
            break
        block.whole = found == "whole"
        end = src.at
        if not block.whole:
            break
        if not (yield from between()) or (yield from src.look(block.markers)) is not None:
            src.back(end)
            break
    block.parts["body"] = (start, end)
    return found


@dataclass(frozen=True, slots=True)
class Mark(Step):
    """The opener: the text as it is taught, then how it drifts. Doubled openers count as one."""

    texts: tuple[str, ...]

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        return self.texts[0].replace(NAME, name)


@dataclass(frozen=True, slots=True)
class Space(Step):
    """White space of any kind and length; `text` is how it is taught."""

    text: str = ""

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        return "on" if (yield from src.skip(scan.SPACE)) else "cut"

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Maybe(Step):
    """A marker that may be missing."""

    texts: tuple[str, ...]

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        found = yield from src.look(_literals(self.texts))
        src.pos += len(found or "")
        return "on"

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        return self.texts[0]


@dataclass(frozen=True, slots=True)
class Must(Step):
    """A marker without which this is no block of the shape."""

    texts: tuple[str, ...]

    def may_begin(self, char: str) -> bool:
        return any(text.startswith(char) for text in self.texts)

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        found = yield from src.look(_literals(self.texts))
        if found is None:
            return "no" if (yield from src.char()) else "cut"
        src.pos += len(found)
        return "on"

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        return self.texts[0]


LONGEST_NAME = 128
"""How long a name, or an id that carries one, may be. A bound, so that what is none is not gone over again and again."""
_NAME = re.compile(r"[^\s<>\[\]{}()\"'=`|]+")
_NAME_UNTIL = re.compile(r"[^\n<>]+")


@dataclass(frozen=True, slots=True)
class Name(Step):
    """The tool's name as plain text, up to one of `until` (or, where that is empty, up to what can be no part of a name)."""

    until: tuple[str, ...] = ()
    longest: int = LONGEST_NAME

    def may_begin(self, char: str) -> bool:
        return char.isalnum() or char in "_-"

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        start = src.at
        char = yield from src.skip(_NAME_UNTIL if self.until else _NAME, start + self.longest + 1)
        if (char and src.at == start) or src.at - start > self.longest:
            return "no"
        end = src.at
        if self.until:
            yield from src.skip(scan.SPACE)
            found = yield from src.look(_literals(self.until))
            if found is None:
                return "no" if (yield from src.char()) else "cut"
            src.pos += len(found)
        block.parts["name"] = (start, end)
        return "on" if char else "cut"

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        return name + (self.until[0] if self.until else "")


@dataclass(frozen=True, slots=True)
class Id(Step):
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


@dataclass(frozen=True, slots=True)
class NameBefore(Step):
    """The tool's name as one word, up to one of `until`; without that it is none."""

    until: tuple[str, ...]

    def may_begin(self, char: str) -> bool:
        return char.isalnum() or char in "_-"

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        start = src.at
        yield from src.skip(_NAME, start + LONGEST_NAME)
        end = src.at
        yield from src.skip(scan.SPACE)
        found = yield from Must(self.until).scan(src, block)
        if found == "on":
            block.parts["name"] = (start, end)
        return found

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        return name + self.until[0]


_NUMBERED = re.compile(r":\d+\Z")


@dataclass(frozen=True, slots=True)
class NamedId(NameBefore):
    """An id that carries the name and a `number`, up to one of `until`. Without a number it is a name alone."""

    number: int = 0

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        found = yield from NameBefore.scan(self, src, block)
        start, end = block.parts.get("name", (src.at, src.at))
        if _NUMBERED.search(src.since(start)[: end - start]):
            block.parts["id"] = (start, end)
        return found

    def at(self, place: int) -> "NamedId":
        return replace(self, number=place)

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        return f"functions.{name}:{self.number}{self.until[0]}"

    def grammar(self, name: str, rules: Rules) -> str:
        return f"{literal(f'functions.{name}:')} [0-9]{{1,3}} {literal(self.until[0])}"


@dataclass(frozen=True, slots=True)
class Header(Step):
    """A name that the body says again, and the marker after it; both may be missing."""

    marker: str

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        start = src.at
        if not (yield from src.skip(_NAME)):
            return "cut"
        is_named = src.at > start
        found = yield from src.look(_literals((self.marker,)))
        src.pos += len(found or "")
        return "no" if is_named and found is None else "on"

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        return name + self.marker


_LABEL = re.compile(r"[\w+:.-]+")


@dataclass(frozen=True, slots=True)
class Label(Step):
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


@dataclass(frozen=True, slots=True)
class Close(Step):
    """The closer: the text as it is taught, then how it drifts. It may be missing, and it may be doubled."""

    texts: tuple[str, ...]

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        return self.texts[0].replace(NAME, name)
