"""The screen: where a person reads and is asked. Law: a terminal is drawn upon, anything else gets plain lines."""

import io
import sys
import threading
import time
from contextlib import suppress
from typing import IO

from rich.console import Console
from rich.text import Text

from opposable.cli.column import Column
from opposable.cli.text import clean

_WIDEST = 100
_PATIENCE = 0.4
_STEP = 0.12
_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class Screen:
    """The conversation on `out`, notes beside it on `aside`, answers from `keys`; by default the three streams.

    `live`: the conversation is on a terminal. `attended`: a person is there to answer. `across`: characters in a line;
    `width`: as many of them as one likes to read.
    """

    def __init__(self, out: IO[str] | None = None, aside: IO[str] | None = None, keys: IO[str] | None = None) -> None:
        self.out, self.aside = out or sys.stdout, aside or sys.stderr
        # A program can be started without any stdin.
        self.keys = keys or sys.stdin or io.StringIO()
        self._console = _console(self.out)
        self.beside = _console(self.aside)
        self.live = self.out.isatty() and not self._console.is_dumb_terminal
        self.attended = self.keys.isatty()
        self.across = max(20, self._console.width)
        self.width = min(self.across, _WIDEST)
        self._column = Column(self.width if self.live else sys.maxsize, self._put)
        self._waiting: _Waiting | None = None

    def line(self, *parts: str | tuple[str, str]) -> None:
        """A line of its own, of parts that may have a style."""
        self._column.end()
        whole = Text()
        for part in parts:
            text, style = part if isinstance(part, tuple) else (part, "")
            whole.append(clean(text), style)
        # In one piece, so that an interruption finds the cursor at the beginning of a line.
        self._print(whole.append("\n"))

    def flow(self, text: str, style: str = "") -> None:
        """Text as it comes."""
        self._column.add(clean(text), style)

    def end(self) -> None:
        """The end of a text."""
        self._column.end()

    def note(self, text: str) -> None:
        """A line beside the conversation."""
        self.quiet()
        self.beside.print(Text(clean(text), "dim"), soft_wrap=True)

    def ask(self, question: str) -> str:
        """What the person answers to a question on one line. Errors: EOFError, where nobody is there any more."""
        self.quiet()
        # Where the conversation goes into a file, the person looks at the other stream.
        shown = self.out if self.out.isatty() else self.aside
        _forget_typed(self.keys)
        shown.write(clean(question))
        shown.flush()
        answer = ""
        try:
            answer = self.keys.readline()
        finally:
            if not answer:
                shown.write("\n")
        if not answer:
            raise EOFError
        return answer.strip()

    def wait(self, what: str) -> None:
        """Show on a terminal, after a moment, what is waited for and how long already; until anything else is shown."""
        self.quiet()
        if not self.live:
            return
        self._waiting = _Waiting(self.out, clean(what), self.across)

    def quiet(self) -> None:
        """Nothing moves any more, and the next line is a fresh one."""
        self._still()
        self._column.end()

    def _still(self) -> None:
        if self._waiting is not None:
            waiting, self._waiting = self._waiting, None
            waiting.stop()

    def _put(self, text: str, style: str = "") -> None:
        self._print(Text(text, style))

    def _print(self, text: Text) -> None:
        self._still()
        self._console.print(text, soft_wrap=True, end="")
        self.out.flush()


class _Waiting:
    """A line that says what is waited for. It comes only after a moment, from a thread, and leaves no trace.

    `width`: characters of the terminal's line.
    """

    def __init__(self, out: IO[str], what: str, width: int) -> None:
        self._out = out
        self._what = what
        self._width = width
        self._done = threading.Event()
        self._drawn = 0
        self._thread = threading.Thread(target=self._draw, name="opposable-waiting", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Take the line away; nothing is drawn after that."""
        self._done.set()
        self._thread.join()
        if self._drawn:
            self._write(f"\r{' ' * self._drawn}\r")

    def _draw(self) -> None:
        began = time.monotonic()
        if self._done.wait(_PATIENCE):
            return
        frame = 0
        while True:
            text = f"{_FRAMES[frame % len(_FRAMES)]} {self._what} · {time.monotonic() - began:.1f} s"[: self._width - 1]
            self._write(f"\r{text}")
            self._drawn = max(self._drawn, len(text))
            frame += 1
            if self._done.wait(_STEP):
                return

    def _write(self, text: str) -> None:
        # A terminal that has gone is found out by the next line of the conversation.
        with suppress(OSError, ValueError):
            self._out.write(text)
            self._out.flush()


def _console(stream: IO[str]) -> Console:
    return _Console(file=stream, highlight=False, markup=False, emoji=False, force_jupyter=False)


def _forget_typed(keys: IO[str]) -> None:
    """A key that was pressed before the question was there is no answer to it."""
    try:
        import termios
    except ImportError:
        return
    try:
        termios.tcflush(keys.fileno(), termios.TCIFLUSH)
    except (OSError, ValueError, termios.error):
        return
