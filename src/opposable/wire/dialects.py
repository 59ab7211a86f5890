"""The ways of writing values: which quotes, escapes, comments, numbers and brackets each of them knows.

Law: who goes over a value and who reads what it means look it up here, so that they cannot differ. What a dialect itself
teaches is no mend in it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Quote:
    """What opens a string, and what closes it. `mend`: the name of using it, where a dialect does not teach it.

    `escapes`: a backslash and what follows it write a character. `breaks`: line breaks may stand in it as they are.
    """

    opens: str
    closes: tuple[str, ...]
    mend: str = ""
    escapes: bool = True
    breaks: bool = False


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dialect:
    """A way of writing values.

    `native`: mends that are none here. `never`: mends that are not made here, since what they mend means something else.
    `signs` stand between a key and its value; a member after white space and no comma begins as `joins` says.
    """

    quotes: tuple[Quote, ...]
    brackets: Mapping[str, str]
    signs: str
    joins: re.Pattern[str]
    number: re.Pattern[str]
    comment: re.Pattern[str]
    comment_signs: str
    escape: re.Pattern[str]
    escapes: Mapping[str, str]
    native: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()


LITERALS: Mapping[str, tuple[Any, str]] = {
    "true": (True, ""),
    "false": (False, ""),
    "null": (None, ""),
    "True": (True, "python_literal"),
    "False": (False, "python_literal"),
    "None": (None, "python_literal"),
}
"""Words that are values in every dialect, and the mend that they are where it is not Python."""

_DOUBLE = Quote('"', ('"',))
_SINGLE = Quote("'", ("'",), "single_quotes")
_SMART = (
    Quote("“", ("”", '"'), "smart_quotes"),
    Quote("”", ("”", '"'), "smart_quotes"),
    Quote("„", ("“", "”", '"'), "smart_quotes"),
)
_TRIPLE = (Quote('"""', ('"""',), breaks=True), Quote("'''", ("'''",), breaks=True))
_TRIPLE_MENDED = tuple(replace(quote, mend="triple_quotes") for quote in _TRIPLE)
_GEMMA = (
    Quote('<|"|>', ('<|"|>',), escapes=False, breaks=True),
    Quote("<escape>", ("<escape>", "</escape>"), escapes=False, breaks=True),
)
_HEX = "[0-9a-fA-F]"
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?")
_JSON_ESCAPE = re.compile(rf"\\(?:u({_HEX}{{4}})|(.))", re.DOTALL)
_JSON_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}

JSON = Dialect(
    quotes=(*_TRIPLE_MENDED, _DOUBLE, _SINGLE, *_SMART),
    brackets={"{": "}", "[": "]"},
    signs=":",
    joins=re.compile("[\"'{\\[“]"),
    number=_JSON_NUMBER,
    comment=re.compile(r"(?:#|//)[^\n]*|/\*.*?\*/", re.DOTALL),
    comment_signs="#/",
    escape=_JSON_ESCAPE,
    escapes=_JSON_ESCAPES,
)
"""JSON, and what models make of it."""

PYTHON = Dialect(
    quotes=(*_TRIPLE, _DOUBLE, _SINGLE, *_SMART),
    brackets={"{": "}", "[": "]", "(": ")"},
    signs=":",
    joins=re.compile(r"[^\W\d]"),
    number=re.compile(r"[+-]?(?:\d+(?:_\d+)*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"),
    comment=re.compile(r"#[^\n]*"),
    comment_signs="#",
    escape=re.compile(
        rf"\\(?:u({_HEX}{{4}})|x({_HEX}{{2}})|U(00(?:0{_HEX}|10){_HEX}{{4}})|([0-7]{{1,3}})|(\r\n|.))", re.DOTALL
    ),
    escapes={
        '"': '"', "'": "'", "\\": "\\", "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
        "\n": "", "\r": "", "\r\n": "",
    },
    native=frozenset(("single_quotes", "python_literal", "comment", "extra_comma")),
    never=frozenset(("unquoted_word",)),
)  # fmt: skip
"""Literals of Python. A word without quotes is a name, not a value; two strings in a row would be one."""

GEMMA = Dialect(
    quotes=(*_GEMMA, _DOUBLE, _SINGLE, *_SMART),
    brackets={"{": "}", "[": "]", "(": ")"},
    signs=":=",
    joins=re.compile(r"(?!)"),
    number=re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"),
    comment=re.compile(r"(?!)"),
    comment_signs="",
    escape=_JSON_ESCAPE,
    escapes=_JSON_ESCAPES,
    native=frozenset(("single_quotes", "unquoted_key", "unquoted_word")),
)
"""What Gemma's own calls are written in: keys and single words without quotes, and quotes that are tokens."""

ARROW = replace(JSON, signs="=", joins=re.compile(r"[-\w\"']"), native=frozenset(("unquoted_key", "missing_comma")))
"""JSON with arrows after the keys; keys with two hyphens before them need no arrow, and no comma after the value."""


@cache
def opening(dialect: Dialect) -> tuple[str, ...]:
    """What opens a string in this dialect, the longest first."""
    return tuple(sorted((quote.opens for quote in dialect.quotes), key=len, reverse=True))


@cache
def by_opening(dialect: Dialect) -> dict[str, Quote]:
    """The quotes of a dialect by what opens them."""
    return {quote.opens: quote for quote in dialect.quotes}


@cache
def firsts(dialect: Dialect) -> frozenset[str]:
    """The characters that a string may begin with in this dialect."""
    return frozenset(quote.opens[0] for quote in dialect.quotes)


@cache
def stops(quote: Quote) -> tuple[str, ...]:
    """What is looked for inside a string: what closes it, and a backslash where that escapes."""
    return (*quote.closes, *("\\" if quote.escapes else ""))
