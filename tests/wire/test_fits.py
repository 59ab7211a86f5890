"""Values written as text, by the rules of the contract's ruling; and what fits a schema."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.wire.looks import machine, per_character
from tests.wire.schemas import ANY_SCHEMAS, ODD_TEXTS, PLAIN

from opposable.wire.fits import at, decode, fits, kind, types
from opposable.wire.mend import DEEPEST, clean

STRING = {"type": "string"}
INTEGER = {"type": "integer"}
NUMBER = {"type": "number"}
BOOLEAN = {"type": "boolean"}
ARRAY = {"type": "array"}
HAS: dict[str, Any] = {"properties": {}}
ODD_SCHEMAS: list[Any] = [
    *(None, True, False, 5, "string", [STRING], {}, {"minimum": 9}, {"$ref": []}),
    *({"type": 5}, {"type": {}}, {"enum": 5}, {"anyOf": {}}, {"allOf": 1}, {"properties": ["a"]}, {"required": 1}),
]
DEEP = "[" * (DEEPEST + 2) + "]" * (DEEPEST + 2)
DEEPER = "[" * 100_000 + "]" * 100_000
LONG = "9" * 5000
NO_JSON = [
    "", " ", "007", "+1", "1.", ".5", "1e999", "-", "0x10", "1_000", "NaN", "Infinity", "-Infinity", "NaN ", LONG,
    "True", "None", "nul", "x", "a b", "'a'", "“a”", '"a', '"a\nb"', '"\\x"', "\u00a042", "\ufeff1", "\x00", f"[{LONG}]",
    "[1,]", "[1 2]", "[1", "[1]]", "[1],", "[1];", "[1] [2]", "{}{}", "{'a': 1}", "{a: 1}", "[x]", "[True]", "[NaN]",
    '{"a": 1, "a": 2}', '{"a": 1, "a": 1.0}', "[1] // one", "[1, # one\n2]", "[/**/]", "```[1]```", DEEP, DEEPER, DEEPER[:99],
]  # fmt: skip
NO_PYTHON = [
    "{1, 2}", "{1: 2}", "(1, 2)", "[(1, 2)]", "{a: 1}", "[a]", "[1 2]", "['a' 'b']", "[1", "{'a': 1", "[1],", "[1] [2]",
    "['a\nb']", "['\\x41']", "['\\a']", "['\\101']", "['a\\\nb']", "['http:\\/\\/x']", "[b'a']", "['''a''']", "[f(1)]",
    "[1 + 1]", "[“a”]", "[\u00a01]", "'a'", "x", "", "[", '"', '"[', "\\", DEEP, DEEPER,
]  # fmt: skip


def same(one: Any, other: Any) -> bool:
    return repr(one) == repr(other)  # tells 1 from 1.0 and True


# --- what the schema allows ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "allowed"),
    [
        (STRING, "string"),
        (NUMBER, "integer number"),
        ({"type": ["integer", "null"]}, "integer null"),
        ({"type": "STRING"}, "string"),
        *[({"type": word}, word) for word in ("integer", "boolean", "object", "array", "null")],
        ({"type": "str"}, "string"),
        ({"type": "int"}, "integer"),
        ({"type": "float"}, "integer number"),
        ({"type": "bool"}, "boolean"),
        ({"type": "dict"}, "object"),
        ({"type": "list"}, "array"),
        ({"type": "any"}, ""),
        ({"type": ["any", "integer", 5, None]}, "integer"),
        ({"anyOf": [INTEGER, STRING]}, "integer string"),
        ({"oneOf": [INTEGER, {"anyOf": [STRING, {"type": "null"}]}]}, "integer null string"),
        ({"anyOf": [INTEGER, {}]}, ""),
        ({"anyOf": [INTEGER, True]}, ""),
        ({"anyOf": [INTEGER, False]}, "integer"),
        ({"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, "object"),
        ({"type": ["string", "integer"], "anyOf": [NUMBER, BOOLEAN]}, "integer"),
        ({"allOf": [{"type": ["integer", "string"]}, {"type": ["string", "null"]}]}, "string"),
        ({"allOf": [{"description": "any"}, NUMBER, INTEGER]}, "integer"),
        ({"type": "integer", "enum": ["a"]}, "integer"),
        ({"enum": ["a", 1, None]}, "integer null string"),
        ({"enum": [1.5, 2]}, "integer number"),
        ({"enum": [True, [], {}]}, "array boolean object"),
        ({"enum": []}, ""),
        ({"const": None}, "null"),
        ({"const": 3.0}, "integer"),
        ({"type": ["string", "integer"], "enum": [1, 2]}, "integer"),
        ({"type": "string", "nullable": True}, "null string"),
        ({"nullable": True}, ""),
        ({"type": "string", "nullable": "yes"}, "string"),
        (HAS, "object"),
        ({"items": {}}, "array"),
        ({"items": True}, "array"),
        ({"type": "null", "properties": {}}, "null"),
        ({"properties": [], "items": 5}, ""),
        ({"$ref": "#/$defs/whole"}, "integer"),
        ({"$ref": "#/definitions/text"}, "string"),
        ({"$ref": "#/$defs/whole", "nullable": True}, "integer null"),
        ({"anyOf": [{"$ref": "#/$defs/whole"}, {"$ref": "#/$defs/whole"}, STRING]}, "integer string"),
        ({"$ref": "#/$defs/itself"}, ""),
        ({"$ref": "#/$defs/tree"}, "array string"),
        ({"$ref": "#/$defs/nowhere"}, ""),
        ({"anyOf": [{"$ref": "#/$defs/nowhere"}, INTEGER]}, ""),
        ({"$ref": "other.json"}, ""),
        ({"$ref": 5}, ""),
        *[(odd, "") for odd in ODD_SCHEMAS],
    ],
)
def test_types(schema: Any, allowed: str) -> None:
    root = {
        "$defs": {
            "whole": INTEGER,
            "itself": {"$ref": "#/$defs/itself"},
            "tree": {"anyOf": [{"$ref": "#/$defs/tree"}, STRING, ARRAY]},
        },
        "definitions": {"text": STRING},
    }
    assert " ".join(sorted(types(schema, root))) == allowed


@pytest.mark.parametrize(
    ("pointer", "found"),
    [
        ("#", "all"),
        ("#/list/1", 8),
        ("#/list/01", None),
        ("#/list/2", None),
        ("#/list/1/x", None),
        ("#/a~1b/~0", 1),
        ("#/%C3%A9", 2),
        ("#/", 3),
        ("#/no/thing", None),
        ("#list", None),
        ("list", None),
        (None, None),
    ],
)
def test_pointers(pointer: Any, found: Any) -> None:
    root = {"list": [7, 8], "a/b": {"~": 1}, "é": 2, "": 3}
    assert at(pointer, root) == (root if found == "all" else found)


# --- the six rules ---------------------------------------------------------------------------------------------

NAMELESS: list[tuple[str, str | None, Any]] = [
    # (1) A parameter that the schema does not name stays text, unless the shape says more.
    ("42", None, "42"),
    ("null", None, "null"),
    ('"celsius"', None, '"celsius"'),
    ("[1]", "string", "[1]"),
    ("[1]", "json", [1]),
    ("null", "json", None),
    ('"5"', "json", "5"),
    ("Paris", "json", "Paris"),
    ("{'a': 1}", "json", "{'a': 1}"),
    ("42", "number", 42),
    ("007", "integer", 7),
    ("42", "boolean", "42"),
    ("True", "boolean", True),
    ("null", "null", None),
    ('{"a": 1}', "object", {"a": 1}),
    ("42", "no type", 42),
    ("None", "no type", "None"),
]


@pytest.mark.parametrize(("text", "mark", "value"), NAMELESS)
def test_a_parameter_without_a_schema(text: str, mark: str | None, value: Any) -> None:
    assert same(decode(text, None, HAS, mark), value)


@pytest.mark.parametrize(
    ("text", "schema", "mark", "value"),
    [
        ("42", STRING, "json", "42"),
        ("42", STRING, "number", "42"),
        ("42", INTEGER, "string", 42),
        ("x", INTEGER, "string", "x"),
        ("42", {}, "string", "42"),
        ("True", {"description": "on?"}, "boolean", True),
    ],
)
def test_a_declared_schema_goes_before_the_mark(text: str, schema: Any, mark: str, value: Any) -> None:
    assert same(decode(text, schema, HAS, mark), value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        # (2) Named without a type: JSON if the whole text is strict JSON, else text.
        ("42", 42),
        (" 42\n", 42),
        ("-0.5e3", -500.0),
        ("true", True),
        ("null", None),
        ('"a \\u00e9 \\ud83d\\ude42"', "a é 🙂"),
        ('"\\ud83d"', "\ufffd"),
        ('{"a": [1, {}], "b": null}', {"a": [1, {}], "b": None}),
        ('{"a": 1, "a": 1}', {"a": 1}),
        ('{"\\udc00": 1}', {"\ufffd": 1}),
        ("[" * DEEPEST + "]" * DEEPEST, json.loads("[" * DEEPEST + "]" * DEEPEST)),
        *[(text, text) for text in NO_JSON],
    ],
)
def test_a_parameter_without_a_type(text: str, value: Any) -> None:
    for untyped in ({}, True, {"description": "anything"}, {"$ref": "#/nowhere"}, {"type": "any"}):
        assert same(decode(text, untyped, HAS), value)


@pytest.mark.parametrize(
    ("text", "types", "value"),
    [
        # (3) null in T and the text is `null` or `None`.
        ("null", "string null", None),
        ("None", "string null", None),
        ("NULL", "string null", "NULL"),
        ("none", "string null", "none"),
        (" null", "string null", " null"),
        ('"null"', "string null", '"null"'),
        ("null", "string", "null"),
        ("null", "integer", "null"),
        ("None", "object array", "None"),
        ("None", "integer null", None),
        ("\nnull ", "integer null", None),
        # (4) Strict JSON whose type is in T, also in a union with string; but no string and no null.
        ("42", "integer string", 42),
        ("42", "number string", 42),
        ("42", "boolean string", "42"),
        ("3.0", "integer", 3.0),
        ("3.5", "integer", "3.5"),
        ("3.5", "number", 3.5),
        ("1e2", "integer", 100.0),
        ("-0", "integer", 0),
        ("1", "boolean", "1"),
        ("true", "boolean string", True),
        ("true", "integer", "true"),
        ("2 dollars", "integer string", "2 dollars"),
        ('"42"', "integer string", '"42"'),
        ('{"a": 1}', "object string", {"a": 1}),
        ('{"a": 1}', "array string", '{"a": 1}'),
        ("[]", "array", []),
        ("[1]", "object", "[1]"),
        ("[1, 2.0, null]", "array string", [1, 2.0, None]),
        # (5) Only where string is not in T.
        ("007", "integer", 7),
        ("-007", "integer", -7),
        ("+5", "number", 5),
        (" 007\n", "integer", 7),
        ("007", "integer string", "007"),
        ("007", "boolean", "007"),
        ("٣", "integer", "٣"),
        ("007.5", "number", "007.5"),
        ("+1.5", "number", "+1.5"),
        ("1_000", "integer", "1_000"),
        ("0x10", "integer", "0x10"),
        ("--5", "integer", "--5"),
        ("5 5", "integer", "5 5"),
        ("+" + LONG, "integer", "+" + LONG),
        ("1e999", "number", "1e999"),
        ("NaN", "number", "NaN"),
        ("True", "boolean", True),
        ("False ", "boolean null", False),
        ("True", "boolean string", "True"),
        ("True", "integer", "True"),
        ("FALSE", "boolean", "FALSE"),
        ("yes", "boolean", "yes"),
        ('"5"', "integer", '"5"'),
        ('"true"', "boolean", '"true"'),
        ("{'a': True, 'b': None}", "object", {"a": True, "b": None}),
        ("['it\\'s', \"x\", -1.5,]", "array", ["it's", "x", -1.5]),
        ("{'a': 'C:\\data'}", "object", {"a": "C:\\data"}),
        ("['a\tb']", "array", ["a\tb"]),
        ("['a',\n 'b']", "array", ["a", "b"]),
        ("{'a': 1}", "object string", "{'a': 1}"),
        ("{'a': 1}", "array", "{'a': 1}"),
        ("{'a': 1, 'a': 2}", "object", "{'a': 1, 'a': 2}"),
        *[(text, "array object", text) for text in NO_PYTHON],
        ('[{\\"a\\": \\"x \\\\\\"y\\\\\\"\\"}]', "array", [{"a": 'x "y"'}]),
        ('{\\n  \\"a\\": 1\\n}', "object", {"a": 1}),
        ('{\n  \\"a\\": 1\n}', "object", {"a": 1}),
        ('"[1, 2]"', "array", [1, 2]),
        ('"{\\"a\\": 1}"\n', "object", {"a": 1}),
        ('{\\"a\\": 1}', "object string", '{\\"a\\": 1}'),
        ('{\\\\\\"a\\\\\\": 1}', "object", '{\\\\\\"a\\\\\\": 1}'),
        ("{\\'a\\': 1}", "object", "{\\'a\\': 1}"),
        ('"a"', "object", '"a"'),
        ('"5"', "object integer", '"5"'),
        # (6) Else the text stays.
        ("a few", "integer", "a few"),
        ("  x ", "array null", "  x "),
        ('{"key": unclosed', "object", '{"key": unclosed'),
        ("", "integer", ""),
    ],
)
def test_a_parameter_with_types(text: str, types: str, value: Any) -> None:
    assert same(decode(text, {"type": types.split()}, HAS), value)
    branches = {"$ref": "#/$defs/it", "$defs": {"it": {"anyOf": [{"type": one} for one in types.split()]}}}
    assert same(decode(text, branches, branches), value)


@pytest.mark.parametrize("text", ["007", "true", "&amp;", "  leading", "in\n\nner\n", "null", '"x"', "{}", "1", DEEPER])
def test_text_that_may_be_a_string_only_stays_to_the_letter(text: str) -> None:
    for schema in (STRING, {"enum": ["a", "b"]}, {"anyOf": [STRING, {"const": "c"}]}):
        assert decode(text, schema, HAS) == text


def test_lone_surrogates_are_replaced_in_text_too() -> None:
    assert decode("a\ud800", STRING, HAS) == decode("a\ud800", None, HAS) == "a\ufffd"
    assert decode("\ud83d\ude42", INTEGER, HAS) == "🙂"


# --- what fits -------------------------------------------------------------------------------------------------

TREE = {"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["name"]}


@pytest.mark.parametrize(
    ("value", "schema", "fit"),
    [
        (1, INTEGER, True),
        (1.0, INTEGER, True),
        (1.5, INTEGER, False),
        (True, INTEGER, False),
        (True, {"type": ["number", "boolean"]}, True),
        (1, NUMBER, True),
        ("1", NUMBER, False),
        (None, STRING, False),
        (None, {"type": "string", "nullable": True}, True),
        ("x", {"type": "date"}, True),
        ({}, {"type": "dict"}, True),
        ("a", {"enum": ["a", "b"]}, True),
        ("c", {"enum": ["a", "b"]}, False),
        ("c", {"enum": []}, False),
        ("c", {"enum": 5}, True),
        (True, {"enum": [1]}, False),
        (1.0, {"enum": [1]}, True),
        (0, {"const": False}, False),
        ([{"a": [1, "x"]}], {"const": [{"a": [1.0, "x"]}]}, True),
        ([{"a": [True]}], {"const": [{"a": [1]}]}, False),
        ([1], {"const": [1, 2]}, False),
        ({"a": 1}, {"const": {"b": 1}}, False),
        ([], {"const": {}}, False),
        (5, {"const": [5]}, False),
        (None, {"const": None}, True),
        ({"a": 1}, {"required": ["a"]}, True),
        ({"a": 1}, {"required": ["a", "b"]}, False),
        ([1], {"required": ["a"]}, True),
        ({"a": 1}, {"required": "b"}, True),
        ({"a": 1}, {"required": [["b"]]}, True),
        ({"a": 1}, {"properties": {"a": INTEGER, "b": STRING}}, True),
        ({"a": "1"}, {"properties": {"a": INTEGER}}, False),
        ({"a": 1, "c": 2}, {"properties": {"a": INTEGER}, "additionalProperties": False}, True),
        ({"a": 1}, {"properties": {"a": False}}, False),
        ({"a": 1}, {"properties": ["a"]}, True),
        ([1, 2], {"items": INTEGER}, True),
        ([1, "2"], {"items": INTEGER}, False),
        (["1", 2], {"prefixItems": [STRING], "items": INTEGER}, True),
        ([1], {"items": False}, False),
        ([1], {"items": [STRING]}, True),
        (1, {"anyOf": [STRING, INTEGER]}, True),
        (1, {"anyOf": [STRING, ARRAY]}, False),
        (1, {"oneOf": [INTEGER, NUMBER]}, True),
        (1, {"oneOf": [STRING]}, False),
        (1, {"anyOf": [], "oneOf": 5}, True),
        (1, {"anyOf": [STRING, {}]}, True),
        (1, {"allOf": [NUMBER, INTEGER]}, True),
        (1.5, {"allOf": [NUMBER, INTEGER]}, False),
        ({"name": "a", "next": {"name": "b"}}, TREE, True),
        ({"name": "a", "next": {"next": {}}}, TREE, False),
        (1, {"anyOf": [{"$ref": "#/anyOf/0"}, STRING]}, True),
        (1, {"$ref": "#/nowhere"}, True),
        (1, {"$ref": "#/const", "const": 1}, True),
        ([7, 7], {"items": {"$ref": "#/$defs/no"}, "$defs": {"no": False}}, False),
        (1, False, False),
        *[(1, odd, True) for odd in ODD_SCHEMAS if odd is not False],
    ],
)
def test_fits(value: Any, schema: Any, fit: bool) -> None:
    assert fits(value, schema, schema) is fit


def test_a_value_looked_at_twice_is_judged_once() -> None:
    item = {"a": "x"}
    lacking = {"required": ["b"]}
    assert not fits([item, item], {"anyOf": [{"items": lacking}, {"items": lacking}]}, {})


def test_schemas_within_schemas_end() -> None:
    schema: Any = STRING
    for _ in range(5000):
        schema = {"allOf": [schema]}
    assert types(schema, schema) == frozenset()
    assert fits(1, schema, schema)


def test_schemas_shared_many_times_are_looked_at_once() -> None:
    schema: Any = INTEGER
    for _ in range(60):
        schema = {"anyOf": [schema, schema]}
    assert types(schema, schema) == {"integer"}
    assert not fits("x", schema, schema)


# --- for whatever comes ----------------------------------------------------------------------------------------

SCHEMAS = st.one_of(ANY_SCHEMAS, PLAIN, st.lists(PLAIN, max_size=2))
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(), inner, max_size=4)),
    max_leaves=12,
)
TEXTS = st.one_of(
    st.text(),
    st.sampled_from(ODD_TEXTS),
    st.text(alphabet="{}[]\"'\\:,;1.eTruaNonl \n"),
    VALUES.map(json.dumps),
    VALUES.map(repr),
    VALUES.map(lambda value: json.dumps(json.dumps(value))),
)
MARKS = st.sampled_from([None, "string", "json", "integer", "array", "odd"])


@given(TEXTS, st.one_of(st.none(), SCHEMAS), SCHEMAS, MARKS)
def test_a_value_or_the_text_comes_out(text: str, schema: Any, root: Any, mark: str | None) -> None:
    value = decode(text, schema, root, mark)
    assert json.loads(json.dumps(value, allow_nan=False).encode()) == value
    assert fits(value, schema, root) in (True, False)
    assert fits(value, root, schema) in (True, False)


@given(st.text())
def test_a_string_keeps_any_text(text: str) -> None:
    assert decode(text, STRING, HAS) == text
    assert decode(text, None, HAS) == text


@given(VALUES, st.sampled_from([None, 1]))
@example(3.0, None)
def test_what_fits_comes_back(value: Any, indent: int | None) -> None:
    schema = {"enum": [value]} if value is None or isinstance(value, bool | int) else {"type": kind(value)}
    assert fits(value, schema, schema)
    text = json.dumps(value, indent=indent)
    if not isinstance(value, str):
        assert same(decode(text, schema, schema), value)
    assert same(decode(text, {}, {}), value)
    assert same(decode(text, None, {}, "json"), value)


@given(st.one_of(st.lists(VALUES, max_size=4), st.dictionaries(st.text(), VALUES, max_size=4)))
def test_what_python_writes_is_read_as_python_reads_it_or_not_at_all(value: Any) -> None:
    text = repr(value)
    assert decode(text, {"type": ["array", "object"]}, {}) in (value, text)


@given(TEXTS)
def test_what_is_read_without_a_type_is_strict_json(text: str) -> None:
    value = decode(text, {}, {})
    if value not in (text, clean(text)):
        assert json.loads(text) == value


HOSTILE: dict[str, tuple[str, str]] = {
    "brackets": ("", "["),
    "objects": ("", '{"a":'),
    "quotes": ("[", '"'),
    "apostrophes": ("[", "'"),
    "strings": ("[", "'a',"),
    "backslashes": ("", "\\"),
    "quotes escaped": ("", '\\"'),
    "strings escaped": ("[", '\\"a\\",'),
    "blanks": ("", " "),
    "line breaks": ("[1", "\n"),
    "comments": ("[", "#\n"),
    "unclosed comments": ("[1 ", "/*"),
    "commas": ("[", ","),
    "values in a row": ("", "[],"),
    "digits": ("", "1"),
    "zeros": ("+", "0"),
    "words": ("", "True "),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("end", ["", "'\"]"])
def test_looks_are_linear(name: str, end: str) -> None:
    begin, again = HOSTILE[name]
    schema = {"type": ["array", "object", "integer", "boolean", "null"]}
    wire, counter = machine()

    def looks(text: str) -> int:
        before = counter.looks
        assert wire.fits.decode(text, schema, HAS) == decode(text, schema, HAS)
        return counter.looks - before

    early, late = per_character(looks, lambda size: begin + again * (size // len(again)) + end)
    assert late <= min(1.3 * early + 6, 45), f"{late:.1f} looks a character, {early:.1f} in shorter texts"
