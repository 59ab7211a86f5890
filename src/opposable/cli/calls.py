"""A call as a person reads it: first a sentence, then its settled arguments. Law: nothing of it is hidden, only cut."""

import json
from collections.abc import Mapping
from typing import Any

from opposable.cli.text import block, lines_in, one_line
from opposable.messages import ToolCall

_MOST = 60
PREVIEW = 8
"""So many lines of a text are shown."""


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
