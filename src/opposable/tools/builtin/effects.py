"""What a call of a built-in tool would do, for the person who is asked. Law: it only looks, and never raises."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opposable.errors import TryAgain
from opposable.messages import ToolCall
from opposable.tools.builtin.files import MOST_BYTES
from opposable.tools.builtin.paths import parts_of
from opposable.tools.builtin.workspace import read_file


@dataclass(frozen=True, slots=True)
class Effect:
    """What will happen, in `words`; `before` and `after` are the text it changes (None: there is none, or no text)."""

    words: str
    before: str | None = None
    after: str | None = None


def effect_of(call: ToolCall, workspace: Path) -> Effect:
    """What this settled call would do, as far as it can be told."""
    if call.name == "file_write":
        return _writing(call.arguments, workspace)
    return Effect(f"runs {call.name} with these arguments")


def _writing(arguments: Mapping[str, Any], workspace: Path) -> Effect:
    path, content = str(arguments.get("path", "")), str(arguments.get("content", ""))
    try:
        parts = parts_of(path)
    except TryAgain as error:
        return Effect(f"will be refused: {error}", after=content)
    shown = "/".join(parts)
    try:
        before = read_file(workspace, parts, MOST_BYTES).decode("utf-8")
    except (TryAgain, UnicodeDecodeError):
        words = "replaces" if os.path.lexists(workspace.joinpath(*parts)) else "creates"
        return Effect(f"{words} {shown} in {workspace}", after=content)
    if before == content:
        return Effect(f"writes {shown} in {workspace} again, as it is", before, content)
    return Effect(f"replaces {shown} in {workspace}", before, content)
