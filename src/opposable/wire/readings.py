"""The readings of a value that cannot be read as it stands: where its broken strings may end, which bracket is one too many.

Law: one pass from left to right, whatever the text, in which readings that can only go on alike go on as one. A sound
string, whose first quote is followed by what can follow it there, is never looked past; a broken one may end at every
later quote after which the value could go on. More than `MOST` readings are none, and one that is never mended rules out
all others: a state that such a reading is in has no trails, and where no state has any, nothing is left to read.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from opposable.wire.dialects import PYTHON, Dialect, Quote, firsts
from opposable.wire.mend import DEEPEST, Ends, Malformed, match_end

S = TypeVar("S")
P = TypeVar("P")

Place: TypeAlias = Literal["key", "sign", "due", "value", "item", "after", "done"]
"""What may come next: a key, what stands after it, its value, a value of a list, an argument, what follows; another value."""

_Trail: TypeAlias = "tuple[_Trail, int, Quote | None, int] | None"
"""The broken strings and stray brackets of a reading, the last first: where each begins, its quote, and where it stops."""

MOST = 8
"""So many readings are left to the schema."""
_NEVER = -1
"""The place of what can be meant in a reading, and is never mended (a second comma, no comma)."""
LONGEST = 200_000
"""How many characters of a value are read in more than one way: a longer one, and broken, is a model that does not stop."""
_LIVE = 32
"""So many states are followed at once."""
_BLANK = r"(?:[\s\ufeff]|\\[nrt])*+"
SPACE = re.compile(_BLANK)
"""White space between tokens, written out or not."""
_WORD = re.compile(r"[\w$.+-]++")
_CALL = re.compile(r"[^\W\d][\w.:/-]*+\s*+\(")
_KEYWORD = re.compile(r"[^\W\d]\w*+\s*+=(?!=)")
_UNMARKED = {
    "}": re.compile(r"[\w$.-]{1,128}+\s*+:"),
    "]": re.compile(r"[\w.+-]{1,128}+\s*+[,\]]"),
    ")": re.compile(r"(?!)"),
}
"""What begins a member without quotes in each kind of bracket. After white space and no comma it is never mended."""
_PREFIXES = frozenset("rRuU")
_NEXT = {
    "}": r"""(?:"(?:[^"\\]|\\.){0,128}+"|'(?:[^'\\]|\\.){0,128}+'|[\w$.-]{1,128}+)\s*+:""",
    "]": r"(?:[\"'“{\[]|[\w.+-]++\s*+[,\]])",
    ")": r"[^\W\d]\w*+\s*+=(?!=)",
}
_FOLLOWS = {
    closer: re.compile(
        rf"{_BLANK}(?:\Z|,{_BLANK}{begins}|\{closer}{_BLANK}(?:[}}\])]{_BLANK})*+(?:[,;{{\[]|\Z|(?<=\s)[^\W\d][\w.]*+\())",
        re.DOTALL,
    )
    for closer, begins in _NEXT.items()
}
"""What follows a sound string in each kind of bracket."""
_FIRST: dict[str, Place] = {"}": "key", "]": "value", ")": "item"}
"""What comes first in each kind of bracket, and after a comma."""


class _Free(NamedTuple):
    """A state between strings."""

    pos: int
    place: Place
    stack: str


class _Open(NamedTuple):
    """A state within a string. `since`: where it begins, while that is still to come. `broken`: a quote stood in it."""

    quote: Quote
    is_key: bool
    stack: str
    since: int = 0
    broken: bool = False


def endings(text: str, dialect: Dialect, *, ended: bool) -> list[Ends]:
    """How the broken strings of each reading end, and which brackets are stray. Errors: Malformed, for more than `MOST`."""
    if len(text) > LONGEST:
        raise Malformed("too long to be read in more than one way")
    readings = _Readings(text, dialect)
    for token in _tokens(dialect).finditer(text):
        if token.group()[0] != "\\":
            readings.at(token.start())
            if not readings.live:
                break
    return [*map(_ends, readings.whole(ended=ended))]


@cache
def _tokens(dialect: Dialect) -> re.Pattern[str]:
    """What is stopped at: every quote that no backslash escapes."""
    quotes = {text[0] for quote in dialect.quotes for text in (quote.opens, *quote.closes)}
    return re.compile(rf"\\.|[{re.escape(''.join(sorted(quotes)))}]", re.DOTALL)


@cache
def _by_first(dialect: Dialect) -> Mapping[str, Sequence[Quote]]:
    """The quotes by the character that they open with."""
    found: dict[str, list[Quote]] = defaultdict(list)
    for quote in dialect.quotes:
        found[quote.opens[0]].append(quote)
    return found


