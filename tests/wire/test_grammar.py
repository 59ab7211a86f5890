"""Grammars made from schemas: whatever the schema, there is one; what it derives is JSON that fits, or a note says why not."""

import asyncio
import json
import random
import time
from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.wire.gbnf import Grammar
from tests.wire.schemas import ANY_SCHEMAS, KEYS, ODD_TEXTS, Schema

from opposable.clients.engine import free_cores
from opposable.clients.llamacpp import LlamaCpp
from opposable.messages import Completion, Constraint, Message, Request, Sampling
from opposable.store import StoredModel
from opposable.wire import Call, parse, render
from opposable.wire.grammar import arguments, calls, choice
from opposable.wire.offered import Tool
from opposable.wire.rules import LONGEST_ENUM, QUOTES
from opposable.wire.shapes import SHAPES

CHARS = st.characters(exclude_categories=["Cs"], exclude_characters="\x7f")
TEXTS = st.one_of(st.sampled_from([text for text in ODD_TEXTS if text != "\ud800"]), st.text(CHARS, max_size=8))


def made(schema: Any, **how: Any) -> tuple[Grammar, tuple[str, ...]]:
    """The grammar, which is sound, was made in time and is not much longer than the schema; and the notes."""
    began = time.perf_counter()
    text, notes = arguments(schema, **how)
    size = len(json.dumps(schema)) + len(str(how.get("words", "")))
    assert len(text) < 3_000 + 60 * size
    assert time.perf_counter() - began < 2 + size / 5_000
    grammar = Grammar(text)
    assert grammar.recursion() is None
    return grammar, notes


def fits(schema: Mapping[str, Any], value: Any) -> bool:
    return jsonschema_rs.validator_for(dict(schema), offline=True).is_valid(value)


def obj(required: list[str] | None = None, **properties: Any) -> Schema:
    return {"type": "object", "properties": properties, "required": [*properties] if required is None else required}


@given(schema=ANY_SCHEMAS, words=st.one_of(st.just(""), st.text(max_size=30)), seed=st.integers(0, 2**32))
def test_any_schema_has_a_grammar_of_json_objects(schema: Schema, words: str, seed: int) -> None:
    grammar, notes = made(schema, words=words)
    rng = random.Random(seed)
    sound = not notes and not words.strip() and not _halves(schema) and jsonschema_rs.meta.is_valid(schema)
    for _ in range(3):
        value = json.loads(grammar.written(rng))
        if sound and not _halves(value):
            assert fits(schema, value)


def _halves(value: Any) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in json.dumps(value, ensure_ascii=False))


# Schemas that are held, with a value that fits each

Pair = tuple[Any, Any]
LEAVES: st.SearchStrategy[Pair] = st.one_of(
    TEXTS.map(lambda text: ({"type": "string"}, text)),
    st.integers(-(10**15), 10**15).map(lambda number: ({"type": "integer"}, number)),
    st.integers(-(10**9), 10**9).map(lambda number: ({"type": "number"}, number / 8)),
    st.booleans().map(lambda value: ({"type": "boolean"}, value)),
    st.just(({"type": "null"}, None)),
    st.lists(TEXTS, min_size=1, max_size=4).map(lambda texts: ({"enum": texts, "type": "string"}, texts[-1])),
    st.one_of(TEXTS, st.integers(), st.booleans(), st.lists(TEXTS, max_size=2)).map(
        lambda value: ({"const": value}, value)
    ),
    st.one_of(TEXTS, st.dictionaries(KEYS, TEXTS, max_size=2)).map(lambda value: ({}, value)),
    st.tuples(st.sampled_from([True, {"description": "any"}]), TEXTS),
    st.dictionaries(KEYS, TEXTS, max_size=2).map(lambda value: ({"type": "object"}, value)),
    st.lists(TEXTS, max_size=2).map(lambda value: ({"type": "array"}, value)),
    st.lists(TEXTS, max_size=2).map(lambda value: ({"$ref": "#/$defs/texts"}, value)),
    st.sampled_from([None, {"next": None}, {"next": {"next": None}}]).map(
        lambda value: ({"$ref": "#/$defs/chain"}, value)
    ),
)
DEFS = {
    "texts": {"type": "array", "items": {"type": "string"}},
    "chain": {"anyOf": [obj(next={"$ref": "#/$defs/chain"}), {"type": "null"}]},
}


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[Pair]) -> Pair:
    members = draw(st.dictionaries(KEYS, st.tuples(inner, st.booleans(), st.booleans()), max_size=4))
    required = [key for key, (_, needed, _) in members.items() if needed]
    optional = [key for key, (_, needed, given) in members.items() if given and not needed]
    schema: Schema = {
        "type": "object",
        "properties": {key: pair[0] for key, (pair, _, _) in members.items()},
        "required": required,
    }
    if draw(st.booleans()) or not members:
        schema["additionalProperties"] = False
    return schema, {key: members[key][0][1] for key in (*required, *optional)}


