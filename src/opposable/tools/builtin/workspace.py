"""Reading and writing inside one folder. Law: no file outside is read, made or changed, whatever lies in the folder.

Where the system can (Linux, macOS), a path is walked folder by folder with descriptors that follow no link, so that a
folder swapped for a link between two steps leads nowhere. Elsewhere (Windows) each folder is looked at and the place
compared before and after; a link made in between by another program of the same person could still be followed.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from opposable.errors import TryAgain

WALKS = (
    hasattr(os, "O_NOFOLLOW") and hasattr(os, "O_DIRECTORY") and {os.open, os.mkdir, os.rename} <= os.supports_dir_fd
)
"""Whether this system can walk by descriptors."""

# Zero where a system has no such flag.
_SAFELY = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_CLOEXEC", "O_NOCTTY", "O_NONBLOCK", "O_BINARY"))
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NAME_SURROGATE = 0x20000000  # Windows: the bit of links, junctions and mount points; placeholders of a cloud lack it
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class _Place:
    """A name in an open folder; without descriptors, a whole path and no folder. `listed`: what os.listdir takes."""

    name: str
    folder: int | None
    listed: int | str

    def stat(self) -> os.stat_result | None:
        try:
            return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return None


def read_file(workspace: Path, parts: Sequence[str], limit: int, *, walks: bool = WALKS) -> bytes:
    """The bytes of the file, at most `limit`. Errors: TryAgain, where there is no such file or it may not be read."""
    shown = "/".join(parts)
    with _told(shown), _place(workspace, parts, walks=walks, make=False) as place:
        seen = place.stat()
        if seen is None:
            raise TryAgain(f"There is no file {shown}. {_listing(place.listed, parts[:-1])}")
        if stat.S_ISDIR(seen.st_mode) and not _is_link(seen):
            raise TryAgain(f"{shown} is a folder. {_inside(place, parts, walks=walks)}")
        _check_plain(seen, shown)
        handle = os.open(place.name, os.O_RDONLY | _SAFELY, dir_fd=place.folder)
        with os.fdopen(handle, "rb") as stream:
            opened = os.fstat(handle)
            if (opened.st_dev, opened.st_ino) != (seen.st_dev, seen.st_ino):
                raise TryAgain(f"{shown} was changed by another program just now. Try again.")
            _check_plain(opened, shown)
            data = stream.read(limit + 1)
    if len(data) > limit:
        raise TryAgain(f"{shown} is larger than {limit:,} bytes, too much to read. Choose a smaller file.")
    return data


def write_file(workspace: Path, parts: Sequence[str], data: bytes, *, walks: bool = WALKS) -> bool:
    """Write the file in one go, with the folders on its way; whether there was one before. Errors: TryAgain."""
    shown = "/".join(parts)
    with _told(shown), _place(workspace, parts, walks=walks, make=True) as place:
        seen = place.stat()
        if seen is not None:
            if stat.S_ISDIR(seen.st_mode) and not _is_link(seen):
                raise TryAgain(f"{shown} is a folder: choose another name for the file.")
            _check_plain(seen, shown)
        before, slash, _ = place.name.rpartition(os.sep)
        temporary = f"{before}{slash}.{os.urandom(8).hex()}.tmp"
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFELY, 0o666, dir_fd=place.folder)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(handle)
                if seen is not None and hasattr(os, "fchmod"):
                    os.fchmod(handle, stat.S_IMODE(seen.st_mode) & 0o777)
            # Replaces the name itself: what lies there by now, a link too, is not followed.
            os.replace(temporary, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary, dir_fd=place.folder)
            raise
    return seen is not None


@contextmanager
def _told(shown: str) -> Iterator[None]:
    """Errors of the system in words for a model, without the path of the workspace."""
    try:
        yield
    except OSError as error:
        raise TryAgain(f"{shown} cannot be used: {error.strerror}. Choose another path in the workspace.") from error


@contextmanager
def _place(workspace: Path, parts: Sequence[str], *, walks: bool, make: bool) -> Iterator[_Place]:
    if make:
        workspace.mkdir(parents=True, exist_ok=True)
    elif not workspace.is_dir():
        raise TryAgain("The workspace is empty: there is nothing to read yet.")
    if not walks:
        yield _looked_up(workspace, parts, make=make)
        return
    with ExitStack() as stack:
        # The workspace itself may be reached by a link: that is the person's own doing.
        folder = _opened(stack, str(workspace), None, _FOLDER)
        for place, name in enumerate(parts[:-1]):
            folder = _step(stack, folder, name, parts[: place + 1], make=make)
        yield _Place(parts[-1], folder, folder)


def _opened(stack: ExitStack, name: str, folder: int | None, flags: int) -> int:
    handle = os.open(name, flags, dir_fd=folder)
    stack.callback(os.close, handle)
    return handle


def _step(stack: ExitStack, folder: int, name: str, so_far: Sequence[str], *, make: bool) -> int:
    shown = "/".join(so_far)
    if make:
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=folder)
    try:
        return _opened(stack, name, folder, _FOLDER | _NO_LINK)
    except FileNotFoundError:
        raise TryAgain(f"There is no folder {shown}. {_listing(folder, so_far[:-1])}") from None
    except OSError as error:
        seen = _Place(name, folder, folder).stat()
        if seen is not None and not stat.S_ISDIR(seen.st_mode):
            raise _no_folder(shown, seen) from error
        raise


def _looked_up(workspace: Path, parts: Sequence[str], *, make: bool) -> _Place:
    place = workspace.resolve()
    for count, name in enumerate(parts[:-1], 1):
        above, place = place, place / name
        shown = "/".join(parts[:count])
        if make:
            with suppress(FileExistsError):
                place.mkdir()
        seen = _Place(str(place), None, "").stat()
        if seen is None:
            raise TryAgain(f"There is no folder {shown}. {_listing(str(above), parts[: count - 1])}")
        if _is_link(seen) or not stat.S_ISDIR(seen.st_mode):
            raise _no_folder(shown, seen)
    if os.path.normcase(place.resolve()) != os.path.normcase(place):
        raise TryAgain(f"{'/'.join(parts)} leads out of the workspace. Choose another path.")
    return _Place(str(place / parts[-1]), None, str(place))


def _is_link(seen: os.stat_result) -> bool:
    return stat.S_ISLNK(seen.st_mode) or bool(getattr(seen, "st_reparse_tag", 0) & _NAME_SURROGATE)


def _no_folder(shown: str, seen: os.stat_result) -> TryAgain:
    what = "a link, and links are not followed" if _is_link(seen) else "a file, not a folder"
    return TryAgain(f"{shown} is {what}. Choose another path in the workspace, such as notes/result.txt.")


def _check_plain(seen: os.stat_result, shown: str) -> None:
    if _is_link(seen):
        why = "a link, and links are not followed"
    elif not stat.S_ISREG(seen.st_mode):
        why = "no plain file but a device, a pipe or a socket"
    elif seen.st_nlink > 1:
        # Its other name may be anywhere, outside the workspace too.
        why = "a file with a second name (a hard link)"
    else:
        return
    raise TryAgain(f"{shown} is {why}. Choose another path in the workspace, such as notes/result.txt.")


def _inside(place: _Place, parts: Sequence[str], *, walks: bool) -> str:
    if not walks:
        return _listing(place.name, parts)
    with ExitStack() as stack:
        return _listing(_opened(stack, place.name, place.folder, _FOLDER | _NO_LINK), parts)


def _listing(folder: int | str, parts: Sequence[str]) -> str:
    """What lies in a folder, so that a model without a tool to list it finds its way."""
    names = sorted(name for name in os.listdir(folder) if not name.startswith("."))  # noqa: PTH208
    where = "/".join(parts) or "the workspace"
    if not names:
        return f"Nothing is in {where}."
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"In {where} are: {', '.join(name[:100] for name in names[:_SHOWN])}{more}."
