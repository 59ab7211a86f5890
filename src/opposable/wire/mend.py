"""Almost-JSON, mended: the repairs by name, and the reader that makes them.

Law: a mend changes syntax, never a value. What could be read in two ways, or has lost a part of itself, is `Malformed`.
"""

import math
import re
from typing import Any

MENDS = {
    "missing_closers": "`}` or `]` missing at the end of the value",
    "missing_comma": "a comma missing between two members, across white space",
    "extra_comma": "a comma with nothing after it",
    "single_quotes": "a string in single quotes",
    "smart_quotes": "a string in typographic quotes",
    "unquoted_key": "a key without quotes",
    "unquoted_word": "a one-word value without quotes",
    "python_literal": "True, False or None",
    "comment": "a comment between tokens",
    "raw_control": "a line break, tab or other control character inside a string",
    "escape": "a backslash that begins no JSON escape",
    "odd_space": "a no-break space or byte-order mark between tokens",
    "repeated_key": "the same key twice with the same value",
    "fence": "a code fence or a language label around the value",
    "stringified": "the arguments written as a JSON string",
    "flattened": "the arguments written beside the name",
    "doubled_marker": "an opening or closing marker written twice",
    "text_after": "text or brackets between the value and its closing marker",
    "missing_opener": "the opening marker missing",
    "missing_marker": "the closing marker missing",
    "half_tag": "a tag missing that opens or closes a parameter, before the next one",
    "glued_name": "the name of the tool and the key of its parameter written as one word",
    "nested_arguments": "all arguments written as the value of one parameter",
    "escaped_break": "a line break between tags written as a backslash and a letter",
}
"""Every mend by its name, as a call lists it, and what was mended."""

DEEPEST = 200
"""How deep a value may be nested."""
_SPACE = re.compile(r"[ \t\r\n]*")
_ODD_SPACE = re.compile(r"[\s\ufeff]+")
_COMMENT = re.compile(r"(?:#|//)[^\n]*|/\*.*?\*/", re.DOTALL)
_WORD = re.compile(r"[\w$.+-]+")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?")
_CLOSING = {'"': '"', "'": "'", "“": '”"', "”": '”"', "„": '“”"'}
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_LITERALS: dict[str, Any] = {"true": True, "false": False, "null": None}
_PYTHON: dict[str, Any] = {"True": True, "False": False, "None": None}
_SURROGATE = re.compile("[\ud800-\udfff]")
_PATH = re.compile(r"[A-Za-z]:\\|\\\\")


class Malformed(ValueError):
    """This text is no value, or more than one."""


def loads(text: str, *, ended: bool) -> tuple[list[Any], list[str]]:
    """The values that stand in `text`, one after the other, and the names of the mends they needed.

    `ended`: the text ends where its author ended it, so that missing closers may be added. Errors: Malformed.
    """
    reader = _Reader(text, ended)
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