def nested(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    return st.one_of(
        st.tuples(inner, st.integers(0, 3), st.sampled_from([{}, {"minItems": 1}])).map(
            lambda drawn: (
                {"type": "array", "items": drawn[0][0], **drawn[2]},
                [drawn[0][1]] * max(drawn[1], drawn[2].get("minItems", 0)),
            )
        ),
        st.tuples(inner, st.lists(KEYS, max_size=2, unique=True)).map(
            lambda drawn: (
                {"type": "object", "additionalProperties": drawn[0][0]},
                dict.fromkeys(drawn[1], drawn[0][1]),
            )
        ),
        st.tuples(inner, inner).map(lambda drawn: ({"anyOf": [drawn[0][0], drawn[1][0]]}, drawn[1][1])),
        inner.map(lambda pair: ({"allOf": [pair[0]]}, pair[1])),
        inner.map(lambda pair: ({"type": ["null", "object"], "additionalProperties": pair[0]}, None)),
        objects(inner),
    )


HELD = objects(st.recursive(LEAVES, nested, max_leaves=8))


@given(pair=HELD, seed=st.integers(0, 2**32))
def test_a_simple_schema_is_held(pair: Pair, seed: int) -> None:
    schema, value = {**pair[0], "$defs": DEFS}, pair[1]
    grammar, notes = made(schema)
    assert notes == ()
    assert grammar.derives(json.dumps(value, ensure_ascii=False))
    rng = random.Random(seed)
    for _ in range(3):
        written = json.loads(grammar.written(rng))
        if not _halves(written):
            assert fits(schema, written)


# Single cases


def derived(schema: Any, *values: Any, **how: Any) -> tuple[list[Any], tuple[str, ...]]:
    """Which of the values may be written, and the notes."""
    grammar, notes = made(schema, **how)
    return [value for value in values if grammar.derives(json.dumps(value, ensure_ascii=False))], notes


@pytest.mark.parametrize(
    "schema", [{}, {"type": "object"}, obj(), obj(a=False, required=[]), {"additionalProperties": False}]
)
def test_a_tool_without_parameters_is_called_with_none(schema: Schema) -> None:
    assert derived(schema, {}, {"a": 1}) == ([{}], ())


def test_required_members_come_first_and_the_others_in_their_order() -> None:
    schema = obj(["c"], a={"type": "null"}, b={"type": "null"}, c={"type": "null"})
    grammar, _ = made(schema)
    right = ["c", "c a", "c b", "c a b"]
    for text in [*right, "", "a", "a c", "c b a", "c a a"]:
        value = ", ".join(f'"{key}": null' for key in text.split())
        assert grammar.derives(f"{{{value}}}") == (text in right)


def test_where_nothing_is_required_anything_may_come_first() -> None:
    grammar, _ = made(obj([], a={"type": "null"}, b={"type": "null"}))
    for text, right in [("", True), ("a", True), ("b", True), ("a b", True), ("b a", False), ("b b", False)]:
        value = ", ".join(f'"{key}": null' for key in text.split())
        assert grammar.derives(f"{{{value}}}") == right


def test_a_required_name_that_is_not_described_takes_any_value() -> None:
    schema: Schema = {"type": "object", "required": ["a", 7, ["b"]], "properties": {}}
    assert derived(schema, {"a": [1]}, {}) == ([{"a": [1]}], ())
    schema = {"type": "object", "required": ["a"], "additionalProperties": {"type": "integer"}}
    assert derived(schema, {"a": 1}, {"a": "x"}) == ([{"a": 1}], ())
    schema = {"type": "object", "required": ["a"], "additionalProperties": False}
    assert derived(schema, {"a": 1})[1] == ("a: no value is allowed there, which is not enforced while writing",)


def test_properties_that_are_a_list_are_none() -> None:
    assert derived({"type": "object", "properties": ["a"]}, {}, {"a": 1})[0] == [{}]


def test_where_there_are_properties_there_is_an_object() -> None:
    assert derived(obj(x={"properties": {"y": {"const": 1}}}), {"x": {"y": 1}}, {"x": 1}) == ([{"x": {"y": 1}}], ())


def test_a_map_holds_its_values() -> None:
    schema = obj(m={"type": "object", "additionalProperties": {"type": "integer"}})
    assert derived(schema, {"m": {}}, {"m": {"x": 1, "y": 2}}, {"m": {"x": "1"}}) == (
        [{"m": {}}, {"m": {"x": 1, "y": 2}}],
        (),
    )


@pytest.mark.parametrize(
    ("fixed", "values"),
    [
        ({"enum": ["a", 1, None]}, ["a", 1, None]),
        ({"enum": [1, True, 2.0, 2.5, "x"], "type": "integer"}, [1, 2.0]),
        ({"enum": [1, True, 2.5], "type": "number"}, [1, 2.5]),
        ({"enum": ["a", None, 1, []], "type": ["string", "null"]}, ["a", None]),
        ({"enum": [[], {}, 1], "type": ["array", "object"]}, [[], {}]),
        ({"enum": [True, "x"], "type": "boolean"}, [True]),
        ({"const": 'say "hi"\\\n'}, ['say "hi"\\\n']),
        ({"const": "a", "enum": ["b", "a"]}, ["a"]),
        ({"enum": ["a", "b"], "type": "flavour"}, ["a", "b"]),
    ],
)
def test_fixed_values_of_the_right_type(fixed: Schema, values: list[Any]) -> None:
    found, notes = derived(obj(x=fixed), *({"x": value} for value in (*values, "other", 17, 2.75, ["x"], {"y": 1})))
    assert [member["x"] for member in found] == values
    assert notes == ()


@pytest.mark.parametrize(
    ("fixed", "value"),
    [
        ({"enum": [], "type": "string"}, "any"),
        ({"enum": []}, [1]),
        ({"enum": "no list"}, [1]),
        ({"enum": ["1"], "type": "integer"}, 5),
        ({"enum": [], "const": 5}, 5),
    ],
)
def test_an_enum_that_allows_nothing_is_left_open(fixed: Schema, value: Any) -> None:
    found, notes = derived(obj(x=fixed), {"x": value})
    assert found
    assert "x: its enum is not enforced while writing" in notes


def test_an_enum_is_held_up_to_a_length() -> None:
    def with_enum(count: int, last: Any = "last") -> Schema:
        return obj(x={"enum": [*(f"v{number}" for number in range(count - 1)), last]})

    assert derived(with_enum(LONGEST_ENUM), {"x": "v0"}, {"x": "last"}, {"x": "w"}) == (
        [{"x": "v0"}, {"x": "last"}],
        (),
    )
    found, notes = derived(with_enum(1000), {"x": "v0"}, {"x": "w"}, {"x": 1})
    assert (found, notes) == ([{"x": "v0"}, {"x": "w"}], ("x: one of 1000 values, any is allowed",))
    assert derived(with_enum(1000, 5), {"x": 1})[0] == [{"x": 1}]


@pytest.mark.parametrize(
    ("schema", "keys"),
    [
        ({"type": "string", "pattern": "^a", "minLength": 2}, ["pattern", "minLength"]),
        ({"type": "integer", "minimum": 1, "multipleOf": 2}, ["minimum", "multipleOf"]),
        ({"type": "array", "uniqueItems": True, "minItems": 2}, ["uniqueItems", "minItems"]),
        ({"type": "array", "items": False}, None),
        ({"type": "object", "minProperties": 1}, ["minProperties"]),
        ({"type": "string", "not": {"const": "x"}}, ["not"]),
        ({"pattern": "^a"}, ["pattern"]),
        ({"type": "flavour"}, ["type"]),
        ({"type": [["string"]]}, ["type"]),
        ({"type": {}}, ["type"]),
        ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, ["oneOf"]),
        ({"anyOf": [{"type": "string"}], "minLength": 2}, ["minLength"]),
        ({"allOf": [{"type": "string"}, {"minLength": 2}]}, ["allOf"]),
        ({"enum": ["a"], "pattern": "b"}, ["pattern"]),
        ({"$ref": "#/properties/y", "type": "string"}, ["type"]),
    ],
)
def test_what_is_not_held_is_said(schema: Schema, keys: list[str] | None) -> None:
    _, notes = made({"type": "object", "properties": {"x": schema, "y": {"type": "string"}}})
    if keys is None:
        assert notes == ("x.[]: no value is allowed there, which is not enforced while writing",)
    else:
        assert sorted(notes) == sorted(f"x: its {key} is not enforced while writing" for key in keys)


