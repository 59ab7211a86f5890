"""How the program ends, as a table of exit codes. Law: no traceback for an error of ours, and none for an interruption.

0    done
1    the run failed: the model did not answer as it should, or a limit was reached
2    the command line, the settings or the tools named in them cannot be used
3    a model cannot be had or used
4    a call waits for approval, and nobody is here to give it
130  interrupted (Ctrl-C)
141  whoever read the output has gone (`| head`)
"""

import io
import os
import sys
from collections.abc import Callable
from contextlib import suppress

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

Tell = Callable[[BaseException], None]


def code_of(error: BaseException) -> int:
    """The exit code for an error."""
    return next(code for kind, code in CODES if isinstance(error, kind))


def name_of(error: BaseException) -> str:
    """The error's class, as programs are told it."""
    return "Interrupted" if isinstance(error, KeyboardInterrupt) else type(error).__name__


def text_of(error: BaseException) -> str:
    """What the error says."""
    return "interrupted" if isinstance(error, KeyboardInterrupt) else str(error)


def on_stderr(error: BaseException) -> None:
    """Say on stderr what went wrong."""
    with suppress(OSError):
        sys.stdout.flush()
    # Over the ^C that the terminal has shown.
    start = "\r" if isinstance(error, KeyboardInterrupt) and sys.stderr.isatty() else ""
    with suppress(OSError):
        sys.stderr.write(f"{start}{text_of(error)}\n")
        sys.stderr.flush()


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
        _leave_stdout()
        return UNREAD
    except (OpposableError, Paused, KeyboardInterrupt) as error:
        try:
            tell(error)
        except BrokenPipeError:
            _leave_stdout()
        return code_of(error)
    return code


def _leave_stdout() -> None:
    """Nobody reads: what is still to be written goes nowhere, so that the interpreter ends without a complaint."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
