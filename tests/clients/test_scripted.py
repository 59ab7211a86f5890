import asyncio

import pytest

from opposable.clients.scripted import Scripted
from opposable.contracts import Client
from opposable.errors import ClientRefused
from opposable.messages import Completion, Delta, Message, Request, ToolCall

ASK = Request((Message("user", "Hello, are you there?"),))


def ask(client: Client, request: Request = ASK) -> list[Delta | Completion]:
    async def run() -> list[Delta | Completion]:
        return [piece async for piece in client.stream(request)]

    return asyncio.run(run())


def test_it_is_a_client() -> None:
    client = Scripted([], model="m", context=10, constrains=frozenset({"gbnf"}))
    assert isinstance(client, Client)
    assert (client.model, client.context, client.constrains) == ("m", 10, frozenset({"gbnf"}))
    assert Scripted([]).constrains == {"gbnf", "json_schema"}


def test_answers_in_order_and_in_pieces() -> None:
    client = Scripted(["Yes, I am.", "And you?"], size=3)
    pieces = ask(client)
    assert pieces[:-1] == [Delta("Yes"), Delta(", I"), Delta(" am"), Delta(".")]
    last = pieces[-1]
    assert isinstance(last, Completion)
    assert (last.text, last.finish_reason) == ("Yes, I am.", "stop")
    assert (last.usage.prompt_tokens, last.usage.completion_tokens) == (6, 3)
    assert ask(client)[-1] == Completion("And you?", usage=ask(Scripted(["And you?"]))[-1].usage)  # type: ignore[union-attr]
    assert client.requests == [ASK, ASK]
    with pytest.raises(ClientRefused, match=r"no answer to request 3 \(answer\)"):
        ask(client)


def test_a_completion_is_given_as_it_is() -> None:
    whole = Completion("ok", reasoning="hm", calls=(ToolCall("1", "t", {}),), finish_reason="length")
    assert ask(Scripted([whole])) == [Delta(reasoning="hm"), Delta("ok"), whole]


def test_a_function_answers() -> None:
    client = Scripted(lambda request: request.messages[-1].text.upper(), size=100)
    assert ask(client)[0] == Delta("HELLO, ARE YOU THERE?")


def test_tokens_and_close() -> None:
    async def run() -> None:
        client = Scripted([])
        assert [await client.count_tokens(text) for text in ("", "a", "four", "fives")] == [0, 1, 1, 2]
        await client.close()
        await client.close()
        assert client.closed

    asyncio.run(run())
