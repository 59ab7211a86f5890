"""Calls of Gemma, written: what the grammar lets through between its quotes is what is rendered."""

from typing import Any

import pytest
from tests.wire.schemas import Schema
from tests.wire.tags.test_writer import written
from tests.wire.test_grammar import obj

from opposable.wire import Call, render


@pytest.mark.parametrize("shape", ["gemma", "function-gemma"])
@pytest.mark.parametrize(
    ("schema", "right", "wrong"),
    [
        ({"type": "string"}, ["", "a < b", 'say "hi"\n', "<b></b>"], [5, 'a <|"|> <escape>']),
        ({"type": "string", "minLength": 1}, ["a"], [""]),
        ({"enum": ["a b", 5, None, {"k": ["x"]}]}, ["a b", 5, None, {"k": ["x"]}], ["a"]),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, [{}, {"a b": 1, "c d": 2}], [{"a b": "x"}]),
        (obj(["a b"], k={"type": "boolean"}, **{"a b": {"type": "null"}}), [{"a b": None, "k": True}], [{"k": True}]),
        ({"type": "array", "items": {"type": "number"}}, [[], [1, 2.5]], [["x"]]),
        ({}, ["a", [1, {"a b": "x"}], None], []),
    ],
)
def test_values_between_quotes_that_are_tokens(shape: str, schema: Schema, right: list[Any], wrong: list[Any]) -> None:
    some = [{"x": value} for value in (*right, *wrong)]
    assert written(shape, obj(x=schema), *some) == ([{"x": value} for value in right], ())


@pytest.mark.parametrize("shape", ["gemma", "function-gemma", "pythonic", "lfm"])
def test_a_key_that_is_a_marker_elsewhere_is_a_key(shape: str) -> None:
    assert render([Call("f", {"functools": {"functools": 1}}, None, "", (), "")], shape)
