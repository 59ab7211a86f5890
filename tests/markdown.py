"""Text set as Markdown, for the pages that are generated. Law: what a model wrote stands there to the letter."""

import json
import re
from collections.abc import Iterable, Sequence

BAR = r"\|"
"""A bar in a cell of a table, in code too."""

_PLAIN = re.compile(r"(`[^`]*`)|([\\<>*_\[\]`])")


def escaped(text: str) -> str:
    """A sentence as plain text; what stands between backticks in it stays code."""
    return _PLAIN.sub(lambda found: found[1] or "\\" + found[2], text)


def code(text: str) -> str:
    """A text on one line, as code. A line break is written `\\n`."""
    line = text if text.isprintable() else json.dumps(text, ensure_ascii=False)[1:-1]
    ticks = "`" * (1 + longest_run(line))
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def codes(texts: Iterable[str]) -> str:
    """Several texts as code, in their order, each once."""
    return ", ".join(map(code, dict.fromkeys(filter(None, texts))))


def fenced(text: str) -> str:
    """A text in a fence that nothing within it can close. Where a character cannot be seen, it is JSON."""
    seen = text if all(char.isprintable() or char in "\n\t" for char in text) else json.dumps(text)
    fence = "`" * max(3, 1 + longest_run(seen))
    return f"{fence}text\n{seen}\n{fence}"


def longest_run(text: str) -> int:
    """The longest run of backticks."""
    return max(map(len, re.findall("`+", text)), default=0)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', BAR) for cell in cells)} |" for cells in lines)


def page(*parts: str) -> str:
    """The text of a file: its parts, a blank line between them."""
    return "\n\n".join(filter(None, parts)) + "\n"
