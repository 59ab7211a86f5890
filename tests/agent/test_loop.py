"""The whole agent: what is called is settled, what happens is told in order, and any stop can be gone on from."""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field
from tests.agent.parts import Endless, Ran, Slowly, add, call, ran, run_of, write

from opposable.agent.approval import Rules
from opposable.agent.loop import message_of
from opposable.clients.scripted import Scripted
from opposable.errors import ClientRefused, LimitReached
from opposable.events import (
    ApprovalAsked,
    ApprovalGiven,
    CallEnded,
    CallReady,
    CallStarted,
    ReasoningDelta,
    RunEnded,
    RunStarted,
    TextDelta,
    TurnEnded,
)
from opposable.messages import Completion, Message, Request, ToolCall, ToolResult, Usage
from opposable.strategies.constrained import Constrained
from opposable.wire import Call, Reply

# What is said and called


def test_an_answer_without_a_call() -> None:
    done = run_of(["Hello."])
    assert done.ended == RunEnded("Hello.", done.ended.usage if done.ended else Usage())
    assert done.conversation == [Message("user", "Please."), Message("assistant", "Hello.")]


def test_a_call_and_its_result() -> None:
    done = run_of([call("add", a=1, b="2"), "It is 3."])
    assert done.answer == "It is 3."
    assert done.results == [("3", False)]
    assert [message.role for message in done.conversation] == ["user", "assistant", "tool", "assistant"]
    assert done.requests[1].messages[-1].text == '<tool_response>\n{"name": "add", "content": "3"}\n</tool_response>'


def test_several_calls_are_run_in_their_order() -> None:
    done = run_of([call("add", a=1, b=1) + call("fail") + call("add", a=2, b=2), "Done."])
    assert [text for text, _ in done.results] == ["2", done.results[1][0], "4"]
    assert [message.role for message in done.conversation[2:5]] == ["tool"] * 3


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("fail", {}, "fail failed: ValueError: it broke."),
        ("again", {}, "Take the stairs."),
        ("add", {"a": 1}, "`b` is missing"),
        ("add", {"a": 1, "b": "two"}, '`b` is "two"; right is an integer'),
        ("forbidden", {}, "forbidden may not be used here. Go on without it."),
    ],
)
def test_what_goes_wrong_is_a_text_for_the_model(name: str, arguments: dict[str, Any], words: str) -> None:
    done = run_of([call(name, **arguments), "I see."])
    ((text, failed),) = done.results
    assert words in text
    assert failed
    assert words in json.loads(done.requests[1].messages[-1].text.split("\n")[1])["content"]
    assert done.answer == "I see."


def test_a_call_of_a_tool_that_is_gone() -> None:
    said = [Message("user", "hi"), Message("assistant", calls=(ToolCall("c", "no_such", {}),))]
    done = run_of(["I see."], said)
    assert done.results == [
        ("There is no tool 'no_such'. The tools are: add, fail, again, leave, write, forbidden.", True)
    ]
    assert done.names() == ["RunStarted", "CallEnded", "TurnEnded", "RunEnded"]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            '<tool_call>{"name": "fly"}</tool_call>',
            "That tool does not exist. There are: add, fail, again, leave, write, forbidden.",
        ),
        ('<tool_call>{"name": "add", "arguments": {"a": [}}</tool_call>', "That call could not be read."),
        (Completion('<tool_call>{"name": "add", ', finish_reason="length"), "That call could not be read."),
    ],
)
def test_one_complaint_then_what_is_said_is_the_answer(said: Any, words: str) -> None:
    done = run_of([said, said])
    assert len(done.requests) == 2
    assert done.conversation[2].role == "user"
    assert done.conversation[2].text.startswith(words)
    assert done.answer == (said.text if isinstance(said, Completion) else said)
    done = run_of([said, call("add", a=1, b=1), "2"])
    assert done.answer == "2"


def test_two_different_complaints_are_not_made_in_a_row() -> None:
    done = run_of(
        ['<tool_call>{"name": "fly"}</tool_call>', '<tool_call>{"name": "add", "arguments": {"a": [}}</tool_call>']
    )
    assert [message.role for message in done.conversation] == ["user", "assistant", "user", "assistant"]


def test_a_later_request_is_complained_about_again() -> None:
    bad = '<tool_call>{"name": "fly"}</tool_call>'
    first = run_of([bad, "Sorry."])
    done = run_of([bad, "Sorry again."], [*first.conversation, Message("user", "Once more.")])
    assert done.answer == "Sorry again."
    assert sum(message.text.startswith("That tool does not exist") for message in done.conversation) == 2


