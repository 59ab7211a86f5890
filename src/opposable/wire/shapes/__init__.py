"""The table: every way of writing calls that is known here, in the order in which they are tried.

Law: a shape is a row and a file of cases, nothing else; what the machine looks for follows from the rows.
"""

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import NamedTuple

from opposable.wire.channels import BEGUN, HEADS
from opposable.wire.shapes.channels import CHANNELS
from opposable.wire.shapes.frames import (
    AFTER_REASONING,
    AUTHOR,
    BEGIN_TOKENS,
    CONTENT,
    END_TOKENS,
    FAKE_RESULTS,
    HANDOVERS,
    LINE_CLOSERS,
    REASONING,
    REASONING_CLOSERS,
    Frame,
)
from opposable.wire.shapes.json import JSON
from opposable.wire.shapes.lines import LINES
from opposable.wire.shapes.named import NAMED
from opposable.wire.shapes.python import BARE_PYTHON, TAGGED_PYTHON
from opposable.wire.shapes.shape import Section, Shape
from opposable.wire.shapes.xml import XML
from opposable.wire.source import Literals
from opposable.wire.steps import NAME, Space, Step

SHAPES: tuple[Shape, ...] = (*XML, *TAGGED_PYTHON, *LINES, *BARE_PYTHON, *JSON, *NAMED, *CHANNELS)
"""All shapes, in the order in which those with the same opener are tried."""

BY_NAME = {shape.name: shape for shape in SHAPES}

_LINE = (*REASONING, *CONTENT, *LINE_CLOSERS, *FAKE_RESULTS)


def writable(name: str) -> Shape:
    """The shape of this name. Errors: ValueError, where there is none that prompts and histories are written in."""
    row = BY_NAME.get(name)
    if row is None or row.access == "read":
        known = ", ".join(shape.name for shape in SHAPES if shape.access == "read-write")
        raise ValueError(f"no shape called {name!r} can be written; there are {known}")
    return row


def _expand(texts: tuple[str, ...], names: tuple[str, ...]) -> dict[str, str | None]:
    """These markers with the names of the tools put in, and the name that each of them says."""
    found: dict[str, str | None] = {}
    for text in texts:
        if NAME in text:
            found.update((text.replace(NAME, name), name) for name in names if name)
        else:
            found[text] = None
    return found


def _could_be(row: Shape, bare: Shape) -> bool:
    """Could a bare body be one of this shape that has lost its opener?"""
    return row.is_tagged and isinstance(bare.body, type(row.body))


class Head(NamedTuple):
    """How a block of a shape begins with one opener. `first`: its first step behind that and white space, if any is `spaced`.

    `is_body`: the opener begins the body. `name`: where the opener says a name. `again`: what may follow it and means
    nothing, and what that begins with.
    """

    shape: Shape
    first: Step
    spaced: bool
    is_body: bool
    name: tuple[int, int] | None
    again: Literals | None
    agains: frozenset[str]

    def goes_on(self, char: str) -> bool:
        """May the block go on with this character, behind the opener and white space?"""
        return char != "" and (char in self.agains or self.first.may_begin(char))


