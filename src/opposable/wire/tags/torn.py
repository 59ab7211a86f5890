"""What is left of tags that are broken, in the values that took them in. Law: what is value and what tag is then not known."""

import re
from collections.abc import Iterable, Set
from functools import cache, lru_cache

from opposable.wire.mend import Malformed
from opposable.wire.tags.forms import LONGEST, Form, Span

_SIGNS = r"[\W_]*"
_TAG = 64
"""How much of a value may be a broken tag."""
_ANGLE = frozenset("<>")


def closed(text: str, span: Span, form: Form) -> str:
    """A value that its own closing tag does not end, without a variant of that tag: in other letters, or named like its key.

    Errors: Malformed, where another closing tag stands at its end that closes nothing in it.
    """
    bare = text.rstrip()
    tag = _closing(form).search(bare[-LONGEST:])
    if tag is None:
        return text
    mark, word = tag.groups()
    opens, shuts = (
        rf"(?i)(?:{begin}){re.escape(word)}(?![\w.:-])"
        for begin in (rf"{_either(form, 0)}|<", rf"{_either(form, 1)}|</")
    )
    if len(re.findall(opens, text)) >= len(re.findall(shuts, text)):
        return text
    own = (span.key, "param", *form.parameters, *form.values)
    if all(mark != bracket[1] for bracket in form.brackets) or word.lower() not in map(str.lower, own):
        raise Malformed("a value is closed by another tag than its own")
    return bare[: -len(tag[0])]


def is_torn(text: str, span: Span, form: Form, keys: Set[str]) -> bool:
    """Does a missing tag of this value or of the next stand in it, but broken? `keys`: those that the call may yet have."""
    if "<" in text and (
        _swallowed(form).search(text) is not None
        or any(tag[1] in keys for tag in _headless(form).finditer(text))
        or _is_left_open(text, form)
    ):
        return True
    opener, closer = _ends(form, span.key)
    found = [
        opener.match(text[:_TAG]) if "half_tag" in span.mends else None,
        closer.search(text[-_TAG:]) if span.end != "own" else None,
    ]
    return any(tag is not None and not _ANGLE.isdisjoint(tag[1]) for tag in found)


def _is_left_open(text: str, form: Form) -> bool:
    """Does a value open a parameter, where a tag may stand, that it does not close after that?"""
    depth = 0
    for tag in _pairs(form).finditer(text):
        depth = depth + 1 if tag["open"] else max(0, depth - 1)
    return depth > 0


def _either(form: Form, part: int) -> str:
    """How tags of the form begin (0), closing ones (1), and how they end (2)."""
    return "|".join(re.escape(bracket[part]) for bracket in form.brackets)


def _words(form: Form) -> str:
    """What tags are called that stand around values."""
    return "|".join(map(re.escape, form.parameters or form.values)) or "(?!)"


@cache
def _closing(form: Form) -> re.Pattern[str]:
    """A closing tag at the end of a text: how it begins, and its word."""
    return re.compile(rf"({_either(form, 1)}|</)([^\s<>|/]++)(?:{_either(form, 2)}|>)\Z")


@cache
def _pairs(form: Form) -> re.Pattern[str]:
    """Tags around values, closing ones anywhere, and those that open on a line of their own or after another tag."""
    opening, closing, end = (_either(form, part) for part in range(3))
    within = r"(?![^<>\n]{0,256}\bvalue\s*=)[^<>\n]{0,256}"
    opens = rf"(?:\A|(?<=[>\n]))[ \t]*+(?:{opening})(?:{_words(form)})\b{within}(?<!/)(?:{end})"
    return re.compile(rf"(?i)(?P<open>{opens})|(?:{closing})(?:{_words(form)})\b")


@cache
def _headless(form: Form) -> re.Pattern[str]:
    """A closing tag in a value, and after it the end of an opening tag: a key, and what ends the tag."""
    closing, end = _either(form, 1), _either(form, 2)
    return re.compile(rf"(?:{closing})(?:{_words(form)})(?:{end})\s*+[^\w\s<]*+([\w.-]++)[\"']?(?:{end})")


@lru_cache(maxsize=1024)
def _ends(form: Form, key: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What is left of a tag that stands before a value, and of one that closes it, with signs lost, added or moved."""
    openers = _torn(bracket[::2] for bracket in form.brackets), (*form.keys, *form.values)
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
    """The letters in these brackets, with any signs between and around them; those around the word may be missing."""
    return [(_maybe(_loose(opens)), _maybe(_loose(end))) for opens, end in brackets]


def _maybe(pattern: str) -> str:
    return f"(?:{pattern})?" if pattern else ""


def _any_torn(brackets: Iterable[tuple[str, str]], words: Iterable[str]) -> str:
    words = list(words)
    tags = [_SIGNS + opens + _loose(word) + end for opens, end in brackets for word in words]
    return "|".join(tags) or "(?!)"


def _loose(text: str) -> str:
    """The letters of a text, in their order, with any signs after each."""
    return "".join(char + _SIGNS for char in text if char.isalnum())
