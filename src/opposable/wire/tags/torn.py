"""What is left of tags that are broken, in the values that took them in. Law: what is value and what tag is then not known."""

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from opposable.wire.tags.forms import Form, Span

_SIGNS = r"[\W_]*"
_TAG = 64
"""How much of a value may be a broken tag."""
_ANGLE = frozenset("<>")


def is_torn(text: str, span: Span, form: Form) -> bool:
    """Does a missing tag of this value or of the next stand in it, but broken? What is value and what tag is not known."""
    if _swallowed(form).search(text) is not None:
        return True
    opener, closer = _ends(form, span.key)
    found = [
        opener.match(text[:_TAG]) if "half_tag" in span.mends else None,
        closer.search(text[-_TAG:]) if span.end != "own" else None,
    ]
    return any(tag is not None and not _ANGLE.isdisjoint(tag[1]) for tag in found)


@lru_cache(maxsize=1024)
def _ends(form: Form, key: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What is left of a tag that stands before a value, and of one that closes it, with signs lost, added or moved."""
    openers = _torn(bracket[::2] for bracket in form.brackets), form.values
    closers = _torn(bracket[1:] for bracket in form.brackets), form.parameters or form.values or (key,)
    return re.compile(rf"\s*({_any_torn(*openers)})"), re.compile(rf"({_any_torn(*closers)})\s*\Z")


@cache
def _swallowed(form: Form) -> re.Pattern[str]:
    """A closing tag in a value, and after it what is left of the opening tag of another parameter. Not a tag that is whole."""
    words = "|".join(map(re.escape, form.parameters or form.keys)) or "(?!)"
    closers = "|".join(
        re.escape(f"{closing}{word}{end}")
        for _, closing, end in form.brackets
        for word in form.parameters or form.values
    )
    whole = "|".join(
        rf"{re.escape(opening)}(?:{words})\b[^<>\n]{{0,256}}{re.escape(end)}" for opening, _, end in form.brackets
    )
    left = _any_torn(_torn((opening, "") for opening, *_ in form.brackets), form.parameters or form.keys)
    return re.compile(rf"(?:{closers or '(?!)'})\s*+(?!{whole}|{closers})(?:{left})")


def _torn(brackets: Iterable[tuple[str, ...]]) -> list[tuple[str, str]]:
    """The letters in these brackets, with any signs between and around them; those before the word may be missing."""
    return [(rf"(?:{_loose(opens)})?" if _loose(opens) else "", _loose(end)) for opens, end in brackets]


def _any_torn(brackets: Iterable[tuple[str, str]], words: Iterable[str]) -> str:
    words = list(words)
    tags = [_SIGNS + opens + _loose(word) + end for opens, end in brackets for word in words]
    return "|".join(tags) or "(?!)"


def _loose(text: str) -> str:
    """The letters of a text, in their order, with any signs after each."""
    return "".join(char + _SIGNS for char in text if char.isalnum())