def test_without_tools_nothing_is_complained_about() -> None:
    said = 'A call looks so: <tool_call>{"name": "fly"}</tool_call>'
    done = run_of([said], tools=())
    assert (done.answer, len(done.conversation)) == (said, 2)


def test_a_call_within_reasoning_is_none() -> None:
    done = run_of([f"<think>\n{call('add', a=1, b=1)}\n</think>\nHello."])
    assert (done.answer, done.results) == ("Hello.", [])


# Stop


def test_a_tool_may_end_the_run() -> None:
    done = run_of([call("leave", text="That is all.")])
    assert done.answer == "That is all."
    assert done.conversation[-1] == Message("assistant", "That is all.")
    assert done.names() == ["RunStarted", "TurnEnded", "CallReady", "CallStarted", "CallEnded", "RunEnded"]


def test_after_a_stop_no_call_is_left_open() -> None:
    done = run_of([call("add", a=1, b=1) + call("leave") + call("write", text="x")])
    assert [text for text, _ in done.results] == ["2", "The run ended here: Goodbye.", "The run ended here: Goodbye."]
    gone_on = run_of(["And hello again."], [*done.conversation, Message("user", "Are you there?")])
    assert gone_on.answer == "And hello again."
    assert len(gone_on.results) == 3


# Approval


def given_(verdict: Any, reason: str = "", key: str = "approve call_1") -> dict[str, ApprovalGiven]:
    return {key: ApprovalGiven(key, verdict, reason)}


def test_once() -> None:
    done = run_of([call("write", text="x"), call("write", text="y")], given=given_("once"))
    assert done.results == [("wrote x", False)]
    assert done.ended is not None
    assert done.ended.status == "waiting"
    assert [asked.call.arguments for asked in done.ended.waiting] == [{"text": "y"}]


def test_always() -> None:
    rules = Rules()
    done = run_of([call("write", text="x"), call("write", text="y"), "Done."], given=given_("always"), rules=rules)
    assert done.results == [("wrote x", False), ("wrote y", False)]
    assert done.names().count("ApprovalAsked") == 1
    assert run_of([call("write", text="z"), "Done."], rules=rules).results == [("wrote z", False)]


@pytest.mark.parametrize(("reason", "words"), [("not now", "not now"), ("", "no reason was given")])
def test_refused(reason: str, words: str) -> None:
    done = run_of([call("write", text="x"), "I see."], given=given_("refuse", reason))
    assert done.results == [(f"The person refused this call: {words}.", True)]
    assert "CallStarted" not in done.names()


def test_denied_calls_ask_nobody() -> None:
    assert run_of([call("forbidden"), "I see."]).names() == [
        *("RunStarted", "TurnEnded", "CallReady", "CallEnded", "TurnEnded", "RunEnded")
    ]


def test_the_person_sees_settled_arguments() -> None:
    done = run_of([call("write", text=5)])
    assert done.ended is not None
    assert done.ended.waiting[0].call.arguments == {"text": "5"}
    assert done.conversation[-1].calls[0].arguments == {"text": 5}


# Waiting, and going on from the conversation alone


def test_a_run_that_waits_says_for_what_and_what_it_cost() -> None:
    done = run_of([Completion(call("write", text="x"), usage=Usage(10, 0, 5, 0.5))])
    asked = ApprovalAsked("approve call_1", ToolCall("call_1", "write", {"text": "x"}))
    assert done.ended == RunEnded("", Usage(10, 0, 5, 0.5), "waiting", (asked,))
    assert done.events[-2:] == [asked, done.ended]
    assert [message.role for message in done.conversation] == ["user", "assistant"]


def test_it_goes_on_from_the_conversation_alone() -> None:
    waiting = run_of([call("write", text="x")])
    done = run_of(["Done."], waiting.conversation, given=given_("once"))
    assert (done.answer, done.results) == ("Done.", [("wrote x", False)])
    assert done.names() == [
        *(
            "RunStarted",
            "CallReady",
            "ApprovalAsked",
            "ApprovalGiven",
            "CallStarted",
            "CallEnded",
            "TurnEnded",
            "RunEnded",
        )
    ]


