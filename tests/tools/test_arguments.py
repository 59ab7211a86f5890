import json
import time
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opposable.errors import ToolError, TryAgain
from opposable.messages import ToolSpec
from opposable.tools.arguments import check_spec, settle


def spec(properties: dict[str, Any], *required: str, **more: Any) -> ToolSpec:
    return ToolSpec("t", "d", {"type": "object", "properties": properties, "required": list(required), **more})


def settled(schema: Any, value: Any, **more: Any) -> Any:
    return settle(spec({"a": schema}, "a", **more), {"a": value})["a"]


INTEGER = {"type": "integer"}
NULLABLE = {"anyOf": [{"type": "integer"}, {"type": "null"}]}
TEXTS = {"type": "array", "items": {"type": "string"}}
POINT = {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]}


@pytest.mark.parametrize(
    ("schema", "value", "right"),
    [
        (INTEGER, "5", 5),
        (INTEGER, " -5 ", -5),
        (INTEGER, "5.0", 5),
        (INTEGER, 5.0, 5),
        ({"type": "number"}, "2.5", 2.5),
        ({"type": "number"}, "1e3", 1000.0),
        ({"type": "number"}, "5", 5),
        ({"type": "number"}, 5, 5),
        ({"type": "boolean"}, "true", True),
        ({"type": "boolean"}, "False", False),
        ({"type": "string"}, 5, "5"),
        ({"type": "string"}, 2.5, "2.5"),
        ({"type": "string"}, "5", "5"),
        ({"type": "string"}, '{"a": 1}', '{"a": 1}'),
        (POINT, '{"x": "1"}', {"x": 1}),
        (TEXTS, '["a", 5]', ["a", "5"]),
        (TEXTS, "a", ["a"]),
        (TEXTS, 5, ["5"]),
        ({"type": "array", "items": INTEGER}, "5", [5]),
        ({"type": "array", "items": POINT}, {"x": 1}, [{"x": 1}]),
        ({"type": "array"}, "a", ["a"]),
        (NULLABLE, "5", 5),
        (NULLABLE, "null", None),
        (NULLABLE, None, None),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "5", "5"),
        ({"anyOf": [TEXTS, {"type": "null"}]}, "a", ["a"]),
        ({"type": ["integer", "null"]}, "5", 5),
        ({"enum": [1, 2]}, "1", 1),
        ({"const": 7}, "7", 7),
        ({"$ref": "#/$defs/P"}, '{"x": "1"}', {"x": 1}),
        ({"allOf": [{"$ref": "#/$defs/P"}]}, {"x": "1"}, {"x": 1}),
        ({"oneOf": [INTEGER, POINT]}, '{"x": "1"}', {"x": 1}),
        ({"$ref": "#/$defs/with%20space~1and%7E0"}, "5", 5),
        ({"type": "object", "additionalProperties": INTEGER}, {"k": 1}, {"k": 1}),
        (True, "anything", "anything"),
    ],
)
def test_coercions_keep_the_meaning(schema: Any, value: Any, right: Any) -> None:
    result = settled(schema, value, **{"$defs": {"P": POINT, "with space/and~": INTEGER}})
    assert result == right
    assert type(result) is type(right)


@pytest.mark.parametrize(
    ("schema", "value", "said"),
    [
        (INTEGER, "five", '`a` is "five"; right is an integer'),
        (INTEGER, 5.5, "`a` is 5.5; right is an integer"),
        (INTEGER, "5.5", '`a` is "5.5"; right is an integer'),
        (INTEGER, True, "`a` is true; right is an integer"),
        (INTEGER, "9" * 5000, "… (cut); right is an integer"),
        (INTEGER, None, "`a` is null; right is an integer"),
        ({"type": "number"}, "nan", "right is a number"),
        ({"type": "number"}, "1e999", "right is a number"),
        ({"type": "boolean"}, "yes", "right is true or false"),
        ({"type": "boolean"}, 1, "right is true or false"),
        ({"type": "string"}, True, "right is a text"),
        ({"type": "string"}, {"x": 1}, '`a` is {"x": 1}; right is a text'),
        ({"type": "string", "enum": ["c", "f"]}, "k", '`a` is "k"; right is one of "c", "f"'),
        (INTEGER | {"minimum": 1, "maximum": 9}, "12", "`a` is 12; right is an integer at least 1 at most 9"),
        (TEXTS, ["a", {}], "`a[1]` is {}; right is a text"),
        (TEXTS, "['a', 'b']", "right is a list, each entry a text"),
        (POINT, {"y": 1}, "`a.x` is missing; right is a number"),
        (POINT, '{"x": 1', "right is an object with the fields `x`"),
        (POINT, '{"x": NaN}', "right is an object with the fields `x`"),
        (NULLABLE, "x", "right is an integer or null"),
        (INTEGER | {"description": "The year, such as 1999."}, "x", "right is an integer (The year, such as 1999.)"),
        (False, 1, "`a` takes no value: leave it out"),
    ],
)
def test_what_does_not_fit_is_told(schema: Any, value: Any, said: str) -> None:
    with pytest.raises(TryAgain) as caught:
        settled(schema, value)
    assert said in str(caught.value)
    assert len(str(caught.value)) < 400


