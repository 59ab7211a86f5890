"""Calls written with faults: JSON as a model would have written it, but for the named faults. Law: a fault changes no value.

`write` writes a value; each fault says at which places it strikes, and chance which of them it does.
"""

import json
import random
import re
from collections.abc import Collection
from typing import Any

FAULTS = {
    "inner_quotes": "a string's quotes without their backslashes",
    "one_inner_quote": "a quote of a string without its backslash",
    "single_quotes": "a string between apostrophes",
    "smart_quotes": "a string between typographic quotes",
    "triple_quotes": "a string between three quotes",
    "raw_control": "line breaks and tabs of a string as they are",
    "escape": "backslashes that begin no escape, written once",
    "unquoted_key": "a key without quotes",
    "unquoted_word": "a word without quotes",
    "python_literal": "True, False, None",
    "missing_comma": "no comma between two members",
    "extra_comma": "a comma after the last member",
    "comment": "a comment between two members",
    "odd_space": "a no-break space before a value",
    "escaped_break": "a line break between members written as a backslash and a letter",
    "repeated_key": "a member twice",
    "stray_closer": "a bracket that closes nothing after a value",
    "missing_closers": "no brackets at the end",
    "stringified": "the arguments as a string",
    "double_escaped": "all of it escaped once more",
    "fence": "a fence around it",
    "text_after": "words after it",
}


class Writer:
    """Writes JSON with these faults, each at about half of the places where it could strike."""

    def __init__(self, faults: Collection[str], seed: int) -> None:
        self.faults = faults
        self.chance = random.Random(seed)

    def has(self, fault: str) -> bool:
        return fault in self.faults and self.chance.random() < 0.5

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        given: Any = arguments
        if "stringified" in self.faults:
            given = self.value(arguments, "[{")
            head = json.dumps({"name": name, "arguments": given}, ensure_ascii=False)
        else:
            head = self.value({"name": name, "arguments": arguments}, "{", is_call=True)
        if "missing_closers" in self.faults:
            head = head.rstrip("}]"[: 1 + self.chance.randrange(2)])
        if "double_escaped" in self.faults:
            head = json.dumps(head, ensure_ascii=False)[1:-1]
        if "fence" in self.faults:
            head = f"```json\n{head}\n```"
        return head + (" as you said" if "text_after" in self.faults else "")

    def value(self, value: Any, opened: str, *, is_call: bool = False) -> str:
        before = "\u00a0" if self.has("odd_space") else ""
        if isinstance(value, dict):
            members = [(self.key(key, is_call=is_call), item) for key, item in value.items()]
            written = [f"{key}: {self.value(item, opened + '{')}" for key, item in members]
            return before + "{" + self.joined(written, repeats=self.has("repeated_key")) + "}"
        if isinstance(value, list):
            return before + "[" + self.joined([self.value(item, opened + "[") for item in value]) + "]"
        written_value = self.string(value) if isinstance(value, str) else self.plain(value)
        stray = self.has("stray_closer") and "[" not in opened
        return before + written_value + ("]" if stray else "")

    def joined(self, members: list[str], *, repeats: bool = False) -> str:
        if members and repeats:
            members = [*members, members[-1]]
        text = ""
        for place, member in enumerate(members):
            if place:
                text += " " if self.has("missing_comma") else ", "
                text += '// the "next" one\n' if self.has("comment") else ""
                text += "\\n" if self.has("escaped_break") else ""
            text += member
        return text + ("," if members and self.has("extra_comma") else "")

    def key(self, key: str, *, is_call: bool) -> str:
        if self.has("unquoted_key") and key.isidentifier():
            return key
        return json.dumps(key, ensure_ascii=False) if is_call else self.string(key, is_key=True)

    def plain(self, value: Any) -> str:
        return repr(value) if isinstance(value, bool | None) and self.has("python_literal") else json.dumps(value)

    def string(self, text: str, *, is_key: bool = False) -> str:
        written = json.dumps(text, ensure_ascii=False)[1:-1]
        opens, closes = '"', '"'
        if self.has("single_quotes"):
            opens, closes = "''"
            written = written.replace('\\"', '"').replace("'", "\\'")
        elif self.has("smart_quotes") and not {*"“”„"} & {*text}:
            opens, closes = "“”"
        elif not is_key and self.has("triple_quotes"):
            opens = closes = '"""'
        if self.has("raw_control"):
            written = written.replace("\\\\", "\0").replace("\\n", "\n").replace("\\t", "\t").replace("\0", "\\\\")
        if self.has("escape") and not _ESCAPE.search(text):
            written = written.replace("\\\\", "\\")
        if opens == '"' and not is_key and self.has("inner_quotes"):
            written = written.replace('\\"', '"')
        elif opens == '"' and not is_key and self.has("one_inner_quote"):
            written = written.replace('\\"', '"', 1)
        if not is_key and text.isidentifier() and text not in _WORDS and self.has("unquoted_word"):
            return text
        return opens + written + closes


_ESCAPE = re.compile(r"""\\(?:["\\/bfnrtu'\x00-\x1f]|\Z)""")
"""A backslash that would begin an escape, were it written once."""
_WORDS = ("true", "false", "null", "True", "False", "None", "NaN", "Infinity")
