"""What was told of a reply so far, and what that makes of what comes. Law: nothing is told twice or taken back."""

from collections.abc import Sequence
from dataclasses import dataclass

from opposable.wire import calls
from opposable.wire.events import AllReasoning, Call, Cause, Event, Marker, Part, Reasoning, Rejected, Text
from opposable.wire.judge import judge
from opposable.wire.mend import Malformed
from opposable.wire.offered import Offered
from opposable.wire.shapes.shape import Section, Shape
from opposable.wire.source import Literals, Source
from opposable.wire.steps import Block


@dataclass(slots=True)
class OpenSection:
    """A section under way. `inside`: what to look for in it. `start`: where its opener ended.

    `is_sound`: no block of it was refused. `is_filled`: it has a block.
    """

    section: Section
    inside: Literals
    start: int
    is_sound: bool = True
    is_filled: bool = False


class Told:
    """The events of a reply, and what was seen so far.

    `ended`: the model ended the reply itself. `called`: a call was accepted. `faked`: what began a result that was made
    up, or nothing. `alone`: nothing was said yet. `between`: a part of the reply has ended, and nothing was said since.
    """

    def __init__(self, src: Source, tools: Offered) -> None:
        self._src = src
        self._tools = tools
        self.events: list[Event] = []
        self.ended = True
        self.called = self.between = False
        self.faked = ""
        self.alone = True
        self.section: OpenSection | None = None

    def take(self) -> list[Event]:
        """The events since the last time."""
        events, self.events = self.events, []
        return events

    def let_go(self, part: type[Text | Reasoning | Marker]) -> None:
        """What is held is this."""
        raw = self._src.take()
        if raw:
            self.events.append(part(raw))
        if part is Text and (self.alone or self.between) and raw.strip():
            self.between = self.alone = False

    def all_reasoning(self, opened: str) -> None:
        """What is held closes reasoning that no marker had opened, but these words, if any."""
        self.events.append(AllReasoning(self._src.take(), opened))
        self.alone = True

    def close_section(self, closer: str) -> None:
        """The closer of the section stands here. Words between two such markers, and no block, are prose about them."""
        assert self.section is not None
        inside = "" if self.section.is_filled else self._src.since(self.section.start)
        self._src.pos += len(closer)
        self.let_go(Marker if self.section.is_sound and not inside.strip() else Text)
        self.section = None

    def leave_section(self) -> None:
        """What was held in it and did not become part of a block is text."""
        if self.section is not None:
            self.section = None
            self.let_go(Text)

    def settle(self, shape: Shape, block: Block, *, in_reasoning: bool) -> bool:
        """A block is over, and is held: say what it is, and what that makes of the text of its section before it.

        Was it a call that counts?
        """
        raw = self._src.since(block.start)
        before = self._src.take()[: -len(raw)]
        events = self._judged(shape, block, raw)
        is_call = isinstance(events[0], Call)
        if in_reasoning:
            self.events.append(
                Rejected("in_reasoning", raw, "reasoning", shape=shape.name) if is_call else Reasoning(raw)
            )
            return False
        if is_call and self.faked:
            why = f"the model wrote {self.faked} itself"
            events = [Rejected("after_fake_result", raw, why=why, shape=shape.name)]
        elif is_call:
            self.called = self.between = True
        is_content = isinstance(events[0], Text) or (isinstance(events[0], Rejected) and events[0].part == "content")
        is_sections = False
        if self.section is not None:
            self.section.is_filled = True
            self.section.is_sound = is_sections = self.section.is_sound and not is_content
        self.alone = False
        if before:
            self.events.append(Marker(before) if is_sections else Text(before))
        self.events += events
        return is_call and not self.faked

    def _judged(self, shape: Shape, block: Block, raw: str) -> Sequence[Event]:
        closed = "closer" in block.parts
        cut = not (block.whole or closed or self.ended)
        if cut and shape.body.is_head(block.text("body", raw)):
            return [Marker(raw)]
        cause: Cause = "malformed"
        why = ""
        listed = shape.is_tagged or shape.body.names_a_call(raw)
        try:
            if cut:
                raise calls.Refused("truncated")
            return judge(shape, block, raw, self._tools, ended=closed or (block.last and self.ended))
        except calls.NoCall as error:
            listed, why = shape.is_tagged, str(error)
        except calls.Refused as refused:
            cause, why = refused.cause, str(refused)
        except (Malformed, RecursionError) as error:
            why = str(error)
        if not listed:
            return [Text(raw)]
        part: Part = "nothing" if cause == "truncated" and self.called else "content"
        return [Rejected(cause, raw, part, why, shape.name)]