def test_all_problems_are_told_at_once() -> None:
    tool = spec({"a": INTEGER, "b": {"type": "string", "description": "The b."}}, "a", "b", additionalProperties=False)
    with pytest.raises(TryAgain) as caught:
        settle(tool, {"a": "x", "bb": 1})
    assert sorted(str(caught.value).split("\n")) == [
        '- `a` is "x"; right is an integer',
        "- `b` is missing; right is a text (The b.)",
        "- there is no field `bb` (is `b` meant?); the fields are: `a`, `b`",
        "Call t again with this put right.",
        "The arguments of t do not fit:",
    ]


def test_not_more_than_five() -> None:
    names = [f"n{i}" for i in range(50)]
    with pytest.raises(TryAgain) as caught:
        settle(spec(dict.fromkeys(names, INTEGER), *names), {})
    assert str(caught.value).count("is missing") == 5
    assert "- and more" in str(caught.value)


def test_null_for_a_field_that_may_be_left_out() -> None:
    tool = spec({"a": {"type": "string"}, "b": NULLABLE, "c": {"type": "string"}}, "c")
    assert settle(tool, {"a": None, "b": None, "c": "x"}) == {"b": None, "c": "x"}
    with pytest.raises(TryAgain, match="`c` is null"):
        settle(tool, {"c": None})


def test_defaults_are_not_filled_in() -> None:
    assert settle(spec({"a": INTEGER | {"default": 5}}), {}) == {}


def test_unknown_fields_pass_where_the_schema_allows_them() -> None:
    assert settle(ToolSpec("t"), {"a": 1}) == {"a": 1}


@pytest.mark.parametrize("arguments", ['{"a": "5"}', {"a": 5.0}])
def test_the_whole_may_be_a_json_text(arguments: Any) -> None:
    assert settle(spec({"a": INTEGER}), arguments) == {"a": 5}


@pytest.mark.parametrize("arguments", [None, 5, [1], "x", "[1]", {1: 2}, {"a": {1: 2}}])
def test_what_is_no_object_is_told(arguments: Any) -> None:
    with pytest.raises(TryAgain, match=r"JSON|fit"):
        settle(spec({"a": INTEGER}), arguments)


def deep(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def test_a_schema_that_refers_to_itself() -> None:
    tree = {"type": "object", "properties": {"v": INTEGER, "next": {"$ref": "#/$defs/T"}}}
    tool = spec(
        {"t": {"$ref": "#/$defs/T"}, "l": {"$ref": "#/$defs/A"}}, **{"$defs": {"T": tree, "A": {"$ref": "#/$defs/A"}}}
    )
    assert settle(tool, {"t": {"v": "1", "next": {"v": "2"}}}) == {"t": {"v": 1, "next": {"v": 2}}}
    assert settle(tool, {"l": deep(500)}) == {"l": deep(500)}


@pytest.mark.parametrize(
    "branches",
    [
        [{"type": "array", "items": {"$ref": "#/$defs/T"}}] * 3,
        [{"$ref": "#/$defs/T"}, {"$ref": "#/$defs/T"}, {"type": "integer"}],
        [{"type": "object", "properties": {"t": {"$ref": "#/$defs/T"}}}, {"type": "integer"}],
    ],
)
def test_choices_that_refer_to_themselves_end(branches: list[Any]) -> None:
    tool = spec({"t": {"$ref": "#/$defs/T"}}, **{"$defs": {"T": {"anyOf": branches}}})
    start = time.thread_time()
    with suppress(TryAgain):
        settle(tool, {"t": "x"})
    assert time.thread_time() - start < 5


def tripled(schema: Any, times: int) -> Any:
    for _ in range(times):
        schema = {"anyOf": [schema] * 3}
    return schema


TREE = {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/T"}}] * 3 + [INTEGER]}
CHAIN = {f"C{i}": {"anyOf": [{"$ref": f"#/$defs/C{i - 1}"}] * 3} for i in range(1, 40)} | {"C0": INTEGER}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (tripled(INTEGER, 6), "x"),
        (tripled(INTEGER, 6), list(range(1000))),
        (tripled({"type": "array", "items": INTEGER}, 6), ["x"] * 1000),
        (tripled({"pattern": "^(a|b)*c$"}, 6), "ab" * 10_000),
        ({"$ref": "#/$defs/C39"}, "x"),
        ({"$ref": "#/$defs/T"}, json.loads("[" * 30 + '"x"' + "]" * 30)),
    ],
)
def test_choices_in_choices_are_given_up_soon(schema: Any, value: Any) -> None:
    tool = spec({"a": schema}, **{"$defs": {"T": TREE} | CHAIN})
    check_spec(tool)
    taken = []
    for _ in range(3):
        start = time.thread_time()
        with pytest.raises(TryAgain):
            settle(tool, {"a": value})
        taken.append(time.thread_time() - start)
    assert min(taken) < 0.5


