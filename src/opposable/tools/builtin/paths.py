"""The text of a path that a model wrote. Law: what passes names a place inside the workspace on every system.

Nothing is asked of the disk here, and nothing depends on the system: a path that Windows would take for something else
(`CON`, `x:y`, a trailing dot) is refused everywhere, so that a workspace can move.
"""

import unicodedata
from typing import NoReturn

from opposable.errors import TryAgain

_LONGEST = 1_000
_LONGEST_NAME = 240  # bytes; systems take 255, and some need a few of them
_DEEPEST = 32
_FORBIDDEN = '<>:"|?*\\'
_DEVICES = {"con", "prn", "aux", "nul", "conin$", "conout$", "clock$"} | {
    f"{port}{number}" for port in ("com", "lpt") for number in range(10)
}
_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def parts_of(path: str) -> tuple[str, ...]:
    """The names along a path relative to the workspace, at least one. Errors: TryAgain, saying what would be right."""
    if not path or path.isspace():
        _refuse(path, "it is empty")
    if len(path) > _LONGEST:
        _refuse(path, f"it is longer than {_LONGEST} characters")
    # Some systems read look-alikes (full-width dots and slashes, superscript digits) as the plain characters.
    for form in dict.fromkeys((path, unicodedata.normalize("NFKC", path))):
        parts = _checked(form, path)
    names = [name for name in path.split("/") if name not in ("", ".")]
    if not names or len(parts) != len(names):
        _refuse(path, "it names no file")
    return tuple(names)


def _checked(form: str, path: str) -> list[str]:
    if any(unicodedata.category(char) in _UNSEEN for char in form):
        _refuse(path, "it has characters that cannot be seen, such as a line break")
    if form.startswith("/"):
        _refuse(path, "it is absolute")
    if "\\" in form:
        _refuse(path, "it has a backslash: write / between the names")
    if form[1:2] == ":" or "://" in form:
        _refuse(path, "it names a drive or an address")
    if form.endswith(("/", "/.")):
        _refuse(path, "it ends with / and so names a folder")
    names = [name for name in form.split("/") if name not in ("", ".")]
    if len(names) > _DEEPEST:
        _refuse(path, f"it is more than {_DEEPEST} folders deep")
    if names and names[0].startswith("~"):
        _refuse(path, "~ is not in the workspace")
    for name in names:
        _check_name(name, path)
    return names


def _check_name(name: str, path: str) -> None:
    if name == "..":
        _refuse(path, ".. leads out of the workspace")
    if any(char in _FORBIDDEN for char in name):
        _refuse(path, f"a name must not have any of {_FORBIDDEN}")
    if name.strip(" ") != name or name.endswith("."):
        _refuse(path, "a name must not begin with a space, nor end with a space or a dot")
    if name.split(".")[0].rstrip(" ").casefold() in _DEVICES:
        _refuse(path, f"{name} is the name of a device")
    if len(name.encode("utf-8", "replace")) > _LONGEST_NAME:
        _refuse(path, f"a name in it is longer than {_LONGEST_NAME} bytes")


def _refuse(path: str, why: str) -> NoReturn:
    shown = path if len(path) <= 80 else path[:60] + "…"
    raise TryAgain(
        f"The path {shown!a} cannot be used: {why}. Right is a path in the workspace, such as notes/result.txt."
    )
