"""Almost-JSON, mended: the repairs by name, and the reader that makes them.

Law: a mend changes syntax, never a value. What could be read in two ways, or has lost a part of itself, is `Malformed`.
"""

import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeAlias

from opposable.wire.dialects import JSON, LITERALS, Dialect, Quote, by_opening, firsts, opening, stops

MENDS = {
    "missing_closers": "`}` or `]` missing at the end of the value",
    "missing_comma": "a comma missing between two members, across white space",
    "extra_comma": "a comma with nothing after it",
    "single_quotes": "a string in single quotes",
    "smart_quotes": "a string in typographic quotes",
    "triple_quotes": "a string in three quotes, as Python has it",
    "inner_quotes": "quotes inside a string without a backslash, where one reading is left",
    "unquoted_key": "a key without quotes",
    "unquoted_word": "a one-word value without quotes",
    "python_literal": "True, False or None",
    "comment": "a comment between tokens",
    "raw_control": "a line break, tab or other control character inside a string",
    "escape": "a backslash that begins no JSON escape",
    "double_escaped": "a value escaped as if it stood in a string",
    "stray_closer": "a bracket within the value that closes nothing",
    "odd_space": "a no-break space or byte-order mark between tokens",
    "leading_zeros": "a number with zeros before it",
    "repeated_key": "the same key twice with the same value",
    "fence": "a code fence or a language label around the value",
    "stringified": "the arguments written as a JSON string",
    "flattened": "the arguments written beside the name",
    "doubled_marker": "an opening or closing marker written twice",
    "text_before": "text between the opening marker and the value",
    "text_after": "text or brackets between the value and its closing marker",
    "missing_opener": "the opening marker missing",
    "missing_marker": "the closing marker missing",
    "half_tag": "a tag missing that opens or closes a parameter, before the next one",
    "glued_name": "the name of the tool and the key of its parameter written as one word",
    "nested_arguments": "all arguments written as the value of one parameter",
    "escaped_break": "a line break between tags or tokens written as a backslash and a letter",
}
"""Every mend by its name, as a call lists it, and what was mended."""

Ends: TypeAlias = Mapping[int, tuple[Quote | None, int]]
"""Where broken strings begin, their quotes, and where the quotes stand that end them. A stray bracket has no quote."""

