"""The commands, by name. Law: a command's module is loaded only when it is called, so that help is quick."""

import sys
from collections.abc import Sequence
from functools import partial

from cyclopts import App, CycloptsError, Parameter

from opposable import __version__
from opposable.cli.ends import MISUSED, guarded
from opposable.cli.help import Columns

ABOUT = """Tools for models that were never taught to use them.

A first try: opposable run "What is 17 * 23?"
"""

COMMANDS = {
    "run": ("opposable.cli.run:run", "Let a model answer, calling tools where it needs them."),
    "use": ("opposable.cli.models:use", "Set the model that is used where none is named."),
    "models": ("opposable.cli.models:models", "List, fetch and remove models."),
    "parse": ("opposable.cli.parse:parse", "Find the tool calls in a model's reply; JSON comes out."),
}
"""Where each command is, and what it does."""

STDIN = "\0"
"""In place of the word `-`. No command line can hold this character."""


def app() -> App:
    """The whole command line."""
    made = App(
        name="opposable",
        help=ABOUT,
        version=f"opposable {__version__}",
        help_format="plaintext",
        help_formatter=Columns(),
        default_parameter=Parameter(negative="", show_default=False),
        suppress_keyboard_interrupt=False,
        exit_on_error=False,
        print_error=False,
        result_action="return_value",
    )
    for name, (place, about) in COMMANDS.items():
        made.command(place, name=name, help=about)
    return made


def do(words: Sequence[str]) -> int:
    """Do what the words say; the exit code."""
    return guarded(partial(_do, words))


def _do(words: Sequence[str]) -> int:
    try:
        # Cyclopts takes a lone hyphen for an option.
        code = app()([STDIN if word == "-" else word for word in words])
    except CycloptsError as error:
        sys.stderr.write(f"{_said(error)}\nTry: {' '.join(('opposable', *(error.command_chain or ()), '--help'))}\n")
        return MISUSED
    return int(code or 0)


def _said(error: CycloptsError) -> str:
    error.verbose = False
    return str(error).strip()
