"""The table: every way of writing calls that is known here, in the order in which they are tried.

Law: a shape is a row and a file of cases, nothing else; what the machine looks for follows from the rows.
"""

from functools import cache

from opposable.wire.shapes.frames import END_TOKENS, FAKE_RESULTS, REASONING
from opposable.wire.shapes.json import JSON
from opposable.wire.shapes.shape import Shape
from opposable.wire.source import Literals
from opposable.wire.steps import Calls, Name, Space

SHAPES: tuple[Shape, ...] = (*JSON,)
"""All shapes, in the order in which those with the same opener are tried."""

BY_NAME = {shape.name: shape for shape in SHAPES}
TAGGED = tuple(opener for shape in SHAPES if shape.place == "anywhere" for opener in shape.openers)
"""Openers that count wherever they stand."""
AT_LINE = tuple(opener for shape in SHAPES if shape.place != "anywhere" for opener in shape.openers)
"""Openers that count at the beginning of a line."""
FENCES = tuple(opener for shape in SHAPES if shape.place == "line" for opener in shape.openers)
"""Those of them that are never the beginning of a value."""


@cache
def by_opener() -> dict[str, list[Shape]]:
    """The shapes that each opener may begin."""
    table: dict[str, list[Shape]] = {}
    for shape in SHAPES:
        for opener in shape.openers:
            table.setdefault(opener, []).append(shape)
    return table


@cache
def openers(name: str) -> Literals:
    """The openers of a shape."""
    return Literals(BY_NAME[name].openers)


@cache
def closers(name: str) -> Literals:
    """The closers of a shape."""
    return Literals(BY_NAME[name].closers)


@cache
def markers(name: str, closer: str | None) -> Literals:
    """What may end a block of this shape: its closers, the opener of another, the end of the turn or of the reasoning."""
    shape = BY_NAME[name]
    line = (*FENCES, *REASONING, *FAKE_RESULTS) if shape.place == "end" else ()
    return Literals((*shape.closers, *TAGGED, *END_TOKENS, *([closer] if closer else [])), line)


@cache
def ends(name: str, closer: str | None) -> Literals:
    """What ends a block of this shape even within a string of a value that turned out to be broken."""
    return Literals((*BY_NAME[name].closers, *([closer] if closer else [])))


@cache
def inside_reasoning(closer: str) -> Literals:
    """What counts inside reasoning that this closer ends."""
    return Literals((*TAGGED, closer))


def may_begin(shape: Shape, char: str) -> bool:
    """May the first part of this shape, white space aside, begin with this character?"""
    if not char:
        return False
    first = next(step for step in shape.inner if not isinstance(step, Space))
    if isinstance(first, Calls):
        return shape.place == "end" or char in "{[`jJ"
    if isinstance(first, Name):
        return char.isalnum() or char in "_-"
    return True
