"""A stored model: what a name stands for on this machine. Law: looking never fetches, and half a file is never a model.

A model is named `store:NAME` (a row of the catalogue), `hf:OWNER/REPO:FILE.gguf` (a file of the Hugging Face hub), or
by the path of a .gguf file. Below the cache folder, `models/NAME/` and `models/hf/OWNER/REPO/` hold whole files alone.
"""

import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from opposable.errors import ModelNotFetched, ModelNotFound
from opposable.store.catalogue import CATALOGUE, Card

_HUB_NAME = re.compile(r"hf:([\w.-]+)/([\w.-]+):((?:[\w.+-]+/)*[\w.+-]+\.gguf)")


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A model file that is here: `size` in bytes; `template` and `stop` where we bring what the file lacks."""

    name: str
    path: Path
    size: int
    licence: str
    template: str | None = None
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Listed:
    """A line of the list: a model that is here (`stored`), or one that could be fetched. `size` in bytes."""

    name: str
    about: str
    licence: str
    size: int
    stored: StoredModel | None


@dataclass(frozen=True, slots=True)
class HubName:
    """The three parts of a name like `hf:OWNER/REPO:FILE.gguf`."""

    owner: str
    repo: str
    file: str

    @property
    def repo_id(self) -> str:
        """The repository as the hub names it."""
        return f"{self.owner}/{self.repo}"

    def __str__(self) -> str:
        return f"hf:{self.repo_id}:{self.file}"


def parse_name(name: str, catalogue: Mapping[str, Card] = CATALOGUE) -> Card | HubName | Path:
    """What `name` means. Errors: ModelNotFound, naming what exists, where it means nothing."""
    if name.startswith("store:"):
        card = catalogue.get(name.removeprefix("store:"))
        if card is None:
            raise ModelNotFound(f"The catalogue has no {name}. It has: {_known(catalogue)}.")
        return card
    if name.startswith("hf:"):
        match = _HUB_NAME.fullmatch(name)
        if match is None or any(part in {".", ".."} for part in re.split("[/:]", name)):
            raise ModelNotFound(f"{name!r} is no file of the hub. Write it like hf:OWNER/REPO:FILE.gguf.")
        return HubName(*match.groups())
    if name in catalogue:
        raise ModelNotFound(f"There is no model {name!r}. Did you mean store:{name}?")
    if not name.lower().endswith(".gguf"):
        raise ModelNotFound(
            f"There is no model {name!r}. Name one of {_known(catalogue)}, "
            "a file of the hub as hf:OWNER/REPO:FILE.gguf, or the path of a .gguf file."
        )
    try:
        return Path(name).expanduser()
    except RuntimeError:
        raise ModelNotFound(f"The home folder in {name!r} is not known. Write the whole path.") from None


def _known(catalogue: Mapping[str, Card]) -> str:
    return ", ".join(f"store:{name}" for name in catalogue)


def find(name: str, cache: Path, *, catalogue: Mapping[str, Card] = CATALOGUE) -> StoredModel | None:
    """The model of that name if it is on this machine, else None. Never fetches, never reads the weights.

    Errors: ModelNotFound, where the name can mean no model at all.
    """
    return find_parsed(parse_name(name, catalogue), cache)


def find_parsed(meaning: Card | HubName | Path, cache: Path) -> StoredModel | None:
    """As `find`, for a name that `parse_name` has read already."""
    if isinstance(meaning, Card):
        path = place(meaning, cache)
        # The rename at the end of a pull is what makes a file whole; the size guards against what others did to it.
        if not _so(path.is_file) or path.stat().st_size != meaning.size:
            return None
        template = _template(meaning.template) if meaning.template else None
        return StoredModel(f"store:{meaning.name}", path, meaning.size, meaning.licence, template, meaning.stop)
    path = place(meaning, cache)
    if not _so(path.is_file):
        return None
    return StoredModel(str(meaning), path, path.stat().st_size, "")


def resolve(name: str, cache: Path, *, catalogue: Mapping[str, Card] = CATALOGUE) -> StoredModel:
    """The model of that name, on this machine. `cache` is the cache folder; nothing is fetched.

    Errors: ModelNotFound, naming what exists, or saying how to fetch what is known but not here.
    """
    meaning = parse_name(name, catalogue)
    found = find_parsed(meaning, cache)
    if found is not None:
        return found
    if isinstance(meaning, Path):
        what = f"{meaning} is no file" if _so(meaning.exists) else f"There is no file {meaning}"
        raise ModelNotFound(f"{what}. Check the path, or name one of {_known(catalogue)}.")
    raise ModelNotFound(f"{name} is not on this machine yet. Fetch it first: opposable models pull {name}")


def place(meaning: Card | HubName | Path, cache: Path) -> Path:
    """Where the file of a model is, or will be."""
    if isinstance(meaning, Card):
        return cache / "models" / meaning.name / meaning.file
    if isinstance(meaning, HubName):
        return cache / "models" / "hf" / meaning.owner / meaning.repo / meaning.file
    return meaning


def listing(cache: Path, *, catalogue: Mapping[str, Card] = CATALOGUE) -> tuple[Listed, ...]:
    """All models of the catalogue, here or not, then those of the hub that are here. Sizes in bytes."""
    lines = [
        Listed(f"store:{card.name}", card.about, card.licence, card.size, find_parsed(card, cache))
        for card in catalogue.values()
    ]
    hub = cache / "models" / "hf"
    for path in sorted(hub.glob("*/*/**/*.gguf")):
        owner, repo, *rest = path.relative_to(hub).parts
        name = HubName(owner, repo, "/".join(rest))
        # The hub's own client keeps what it has half fetched in a folder with a dot.
        if any(part.startswith(".") for part in rest) or (stored := find_parsed(name, cache)) is None:
            continue
        lines.append(Listed(str(name), repo, "", stored.size, stored))
    return tuple(lines)


def remove(name: str, cache: Path, *, catalogue: Mapping[str, Card] = CATALOGUE) -> int:
    """Remove a model from the cache folder; the bytes that this freed.

    Errors: ModelNotFound, where it is not here or is a file outside the cache, which is not ours to remove;
    ModelNotFetched, where the system would not let the file go (Windows, while it is in use).
    """
    meaning = parse_name(name, catalogue)
    if isinstance(meaning, Path):
        raise ModelNotFound(f"{name} is a file of yours, not of the store: remove it yourself.")
    path = place(meaning, cache)
    if not _so(path.is_file):
        raise ModelNotFound(f"{name} is not on this machine, so there is nothing to remove.")
    size = path.stat().st_size
    try:
        if isinstance(meaning, Card):
            shutil.rmtree(path.parent)
        else:
            path.unlink()
            _prune(path.parent, cache / "models" / "hf")
    except OSError as error:
        raise ModelNotFetched(f"{path} could not be removed ({error.strerror}). Is it in use?") from error
    return size


def _so(look: Callable[[], bool]) -> bool:
    """Is it so? Of a path that the system cannot even look at (a name too long, a folder closed to us) nothing is."""
    try:
        return look()
    except OSError:
        return False


def _prune(folder: Path, top: Path) -> None:
    """Remove folders that hold no model any more, upwards to `top`."""
    while folder != top and not any(folder.rglob("*.gguf")):
        shutil.rmtree(folder)
        folder = folder.parent


def _template(name: str) -> str:
    return (files("opposable.store") / "templates" / name).read_text(encoding="utf-8")
