from typing import Any

import pytest

from opposable.tools.problems import expected, shown


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (
            {"type": "string", "minLength": 2, "maxLength": 5},
            "a text at least 2 characters long at most 5 characters long",
        ),
        ({"type": "string", "pattern": "^a"}, 'a text matching the pattern "^a"'),
        ({"type": "string", "format": "date"}, 'a text in the format "date"'),
        ({"type": ["integer", "null"]}, "an integer or null"),
        (
            {"type": "array", "items": {"type": "boolean"}, "minItems": 1},
            "a list, each entry true or false with at least 1 entries",
        ),
        ({"type": "object", "properties": {"a": {}, "b": {}}}, "an object with the fields `a`, `b`"),
        ({"anyOf": [{"type": "integer"}, {"type": "integer"}, {"type": "null"}]}, "an integer or null"),
        ({"const": "x"}, '"x"'),
        ({"enum": [1, "a"]}, 'one of 1, "a"'),
        ({}, "a value"),
        (True, "another value"),
        ({"type": "odd"}, "odd"),
    ],
)
def test_what_a_schema_asks_for(schema: Any, words: str) -> None:
    assert expected(schema) == words


def test_a_schema_within_itself_ends() -> None:
    schema: dict[str, Any] = {"type": "array"}
    schema["items"] = schema
    assert expected(schema).endswith("another value")


def test_values_are_shown_short() -> None:
    ring: list[Any] = []
    ring.append(ring)
    assert shown({"é": 1}) == '{"é": 1}'
    assert shown("x" * 500) == '"' + "x" * 59 + " … (cut)"
    assert shown(ring) == "a list"
    assert shown(10**5000) == "a int"
