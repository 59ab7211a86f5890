"""The reader of grammars can tell a sound one from one that is not."""

import random

import pytest
from tests.wire.gbnf import Grammar


@pytest.mark.parametrize(
    ("grammar", "derived", "not_derived"),
    [
        ('root ::= "a" | "b" c\nc ::= "c"?', ["a", "b", "bc"], ["", "ab", "c", "bcc"]),
        (r'root ::= "\"\\\n\x41"', ['"\\\nA'], ['"\\\n']),
        (r'root ::= [^"\\\x00-\x1f] [a-c-]{1,2}', ["é-", "xab"], ['"a', "\na", "x", "xabc", "xd"]),
        ('root ::= "(" root* ")"', ["()", "(()())"], ["(", "())"]),
        ('root ::= [0-9]{2,} ("x" | "y")+', ["12x", "123yx"], ["1x", "12"]),
    ],
)
def test_what_is_derived(grammar: str, derived: list[str], not_derived: list[str]) -> None:
    read = Grammar(grammar)
    assert read.recursion() is None
    assert [text for text in derived if not read.derives(text)] == []
    assert [text for text in not_derived if read.derives(text)] == []
    for seed in range(50):
        assert read.derives(read.written(random.Random(seed)))


@pytest.mark.parametrize(
    "grammar",
    [
        'root ::= "a',
        "root ::= a",
        'a ::= "a"',
        'root ::= ("a"',
        'root ::= "a" |',
        "root ::= ?",
        'root ::= "a" )',
        'root = "a"',
    ],
)
def test_what_cannot_be_read(grammar: str) -> None:
    with pytest.raises(ValueError):
        Grammar(grammar)


@pytest.mark.parametrize(
    ("grammar", "name"),
    [
        ("root ::= root", "root"),
        ('root ::= "a"? root', "root"),
        ('root ::= "x" a\na ::= b | "a"\nb ::= "b"* (a "c")', "a"),
        ('root ::= a b\na ::= "" | "a"\nb ::= a root', "root"),
    ],
)
def test_what_begins_with_itself(grammar: str, name: str) -> None:
    assert Grammar(grammar).recursion() == name
