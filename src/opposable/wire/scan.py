"""Where does a value end? Readers that go over a value of a block as it comes, without reading what it means.

Law: markers inside a sound string are data; from the first place that breaks the value's own grammar on, the next marker
ends it. What the value means is read once, when its block is whole (`calls.py`).
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Literal, TypeAlias

from opposable.wire.dialects import JSON, PYTHON, Dialect, Quote, by_opening, firsts, opening, stops
from opposable.wire.source import Literals, Run, Source, Wait

End: TypeAlias = Literal["whole", "marker", "end", "no"]
"""How a value ended: whole by itself, at a marker before it was whole, at the end of the reply, or refused by its keys."""

KeyCheck: TypeAlias = Callable[[str], bool]

_BREAKS = Literals(("\\n", "\\r", "\\t"))
SPACE = re.compile(r"[\s\ufeff]+")
_WORD = re.compile(r"[^\s,:{}\[\]\"'<`]+")
_COMMENT = re.compile(r"[^\n]+")
_LONGEST_KEY = 64
_literals = cache(Literals)


class _Json:
    """The places of a JSON value, as a stack of brackets and what may come next. A little wider than JSON: see `mend.py`."""

    def __init__(self, keys: KeyCheck | None) -> None:
        self.stack: list[str] = []
        self.next = "value"
        self.keys = keys
        self.sound = True

    @property
    def whole(self) -> bool:
        return self.next == "done"

    def is_judged(self) -> bool:
        """Does a key of a top-level object stand here, or a plain item of a top-level list?"""
        return len(self.stack) <= 2 and self.stack.count("{") == (self.next == "key")

    def opens(self, bracket: str) -> bool:
        if self.next not in ("value", "after") or (bracket == "[" and self.next == "after"):
            return False
        self.stack.append(bracket)
        self.next = "key" if bracket == "{" else "value"
        return True

    def closes(self, bracket: str) -> bool:
        if not self.stack or self.stack[-1] != {"}": "{", "]": "["}[bracket] or self.next == "colon":
            return False
        self.stack.pop()
        self.next = "after" if self.stack else "done"
        return True

    def scalar(self) -> bool:
        """A string, number or word stands here."""
        if self.next == "after":  # a comma is missing
            self.next = "key" if self.stack[-1] == "{" else "value"
        if self.next not in ("key", "value"):
            return False
        self.next = "colon" if self.next == "key" else "after"
        return bool(self.stack)

    def sign(self, sign: str) -> bool:
        if sign == ":" and self.next == "colon":
            self.next = "value"
            return True
        if sign == "," and self.stack and self.next in ("after", "value", "key"):
            self.next = "key" if self.stack[-1] == "{" else "value"
            return True
        return False


def json(src: Source, markers: Literals, keys: KeyCheck | None = None) -> Wait[End]:
    """Go over one JSON object or list, up to its end or a marker.

    `keys` judges the keys of its top-level objects, and plain items beside them; None: any may stand there.
    """
    state = _Json(keys)
    while True:
        char = yield from over_breaks(src)
        if not char:
            return "end"
        if char in markers.firsts and (yield from src.look(markers)) is not None:
            return "marker"
        sound, allowed = yield from _token(src, state, char)
        if not allowed:
            return "no"
        if state.whole:
            return "whole"
        if not sound:
            return (yield from broken(src, markers))


def over_breaks(src: Source) -> Wait[str]:
    """Go over white space, and line breaks that are written as a backslash and a letter; the character after them."""
    while (char := (yield from src.skip(SPACE))) == "\\" and (found := (yield from src.look(_BREAKS))) is not None:
        src.pos += len(found)
    return char


def broken(src: Source, markers: Literals) -> Wait[End]:
    """Go over a value that cannot be followed, to the next marker."""
    return "end" if (yield from src.find(markers)) is None else "marker"


def _token(src: Source, state: _Json, char: str) -> Wait[tuple[bool, bool]]:
    """Go over one token. Is the value still sound, and are its keys still allowed?"""
    if char in firsts(JSON) and (char != "'" or state.next != "after"):
        start = src.at
        yield from _string(src, JSON)
        return _scalar(state, lambda: src.since(start)[1:-1], src.at - start)
    if char in "{[":
        src.pos += 1
        return state.opens(char), True
    if char in "}]":
        src.pos += 1
        return state.closes(char), True
    if char in ",:":
        src.pos += 1
        return state.sign(char), True
    if char in JSON.comment_signs:
        yield from src.skip(_COMMENT)
        return True, True
    if char == "\\" and state.keys is None:  # escaped as if it stood in a string
        return False, True
    return (yield from _word(src, state))


def _word(src: Source, state: _Json) -> Wait[tuple[bool, bool]]:
    start = src.at
    yield from src.skip(_WORD)
    if src.at == start:
        src.pos += 1
        return False, True
    return _scalar(state, lambda: src.since(start), src.at - start)


def _scalar(state: _Json, text: Callable[[], str], length: int) -> tuple[bool, bool]:
    judged = state.keys is not None and state.is_judged()
    allowed = not judged or (bool(state.stack) and length <= _LONGEST_KEY and bool(state.keys and state.keys(text())))
    return state.scalar(), allowed


def _string(src: Source, dialect: Dialect) -> Wait[bool]:
    """Go over a string and its closing quote. Does one begin here?"""
    opener = yield from src.look(_literals(opening(dialect)))
    if opener is None:
        return False
    src.pos += len(opener)
    quote = by_opening(dialect)[opener]
    literals, run = _literals(stops(quote)), _within(quote)
    while True:
        yield from src.over(run)
        found = yield from src.find(literals)
        src.pos += len(found or "")
        if found != "\\":
            return True
        if (yield from src.char()):
            src.pos += 1


def _escapes(text: str, pos: int) -> bool:
    return text[pos] == "\\"


@cache
def _within(quote: Quote) -> Run:
    """What a string between these quotes surely goes on with."""
    firsts = re.escape("".join(closer[0] for closer in quote.closes))
    over = rf"(?:[^{firsts}\\]++|\\.)*+" if quote.escapes else f"[^{firsts}]*+"
    return Run(re.compile(over, re.DOTALL), _escapes)


_OPENERS, _CLOSERS = "{[(", "}])"
_SIGNS = re.compile(r"[=>,:]+")
_TERM_WORD = re.compile(r"[\w.+$/-]+")
_TERM_NAME = re.compile(r"[\w.:/-]+")
_NAME_BEGINS = re.compile(r"[^\W\d]")
_BETWEEN_CALLS = re.compile(r"[\s\ufeff,]+")
_PREFIXES = ("r", "R", "u", "U")


class _Term:
    """The places of a bracketed value of any dialect: its brackets, and what stood last.

    After an opening bracket or a sign comes a member, after a word may come a bracket; anything else breaks it.
    """

    def __init__(self, inside: str) -> None:
        self.stack = list(inside)
        self.last: Literal["bracket", "sign", "word", "value"] = "bracket"

    @property
    def awaits(self) -> bool:
        """May a member begin here?"""
        return self.last in ("bracket", "sign")

    def opens(self, bracket: str) -> bool:
        if not (self.awaits or (self.last == "word" and bracket != "[")):
            return False
        self.stack.append(_CLOSERS[_OPENERS.index(bracket)])
        self.last = "bracket"
        return True

    def closes(self, bracket: str) -> bool:
        if not self.stack or self.stack[-1] != bracket:
            return False
        self.stack.pop()
        self.last = "value"
        return True

    def string(self) -> bool:
        before, self.last = self.awaits, "value"
        return before and bool(self.stack)

    def sign(self) -> bool:
        before, self.last = self.awaits, "sign"
        return not before

    def word(self, word: str) -> bool:
        is_flag = word.startswith("--")
        before = self.awaits or is_flag or (self.last == "word" and bool(self.stack))
        self.last = "sign" if is_flag else "word"
        return before


def term(src: Source, markers: Literals, dialect: Dialect, inside: str = "") -> Wait[End]:
    """Go over one bracketed value, which may have a name before its bracket, up to its end or a marker.

    `inside`: what closes the bracket that was gone over already.
    """
    state = _Term(inside)
    while True:
        char = yield from src.skip(SPACE)
        if not char:
            return "end"
        found = (yield from src.look(markers)) if char in markers.firsts else None
        if found is not None and not (state.stack and state.awaits and found[0].isalpha()):  # a word may be a key
            return "marker"
        if not (yield from _part(src, state, char, dialect)):
            return (yield from broken(src, markers)) if state.stack else "no"
        if state.last == "value" and not state.stack:
            return "whole"


def _part(src: Source, state: _Term, char: str, dialect: Dialect) -> Wait[bool]:
    """Go over one part of a bracketed value. Is it still sound?"""
    if char in firsts(dialect) and state.awaits and (yield from _string(src, dialect)):
        return state.string()
    if char in _OPENERS:
        src.pos += 1
        return state.opens(char)
    if char in _CLOSERS:
        src.pos += 1
        return state.closes(char)
    if char in dialect.comment_signs:
        yield from src.skip(_COMMENT)
        return True
    start = src.at
    if state.stack and char in "=>,:":
        yield from src.skip(_SIGNS)
        return state.sign()
    after = yield from src.skip(_TERM_WORD if state.stack else _TERM_NAME)
    word = src.since(start)
    if not word:
        src.pos += 1
        return False
    if word in _PREFIXES and after in ("'", '"') and dialect is PYTHON:
        return state.awaits
    return state.word(word)


def calls(src: Source, markers: Literals) -> Wait[End]:
    """Go over one call of Python, or a list of them, up to its end or a marker. Anything else is refused."""
    if (yield from src.char()) != "[":
        return (yield from _call(src, markers))
    src.pos += 1
    first = True
    while True:
        char = yield from over_comments(src, _BETWEEN_CALLS)
        if not char:
            return "end"
        if char in markers.firsts and (yield from src.look(markers)) is not None:
            return "marker"
        if char == "]":
            src.pos += 1
            return "no" if first else "whole"
        found = yield from _call(src, markers)
        if found == "no" and not first:
            return (yield from broken(src, markers))
        if found != "whole":
            return found
        first = False


def over_comments(src: Source, between: re.Pattern[str]) -> Wait[str]:
    """Go over what is between calls of Python, and comments; the character after them."""
    while (char := (yield from src.skip(between))) and char in PYTHON.comment_signs:
        yield from src.skip(_COMMENT)
    return char


def _call(src: Source, markers: Literals) -> Wait[End]:
    char = yield from src.char()
    return (yield from term(src, markers, PYTHON)) if _NAME_BEGINS.match(char) else "no"
