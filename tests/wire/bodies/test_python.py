"""Literals of Python, value by value; what is no literal is not read."""

from typing import Any

import pytest
from tests.wire.gbnf import Grammar

from opposable.errors import CannotCarry
from opposable.wire import Call, render
from opposable.wire.bodies.arrow import Arrows
from opposable.wire.bodies.python import read
from opposable.wire.bodies.tags import Tags
from opposable.wire.grammar import calls
from opposable.wire.mend import DEEPEST, Malformed
from opposable.wire.offered import Offered
from opposable.wire.rules import Rules
from opposable.wire.tags.forms import Form

OFFERED = Offered([{"name": "f", "parameters": {"type": "object", "properties": {"text": {"type": "string"}}}}])


def value(written: str) -> tuple[Any, list[str]]:
    (draft,) = read(f"f(a={written})", OFFERED, ended=True)
    return draft.arguments["a"], draft.mends


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("1", 1), ("-1", -1), ("+1", 1), ("1_000", 1000), (".5", 0.5), ("5.", 5.0), ("1e-3", 0.001), ("1_0.5", 10.5),
        ("True", True), ("false", False), ("None", None), ("null", None), ('"a"', "a"), ("'a'", "a"), ("''", ""),
        ('""', ""), ('""""""', ""), ('"""a"b"""', 'a"b'), ("'''a\n'b'''", "a\n'b"), ("r'\\d'", "\\d"), ('R"""a\\b"""', "a\\b"),
        ("u'\\t'", "\t"), ("'\\x41\\101\\u0041\\U00000041'", "AAAA"), ("'\\0'", "\0"), ("'\\''", "'"), ("'\\\"'", '"'),
        ("'\\\\n'", "\\n"), ("[]", []), ("[1, [2]]", [1, [2]]), ("()", []), ("(1)", 1), ("(1,)", [1]), ("(1, 2,)", [1, 2]),
        ("((1))", 1), ("{}", {}), ("{1}", [1]), ("{'a'}", ["a"]), ("{'a', 'b'}", ["a", "b"]), ("{'a': 1}", {"a": 1}),
        ("{'a': {'b'}}", {"a": ["b"]}), ("{(1, 2), 3}", [[1, 2], 3]), ("'\\ud83d\\ude00'", "😀"), ("'\ud800'", "\ufffd"),
    ],
)  # fmt: skip
def test_a_literal(written: str, wanted: Any) -> None:
    assert value(written) == (wanted, [])
    assert repr(value(written)[0]) == repr(wanted)


@pytest.mark.parametrize(
    ("written", "wanted", "mends"),
    [
        ("'\\d'", "\\d", ["escape"]), ("'\\U00110000'", "\\U00110000", ["escape"]), ("'a\nb'", "a\nb", ["raw_control"]),
        ("“a”", "a", ["smart_quotes"]), ("007", 7, ["leading_zeros"]), ("-0.5", -0.5, []), ("00.5", 0.5, ["leading_zeros"]),
        ("{'a': 1, 'a': 1}", {"a": 1}, ["repeated_key"]), ("{a: 1}", {"a": 1}, ["unquoted_key"]),
        ("{1: 2}", {"1": 2}, ["unquoted_key"]),
    ],
)  # fmt: skip
def test_a_literal_mended(written: str, wanted: Any, mends: list[str]) -> None:
    assert value(written) == (wanted, mends)


@pytest.mark.parametrize(
    "written",
    [
        "", "x", "x.y", "1 + 1", "1+1", "-x", "- 1", "not 1", "f(1)", "[1 for x in y]", "'a' 'b'", "'a' + 'b'", "f'a'", "b'a'",
        "rb'a'", "'a'.b", "'a'[0]", "[1][0]", "lambda: 1", "{**a}", "*a", "1 if 2 else 3", "1j", "0x1f", "1__0",
        "nan", "float('nan')", "...", "[1 2]", "[1,,2]", "[,1]", "(1", "{'a'", "{'a':}", "'a", '"""a"', "1e999", "Infinity",
    ],
)  # fmt: skip
def test_no_literal(written: str) -> None:
    with pytest.raises(Malformed):
        value(written)


@pytest.mark.parametrize("kind", ["[]", "()", "{}"])
def test_the_deepest_value(kind: str) -> None:
    opener, closer = kind[0] + ("'a':" if kind == "{}" else ""), ("," if kind == "()" else "") + kind[1]
    assert value(opener * (DEEPEST - 2) + "1" + closer * (DEEPEST - 2))[0]
    for deeper in (DEEPEST + 1, 100_000):
        with pytest.raises((Malformed, RecursionError)):
            value(opener * deeper + "1" + closer * deeper)


def test_the_deepest_object_of_json() -> None:
    deepest = '{"a":' * DEEPEST + "1" + "}" * DEEPEST
    assert read(f"f({deepest})", OFFERED, ended=True)[0].arguments
    for deeper in ('{"a":' + deepest + "}", '{"a":' * 100_000 + "1" + "}" * 100_000):
        with pytest.raises((Malformed, RecursionError)):
            read(f"f({deeper})", OFFERED, ended=True)


def test_what_is_only_read_is_not_written() -> None:
    for body in (Arrows(), Tags(Form())):
        with pytest.raises(CannotCarry):
            body.write("f", {})
        with pytest.raises(CannotCarry):
            body.grammar("f", Rules({}))


@pytest.mark.parametrize(
    ("schema", "arguments", "written"),
    [
        ({"properties": {"a": {"type": "integer"}, "b": {}}, "required": ["b"]}, {"b": None, "a": 1}, "[f(b=null, a=1)]"),
        ({"properties": {"a-b": {"type": "integer"}}}, {"a-b": 1}, '[f({"a-b": 1})]'),
        (
            {"$ref": "#/$defs/x", "$defs": {"x": {"type": "object", "additionalProperties": True}}},
            {"a-b": 1},
            '[f({"a-b": 1})]',
        ),
        ({"properties": {}}, {}, "[f()]"),
    ],
)  # fmt: skip
def test_keywords_or_one_object(schema: dict[str, Any], arguments: dict[str, Any], written: str) -> None:
    tools = [{"name": "f", "parameters": {"type": "object", **schema}}]
    assert render([Call("f", arguments, None, "", (), "")], "pythonic", tools) == written
    assert Grammar(calls(tools, "pythonic").gbnf).derives(written)
