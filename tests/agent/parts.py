"""What the tests of the agent are made of: a client that says what it should, tools that say what they did, a run."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from opposable.agent.approval import Rules
from opposable.agent.loop import Parts, run
from opposable.clients.scripted import Answer, Scripted
from opposable.contracts import Client, Strategy
from opposable.errors import Stop, TryAgain
from opposable.events import ApprovalGiven, Event, ReasoningDelta, RunEnded, TextDelta
from opposable.messages import Completion, Delta, Message, Request
from opposable.runtime.memory import MemoryRuntime
from opposable.strategies.prompted import Prompted
from opposable.tools.toolbox import Tool, Toolbox, tool


def call(name: str, **arguments: Any) -> str:
    """A call, as a model writes it."""
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def fail() -> None:
    """Fail."""
    raise ValueError("it broke")


def again() -> None:
    """Ask for another way."""
    raise TryAgain("Take the stairs.")


def leave(text: str = "Goodbye.") -> None:
    """End the run."""
    raise Stop(text)


@tool(approval="ask")
def write(text: str) -> str:
    """Write a text."""
    return f"wrote {text}"


@tool(approval="deny")
def forbidden() -> str:
    """Do what may not be done."""
    return "done"


TOOLS: tuple[Tool | Callable[..., Any], ...] = (add, fail, again, leave, write, forbidden)


@dataclass
class Ran:
    """What came of a run."""

    conversation: list[Message]
    client: Client
    ended: RunEnded | None = None
    events: list[Event] = field(default_factory=list)

    @property
    def requests(self) -> list[Request]:
        assert isinstance(self.client, Scripted)
        return self.client.requests

    @property
    def answer(self) -> str:
        assert self.ended is not None
        return self.ended.answer

    @property
    def results(self) -> list[tuple[str, bool]]:
        """The text of each result, and whether it failed."""
        return [(message.text, message.result.failed) for message in self.conversation if message.result is not None]

    def settled(self) -> list[Event]:
        """The events but for deltas."""
        return [event for event in self.events if not isinstance(event, TextDelta | ReasoningDelta)]

    def names(self) -> list[str]:
        """The names of these events."""
        return [type(event).__name__ for event in self.settled()]


async def ran(
    answers: Client | Iterable[Answer] | Callable[[Request], Answer],
    prompt: str | Sequence[Message] = "Please.",
    *,
    tools: Iterable[Tool | Callable[..., Any]] = TOOLS,
    given: Mapping[str, ApprovalGiven] | None = None,
    rules: Rules | None = None,
    strategy: Strategy | None = None,
    turns: int = 5,
    into: Ran | None = None,
) -> Ran:
    """A run, from beginning to end. `into`: where it is seen, also if it does not come to its end."""
    client = answers if isinstance(answers, Client) else Scripted(answers)
    conversation = [Message("user", prompt)] if isinstance(prompt, str) else list(prompt)
    found = into if into is not None else Ran(conversation, client)
    found.conversation, found.client = conversation, client
    runtime = MemoryRuntime(found.events.append, given)
    parts = Parts(client, strategy or Prompted("hermes"), Toolbox(tools), rules or Rules(), runtime, turns)
    found.ended = await run(conversation, parts)
    return found


def run_of(*args: Any, **how: Any) -> Ran:
    """As `ran`, in a loop of its own."""
    return asyncio.run(ran(*args, **how))


class Slowly(Scripted):
    """A client that lets others go first before each piece."""

    async def stream(self, request: Request) -> AsyncGenerator[Delta | Completion, None]:
        async with aclosing(super().stream(request)) as pieces:
            async for piece in pieces:
                await asyncio.sleep(0)
                yield piece


class Endless(Scripted):
    """A client whose answer never ends; `stopped` tells that it was closed."""

    def __init__(self) -> None:
        super().__init__([])
        self.said = 0
        self.stopped = 0

    async def stream(self, request: Request) -> AsyncGenerator[Delta | Completion, None]:
        try:
            while True:
                await asyncio.sleep(0)
                self.said += 1
                yield Delta("and so on ")
        finally:
            self.stopped += 1
