"""A folder that lives as long as the process that made it. Law: what a killed process left is swept, and nothing else.

The process holds a file in the folder open and locked, which ends with the process however it ends. Where that file can
be had, nobody is at work there any more. On Windows an open file cannot be removed, which is lock enough.
"""

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

_MARK = ".held"
# A folder that is being made is not locked yet.
_NEW_SECONDS = 10.0


@contextmanager
def held_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """A new folder below `parent` that only this user can enter; it goes at the end. Errors: OSError.

    Those of the same prefix whose processes are gone are swept. The prefix must be of this use alone.
    """
    sweep(parent, prefix)
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    try:
        with (folder / _MARK).open("wb") as mark:
            try:
                _lock(mark)
            except OSError:
                # A file system without locks: nobody could tell that the folder is in use, so it is never swept.
                (folder / _MARK).unlink()
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sweep(parent: Path, prefix: str) -> None:
    """Remove the folders of this prefix that nobody holds. What cannot be looked at is somebody else's."""
    for mark in parent.glob(f"{prefix}*/{_MARK}"):
        with suppress(OSError):
            if mark.is_symlink() or mark.parent.is_symlink() or time.time() - mark.stat().st_mtime < _NEW_SECONDS:
                continue
            if sys.platform == "win32":
                mark.unlink()
                shutil.rmtree(mark.parent, ignore_errors=True)
            else:
                with mark.open("rb") as file:
                    _lock(file)
                    shutil.rmtree(mark.parent, ignore_errors=True)


def _lock(file: BinaryIO) -> None:
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
