"""Weights out of the Hugging Face hub, through its own library. Law: what was fetched once is not fetched again.

A download that broke off goes on where it stopped; the hub's own hash of the file, where it tells one, must fit.
"""

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from opposable.errors import ModelNotFetched, ModelNotFound
from opposable.store.models import HubName

Progress = Callable[[int, int], None]
"""Told the bytes done and the bytes in all. What it raises ends the pull."""


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold `folder` for one process at a time; the others wait. Errors: ModelNotFetched, where the library is missing."""
    try:
        from huggingface_hub.utils import WeakFileLock  # type: ignore[attr-defined]
    except ImportError as error:
        raise ModelNotFetched(
            "Models of the hub are fetched with huggingface_hub, which is not installed: pip install 'opposable[local]'"
        ) from error
    with WeakFileLock(folder.with_name(f"{folder.name}.lock")):
        folder.mkdir(exist_ok=True)
        yield


def fetch_from_hub(
    name: HubName, folder: Path, *, progress: Progress, room: Callable[[int], None], endpoint: str | None = None
) -> tuple[Path, str | None]:
    """Fetch a file of the hub into `folder`, which may hold its half from earlier tries; its path and sha256 if told.

    `progress` is told the bytes done and the bytes in all; what it raises ends the download. `room` is told beforehand
    how many bytes are still to come. `endpoint`: another hub than the one that the library knows.
    Errors: ModelNotFound (no such repository or file), ModelNotFetched (no network, no permission).
    """
    from huggingface_hub import constants, errors, get_hf_file_metadata, hf_hub_url

    # Else it tells the hub what is installed here, and asks it how to recognise the program that it runs in.
    constants.HF_HUB_DISABLE_TELEMETRY = True
    # Its HTTP library changed its name between versions; whichever it is, this is the root of its errors.
    http_error: type[Exception] = errors.HTTPError  # type: ignore[attr-defined]
    try:
        url = hf_hub_url(name.repo_id, name.file, endpoint=endpoint)
        meta = get_hf_file_metadata(url, endpoint=endpoint)
        path = folder / f"{re.sub('[^0-9A-Za-z-]', '_', meta.etag or 'file')}.half"
        here = path.stat().st_size if path.is_file() else 0
        room(max(0, (meta.size or 0) - here))
        _go_on(url, path, meta.size, progress)
    except errors.GatedRepoError as error:
        raise ModelNotFetched(
            f"{name.repo_id} wants its terms agreed to: do so on its page, then log in with: hf auth login"
        ) from error
    except errors.RepositoryNotFoundError as error:
        raise ModelNotFound(
            f"The hub shows no repository {name.repo_id}. Check its name (private ones need a login)."
        ) from error
    except errors.RemoteEntryNotFoundError as error:
        raise ModelNotFound(
            f"{name.repo_id} has no file {name.file}. Check the name on the repository's page."
        ) from error
    except (OSError, ValueError, http_error) as error:
        raise ModelNotFetched(
            f"{name} could not be fetched: {_first_line(error)}. Check the network and try again."
        ) from error
    sha256 = meta.etag if meta.etag and re.fullmatch("[0-9a-f]{64}", meta.etag) else None
    return path, sha256


def _go_on(url: str, path: Path, size: int | None, progress: Progress) -> None:
    """Fetch what `path` lacks. The library's own download no longer goes on with the half of an earlier one."""
    from huggingface_hub.file_download import http_get
    from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]

    with path.open("ab") as file:
        bar = _bar_class(progress, size or 0)
        http_get(url, file, resume_size=file.tell(), headers=build_hf_headers(), expected_size=size, tqdm_class=bar)


def _first_line(error: Exception) -> str:
    return next((line.strip().rstrip(".") for line in str(error).splitlines() if line.strip()), type(error).__name__)


def _bar_class(progress: Progress, total: int) -> Any:
    """A progress bar that draws nothing and tells `progress` instead, made as the hub's library makes its own."""
    from huggingface_hub.utils.tqdm import tqdm

    lock = threading.Lock()

    class Bar(tqdm):
        """Counts what comes."""

        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **{**options, "disable": True})  # type: ignore[no-untyped-call]
            self.done = int(options.get("initial") or 0)
            progress(self.done, total)

        def update(self, n: float | None = 1) -> bool | None:
            with lock:
                self.done += int(n or 0)
                progress(min(self.done, total), total)
            return None

    return Bar
