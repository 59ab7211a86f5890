"""A question is sent, its answer followed, read, and shown to the last character."""

from collections.abc import Generator
from typing import Any

import pytest

from opposable.messages import Completion, Delta, Message, Request, ToolSpec
from opposable.strategies.asking import ask, joined, read
from opposable.wire import Call, Marker, Reasoning, Rejected, Reply, Text

REQUEST = Request((Message("user", "hi"),), shown=True)
TOOLS = [ToolSpec("ring_bell")]


def driven(asking: Generator[Any, Any, Any], deltas: list[Delta], answer: Completion) -> tuple[list[Any], Any]:
    """What was shown, and what came of it."""
    shown: list[Any] = []
    assert next(asking) is REQUEST
    try:
        for delta in deltas:
            shown += asking.send(delta)
        said = asking.send(answer)
        while True:
            shown += said
            said = next(asking)
    except StopIteration as end:
        return shown, end.value


def test_ask_shows_nothing() -> None:
    answer = Completion("ab")
    assert driven(ask(REQUEST), [Delta("a"), Delta("b")], answer) == ([], answer)


@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize(
    "text", ["hello", "1 < 2 <", '<tool_call>\n{"name": "x"}\n</tool_call>', "a\n<think>", "", "x <tool_call"]
)
def test_all_that_is_said_is_shown(text: str, size: int) -> None:
    deltas = [Delta(text[start : start + size]) for start in range(0, len(text), size)]
    shown, reply = driven(read(REQUEST, TOOLS), deltas, Completion(text))
    assert "".join(event.raw for event in shown) == text
    assert isinstance(reply, Reply)


def test_an_answer_without_deltas_is_shown_at_its_end() -> None:
    shown, reply = driven(read(REQUEST, TOOLS), [], Completion("hello", reasoning="hm"))
    assert shown == [Reasoning("hm"), Text("hello")]
    assert (reply.content, reply.reasoning) == ("hello", "hm")


def test_reasoning_that_is_told_apart_is_not_told_twice() -> None:
    deltas = [Delta(reasoning="h"), Delta(reasoning="m"), Delta("hello")]
    shown, reply = driven(read(REQUEST, TOOLS), deltas, Completion("hello", reasoning="hm"))
    assert shown == [Reasoning("h"), Reasoning("m"), Text("hello")]
    assert reply.reasoning == "hm"
    shown, reply = driven(read(REQUEST, TOOLS), [Delta("hello")], Completion("hello", reasoning="hm"))
    assert shown == [Text("hello"), Reasoning("hm")]
    assert (reply.content, reply.reasoning) == ("hello", "hm")


def test_what_is_no_text_is_not_lost() -> None:
    text = 'Hi <tool_call>{"name": "ring_bell"}</tool_call> <tool_call>{"name": "x"}</tool_call>'
    shown, reply = driven(read(REQUEST, TOOLS), [Delta(text)], Completion(text))
    assert {type(event) for event in shown} <= {Text, Call, Marker, Rejected}
    assert [call.name for call in reply.tool_calls] == ["ring_bell"]
    assert [block.cause for block in reply.rejected] == ["unknown_tool"]


def test_an_answer_that_is_cut_off() -> None:
    text = '<tool_call>{"name": "ring_'
    _, reply = driven(read(REQUEST, TOOLS), [Delta(text)], Completion(text, finish_reason="length"))
    assert [block.cause for block in reply.rejected] == ["truncated"]


def test_neighbours_of_one_role_are_joined() -> None:
    said = [Message("user", "a"), Message("user", "b"), Message("assistant", "c"), Message("user", "d")]
    assert joined(said) == (Message("user", "a\nb"), Message("assistant", "c"), Message("user", "d"))
    assert joined([]) == ()
