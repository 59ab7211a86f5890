"""Each attempt is made twice: walking by descriptors, where this system can, and the way of systems that cannot."""

import os
import shutil
import socket
import stat
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from opposable.errors import TryAgain
from opposable.tools.builtin.workspace import WALKS, read_file, write_file

WAYS = [
    pytest.param(True, id="walks", marks=pytest.mark.skipif(not WALKS, reason="not here")),
    pytest.param(False, id="looks"),
]
LIMIT = 1000


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("secret", encoding="utf-8")
    return tmp_path / "outside"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "workspace" / "notes").mkdir(parents=True)
    (tmp_path / "workspace" / "notes" / "a.txt").write_text("hello", encoding="utf-8")
    return tmp_path / "workspace"


def link(at: Path, to: str | Path) -> None:
    try:
        at.symlink_to(to)
    except OSError:
        pytest.skip("no symbolic links here")


def chain(first: Path, second: Path, to: Path) -> None:
    link(second, to)
    link(first, second.name)


def everything(folder: Path) -> dict[str, bytes | None]:
    return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else None for p in sorted(folder.rglob("*"))}


@pytest.mark.parametrize("walks", WAYS)
def test_reading_and_writing(workspace: Path, walks: bool) -> None:
    assert read_file(workspace, ("notes", "a.txt"), LIMIT, walks=walks) == b"hello"
    assert write_file(workspace, ("notes", "a.txt"), b"new", walks=walks) is True
    assert write_file(workspace, ("deep", "er", "b.txt"), b"b", walks=walks) is False
    assert everything(workspace) == {
        "notes": None,
        os.path.join("notes", "a.txt"): b"new",  # noqa: PTH118
        "deep": None,
        os.path.join("deep", "er"): None,  # noqa: PTH118
        os.path.join("deep", "er", "b.txt"): b"b",  # noqa: PTH118
    }


@pytest.mark.parametrize("walks", WAYS)
def test_the_workspace_is_made_when_something_is_written(tmp_path: Path, walks: bool) -> None:
    folder = tmp_path / "not" / "yet"
    with pytest.raises(TryAgain, match="workspace is empty"):
        read_file(folder, ("x",), LIMIT, walks=walks)
    assert not folder.exists()
    write_file(folder, ("x",), b"x", walks=walks)
    assert (folder / "x").read_bytes() == b"x"


@pytest.mark.parametrize("walks", WAYS)
@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (("notes", "b.txt"), "There is no file notes/b.txt. In notes are: a.txt."),
        (("b.txt",), "There is no file b.txt. In the workspace are: notes."),
        (("nowhere", "b.txt"), "There is no folder nowhere. In the workspace are: notes."),
        (("notes", "deep", "b.txt"), "There is no folder notes/deep. In notes are: a.txt."),
        (("notes",), "notes is a folder. In notes are: a.txt."),
        (("notes", "a.txt", "b.txt"), "notes/a.txt is a file, not a folder."),
    ],
)
def test_what_is_not_there_is_told_with_what_is(
    workspace: Path, parts: tuple[str, ...], said: str, walks: bool
) -> None:
    with pytest.raises(TryAgain) as caught:
        read_file(workspace, parts, LIMIT, walks=walks)
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize("walks", WAYS)
def test_an_empty_folder_and_a_full_one(workspace: Path, walks: bool) -> None:
    (workspace / "none").mkdir()
    (workspace / "none" / ".hidden").touch()
    with pytest.raises(TryAgain, match="Nothing is in none"):
        read_file(workspace, ("none",), LIMIT, walks=walks)
    for i in range(30):
        (workspace / f"f{i:02}").touch()
    with pytest.raises(TryAgain, match=r"f19.* and 12 more"):
        read_file(workspace, ("x",), LIMIT, walks=walks)


@pytest.mark.parametrize("walks", WAYS)
def test_a_file_that_is_too_large(workspace: Path, walks: bool) -> None:
    (workspace / "big").write_bytes(b"x" * (LIMIT + 1))
    with pytest.raises(TryAgain, match="larger than 1,000 bytes"):
        read_file(workspace, ("big",), LIMIT, walks=walks)


@pytest.mark.parametrize("walks", WAYS)
@pytest.mark.parametrize(
    ("make", "parts"),
    [
        (lambda w, o: link(w / "l", o / "secret.txt"), ("l",)),
        (lambda w, o: link(w / "l", o), ("l", "secret.txt")),
        (lambda w, o: link(w / "l", "../outside"), ("l", "secret.txt")),
        (lambda w, o: link(w / "l", ".."), ("l", "outside", "secret.txt")),
        (lambda w, o: link(w / "l", "/"), ("l", "etc", "hostname")),
        (lambda w, o: link(w / "notes" / "l", o), ("notes", "l", "secret.txt")),
        (lambda w, o: link(w / "notes" / "l", o), ("notes", "l", "deep", "new.txt")),
        (lambda w, o: link(w / "l", o / "new.txt"), ("l",)),
        (lambda w, o: link(w / "l", o / "new"), ("l", "x.txt")),
        (lambda w, o: link(w / "l", "l"), ("l",)),
        (lambda w, o: link(w / "l", "l"), ("l", "x")),
        (lambda w, o: link(w / "l", "notes/a.txt"), ("l",)),
        (lambda w, o: link(w / "l", "notes"), ("l", "a.txt")),
        (lambda w, o: chain(w / "l", w / "m", o), ("l", "secret.txt")),
        (lambda w, o: os.link(o / "secret.txt", w / "h"), ("h",)),
        (lambda w, o: os.link(o / "secret.txt", w / "notes" / "h"), ("notes", "h")),
    ],
)
def test_links_lead_nowhere(
    workspace: Path, outside: Path, make: Callable[[Path, Path], None], parts: tuple[str, ...], walks: bool
) -> None:
    make(workspace, outside)
    before = everything(outside)
    with pytest.raises(TryAgain, match="link") as caught:
        read_file(workspace, parts, LIMIT, walks=walks)
    assert "notes/result.txt" in str(caught.value)
    assert str(outside) not in str(caught.value)
    with pytest.raises(TryAgain, match="link"):
        write_file(workspace, parts, b"mine", walks=walks)
    assert everything(outside) == before


