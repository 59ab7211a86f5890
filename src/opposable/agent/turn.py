"""One question to a model: a strategy driven over a client. Law: the strategy decides, the client asks, nothing is added."""

from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from opposable.contracts import Client, Show, Strategy, Turn
from opposable.errors import ClientError
from opposable.messages import Completion, Message, Request, ToolSpec, Usage
from opposable.wire import Event as WireEvent
from opposable.wire import Reply


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of a turn: the reply, what all its requests cost together, and whether the text shown was cut off."""

    reply: Reply
    usage: Usage
    cut: bool = False


async def take_turn(
    client: Client,
    strategy: Strategy,
    conversation: Sequence[Message],
    tools: Sequence[ToolSpec],
    show: Callable[[WireEvent], None],
) -> Asked:
    """Let the strategy ask until it has its reply; what may be shown of the answers goes to `show` as it comes.

    Errors: ClientError.
    """
    turn = strategy.turn(conversation, tools)
    usage, cut = Usage(), False
    try:
        said = next(turn)
        assert isinstance(said, Request), "a strategy shows only what it was sent"
        while True:
            completion = await _answer(client, turn, said, show)
            usage += completion.usage
            cut = said.shown and completion.finish_reason == "length"
            said = turn.send(completion)
            while not isinstance(said, Request):
                _show(said, show)
                said = next(turn)
    except StopIteration as end:
        return Asked(end.value, usage, cut)
    finally:
        turn.close()


async def _answer(client: Client, turn: Turn, request: Request, show: Callable[[WireEvent], None]) -> Completion:
    async with aclosing(client.stream(request)) as answer:
        async for piece in answer:
            if isinstance(piece, Completion):
                return piece
            if request.shown:
                _show(turn.send(piece), show)
    raise ClientError(f"{client.model} ended its answer without saying so")


def _show(said: Request | Show, show: Callable[[WireEvent], None]) -> None:
    assert not isinstance(said, Request), "a strategy asks again only when it has the whole answer"
    for event in said:
        show(event)
