"""A run, driven from plain code. Law: the event loop runs only while an event is awaited.

So a person can be asked, and can press Ctrl-C, in the main thread, where Python hears it at once.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import closing

from opposable.cli.ask import Ask
from opposable.contracts import Client
from opposable.events import ApprovalAsked, Event
from opposable.face import Agent, Run

See = Callable[[Event], None]


def talk(agent: Agent, client: Client, prompt: str, see: See, ask: Ask) -> None:
    """Run until there is an answer; `see` is told each event, `ask` each question. The client is closed at the end.

    Errors: ModelError, ClientError, LimitReached, what `ask` raises.
    """
    with asyncio.Runner() as runner:
        try:
            run = agent.stream(prompt)
            with closing(_events(run, runner)) as events:
                for event in events:
                    see(event)
                    if isinstance(event, ApprovalAsked):
                        run.answer(event.key, ask(event))
        finally:
            runner.run(client.close())


def _events(run: Run, runner: asyncio.Runner) -> Generator[Event, None, None]:
    events = aiter(run)
    try:
        while (event := runner.run(_next(events))) is not None:
            yield event
    finally:
        runner.run(_close(events))


async def _next(events: AsyncIterator[Event]) -> Event | None:
    return await anext(events, None)


async def _close(events: AsyncIterator[Event]) -> None:
    # An interruption that did not come through the loop has left the question for the next event waiting in it.
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    close = getattr(events, "aclose", None)
    if close is not None:
        await close()
