"""Values that are hard to write and to read. Law: whatever JSON can hold, and of a schema's type where it says one."""

from collections.abc import Mapping
from typing import Any

from tests.fuzz.dice import Dice
from tests.fuzz.words import JSON_PIECES, MARKERS, OTHER_PIECES, SIGNS, TAG_PIECES

WORDS = ("figs", "Oslo", "a b", "x", "ring_bell", "Thé", "so far, so good", "1 < 2", "don't", "no. 5", "/tmp/a", "a=b")
LOOKS = (
    "",
    " ",
    "007",
    "-0",
    "1e5",
    "true",
    "None",
    "null",
    "NaN",
    "{}",
    "[]",
    '""',
    "[1, 2]",
    '{"a": 1}',
    "0x1F",
    "1_000",
)
ODD = (
    "&amp;", "&lt;b&gt;", "\\n", "\\", "\\\\", "\\u00e9", "\\'", '\\"', "C:\\new\\table", "\\\\srv\\x", '"', "'", "`", "```",
    "\n", "\r\n", "\t", "\u2028", "\u200b", "\u00a0", "\ufeff", "\0", "\x1b[0m", "e\u0301", "שלום",
    "👍🏽", "𝔘", "<b>x</b>", "</",
    "]]>", "<!-- x -->", "//",
    "# x", "/* x */", "%s", "${x}", "{{x}}", "“x”", "「x」", "\\x41", "\ufffd", "a\n\nb", "\n a", "a \n",
    "...",
)  # fmt: skip
HALF = "\ud83d"
KEYS = (
    "a",
    "path",
    "some_key",
    "city",
    "name",
    "arguments",
    "n",
    "x-y",
    "a b",
    "",
    "1",
    "ключ",
    'q"q',
    "</parameter>",
    "{",
    "id",
)
NUMBERS = (
    0, 1, -1, 2, 7, 42, 10**15, 2**53 + 1, -(2**63), 2**70, 10**30, 0.0, -0.0, 0.1, 1.0, 1.5,
    -2.5, 1e16, 1e22, 1e-7, 5e-324, 1e308,
)  # fmt: skip
PIECES = (*JSON_PIECES, *TAG_PIECES, *OTHER_PIECES)


def text(dice: Dice) -> str:
    """A text: mostly short, of words, of what looks like another type, of what must be escaped, of markers."""
    parts = []
    for _ in range(1 + dice.few(4)):
        kind = dice.below(16)
        if kind < 6:
            parts.append(dice.one(WORDS))
        elif kind < 8:
            parts.append(dice.one(LOOKS))
        elif kind < 11:
            parts.append(dice.one(ODD))
        elif kind < 13:
            parts.append(dice.one(MARKERS))
        elif kind < 14:
            parts.append(dice.one(PIECES))
        elif kind < 15:
            parts.append(chr(1 + dice.below(0xD7FF)))
        else:
            parts.append(HALF if dice.chance(0.1) else dice.one(SIGNS[:-8]))
    return dice.one(("", "", " ", "\n")).join(parts)


def value(dice: Dice, depth: int = 0) -> Any:
    """Any value that JSON can hold."""
    kind = dice.below(10 if depth < 3 else 7)
    if kind < 3:
        return text(dice)
    if kind < 5:
        return dice.one(NUMBERS)
    if kind < 7:
        return dice.one((None, True, False))
    if kind < 8:
        return [value(dice, depth + 1) for _ in range(dice.below(4))]
    return {dice.one(KEYS): value(dice, depth + 1) for _ in range(dice.below(4))}


def of(dice: Dice, schema: Mapping[str, Any]) -> Any:
    """A value of this type; any where none is said."""
    kind = schema.get("type")
    if "enum" in schema:
        return dice.one(schema["enum"])
    if isinstance(kind, list):
        kind = dice.one(kind)
    if kind == "string":
        return text(dice)
    if kind in ("integer", "number"):
        return dice.one([number for number in NUMBERS if kind == "number" or isinstance(number, int)])
    if kind == "boolean":
        return dice.chance(0.5)
    if kind == "array":
        return [value(dice, 1) for _ in range(dice.below(4))]
    if kind == "object":
        return {dice.one(KEYS): value(dice, 1) for _ in range(dice.below(4))}
    return None if kind == "null" else value(dice)


def arguments(dice: Dice, properties: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments for a tool with these parameters: some or all of them, seldom others too."""
    found = {key: of(dice, schema) for key, schema in properties.items() if dice.chance(0.7)}
    if not properties or dice.chance(0.1):
        found |= {dice.one(KEYS): value(dice) for _ in range(dice.below(4))}
    return found


def is_half(some: object) -> bool:
    """Is half a character in it, which no text that is sent can hold?"""
    return HALF in str(some) or ascii(HALF)[1:-1] in repr(some)
