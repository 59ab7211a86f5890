"""Calls written as a model writes them."""

from collections import UserDict
from types import SimpleNamespace
from typing import Any

import pytest

from opposable.errors import CannotCarry
from opposable.wire import Call, parse, render
from opposable.wire.grammar import calls
from opposable.wire.shapes import SHAPES

WRITABLE = [row.name for row in SHAPES if row.access == "read-write"]

BELL = Call("ring_bell", {"times": 2, "where": "Köln"}, None, "", (), "")
OVENS = Call("list_ovens", {}, None, "", (), "")
TOOLS = [{"name": "list_ovens", "parameters": {}}]


@pytest.mark.parametrize(
    ("shape", "written"),
    [
        ("hermes", '<tool_call>\n{"name": "ring_bell", "arguments": {"times": 2, "where": "Köln"}}\n</tool_call>'),
        ("function-tag", '<function=ring_bell>{"times": 2, "where": "Köln"}</function>'),
        ("fenced", '```json\n{"name": "ring_bell", "arguments": {"times": 2, "where": "Köln"}}\n```'),
        (
            "qwen-xml",
            "<tool_call>\n<function=ring_bell>\n<parameter=times>\n2\n</parameter>\n<parameter=where>\nKöln\n</parameter>\n"
            "</function>\n</tool_call>",
        ),
        (
            "seed",
            "<seed:tool_call>\n<function=ring_bell>\n<parameter=times>2</parameter>\n<parameter=where>Köln</parameter>\n"
            "</function>\n</seed:tool_call>",
        ),
        (
            "glm",
            "<tool_call>ring_bell\n<arg_key>times</arg_key>\n<arg_value>2</arg_value>\n<arg_key>where</arg_key>\n"
            "<arg_value>Köln</arg_value>\n</tool_call>",
        ),
        (
            "invoke",
            '<minimax:tool_call>\n<invoke name="ring_bell">\n<parameter name="times">2</parameter>\n'
            '<parameter name="where">Köln</parameter>\n</invoke>\n</minimax:tool_call>',
        ),
        (
            "dsml",
            '<｜DSML｜function_calls>\n<｜DSML｜invoke name="ring_bell">\n'
            '<｜DSML｜parameter name="times" string="false">2</｜DSML｜parameter>\n'
            '<｜DSML｜parameter name="where" string="true">Köln</｜DSML｜parameter>\n'
            "</｜DSML｜invoke>\n</｜DSML｜function_calls>",
        ),
        (
            "minicpm",
            '<function name="ring_bell"><param name="times">2</param><param name="where">Köln</param></function>',
        ),
        (
            "kimi-k3",
            '<|open|>tools<|sep|><|open|>call tool="ring_bell" index="1"<|sep|>'
            '<|open|>argument key="times" type="number"<|sep|>2<|close|>argument<|sep|>'
            '<|open|>argument key="where" type="string"<|sep|>Köln<|close|>argument<|sep|>'
            "<|close|>call<|sep|><|close|>tools<|sep|>",
        ),
        (
            "kimi",
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.ring_bell:0<|tool_call_argument_begin|>"
            '{"times": 2, "where": "Köln"}<|tool_call_end|><|tool_calls_section_end|>',
        ),
        ("gemma", '<|tool_call>call:ring_bell{times:2,where:<|"|>Köln<|"|>}<tool_call|>'),
        (
            "function-gemma",
            "<start_function_call>call:ring_bell{times:2,where:<escape>Köln<escape>}<end_function_call>",
        ),
        ("bare", '{"name": "ring_bell", "arguments": {"times": 2, "where": "Köln"}}'),
    ],
)
def test_one_call(shape: str, written: str) -> None:
    assert render([BELL], shape) == written


def test_calls_stand_one_below_the_other() -> None:
    assert (
        render([OVENS, OVENS], "function-tag")
        == "<function=list_ovens>{}</function>\n" * 1 + "<function=list_ovens>{}</function>"
    )
    assert render([], "hermes") == ""


def test_calls_of_a_section_are_counted() -> None:
    assert [call.id for call in parse(render([OVENS, OVENS], "kimi"), TOOLS).tool_calls] == [
        "functions.list_ovens:0",
        "functions.list_ovens:1",
    ]
    assert 'index="2"' in render([OVENS, OVENS], "kimi-k3")


@pytest.mark.parametrize(
    ("shape", "value", "written"),
    [
        ("qwen-xml", " a\n", "<parameter=k>\n a\n\n</parameter>"),
        ("qwen-xml", "a\r", "<parameter=k>\na\r\r\n</parameter>"),
        ("seed", " a\n", "<parameter=k> a\n</parameter>"),
        ("seed", "\na", "<parameter=k>\n\na\n</parameter>"),
        ("qwen-xml", ["</parameter>"], '<parameter=k>\n["\\u003c/parameter>"]\n</parameter>'),
        ("minicpm", "a ]]> </param>", '<param name="k"><![CDATA[a ]]]]><![CDATA[> </param>]]></param>'),
        ("gemma", 'a <|"|>', '{k:"a \\u003c|\\"|>"}'),
        ("gemma", {"a b": [None, 1.5]}, '{k:{<|"|>a b<|"|>:[null,1.5]}}'),
        ("invoke", None, '<parameter name="k">null</parameter>'),
    ],
)
def test_values_as_they_stand(shape: str, value: object, written: str) -> None:
    assert written in render([Call("list_ovens", {"k": value}, None, "", (), "")], shape)


def test_keys_are_escaped_where_they_are_attributes() -> None:
    assert '<parameter name="a&quot;b">' in render([Call("list_ovens", {'a"b': "x"}, None, "", (), "")], "invoke")


