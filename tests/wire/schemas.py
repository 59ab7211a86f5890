"""Schemas of every kind, as Hypothesis makes them: most say something odd, many are not valid."""

from typing import Any

from hypothesis import strategies as st

Schema = dict[str, Any]
ODD_TEXTS = [
    "a",
    "b",
    "x y",
    "",
    "é漢🙂",
    'say "hi"',
    "back\\slash",
    "line\nbreak\ttab",
    "\x00",
    "\ud800",
    "{",
    "#",
    "\u2028",
]
KEYS = st.sampled_from(["a", "b", "zwei", 'a"b', "a\\b", "a\nb", "", "é漢🙂", "root", "string"])
STRINGS = st.sampled_from(
    [*ODD_TEXTS, "string", "integer", "number", "object", "array", "boolean", "null", "float", "^a+$", "date"]
)
REFS = st.sampled_from(
    [
        "#",
        "#/",
        "#/$defs/a",
        "#/$defs/b",
        "#/properties/a",
        "#/anyOf/0",
        "#/anyOf/x",
        "#a",
        "a.json",
        "#/$defs/%C3%A9~1",
    ]
)
PLAIN = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 300), st.floats(allow_nan=False, allow_infinity=False), STRINGS
)


def keywords(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    many = st.lists(inner, max_size=3)
    named = st.dictionaries(KEYS, inner, max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.one_of(STRINGS, many),
            "properties": st.one_of(named, many),
            "required": st.one_of(st.lists(KEYS, max_size=3), many),
            "additionalProperties": inner,
            "items": st.one_of(inner, many),
            "minItems": PLAIN,
            "anyOf": st.one_of(many, inner),
            "oneOf": many,
            "allOf": many,
            "enum": st.one_of(many, st.just([])),
            "const": inner,
            "$ref": st.one_of(REFS, inner),
            "$defs": st.one_of(st.fixed_dictionaries({"a": inner, "b": inner}), named),
            "pattern": PLAIN,
            "maxItems": PLAIN,
        },
    )


ANY_SCHEMAS = st.recursive(PLAIN, keywords, max_leaves=20).filter(lambda value: isinstance(value, dict))
