"""A real terminal for tests: a program in a pty of its own, read until something is there, and typed to."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
DRAWN_OVER = re.compile(r"[^\n]*\r(?=.)")
SECONDS = 20


class Terminal:
    """A program in a terminal. `seen` is what it has written, without escapes and what was drawn over."""

    def __init__(self, process: "subprocess.Popen[bytes]", handle: int) -> None:
        self.process = process
        self.raw = b""
        self._handle = handle

    @property
    def seen(self) -> str:
        text = ESCAPES.sub("", self.raw.decode("utf-8", "replace")).replace("\r\n", "\n")
        return DRAWN_OVER.sub("", text)

    def until(self, text: str, seconds: float = SECONDS) -> None:
        end = time.monotonic() + seconds
        while text not in self.seen:
            assert time.monotonic() < end, f"never came: {text!r}; seen:\n{self.seen}"
            if not self._read():
                assert text in self.seen, f"ended without {text!r}; seen:\n{self.seen}"

    def type(self, text: str) -> None:
        os.write(self._handle, text.encode())

    def end(self, seconds: float = SECONDS) -> int:
        """Read until the program has ended; its exit code."""
        end = time.monotonic() + seconds
        while self._read():
            assert time.monotonic() < end, f"does not end; seen:\n{self.seen}"
        return self.process.wait(max(0.1, end - time.monotonic()))

    def _read(self) -> bool:
        if not select.select([self._handle], [], [], 0.2)[0]:
            return self.process.poll() is None
        try:
            data = os.read(self._handle, 65536)
        except OSError:  # Linux says so when the last one at the other end has gone
            return False
        self.raw += data
        return bool(data)


@contextmanager
def terminal(words: Sequence[str], environ: dict[str, str] | None = None) -> Iterator[Terminal]:
    """Run Python with these words in a terminal of 80 columns, which Ctrl-C reaches as it does a person's."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=ROOT,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", **(environ or {})},
        start_new_session=True,
        preexec_fn=_own_terminal,
    )
    os.close(theirs)
    try:
        yield Terminal(process, ours)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait()
        os.close(ours)


def _own_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
