"""Help as two columns of plain text. Law: no boxes, no colour; what fits on a line is on one line."""

import textwrap
from typing import Any

from cyclopts.help import HelpEntry, HelpPanel
from cyclopts.help.formatters import PlainFormatter
from rich.console import Console, ConsoleOptions

_LEFT = 26
_WIDEST = 100


class Columns(PlainFormatter):
    """Names at the left, what they mean at the right."""

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        if not panel.entries:
            return
        lines = [f"{panel.title}:"] if panel.title else []
        for entry in panel.entries:
            lines += _lines(entry, min(console.width, _WIDEST))
        console.print("\n".join(lines), markup=False, highlight=False, emoji=False, soft_wrap=True, end="\n\n")


def _lines(entry: HelpEntry, width: int) -> list[str]:
    names = ", ".join(entry.display_labels_with_metavar)
    about = _plain(entry.description)
    if entry.default is not None:
        about = f"{about} [default: {entry.default}]"
    body = textwrap.wrap(about, max(20, width - _LEFT)) or [""]
    if len(names) + 4 > _LEFT:
        return [f"  {names}", *(" " * _LEFT + line for line in body)]
    return [f"  {names:<{_LEFT - 2}}{body[0]}".rstrip(), *(" " * _LEFT + line for line in body[1:])]


def _plain(text: Any) -> str:
    # Cyclopts wraps what it was given; the text is inside.
    inner = getattr(text, "primary_renderable", text)
    return " ".join(str(getattr(inner, "plain", inner) or "").split())