def test_choices_beside_properties_are_left_open_and_the_properties_held() -> None:
    schema = {**obj([], a={"type": "null"}, b={"type": "null"}), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    assert derived(schema, {"a": None}, "no object", {"c": 1}) == (
        [{"a": None}],
        ("arguments: its anyOf is not enforced while writing",),
    )


def test_the_type_beside_choices_holds_for_each() -> None:
    schema = {"type": "object", "anyOf": [{"properties": {"a": {}}, "required": ["a"]}, {"required": ["b"]}, True]}
    assert derived(schema, {"a": 1}, {"b": 1}, {"c": 1}, "text")[0] == [{"a": 1}, {"b": 1}, {"c": 1}]
    either = obj(x={"type": "string", "anyOf": [{"enum": ["a", 1]}, {"const": "b"}]})
    assert derived(either, {"x": "a"}, {"x": "b"}, {"x": 1}) == ([{"x": "a"}, {"x": "b"}], ())


def test_an_array_may_have_to_hold_something() -> None:
    item = {"type": "null"}
    assert derived(obj(x={"type": "array", "items": item}), {"x": []}, {"x": [None, None]}, {"x": [1]})[0] == [
        {"x": []},
        {"x": [None, None]},
    ]
    assert derived(obj(x={"type": "array", "items": item, "minItems": 1}), {"x": []}, {"x": [None]})[0] == [
        {"x": [None]}
    ]


# References


def test_a_schema_may_refer_to_itself() -> None:
    tree = obj(["name"], name={"type": "string"}, parts={"type": "array", "items": {"$ref": "#"}})
    deep = {"name": "a", "parts": [{"name": "b", "parts": [{"name": "c"}]}]}
    assert derived(tree, deep, {"name": "a", "parts": [1]}) == ([deep], ())


def test_pointers_into_a_schema() -> None:
    schema = {
        **obj(a={"$ref": "#/$defs/a~1b%20c/anyOf/1"}, b={"$ref": "#/properties/c"}, c={"const": 1}),
        "$defs": {"a/b c": {"anyOf": [{"const": 1}, {"const": 2}]}},
    }
    assert derived(schema, {"a": 2, "b": 1, "c": 1}, {"a": 1, "b": 1, "c": 1}) == ([{"a": 2, "b": 1, "c": 1}], ())


@pytest.mark.parametrize(
    "target", ["#/$defs/none", "other.json", "#anchor", "", "#/properties/x/anyOf/7", "#/properties/x/anyOf/x"]
)
def test_a_reference_to_nothing_allows_anything(target: str) -> None:
    schema = obj(x={"anyOf": [{"const": 1}, {"$ref": target}]})
    found, notes = derived(schema, {"x": [2]})
    assert found
    assert notes == (f"x: {target} is not in the schema, any value is allowed there",)


@pytest.mark.parametrize(
    "defs",
    [
        {"a": {"$ref": "#/$defs/a"}},
        {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
        {"a": {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "null"}]}},
        {
            "a": {"anyOf": [obj(p={"$ref": "#/$defs/b"}), {"$ref": "#/$defs/b"}]},
            "b": {"anyOf": [{"$ref": "#/$defs/a"}, {}]},
        },
        {
            "a": {"anyOf": [{"$ref": "#/$defs/b"}, {"$ref": "#/$defs/c"}]},
            "b": {"$ref": "#/$defs/c"},
            "c": {"$ref": "#/$defs/a"},
        },
    ],
)
def test_a_reference_that_goes_round_in_circles_is_left_open(defs: Schema) -> None:
    _, notes = made({**obj(x={"$ref": "#/$defs/a"}), "$defs": defs})
    assert any("refers to itself and nothing else" in note for note in notes)


