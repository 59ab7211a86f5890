"""The one loop that reads a reply: goes over text, tries shapes where their openers stand, falls back to text.

Law: every event's raw, joined in order, is the text; what the events add up to does not depend on how the text was cut.
"""

import re
from collections.abc import Iterable, Sequence

from opposable.wire import calls
from opposable.wire.ends import ENDS, is_last, over_end_tokens
from opposable.wire.events import AllReasoning, Cause, Event, Marker, Part, Reasoning, Rejected, Text
from opposable.wire.judge import judge
from opposable.wire.mend import Malformed
from opposable.wire.offered import Offered, Tool
from opposable.wire.scan import SPACE
from opposable.wire.shapes import (
    AT_LINE,
    BY_NAME,
    TAGGED,
    by_opener,
    closers,
    ends,
    inside_reasoning,
    markers,
    may_begin,
    openers,
)
from opposable.wire.shapes.frames import END_TOKENS, FAKE_RESULTS, REASONING, REASONING_CLOSERS
from opposable.wire.shapes.shape import Shape
from opposable.wire.source import Literals, Source, Wait
from opposable.wire.steps import Block, Space

ENDED = ("stop", "tool_calls", "end_turn", "stop_sequence")
"""Finish reasons that mean: the model ended the reply itself. Any other means that it was cut off."""

