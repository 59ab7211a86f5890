"""Help as two columns of plain text. Law: no boxes, no colour; what fits on a line is on one line."""

import textwrap
from typing import Any

from cyclopts.help import HelpEntry, HelpPanel
from rich.console import Console, ConsoleOptions

_LEFT = 26
_WIDEST = 100


class Columns:
    """A formatter for cyclopts: names at the left, what they mean at the right."""

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        if panel.entries:
            lines = [f"{panel.title}:"] if panel.title else []
            for entry in panel.entries:
                lines += _lines(entry, min(console.width, _WIDEST))
            _print(console, "\n".join(lines))

    def render_usage(self, console: Console, options: ConsoleOptions, usage: Any) -> None:
        _print(console, f"Usage: {_plain(usage).removeprefix('Usage: ')}")

    def render_description(self, console: Console, options: ConsoleOptions, description: Any) -> None:
        _print(console, _plain(description))


def _lines(entry: HelpEntry, width: int) -> list[str]:
    names = ", ".join(entry.display_labels_with_metavar)
    about = " ".join(_plain(entry.description).split())
    if entry.default is not None:
        about = f"{about} [default: {entry.default}]"
    body = textwrap.wrap(about, max(20, width - _LEFT)) or [""]
    if len(names) + 4 > _LEFT:
        return [f"  {names}", *(" " * _LEFT + line for line in body)]
    return [f"  {names:<{_LEFT - 2}}{body[0]}".rstrip(), *(" " * _LEFT + line for line in body[1:])]


def _plain(text: Any) -> str:
    # Cyclopts wraps what it was given; the text is inside.
    inner = getattr(text, "primary_renderable", text)
    return str(getattr(inner, "plain", inner) or "").strip()


def _print(console: Console, text: str) -> None:
    # Past rich, which would load its tables of emoji, and has a way of its own to end where nobody reads.
    if text:
        console.file.write(f"{text}\n\n")