class Table:
    """What to look for in a reply to which tools of these names were offered."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self.rows: dict[str, list[Shape]] = {}
        self.named: dict[tuple[str, str], str | None] = {}
        """By shape and opener, the name that the opener says: a tool may be called like another shape's marker."""
        for shape in SHAPES:
            for opener, name in _expand(shape.openers, names).items():
                if opener in REASONING:  # a tool may be called `think`
                    continue
                self.rows.setdefault(opener, []).append(shape)
                self.named[shape.name, opener] = name
        self.sections: dict[str, Section] = {
            opener: shape.section for shape in SHAPES if shape.section is not None for opener in shape.section.openers
        }
        self.tagged = tuple(
            opener for opener, shapes in self.rows.items() if any(shape.place == "anywhere" for shape in shapes)
        )
        framed = [shape for shape in SHAPES if shape.place == "frame"]
        around = [shape.section for shape in framed if shape.section is not None]
        self.framed = (
            *(opener for shape in framed for opener in _expand(shape.openers, names)),
            *(opener for section in around for opener in section.openers),
        )
        """Openers of blocks and sections that count in a message to a tool only."""
        self._framed_closers = frozenset(closer for section in around for closer in section.closers)
        is_framed = frozenset(self.framed)
        elsewhere = is_framed.union(self.tagged)
        self.at_line = tuple(opener for opener in self.rows if opener not in elsewhere)
        self.around = tuple(opener for opener in self.sections if opener not in is_framed)
        """Openers of sections that count wherever they stand."""
        self._heads: dict[str, tuple[Head, ...]] = {}
        self._later: dict[str, tuple[Head, ...]] = {}
        self._of_shapes: dict[tuple[str, str], Literals] = {}
        self._markers: dict[tuple[str, Frame | None], tuple[Literals, Literals]] = {}
        self._in_section: dict[tuple[str, ...], Literals] = {}
        self._inside: dict[Frame, Literals] = {}

    @cached_property
    def outside(self) -> Literals:
        """What counts outside blocks and reasoning."""
        return self.in_section(())

    @cached_property
    def first(self) -> Literals:
        """What counts at the beginning of the reply."""
        return Literals((*self.outside.anywhere, *BEGUN), self.outside.line)

    @cached_property
    def starts(self) -> Literals:
        """What another part of the reply begins with."""
        return Literals((*self.tagged, *self.around, *REASONING, *CONTENT))

    @cached_property
    def called(self) -> Literals:
        """The openers of blocks."""
        return Literals(self.tagged)

    def heads(self, opener: str) -> tuple[Head, ...]:
        """How the blocks begin that may begin with this opener at the beginning of a reply."""
        found = self._heads.get(opener)
        if found is None:
            found = self._heads[opener] = tuple(self._head(shape, opener) for shape in self.rows[opener])
        return found

    def later(self, opener: str) -> tuple[Head, ...]:
        """The same, where something was said before."""
        found = self._later.get(opener)
        if found is None:
            heads = self.heads(opener)
            found = self._later[opener] = tuple(head for head in heads if head.shape.place != "whole")
        return found

    def _head(self, shape: Shape, opener: str) -> Head:
        said = self.named[shape.name, opener]
        is_body = any(opener == (text if said is None else text.replace(NAME, said)) for text in shape.body.openers)
        name = None
        if said is not None and not is_body:
            at = next(text.index(NAME) for text in shape.marks if text.replace(NAME, said) == opener)
            name = at, at + len(said)
        first = next(step for step in shape.inner if not isinstance(step, Space))
        again = None
        if shape.is_tagged and not is_body:
            again = self._kept("again", shape, lambda: (*shape.marks, *BEGIN_TOKENS))
        agains = frozenset(text[0] for text in again.anywhere) if again is not None else frozenset()
        return Head(shape, first, isinstance(shape.inner[0], Space), is_body, name, again, agains)

    def own(self, shape: Shape) -> Literals:
        """The closers of a shape."""
        return self._kept("own", shape, lambda: shape.closers)

    def closers(self, shape: Shape) -> Literals:
        """The closers of a shape, and those of the section around it."""
        section = shape.section.closers if shape.section is not None else ()
        return self._kept("closers", shape, lambda: (*shape.closers, *section))

    def prefaced(self, shape: Shape) -> Literals:
        """What words between its opener and its JSON may end at."""
        return self._kept(
            "prefaced", shape, lambda: ("{", *shape.closers, *self.tagged, *END_TOKENS, *REASONING_CLOSERS)
        )

    def unopened(self, shape: Shape) -> Literals:
        """The closers that tell what a bare body is whose opener is missing."""
        rows = (row for row in SHAPES if _could_be(row, shape))
        return self._kept("unopened", shape, lambda: tuple(closer for row in rows for closer in row.closers))

    def closed_by(self, shape: Shape, closer: str) -> Shape:
        """The shape that it is."""
        return next(row for row in SHAPES if _could_be(row, shape) and closer in self.closers(row).anywhere)

    def _kept(self, what: str, shape: Shape, texts: Callable[[], tuple[str, ...]]) -> Literals:
        """These texts of a shape, with the names put in, made when they are first asked for."""
        found = self._of_shapes.get((what, shape.name))
        if found is None:
            found = self._of_shapes[what, shape.name] = Literals(_expand(texts(), self.names))
        return found

    def in_section(self, closers: tuple[str, ...]) -> Literals:
        """What counts inside a section that these end."""
        found = self._in_section.get(closers)
        if found is None:
            framed = self.framed if self._framed_closers.intersection(closers) else ()
            frames = (*REASONING, *REASONING_CLOSERS, *END_TOKENS, *HANDOVERS, AUTHOR)
            anywhere = (*self.tagged, *self.around, *framed, *frames, *closers)
            found = self._in_section[closers] = Literals(anywhere, (*self.at_line, *_LINE, *AFTER_REASONING))
        return found

    def inside(self, frame: Frame) -> Literals:
        """What counts inside this frame."""
        found = self._inside.get(frame)
        if found is None:
            blocks = tuple(opener for opener in self.tagged if opener not in HEADS)
            content = (*self.around, *END_TOKENS, AUTHOR) if frame.part == "content" else ()
            holds = {"blocks": (*blocks, *content), "framed": self.framed, "nothing": ()}[frame.holds]
            anywhere = (*holds, *frame.closers, *frame.last, *frame.stops)
            found = self._inside[frame] = Literals(anywhere, frame.line)
        return found

    def markers(self, shape: Shape, frame: Frame | None) -> tuple[Literals, Literals]:
        """What may end a block of this shape in this frame, and what ends even a broken string in it."""
        found = self._markers.get((shape.name, frame))
        if found is None:
            own = (*self.closers(shape).anywhere, *(frame.closers if frame else ()))
            fences = tuple(opener for opener in self.at_line if any(row.place == "line" for row in self.rows[opener]))
            line = () if shape.is_tagged else (*fences, *REASONING, *FAKE_RESULTS)
            found = Literals((*own, *self.tagged, *END_TOKENS, *HANDOVERS), line), Literals(own)
            self._markers[shape.name, frame] = found
        return found


@lru_cache(maxsize=128)
def table(names: tuple[str, ...]) -> Table:
    """The table for these tools; kept, since many replies are read with the same."""
    return Table(names)
