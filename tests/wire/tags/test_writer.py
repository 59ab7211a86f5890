"""Calls in tags, written: what the grammar lets through between tags is read back as what it is."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.wire.gbnf import Grammar
from tests.wire.schemas import Schema
from tests.wire.test_grammar import obj

from opposable.wire import Call, render
from opposable.wire.bodies.tags import Tags
from opposable.wire.grammar import calls
from opposable.wire.shapes import BY_NAME, SHAPES
from opposable.wire.tags.forms import Form

AS_TEXT = [row.name for row in SHAPES if row.access == "read-write" and isinstance(row.body, Tags)]
FORMS: dict[str, Form] = {row.name: row.body.form for row in SHAPES if isinstance(row.body, Tags)}
WORDS = {
    name: (*form.calls, *form.parameters, *form.keys, *form.values, *form.outer, *form.cdata)
    for name, form in FORMS.items()
}


def written(shape: str, schema: Schema, *values: Any) -> tuple[list[Any], tuple[str, ...]]:
    """Which of these arguments the grammar lets through as they are rendered, and its notes."""
    tools = [{"name": "f", "parameters": schema}]
    found = calls(tools, shape)
    grammar = Grammar(found.gbnf)
    assert grammar.recursion() is None
    let = [value for value in values if grammar.derives(render([Call("f", value, None, "", (), "")], shape))]
    return let, found.notes


@pytest.mark.parametrize("shape", AS_TEXT)
def test_text_between_tags_is_free_but_for_tags(shape: str) -> None:
    texts = [
        "",
        " ",
        "a\nb\n",
        "a < b && c > d",
        "i<n",
        "<b>",
        "</b>",
        "<",
        "</",
        "x <= y",
        'say "hi"',
        "<!-- -->",
        "List<int>",
    ]
    some = [{"t": text} for text in texts]
    assert written(shape, obj(t={"type": "string"}), *some) == (some, ())


@pytest.mark.parametrize("shape", AS_TEXT)
def test_tags_are_no_text(shape: str) -> None:
    tools = [{"name": "f", "parameters": obj(t={"type": "string"}, u={"type": "string"})}]
    plain = render([Call("f", {"t": "here", "u": "there"}, None, "", (), "")], shape, tools)
    grammar = Grammar(calls(tools, shape).gbnf)
    assert grammar.derives(plain)
    opening, closing, end = FORMS[shape].brackets[0]
    for tag in [f"{opening}{word}" for word in WORDS[shape]] + [f"{closing}{word}" for word in WORDS[shape]]:
        for text in (f"{tag}{end}", f"a {tag}=u{end}", f'{tag} name="u"{end}b'):
            assert not grammar.derives(plain.replace("here", text))


@pytest.mark.parametrize("shape", ["qwen-xml", "dsml", "kimi-k3"])
@pytest.mark.parametrize(
    ("schema", "right", "wrong", "notes"),
    [
        ({"enum": ["a", "b c"]}, ["a", "b c"], ["b"], 0),
        ({"enum": ["a", 1, None, "1"]}, ["a", 1, None], ["b", 2], 1),
        ({"enum": ["</parameter>", "<|open|>"]}, ["any"], [], 1),
        ({"const": "a"}, ["a"], ["b"], 0),
        ({"type": "string", "minLength": 1}, ["a", "<"], [""], 0),
        ({"type": "string", "minLength": 2}, ["a"], [], 1),
        ({"type": ["string", "null"]}, ["a", None], [], 0),
        ({"anyOf": [{"enum": ["a"], "type": "string"}, {"type": "null"}]}, ["a", None], ["b"], 0),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, ["a", 5], [], 0),
        ({"oneOf": [{"type": "string"}, {"type": "null"}], "title": "x"}, ["a", None], [], 1),
        ({"$ref": "#/$defs/unit"}, ["kg"], ["g"], 0),
        ({"$ref": "#/$defs/none"}, ["kg"], [], 1),
        ({}, ["a", 5, {"x": "y"}], [], 0),
        (True, ["a", 5], [], 0),
        ({"type": ["integer", "null"]}, [5, None], [], 0),
        ({"type": "array", "items": {"type": "string"}}, [[], ["a", "<b>"]], [], 0),
        ({"allOf": [{"type": "string"}, {"minLength": 2}]}, ["a"], [], 1),
    ],
)
def test_values_between_tags(shape: str, schema: Any, right: list[Any], wrong: list[Any], notes: int) -> None:
    whole = {**obj(x=schema), "$defs": {"unit": {"enum": ["kg"]}}}
    let, told = written(shape, whole, *({"x": value} for value in (*right, *wrong)))
    assert [value["x"] for value in let] == right
    assert len(told) == notes


def test_required_parameters_come_first_and_the_others_in_their_order() -> None:
    schema = obj(["c"], a={"type": "null"}, b={"type": "null"}, c={"type": "null"})
    some = [dict.fromkeys(keys) for keys in ("c", "ca", "cb", "cab", "a", "cba", "ac", "")]
    for shape in AS_TEXT:
        assert written(shape, schema, *some) == (some[:4], ())


def test_parameters_that_are_not_described() -> None:
    schema = {"required": ["a", 7], "additionalProperties": {"type": "integer"}, "properties": {"no": False}}
    assert written("glm", schema, {"a": 1}, {}) == ([{"a": 1}], ())
    assert written("glm", {"properties": ["a"], "required": "a"}, {}) == ([{}], ())


NEAR_TAGS = [
    *(part for shape in AS_TEXT for part in (*WORDS[shape], *(text for bracket in FORMS[shape].brackets for text in bracket))),
    *("<", "</", ">", "/", " ", "\n", "\t", "=", '"', "Ġ", "\u00a0", ":", "x:", 'name="u">', "=u>", "<b>", "</s>",
      "<think>", "a"),
]  # fmt: skip


@pytest.mark.parametrize("shape", AS_TEXT)
@given(pieces=st.lists(st.sampled_from(NEAR_TAGS), max_size=7))
def test_text_that_the_grammar_lets_through_is_read_back(shape: str, pieces: list[str]) -> None:
    tools = [{"name": "f", "parameters": obj(t={"type": "string"}, u={"type": "string"})}]
    call = Call("f", {"t": "".join(pieces), "u": "b"}, None, "", (), "")
    if Grammar(calls(tools, shape).gbnf).derives(BY_NAME[shape].write([call])):
        assert render([call], shape, tools)
