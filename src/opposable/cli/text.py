"""Text of others, made fit to be shown: alone, or as a call. Law: what a model or a tool wrote steers no terminal.

Nothing of a call is hidden, only cut: first comes a sentence, then its settled arguments.
"""

import json
import unicodedata
from collections.abc import Mapping
from typing import Any

from opposable.messages import ToolCall

PREVIEW = 8
"""So many lines of a text are shown."""

_MOST = 60

# Scripts and emoji are joined with these two; every other format character only hides or turns text.
_JOINERS = "\u200c\u200d"


def clean(text: str) -> str:
    """The text without what a terminal would obey; characters that turn or hide text are shown as `·`."""
    return text if text.isascii() and text.isprintable() else "".join(map(_clean, text))


def _clean(character: str) -> str:
    if character in "\n\t" or character in _JOINERS:
        return character
    kind = unicodedata.category(character)
    if kind == "Cc":
        return ""
    if kind in ("Cf", "Zl", "Zp"):
        return "·"
    return "\N{REPLACEMENT CHARACTER}" if kind == "Cs" else character


def one_line(text: str, most: int) -> str:
    """The text on one line, cut to `most` characters."""
    # Only as much as can be seen: a text may be very long.
    line = " ".join(clean(text[: most * 8]).split())
    return line if len(line) <= most and len(text) <= most * 8 else f"{line[: most - 1].rstrip()}…"


def block(text: str, *, lines: int, width: int) -> list[str]:
    """The text as at most `lines` lines of at most `width` characters; the last one says how much is left out."""
    every = text.rstrip("\n").split("\n")
    shown = [line if len(line) <= width else f"{line[: width - 1]}…" for line in map(clean, every[:lines])]
    if len(every) > lines:
        shown.append(f"… {count(len(every) - lines, 'more line')}")
    return shown


def count(number: int, noun: str) -> str:
    """How many of what: `1 line`, `1,200 lines`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def lines_in(text: str) -> str:
    """How many lines a text has, as words."""
    return count(text.count("\n") + (not text.endswith("\n") and text != ""), "line")


def size(number: int) -> str:
    """A number of bytes as megabytes, or less where it is small."""
    if number < 1_000_000:
        return f"{number / 1000:,.0f} KB" if number >= 1000 else count(number, "byte")
    return f"{number / 1e6:,.0f} MB" if number < 1e9 else f"{number / 1e9:,.1f} GB"


def sentence(call: ToolCall) -> str:
    """What is called, on what, how much: `file_write · notes/result.txt · 3 lines`."""
    return " · ".join([one_line(call.name, _MOST), *(_object(value) for value in list(call.arguments.values())[:3])])


def _object(value: Any) -> str:
    if isinstance(value, str):
        if "\n" in value.strip("\n"):
            return lines_in(value)
        return one_line(value, _MOST) if value.strip() else "(empty)"
    return one_line(written(value), _MOST)


def arguments(given: Mapping[str, Any], width: int, preview: int = PREVIEW) -> list[str]:
    """The settled arguments, a line for each; of a text of several lines the first ones below its name."""
    shown: list[str] = []
    for name, value in given.items():
        if isinstance(value, str) and "\n" in value.strip("\n"):
            shown.append(f"{one_line(name, _MOST)} = {lines_in(value)}")
            if preview:
                shown += [f"| {line}" for line in block(value, lines=preview, width=width - 2)]
        else:
            label = one_line(name, _MOST)
            shown.append(f"{label} = {one_line(written(value), max(20, width - len(label) - 3))}")
    return shown


def written(value: Any) -> str:
    """A value as JSON. Half a character, which has no place in a text, is written as its number."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if not any("\ud800" <= character <= "\udfff" for character in text) else json.dumps(value, default=str)
