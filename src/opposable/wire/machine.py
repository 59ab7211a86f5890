"""The one loop that reads a reply: goes over text, tries shapes where their openers stand, falls back to text.

Law: every event's raw, joined in order, is the text; what the events add up to does not depend on how the text was cut.
"""

import re
from collections.abc import Iterable, Sequence

from opposable.wire import calls
from opposable.wire.blocks import FENCE, Blocks
from opposable.wire.ends import ENDS, over_end_tokens
from opposable.wire.events import AllReasoning, Call, Cause, Event, Marker, Reasoning, Rejected, Text
from opposable.wire.judge import judge
from opposable.wire.mend import Malformed
from opposable.wire.offered import Offered, Tool
from opposable.wire.scan import SPACE
from opposable.wire.shapes import BY_NAME, table
from opposable.wire.shapes.frames import END_TOKENS, FAKE_RESULTS, REASONING
from opposable.wire.shapes.shape import Section, Shape
from opposable.wire.source import Literals, Source, Wait
from opposable.wire.steps import Block

ENDED = ("stop", "tool_calls", "end_turn", "stop_sequence")
"""Finish reasons that mean: the model ended the reply itself. Any other means that it was cut off."""

_FAKE = Literals(FAKE_RESULTS)
_NEWLINES = re.compile(r"\n+")
_NOISE = 256
"""How many characters of text may stand between the opener of a section and its first block."""