def _ends(trail: _Trail) -> Ends:
    ends: dict[int, tuple[Quote | None, int]] = {}
    while trail is not None:
        trail, start, quote, stop = trail
        ends[start] = quote, stop
    return ends


class _Readings:
    """All readings of a text up to a place in it: the states they are in, and the trails that led there."""

    def __init__(self, text: str, dialect: Dialect) -> None:
        self.text = text
        self.dialect = dialect
        self.free: dict[_Free, list[_Trail]] = {_Free(0, "done", ""): [None]}
        self.open: dict[_Open, list[tuple[int, _Trail]]] = {}
        self.comments: dict[str, int] = {}
        """Where the next line, and the next block of a comment, ends that was looked for."""
        self.next = (-1, -1, "")
        """A place, the one after white space there, and the character at that: it is asked for by several states."""

    @property
    def live(self) -> int:
        """In how many states the readings are."""
        return len(self.free) + len(self.open)

    def at(self, pos: int) -> None:
        """Go on to the quote that stands here, and over it. Errors: Malformed, where too many states are left."""
        free, opened = self.free, self.open
        self.free, self.open = {}, {}
        for outside, trails in free.items():
            if outside.pos > pos:
                _add(self.free, outside, trails)
            elif (found := self._go(outside, pos)) is not None and found[0].pos > pos:
                _add(self.free, found[0], _strayed(trails, found[2]))
            elif found is not None:
                self._begin(found, trails)
        for inside, paths in opened.items():
            if inside.since > pos:
                _add(self.open, inside, paths)
            else:
                self._quote(pos, inside, paths)
        if self.live > _LIVE:
            raise Malformed("more readings than are followed")
        if self.live and not any(self.free.values()) and not any(self.open.values()):
            raise Malformed("more readings than are counted")

    def whole(self, *, ended: bool) -> list[_Trail]:
        """The trails of the readings in which the text is whole. `ended`: closers may be missing at its end.

        Errors: Malformed, for more than `MOST`, or one that is never mended.
        """
        found: list[_Trail] = []
        for outside, trails in self.free.items():
            last = self._go(outside, len(self.text))
            if last is None:
                continue
            place, strays = last[0].place, last[2]
            if place == "done" or (ended and not strays and place not in ("sign", "due")):
                more = _strayed(trails, strays)
                found += more
                if not more or len(found) > MOST:
                    raise Malformed("more readings than are counted")
        return found

    def _begin(self, found: tuple[_Free, bool, list[int]], trails: list[_Trail]) -> None:
        """Strings that begin here, if any may."""
        at, spaced, strays = found
        for quote in _by_first(self.dialect)[self.text[at.pos]]:
            if len(quote.opens) > 1 and not self.text.startswith(quote.opens, at.pos):
                continue
            place = at.place
            if place == "after":
                place = _FIRST[at.stack[-1]]
                if not (spaced and self.dialect.joins.match(quote.opens)):
                    strays = [*strays, _NEVER]
            if place not in ("sign", "done"):
                since = at.pos + len(quote.opens)
                state = _Open(quote, place == "key", at.stack, since)
                _add(self.open, state, [(at.pos, trail) for trail in _strayed(trails, strays)])

    def _quote(self, pos: int, state: _Open, paths: list[tuple[int, _Trail]]) -> None:
        """Go over a quote within a string: it ends here, or it does not, or either."""
        if state.since:
            state = _Open(state.quote, state.is_key, state.stack)
        for closer in state.quote.closes:
            if self.text.startswith(closer, pos):
                break
        else:
            _add(self.open, state, paths)
            return
        end = pos + len(closer)
        may_end = state.is_key or self._may_end(end, state)
        if state.is_key or (may_end and not state.broken and _FOLLOWS[state.stack[-1]].match(self.text, end)):
            place: Place = "sign" if state.is_key else "after"
            _add(self.free, _Free(end, place, state.stack), [trail for _, trail in paths])
            return
        if may_end:
            trails = [(trail, start, state.quote, pos) if state.broken else trail for start, trail in paths]
            _add(self.free, _Free(end, "after", state.stack), trails)
        _add(self.open, state if state.broken else _Open(state.quote, state.is_key, state.stack, broken=True), paths)

    def _may_end(self, end: int, state: _Open) -> bool:
        """Could the value go on, were this the end of a string in it?"""
        stack = state.stack
        if self.next[0] != end:
            after = match_end(SPACE, self.text, end)
            self.next = end, after, self.text[after : after + 1]
        _, after, char = self.next
        if not char:
            return True
        if char in _FIRST:
            return char == stack[-1] or char not in stack
        if char in firsts(self.dialect) and (stack[-1] == "]" or not state.broken):
            return True
        if after > end and _UNMARKED[stack[-1]].match(self.text, after):
            return True
        if char in self.dialect.comment_signs and self._comment(after) > after:
            return True
        return char == "," or (after > end and self.dialect.joins.match(char) is not None)

    def _go(self, state: _Free, end: int) -> tuple[_Free, bool, list[int]] | None:
        """Go over what stands between strings. The state then, was white space gone over last, and stray brackets.

        It may be further on, as quotes in a comment are none. None: this is no reading.
        """
        pos, place, stack = state
        strays: list[int] = []
        spaced = False
        while pos < end:
            if (after := match_end(SPACE, self.text, pos)) > pos:
                pos, spaced = after, True
                continue
            if (after := self._comment(pos)) > pos:
                if after > len(self.text):
                    return None
                pos, spaced = after, True
                continue
            char = self.text[pos]
            if char in _FIRST and place == "after" and char not in stack:
                strays.append(pos)
                pos += 1
                continue
            if char == "," and place in ("key", "value", "item"):
                strays.append(_NEVER)
                pos += 1
                continue
            if place == "after" and spaced and _UNMARKED[stack[-1]].match(self.text, pos):
                strays.append(_NEVER)
                place = _FIRST[stack[-1]]
            moved = self._sign(pos, place, stack) or self._member(pos, end, place, stack, spaced=spaced)
            if moved is None or len(moved[2]) > DEEPEST:
                return None
            pos, place, stack = moved
            spaced = False
        return _Free(pos, place, stack), spaced, strays

    def _comment(self, pos: int) -> int:
        """Where the comment ends that stands here; at `pos` where none does."""
        char = self.text[pos]
        if char not in self.dialect.comment_signs:
            return pos
        closer = "*/" if self.text.startswith("/*", pos) else "\n"
        if char == "/" and closer == "\n" and not self.text.startswith("//", pos):
            return pos
        if self.comments.get(closer, -1) < pos + 2:
            found = self.text.find(closer, pos + 2 if char == "/" else pos)
            self.comments[closer] = found if found >= 0 else len(self.text) + 1
        return self.comments[closer] + (closer == "*/") * 2

    def _sign(self, pos: int, place: Place, stack: str) -> tuple[int, Place, str] | None:
        """Go over a comma, a colon or a closing bracket."""
        char = self.text[pos]
        if place == "sign" and self.dialect is PYTHON and char in ",}":  # it was no key, but an item of a set
            place = "after"
        if char == "," and place in ("after", "done"):
            return pos + 1, _FIRST[stack[-1]] if stack else "done", stack
        if char == ";" and place == "done":
            return pos + 1, place, stack
        if char == ":" and place == "sign":
            return pos + 1, "due", stack
        if stack and char == stack[-1] and place not in ("sign", "due"):
            return pos + 1, "after" if len(stack) > 1 else "done", stack[:-1]
        return None

    def _member(self, pos: int, end: int, place: Place, stack: str, *, spaced: bool) -> tuple[int, Place, str] | None:
        """Go over what begins a member and is no string: an opening bracket, a call, a keyword, a word."""
        char = self.text[pos]
        if place == "after" and spaced and self.dialect.joins.match(char):
            place = _FIRST[stack[-1]]
        if place in ("after", "sign"):
            return None
        closer = self.dialect.brackets.get(char)
        if closer is not None:
            if place == "key":
                return None
            return pos + 1, "value" if char == "(" else _FIRST[closer], stack + closer
        if self.dialect is PYTHON:
            if place == "item" and (after := match_end(_KEYWORD, self.text, pos)) > pos:
                return after, "due", stack
            if place != "key" and (after := match_end(_CALL, self.text, pos)) > pos:
                return after, "item", stack + ")"
            if char in _PREFIXES and pos + 1 == end:
                return end, place, stack
        after = match_end(_WORD, self.text, pos)
        if after == pos or place == "done":
            return None
        return after, "sign" if place == "key" else "after", stack


def _add(states: dict[S, list[P]], state: S, more: list[P]) -> None:
    """Further ways into a state; none are left of more than `MOST`, or once one of them is never mended."""
    before = states.get(state)
    if before is not None:
        more = [*before, *more] if before and more else []
    states[state] = more if len(more) <= MOST else []


def _strayed(trails: list[_Trail], strays: list[int]) -> list[_Trail]:
    """The trails, with these stray brackets in them; none, where what is never mended stands there."""
    if _NEVER in strays:
        return []
    for pos in strays:
        trails = [(trail, pos, None, pos + 1) for trail in trails]
    return trails
