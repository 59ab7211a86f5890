"""The command `use`: the model where none is named. Law: a name that means nothing is not written down."""

import os
from pathlib import Path

from opposable.cli.screen import Screen
from opposable.cli.text import size
from opposable.settings import load, save_default_model
from opposable.store import find, read_gguf


def use(model: str, /) -> int:
    """Set the model that is used where none is named.

    Parameters
    ----------
    model
        store:NAME, hf:OWNER/REPO:FILE.gguf, or the path of a .gguf file.
    """
    screen = Screen()
    name = _whole(model)
    found = find(name, load({}, os.environ).cache)
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


def _whole(model: str) -> str:
    """A path as it is from anywhere, for the settings are read in other folders too."""
    if model.startswith(("store:", "hf:")) or not model.lower().endswith(".gguf"):
        return model
    return str(Path(model).expanduser().absolute())
