"""One question: the strategy decides, the client asks, nothing is added, and whatever ends early is closed."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence

import pytest
from tests.agent.parts import Endless

from opposable.agent.turn import Asked, take_turn
from opposable.clients.scripted import Scripted
from opposable.contracts import Client, Turn
from opposable.errors import ClientError, ClientRefused
from opposable.messages import Completion, Delta, Message, Request, ToolSpec, Usage
from opposable.wire import Event, Reply, Text

SAID = (Message("user", "hi"),)


class Asks:
    """A strategy that asks one question after the other and replies with all answers; `closed` counts its ends."""

    name = "asks"

    def __init__(self, *requests: Request, last: tuple[Event, ...] = ()) -> None:
        self._requests = requests
        self._last = last
        self.deltas: list[str] = []
        self.closed = 0

    def notes(self, tools: Sequence[ToolSpec]) -> tuple[str, ...]:
        return ()

    def turn(self, conversation: Sequence[Message], tools: Sequence[ToolSpec]) -> Turn:
        answers = []
        try:
            for request in self._requests:
                answer = yield request
                while isinstance(answer, Delta):
                    self.deltas.append(answer.text)
                    answer = yield (Text(answer.text),)
                answers.append(answer.text)
            yield self._last
            return Reply("|".join(answers), None, (), ())
        finally:
            self.closed += 1


def turn(client: Client, strategy: Asks, show: Callable[[Event], None] = lambda event: None) -> Asked:
    return asyncio.run(take_turn(client, strategy, SAID, [], show))


def test_all_requests_are_asked_and_their_costs_added_up() -> None:
    answers = [Completion("a", usage=Usage(1, 2, 3, 0.5)), Completion("b", usage=Usage(10, 20, 30, 0.25))]
    strategy = Asks(Request(SAID), Request((), purpose="fill"))
    client = Scripted(answers)
    asked = turn(client, strategy)
    assert asked == Asked(Reply("a|b", None, (), ()), Usage(11, 22, 33, 0.75))
    assert [request.purpose for request in client.requests] == ["answer", "fill"]
    assert strategy.closed == 1


def test_only_what_may_be_shown_is_shown() -> None:
    seen: list[Event] = []
    strategy = Asks(Request(SAID), Request(SAID, shown=True), last=(Text("!"),))
    turn(Scripted(["secret", "hello you"], size=5), strategy, seen.append)
    assert seen == [Text("hello"), Text(" you"), Text("!")]
    assert strategy.deltas == ["hello", " you"]


def test_a_text_that_came_to_the_limit_is_told() -> None:
    cut = [Completion("a", finish_reason="length"), Completion("b", finish_reason="length")]
    assert turn(Scripted(cut), Asks(Request((), shown=True), Request(()))).cut is False
    assert turn(Scripted(cut), Asks(Request(()), Request((), shown=True))).cut is True


def test_a_client_that_ends_without_saying_so() -> None:
    class Torn(Scripted):
        async def stream(self, request: Request) -> AsyncGenerator[Delta | Completion, None]:
            yield Delta("hel")

    strategy = Asks(Request(SAID, shown=True))
    with pytest.raises(ClientError, match="scripted ended its answer"):
        turn(Torn([]), strategy)
    assert strategy.closed == 1


def test_an_error_of_the_client_comes_out_and_all_is_closed() -> None:
    strategy = Asks(Request(SAID), Request(SAID))
    with pytest.raises(ClientRefused):
        turn(Scripted(["only one"]), strategy)
    assert strategy.closed == 1


def test_an_error_of_who_watches_stops_the_model() -> None:
    def broken(event: Event) -> None:
        raise BrokenPipeError

    client, strategy = Endless(), Asks(Request(SAID, shown=True))
    with pytest.raises(BrokenPipeError):
        turn(client, strategy, broken)
    assert (client.said, client.stopped, strategy.closed) == (1, 1, 1)


@pytest.mark.parametrize("waits", range(5))
def test_a_cancelled_turn_stops_the_model(waits: int) -> None:
    async def go() -> None:
        task = asyncio.create_task(take_turn(client, strategy, SAID, [], lambda event: None))
        for _ in range(waits + 2):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    client, strategy = Endless(), Asks(Request(SAID, shown=True))
    asyncio.run(go())
    assert (client.stopped, strategy.closed) == (1, 1)


def test_what_comes_after_the_completion_is_not_waited_for() -> None:
    class Talkative(Scripted):
        async def stream(self, request: Request) -> AsyncGenerator[Delta | Completion, None]:
            yield Completion("done")
            raise AssertionError("nobody wants more")

    assert turn(Talkative([]), Asks(Request(SAID))).reply.content == "done"


def test_a_strategy_that_breaks_the_contract_is_told() -> None:
    class Shows(Asks):
        def turn(self, conversation: Sequence[Message], tools: Sequence[ToolSpec]) -> Turn:
            yield ()
            return Reply(None, None, (), ())

    class Hurries(Asks):
        def turn(self, conversation: Sequence[Message], tools: Sequence[ToolSpec]) -> Turn:
            yield Request(SAID, shown=True)
            yield Request(SAID)
            return Reply(None, None, (), ())

    with pytest.raises(AssertionError, match="shows only what it was sent"):
        turn(Scripted(["a"]), Shows())
    with pytest.raises(AssertionError, match="only when it has the whole answer"):
        turn(Scripted(["a"]), Hurries())
