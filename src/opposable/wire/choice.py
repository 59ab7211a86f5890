"""Which reading is meant: the one that is left, or the one that satisfies the schema. Law: one that may be another's part is
none, since a wrong call is worse than no call.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Literal, TypeAlias, TypeVar

from opposable.wire.dialects import Dialect, Quote
from opposable.wire.mend import Doubtful, Ends, Malformed, Unclear, match_end
from opposable.wire.readings import SPACE, endings

T = TypeVar("T")
Fit: TypeAlias = Literal["not", "may", "does", "doubt"]
"""Does a reading satisfy the tools' schemas? `not`: it cannot be meant. `doubt`: it does, and is not to be trusted."""

_BLANKS = 99
"""How much white space may stand before an item of a list."""
_CLOSING = re.compile(r"[^\s(\[{=,:+]\0(?!\w)")
_OPENING = re.compile(r"\W?\0[^\s)\]},;:]")
"""The characters around a quote that seems to close, or to open, a string."""
_NEXT_STRING = re.compile(r",\s*+(?:\w{1,128}+\s*+[:=]\s*+)?[\"'“]")


def unjudged(_: object) -> Fit:
    """Where no schema decides."""
    return "may"


def choose(text: str, dialect: Dialect, read: Callable[[Ends | None], T], fit: Callable[[T], Fit], *, ended: bool) -> T:
    """What the text means: as it stands, or else its one reading: the only one, or the only one that satisfies the schema.

    `read` reads the text, in a reading when it is told how its broken strings end; then no closers may be missing, since
    a string is broken and the end is lost where both are. Errors: Malformed.
    """
    try:
        return read(None)
    except Unclear:
        raise
    except Malformed as error:
        ways = endings(text, dialect, ended=ended)
        if ways == [{}] and not isinstance(error, Doubtful):
            raise
        found = _meant(text, ways, dialect, read, fit)
        if not found:
            raise
    if len(found) > 1:
        raise Malformed("it can be read in more than one way")
    return found[0]


def _meant(
    text: str, ways: Sequence[Ends], dialect: Dialect, read: Callable[[Ends | None], T], fit: Callable[[T], Fit]
) -> list[T]:
    """The readings that can be meant; none, where all that are left are not to be trusted. Errors: Malformed."""
    found: list[T] = []
    doubtful = False
    for ends in ways:
        try:
            one = read(ends)
        except Malformed:
            continue
        fitting = fit(one)
        strays = [start for start, (quote, _) in ends.items() if quote is None]
        if fitting in ("does", "doubt") or (fitting == "may" and len(ways) == 1 and not strays):
            found.append(one)
            doubtful = 0 < len(strays) < len(ends) or fitting == "doubt" or _is_doubtful(text, ends, dialect)
    return [] if doubtful and len(found) == 1 else found


def _is_doubtful(text: str, ends: Ends, dialect: Dialect) -> bool:
    """Is there a string that may be over within itself, or may be cut off?"""
    return any(
        quote is not None and _may_be_over(text, start, quote, stop, dialect) for start, (quote, stop) in ends.items()
    )


def _may_be_over(text: str, start: int, quote: Quote, stop: int, dialect: Dialect) -> bool:
    """May this string be over within itself?

    An item may be where another seems to follow it, any other where its quotes are odd too; at a quote that has no other
    with it; where its first quote closes something and its last opens something, as in `"x" + "y"`; and where a backslash
    before a quote is escaped itself.
    """
    raw = text[start + len(quote.opens) : stop]
    inner = [found for found in _quotes(quote.closes).finditer(raw) if found[0][0] != "\\"]
    if not inner:
        return False
    odd = len(inner) % 2 == 1
    if odd or _is_item(text, start):
        is_last = match_end(SPACE, text, stop + len(quote.opens)) == len(text)
        if is_last or _NEXT_STRING.search(raw) is not None:
            return True
    if len(inner) == 1 and _at_edge(quote.closes, dialect).search(raw) is not None:
        return True
    first, last = inner[0], inner[-1]
    closes = _CLOSING.match(raw[: first.start()][-1:] + "\0" + raw[first.end() : first.end() + 1]) is not None
    opens = _OPENING.match(raw[: last.start()][-1:] + "\0" + raw[last.end() : last.end() + 1]) is not None
    return (closes and opens) or any(raw.endswith("\\\\", 0, found.start()) for found in inner)


@cache
def _at_edge(closes: tuple[str, ...], dialect: Dialect) -> re.Pattern[str]:
    """A quote at one end of a string, or before a bracket that closes."""
    quote = "|".join(map(re.escape, closes))
    brackets = re.escape("".join(dialect.brackets.values()))
    return re.compile(rf"\A(?:{quote})|(?:{quote})\s*+(?:\Z|[{brackets}])")


def _is_item(text: str, start: int) -> bool:
    """Is what begins here an item of a list, not the value of a key?"""
    return text[max(0, start - _BLANKS) : start].rstrip()[-1:] in ("[", ",")


@cache
def _quotes(closes: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join((r"\\.", *map(re.escape, closes))), re.DOTALL)
