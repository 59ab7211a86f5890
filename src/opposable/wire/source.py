"""The text of a reply as it comes, and the one place where characters are looked at.

Law: nothing is read twice. What was looked at is either held (it may become a marker or belongs to the block under way)
or let go; a chunk costs the chunk. Readers are generators that yield where they need more text; what they decide with
a part of the text is what they would decide with all of it.
"""

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, NoReturn, TypeAlias, TypeVar

T = TypeVar("T")
Wait: TypeAlias = Generator[None, None, T]
"""A reader: yields where it needs more text, returns what it found."""

_FAR = 1 << 60
_DEPTH = 4
"""By how many characters the beginnings of literals are told from other text at once."""
REACH = 64
"""How long the end of a run that is still open may be."""

INDENT = 8
"""How many blanks may stand before a literal that has to begin its line. A bound, so that blanks are not held for ever."""

_BLANKS = re.compile(rf"[ \t]{{0,{INDENT}}}")


class Run(NamedTuple):
    """Text that a reader goes over without deciding anything.

    `over` matches it, be it nothing, up to a place where the reader may have to see for itself. `goes_on`: may what stands
    there, up to the end of the text, still become such text, or what the reader waits for?
    """

    over: re.Pattern[str]
    goes_on: Callable[[str, int], bool]


def until(texts: Sequence[str], pattern: str, goes_on: Callable[[str, int], bool]) -> Run:
    """Text in which none of these begins, as far as their first characters tell, and nothing that the pattern matches."""
    firsts = re.escape("".join({text[0] for text in texts}))
    over = rf"(?:[^{firsts}]++|(?!{beginning(texts)}|{pattern}).)*+"
    return Run(re.compile(over, re.DOTALL), goes_on)


class Literals:
    """A set of fixed texts to look for: `anywhere`, or at the beginning of a `line`, after a few blanks at most.

    What is compiled and sorted is made when it is first asked for: most sets are only ever compared with what stands here.
    """

    def __init__(self, anywhere: Iterable[str], line: Iterable[str] = ()) -> None:
        self.anywhere = tuple(dict.fromkeys(anywhere))
        self.line = tuple(dict.fromkeys(line))
        self.longest = max(map(len, (*self.anywhere, *self.line)), default=1)

    @cached_property
    def firsts(self) -> frozenset[str]:
        """The characters that one of them may begin with. Where another stands, none is to be looked for."""
        return frozenset(text[0] for text in (*self.anywhere, *self.line))

    @cached_property
    def run(self) -> Run:
        """Text in which none of them begins, and no line that one may begin."""
        firsts = re.escape("".join({text[0] for text in self.anywhere}) + ("\n" if self.line else ""))
        units = [f"[^{firsts}]++" if firsts else ".++"]
        if self.anywhere:
            units.append(f"(?!{beginning(self.anywhere)})" + (r"[^\n]" if self.line else "."))
        if self.line:
            units.append(rf"\n[ \t]*+(?!\Z|{beginning(self.line)})")
        over = f"(?:{'|'.join(units)})*+" + (r"\n?" if self.line else "")
        return Run(re.compile(over, re.DOTALL), self._may_begin)

    @cached_property
    def or_break(self) -> "Literals":
        """Those that may stand anywhere, or the end of the line."""
        return Literals((*self.anywhere, "\n"))

    @cached_property
    def _sorted(self) -> tuple[Sequence[str], Sequence[str]]:
        return sorted(self.anywhere), sorted(self.line)

    @cached_property
    def _all(self) -> Sequence[str]:
        return sorted((*self.anywhere, *self.line))

    @cached_property
    def _by_start(self) -> tuple[Mapping[str, Sequence[str]], ...]:
        """By their first two characters, the longest first: those anywhere, all, and those of a line."""
        return _by_start(self.anywhere), self._all_by_start, _by_start(self.line)

    @cached_property
    def _all_by_start(self) -> Mapping[str, Sequence[str]]:
        return _by_start((*self.anywhere, *self.line))

    def begins(self, text: str) -> bool:
        """Is this the beginning of one of them, and not yet all of it?"""
        return _is_beginning(text, self._all)

    def search(self, text: str, pos: int = 0, end: int = _FAR) -> tuple[int, int, str] | None:
        """The first of these that begins before `end`: where (with the blanks before it), where it ends, and which it is."""
        end = min(end, len(text))
        while (start := self._over(text, pos, end)) < end:
            begins_line = text[start - 1 : start] == "\n"
            at = _end(_BLANKS, text, start) if self.line and begins_line else start
            found = self._at(text, at, self._by_start[2 if at > start else begins_line])
            if found is not None:
                return start, at + len(found), found
            pos = start + 1
        return None

    def match(self, text: str, pos: int) -> str | None:
        """Which of these stands at `pos`, wherever that is: the longest."""
        return self._at(text, pos, self._all_by_start)

    def _at(self, text: str, pos: int, by_start: Mapping[str, Sequence[str]]) -> str | None:
        for found in by_start.get(text[pos : pos + 2], ()):
            if text.startswith(found, pos):
                return found
        return text[pos] if text[pos : pos + 1] in by_start else None

    def held_from(self, text: str, pos: int) -> int:
        """Where the end of `text` begins that may still become one of these: an index of at least `pos`."""
        end = len(text)
        pos = max(pos, end - self.longest - INDENT)
        while (pos := self._over(text, pos, end)) < end:
            if self._may_begin(text, pos):
                break
            pos += 1
        return pos

    def _may_begin(self, text: str, pos: int) -> bool:
        """May this end of the text still become one of them?"""
        anywhere, line = self._sorted
        is_of_line = text[pos - 1 : pos] == "\n" and _is_beginning(text[_end(_BLANKS, text, pos) :], line)
        return is_of_line or _is_beginning(text[pos:], anywhere)

    def _over(self, text: str, pos: int, end: int) -> int:
        """The next place at which one of them may begin."""
        return max(pos, _end(self.run.over, text, pos - (text[pos - 1 : pos] == "\n"), end))


