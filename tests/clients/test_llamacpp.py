import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any, TypeVar

import pytest
from tests.store.parts import gguf

from opposable.clients.engine import free_cores
from opposable.clients.llamacpp import LlamaCpp
from opposable.contracts import Client
from opposable.errors import ClientRefused, ClientUnavailable, ModelNotFound, ModelUnusable
from opposable.messages import (
    Completion,
    Constraint,
    Delta,
    Message,
    Request,
    Sampling,
    ToolResult,
)
from opposable.store import CATALOGUE, StoredModel

T = TypeVar("T")
SRC = Path(__file__).parents[2] / "src"
HELLO = (Message("user", "Say hello."),)
# An answer that has no end of its own.
ENDLESS = Constraint(gbnf='root ::= "a " root')
THREADS = min(2, free_cores())

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def client(small_model: StoredModel) -> Iterator[LlamaCpp]:
    client = LlamaCpp(small_model.path, small_model.name, context=1024, threads=THREADS)
    yield client
    asyncio.run(client.close())


def request(messages: tuple[Message, ...] = HELLO, *, most: int = 12, **changes: Any) -> Request:
    return Request(messages, sampling=Sampling(temperature=0, seed=1, max_tokens=most), **changes)


async def asked(client: Client, what: Request) -> tuple[list[Delta], Completion]:
    pieces = [piece async for piece in client.stream(what)]
    last = pieces.pop()
    assert isinstance(last, Completion)
    deltas = [piece for piece in pieces if isinstance(piece, Delta)]
    assert len(deltas) == len(pieces)
    assert "".join(delta.text for delta in deltas) == last.text
    return deltas, last


def ask(client: Client, what: Request) -> Completion:
    return asyncio.run(asked(client, what))[1]


def test_it_is_a_client(client: LlamaCpp) -> None:
    assert isinstance(client, Client)
    assert client.model == "store:smollm2-135m"
    assert client.constrains == {"json_schema", "gbnf"}
    assert client.context == 1024


def test_an_answer_streams_and_is_the_same_again(client: LlamaCpp) -> None:
    deltas, first = asyncio.run(asked(client, request()))
    _, second = asyncio.run(asked(client, request()))
    assert len(deltas) > 5
    assert first.text.startswith("Hello")
    assert first.text == second.text
    assert (first.finish_reason, first.usage.completion_tokens) == ("length", 12)
    assert first.usage.prompt_tokens == second.usage.prompt_tokens > 10
    assert second.usage.cached_tokens > 10
    assert first.usage.seconds > 0
    assert first.tokens == ()


def test_the_answer_does_not_repeat_its_beginning(client: LlamaCpp) -> None:
    begun = (*HELLO, Message("assistant", "Hello, my name is"))
    answer = ask(client, request(begun, most=4))
    assert answer.text.startswith(" ")
    assert "name is" not in answer.text


def test_an_empty_beginning_is_none(client: LlamaCpp) -> None:
    assert ask(client, request((*HELLO, Message("assistant")))).text == ask(client, request()).text


def test_a_result_that_comes_this_far_is_said_by_the_user(client: LlamaCpp) -> None:
    result = Message("tool", result=ToolResult("1", "t", "Say hello."))
    assert ask(client, request((result,))).text == ask(client, request()).text


def test_a_grammar_holds_and_characters_stay_whole(client: LlamaCpp) -> None:
    said = "<think>naïve</think> 🙂漢字 <tool_call>{}</tool_call>"
    deltas, answer = asyncio.run(asked(client, request(most=60, constraint=Constraint(gbnf=f'root ::= "{said}"'))))
    assert answer.text == said
    assert answer.finish_reason == "stop"
    assert not any("\ufffd" in delta.text for delta in deltas)


def test_a_schema_holds_for_the_new_text_alone(client: LlamaCpp) -> None:
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 5}, "b": {"$ref": "#/$defs/b"}},
        "required": ["n", "b"],
        "additionalProperties": False,
        "not": {"type": "string"},
        "$defs": {"b": {"enum": ["x", "y"]}},
    }
    begun = (*HELLO, Message("assistant", '<tool_call>{"name": "count", "arguments": '))
    answer = ask(client, request(begun, most=40, constraint=Constraint(schema=schema)))
    assert answer.finish_reason == "stop"
    assert answer.text in {f'{{"n": {n}, "b": "{b}"}}' for n in range(1, 6) for b in "xy"}


def test_likeliest_tokens(client: LlamaCpp) -> None:
    answer = ask(client, request(most=3, alternatives=2))
    assert "".join(token.text for token in answer.tokens) == answer.text
    for token in answer.tokens:
        assert len(token.alternatives) == 2
        assert token.alternatives[0] == (token.text, token.logprob)
        assert token.alternatives[0][1] >= token.alternatives[1][1]
        assert token.logprob <= 0


def test_stop_strings(client: LlamaCpp, small_model: StoredModel) -> None:
    whole = ask(client, request()).text
    stop = whole.split()[2]
    answer = ask(client, Request(HELLO, sampling=Sampling(temperature=0, seed=1, max_tokens=12, stop=(stop,))))
    assert answer.finish_reason == "stop"
    assert answer.text == whole[: whole.index(stop)]