def test_two_ways_to_the_same_reference_are_no_circle() -> None:
    defs = {
        "a": {"anyOf": [{"$ref": "#/$defs/b"}, {"$ref": "#/$defs/c"}]},
        "b": {"$ref": "#/$defs/c"},
        "c": {"const": 1},
    }
    assert derived({**obj(x={"$ref": "#/$defs/a"}), "$defs": defs}, {"x": 1}, {"x": 2}) == ([{"x": 1}], ())


def test_long_chains_and_deep_nests_end() -> None:
    chain: Schema = {f"d{number}": {"$ref": f"#/$defs/d{number + 1}"} for number in range(1000)}
    _, notes = made({**obj(x={"$ref": "#/$defs/d0"}), "$defs": {**chain, "d1000": {"const": 1}}})
    assert notes == ("x: nested too deeply, any value is allowed there",)
    deep: Any = {"type": "string"}
    for kind in ("array", "object", "anyOf") * 80:
        deep = (
            {"anyOf": [deep, {"type": "null"}]}
            if kind == "anyOf"
            else {"type": kind, "items": deep}
            if kind == "array"
            else obj(p=deep)
        )
    _, notes = made(obj(x=deep))
    assert [note.split(": ")[1] for note in notes] == ["nested too deeply, any value is allowed there"]


