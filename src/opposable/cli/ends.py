"""How the program ends, as a table of exit codes. Law: no traceback for an error of ours, and none for an interruption.

0    done
1    the run failed: the model did not answer as it should, a limit was reached, or the output could not be written
2    the command line, the settings or the tools named in them cannot be used
3    a model cannot be had or used
4    a call waits for approval, and nobody is here to give it
129  the terminal has gone (SIGHUP)
130  interrupted (Ctrl-C)
141  whoever read the output has gone (`| head`)
143  asked to end (SIGTERM)
"""

import io
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import TextIO

from opposable.errors import ModelError, OpposableError, Paused, SettingsError, ToolError

DONE, FAILED, MISUSED, NO_MODEL, UNATTENDED, INTERRUPTED, UNREAD = 0, 1, 2, 3, 4, 130, 141

CODES: tuple[tuple[type[BaseException], int], ...] = (
    (SettingsError, MISUSED),
    (ToolError, MISUSED),
    (ModelError, NO_MODEL),
    (Paused, UNATTENDED),
    (KeyboardInterrupt, INTERRUPTED),
    (OpposableError, FAILED),
)
"""The first row that fits an error gives its exit code."""

# The signals that asked for an end, in their order: a KeyboardInterrupt does not say why it was raised.
_came: list[int] = []

Tell = Callable[[BaseException], None]


def code_of(error: BaseException) -> int:
    """The exit code for an error."""
    if _came and isinstance(error, KeyboardInterrupt):
        return 128 + _came[0]
    return next(code for kind, code in CODES if isinstance(error, kind))


def name_of(error: BaseException) -> str:
    """The error's class, as programs are told it."""
    return "Interrupted" if isinstance(error, KeyboardInterrupt) else type(error).__name__


def text_of(error: BaseException) -> str:
    """What the error says."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    return f"the system refused: {error}" if isinstance(error, OSError) else str(error)


def on_stderr(error: BaseException) -> None:
    """Say on stderr what went wrong."""
    try:
        sys.stdout.flush()
    except OSError:
        _leave(sys.stdout)
    # Over the ^C that the terminal has shown.
    start = "\r" if isinstance(error, KeyboardInterrupt) and sys.stderr.isatty() else ""
    try:
        sys.stderr.write(f"{start}{text_of(error)}\n")
        sys.stderr.flush()
    except OSError:
        _leave(sys.stderr)


def prepare() -> None:
    """Have the three streams, also where they were closed; SIGTERM and SIGHUP end the program as Ctrl-C does."""
    # An interruption may come right after a coroutine was made: nobody is to blame that it is not awaited.
    warnings.filterwarnings("ignore", "coroutine '.*' was never awaited", RuntimeWarning)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # In this order each gets the number that it should have, which nothing else can then take.
            nowhere = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, open(nowhere, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            # Who ignores one of them (`nohup`) keeps to that.
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _end)


def _end(number: int, frame: FrameType | None) -> None:
    _came.append(number)
    # Whoever hears Ctrl-C now knows how to end what is under way.
    heard = signal.getsignal(signal.SIGINT)
    (heard if callable(heard) else signal.default_int_handler)(signal.SIGINT, frame)


def guarded(work: Callable[[], int], tell: Tell = on_stderr) -> int:
    """Do the work; its exit code, or that of the error it ended with, which `tell` is told."""
    for stream in (sys.stdout, sys.stderr):
        # A character that the terminal does not have is shown as `?`, and half a character is not an end.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = work()
        sys.stdout.flush()
    except BrokenPipeError:
        _leave(sys.stdout)
        return UNREAD
    except (OpposableError, Paused, KeyboardInterrupt) as error:
        try:
            tell(error)
        except BrokenPipeError:
            _leave(sys.stdout)
        return code_of(error)
    except OSError as error:
        # What can be foreseen is an error of ours by now: this is a disk that is full, or a terminal that has gone.
        on_stderr(error)
        _leave(sys.stdout)
        return FAILED
    return code


def _leave(stream: TextIO) -> None:
    """Nobody takes what this stream says: the rest goes nowhere, so that the interpreter ends without a complaint."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
