"""What every strategy does with a question: send it, follow the answer, read it. Law: pure; only yields and returns."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any

from opposable.contracts import Show
from opposable.messages import Completion, Delta, Message, Request, ToolSpec
from opposable.wire import Event, Reasoning, Reply, StreamParser, collect

Asking = Generator[Request | Show, Delta | Completion, Any]


def ask(request: Request) -> Generator[Request | Show, Delta | Completion, Completion]:
    """Send a request whose deltas nobody sees; its answer."""
    answer = yield request
    while isinstance(answer, Delta):
        answer = yield ()
    return answer


def read(request: Request, tools: Sequence[ToolSpec]) -> Generator[Request | Show, Delta | Completion, Reply]:
    """Send a request, read the answer as it comes for calls to `tools`, show all of it as it settles; the whole reply."""
    parser = StreamParser(tools)
    events: list[Event] = []
    seen = 0
    answer = yield request
    while isinstance(answer, Delta):
        fresh: list[Event] = [Reasoning(answer.reasoning)] if answer.reasoning else []
        fresh += parser.feed(answer.text)
        seen += len(answer.text)
        events += fresh
        answer = yield tuple(fresh)
    told = any(isinstance(event, Reasoning) for event in events)
    last: list[Event] = [Reasoning(answer.reasoning)] if answer.reasoning and not told else []
    last += [*parser.feed(answer.text[seen:]), *parser.close(answer.finish_reason)]
    yield tuple(last)
    return collect([*events, *last])


def joined(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Neighbours of the same role as one message: several results make one, since templates want roles to alternate."""
    found: list[Message] = []
    for message in messages:
        if found and found[-1].role == message.role:
            found[-1] = replace(found[-1], text=f"{found[-1].text}\n{message.text}")
        else:
            found.append(message)
    return tuple(found)