def test_choices_within_choices_do_not_multiply() -> None:
    schema: Any = {"type": "string"}
    for _ in range(25):
        schema = {
            "type": ["object", "object", "null"],
            "properties": {"a": schema},
            "anyOf": [{}, {}],
            "required": ["a"],
        }
    made(schema)


# Words and offers


def test_a_string_is_made_of_words_that_follow_each_other() -> None:
    words = "Write \"buy  milk, and eggs.\" ' ' to C:\\notes\nnow"
    right = ["Write", "buy milk", "buy milk, and", "milk", "eggs", "eggs.", "and eggs. to C:\\notes now", "C:\\notes"]
    wrong = ["", " ", "milk buy", "Write milk", "bu", "eggs to", "Buy"]
    grammar, _ = made(obj(x={"type": "string"}), words=words)
    for text in (*right, *wrong):
        assert grammar.derives(json.dumps({"x": text})) == (text in right), text


@pytest.mark.parametrize("words", ["", "  \n", '"" \'', "“”"])
def test_where_there_are_no_words_a_string_is_free(words: str) -> None:
    assert derived(obj(x={"type": "string"}), {"x": "anything"}, words=words)[0]


def test_of_a_thousand_words_the_first_count() -> None:
    words = " ".join(f"w{number}" for number in range(1000))
    assert derived(obj(x={"type": "string"}), {"x": "w0"}, {"x": "w255"}, {"x": "w256"}, words=words)[0] == [
        {"x": "w0"},
        {"x": "w255"},
    ]


@given(
    words=st.one_of(
        st.lists(st.sampled_from([*ODD_TEXTS, "a.", "...", "'b'"]), max_size=9).map(" ".join), st.text(max_size=40)
    )
)
def test_any_words_do(words: str) -> None:
    grammar, _ = made(obj(x={"type": "string"}), words=words)
    for seed in range(4):
        written = json.loads(grammar.written(random.Random(seed)))["x"]
        if any(word.strip(QUOTES) for word in words.split()):
            assert all(word in words for word in written.split())


def test_offers_are_all_that_a_parameter_takes() -> None:
    schema = obj(
        path={"type": "string"},
        deep=obj(path={"type": "string"}),
        maybe={"anyOf": [{"type": "string"}, {"type": "null"}]},
    )
    offers = {"path": ["a.txt", 'o"dd\\.md'], "maybe": ["b.txt"], "none": []}
    right = {"path": 'o"dd\\.md', "deep": {"path": "free"}, "maybe": None}
    wrong = {**right, "path": "c.txt"}, {**right, "maybe": "a.txt"}
    assert derived(schema, right, {**right, "maybe": "b.txt"}, *wrong, offers=offers)[0] == [
        right,
        {**right, "maybe": "b.txt"},
    ]