def test_long_lists_are_settled_whole() -> None:
    point = {"anyOf": [POINT, {"type": "null"}]}
    schema = {"anyOf": [{"type": "null"}, {"type": "array", "items": point}]}
    assert settled(schema, [{"x": "1"}] * 5000) == [{"x": 1}] * 5000
    assert settled({"type": "array", "items": INTEGER}, ["1"] * 60_000) == [1] * 60_000


@pytest.mark.parametrize(
    "parameters",
    [
        {"type": "array"},
        {"$ref": "#name", "$defs": {"a": {"$anchor": "name"}}},
        {"type": "objekt"},
        {"properties": 5},
        {"properties": {"a": {"type": "nothing"}}},
        {"properties": {"a": {"$ref": "#/nope"}}},
        {"properties": {"a": {"$ref": "https://example.invalid/a.json"}}},
        {"properties": {"a": {"$ref": "file:///etc/hostname"}}},
        {"properties": {"a": {"pattern": "("}}},
        {"properties": {"a": {"minimum": float("nan")}}},
        {"properties": {"a": {"default": object()}}},
        {"$schema": "https://example.invalid/schema"},
        {"items": deep(5000)},
        [],
        None,
    ],
)
def test_an_invalid_schema_is_told_when_the_toolbox_is_made(parameters: Any) -> None:
    with pytest.raises(ToolError):
        check_spec(ToolSpec("t", "d", parameters))


@pytest.mark.parametrize("name", ["", "a b", "a" * 65, "é", "a\n", "a/b", 5, None])
def test_a_name_that_cannot_be_used(name: Any) -> None:
    with pytest.raises(ToolError, match="cannot be the name"):
        check_spec(ToolSpec(name))


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"type": "object"},
        {"properties": {}},
        {"$schema": "http://json-schema.org/draft-07/schema#"},
        {"x-odd": [1]},
    ],
)
def test_odd_schemas_pass(parameters: Any) -> None:
    check_spec(ToolSpec("t", "d", parameters))
    assert settle(ToolSpec("t", "d", parameters), {"a": 1}) == {"a": 1}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
schemas = st.recursive(
    st.sampled_from([{"type": name} for name in ("null", "boolean", "integer", "number", "string", "array", "object")])
    | st.just({"enum": ["a", 1, None]}),
    lambda inner: (
        st.builds(lambda s: {"type": "array", "items": s}, inner)
        | st.builds(lambda s: {"type": "object", "properties": {"a": s}, "required": ["a"]}, inner)
        | st.builds(lambda a, b: {"anyOf": [a, b]}, inner, inner)
    ),
    max_leaves=5,
)


@given(schemas, json_values)
def test_it_settles_or_says_try_again_and_twice_is_once(schema: Any, value: Any) -> None:
    tool = spec({"a": schema}, "a")
    try:
        once = settle(tool, {"a": value})
    except TryAgain:
        return
    assert settle(tool, once) == once
    assert json.dumps(settle(tool, once)) == json.dumps(once)


@given(st.dictionaries(st.text(), json_values, max_size=3) | json_values)
def test_any_schema_is_taken_or_refused(parameters: Any) -> None:
    try:
        check_spec(ToolSpec("t", "d", parameters))
    except ToolError:
        return
    with suppress(TryAgain):
        settle(ToolSpec("t", "d", {"type": "object"} | parameters), {})