def test_two_calls_of_which_the_second_waits() -> None:
    count: list[str] = []

    def once(text: str) -> str:
        """Note a text."""
        count.append(text)
        return f"noted {text}"

    tools = (once, write)
    waiting = run_of([call("once", text="a") + call("write", text="b") + call("once", text="c")], tools=tools)
    assert waiting.ended is not None
    assert [asked.key for asked in waiting.ended.waiting] == ["approve call_2"]
    assert waiting.results == [("noted a", False)]
    done = run_of(["Done."], waiting.conversation, tools=tools, given=given_("once", key="approve call_2"))
    assert [text for text, _ in done.results] == ["noted a", "wrote b", "noted c"]
    assert count == ["a", "c"]


def test_two_calls_that_both_wait_are_asked_one_after_the_other() -> None:
    waiting = run_of([call("write", text="a") + call("write", text="b")])
    again = run_of([], waiting.conversation, given=given_("once"))
    assert again.ended is not None
    assert [asked.key for asked in again.ended.waiting] == ["approve call_2"]
    both = {**given_("once"), **given_("refuse", key="approve call_2")}
    done = run_of(["Done."], waiting.conversation, given=both)
    assert [failed for _, failed in done.results] == [False, True]


# Limits, errors


def test_a_run_has_a_limit() -> None:
    with pytest.raises(LimitReached, match="asked for tools 3 times"):
        run_of([call("add", a=1, b=1)] * 3, turns=3)
    assert run_of([call("add", a=1, b=1)] * 2 + ["2"], turns=3).answer == "2"


def test_after_the_limit_it_can_be_gone_on() -> None:
    seen = Ran([], Scripted([]))
    with pytest.raises(LimitReached):
        run_of([call("add", a=1, b=1)], turns=1, into=seen)
    assert "RunEnded" not in seen.names()
    assert run_of(["2"], seen.conversation, turns=1).results == [("2", False)]


def test_an_error_of_the_client_comes_out_and_the_conversation_stays() -> None:
    seen = Ran([], Scripted([]))
    with pytest.raises(ClientRefused):
        run_of([call("add", a=1, b=1)], into=seen)
    assert [message.role for message in seen.conversation] == ["user", "assistant", "tool"]
    assert run_of(["2"], seen.conversation).answer == "2"


# Events


def test_events_come_in_the_documented_order() -> None:
    answers = [
        Completion(
            f"Both.\n{call('add', a=1, b=2)}{call('write', text='x')}", reasoning="hm", usage=Usage(1, 0, 2, 0.5)
        ),
        Completion("Done.", usage=Usage(10, 5, 20, 0.25)),
    ]
    done = run_of(answers, given=given_("once", key="approve call_2"))
    first, second = ToolCall("call_1", "add", {"a": 1, "b": 2}), ToolCall("call_2", "write", {"text": "x"})
    settled = done.settled()
    ended = [event for event in settled if isinstance(event, CallEnded)]
    assert settled == [
        RunStarted("scripted", "prompted/hermes", ()),
        TurnEnded("Both.", "hm", (first, second), Usage(1, 0, 2, 0.5)),
        CallReady(first),
        CallStarted(first),
        CallEnded(ToolResult("call_1", "add", "3"), ended[0].seconds),
        CallReady(second),
        ApprovalAsked("approve call_2", second),
        ApprovalGiven("approve call_2", "once"),
        CallStarted(second),
        CallEnded(ToolResult("call_2", "write", "wrote x"), ended[1].seconds),
        TurnEnded("Done.", None, (), Usage(10, 5, 20, 0.25)),
        RunEnded("Done.", Usage(11, 5, 22, 0.75)),
    ]
    assert all(0 <= event.seconds < 5 for event in ended)


def test_notes_of_the_strategy_are_told() -> None:
    def pick(day: Annotated[str, Field(pattern="day$")]) -> str:
        """Pick a day."""
        return day

    done = run_of([" know", "Hi."], tools=[pick], strategy=Constrained())
    assert done.events[0] == RunStarted(
        "scripted", "constrained", ("pick.day: its pattern is not enforced while writing",)
    )


PIECES = st.sampled_from(
    [*"ab <>\n{}", "<think>\n", "</think>", "<tool_call>", "</tool_call>", '{"name": "add", "arguments": {"a": 1, "b": 2}}',
     '{"name": "fly", "arguments": {}}', "```json\n", "\n```\n", "hello"]
)  # fmt: skip


