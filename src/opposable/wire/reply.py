"""A whole reply: what its events add up to. Law: nothing is inserted; only layout at the outer ends is taken off."""

from collections.abc import Iterable

from opposable.wire.events import AllReasoning, Call, Event, Reasoning, Rejected, Reply, Text
from opposable.wire.machine import StreamParser
from opposable.wire.offered import Tool


def parse(
    text: str,
    tools: Iterable[Tool] = (),
    finish_reason: str | None = "stop",
    *,
    starts_in_reasoning: bool = False,
    shape: str | None = None,
) -> Reply:
    """What a model's reply means: its content, its reasoning, its calls to the offered tools, and what was no call.

    `tools`: objects with `name` and `parameters` (JSON Schema), or dicts in the OpenAI format. `finish_reason`: why the
    reply ended, as servers say it; `length`, None and anything unknown mean that it was cut off. `starts_in_reasoning`:
    the chat template has opened the reasoning. `shape`: a hint on which nothing depends. Never raises on text.
    """
    parser = StreamParser(tools, starts_in_reasoning=starts_in_reasoning, shape=shape)
    return collect([*parser.feed(text), *parser.close(finish_reason)])


def collect(events: Iterable[Event]) -> Reply:
    """The reply that these events add up to, however the text was cut when it came."""
    content, reasoning = _Part(), _Part()
    calls: list[Call] = []
    rejected: list[Rejected] = []
    for event in events:
        if isinstance(event, Text):
            content.add(event.raw)
            continue
        if isinstance(event, Reasoning):
            reasoning.add(event.raw)
        elif isinstance(event, Call):
            calls.append(event)
        elif isinstance(event, AllReasoning):
            reasoning.add(content.take().removeprefix(event.opened).strip("\n"))
        elif isinstance(event, Rejected):
            rejected.append(event)
            if event.part == "content":
                content.add(event.raw)
                continue
            if event.part == "reasoning":
                reasoning.add(event.raw)
        content.touch()
    return Reply(content.text(), reasoning.take() or None, tuple(calls), tuple(rejected))


class _Part:
    """Text in pieces, and the places where a marker stood between them."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.length = 0
        self.first: int | None = None
        self.last: int | None = None

    def add(self, piece: str) -> None:
        self.pieces.append(piece)
        self.length += len(piece)

    def touch(self) -> None:
        self.first = self.length if self.first is None else self.first
        self.last = self.length

    def take(self) -> str:
        text = "".join(self.pieces)
        self.__init__()  # type: ignore[misc]
        return text

    def text(self) -> str | None:
        first, last = self.first, self.last
        text = self.take()
        start = len(text) - len(text.lstrip())
        end = len(text.rstrip())
        if start >= len(text):
            return None
        if last is not None and last >= end and "\n" in text[end:]:
            text = text[:end]
        if first is not None and first <= start and "\n" in text[:start]:
            text = text[start:]
        return text