def test_of_too_many_offers_the_first_count() -> None:
    offers = {"path": [f"{number}.txt" for number in range(1000)]}
    assert derived(obj(path={"type": "string"}), {"path": "255.txt"}, {"path": "256.txt"}, offers=offers)[0] == [
        {"path": "255.txt"}
    ]


@pytest.mark.parametrize(
    "texts", [["a"], [" use", " know"], ["", "_read"], ['"', "\\", "\n\r\t", "\x00\x1f", "é漢🙂", "]"]]
)
def test_a_choice_is_of_exactly_these(texts: list[str]) -> None:
    grammar = Grammar(choice(texts))
    assert all(grammar.derives(text) for text in texts)
    assert not any(grammar.derives(text) for text in ["x", *(f"{text} " for text in texts)])


# llama.cpp, which the notation is for

CIRCLE = {"a": {"anyOf": [{"$ref": "#/$defs/a"}, {}]}}
FOR_A_MODEL: list[tuple[str, Schema, dict[str, Any]]] = [
    ("nothing", {}, {}),
    ("scalars", obj(i={"type": "integer"}, b={"type": "boolean"}, n={"type": "null"}, f={"type": "number"}), {}),
    ("optional", obj(["a"], a={"type": "integer"}, b={"type": "boolean"}, c={"type": "null"}), {}),
    ("nothing required", obj([], a={"type": "integer"}, b={"type": "boolean"}), {}),
    ("odd keys", obj(ODD_TEXTS[:6], **{key: {"type": "boolean"} for key in ODD_TEXTS}), {}),
    ("odd values", obj(x={"enum": ODD_TEXTS[1:]}, y={"const": "\x7f\u2028 ]\\n"}), {}),
    ("200 values", obj(x={"enum": [f"value {number}" for number in range(200)]}), {}),
    ("1000 values", obj(x={"enum": list(range(1000)), "type": "integer"}), {}),
    ("an array", obj(x={"type": "array", "items": {"enum": ["red", "blue"]}, "minItems": 1}), {}),
    ("a map", obj(x={"type": "object", "additionalProperties": {"type": "boolean"}}), {}),
    ("choices", obj(x={"anyOf": [{"type": "null"}, obj(a={"type": "integer"})]}, y={"type": ["null", "boolean"]}), {}),
    ("a tree", obj(["v"], v={"type": "boolean"}, left={"$ref": "#"}, right={"$ref": "#"}), {}),
    ("a chain", {**obj(x={"$ref": "#/$defs/a"}), "$defs": {"a": obj([], next={"$ref": "#/$defs/a"})}}, {}),
    ("a circle", {**obj(["y"], x={"$ref": "#/$defs/a"}, y={"const": 1}), "$defs": CIRCLE}, {}),
    ("anything", obj(["y"], x={}, y={"const": 1}), {}),
    ("words", obj(x={"type": "string"}), {"words": 'Say "good  morning" to C:\\new, é漢🙂 and {him}.'}),
    ("thousand words", obj(x={"type": "string"}), {"words": " ".join(f"word{number}" for number in range(1000))}),
    ("offers", obj(x={"type": "string"}), {"offers": {"x": ["a.txt", 'b "quoted".md', "c\\d.txt"]}}),
]  # fmt: skip


@pytest.fixture(scope="module")
def client(small_model: StoredModel) -> Iterator[LlamaCpp]:
    client = LlamaCpp(small_model.path, small_model.name, context=1024, threads=min(2, free_cores()))
    yield client
    asyncio.run(client.close())


async def answered(client: LlamaCpp, grammar: str, seed: int = 1) -> Completion:
    messages = (Message("user", "Give short values as JSON."), Message("assistant", "Here: "))
    sampling = Sampling(temperature=1.2, seed=seed, max_tokens=120)
    pieces = [
        piece async for piece in client.stream(Request(messages, sampling=sampling, constraint=Constraint(grammar)))
    ]
    last = pieces[-1]
    assert isinstance(last, Completion)
    return last


