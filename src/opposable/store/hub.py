"""Weights out of the Hugging Face hub, through its own library. Law: what was fetched once is not fetched again.

A download that broke off goes on where it stopped; the hub's own hash of the file, where it tells one, must fit.
"""

import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from opposable.errors import ModelNotFetched, ModelNotFound
from opposable.store.models import HubName

Progress = Callable[[int, int], None]


def fetch_from_hub(
    name: HubName, folder: Path, *, progress: Progress, room: Callable[[int], None], endpoint: str | None = None
) -> tuple[Path, str | None]:
    """Fetch a file of the hub into `folder`, which holds its half from earlier tries; its path and sha256 if told.

    `progress` is told the bytes done and the bytes in all; what it raises ends the download. `room` is told beforehand
    how many bytes are still to come. `endpoint`: another hub than the one that the library knows.
    Errors: ModelNotFound (no such repository or file), ModelNotFetched (no network, no permission, no library).
    """
    try:
        from huggingface_hub import errors, get_hf_file_metadata, hf_hub_download, hf_hub_url
    except ImportError as error:
        raise ModelNotFetched(
            "Models of the hub are fetched with huggingface_hub, which is not installed: pip install 'opposable[local]'"
        ) from error
    # Its HTTP library changed its name between versions; whichever it is, this is the root of its errors.
    http_error: type[Exception] = errors.HTTPError  # type: ignore[attr-defined]
    try:
        meta = get_hf_file_metadata(hf_hub_url(name.repo_id, name.file, endpoint=endpoint), endpoint=endpoint)
        total = meta.size or 0
        here = sum(half.stat().st_size for half in folder.rglob("*.incomplete"))
        room(max(0, total - here))
        bar = _bar_class(progress, total)
        path = hf_hub_download(
            name.repo_id, name.file, revision=meta.commit_hash, local_dir=folder, endpoint=endpoint, tqdm_class=bar
        )
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
    except (OSError, http_error) as error:
        raise ModelNotFetched(
            f"{name} could not be fetched: {_first_line(error)}. Check the network and try again."
        ) from error
    sha256 = meta.etag if meta.etag and re.fullmatch("[0-9a-f]{64}", meta.etag) else None
    return Path(path), sha256


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
