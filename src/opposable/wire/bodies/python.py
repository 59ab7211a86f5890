"""Calls written in Python: `[f(a="x"), g()]`, or one a line. Law: literals are read, nothing is evaluated.

An argument has a keyword; one object of JSON may stand for all of them. What else Python can write (sums, names, calls in
calls, arguments without keywords) is `Malformed`.
"""

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from opposable.wire import scan
from opposable.wire.bodies.bare import Bare, settle
from opposable.wire.calls import Draft, NoCall, Unnumbered, fit_of, strict_at
from opposable.wire.choice import choose
from opposable.wire.dialects import LITERALS, PYTHON, Quote, firsts
from opposable.wire.mend import LEADING_ZEROS, Ends, Malformed, Reader, Unclear, clean, match_end
from opposable.wire.offered import Offered
from opposable.wire.rules import Rules, literal
from opposable.wire.source import Source, Wait
from opposable.wire.steps import Block, Body, Found, in_a_row

_NAME = re.compile(r"[^\W\d][\w.:/-]*")
_CALL = re.compile(r"[^\W\d][\w.:/-]*\s*\(")
_LIKE_A_CALL = re.compile(
    r"(?:^[ \t]*|print\(|[\[:][ \t]*)[^\W\d][\w./-]{0,128}\(\s{0,99}(?:[^\W\d]\w{0,128}\s{0,9}=(?!=)|[{)])",
    re.MULTILINE,
)
_KEY = re.compile(r"[^\W\d]\w*")
_KEY_OF_DICT = re.compile(r"[\w$.+-]+\s*:")
_PLAIN_KEY = re.compile(r"\$?[^\W\d]\w*|-?(?:0|[1-9]\d*)(?:\.\d+)?")
_PREFIX = re.compile(r"[rRuU](?=['\"])")
_OTHER_PREFIX = re.compile(r"(?:[bft]r?|r[bft])(?=['\"])", re.IGNORECASE)
"""Before bytes, and before text that is evaluated."""
_OPERATOR = re.compile(
    r"\.\s*[^\W\d]\w*\s*\(|\[|\s*(?:[+*%]\s*[\w\"'(\[{]|==|!=|(?:if|else|and|or|in|is|not|for)\s+[\w\"'(\[{])"
)
"""What goes on with an expression behind a string."""
_NAMED = re.compile(r"\\(?:N\{([^{}]{1,128})\}|.)", re.DOTALL)
_METHOD = ".call"
_BETWEEN = re.compile(r"[\s\ufeff,;]+")
_JSON_BODY = re.compile(r"\s*(?:\[\s*)?\{")


def read(body: str, tools: Offered, *, ended: bool) -> list[Draft]:
    """The calls of a whole body. Errors: Malformed."""
    return choose(
        body,
        PYTHON,
        lambda ends: _read(body, tools, ends, ended=ended and ends is None),
        lambda found: fit_of(lambda: found, tools),
        ended=ended,
    )


def _read(body: str, tools: Offered, ends: Ends | None, *, ended: bool) -> list[Draft]:
    reader = _Python(Unnumbered(body), PYTHON, ended=ended, ends=ends)
    with reader.saying_where():
        found = reader.calls()
    if not found:
        raise NoCall("no calls")
    for draft in found:
        short = draft.name.removesuffix(_METHOD)
        if tools.name(draft.name) is None and tools.name(short) is not None:
            draft.name = short
        settle(draft, tools)
    found[0].mends += dict.fromkeys(reader.mends)
    return found


