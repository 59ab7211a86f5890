"""The one loop that reads a reply: goes over text, tries shapes where their openers stand, falls back to text.

Law: every event's raw, joined in order, is the text; what the events add up to does not depend on how the text was cut.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial

from opposable.wire.blocks import FENCE, Blocks
from opposable.wire.channels import BEGUN, GLUED, HEADS, kind, over_header, read_header
from opposable.wire.ends import ENDS, over_end_tokens
from opposable.wire.events import Event, Marker, Reasoning, Rejected, Text
from opposable.wire.framing import Thoughts, ends_here, heads_a_part, message_frame, over_author, over_label, over_noise
from opposable.wire.offered import Offered, Tool
from opposable.wire.scan import SPACE
from opposable.wire.sections import over_opener
from opposable.wire.shapes import BY_NAME, frames, table
from opposable.wire.shapes.frames import (
    AUTHOR,
    CONTENT,
    END_TOKENS,
    FAKE_RESULTS,
    HANDOVERS,
    PHRASES,
    REASONING,
    RESULT_TOKENS,
    TURN_OPENERS,
    Frame,
)
from opposable.wire.source import Literals, Source, Wait
from opposable.wire.told import Told

ENDED = ("stop", "tool_calls", "end_turn", "stop_sequence")
"""Finish reasons that mean: the model ended the reply itself. Any other means that it was cut off."""

_FAKE = Literals(FAKE_RESULTS)
_PHRASES = Literals(PHRASES)
_BEFORE_A_PART = frozenset(("<|end|>", *(closer for closers in CONTENT.values() for closer in closers)))


class StreamParser:
    """Reads a reply as it comes.

    `tools`: what was offered, as objects with `name` and `parameters` (JSON Schema) or dicts in the OpenAI format.
    `starts_in_reasoning`: the chat template has opened the reasoning. `shape`: the name of the shape this model writes,
    where the caller knows it; nothing depends on it, the order in which shapes are tried included. Never raises on text.
    """

    def __init__(
        self, tools: Iterable[Tool] = (), *, starts_in_reasoning: bool = False, shape: str | None = None
    ) -> None:
        if shape is not None and shape not in BY_NAME:
            raise ValueError(f"no shape is called {shape!r}; there are {', '.join(BY_NAME)}")
        self._tools = Offered(tools)
        self._src = Source()
        self._told = Told(self._src, self._tools)
        self._table = table(tuple(self._tools))
        self._blocks = Blocks(self._src, self._table, self._tools, self._told)
        self._outside = self._table.outside
        self._frame: Frame | None = None
        self._phrase = ""
        self._begins_line = True
        self._named: Counter[str] = Counter()
        self._fresh: Literals | None = self._table.first
        self._passed: Callable[[], None] | None = None
        self._work = self._read(starts_in_reasoning)
        next(self._work, None)

    def feed(self, delta: str) -> list[Event]:
        """More of the reply has come; what is settled by it. Errors: ValueError after `close`."""
        if self._src.closed:
            raise ValueError("this reply is closed: read the next with a new parser")
        if self._src.feed(delta):
            next(self._work, None)
        elif self._passed is None:
            return []
        else:
            self._passed()
        return self._told.take()

    def close(self, finish_reason: str | None = "stop") -> list[Event]:
        """The reply is over, for this reason (as in the OpenAI dialect); the last events."""
        self._src.closed = True
        self._told.ended = finish_reason in ENDED
        next(self._work, None)
        return self._told.take()

    # The loop

    def _read(self, starts_in_reasoning: bool) -> Wait[None]:  # noqa: FBT001
        src = self._src
        if (yield from over_noise(src)):
            self._told.let_go(Marker)
        self._phrase = (yield from src.look(_PHRASES)) or ""
        if self._phrase:
            self._outside = self._table.in_section(PHRASES[self._phrase])
        if starts_in_reasoning:
            start = src.at
            yield from src.skip(SPACE)
            opener = yield from src.look(self._table.first)
            if opener in REASONING:
                yield from self._at(opener)
            else:
                src.back(start)
                if opener not in (*HEADS, *BEGUN, *CONTENT):
                    yield from over_label(src, "")
                    self._told.let_go(Marker)
                    yield from self._reasoning(frames.BEGUN)
        while True:
            literal = yield from self._next_literal()
            if literal is not None:
                yield from self._at(literal)
            elif src.closed:
                return
            else:
                yield from self._wait(
                    self._looked_for, None if self._told.section else partial(self._told.let_go, Text)
                )

    def _wait(self, literals: Literals, passed: Callable[[], None] | None) -> Wait[None]:
        """Wait for one of these. Until then, `passed` says what was gone over."""
        self._passed = passed
        yield from self._src.wait(literals.run)
        self._passed = None

    @property
    def _looked_for(self) -> Literals:
        """What may begin something else in this text."""
        if self._told.section is not None:
            return self._told.section.inside
        return self._outside if self._frame is None else self._table.inside(self._frame)

    def _next_literal(self) -> Wait[str | None]:
        """Go over text to the next literal of interest; None where there is none so far."""
        src = self._src
        if self._fresh is not None:
            literal = yield from src.look(self._fresh)
            self._fresh, self._begins_line = None, True
            if literal is not None:
                return literal
        outside = self._looked_for
        found = src.seek(outside)
        if found is not None:
            self._begins_line = src.text[src.pos - 1] == "\n"
            src.pos += len(found) - len(found.lstrip(" \t"))
        if self._told.section is None or (found is None and src.closed):
            self._told.let_go(Text)
        if found is None:
            return None
        literal = yield from src.look(outside)
        assert literal is not None
        return literal

    def _at(self, literal: str) -> Wait[None]:
        """A literal of interest stands here."""
        src = self._src
        if self._frame is not None and literal in self._frame.ends:
            self._told.leave_section()
            yield from self._end_of_frame(self._frame, literal)
        elif literal in HEADS or literal in BEGUN:
            self._told.leave_section()
            yield from self._message(literal)
        elif (literal in self._table.rows or literal in self._table.sections) and not (
            literal == AUTHOR and (yield from heads_a_part(src))
        ):
            yield from self._opener(literal, self._frame)
        elif self._told.section is not None and literal in self._told.section.section.closers:
            self._told.close_section(literal)
            self._fresh = _FAKE if self._told.called else None
        else:
            self._told.leave_section()
            yield from self._around(literal)

    def _around(self, literal: str) -> Wait[None]:
        """What stands here belongs to no block."""
        src = self._src
        if literal in END_TOKENS:
            yield from self._end_tokens(literal)
            return
        if literal in HANDOVERS:
            yield from self._handover(literal)
            return
        src.pos += len(literal)
        if literal in REASONING and not self._begins_line:
            self._named.update(REASONING[literal])
            self._told.let_go(Text)
        elif literal in REASONING:
            yield from over_label(src, literal)
            self._told.let_go(Marker)
            yield from self._reasoning(Frame("reasoning", REASONING[literal]))
        elif literal == AUTHOR:
            follows = yield from over_author(src)
            is_marker = follows or (follows is None and (self._told.between or not self._told.ended))
            self._told.let_go(Marker if is_marker else Text)
            self._fresh = self._outside if is_marker else None
        elif literal in CONTENT and literal != frames.FINAL:
            self._told.let_go(Marker)
            self._frame = Frame("content", CONTENT[literal])
        elif literal in frames.AFTER_REASONING and self._told.between:
            self._told.let_go(Marker)
            self._frame = Frame("content", frames.AFTER_REASONING[literal])
        elif literal in FAKE_RESULTS:
            self._told.faked = literal
            is_end = literal in RESULT_TOKENS and not (yield from src.skip(SPACE))
            self._told.let_go(Marker if is_end else Text)
        elif literal in frames.AFTER_REASONING or self._named[literal] > 0 or self._told.called:
            self._named[literal] -= 1
            self._told.let_go(Text)
        else:
            self._all_reasoning(literal)

    def _all_reasoning(self, closer: str) -> None:
        """The closer of reasoning that no marker had opened was gone over."""
        opened = self._phrase if closer in PHRASES.get(self._phrase, ()) else ""
        self._told.all_reasoning(opened)
        self._phrase, self._outside = "", self._table.outside
        self._after_reasoning(closer)

    def _after_reasoning(self, closer: str) -> None:
        self._told.between = True
        self._fresh = self._outside
        if closer == frames.FINAL:
            self._frame, self._fresh = Frame("content", CONTENT[closer]), None
        elif closer == frames.ANSWER:
            self._frame, self._fresh = frames.MESSAGES["content"], None

    # Messages and frames

    def _message(self, literal: str) -> Wait[None]:
        """What may begin the header of a message stands here."""
        src = self._src
        if literal == GLUED and literal in PHRASES.get(self._phrase, ()) and not self._told.called:
            src.pos += len("assistant")
            self._all_reasoning(literal)
            self._fresh = self._table.first
            return
        start = src.at
        state = yield from over_header(src)
        header = read_header(src.since(start)) if state in ("whole", "bare") else None
        what = kind(header, self._tools) if header is not None else None
        if what == "frame" and (yield from src.skip(SPACE)) == "{":
            what = "call"
        if what == "call":
            src.back(start)
            yield from self._opener(HEADS[0], None)
        elif what == "turn" and self._told.between:
            src.back(start)
            yield from self._other_turn()
        elif state == "cut" and (self._told.between or not self._told.ended):
            self._told.let_go(Marker)
        elif header is None or state == "bare" or what == "turn":
            src.back(start)
            src.pos += len(literal)
            self._told.let_go(Text)
        else:
            frame = message_frame(header, what or "")
            if frame.part == "reasoning":
                yield from over_label(src, literal)
            self._told.let_go(Marker)
            if frame.part == "reasoning":
                yield from self._reasoning(frame)
            else:
                self._frame = frame

    def _end_of_frame(self, frame: Frame, literal: str) -> Wait[None]:
        """What may end the frame of content stands here."""
        src = self._src
        if not (yield from ends_here(src, frame, literal)):
            self._told.let_go(Text)
            return
        end = src.at
        follows = yield from over_end_tokens(src)
        if follows is not None and follows not in TURN_OPENERS:
            src.back(end)
        self._told.let_go(Marker)
        self._frame, self._told.between, self._fresh = None, True, self._outside
        if follows in TURN_OPENERS:
            yield from self._other_turn()

    # Ends

    def _end_tokens(self, literal: str) -> Wait[None]:
        src = self._src
        if (yield from over_end_tokens(src)) is None:
            self._told.let_go(Marker)
        elif (yield from src.look(ENDS)) is not None:
            self._told.let_go(Marker)
            yield from self._other_turn()
        elif literal in _BEFORE_A_PART and (yield from src.look(self._table.starts)) is not None:
            self._told.let_go(Marker)
            self._told.between = True
            self._fresh = self._outside
        else:
            self._told.let_go(Text)

    def _handover(self, token: str) -> Wait[None]:
        """A token that opens the turn of another stands here: that ends this one after a part of it, or at the end."""
        src = self._src
        start = src.at
        src.pos += len(token)
        if not (yield from src.skip(SPACE)):
            self._told.let_go(Marker)
        elif self._told.between:
            src.back(start)
            yield from self._other_turn()
        else:
            self._told.let_go(Text)

    def _other_turn(self) -> Wait[None]:
        """The turn is over, and another begins here: nothing in it counts."""
        src = self._src
        while not src.closed:
            src.pos = len(src.text)
            yield
        src.pos = len(src.text)
        self._told.events.append(Rejected("after_end_of_turn", src.take(), "nothing"))

    # Reasoning

    def _reasoning(self, frame: Frame) -> Wait[None]:
        """Its opener, and what belongs to it, was gone over: read on to its end. Line breaks at both ends are layout."""
        src = self._src
        literals = self._table.inside(frame)
        thoughts = Thoughts()

        def more() -> None:
            self._told.events += thoughts.add(src.take())

        while True:
            found = src.seek(literals)
            if found is not None:
                src.pos += len(found) - len(found.lstrip(" \t"))
            more()
            if found is None and not src.closed:
                yield from self._wait(literals, more)
                continue
            literal = yield from src.look(literals)
            if literal is None:
                self._told.events += thoughts.rest()
                return
            if literal not in frame.ends:
                self._told.events += thoughts.rest()
                yield from self._opener(literal, frame)
                if isinstance(self._told.events[-1], Reasoning):
                    self._told.events += thoughts.add(self._told.events.pop().raw)
            elif (yield from ends_here(src, frame, literal)):
                self._told.events += thoughts.close(src.take())
                self._after_reasoning(literal)
                return

    # Sections and blocks

    def _opener(self, literal: str, frame: Frame | None) -> Wait[None]:
        """What may open a block or a section stands here, in this frame: read it, or let go what is none."""
        src = self._src
        start = src.at
        if literal in self._table.rows and not self._blocks.counts(literal):
            src.pos += len(literal)
            if self._told.section is None:
                self._told.let_go(Text)
            return
        in_reasoning = frame is not None and frame.part == "reasoning"
        known = literal in self._table.rows
        block = (yield from self._blocks.read(literal, frame)) if known else None
        if block is None and literal == FENCE and not in_reasoning:
            src.back(start)
            block = yield from self._blocks.in_fence(frame)
        if block is not None:
            if self._told.settle(*block, in_reasoning=in_reasoning):
                self._fresh = _FAKE
            return
        section = None if in_reasoning else self._table.sections.get(literal)
        if section is not None:
            end = max(src.at, start + len(literal))
            src.back(start)
            if (yield from over_opener(src, self._table, self._told, literal, section)):
                return
            src.go(max(end, src.at))
        if in_reasoning:
            self._told.let_go(Reasoning)
        elif literal in frames.AFTER_REASONING and self._told.between:
            src.back(start)
            self._told.leave_section()
            yield from self._around(literal)
        elif src.is_over and not self._told.ended and src.since(start).strip() == literal.strip():
            self._told.let_go(Marker)
        elif self._told.section is None:
            self._told.let_go(Text)
