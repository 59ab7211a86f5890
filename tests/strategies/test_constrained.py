"""Three small questions: weighed as they should be, right wherever the model knows, unharmed by any answer."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies.golden import TOOLS
from tests.wire.schemas import ANY_SCHEMAS

from opposable.agent.turn import take_turn
from opposable.clients.scripted import Scripted
from opposable.messages import Completion, Message, Request, Sampling, Token, ToolCall, ToolResult, ToolSpec
from opposable.strategies.constrained import Constrained, likelihoods
from opposable.wire import Reply

ALL = list(TOOLS.values())


def token(text: str, **likely: float) -> Token:
    return Token(text, likely.get(text, -20.0), tuple(likely.items()))


def weighed(texts: list[str], *tokens: Token) -> dict[str, float]:
    """The texts with their log probabilities, rounded; whole ones are their own keys."""
    answer = Completion("".join(token.text for token in tokens), tokens=tokens)
    return {key: round(value, 2) for key, value in likelihoods({text: text for text in texts}, answer).items()}


def test_without_probabilities_what_is_written_is_certain() -> None:
    texts = {"a": " use", "b": " know"}
    for said in (" use", "use", '"use"', " use \n"):
        assert likelihoods(texts, Completion(said)) == {"a": 0.0, "b": -20.0}
    assert likelihoods(texts, Completion("neither")) == {"a": -20.0, "b": -20.0}


def test_tokens_that_fit_are_added_up() -> None:
    found = weighed(
        [" use", " know"], token(" use", **{" use": -1.0, " us": -2.0, " used": -3.0, " know": -4.0, " I": -0.1})
    )
    assert found == {" use": pytest.approx(-0.59, abs=0.01), " know": -4.0}


def test_what_is_not_among_the_likeliest_is_unlikely() -> None:
    assert weighed(["a", "b"], token("a", a=-0.5, x=-0.6)) == {"a": -0.5, "b": -12.0}
    assert weighed(["a", "b"], token("a")) == {"a": -12.0, "b": -12.0}
    assert weighed(["a", "b"], token("a", a=-0.5, b=-1e9))["b"] == -12.0


def test_names_are_followed_to_where_they_part() -> None:
    first = token("file", file=-0.2, calc=-2.0)
    second = token("_read", _read=-0.3, _write=-1.5)
    assert weighed(["file_read", "file_write", "calculate"], first, second) == {
        "file_read": -0.5,
        "file_write": pytest.approx(-20.0 + 20.0 - 0.2 - 1.5),
        "calculate": -2.0,
    }


@pytest.mark.parametrize(
    ("texts", "likely", "right"),
    [
        (["get", "get_all"], {"get_all": -0.1, "get": -3.0}, "get_all"),
        (["", "_all"], {"_all": -0.1, ":": -3.0}, "_all"),
        (["", "_all"], {"_all": -3.0, ":": -0.1, "\n": -4.0}, ""),
        (["", "_all"], {"_": -0.1, ".": -3.0}, "_all"),
    ],
)
def test_a_name_that_begins_another(texts: list[str], likely: dict[str, float], right: str) -> None:
    said = max(likely, key=likely.__getitem__)
    found = weighed(texts, token(said, **likely))
    assert max(found, key=found.__getitem__) == right


def test_an_end_is_likelier_than_what_was_not_written() -> None:
    found = weighed(["get", "get_all", "set"], token("get", get=-0.1, set=-2.0))
    assert found == {"get": -0.1, "get_all": -12.1, "set": -2.0}


@given(
    texts=st.lists(st.text("ab_", max_size=4), min_size=1, max_size=4, unique=True),
    said=st.lists(
        st.tuples(st.text("ab_:", max_size=2), st.dictionaries(st.text("ab_:", max_size=2), st.floats(-800, 0)))
    ),
)
def test_any_tokens_give_each_text_a_weight(texts: list[str], said: list[tuple[str, dict[str, float]]]) -> None:
    found = weighed(texts, *(token(text, **likely) for text, likely in said))
    assert found.keys() == set(texts)
    assert all(isinstance(value, float) for value in found.values())


# A model that knows the answer

TABLE: list[tuple[str, list[tuple[str, dict[str, Any]]]]] = [
    ("What is 17 * 23?", [("calculate", {"expression": "17 * 23"})]),
    ("How much is 15 % of 80?", [("calculate", {"expression": "80 * 15 / 100"})]),
    ("Was ist die Wurzel aus 144?", [("calculate", {"expression": "sqrt(144)"})]),
    ("What time is it in Tokyo?", [("current_time", {"timezone": "Asia/Tokyo"})]),
    ("Which day is today?", [("current_time", {})]),
    ("Read notes/todo.txt", [("file_read", {"path": "notes/todo.txt"})]),
    ("Show me lines 3 to 5 of notes.txt", [("file_read_lines", {"path": "notes.txt", "first": 3, "last": 5})]),
    ("Write 'buy milk' to notes.txt", [("file_write", {"path": "notes.txt", "content": "buy milk"})]),
    ("Write 'buy milk' to a.txt, then read b.txt.", [
        ("file_write", {"path": "a.txt", "content": "buy milk"}), ("file_read", {"path": "b.txt"})]),
    ("Read a.txt and then read b.txt and then read c.txt", [("file_read", {"path": f"{name}.txt"}) for name in "abc"]),
    ("Fetch https://example.org/a?b=c", [("fetch_page", {"url": "https://example.org/a?b=c"})]),
    ("Send an e-mail to \"Ada Lovelace\", with priority high", [("send_mail", {"to": "Ada Lovelace", "priority": "high"})]),
    ("Ring the bell!", [("ring_bell", {})]),
    ("Wecke mich in 20 Minuten", [("set_alarm", {"minutes": 20})]),
    ("Set an alarm in 5 minutes that repeats every day", [("set_alarm", {"minutes": 5, "repeat": True})]),
    ("What will the weather be like in Rome?", [("weather", {"city": "Rome"})]),
    ("Quel temps fera-t-il à Paris pendant 3 jours ?", [("weather", {"city": "Paris", "days": 3})]),
    ("What is 2 + 2, then ring the bell.", [("calculate", {"expression": "2 + 2"}), ("ring_bell", {})]),
    ("Why is the sky blue?", []),
    ("Tell me a joke about notes.txt and 17 * 23, but use no tool.", []),
    ("Hello!", []),
    ("", []),
]  # fmt: skip


def all_knowing(calls: list[tuple[str, dict[str, Any]]], done: int, request: Request) -> str:
    """What a model says that knows which calls are right, and how many of them are done."""
    if request.purpose == "decide":
        return " use" if done < len(calls) else " know"
    if request.purpose == "choose":
        name = f" {calls[done][0]}"
        assert request.constraint is not None
        assert request.constraint.schema is not None
        (rest,) = [
            text
            for text in request.constraint.schema["enum"]
            if name.endswith(text) and said_before(request, text) == name
        ]
        return str(rest)
    if request.purpose == "fill":
        return json.dumps(calls[done][1])
    return " The result is right."


def said_before(request: Request, text: str) -> str:
    return request.messages[-1].text.partition("-")[2] + text


@pytest.mark.parametrize(("said", "calls"), TABLE, ids=[said for said, _ in TABLE])
@pytest.mark.parametrize("count", [1, len(ALL)])
def test_with_a_model_that_knows_every_case_comes_out_right(
    said: str, calls: list[tuple[str, dict[str, Any]]], count: int
) -> None:
    needed = {name for name, _ in calls}
    tools = [tool for tool in ALL if tool.name in needed] or ALL[:1] if count == 1 else ALL
    conversation = [Message("user", said)]
    made: list[tuple[str, Any]] = []
    while True:
        client = Scripted(lambda request: all_knowing(calls, len(made), request))
        reply = asyncio.run(take_turn(client, Constrained(), conversation, tools, lambda event: None)).reply
        if not reply.tool_calls:
            break
        (call,) = reply.tool_calls
        made.append((call.name, call.arguments))
        assert len(made) <= len(calls)
        id_ = f"c{len(made)}"
        conversation.append(Message("assistant", calls=(ToolCall(id_, call.name, call.arguments),)))
        conversation.append(Message("tool", "right", result=ToolResult(id_, call.name, "right")))
    assert made == calls
    assert reply.content is not None


# Any answers

ANSWERS = st.one_of(
    st.sampled_from(
        [" use", " know", "", "{}", '{"a": 1}', '{"a": ', "[1]", "null", "[" * 5000, '{"a": NaN}', '{"a": "\\ud800"}']
    ),
    st.text(max_size=10),
)
COMPLETIONS = st.builds(
    Completion,
    ANSWERS,
    finish_reason=st.sampled_from(["stop", "length", None]),
    tokens=st.lists(
        st.builds(
            Token,
            st.text(max_size=3),
            st.floats(-1000, 0),
            st.lists(st.tuples(st.text(max_size=3), st.floats(-1000, 0)), max_size=3).map(tuple),
        ),
        max_size=3,
    ).map(tuple),
)


@given(
    request=st.text(max_size=40),
    schemas=st.lists(ANY_SCHEMAS, max_size=3),
    answers=st.lists(COMPLETIONS, min_size=5, max_size=5),
    result=st.none() | st.text(max_size=9),
)
def test_any_answers_make_a_reply(
    request: str, schemas: list[Any], answers: list[Completion], result: str | None
) -> None:
    tools = [ToolSpec(f"tool{place}", "Does it.", schema) for place, schema in enumerate(schemas)]
    conversation = [Message("user", request)]
    if result is not None:
        conversation.append(Message("assistant", calls=(ToolCall("1", "tool0", {}),)))
        conversation.append(Message("tool", result, result=ToolResult("1", "tool0", result, failed="a" in result)))
    turn = Constrained().turn(conversation, tools)
    Constrained().notes(tools)
    given_ = iter(answers)
    try:
        asked = next(turn)
        while True:
            asked = turn.send(next(given_)) if isinstance(asked, Request) else next(turn)
    except StopIteration as end:
        reply: Reply = end.value
    assert all(call.name in {tool.name for tool in tools} for call in reply.tool_calls)
    json.dumps([call.arguments for call in reply.tool_calls], allow_nan=False, ensure_ascii=False).encode()


def test_no_conversation_is_no_request() -> None:
    asked = next(Constrained(Sampling(temperature=0.3)).turn([], []))
    assert isinstance(asked, Request)
    assert (asked.messages, asked.sampling.temperature) == ((), 0.3)


def test_only_the_eight_likeliest_tools_are_chosen_from() -> None:
    tools = [ToolSpec(f"tool_{letter}", f"Does {letter * 5}.") for letter in "abcdefghijkl"]
    turn = Constrained().turn([Message("user", "Please do lllll and kkkkk")], tools)
    next(turn)
    asked = turn.send(Completion(" use"))
    assert isinstance(asked, Request)
    assert asked.purpose == "choose"
    assert asked.constraint is not None
    assert asked.constraint.schema is not None
    assert len(asked.constraint.schema["enum"]) == 8
    assert asked.constraint.schema["enum"][0] in ("k", "l")


def test_notes_name_tool_and_parameter() -> None:
    spec = ToolSpec("f", "F.", {"type": "object", "properties": {"x": {"type": "string", "pattern": "a"}}})
    assert Constrained().notes([spec]) == ("f.x: its pattern is not enforced while writing",)


def test_own_tokens_of_an_answer_are_kept() -> None:
    done = [
        Message("user", "hi"),
        Message("assistant", calls=(ToolCall("1", "f", {}),)),
        Message("tool", "ok", result=ToolResult("1", "f", "ok")),
    ]
    asked = next(Constrained(Sampling(max_tokens=7)).turn(done, []))
    assert isinstance(asked, Request)
    assert asked.sampling.max_tokens == 7


def test_of_long_results_the_beginning_is_asked_about() -> None:
    long = "row " * 5_000
    said = [
        Message("user", "Read data.csv."),
        Message("assistant", calls=(ToolCall("1", "file_read", {"path": "data.csv"}),)),
        Message("tool", result=ToolResult("1", "file_read", long)),
    ]
    client = Scripted(lambda request: " know" if request.purpose == "decide" else " row by row")
    asked = asyncio.run(take_turn(client, Constrained(), said, ALL, lambda event: None))
    assert asked.reply.content == "row by row"
    assert all(sum(len(message.text) for message in request.messages) < 6_000 for request in client.requests)


def test_what_a_failed_call_gave_is_no_source_of_values() -> None:
    said = [
        Message("user", "Read the file."),
        Message("assistant", calls=(ToolCall("1", "file_read", {"path": "x"}),)),
        Message(
            "tool", result=ToolResult("1", "file_read", "There is no x. In the workspace are: a.txt.", failed=True)
        ),
    ]
    client = Scripted(lambda request: {"decide": " use", "fill": '{"path": "b.txt"}'}.get(request.purpose, "-"))
    asyncio.run(take_turn(client, Constrained(), said, [TOOLS["file_read"]], lambda event: None))
    (fill,) = (request for request in client.requests if request.purpose == "fill")
    assert fill.constraint is not None
    assert "a.txt" not in str(fill.constraint.gbnf)