DEEPEST = 200
"""How deep a value may be nested."""
_EXCERPT = 40
_LAYOUT = re.compile(r"[\s\ufeff\\#/]")
"""What white space, an escaped line break or a comment may begin with."""
_SPACE = re.compile(r"[ \t\r\n]*")
_ESCAPED_BREAK = re.compile(r"(?:\\[nrt])+")
_ODD_SPACE = re.compile(r"[\s\ufeff]+")
_WORD = re.compile(r"[\w$.+-]+")
LEADING_ZEROS = re.compile(r"[+-]?0[\d_]")
_CONTROL = re.compile(r"[\x00-\x1f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_PATH = re.compile(r"[A-Za-z]:\\|\\\\")
_LITERAL = re.compile(r"\\([\\'])")


_any_of = cache(lambda texts: re.compile("|".join(map(re.escape, texts))))


class Malformed(ValueError):
    """This text is no value, or more than one."""


class Doubtful(Malformed):
    """It may be one value, once it is known that no string of it ends elsewhere."""


def excerpt(text: str, start: int = 0) -> str:
    """A few words of the text from there on, in quotes, with a sign for each character that cannot be seen."""
    words = "".join(map(sign, text[start : start + _EXCERPT]))
    quote = '"' if "'" in words and '"' not in words else "'"
    return f"{quote}{words}{quote}" + ("…" if len(text) > start + _EXCERPT else "")


def sign(character: str) -> str:
    """The character, or a sign for it, where it cannot be seen: `␊`, `␉`, `<U+200B>`."""
    if character.isprintable():
        return character
    code = ord(character)
    return chr(0x2400 + code) if code < 0x20 else f"<U+{code:04X}>"


class Unclear(Malformed):
    """This text may be one value or another, however its strings end."""


def loads(text: str, *, ended: bool, ends: Ends | None = None) -> tuple[list[Any], list[str]]:
    """The values that stand in `text`, one after the other, and the names of the mends they needed.

    `ended`: the text ends where its author ended it, so that missing closers may be added. `ends`: how its broken
    strings end. Errors: Malformed.
    """
    reader = Reader(text, JSON, ended=ended, ends=ends)
    with reader.saying_where():
        values = [reader.value(0)]
        while reader.space() < len(text):
            if text[reader.pos] in ",;":
                reader.pos += 1
                if reader.space() == len(text):
                    break
            if text[reader.pos] not in "{[":
                raise Malformed("text after the value")
            values.append(reader.value(0))
    return values, list(dict.fromkeys(reader.mends))


class Reader:
    """Reads values of a dialect from left to right, once, and notes the mends that they needed."""

    def __init__(self, text: str, dialect: Dialect, *, ended: bool, ends: Ends | None = None) -> None:
        self.text = text
        self.dialect = dialect
        self.ended = ended
        self.ends = ends or {}
        self.is_counted = ends is not None
        self.raw, self.raw_end = "", 0
        """The last string, as it stands, and where it ended."""
        """Were other readings looked for? If not, what may be the rest of a string is no comment."""
        self.pos = 0
        self.mends: list[str] = []
        self.hides = -1
        """Where the last comment ends that runs to a line's end. What it holds may be members, and closers too."""

    def mend(self, name: str) -> None:
        """A mend is needed here. Errors: Malformed, where the dialect has another meaning for it."""
        if name in self.dialect.never:
            raise Malformed(f"{MENDS[name]}, which is not mended here")
        if name not in self.dialect.native:
            self.mends.append(name)

    @contextmanager
    def saying_where(self) -> Iterator[None]:
        """Malformed within it says where this reader gave up."""
        try:
            yield
        except Malformed as error:
            where = f"before {excerpt(self.text, self.pos)}" if self.pos < len(self.text) else "at the end"
            raise type(error)(f"{error}, {where}") from error

    def peek(self) -> str:
        """The next character after white space and comments; empty at the end."""
        return self.text[self.space() : self.pos + 1]

    def space(self) -> int:
        """Go over white space and comments; the place after them."""
        while _LAYOUT.match(self.text, self.pos) is not None or self.pos in self.ends:
            start = self.pos
            self.pos = match_end(_SPACE, self.text, self.pos)
            if (end := match_end(_ODD_SPACE, self.text, self.pos)) > self.pos:
                self.pos = end
                self.mend("odd_space")
            if (end := match_end(_ESCAPED_BREAK, self.text, self.pos)) > self.pos:
                self.pos = end
                self.mend("escaped_break")
            if (end := match_end(self.dialect.comment, self.text, self.pos)) > self.pos:
                self.hides = end if not self.text.endswith("*/", 0, end) else -1
                self.pos = end
                self.mend("comment")
            if self.pos in self.ends and self.ends[self.pos][0] is None:
                self.pos += 1
                self.mend("stray_closer")
            if self.pos == start:
                break
        return self.pos

    def value(self, depth: int) -> Any:
        """The value that stands here. Errors: Malformed."""
        char = self.peek()
        if depth > DEEPEST or not char:
            raise Malformed("nested too deeply" if char else "a value is missing")
        if char == "{":
            return self.object(depth + 1)
        if char == "[":
            return self.list(depth + 1)
        quote = self.quote()
        return self.word(depth) if quote is None else self.string(quote)

    def object(self, depth: int, closer: str = "}") -> Any:
        """The object whose opening bracket stands here."""
        self.pos += 1
        result: dict[str, Any] = {}
        while not self.closes(closer, is_first=not result):
            key = self.key()
            sign = self.peek()
            if not sign or sign not in self.dialect.signs:
                raise Malformed("a key without a colon")
            self.pos += 1
            self.put(result, key, self.value(depth))
        return result

    def put(self, result: dict[str, Any], key: str, value: Any) -> None:
        """One more member of an object."""
        if key in result:
            if result[key] != value or type(result[key]) is not type(value):
                raise Malformed("the same key twice")
            self.mend("repeated_key")
        result[key] = value

    def list(self, depth: int, closer: str = "]") -> list[Any]:
        """The list whose opening bracket stands here."""
        self.pos += 1
        result: list[Any] = []
        while not self.closes(closer, is_first=not result):
            result.append(self.value(depth))
        return result

    def closes(self, bracket: str, *, is_first: bool) -> bool:
        """Between two members: is this the end of the container? Else its next member stands here."""
        before = self.pos
        char = self.peek()
        goes_on = is_first
        if not is_first and not self.is_counted:
            self.plain(before)
        if char == "," and not is_first:
            self.pos += 1
            char = self.peek()
            goes_on = True
            if char in ("}", "]", ")", ""):
                self.mend("extra_comma")
        elif not is_first and char not in ("}", "]", ")", ""):
            if self.pos == before or self.dialect.joins.match(char) is None:
                raise Malformed("two members without a comma")
            self.is_missing(",", before)
            self.mend("missing_comma")
        if char == bracket:
            self.pos += 1
            return True
        if not char:
            hidden = self.hides >= 0 and match_end(_SPACE, self.text, self.hides) == len(self.text)
            if not self.ended or bracket == ")" or hidden or goes_on:
                raise Malformed(f"`{bracket}` is missing")
            if "missing_closers" not in self.mends:
                self.is_missing(bracket, before)
            self.mend("missing_closers")
            return True
        if char in "}])":
            raise Malformed("the wrong bracket closes")
        return False

    def is_missing(self, sign: str, end: int) -> None:
        """A sign is missing at `end`, after a member. Errors: Unclear, where it may be the last of the string before."""
        opener = {"}": "{", "]": "["}.get(sign)
        if not self.raw.endswith(sign) or self.raw == sign or self.text[self.raw_end : end].strip("}] \t\r\n"):
            return
        if opener is None or self.raw.count(sign) > self.raw.count(opener):
            raise Unclear(f"`{sign}` at the end of a string, and none behind it")

    def plain(self, start: int) -> None:
        """A member ended at `start`. Errors: Doubtful, where quotes stand in a comment after a string: they may be of it."""
        quotes = firsts(self.dialect)
        if self.text[start - 1] in quotes and any(char in quotes for char in self.text[start : self.pos]):
            raise Doubtful("a comment with quotes in it after a string")

    def key(self) -> str:
        """The key that stands here."""
        quote = self.quote()
        if quote is not None:
            key = self.string(quote)
            if "\n" in self.raw and not quote.breaks:
                raise Malformed("a line break in a key")
            return key
        word = _WORD.match(self.text, self.pos)
        if word is None:
            raise Malformed("a key is missing")
        self.pos = word.end()
        self.mend("unquoted_key")
        return word.group()

    def word(self, depth: int) -> Any:
        """What stands here and has neither quotes nor the brackets of JSON: the value that a word writes."""
        match = _WORD.match(self.text, self.pos)
        if match is None:
            raise Malformed("no value stands here")
        word = match.group()
        self.pos = match.end()
        if word in LITERALS:
            value, mend = LITERALS[word]
            if mend:
                self.mend(mend)
            return value
        if self.dialect.number.fullmatch(word):
            if LEADING_ZEROS.match(word):
                self.mend("leading_zeros")
            return number(word)
        if word.lstrip("+-") in ("NaN", "Infinity", "undefined"):
            raise Malformed(f"{word} is no value of JSON")
        if not word.isidentifier():
            raise Malformed("an unquoted value that is no single word")
        if len(word) > 1 and any(literal.startswith(word) for literal in LITERALS):
            raise Malformed(f"{word} is only the beginning of a word")
        if self.pos == len(self.text):
            raise Malformed("a word without quotes that may go on")
        self.mend("unquoted_word")
        return word

    def quote(self) -> Quote | None:
        """The quote that opens a string here, if one does."""
        if self.pos in self.ends:
            return self.ends[self.pos][0]
        found = _any_of(opening(self.dialect)).match(self.text, self.pos)
        return by_opening(self.dialect)[found.group()] if found else None

    def string(self, quote: Quote) -> str:
        """The string that this quote opens here."""
        raw = self.between(quote)
        return self.unescape(raw) if quote.escapes and "\\" in raw else clean(raw)

    def between(self, quote: Quote) -> str:
        """What stands between this quote, which opens here, and the one that closes it."""
        start = self.pos + len(quote.opens)
        stop, self.pos = self.stop(quote, start)
        raw = self.raw = self.text[start:stop]
        self.raw_end = self.pos
        if quote.mend:
            self.mend(quote.mend)
        if not quote.breaks and _CONTROL.search(raw) is not None:
            self.mend("raw_control")
        return raw

    def stop(self, quote: Quote, start: int) -> tuple[int, int]:
        """Where the quote stands that closes a string, and where it ends. `start`: after the one that opens it."""
        last = self.ends.get(self.pos, (quote, 0))[1]
        pattern = _any_of(stops(quote))
        stop = pattern.search(self.text, start)
        while stop is not None and (stop.group() == "\\" or stop.start() < last):
            escapes = stop.group() == "\\"
            stop = pattern.search(self.text, stop.start() + 1 + escapes)
        if stop is None:
            last_quote = max(self.text.rfind(closer, start) for closer in quote.closes)
            escaped = "; a backslash escapes its last quote" if last_quote >= 0 else ""
            raise Malformed(f"this string does not end{escaped}")
        if last:
            self.mend("inner_quotes")
        return stop.start(), stop.end()

    def unescape(self, raw: str) -> str:
        """The text that a string with backslashes writes."""
        mended = kept = False

        def one(match: re.Match[str]) -> str:
            nonlocal mended, kept
            *codes, char = match.groups()
            if char is None:
                code = next(filter(None, codes))
                return chr(int(code, 16 if match.group()[1] in "uxU" else 8))
            if char in self.dialect.escapes:
                return self.dialect.escapes[char]
            mended = True
            kept = kept or char != "'"
            return char if char == "'" else "\\" + char

        text = self.dialect.escape.sub(one, raw)
        if mended:
            self.mend("escape")
            if kept and _PATH.match(raw):
                text = _LITERAL.sub(r"\1", raw)
        return clean(text)


def clean(text: str) -> str:
    """The text with pairs of surrogates joined, and lone ones replaced by U+FFFD, so that it can be encoded."""
    if _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def number(word: str) -> int | float:
    """The number that this word of JSON writes. Errors: Malformed, for one that JSON cannot write back."""
    try:
        value = float(word) if any(char in word for char in ".eEN") else int(word)
    except ValueError as error:  # more digits than Python reads
        raise Malformed("a number too long to read") from error
    if value in (math.inf, -math.inf) or value != value:
        raise Malformed("a number too large" if value == value else "no number of JSON")
    return value


def match_end(pattern: re.Pattern[str], text: str, pos: int) -> int:
    """Where a match of `pattern` at `pos` ends; `pos` where there is none."""
    match = pattern.match(text, pos)
    return match.end() if match else pos