@pytest.mark.skipif(sys.platform == "win32", reason="no such files there")
@pytest.mark.parametrize("walks", WAYS)
@pytest.mark.parametrize("kind", ["fifo", "socket", "device"])
def test_what_is_no_plain_file(workspace: Path, kind: str, walks: bool) -> None:
    if kind == "fifo":
        os.mkfifo(workspace / "x")
    elif kind == "socket":
        sock = socket.socket(socket.AF_UNIX)
        here = Path.cwd()
        try:
            os.chdir(workspace)  # the path of a socket has to be short
            sock.bind("x")
        finally:
            os.chdir(here)
            sock.close()
    else:
        try:
            os.mknod(workspace / "x", stat.S_IFCHR | 0o600, os.makedev(1, 5))
        except (PermissionError, OSError):
            pytest.skip("devices cannot be made here")
    with pytest.raises(TryAgain, match="no plain file"):
        read_file(workspace, ("x",), LIMIT, walks=walks)
    with pytest.raises(TryAgain, match="no plain file"):
        write_file(workspace, ("x",), b"", walks=walks)


@pytest.mark.parametrize("walks", WAYS)
def test_a_folder_is_not_written_over(workspace: Path, walks: bool) -> None:
    with pytest.raises(TryAgain, match="notes is a folder"):
        write_file(workspace, ("notes",), b"", walks=walks)
    with pytest.raises(TryAgain, match=r"notes/a\.txt is a file, not a folder"):
        write_file(workspace, ("notes", "a.txt", "b"), b"", walks=walks)


@pytest.mark.parametrize("walks", WAYS)
def test_a_workspace_reached_by_a_link_is_the_persons_own_doing(workspace: Path, walks: bool) -> None:
    link(workspace.parent / "w", workspace)
    assert read_file(workspace.parent / "w", ("notes", "a.txt"), LIMIT, walks=walks) == b"hello"
    assert write_file(workspace.parent / "w", ("notes", "a.txt"), b"x", walks=walks)


@pytest.mark.parametrize("walks", WAYS)
def test_a_workspace_that_is_a_file(tmp_path: Path, walks: bool) -> None:
    (tmp_path / "w").touch()
    with pytest.raises(TryAgain) as caught:
        write_file(tmp_path / "w", ("x",), b"", walks=walks)
    assert str(tmp_path) not in str(caught.value)


@pytest.mark.skipif(sys.platform == "win32" or not hasattr(os, "geteuid"), reason="modes are other there")
@pytest.mark.parametrize("walks", WAYS)
def test_modes_stay_and_nothing_is_left_behind(workspace: Path, walks: bool) -> None:
    (workspace / "notes" / "a.txt").chmod(0o640)
    write_file(workspace, ("notes", "a.txt"), b"new", walks=walks)
    assert stat.S_IMODE((workspace / "notes" / "a.txt").stat().st_mode) == 0o640
    assert [p.name for p in (workspace / "notes").iterdir()] == ["a.txt"]


@pytest.mark.skipif(not WALKS, reason="only a walk by descriptors can promise this")
def test_a_folder_swapped_for_a_link_leads_nowhere(workspace: Path, outside: Path) -> None:
    (outside / "a.txt").write_text("secret", encoding="utf-8")
    before = everything(outside)
    link(workspace / "trap", outside)
    stop = threading.Event()

    def swap() -> None:
        notes, aside, trap = (workspace / name for name in ("notes", "aside", "trap"))
        while not stop.is_set():
            try:
                notes.rename(aside)
                trap.rename(notes)
                notes.rename(trap)
                aside.rename(notes)
            except OSError:  # a write has made the folder anew in between
                if aside.exists() and not notes.is_symlink():
                    shutil.rmtree(notes, ignore_errors=True)
                    with suppress(OSError):
                        aside.rename(notes)

    thread = threading.Thread(target=swap)
    thread.start()
    outcomes: set[bytes | bool | str] = set()
    try:
        for _ in range(1500):
            acts: tuple[Callable[[], bytes | bool], ...] = (
                lambda: read_file(workspace, ("notes", "a.txt"), LIMIT),
                lambda: write_file(workspace, ("notes", "a.txt"), b"hello"),
                lambda: write_file(workspace, ("notes", "b.txt"), b"mine"),
            )
            for act in acts:
                try:
                    outcomes.add(act())
                except TryAgain:
                    outcomes.add("refused")
    finally:
        stop.set()
        thread.join()
    assert everything(outside) == before
    assert outcomes <= {b"hello", True, False, "refused"}
    assert "refused" in outcomes