_OUTSIDE = Literals((*TAGGED, *REASONING_CLOSERS, *END_TOKENS), (*AT_LINE, *REASONING, *FAKE_RESULTS))
_LINE = Literals((*AT_LINE, *REASONING, *FAKE_RESULTS))
_FAKE = Literals(FAKE_RESULTS)
_STRAY = re.compile(r"[\s}\]]+")
_NEWLINES = re.compile(r"\n+")
_PROSE = re.compile(r"[^\s{\[\"'“`]")


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
        self._loose = 0
        self._fresh: Literals | None = _LINE
        self._hint = shape
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

    # The loop

    def _read(self, starts_in_reasoning: bool) -> Wait[None]:  # noqa: FBT001
        src = self._src
        if starts_in_reasoning:
            yield from src.skip(SPACE)
            opener = yield from src.look(_LINE)
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
        found = src.seek(_OUTSIDE)
        if found is not None:
            src.pos += len(found) - len(found.lstrip(" \t"))
        self._let_go(Text)
        if found is None:
            return None
        literal = yield from src.look(_OUTSIDE)
        assert literal is not None
        return literal

    def _at(self, literal: str) -> Wait[None]:
        """A literal of interest stands here."""
        src = self._src
        if literal in END_TOKENS:
            yield from self._end_tokens()
        elif literal in REASONING:
            src.pos += len(literal)
            yield from self._reasoning(literal)
        elif literal in FAKE_RESULTS:
            src.pos += len(literal)
            self._faked = True
            self._let_go(Text)
        elif literal in REASONING_CLOSERS:
            src.pos += len(literal)
            if self._called:
                self._let_go(Text)
            else:
                self._events.append(AllReasoning(src.take()))
                self._fresh = _LINE
        else:
            yield from self._block(literal, closer=None)

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
        literals = inside_reasoning(closer)
        breaks: list[str] = []
        while True:
            literal = src.seek(literals)
            self._let_go_reasoning(src.take(), breaks)
            if literal == closer:
                src.pos += len(closer)
                self._events.append(Marker("".join(breaks) + src.take()))
                self._fresh = _LINE
                return
            if literal is not None:
                self._let_go_breaks(breaks)
                yield from self._block((yield from src.look(literals)) or literal, closer=closer)
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

    # Blocks

    def _block(self, opener: str, closer: str | None) -> Wait[None]:
        """An opener stands here: find the shape and read the block. `closer`: what ends the reasoning it stands in."""
        src = self._src
        start = src.at
        taken_as = Text if closer is None else Reasoning
        shapes = self._shapes(opener)
        if shapes[0].place != "end":
            src.pos += len(opener)
        after, doubled = yield from self._after_opener(shapes)
        begin = src.at
        for row in (row for row in shapes if may_begin(row, after)):
            src.back(begin)
            block = Block(start, markers(row.name, closer), ends(row.name, closer), loose=start < self._loose)
            if (yield from self._steps(row, block)) != "no":
                break
        else:
            self._let_go(Marker if not after and not self._ended else taken_as)
            return
        if doubled:
            block.mends.append("doubled_marker")
        shape = yield from self._closing(row, block)
        if shape is None:
            self._let_go(taken_as)
        else:
            self._settle(shape, block, src.take(), in_reasoning=closer is not None)

    def _shapes(self, opener: str) -> Sequence[Shape]:
        shapes = by_opener()[opener]
        return sorted(shapes, key=lambda shape: shape.name != self._hint) if self._hint else shapes

    def _after_opener(self, shapes: Sequence[Shape]) -> Wait[tuple[str, bool]]:
        """The first character after the opener and white space, and whether the opener was doubled. Goes over both."""
        src = self._src
        doubled = False
        if shapes[0].place == "end":
            return (yield from src.char()), doubled
        space = any(isinstance(shape.inner[0], Space) for shape in shapes)
        while True:
            after = yield from (src.skip(SPACE) if space else src.char())
            again = yield from src.look(openers(shapes[0].name))
            if again is None or shapes[0].place != "anywhere":
                return after, doubled
            src.pos += len(again)
            doubled = True

    def _steps(self, shape: Shape, block: Block) -> Wait[str]:
        for step in shape.inner:
            state = yield from step.scan(self._src, block)
            if state != "on":
                return state
        return "on"

    def _closing(self, shape: Shape, block: Block) -> Wait[Shape | None]:
        """Find where the block ends, and say what shape it really has; None: it is text."""
        src = self._src
        if shape.place == "end":
            return (yield from self._closing_bare(shape, block))
        closing = closers(shape.name)
        if not block.whole:
            body = self._end_in_string(block)
            if (yield from src.look(closing)) is not None:
                yield from self._over_closers(shape, block)
            elif body is not None and _PROSE.match(body):
                src.back(block.parts["body"][0])
                return None
            else:
                block.last = yield from is_last(src)
            return shape
        if not shape.closers:
            block.parts["closer"] = (src.at, src.at)
            return shape
        end = src.at
        char = yield from src.skip(_STRAY)
        if (yield from src.look(closing)) is None and char:
            found = yield from src.find(block.markers)
            if found is None or found not in shape.closers:
                src.back(end)
                char = yield from src.skip(_STRAY)
        if (yield from src.look(closing)) is None:
            src.back(end)
            block.parts["closer"] = (end, end)
            block.mends += ["missing_marker"] if shape.is_closed else []
        else:
            after = src.since(end)
            if "{" in after:  # what may be another call is not cut off
                block.parts["body"] = (block.parts["body"][0], src.at)
            elif after.strip():
                block.mends.append("text_after")
            yield from self._over_closers(shape, block)
        return shape

    def _closing_bare(self, shape: Shape, block: Block) -> Wait[Shape | None]:
        """Bare JSON counts where only white space and end tokens follow it, or the closing tag whose opener is missing."""
        src = self._src
        if not block.whole:
            block.last = yield from is_last(src)
            return shape if block.last else None
        end = src.at
        yield from src.skip(SPACE)
        tagged = BY_NAME["hermes"]
        closing = closers(tagged.name)
        if (yield from src.look(closing)) is not None:
            block.mends.append("missing_opener")
            yield from self._over_closers(tagged, block)
            return tagged
        src.back(end)
        return shape if (yield from is_last(src)) else None

    def _over_closers(self, shape: Shape, block: Block) -> Wait[None]:
        """Go over a closer that stands here, and over those that follow it across white space only."""
        src = self._src
        closing = closers(shape.name)
        first = True
        while (literal := (yield from src.look(closing))) is not None:
            src.pos += len(literal)
            end = src.at
            block.parts["closer"] = (end - len(literal), end)
            if not first:
                block.mends.append("doubled_marker")
            if shape.place == "line":
                return
            first = False
            yield from src.skip(SPACE)
        src.back(end)

    def _end_in_string(self, block: Block) -> str | None:
        """Where a value is broken, what ends a block counts within its strings too: end it there. The body, if any."""
        src = self._src
        if "body" not in block.parts:
            return None
        start = block.parts["body"][0]
        body = src.since(start)
        found = block.ends.pattern.search(body)
        if found is not None:
            # Up to here no string is trusted again: each block would look at it once more.
            self._loose = src.at
            src.back(start + found.start())
            block.parts["body"] = (start, src.at)
        return body

    # Judging

    def _settle(self, shape: Shape, block: Block, raw: str, *, in_reasoning: bool) -> None:
        """The block is over: say what it is."""
        closed = "closer" in block.parts
        cut = not (block.whole or closed or self._ended)
        tagged = shape.place == "anywhere"
        if cut and not block.text("body", raw).strip():
            self._events.append(Reasoning(raw) if in_reasoning else Marker(raw))
            return
        try:
            if cut:
                raise calls.Refused("truncated")
            found = judge(shape, block, raw, self._tools, ended=closed or (block.last and self._ended))
        except calls.NoCall:
            self._reject("malformed", raw, in_reasoning=in_reasoning, listed=tagged)
        except calls.Refused as refused:
            self._reject(refused.cause, raw, in_reasoning=in_reasoning, listed=tagged or calls.names_a_call(raw))
        except (Malformed, RecursionError):
            self._reject("malformed", raw, in_reasoning=in_reasoning, listed=tagged or calls.names_a_call(raw))
        else:
            if in_reasoning:
                self._events.append(Rejected("in_reasoning", raw, "reasoning"))
            elif self._faked:
                self._events.append(Rejected("after_fake_result", raw))
            else:
                self._called = True
                self._events += found
                self._fresh = _FAKE

    def _reject(self, cause: Cause, raw: str, *, in_reasoning: bool, listed: bool = True) -> None:
        if in_reasoning:
            self._events.append(Reasoning(raw))
        elif not listed:
            self._events.append(Text(raw))
        else:
            part: Part = "nothing" if cause == "truncated" and self._called else "content"
            self._events.append(Rejected(cause, raw, part))