@pytest.mark.model
@pytest.mark.parametrize(("schema", "how"), [case[1:] for case in FOR_A_MODEL], ids=[case[0] for case in FOR_A_MODEL])
def test_a_model_writes_what_the_grammar_derives(client: LlamaCpp, schema: Schema, how: dict[str, Any]) -> None:
    text, notes = arguments(schema, **how)
    # Some grammars have no end of their own, and a small model does not always find one.
    answers = (asyncio.run(answered(client, text, seed)) for seed in range(8))
    answer = next(answer for answer in answers if answer.finish_reason == "stop")
    assert Grammar(text).derives(answer.text)
    value = json.loads(answer.text)
    assert notes or _halves(schema) or fits(schema, value)


@pytest.mark.model
def test_a_model_chooses_one_of_these(client: LlamaCpp) -> None:
    for texts in (["", "_read"], ['say "hi"\n', "back\\slash", "é漢🙂"]):
        assert asyncio.run(answered(client, choice(texts))).text in texts


# Calls in a shape

WRITABLE = [row.name for row in SHAPES if row.access == "read-write"]
PLAIN: st.SearchStrategy[Schema] = st.recursive(
    st.sampled_from(
        [{"type": "string"}, {"type": "integer"}, {"type": "number"}, {"type": "boolean"}, {"enum": ["a", "b c"]}]
    ),
    lambda inner: st.one_of(
        inner.map(lambda items: {"type": "array", "items": items}),
        st.dictionaries(st.sampled_from(["x", "y"]), inner, min_size=1, max_size=2).map(lambda some: obj(**some)),
    ),
    max_leaves=4,
)
PLAIN_TOOLS = st.dictionaries(
    st.sampled_from(["ring_bell", "Mill.grind", "bake-it"]),
    st.dictionaries(st.sampled_from(["path", "n", "some_key"]), PLAIN, max_size=3),
    min_size=1,
    max_size=3,
)


@pytest.mark.parametrize("shape", WRITABLE)
@settings(max_examples=20)
@given(tools=PLAIN_TOOLS, seed=st.integers(0, 2**32))
def test_what_a_grammar_of_calls_lets_through_is_read_as_calls(
    shape: str, tools: dict[str, dict[str, Schema]], seed: int
) -> None:
    offered = [{"name": name, "parameters": obj([], **some)} for name, some in tools.items()]
    made = calls(offered, shape)
    grammar = Grammar(made.gbnf)
    assert grammar.recursion() is None
    assert made.notes == ()
    rng = random.Random(seed)
    for _ in range(3):
        written = grammar.written(rng)
        reply = parse(written, offered)
        assert reply.tool_calls, written
        assert (reply.content, reply.reasoning, reply.rejected) == (None, None, ()), written
        for call in reply.tool_calls:
            assert call.shape == shape
            assert call.mends == ()
            assert fits(obj([], **tools[call.name]), call.arguments)


@pytest.mark.parametrize("shape", WRITABLE)
def test_what_is_rendered_is_let_through_by_the_grammar(shape: str) -> None:
    offered: list[Tool] = [
        {"name": "ring_bell", "parameters": obj(times={"type": "integer"}, where={"type": "string"})}
    ]
    some = [Call("ring_bell", {"times": times, "where": "Köln"}, None, "", (), "") for times in (1, 2)]
    assert Grammar(calls(offered, shape).gbnf).derives(render(some, shape, offered))


def test_ids_are_counted_up() -> None:
    tools = [{"name": "f", "parameters": {}}]
    grammar = Grammar(calls(tools, "kimi").gbnf)
    three = render([Call("f", {}, None, "", (), "")] * 3, "kimi", tools)
    assert "functions.f:2<" in three
    assert grammar.derives(three)


def test_the_json_schema_of_a_call() -> None:
    offered = [{"name": name, "parameters": obj(times={"type": "integer"})} for name in ("ring_bell", "bake")]
    one = calls(offered[:1], "hermes").schema
    assert one is not None
    assert fits(one, {"name": "ring_bell", "arguments": {"times": 1}})
    assert not fits(one, {"name": "bake", "arguments": {"times": 1}})
    some = calls(offered, "mistral-list").schema
    assert some is not None
    assert fits(some, [{"name": "bake", "arguments": {"times": 1}}])
    assert not fits(some, [])
    assert calls(offered, "function-tag").schema is None


def test_no_tools_no_grammar_of_calls() -> None:
    with pytest.raises(ValueError, match="none is offered"):
        calls([], "hermes")
