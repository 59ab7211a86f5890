"""A row of the table. Law: what a shape is follows from its steps; nothing else about it is stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from opposable.wire.steps import Arguments, BareCalls, Body, Calls, Close, Inner, Mark, Step

BRACKETS = ("{", "[")


@dataclass(frozen=True, slots=True)
class Shape:
    """One way of writing calls.

    `families` tells a reader who writes it. `place`: whether its opener counts anywhere or at the beginning of a line, or
    whether the calls must be the whole reply or its end. `access`: whether prompts and histories are written in it too.
    """

    name: str
    families: str
    steps: tuple[Step, ...]
    place: Literal["anywhere", "line", "end"] = "anywhere"
    access: Literal["read", "read-write"] = "read"

    @property
    def openers(self) -> tuple[str, ...]:
        """The texts that may begin a block."""
        first = self.steps[0]
        return first.texts if isinstance(first, Mark) else BRACKETS

    @property
    def closers(self) -> tuple[str, ...]:
        """The texts that may end a block."""
        last = self.steps[-1]
        return tuple(filter(None, last.texts)) if isinstance(last, Close) else ()

    @property
    def is_closed(self) -> bool:
        """Is a closer taught? Else the value says itself where it ends."""
        last = self.steps[-1]
        return isinstance(last, Close) and last.texts[0] != ""

    @property
    def inner(self) -> tuple[Inner, ...]:
        """The steps between opener and closer."""
        return tuple(step for step in self.steps if not isinstance(step, Mark | Close))

    @property
    def body(self) -> Body:
        """The step that holds the arguments."""
        return next(step for step in self.steps if isinstance(step, Calls | BareCalls | Arguments))

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        """One call, as a model taught this shape writes it."""
        return "".join(step.write(name, arguments) for step in self.steps)