def _is_beginning(text: str, texts: Sequence[str]) -> bool:
    """Is the text a beginning of one of these sorted texts? What begins with it stands right after it."""
    place = bisect_right(texts, text)
    return place < len(texts) and texts[place].startswith(text)


def _by_start(texts: Iterable[str]) -> dict[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for text in texts:
        found.setdefault(text[:2], []).append(text)
    return {start: _longest_first(some) if len(some) > 1 else some for start, some in found.items()}


def beginning(texts: Iterable[str], depth: int = _DEPTH) -> str:
    """A pattern of the first characters of these texts, so many at most, or of fewer where the text ends first."""
    after: dict[str, list[str]] = {}
    for text in texts:
        after.setdefault(text[0], []).append(text[1:])
    patterns: dict[str, str] = {}
    for first, rests in after.items():
        rest = "" if depth == 1 or "" in rests else rf"(?:\Z|{beginning(rests, depth - 1)})"
        patterns[rest] = patterns.get(rest, "") + first
    return "|".join(f"[{re.escape(firsts)}]{rest}" for rest, firsts in patterns.items())


def _longest_first(texts: Iterable[str]) -> Sequence[str]:
    return sorted(texts, key=len, reverse=True)


def _end(pattern: re.Pattern[str], text: str, pos: int, end: int = _FAR) -> int:
    """Where a match that begins here ends; here, where there is none."""
    match = pattern.match(text, pos, end)
    return match.end() if match else pos


def _refuse(given: Any) -> NoReturn:
    hint = "decode it first" if isinstance(given, bytes | bytearray) else "give '' where nothing was said"
    raise TypeError(f"a reply is text (str), this is {type(given).__name__}: {hint}")


class Source:
    """A window on the text: `text[pos:]` is still to be looked at, `text[mark:pos]` is held.

    One character before the window is kept, so that `\\n` can be looked back at; the reply begins after a line break.
    """

    def __init__(self) -> None:
        self.text = "\n"
        self.pos = self.mark = 1
        self.base = -1
        self.closed = False
        self._held: list[str] = []
        self._before = "\n"
        self._run: Run | None = None

    def feed(self, delta: str) -> bool:
        """More text has come. Is it for a reader to look at? Else it was gone over. Errors: TypeError for what is none."""
        if not isinstance(delta, str):
            _refuse(delta)
        run = self._run
        if run is None:
            self._slide()
            self.text += delta
            return True
        text = self.text + delta
        over = run.over.match(text, text[0] != "\n")
        end = over.end() if over else 1
        if end < len(text) and not run.goes_on(text, end):
            self.text, self.pos, self._run = text, end, None
            return True
        if end > 1:
            self._held.append(text[1:end])
            self.base += end - 1
            self.text = text[end - 1 :]
        else:
            self.text = text
        return False

    def _slide(self) -> None:
        """Move the window to here."""
        if self.mark < self.pos:
            self._held.append(self.text[self.mark : self.pos])
        cut = self.pos - 1
        self.base += cut
        self.text = self.text[cut:]
        self.pos = self.mark = 1

    def wait(self, run: Run) -> Wait[None]:
        """Wait for more than this text: see `feed`, which goes over it meanwhile."""
        self._slide()
        self._run = run
        yield
        self._run = None

    def over(self, run: Run) -> Wait[None]:
        """Go over this text."""
        self.pos = _end(run.over, self.text, self.pos)
        left = len(self.text) - self.pos
        if not self.closed and (not left or (left < REACH and run.goes_on(self.text, self.pos))):
            yield from self.wait(run)

    @property
    def is_over(self) -> bool:
        """Is this the end of the reply?"""
        return self.closed and self.pos == len(self.text)

    @property
    def at(self) -> int:
        """How many characters of the reply lie before this place."""
        return self.base + self.pos

    def take(self) -> str:
        """Let go of what is held; its text."""
        if self.mark < self.pos:
            self._held.append(self.text[self.mark : self.pos])
            self.mark = self.pos
        self._before = self.text[self.pos - 1]
        held = "".join(self._held)
        self._held.clear()
        return held

    def since(self, at: int) -> str:
        """The held text from a place up to here."""
        missing = self.at - at - (self.pos - self.mark)
        if missing <= 0:
            return self.text[self.pos - (self.at - at) : self.pos]
        parts = [self.text[self.mark : self.pos]]
        held = reversed(self._held)
        while missing > 0:
            part = next(held)
            parts.append(part[-missing:])
            missing -= len(part)
        return "".join(reversed(parts))

    def go(self, at: int) -> None:
        """Go to a place within what is held or has come."""
        if at < self.at:
            self.back(at)
        else:
            self.pos += at - self.at

    def back(self, at: int) -> None:
        """Go back to a place within what is held."""
        here = self.at
        if here - at <= self.pos - self.mark:
            self.pos -= here - at
            return
        parts = [self.text[self.mark : self.pos]]
        missing = here - at - len(parts[0])
        while missing > 0:
            parts.append(self._held.pop())
            missing -= len(parts[-1])
        if missing < 0:  # the last part is held up to the place
            self._held.append(parts[-1][:-missing])
            parts[-1] = parts[-1][-missing:]
        before = self._held[-1][-1] if self._held else self._before
        self.text = before + "".join(reversed(parts)) + self.text[self.pos :]
        self.base = at - 1
        self.pos = self.mark = 1

    def seek(self, literals: Literals, end: float = math.inf) -> str | None:
        """Go on to the next of these literals and return it, or as far as there can be none, and return None.

        None that begins behind the place `end` is looked for.
        """
        found = literals.search(self.text, self.pos, int(min(len(self.text), end - self.base)))
        if found is None:
            self.pos = len(self.text) if self.closed else literals.held_from(self.text, self.pos)
            return None
        start, end, literal = found
        at = end - len(literal)
        if not self.closed and len(self.text) - start <= literals.longest + INDENT:
            held = literals.held_from(self.text, self.pos)
            if held < start or literals.begins(self.text[at:]):  # a longer one may begin here, or before it
                self.pos = min(start, held)
                return None
        self.pos = start
        return self.text[start:end]

    def find(self, literals: Literals, within: float = math.inf) -> Wait[str | None]:
        """Go on to the next of these literals and return it; at the end of the reply, or `within` so many characters, None."""
        start = self.at
        while True:
            found = self.seek(literals, start + within)
            if self.at - start > within:
                self.back(start + int(within))  # as far as it was looked, however much has come
                return None
            if found is not None or self.closed:
                return found and found.lstrip(" \t")
            if within < math.inf:
                yield
            else:
                yield from self.wait(literals.run)

    def look(self, literals: Literals) -> Wait[str | None]:
        """Which of these literals stands right here? The longest that does, or None. Stays where it is."""
        while (
            (left := len(self.text) - self.pos) < literals.longest
            and not self.closed
            and (not left or literals.begins(self.text[self.pos :]))
        ):
            yield
        return literals.match(self.text, self.pos)

    def char(self) -> Wait[str]:
        """The character right here; empty at the end of the reply. Stays where it is."""
        while self.pos >= len(self.text):
            if self.closed:
                return ""
            yield
        return self.text[self.pos]

    def skip(self, pattern: re.Pattern[str], end: int = _FAR) -> Wait[str]:
        """Go over all that matches `pattern` (a run of characters), up to a place; the character after it, as `char` does."""
        while True:
            text = self.text
            match = pattern.match(text, self.pos, end - self.base)
            if match is not None:
                self.pos = match.end()
            if self.pos < len(text):
                return text[self.pos]
            if self.closed:
                return ""
            yield