@pytest.mark.parametrize(
    ("what", "says"),
    [
        (request((Message("user", "Say hello. " * 500),)), r"1,5\d\d tokens.* takes 1,024 .*Shorten the conversation"),
        (request(constraint=Constraint(gbnf="root ::= nothing")), "cannot read the grammar"),
        (request(constraint=Constraint(gbnf="root ::= ((((")), "cannot read the grammar"),
        (request(constraint=Constraint(schema={"type": "quux"})), "could not hold the answer to the schema"),
        (request((*HELLO, Message("assistant", "a"), Message("assistant", "b"))), "2 or more assistant messages"),
        (request(extra={"tools": "none"}), "tools"),
    ],
)
def test_what_is_refused(client: LlamaCpp, what: Request, says: str) -> None:
    with pytest.raises(ClientRefused, match=says):
        ask(client, what)
    assert ask(client, request(most=1)).finish_reason == "length"


def test_closing_stops_the_model(client: LlamaCpp) -> None:
    async def run() -> float:
        for _ in range(3):
            async with aclosing(client.stream(request(most=900, constraint=ENDLESS))) as pieces:
                async for _ in pieces:
                    break
        started = time.monotonic()
        await asked(client, request(most=1))
        return time.monotonic() - started

    assert asyncio.run(run()) < 10


def test_cancelling_stops_the_model(client: LlamaCpp) -> None:
    async def run() -> None:
        tasks = [asyncio.create_task(asked(client, request(most=900, constraint=ENDLESS))) for _ in range(3)]
        await asyncio.sleep(0.3)
        for task in tasks:
            task.cancel()
        done = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(one, asyncio.CancelledError) for one in done)
        await asyncio.wait_for(asked(client, request(most=1)), 10)

    asyncio.run(run())


def test_requests_wait_their_turn(client: LlamaCpp) -> None:
    async def run() -> list[str]:
        answers = await asyncio.gather(*[asked(client, request(most=4)) for _ in range(4)])
        return [answer.text for _, answer in answers]

    assert len(set(asyncio.run(run()))) == 1


def test_tokens_are_counted_also_while_it_answers(client: LlamaCpp) -> None:
    async def run() -> None:
        assert await client.count_tokens("") == 0
        async with aclosing(client.stream(request(most=900, constraint=ENDLESS))) as pieces:
            async for _ in pieces:
                assert await client.count_tokens("Hello world é") == 3
                break

    asyncio.run(run())


def test_context_is_what_was_asked_for_and_closing_is_final(small_model: StoredModel) -> None:
    async def run() -> None:
        client = LlamaCpp(small_model.path, "m", context=512)
        assert client.context == 512
        await asked(client, request(most=1))
        assert client.context == 512
        await client.close()
        await client.close()
        with pytest.raises(ClientUnavailable, match="was closed"):
            await asked(client, request())
        with pytest.raises(ClientUnavailable, match="was closed"):
            await client.count_tokens("x")

    asyncio.run(run())


def test_closing_in_the_middle_cuts_the_answer_off(small_model: StoredModel) -> None:
    async def run() -> None:
        client = LlamaCpp(small_model.path, "m", context=1024, threads=THREADS)
        pieces = client.stream(request(most=900, constraint=ENDLESS))
        assert isinstance(await anext(pieces), Delta)
        await client.close()
        last = [piece async for piece in pieces][-1]
        assert isinstance(last, Completion)
        assert last.finish_reason is None

    asyncio.run(run())


def test_our_template_for_base_models(small_model: StoredModel) -> None:
    row = CATALOGUE["gemma3-270m-base"]
    template = (SRC / "opposable" / "store" / "templates" / str(row.template)).read_text("utf-8")
    talk = (
        Message("system", "Be kind."),
        Message("user", "Hi"),
        Message("assistant", "Hello!"),
        Message("user", "Name?"),
    )

    async def run() -> tuple[int, int]:
        client = LlamaCpp(small_model.path, "m", context=512, threads=THREADS, template=template, stop=row.stop)
        text = "Be kind.\n\nUser:\nHi\n\nAssistant:\nHello!\n\nUser:\nName?\n\nAssistant:\n"
        expected = await client.count_tokens(text)
        _, answer = await asked(client, request(talk, most=1))
        await client.close()
        return expected, answer.usage.prompt_tokens

    expected, prompt = asyncio.run(run())
    assert prompt == expected


@pytest.mark.parametrize(
    ("content", "error", "says"),
    [
        (None, ModelNotFound, "no file"),
        (b"<html>", ModelUnusable, "cannot load .*set a smaller context"),
        (gguf({"general.architecture": "unheard-of"}), ModelUnusable, "cannot load"),
    ],
)
def test_a_file_that_is_no_model(tmp_path: Path, content: bytes | None, error: type[Exception], says: str) -> None:
    path = tmp_path / "x.gguf"
    if content is not None:
        path.write_bytes(content)

    async def run() -> None:
        client = LlamaCpp(path, "x", threads=1)
        for attempt in (lambda: asked(client, request()), lambda: client.count_tokens("x")):
            await refused(attempt, error, says)
        await client.close()

    asyncio.run(run())


async def refused(attempt: Callable[[], Awaitable[object]], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        await attempt()
