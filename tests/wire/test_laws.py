"""What holds for any text: nothing raises, nothing is lost, no cut is seen, what is written is read back."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fuzz.words import JSON_PIECES, MARKERS, OTHER_PIECES, SIGNS, TAG_PIECES
from tests.wire.golden import TOOLS

from opposable.errors import CannotCarry
from opposable.wire import Call, Event, Reply, StreamParser, Text, collect, parse, render
from opposable.wire.bodies.tags import Tags
from opposable.wire.fits import kind
from opposable.wire.shapes import SHAPES

OFFERED = list(TOOLS.values())
ANY = st.text(max_size=40)
SPLICED = st.lists(
    st.one_of(
        st.sampled_from(MARKERS),
        st.sampled_from([*JSON_PIECES, *TAG_PIECES]),
        st.sampled_from(OTHER_PIECES),
        st.sampled_from(SIGNS),
        st.text(max_size=3),
    ),
    max_size=16,
).map("".join)
TEXTS = st.one_of(ANY, SPLICED, SPLICED)
FINISHES = st.sampled_from(["stop", "length", None, "tool_calls"])


def stream(text: str, cuts: list[int], finish: str | None, **how: Any) -> list[Event]:
    parser = StreamParser(OFFERED, **how)
    events: list[Event] = []
    at = 0
    for cut in sorted(cut % (len(text) + 1) for cut in cuts):
        events += parser.feed(text[at:cut])
        at = cut
    return [*events, *parser.feed(text[at:]), *parser.close(finish)]


def everything(reply: Reply) -> str:
    return repr(reply)


@given(text=TEXTS, finish=FINISHES, starts=st.booleans())
def test_any_text_is_a_reply_and_nothing_is_lost(text: str, finish: str | None, starts: bool) -> None:
    assert isinstance(parse(text, OFFERED, finish, starts_in_reasoning=starts), Reply)
    assert "".join(event.raw for event in stream(text, [], finish, starts_in_reasoning=starts)) == text


@given(text=TEXTS, cuts=st.lists(st.integers(0, 400), max_size=30), finish=FINISHES, starts=st.booleans())
def test_no_cut_is_seen(text: str, cuts: list[int], finish: str | None, starts: bool) -> None:
    whole = parse(text, OFFERED, finish, starts_in_reasoning=starts)
    for pieces in (cuts, list(range(len(text)))):
        events = stream(text, pieces, finish, starts_in_reasoning=starts)
        assert "".join(event.raw for event in events) == text
        assert everything(collect(events)) == everything(whole)


@given(text=TEXTS, finish=FINISHES, shape=st.sampled_from([shape.name for shape in SHAPES]))
def test_nothing_depends_on_the_hint(text: str, finish: str | None, shape: str) -> None:
    assert everything(parse(text, OFFERED, finish, shape=shape)) == everything(parse(text, OFFERED, finish))


@given(text=TEXTS, finish=FINISHES)
def test_content_and_calls_and_markers_add_up(text: str, finish: str | None) -> None:
    """A call is only of an offered tool, and carries JSON that can be written again."""
    for call in parse(text, OFFERED, finish).tool_calls:
        assert call.name in TOOLS
        json.dumps(call.arguments, allow_nan=False).encode("utf-8")


@given(text=TEXTS)
def test_without_tools_nothing_is_called(text: str) -> None:
    assert not parse(text).tool_calls


WRITABLE = [shape.name for shape in SHAPES if shape.access == "read-write"]
SOUND = st.characters(exclude_categories=["Cs"])
CLOSERS = st.sampled_from([*MARKERS, '"}}', "'", "\\", '"', "\n```\n", "{}", "//", "C:\\new"])
STRINGS = st.one_of(st.text(SOUND, max_size=10), st.lists(st.one_of(CLOSERS, st.text(SOUND, max_size=4))).map("".join))
NUMBERS = st.one_of(st.integers(-(2**70), 2**70), st.floats(allow_nan=False, allow_infinity=False))
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, STRINGS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(STRINGS, inner, max_size=4)),
    max_leaves=12,
)
LISTS = st.recursive(STRINGS, lambda inner: st.lists(inner, min_size=1, max_size=3), max_leaves=6)
NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9_.:-]{0,20}", fullmatch=True)
CALLS = st.lists(st.tuples(NAMES, st.dictionaries(STRINGS, VALUES, max_size=4)), min_size=1, max_size=3)


AS_TEXT = [shape.name for shape in SHAPES if shape.access == "read-write" and isinstance(shape.body, Tags)]
"""Shapes that write values as text: their types are left to the schema, and a text may hold what ends it."""


def fitting(calls: list[tuple[str, dict[str, Any]]], shape: str) -> list[Any]:
    """Tools that these calls fit; without a schema where the shape itself says what a value is."""
    types: dict[str, dict[str, list[str]]] = {name: {} for name, _ in calls}
    for name, arguments in calls:
        for key, value in arguments.items():
            types[name].setdefault(key, []).append(kind(value))
    return [
        {"name": name, "parameters": {"properties": {key: {"type": some} for key, some in known.items()}}}
        if shape in AS_TEXT
        else {"name": name, "parameters": {"type": "object"}}
        for name, known in types.items()
    ]


@pytest.mark.parametrize("shape", WRITABLE)
@settings(max_examples=20)
@given(calls=CALLS, finish=FINISHES)
def test_what_is_written_is_read_back(shape: str, calls: list[tuple[str, dict[str, Any]]], finish: str | None) -> None:
    tools = fitting(calls, shape)
    try:
        written = render([Call(name, arguments, None, shape, (), "") for name, arguments in calls], shape, tools)
    except CannotCarry:
        assert shape in AS_TEXT
        return
    reply = parse(written, tools, finish)
    assert [(call.name, call.arguments) for call in reply.tool_calls] == calls
    assert repr([(call.name, call.arguments) for call in reply.tool_calls]) == repr(calls)
    assert not [call for call in reply.tool_calls if call.mends or call.shape != shape]
    assert (reply.content, reply.reasoning, reply.rejected) == (None, None, ())


WITHOUT_TAGS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="<"), max_size=12)


@pytest.mark.parametrize("shape", AS_TEXT)
@given(texts=st.dictionaries(st.sampled_from(["path", "n", "some_key"]), WITHOUT_TAGS))
def test_text_without_tags_can_be_written_in_every_shape(shape: str, texts: dict[str, str]) -> None:
    written = render([Call("ring_bell", texts, None, shape, (), "")], shape)
    assert parse(written, fitting([("ring_bell", texts)], shape)).tool_calls[0].arguments == texts


@pytest.mark.parametrize("shape", AS_TEXT)
@pytest.mark.parametrize(
    "text",
    ["\n", "\r", "\r\n", "\n\n", " a ", "a\r", "\na", "a\n", "\r\na\r", "a < b", "<", "</", "</b>", "<b>x", "i<n;>"],
)
def test_layout_is_taken_off_and_nothing_else(shape: str, text: str) -> None:
    assert render([Call("ring_bell", {"text": text, "more": text}, None, shape, (), "")], shape)


@pytest.mark.parametrize("shape", AS_TEXT)
@given(value=st.lists(LISTS, max_size=3))
def test_what_is_json_between_tags_can_always_be_written(shape: str, value: list[Any]) -> None:
    assert render([Call("ring_bell", {"some": value}, None, shape, (), "")], shape)


def test_feeding_nothing_says_nothing() -> None:
    parser = StreamParser(OFFERED)
    assert [parser.feed("") for _ in range(3)] == [[], [], []]
    assert parser.close() == []
    assert parser.close() == []


def test_after_the_end_nothing_can_come() -> None:
    parser = StreamParser(OFFERED)
    parser.feed("hi")
    parser.close()
    with pytest.raises(ValueError, match="closed"):
        parser.feed("more")


def test_a_call_is_told_as_soon_as_its_closer_is_whole() -> None:
    parser = StreamParser(OFFERED)
    assert parser.feed('<tool_call>{"name": "list_ovens"}</tool_call') == []
    assert [type(event) for event in parser.feed("> and")] == [Call, Text]


def test_text_is_held_only_while_it_can_become_a_marker() -> None:
    parser = StreamParser(OFFERED)
    assert "".join(event.raw for event in parser.feed("a < b and a <tool_ca")) == "a < b and a "
    assert "".join(event.raw for event in parser.feed("ke")) == "<tool_cake"


def test_a_hint_that_names_no_shape() -> None:
    with pytest.raises(ValueError, match="no shape is called 'hermit'"):
        StreamParser(OFFERED, shape="hermit")