class _Python(Reader):
    """Reads literals of Python, and calls that are made of them."""

    def calls(self) -> list[Draft]:
        """All calls, up to the end of the text."""
        found: list[Draft] = []
        while self.peek():
            if self.peek() == "[":
                self.pos += 1
                before = len(found)
                while not self.closes("]", is_first=len(found) == before):
                    found.append(self.call())
            else:
                found.append(self.call())
            if self.peek() in (",", ";"):
                self.pos += 1
        return found

    def call(self) -> Draft:
        """The call that stands here."""
        name = self.name()
        if name == "print" and _CALL.match(self.text, self.space()):
            name = self.name()
            draft = Draft(name, self.arguments())
            if self.peek() != ")":
                raise Malformed("more than a call is printed")
            self.pos += 1
            return draft
        return Draft(name, self.arguments())

    def name(self) -> str:
        """The name of a call, and its opening bracket."""
        name = _NAME.match(self.text, self.space())
        if name is None:
            raise Malformed("no name stands here")
        self.pos = name.end()
        if self.peek() != "(":
            raise Malformed("a name without a call")
        self.pos += 1
        return name.group()

    def arguments(self) -> Any:
        """What stands between the brackets of a call, up to the closing one."""
        result: Any = {}
        if self.peek() == "{":
            result = self.all_at_once()
        while not self.closes(")", is_first=not result):
            key = _KEY.match(self.text, self.pos)
            if key is None:
                raise Malformed("an argument without a keyword")
            self.pos = key.end()
            if self.peek() != "=":
                raise Malformed("an argument without a keyword")
            self.pos += 1
            self.put(result, key.group(), self.value(1))
        return result

    def all_at_once(self) -> Any:
        """The one object that holds all arguments: JSON, or else a dict."""
        try:
            value, self.pos = strict_at(self.text, self.pos)
        except (ValueError, RecursionError):
            value = self.object(1)
        if not isinstance(value, dict) or self.peek() != ")":
            raise Malformed("an argument without a keyword")
        return value

    def object(self, depth: int, closer: str = "}") -> Any:
        """A dict, or a set, which JSON has as a list."""
        start = self.pos
        self.pos += 1
        first = self.peek()
        self.pos = match_end(_PREFIX, self.text, self.pos)
        quote = self.quote()
        if quote is None:
            is_set = first != closer and _KEY_OF_DICT.match(self.text, self.pos) is None
        else:
            self.between(quote)
            is_set = self.peek() in (",", closer)
        self.pos = start
        return self.list(depth, closer) if is_set else super().object(depth, closer)

    def word(self, depth: int) -> Any:
        """A tuple, a string with a prefix, or a word."""
        if self.text[self.pos] == "(":
            return self.tuple(depth + 1)
        if (text := self.prefixed()) is not None:
            return text
        start = self.pos
        value = super().word(depth)
        return Bare(self.text[start : self.pos], value) if LEADING_ZEROS.match(self.text, start) else value

    def key(self) -> str:
        """The key that stands here, as JSON can have it: a string, a number or a name. Errors: Unclear, for any other."""
        if self.quote() is not None:
            return super().key()
        if (text := self.prefixed()) is not None:
            return text
        key = _PLAIN_KEY.match(self.text, self.pos)
        if key is None or key.group() in LITERALS:
            raise Unclear("a key that JSON has not")
        self.pos = key.end()
        self.mend("unquoted_key")
        if self.peek() not in (":", *firsts(PYTHON)):
            raise Unclear("a key that JSON has not")
        return key.group()

    def prefixed(self) -> str | None:
        """The string with a prefix that stands here, if one does. Errors: Unclear, for bytes and for what is evaluated."""
        if _OTHER_PREFIX.match(self.text, self.pos) is not None:
            raise Unclear("a string that is no text as it stands")
        prefix = _PREFIX.match(self.text, self.pos)
        if prefix is None:
            return None
        self.pos = prefix.end()
        quote = self.quote()
        assert quote is not None
        return clean(self.between(quote)) if prefix.group() in "rR" else self.string(quote)

    def between(self, quote: Quote) -> str:
        """The same. Errors: Unclear, for a string that is part of an expression."""
        raw = super().between(quote)
        if _OPERATOR.match(self.text, self.pos) is not None:
            raise Unclear("an expression")
        return raw

    def unescape(self, raw: str) -> str:
        """The same, with the characters that are written by their names."""
        return super().unescape(_NAMED.sub(_by_name, raw) if "\\N{" in raw else raw)

    def tuple(self, depth: int) -> Any:
        """What stands in round brackets: one value, or several as a list."""
        found = self.list(depth, ")")
        last = self.pos - 2
        while self.text[last].isspace():
            last -= 1
        return found[0] if len(found) == 1 and self.text[last] != "," else found


