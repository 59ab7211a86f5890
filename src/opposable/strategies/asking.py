"""What every strategy does with a question: send it, follow the answer, read it. Law: pure; only yields and returns."""

from collections.abc import Generator, Sequence
from typing import Any

from opposable.contracts import Show
from opposable.messages import Completion, Delta, Request, ToolSpec
from opposable.wire import Event, Reasoning, Reply, StreamParser, collect

Asking = Generator[Request | Show, Delta | Completion, Any]


def ask(request: Request) -> Generator[Request | Show, Delta | Completion, Completion]:
    """Send a request whose deltas nobody sees; its answer."""
    answer = yield request
    while isinstance(answer, Delta):
        answer = yield ()
    return answer


def read(request: Request, tools: Sequence[ToolSpec]) -> Generator[Request | Show, Delta | Completion, Reply]:
    """Send a request, read the answer as it comes for calls to `tools`, show what is settled; the whole reply."""
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
    if not seen and answer.reasoning and not events:
        events.append(Reasoning(answer.reasoning))
    return collect([*events, *parser.feed(answer.text[seen:]), *parser.close(answer.finish_reason)])
