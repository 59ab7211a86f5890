"""Where does a value end? Readers that go over a value of a block as it comes, without reading what it means.

Law: markers inside a sound string are data; from the first place that breaks the value's own grammar on, the next marker
ends it. What the value means is read once, when its block is whole (`calls.py`).
"""

import re
from collections.abc import Callable
from typing import Literal, TypeAlias

from opposable.wire.source import Literals, Source, Wait

End: TypeAlias = Literal["whole", "marker", "end", "no"]
"""How a value ended: whole by itself, at a marker before it was whole, at the end of the reply, or refused by its keys."""

KeyCheck: TypeAlias = Callable[[str], bool]

SPACE = re.compile(r"[\s\ufeff]+")
_INSIDE = {
    '"': re.compile(r'[^"\\]+'),
    "'": re.compile(r"[^'\\]+"),
    "”": re.compile(r'[^”"\\]+'),
}
_CLOSES = {'"': '"', "'": "'", "“": "”", "”": "”"}
_WORD = re.compile(r"[^\s,:{}\[\]\"'<`]+")
_COMMENT = re.compile(r"[^\n]+")
_LONGEST_KEY = 64


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
        char = yield from src.skip(SPACE)
        if not char:
            return "end"
        if (yield from src.look(markers)) is not None:
            return "marker"
        sound, allowed = yield from _token(src, state, char)
        if not allowed:
            return "no"
        if state.whole:
            return "whole"
        if not sound:
            return (yield from broken(src, markers))


def broken(src: Source, markers: Literals) -> Wait[End]:
    """Go over a value that cannot be followed, to the next marker."""
    return "end" if (yield from src.find(markers)) is None else "marker"


def _token(src: Source, state: _Json, char: str) -> Wait[tuple[bool, bool]]:
    """Go over one token. Is the value still sound, and are its keys still allowed?"""
    if char in _CLOSES and (char != "'" or state.next != "after"):
        start = src.at
        src.pos += 1
        yield from _string(src, _CLOSES[char])
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
    if char == "#" or char == "/":
        yield from src.skip(_COMMENT)
        return True, True
    return (yield from _word(src, state))


def _word(src: Source, state: _Json) -> Wait[tuple[bool, bool]]:
    start = src.at
    yield from src.skip(_WORD)
    if src.at == start:
        src.pos += 1
        return False, True
    return _scalar(state, lambda: src.since(start), src.at - start)


def _scalar(state: _Json, text: Callable[[], str], length: int) -> tuple[bool, bool]:
    allowed = state.keys is None or not state.is_judged() or (length <= _LONGEST_KEY and state.keys(text()))
    return state.scalar(), allowed


def _string(src: Source, quote: str) -> Wait[None]:
    """Go over the rest of a string and its closing quote."""
    inside = _INSIDE[quote]
    while True:
        char = yield from src.skip(inside)
        if not char:
            return
        src.pos += 1
        if char != "\\":
            return
        if (yield from src.char()):
            src.pos += 1