def _by_name(escape: re.Match[str]) -> str:
    """The escape by its number of a character that is written by its name; another escape as it is."""
    try:
        return f"\\U{ord(unicodedata.lookup(escape[1])):08x}" if escape[1] else escape[0]
    except (KeyError, TypeError):  # no name, or that of several characters
        return escape[0]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PythonCalls(Body):
    """Calls in Python after a marker: a list of them, or one or more in a row. `json` reads what is no Python but JSON."""

    json: Body | None = None

    def may_begin(self, char: str) -> bool:
        return char in "[#" or char.isidentifier() or (char == "{" and self.json is not None)

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        start = src.at
        if self.json is not None and (yield from _is_json(src)):
            return (yield from self.json.scan(src, block))
        yield from scan.over_comments(src, _BETWEEN)
        state = yield from _scan_calls(src, block)
        if not block.whole and "(" not in src.since(start):
            block.parts["body"] = (start, start if state == "cut" else src.at)
            return "no" if state == "on" and (yield from src.look(block.closers)) is None else state
        return state

    def is_prose(self, body: str) -> bool:
        return False

    def names_a_call(self, raw: str) -> bool:
        return _LIKE_A_CALL.search(raw) is not None

    def read(self, body: str, name: str, tools: Offered, *, ended: bool) -> list[Draft]:
        if self.json is not None and _JSON_BODY.match(body):
            return self.json.read(body, name, tools, ended=ended)
        return read(body, tools, ended=ended)

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        written = {key: json.dumps(value, ensure_ascii=False) for key, value in arguments.items()}
        if all(map(_KEY.fullmatch, written)):
            return f"{name}({', '.join(f'{key}={value}' for key, value in written.items())})"
        return f"{name}({json.dumps(arguments, ensure_ascii=False)})"

    def grammar(self, name: str, rules: Rules) -> str:
        return f"{literal(name)} {rules.keywords(_KEY.fullmatch)}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PythonList(PythonCalls):
    """The same where a list of calls is taught."""

    @property
    def list_marks(self) -> tuple[str, str, str]:
        return "[", ", ", "]"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PythonLines(PythonCalls):
    """The same where one call a line is taught."""

    @property
    def list_marks(self) -> tuple[str, str, str]:
        return "", "\n", ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BarePython(PythonList):
    """A list of calls in Python where no marker says that calls come."""

    openers: tuple[str, ...] = ("[",)

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        return (yield from _scan_calls(src, block))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Keywords(PythonCalls):
    """The rest of a call in Python whose name and opening bracket were its marker."""

    def may_begin(self, char: str) -> bool:
        return True

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        start = src.at
        found = yield from scan.term(src, block.markers, PYTHON, inside=")")
        block.whole = found == "whole"
        block.parts["body"] = (start, src.at)
        return "on" if found in ("whole", "marker") else "cut"

    def read(self, body: str, name: str, tools: Offered, *, ended: bool) -> list[Draft]:
        return read(f"{name}({body}", tools, ended=ended)


def _is_json(src: Source) -> Wait[bool]:
    """Does an object, or a list of objects, stand here? Stays where it is."""
    at = src.at
    char = yield from src.char()
    if char == "[":
        src.pos += 1
        char = yield from src.skip(scan.SPACE)
        src.back(at)
    return char == "{"


def _scan_calls(src: Source, block: Block) -> Wait[Found]:
    """Go over a list of calls, or over calls in a row, and over more of the same where they follow."""
    first = yield from src.char()

    def between() -> Wait[str]:
        char = yield from scan.over_comments(src, _BETWEEN)
        return char if (char == "[") == (first == "[") else ""

    found = yield from in_a_row(src, block, lambda: scan.calls(src, block.markers), between)
    if found == "no" and not block.whole:
        return "no"
    return "on" if block.whole or found == "marker" else "cut"