@given(
    said=st.lists(PIECES, max_size=14).map("".join),
    size=st.integers(1, 7),
    finish=st.sampled_from(["stop", "length", None]),
)
def test_no_delta_is_lost(said: str, size: int, finish: str | None) -> None:
    client = Scripted([Completion(said, finish_reason=finish)], size=size)
    seen = Ran([], client)
    with suppress(ClientRefused):
        run_of(client, into=seen)
    turn = next(event for event in seen.events if isinstance(event, TurnEnded))
    told = seen.events[: seen.events.index(turn)]
    text = "".join(event.text for event in told if isinstance(event, TextDelta))
    reasoning = "".join(event.text for event in told if isinstance(event, ReasoningDelta))
    if "</think>" not in said:  # a closer alone makes reasoning of what was shown as text
        assert text.strip() == (turn.text or "").strip()
        assert reasoning.strip() == (turn.reasoning or "").strip()
    assert len(text + reasoning) >= len((turn.text or "").strip() + (turn.reasoning or "").strip())


# Ids


def test_ids_are_unique_also_where_a_model_repeats_them() -> None:
    repeated = '<tool_call>{"name": "add", "arguments": {"a": 1, "b": 1}, "id": "x"}</tool_call>'
    done = run_of([repeated * 2, repeated, call("add", a=1, b=1) * 2, "Done."])
    ids = [made.id for message in done.conversation for made in message.calls]
    assert len(ids) == len(set(ids)) == 5
    assert ids[0] == "x"
    assert [message.result.call_id for message in done.conversation if message.result is not None] == ids


@given(taken=st.lists(st.sampled_from(["call_1", "call_2", "call_3", "call_4", "x"]), unique=True),
       ids=st.lists(st.sampled_from([None, "", "call_1", "call_2", "call_3", "call_5", "x", "y"]), max_size=6))  # fmt: skip
def test_any_ids_become_unique(taken: list[str], ids: list[str | None]) -> None:
    before = [Message("assistant", calls=tuple(ToolCall(name, "add", {}) for name in taken))]
    made = message_of(Reply(None, None, tuple(Call("add", {}, name, "", (), "") for name in ids), ()), before)
    found = [*taken, *(one.id for one in made.calls)]
    assert len(found) == len(set(found)) == len(taken) + len(ids)
    assert all(one.id for one in made.calls)


# Cancellation


def knows(request: Request) -> str:
    """What a model says that adds 1 and 2, writes the sum, and is done."""
    results = request.messages[-1].text.count("<tool_response>") if request.messages[-1].role == "user" else 0
    asked = sum(message.role == "assistant" for message in request.messages)
    if asked == 0:
        return call("add", a=1, b=2) + call("slow", text="a")
    assert results
    return call("slow", text="b") if asked == 1 else "All done."


async def slow(text: str) -> str:
    """Take some time over a text."""
    for _ in range(3):
        await asyncio.sleep(0)
    return f"took {text}"


def complete(conversation: list[Message]) -> bool:
    """Has each call one result, after it, with an id of its own?"""
    calls = [made.id for message in conversation for made in message.calls]
    results = [message.result.call_id for message in conversation if message.result is not None]
    return len(set(calls)) == len(calls) and calls == results


async def stopped_after(waits: int, start: Callable[[], Any]) -> bool:
    """Cancel it after so many rounds of the event loop. True: it came to its end before."""
    task = asyncio.create_task(start())
    for _ in range(waits):
        await asyncio.sleep(0)
        if task.done():
            await task
            return True
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    return False


def test_a_run_cancelled_anywhere_goes_on_from_its_conversation() -> None:
    tools = (add, slow)

    async def go(waits: int) -> bool:
        seen = Ran([], Scripted([]))
        ended = await stopped_after(waits, lambda: ran(Slowly(knows, size=40), tools=tools, into=seen))
        if not ended:
            assert seen.ended is None
            again = await ran(Scripted(knows), seen.conversation or "Please.", tools=tools)
            seen.conversation = again.conversation
        assert seen.conversation[-1].text == "All done."
        assert complete(seen.conversation)
        assert [message.text for message in seen.conversation if message.result] == ["3", "took a", "took b"]
        return ended

    waits = 0
    while not asyncio.run(go(waits)):
        waits += 1
    assert waits > 15


def test_a_cancelled_run_stops_the_model() -> None:
    async def go() -> None:
        client = Endless()
        assert not await stopped_after(6, lambda: ran(client))
        assert client.stopped == 1
        said = client.said
        for _ in range(5):
            await asyncio.sleep(0)
        assert client.said == said

    asyncio.run(go())
