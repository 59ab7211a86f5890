"""The commands `models` (what there is, fetching, removing) and `use` (the default). Law: the store decides.

A name that means nothing is not written down as the default.
"""

import json as notation
import os
import sys
from pathlib import Path

from cyclopts import App
from rich.cells import cell_len

from opposable.cli.fetch import have
from opposable.cli.screen import Screen
from opposable.cli.text import size
from opposable.settings import Settings, load, save_default_model
from opposable.store import Listed, find, listing, read_gguf, remove, resolve

models = App(name="models", help="List, fetch and remove models.")
"""The commands below `models`; alone it lists."""


@models.default
@models.command(name="list")
def list_models(*, json: bool = False) -> int:
    """List the models that are here, and those that can be fetched by name.

    Parameters
    ----------
    json
        Print a JSON list.
    """
    lines = listing(_settings().cache)
    if json:
        sys.stdout.write(notation.dumps([_row(line) for line in lines], indent=2) + "\n")
        return 0
    table: list[tuple[str, ...]] = [("NAME", "SIZE", "", "LICENCE", "ABOUT")]
    table += [
        (line.name, size(line.size), "here" if line.stored else "not here", line.licence or "?", line.about)
        for line in lines
    ]
    _print(table, Screen())
    return 0


@models.command(name="pull")
def pull_model(name: str, /, *, agree: bool = False) -> int:
    """Fetch a model.

    Parameters
    ----------
    name
        store:NAME or hf:OWNER/REPO:FILE.gguf.
    agree
        You know the terms of this model and agree to them, so that they need not be shown.
    """
    screen = Screen()
    model = have(name, _settings().cache, screen, agreed=name if agree else "")
    screen.line(f"{model.name} is here: {size(model.size)}, {model.path}")
    return 0


@models.command(name="remove")
def remove_model(name: str, /) -> int:
    """Remove a model from this machine. It can be fetched again.

    Parameters
    ----------
    name
        As models list shows it.
    """
    freed = remove(name, _settings().cache)
    Screen().line(f"{name} is removed: {size(freed)} freed")
    return 0


@models.command(name="path")
def path_of_model(name: str, /) -> int:
    """Print where the file of a model is.

    Parameters
    ----------
    name
        As models list shows it.
    """
    Screen().line(str(resolve(name, _settings().cache).path))
    return 0


def use(model: str, /) -> int:
    """Set the model that is used where none is named.

    Parameters
    ----------
    model
        store:NAME, hf:OWNER/REPO:FILE.gguf, or the path of a .gguf file.
    """
    screen = Screen()
    name = _whole(model)
    found = find(name, _settings().cache)
    if found is not None or (name.lower().endswith(".gguf") and not name.startswith("hf:")):
        read_gguf(found.path if found is not None else Path(name))
    file = save_default_model(name, os.environ)
    screen.line(f"{name} is the default model now (in {file}).")
    if found is None:
        screen.line(f"It is not here yet: it is fetched at first use, or now with: opposable models pull {name}")
    else:
        screen.line(f"It is here: {size(found.size)}, {found.path}")
    if os.environ.get("OPPOSABLE_MODEL"):
        screen.note("OPPOSABLE_MODEL is set and goes before it.")
    return 0


def _settings() -> Settings:
    return load({}, os.environ)


def _row(line: Listed) -> dict[str, object]:
    return {
        "name": line.name,
        "size": line.size,
        "here": line.stored is not None,
        "path": str(line.stored.path) if line.stored else None,
        "licence": line.licence or None,
        "about": line.about,
    }


def _print(table: list[tuple[str, ...]], screen: Screen) -> None:
    widths = [max(map(cell_len, column)) for column in zip(*table, strict=True)]
    for row in table:
        cells = [cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)]
        cells[1] = cells[1].strip().rjust(widths[1])
        line = "  ".join(cells).rstrip()
        # On a terminal a row is a line; in a pipe nothing is cut.
        screen.line(line if not screen.live or len(line) <= screen.across else f"{line[: screen.across - 1]}…")


def _whole(model: str) -> str:
    """A path as it is from anywhere, for the settings are read in other folders too."""
    if model.startswith(("store:", "hf:")) or not model.lower().endswith(".gguf"):
        return model
    return str(Path(model).expanduser().absolute())
