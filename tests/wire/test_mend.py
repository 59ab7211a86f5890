"""Almost-JSON, value by value."""

from typing import Any

import pytest

from opposable.wire.calls import read
from opposable.wire.mend import DEEPEST, MENDS, Malformed, clean, loads
from opposable.wire.readings import LONGEST


@pytest.mark.parametrize(
    ("text", "value", "mends"),
    [
        ('{"a": 1}', {"a": 1}, []),
        ("{'a': 1.5e3}", {"a": 1500.0}, ["single_quotes"]),
        ("{„a“: „b”}", {"a": "b"}, ["smart_quotes"]),
        ("{$a.b-c: -0}", {"$a.b-c": 0}, ["unquoted_key"]),
        ('{"a": [True, False, None, true, null]}', {"a": [True, False, None, True, None]}, ["python_literal"]),
        ('{"a": [1, 2', {"a": [1, 2]}, ["missing_closers"]),
        ('{"a": {"b": {}', {"a": {"b": {}}}, ["missing_closers"]),
        ('["a" {"b": 1} [2] \'c\']', ["a", {"b": 1}, [2], "c"], ["missing_comma", "single_quotes"]),
        ('{"a": "\\u00e9\\/\\b\\f\\r"}', {"a": "é/\b\f\r"}, []),
        ('{"a": "\\u12"}', {"a": "\\u12"}, ["escape"]),
        ('{"a": "c:\\temp\\x"}', {"a": "c:\\temp\\x"}, ["escape"]),
        ('{"a": {"b": 1}, "a": {"b": 1}}', {"a": {"b": 1}}, ["repeated_key"]),
        ("{/* x */ // y\n # z\n}", {}, ["comment"]),
        ("[]", [], []),
        ("7", 7, []),
        ('"x"', "x", []),
    ],
)
def test_mended(text: str, value: Any, mends: list[str]) -> None:
    assert loads(text, ended=True) == ([value], mends)
    assert set(mends) <= set(MENDS)


@pytest.mark.parametrize(
    "text",
    [
        "", "  ", "{", "[", '{"a"', '{"a":', '{"a" 1}', '{"a": 1', '{"a": "b', '{"a": b', '{"a": 1]', '["a"}', "{]", "{,}",
        "[,]", '{"a": 1 "b" 2}', '["a"1]', '{"a": b c}', '{"a": b.c}', '{"a": 1.2.3}', '{"a": 01}', '{"a": +1}', '{"a": .5}',
        '{"a": NaN}', '{"a": Infinity}', '{"a": -Infinity}', '{"a": 1e999}', '{"a": -1e999}', '{"a": ' + "9" * 5000 + "}",
        '{"a": 1, "a": true}', '{"a": 1, "a": 1.0}', '{"a": }', '{: 1}', '{"a": 1} x', "{} 7", '{"a": (1)}', '{"a": "b"c"}',
    ],
)  # fmt: skip
def test_malformed_where_the_author_did_not_end_it(text: str) -> None:
    with pytest.raises(Malformed):
        loads(text, ended=False)


@pytest.mark.parametrize("text", ["", '{"a"', '{"a":', '{"a": "b', '{"a": b', "{]", '{"a": 1]', '{"a": 1}}'])
def test_malformed_though_the_author_ended_it(text: str) -> None:
    with pytest.raises(Malformed):
        loads(text, ended=True)


def test_several_values_in_a_row() -> None:
    assert loads("{} [], {'a': 1};", ended=True) == ([{}, [], {"a": 1}], ["single_quotes"])
    assert read("{}\n{};{},", ended=True) == ([{}, {}, {}], [])
    with pytest.raises(Malformed):
        read("{} 7", ended=True)


@pytest.mark.parametrize("kind", ["[{}]", '{{"a":{}}}'])
@pytest.mark.parametrize("flaw", ["", ","])
def test_the_deepest_value(kind: str, flaw: str) -> None:
    opener, closer = kind.replace("{{", "{").replace("}}", "}").split("{}")
    deep = opener * DEEPEST + "1" + (flaw + closer) * DEEPEST
    assert read(deep, ended=True)[0]
    for deeper in (DEEPEST + 1, 100_000):
        with pytest.raises((Malformed, RecursionError)):
            read(opener * deeper + "1" + (flaw + closer) * deeper, ended=True)


def test_a_wide_value_is_not_deep() -> None:
    assert read("[" + "[1]," * 999 + "[1]]", ended=True)[0]


def test_surrogates() -> None:
    assert clean("a\ud83d\ude00b\ud83dc") == "a😀b\ufffdc"
    assert read('{"\ud800": ["\\ud83d\\ude00", 1, "\udfff"]}', ended=True) == ([{"\ufffd": ["😀", 1, "\ufffd"]}], [])
    with pytest.raises(Malformed):
        read('{"\ud800": 1, "\ud801": 2}', ended=True)


def test_quotes_inside_a_string_where_no_schema_decides() -> None:
    assert read('{"a": "say "hi" now"}', ended=True) == ([{"a": 'say "hi" now'}], ["inner_quotes"])
    with pytest.raises(Malformed):
        read('{"a": "say "hi" now", "b": "c"}', ended=True)


def test_more_readings_than_are_followed() -> None:
    with pytest.raises(Malformed, match="followed"):
        read('{"a": "b" c' + '", "d": {"e": "' * 99 + '"}', ended=True)


def test_a_long_value_is_not_read_in_many_ways() -> None:
    value = 'say "hi" now'
    assert read(f'{{"a": "{value}"}}', ended=True) == ([{"a": value}], ["inner_quotes"])
    with pytest.raises(Malformed, match="too long"):
        read(f'{{"a": "{value}{"x" * LONGEST}"}}', ended=True)
