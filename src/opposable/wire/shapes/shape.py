"""A row of the table. Law: what a shape is follows from its steps; nothing else about it is stored."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol

from opposable.wire.bodies.json import Calls
from opposable.wire.rules import Rules, literal
from opposable.wire.steps import Body, Close, Mark, Step


class Callable(Protocol):
    """Anything that names a tool and its arguments."""

    @property
    def name(self) -> str:
        """The tool's name."""
        ...

    @property
    def arguments(self) -> Mapping[str, Any]:
        """Its arguments, as parsed JSON."""
        ...


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Section:
    """A pair of markers around the blocks of a shape, each of which is judged by itself; either may be missing.

    `written`: what stands around blocks that are written, where it is not the first opener and the first closer alone.
    """

    openers: tuple[str, ...]
    closers: tuple[str, ...]
    written: tuple[str, str] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Shape:
    """One way of writing calls.

    `families` tells a reader who writes it. `place`: whether its opener counts anywhere, or only in a message to a tool, or
    at the beginning of a line, or whether the calls must be the end of the reply, or the whole of it. `access`: whether
    prompts and histories are written in it too. `section`: what stands around its blocks. `between`: what is written
    between two of them.
    """

    name: str
    families: str
    steps: tuple[Step, ...]
    place: Literal["anywhere", "frame", "line", "end", "whole"] = "anywhere"
    access: Literal["read", "read-write"] = "read"
    section: Section | None = None
    between: str = "\n"

    @cached_property
    def marks(self) -> tuple[str, ...]:
        """The texts of its opening marker."""
        first = self.steps[0]
        return first.texts if isinstance(first, Mark) else ()

    @cached_property
    def openers(self) -> tuple[str, ...]:
        """The texts that may begin a block: its markers, and what its body begins with where they are missing."""
        return tuple(dict.fromkeys((*self.marks, *self.body.openers)))

    @cached_property
    def closers(self) -> tuple[str, ...]:
        """The texts that may end a block."""
        last = self.steps[-1]
        return tuple(filter(None, last.texts)) if isinstance(last, Close) else ()

    @cached_property
    def is_closed(self) -> bool:
        """Is a closer taught? Else the value says itself where it ends."""
        last = self.steps[-1]
        return isinstance(last, Close) and last.texts[0] != ""

    @cached_property
    def is_tagged(self) -> bool:
        """Do its markers say that calls come, wherever they stand?"""
        return self.place in ("anywhere", "frame")

    @cached_property
    def is_prefaced(self) -> bool:
        """May words stand between its opener and its body? Where it is JSON that says a name, and a closer is taught."""
        return self.is_tagged and self.is_closed and isinstance(self.body, Calls)

    @cached_property
    def inner(self) -> tuple[Step, ...]:
        """The steps between opener and closer."""
        return tuple(step for step in self.steps if not isinstance(step, Mark | Close))

    @cached_property
    def body(self) -> Body:
        """The step that holds the arguments."""
        return next(step for step in self.steps if isinstance(step, Body))

    def write(self, calls: Iterable[Callable]) -> str:
        """One or more calls, as a model taught this shape writes them. Errors: CannotCarry."""
        marks = self.body.list_marks
        if marks is None:
            blocks = [
                "".join(step.at(place).write(call.name, call.arguments) for step in self.steps)
                for place, call in enumerate(calls)
            ]
            written = self.between.join(blocks)
        else:
            first, between, last = marks
            items = between.join(self.body.write(call.name, call.arguments) for call in calls)
            written = "".join(first + items + last if step is self.body else step.write("", {}) for step in self.steps)
        begin, end = self._around
        return begin + written + end

    def grammar(self, tools: Mapping[str, Rules]) -> Mapping[str, str]:
        """The rules, from `root`, for one or more calls to these tools."""
        marks = self.body.list_marks
        steps = self.steps if marks is None else (self.body,)
        calls = [" ".join(filter(None, (step.grammar(name, rules) for step in steps))) for name, rules in tools.items()]
        first, between, last = marks or ("", self.between, "")
        begin, end = self._around
        before, after = begin + first, last + end
        if marks is not None:
            place = self.steps.index(self.body)
            before = begin + "".join(step.write("", {}) for step in self.steps[:place]) + first
            after = last + "".join(step.write("", {}) for step in self.steps[place + 1 :]) + end
        root = f"{literal(before)} call ({literal(between)} call)* {literal(after)}"
        return {"root": root, "call": " | ".join(calls)}

    @cached_property
    def _around(self) -> tuple[str, str]:
        """What is written before and after all blocks."""
        section = self.section or Section(("",), ("",))
        return section.written or (section.openers[0], section.closers[0])
