"""A reply explained on the screen: its text in order, what each part of it is, and why. Law: every character can be seen.

What has no look of its own is shown by a sign (`␊`, `␉`, `<U+200B>`); what is left out is counted.
"""

import textwrap
from collections.abc import Iterator, Sequence

from rich.cells import chop_cells

from opposable.cli.screen import Screen
from opposable.cli.show import BAD, DONE, QUIET, WAITS
from opposable.cli.text import count, written
from opposable.wire import Call
from opposable.wire.explain import Kind, Part
from opposable.wire.mend import sign

STYLES: dict[Kind, str] = {"text": "", "reasoning": QUIET, "marker": "cyan", "call": DONE, "rejected": BAD}

_HEAD, _TAIL = 1200, 400
_HEAD_LINES, _TAIL_LINES = 16, 5
_VALUE = 240
_PARTS = 400


def explained(parts: Sequence[Part], screen: Screen) -> None:
    """Show the parts of a reply: where each begins and ends, its text, its calls, and what there is to say of it."""
    screen.line(_summary(parts))
    for part in parts[:_PARTS]:
        style = WAITS if any(call.mends for call in part.calls) else STYLES[part.kind]
        screen.line((f"{_label(part)} {part.start:,}-{part.end:,}", style))
        for line in _shown(part.raw, screen.width - 4):
            screen.line("  ", line if isinstance(line, tuple) else (f"| {line}", style))
        for call in part.calls:
            for line in _call(call, screen.width - 2):
                screen.line("  ", (line, style))
        for note in part.notes:
            for line in textwrap.wrap(seen(note), screen.width - 2, subsequent_indent="  ", break_on_hyphens=False):
                screen.line("  ", line)
    if len(parts) > _PARTS:
        left = parts[-1].end - parts[_PARTS].start
        screen.line((f"… {count(len(parts) - _PARTS, 'more part')} left out, {count(left, 'character')}", QUIET))


def _summary(parts: Sequence[Part]) -> str:
    if not parts:
        return "the reply is empty"
    calls = sum(len(part.calls) for part in parts)
    rejected = sum(part.rejected is not None for part in parts)
    return f"{count(calls, 'call')} · {count(rejected, 'rejected block')} · {count(parts[-1].end, 'character')}"


def _label(part: Part) -> str:
    if part.rejected is not None:
        return f"rejected {part.rejected.cause}"
    mended = ", mended" if any(call.mends for call in part.calls) else ""
    return f"{part.kind}{mended}"


def seen(text: str) -> str:
    """The text with a sign for each character that cannot be seen, and after each line break."""
    return text if text.isprintable() else "".join(sign(char) + "\n" * (char == "\n") for char in text)


def _shown(raw: str, width: int) -> Iterator[str | tuple[str, str]]:
    """The lines of a text; of a long one the first and the last, and between them how much is left out."""
    head = "".join(raw[:_HEAD].splitlines(keepends=True)[:_HEAD_LINES])
    tail = "".join(raw[-_TAIL:].splitlines(keepends=True)[-_TAIL_LINES:])
    left = len(raw) - len(head) - len(tail)
    if left <= 0:
        yield from _lines(raw, width)
    else:
        yield from _lines(head, width)
        yield f"… {count(left, 'more character')} left out here", QUIET
        yield from _lines(tail, width)


def _lines(text: str, width: int) -> Iterator[str]:
    for line in seen(text).removesuffix("\n").split("\n"):
        for piece in chop_cells(line, width - 1) or [""]:
            bare = piece.rstrip(" ")
            yield bare + "␠" * (len(piece) - len(bare))


def _call(call: Call, width: int) -> Iterator[str]:
    """A call: the name that was written and the tool it means, and its arguments, a line each."""
    name = call.name if call.written.strip() == call.name else f"{call.written} → {call.name}"
    yield seen(f"› {name}" + (f" (id {call.id})" if call.id else ""))
    for key, value in call.arguments.items():
        text = f"{key} = {written(value)}"
        left = len(text) - _VALUE
        if left > 0:
            text = f"{text[:_VALUE]}… {count(left, 'more character')}"
        for line in chop_cells(seen(text), width - 4):
            yield f"  {line}"
