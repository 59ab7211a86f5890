"""Getting a model here, as a person sees it. Law: nothing is fetched before it was said what, how much and where to."""

import socket
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from rich.progress import BarColumn, Progress, TaskID, TextColumn

from opposable.cli.screen import Screen
from opposable.cli.text import size
from opposable.errors import ModelNotFetched
from opposable.store import CATALOGUE, Agree, StoredModel, Terms, find, pull
from opposable.store import Progress as Tell

USUAL: Mapping[int, str] = MappingProxyType({11434: "Ollama", 1234: "LM Studio", 8080: "llama-server"})
"""The usual model servers by their ports."""

_LOOK_SECONDS = 0.05
_EVERY_SECONDS = 3.0


class Pull(Protocol):
    """What fetches a model, as `store.pull` does."""

    def __call__(self, name: str, cache: Path, *, progress: Tell, agree: Agree) -> StoredModel: ...


def have(name: str, cache: Path, screen: Screen, *, agreed: str = "", fetch: Pull = pull) -> StoredModel:
    """The model of that name, fetched if it is not here. `agreed`: the model whose terms were agreed to beforehand.

    Errors: ModelNotFound, ModelNotFetched, ModelUnusable.
    """
    found = find(name, cache)
    if found is not None:
        return found
    if name.startswith(("store:", "hf:")):
        screen.note(_announced(name, cache))
    meter = _Meter(screen)

    def agree(terms: Terms) -> bool:
        meter.stop()
        return agreed == name or _agreed(terms, screen)

    try:
        return fetch(name, cache, progress=meter.tell, agree=agree)
    finally:
        meter.stop()


def _announced(name: str, cache: Path) -> str:
    card = CATALOGUE.get(name.removeprefix("store:"))
    if card is None:
        return f"{name} is not here yet. Fetching it to {cache}."
    much = size(sum(part.size for part in card.parts))
    return f"{name} is not here yet. Fetching {much} to {cache} (licence: {card.licence})."


def _agreed(terms: Terms, screen: Screen) -> bool:
    if not screen.attended:
        raise ModelNotFetched(
            f"{terms.model} comes under the {terms.title}, to which a person must agree. Read and agree in a terminal: "
            f"opposable models pull {terms.model}; or, where they are known: the same with --agree"
        )
    for line in (terms.text, "", f"{terms.model} comes under these terms: {terms.title}."):
        screen.line(line)
    try:
        return screen.ask("Do you agree to them? [y/N] ").lower() in {"y", "yes"}
    except EOFError:
        return False


class _Meter:
    """What a pull tells of its progress: a bar on a terminal, else a line every few seconds."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._began = self._told = time.monotonic()
        self._bar: Progress | None = None
        self._task = TaskID(0)

    def tell(self, done: int, total: int) -> None:
        if self._screen.beside.is_terminal and not self._screen.beside.is_dumb_terminal:
            self._draw(done, total)
        elif time.monotonic() - self._told >= _EVERY_SECONDS:
            self._told = time.monotonic()
            self._screen.note(f"  {self._line(done, total)}")

    def stop(self) -> None:
        """The bar stays where it is."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _draw(self, done: int, total: int) -> None:
        if self._bar is None:
            self._bar = Progress(
                BarColumn(24, style="dim", complete_style="default", finished_style="default"),
                TextColumn("{task.description}", style="dim", markup=False),
                console=self._screen.beside,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._task = self._bar.add_task("", total=total or None)
            self._bar.start()
        self._bar.update(self._task, completed=done, total=total or None, description=self._line(done, total))

    def _line(self, done: int, total: int) -> str:
        speed = done / max(0.1, time.monotonic() - self._began)
        if not total or not speed:
            return f"{size(done)} so far"
        left = "done" if done >= total else f"{(total - done) / speed:,.0f} s left"
        return f"{size(done)} of {size(total)} · {size(int(speed))}/s · {left}"


def listening(usual: Mapping[int, str] = USUAL) -> list[str]:
    """Which of the usual servers seem to run here, with their ports."""
    return [f"{name} (port {port})" for port, name in usual.items() if _answers(port)]


def hint(found: list[str]) -> str | None:
    """What to tell a person who has such servers; None where there is nothing to tell."""
    if not found:
        return None
    return (
        f"{' and '.join(found)} may be running here. This version cannot use model servers yet, a later one will; "
        "until then: a .gguf file by its path, with --model."
    )


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), _LOOK_SECONDS).close()
    except OSError:
        return False
    return True