@pytest.mark.parametrize(
    ("shape", "text"), [("qwen-xml", "a </parameter>\n</function> b"), ("invoke", "a </parameter>\n</invoke> b")]
)
def test_text_that_holds_its_closing_tags_is_refused(shape: str, text: str) -> None:
    with pytest.raises(CannotCarry):
        render([Call("list_ovens", {"k": text}, None, "", (), "")], shape)


def test_text_that_the_schema_takes_for_a_number_is_refused() -> None:
    tools = [{"name": "list_ovens", "parameters": {"properties": {"k": {"type": ["integer", "string"]}}}}]
    with pytest.raises(CannotCarry):
        render([Call("list_ovens", {"k": "5"}, None, "", (), "")], "glm", tools)
    assert render([Call("list_ovens", {"k": 5}, None, "", (), "")], "glm", tools)


@pytest.mark.parametrize("shape", [next(row.name for row in SHAPES if row.access == "read"), "no such"])
def test_a_shape_that_cannot_be_written(shape: str) -> None:
    with pytest.raises(ValueError, match=r"can be written; there are .*hermes, "):
        render([BELL], shape)
    with pytest.raises(ValueError, match=r"can be written; there are .*hermes, "):
        calls([{"name": "list_ovens", "parameters": {}}], shape)


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, {"a": (1,)}, {1: 2}, "\ud800"])
@pytest.mark.parametrize("shape", WRITABLE)
def test_what_is_no_json_is_refused(shape: str, value: object) -> None:
    with pytest.raises(CannotCarry, match=f"the shape {shape} cannot hold"):
        render([Call("ring_bell", {"times": value}, None, "", (), "")], shape)


@pytest.mark.parametrize("shape", WRITABLE)
def test_a_name_that_is_none_is_refused(shape: str) -> None:
    with pytest.raises(CannotCarry):
        render([Call(" ", {}, None, "", (), "")], shape)


def test_the_tools_that_are_offered_decide_whether_text_can_be_read_back() -> None:
    for shape in WRITABLE:
        with pytest.raises(CannotCarry):
            render([BELL], shape, [{"name": "list_ovens", "parameters": {}}])


@pytest.mark.parametrize("shape", WRITABLE)
def test_plain_values_can_be_written_in_every_shape(shape: str) -> None:
    some = [
        BELL,
        OVENS,
        Call("bake", {"minutes": 2.5, "hot": True, "for": ["a", {"b": None}], "o": {}}, None, "", (), ""),
    ]
    assert render(some, shape)


@pytest.mark.parametrize(
    "given",
    [
        {"name": "ring_bell", "arguments": {"times": 2, "where": "Köln"}},
        UserDict({"name": "ring_bell", "arguments": UserDict({"times": 2, "where": "Köln"})}),
        {
            "id": "1",
            "type": "function",
            "function": {"name": "ring_bell", "arguments": '{"times": 2, "where": "Köln"}'},
        },
        {"function": SimpleNamespace(name="ring_bell", arguments='{"times": 2, "where": "Köln"}')},
        SimpleNamespace(function=SimpleNamespace(name="ring_bell", arguments='{"times": 2, "where": "Köln"}')),
        SimpleNamespace(name="ring_bell", arguments={"times": 2, "where": "Köln"}),
    ],
)
def test_calls_in_the_openai_format(given: Any) -> None:
    for shape in WRITABLE:
        assert render([given], shape) == render([BELL], shape)


@pytest.mark.parametrize(
    "given",
    [
        "ring_bell",
        None,
        {},
        {"name": "ring_bell"},
        {"name": 5, "arguments": {}},
        {"name": None, "arguments": "{}"},
        {"name": "ring_bell", "arguments": []},
        {"name": "ring_bell", "arguments": "[1]"},
        {"function": "ring_bell"},
    ],
)
def test_what_is_no_call(given: Any) -> None:
    with pytest.raises(
        TypeError, match=r"a call is an object or dict with a `name` \(str\) and `arguments` .* is none: "
    ):
        render([given], "hermes")


@pytest.mark.parametrize("text", ["", "{", '{"a": 1}}', "[" * 100_000])
def test_arguments_that_are_no_json(text: str) -> None:
    with pytest.raises(ValueError, match="the arguments of the call of ring_bell are text that is no JSON"):
        render([{"function": {"name": "ring_bell", "arguments": text}}], "hermes")


def call(**arguments: object) -> Call:
    return Call("bake", arguments, None, "", (), "")


BREAD = [{"name": "bake", "parameters": {"properties": {"k": {"type": ["integer", "string"]}}}}]


@pytest.mark.parametrize(
    ("some", "shape", "tools", "blamed"),
    [
        ([OVENS, call(a=1, b={1})], "hermes", None, "the argument 'b' of call 2, 'bake': it is no JSON ("),
        (
            [call(a="a", b="</parameter>\n</function>")],
            "qwen-xml",
            None,
            "the argument 'b' of call 1, 'bake': it would not",
        ),
        ([call(k="5")], "glm", BREAD, "the argument 'k' of call 1, 'bake': it would not be read back the same"),
        ([call(), OVENS], "hermes", BREAD, "call 2, 'list_ovens': no tool of this name is offered"),
        ([Call(" ", {"a": 1}, None, "", (), "")], "hermes", None, "call 1, ' ': it would not be read back the same"),
    ],
)
def test_what_cannot_be_held_is_named(some: list[Call], shape: str, tools: Any, blamed: str) -> None:
    with pytest.raises(CannotCarry) as told:
        render(some, shape, tools)
    assert str(told.value).startswith(f"the shape {shape} cannot hold {blamed}")


def test_calls_that_cannot_be_held_together() -> None:
    with pytest.raises(CannotCarry, match="the shape glm cannot hold these calls together"):
        render([call(k="5"), call(k=5)], "glm")