class _Reader:
    """Reads from left to right, once."""

    def __init__(self, text: str, ended: bool) -> None:  # noqa: FBT001
        self.text = text
        self.ended = ended
        self.pos = 0
        self.mends: list[str] = []

    def space(self) -> int:
        """Go over white space and comments; the place after them."""
        while True:
            start = self.pos
            self.pos = match_end(_SPACE, self.text, self.pos)
            if (end := match_end(_ODD_SPACE, self.text, self.pos)) > self.pos:
                self.pos = end
                self.mends.append("odd_space")
            if (end := match_end(_COMMENT, self.text, self.pos)) > self.pos:
                self.pos = end
                self.mends.append("comment")
            if self.pos == start:
                return self.pos

    def value(self, depth: int) -> Any:
        self.space()
        char = self.text[self.pos : self.pos + 1]
        if depth > DEEPEST or not char:
            raise Malformed("nested too deeply" if char else "a value is missing")
        if char == "{":
            return self.object(depth + 1)
        if char == "[":
            return self.list(depth + 1)
        if char in _CLOSING:
            return self.string()
        return self.word()

    def object(self, depth: int) -> dict[str, Any]:
        self.pos += 1
        result: dict[str, Any] = {}
        while not self.closes("}", is_first=not result):
            key = self.key()
            if self.text[self.space() : self.pos + 1] != ":":
                raise Malformed("a key without a colon")
            self.pos += 1
            value = self.value(depth)
            if key in result:
                if result[key] != value or type(result[key]) is not type(value):
                    raise Malformed("the same key twice")
                self.mends.append("repeated_key")
            result[key] = value
        return result

    def list(self, depth: int) -> list[Any]:
        self.pos += 1
        result: list[Any] = []
        while not self.closes("]", is_first=not result):
            result.append(self.value(depth))
        return result

    def closes(self, bracket: str, *, is_first: bool) -> bool:
        """Between two members: is this the end of the container? Else its next member stands here."""
        before = self.pos
        char = self.text[self.space() : self.pos + 1]
        if char == "," and not is_first:
            self.pos += 1
            char = self.text[self.space() : self.pos + 1]
            if char in ("}", "]", ""):
                self.mends.append("extra_comma")
        elif not is_first and char not in ("}", "]", ""):
            if self.pos == before or char not in "\"'{[“":
                raise Malformed("two members without a comma")
            self.mends.append("missing_comma")
        if char == bracket:
            self.pos += 1
            return True
        if not char:
            if not self.ended:
                raise Malformed("cut off")
            self.mends.append("missing_closers")
            return True
        if char in "}]":
            raise Malformed("the wrong bracket closes")
        return False

    def key(self) -> str:
        if self.text[self.pos] in _CLOSING:
            return self.string()
        word = _WORD.match(self.text, self.pos)
        if word is None:
            raise Malformed("a key is missing")
        self.pos = word.end()
        self.mends.append("unquoted_key")
        return word.group()

    def word(self) -> Any:
        match = _WORD.match(self.text, self.pos)
        if match is None:
            raise Malformed("no value stands here")
        word = match.group()
        self.pos = match.end()
        if word in _LITERALS:
            return _LITERALS[word]
        if word in _PYTHON:
            self.mends.append("python_literal")
            return _PYTHON[word]
        if _NUMBER.fullmatch(word):
            return number(word)
        if not word.isidentifier() or word in ("NaN", "Infinity"):
            raise Malformed("an unquoted value that is no single word")
        if self.pos == len(self.text):
            raise Malformed("cut off in a word")
        self.mends.append("unquoted_word")
        return word

    def string(self) -> str:
        quote = self.text[self.pos]
        if quote == "'":
            self.mends.append("single_quotes")
        elif quote != '"':
            self.mends.append("smart_quotes")
        start = self.pos + 1
        end, escaped = start, False
        closing = _CLOSING[quote]
        while end < len(self.text) and self.text[end] not in closing:
            if self.text[end] == "\\":
                escaped = True
                end += 1
            end += 1
        if end >= len(self.text):
            raise Malformed("cut off in a string")
        self.pos = end + 1
        raw = self.text[start:end]
        if any(ord(char) < 32 for char in raw):
            self.mends.append("raw_control")
        return self.unescape(raw) if escaped else clean(raw)

    def unescape(self, raw: str) -> str:
        mended = False

        def one(match: re.Match[str]) -> str:
            nonlocal mended
            code, char = match.group(1), match.group(2)
            if code:
                return chr(int(code, 16))
            if char in _ESCAPES:
                return _ESCAPES[char]
            mended = True
            return char if char == "'" else "\\" + char

        text = re.sub(r"\\(?:u([0-9a-fA-F]{4})|(.))", one, raw, flags=re.DOTALL)
        if mended:
            self.mends.append("escape")
            if _PATH.match(raw):
                text = raw.replace("\\\\", "\\")
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
        raise Malformed("no number of JSON")
    return value


def match_end(pattern: re.Pattern[str], text: str, pos: int) -> int:
    """Where a match of `pattern` at `pos` ends; `pos` where there is none."""
    match = pattern.match(text, pos)
    return match.end() if match else pos
