"""A row of the table. Law: what a shape is follows from its steps; nothing else about it is stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from opposable.wire.steps import Body, Close, Mark, Step


@dataclass(frozen=True, slots=True)
class Section:
    """A pair of markers around the blocks of a shape, each of which is judged by itself; either may be missing."""

    openers: tuple[str, ...]
    closers: tuple[str, ...]


@dataclass(frozen=True)
class Shape:
    """One way of writing calls.

    `families` tells a reader who writes it. `place`: whether its opener counts anywhere or at the beginning of a line, or
    whether the calls must be the end of the reply, or the whole of it. `access`: whether prompts and histories are written
    in it too. `section`: what stands around its blocks.
    """

    name: str
    families: str
    steps: tuple[Step, ...]
    place: Literal["anywhere", "line", "end", "whole"] = "anywhere"
    access: Literal["read", "read-write"] = "read"
    section: Section | None = None

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
        return self.place == "anywhere"

    @cached_property
    def inner(self) -> tuple[Step, ...]:
        """The steps between opener and closer."""
        return tuple(step for step in self.steps if not isinstance(step, Mark | Close))

    @cached_property
    def body(self) -> Body:
        """The step that holds the arguments."""
        return next(step for step in self.steps if isinstance(step, Body))

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        """One call, as a model taught this shape writes it. Errors: CannotCarry."""
        return "".join(step.write(name, arguments) for step in self.steps)
