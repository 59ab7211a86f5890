"""Bodies of tags: where they end however they come, what a body alone says, and what cannot be written in them."""

from typing import Any

import pytest
from tests.wire.golden import TOOLS

from opposable.wire import parse
from opposable.wire.bodies.tags import Tags
from opposable.wire.calls import Draft, NoCall, Parameter
from opposable.wire.mend import DEEPEST, Malformed
from opposable.wire.offered import Offered
from opposable.wire.source import Literals, Source
from opposable.wire.steps import Block
from opposable.wire.tags.forms import Form, parsed
from opposable.wire.tags.tree import as_json

OFFERED = Offered(TOOLS.values())
NONE = Literals(())
FUNCTION = Form(calls=("function",), parameters=("parameter",), outer=("tool_call",))
TREE = Form(calls=("invoke",), outer=("tool_call",), items=("item",))


def scanned(body: Tags, text: str, step: int, *, loose: bool = False) -> tuple[str, str, bool]:
    """What a body says of a text that comes in steps: its state, the text it takes, whether it is whole."""
    src = Source()
    block = Block(0, OFFERED, NONE, Literals(("<|im_end|>", "<tool_call>")), NONE, loose=loose)
    work = body.scan(src, block)
    at = 0
    try:
        while True:
            next(work)
            src.closed = at >= len(text)
            src.feed(text[at : at + step])
            at += step
    except StopIteration as stop:
        taken = text[slice(*block.parts.get("body", (0, 0)))]
        return stop.value, taken, block.whole


VALUE = "<function=ring_bell><parameter=times>1"
CALL = VALUE + "</parameter></function>"


@pytest.mark.parametrize("step", [1, 2, 7, 1000])
@pytest.mark.parametrize(
    ("text", "state", "taken", "whole"),
    [
        (CALL + " and", "on", CALL, True),
        (CALL + "\n" + CALL + "</tool_call>", "on", CALL + "\n" + CALL, True),
        (VALUE + "</parameter>\n</tool_call>", "on", VALUE + "</parameter>\n", True),
        (VALUE + "</function> and", "on", VALUE + "</function>", True),
        (VALUE + "<tool_call>" + CALL, "on", VALUE, False),
        (VALUE + "</parameter> x</parameter></function>", "on", VALUE + "</parameter> x</parameter></function>", True),
        (VALUE + "</par", "cut", VALUE + "</par", False),
        (VALUE + "<|im_end|>", "on", VALUE, False),
        ("<function=ring_bell> and", "no", "", False),
        ("<func", "cut", "<func", False),
        ("function", "no", "", False),
    ],
)
def test_where_a_body_ends(text: str, state: str, taken: str, whole: bool, step: int) -> None:
    assert scanned(Tags(FUNCTION, "many"), text, step) == (state, taken, whole)


@pytest.mark.parametrize("step", [1, 1000])
def test_what_was_seen_is_not_looked_ahead_over_again(step: int) -> None:
    """Then a closing tag of a call ends the value where one may stand, else it is data."""
    one = Tags(FUNCTION)
    text = VALUE + " </function> x</function></tool_call></parameter></function>"
    taken = VALUE + " </function> x</function>"
    assert scanned(one, text, step, loose=True) == ("on", taken, True)
    assert scanned(one, VALUE + "<tool_call>" + CALL, step, loose=True) == ("on", VALUE, False)
    assert scanned(one, VALUE + "</function>", step, loose=True) == ("on", VALUE + "</function>", True)


def read(body: Tags, text: str, *, ended: bool = True) -> list[Draft]:
    return body.read(text, "", OFFERED, ended=ended)


def test_a_body_says_its_values_as_text() -> None:
    (draft,) = read(
        Tags(FUNCTION), '<function=ring_bell><parameter=times>\n007\n</parameter><parameter name="k" type="x">1'
    )
    assert draft.name == "ring_bell"
    assert draft.texts == [Parameter("times", "007"), Parameter("k", "1", "x")]
    assert draft.mends == ["missing_marker", "missing_marker"]


def test_a_body_that_does_not_end() -> None:
    with pytest.raises(Malformed):
        read(Tags(FUNCTION), VALUE, ended=False)
    with pytest.raises(NoCall):
        read(Tags(FUNCTION), "anything")


def test_a_tag() -> None:
    assert parsed(" invoke name=\"a&amp;b\" x=1 y='2' /") == ("invoke", {"name": "a&b", "x": "1", "y": "2"}, True)
    assert parsed("parameter=two words") == ("parameter", {"": "two words"}, False)
    assert parsed("=x") == ("", {"": "x"}, False)


def json_of(text: str, schema: Any, root: Any = None) -> str:
    return as_json(Parameter("k", text), TREE, schema, root).text


NUMBER = {"type": "integer"}


@pytest.mark.parametrize(
    ("schema", "root"),
    [
        ({"type": "object", "properties": {"a": NUMBER}}, None),
        ({"anyOf": [{"type": "null"}, {"properties": {"a": NUMBER}}]}, None),
        ({"$ref": "#/$defs/k"}, {"$defs": {"k": {"properties": {"a": NUMBER}}}}),
        ({"allOf": [{"properties": 3}, {"properties": {"a": NUMBER}}]}, None),
    ],
)
def test_members_are_typed_wherever_the_schema_says_so(schema: Any, root: Any) -> None:
    assert json_of("<a>007</a><b>007</b>", schema, root) == '{"a": 7, "b": "007"}'


def test_items_are_typed() -> None:
    assert json_of("<item>1</item><item>x</item>", {"type": "array", "items": NUMBER}) == '[1, "x"]'
    assert json_of("<a><item>1</item></a><b></b>", {"properties": {"b": {"type": "array"}}}) == '{"a": ["1"], "b": []}'


def test_tags_too_deep_and_tags_that_stay_open() -> None:
    with pytest.raises(Malformed):
        json_of("<a>1", None)
    with pytest.raises(Malformed):
        json_of("<a>" * (DEEPEST + 9) + "</a>" * (DEEPEST + 9), None)


def test_a_schema_that_never_ends() -> None:
    root = {"$ref": "#"}
    assert json_of("<a>1</a>", root, root) == '{"a": "1"}'


def test_a_name_is_not_longer_than_names_are() -> None:
    text = "<tool_call>" + "so " * 200 + "<arg_key>a</arg_key>"
    assert parse(text, list(TOOLS.values())).content == text
    assert not parse(text, list(TOOLS.values())).rejected
