"""A line that says what is waited for, on a terminal. Law: it comes only after a moment, and leaves no trace."""

import threading
import time
from contextlib import suppress
from typing import IO

_PATIENCE = 0.4
_STEP = 0.12
_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


class Waiting:
    """Draws in a thread until it is stopped. `width`: characters of the terminal's line."""

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