class StreamParser:
    """Reads a reply as it comes.

    `tools`: what was offered, as objects with `name` and `parameters` (JSON Schema) or dicts in the OpenAI format.
    `starts_in_reasoning`: the chat template has opened the reasoning. `shape`: the name of the shape this model writes,
    where the caller knows it; nothing depends on it. Never raises on text.
    """

    def __init__(
        self, tools: Iterable[Tool] = (), *, starts_in_reasoning: bool = False, shape: str | None = None
    ) -> None:
        if shape is not None and shape not in BY_NAME:
            raise ValueError(f"no shape is called {shape!r}; there are {', '.join(BY_NAME)}")
        self._tools = Offered(tools)
        self._src = Source()
        self._events: list[Event] = []
        self._ended = True
        self._called = self._faked = False
        self._table = table(tuple(self._tools))
        self._blocks = Blocks(self._src, self._table, self._tools, shape)
        self._section: Section | None = None
        self._inside = self._table.outside
        self._sound = True
        self._fresh: Literals | None = self._table.line
        self._work = self._read(starts_in_reasoning)
        next(self._work, None)

    def feed(self, delta: str) -> list[Event]:
        """More of the reply has come; what is settled by it. Errors: ValueError after `close`."""
        if self._src.closed:
            raise ValueError("this reply is closed: read the next with a new parser")
        self._src.feed(delta)
        next(self._work, None)
        return self._settled()

    def close(self, finish_reason: str | None = "stop") -> list[Event]:
        """The reply is over, for this reason (as in the OpenAI dialect); the last events."""
        self._src.closed = True
        self._ended = finish_reason in ENDED
        next(self._work, None)
        return self._settled()

    def _settled(self) -> list[Event]:
        events, self._events = self._events, []
        return events

    def _let_go(self, kind: type[Text | Reasoning | Marker]) -> None:
        raw = self._src.take()
        if raw:
            self._events.append(kind(raw))
        if kind is Text and raw.strip():
            self._blocks.alone = False

    # The loop

    def _read(self, starts_in_reasoning: bool) -> Wait[None]:  # noqa: FBT001
        src = self._src
        if starts_in_reasoning:
            yield from src.skip(SPACE)
            opener = yield from src.look(self._table.line)
            if opener not in REASONING:
                src.back(0)
                opener = "<think>"
            else:
                src.pos += len(opener)
            yield from self._reasoning(opener)
        while True:
            literal = yield from self._next_literal()
            if literal is not None:
                yield from self._at(literal)
            elif src.closed:
                return
            else:
                yield

    def _next_literal(self) -> Wait[str | None]:
        """Go over text to the next literal of interest; None where there is none so far."""
        src = self._src
        if self._fresh is not None:
            literal = yield from src.look(self._fresh)
            self._fresh = None
            if literal is not None:
                return literal
        outside = self._table.outside if self._section is None else self._inside
        found = src.seek(outside)
        if found is not None:
            src.pos += len(found) - len(found.lstrip(" \t"))
        if self._section is None or (found is None and src.closed):
            self._let_go(Text)
        if found is None:
            return None
        literal = yield from src.look(outside)
        assert literal is not None
        return literal

    def _at(self, literal: str) -> Wait[None]:
        """A literal of interest stands here."""
        src = self._src
        if literal in self._table.rows or literal in self._table.sections:
            yield from self._opener(literal)
            return
        if self._section is not None and literal in self._section.closers:
            src.pos += len(literal)
            self._let_go(Marker if self._sound else Text)
            self._section = None
            return
        self._leave_section()
        if literal in END_TOKENS:
            yield from self._end_tokens()
        elif literal in REASONING:
            src.pos += len(literal)
            yield from self._reasoning(literal)
        elif literal in FAKE_RESULTS:
            src.pos += len(literal)
            self._faked = True
            self._let_go(Text)
        elif self._called:
            src.pos += len(literal)
            self._let_go(Text)
        else:
            src.pos += len(literal)
            self._events.append(AllReasoning(src.take()))
            self._fresh = self._table.line
            self._blocks.alone = True

    # Ends

    def _end_tokens(self) -> Wait[None]:
        src = self._src
        if (yield from over_end_tokens(src)) is None:
            self._let_go(Marker)
        elif (yield from src.look(ENDS)) is not None:
            self._let_go(Marker)
            while not src.closed:
                src.pos = len(src.text)
                yield
            src.pos = len(src.text)
            self._events.append(Rejected("after_end_of_turn", src.take(), "nothing"))
        else:
            self._let_go(Text)

    # Reasoning

    def _reasoning(self, opener: str) -> Wait[None]:
        """The opener was gone over: read on to its closer. Line breaks at both ends are layout."""
        src = self._src
        closer = REASONING[opener]
        yield from src.skip(_NEWLINES)
        self._let_go(Marker)
        literals = self._table.inside_reasoning(closer)
        breaks: list[str] = []
        while True:
            literal = src.seek(literals)
            self._let_go_reasoning(src.take(), breaks)
            if literal == closer:
                src.pos += len(closer)
                self._events.append(Marker("".join(breaks) + src.take()))
                self._fresh = self._table.line
                return
            if literal is not None:
                self._let_go_breaks(breaks)
                yield from self._opener((yield from src.look(literals)) or literal, closer)
                if isinstance(self._events[-1], Reasoning):
                    self._let_go_reasoning(self._events.pop().raw, breaks)
            elif src.closed:
                self._let_go_breaks(breaks)
                return
            else:
                yield

    def _let_go_reasoning(self, raw: str, breaks: list[str]) -> None:
        text = raw.rstrip("\n")
        if text:
            self._let_go_breaks(breaks)
            self._events.append(Reasoning(text))
        if len(text) < len(raw):
            breaks.append(raw[len(text) :])

    def _let_go_breaks(self, breaks: list[str]) -> None:
        if breaks:
            self._events.append(Reasoning("".join(breaks)))
            breaks.clear()

    # Sections and blocks

    def _opener(self, literal: str, closer: str | None = None) -> Wait[None]:
        """What may open a block or a section stands here: read it, or let go what is none.

        `closer`: what ends the reasoning it stands in.
        """
        src = self._src
        start = src.at
        if literal in self._table.rows and not self._blocks.counts(literal):
            src.pos += len(literal)
            if self._section is None:
                self._let_go(Text)
            return
        block = (yield from self._blocks.read(literal, closer)) if literal in self._table.rows else None
        if block is None and literal == FENCE and closer is None:
            src.back(start)
            block = yield from self._blocks.in_fence(closer)
        if block is not None:
            raw = src.since(block[1].start)
            before = src.take()[: -len(raw)]
            self._settle(*block, before, raw, in_reasoning=closer is not None)
            return
        section = self._table.sections.get(literal) if closer is None else None
        if section is not None:
            end = max(src.at, start + len(literal))
            src.back(start)
            if (yield from self._open_section(literal, section)):
                return
            src.pos += end - src.at
        if closer is not None:
            self._let_go(Reasoning)
        elif src.closed and not self._ended and src.since(start).strip() == literal.strip():
            self._let_go(Marker)
        elif self._section is None:
            self._let_go(Text)

    def _open_section(self, literal: str, section: Section) -> Wait[bool]:
        """Is this the opener of a section? Then what the section holds is not let go before its blocks are judged."""
        src = self._src
        start = src.at
        src.pos += len(literal)
        inside = self._table.in_section(section.closers)
        found = yield from src.find(inside, _NOISE)
        is_cut = found is None and src.closed and not self._ended and not src.since(start)[len(literal) :].strip()
        src.back(start)
        if not is_cut and found not in (*section.closers, *section.openers, *self._table.tagged):
            return False
        src.pos += len(literal)
        if is_cut:
            self._let_go(Marker)
        else:
            self._section, self._inside, self._sound = section, inside, True
        return True

    def _leave_section(self) -> None:
        """What was held in it and did not become part of a block is text."""
        if self._section is not None:
            self._section = None
            self._let_go(Text)

    # Judging

    def _settle(self, shape: Shape, block: Block, before: str, raw: str, *, in_reasoning: bool) -> None:
        """The block is over: say what it is, and what that makes of the text of its section `before` it."""
        events = self._judged(shape, block, raw)
        is_call = isinstance(events[0], Call)
        if in_reasoning:
            self._events.append(Rejected("in_reasoning", raw, "reasoning") if is_call else Reasoning(raw))
            return
        if is_call and self._faked:
            events = [Rejected("after_fake_result", raw)]
        elif is_call:
            self._called = True
            self._fresh = _FAKE
        is_content = isinstance(events[0], Text) or (isinstance(events[0], Rejected) and events[0].part == "content")
        self._sound = self._sound and not is_content
        self._blocks.alone = False
        if before:
            self._events.append(Marker(before) if self._section is not None and self._sound else Text(before))
        self._events += events

    def _judged(self, shape: Shape, block: Block, raw: str) -> Sequence[Event]:
        closed = "closer" in block.parts
        cut = not (block.whole or closed or self._ended)
        if cut and not block.text("body", raw).strip():
            return [Marker(raw)]
        cause: Cause = "malformed"
        listed = shape.is_tagged or shape.body.names_a_call(raw)
        try:
            if cut:
                raise calls.Refused("truncated")
            return judge(shape, block, raw, self._tools, ended=closed or (block.last and self._ended))
        except calls.NoCall:
            listed = shape.is_tagged
        except calls.Refused as refused:
            cause = refused.cause
        except (Malformed, RecursionError):
            pass
        if not listed:
            return [Text(raw)]
        return [Rejected(cause, raw, "nothing" if cause == "truncated" and self._called else "content")]
