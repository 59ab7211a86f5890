"""What a GGUF file says of itself, read from its head. Law: a hostile file costs little and is refused, never believed.

The format is the one that `docs/gguf.md` of ggml (the library below llama.cpp) lays down: magic, version, the counts of
tensors and of key-value pairs, the pairs, a line for each tensor. Little-endian files of version 2 and 3 are read.
"""

import os
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeVar

from opposable.errors import ModelUnusable

T = TypeVar("T")
Value = str | int | float | bool | None

_SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_STRING, _ARRAY = 8, 9

# The largest vocabularies have some 260,000 words and the largest models a few thousand tensors.
_MOST_PAIRS = 4096
_MOST_ITEMS = 2_000_000
_MOST_TENSORS = 65_536
_MOST_HEAD = 128 * 2**20
_LONGEST_KEY = 65_535
_LONGEST_TEXT = 2**20


@dataclass(frozen=True, slots=True)
class Gguf:
    """A GGUF file's own words: `context` in tokens, `parameters` counted from its tensors, `template` in Jinja."""

    architecture: str
    context: int | None
    template: str | None
    name: str | None
    licence: str | None
    parameters: int
    version: int


class _Head:
    """The head of the file, read front to back, never past its end or the bound."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self.file = file
        self.left = min(size, _MOST_HEAD)

    def take(self, count: int) -> bytes:
        self._spend(count)
        data = self.file.read(count)
        if len(data) != count:
            raise ValueError("it ends too early")
        return data

    def skip(self, count: int) -> None:
        self._spend(count)
        self.file.seek(count, os.SEEK_CUR)

    def _spend(self, count: int) -> None:
        if count > self.left:
            raise ValueError("it ends too early, or its head is far too large")
        self.left -= count

    def number(self, form: str) -> int:
        return int(struct.unpack(form, self.take(struct.calcsize(form)))[0])

    def scalar(self, form: str) -> Value:
        value: Value = struct.unpack(form, self.take(struct.calcsize(form)))[0]
        return value

    def text(self, longest: int) -> str | None:
        """A string; None where it is longer than anything we want to hold."""
        length = self.number("<Q")
        if length > longest:
            self.skip(length)
            return None
        return self.take(length).decode("utf-8", errors="replace")


def _bounded(count: int, most: int, what: str) -> int:
    if count > most:
        raise ValueError(f"it claims to have {count:,} {what}")
    return count


def _skip_array(head: _Head) -> None:
    kind = head.number("<I")
    count = _bounded(head.number("<Q"), _MOST_ITEMS, "items in one list")
    if kind in _SCALARS:
        head.skip(count * struct.calcsize(_SCALARS[kind]))
    elif kind == _STRING:
        for _ in range(count):
            head.skip(head.number("<Q"))
    else:
        # Lists of lists are allowed by the format and used by nobody; a nest of them is how a file would burn time.
        raise ValueError(f"it has a list of an unknown kind ({kind})")


def _value(head: _Head) -> Value:
    kind = head.number("<I")
    if kind in _SCALARS:
        return head.scalar(_SCALARS[kind])
    if kind == _STRING:
        return head.text(_LONGEST_TEXT)
    if kind == _ARRAY:
        _skip_array(head)
        return None
    raise ValueError(f"it has a value of an unknown kind ({kind})")


def _parameters(head: _Head, tensors: int) -> int:
    total = 0
    for _ in range(tensors):
        head.text(_LONGEST_KEY)
        dimensions = _bounded(head.number("<I"), 8, "dimensions in one tensor")
        count = 1
        for _ in range(dimensions):
            count *= head.number("<Q")
        head.skip(4 + 8)
        total += count
    return total


def _read(file: BinaryIO, size: int) -> Gguf:
    head = _Head(file, size)
    if head.take(4) != b"GGUF":
        raise ValueError("it does not begin as one")
    version = head.number("<I")
    if version not in (2, 3):
        raise ValueError(f"its version is {version}, not 2 or 3")
    tensors = _bounded(head.number("<Q"), _MOST_TENSORS, "tensors")
    pairs = _bounded(head.number("<Q"), _MOST_PAIRS, "facts about itself")
    facts: dict[str, Value] = {}
    for _ in range(pairs):
        key = head.text(_LONGEST_KEY)
        if key is None:
            raise ValueError("it has a key that is far too long")
        facts[key] = _value(head)
    architecture = _as(str, facts.get("general.architecture"))
    if not architecture:
        raise ValueError("it does not say which architecture it has")
    return Gguf(
        architecture=architecture,
        context=_as(int, facts.get(f"{architecture}.context_length")),
        template=_as(str, facts.get("tokenizer.chat_template")),
        name=_as(str, facts.get("general.name")),
        licence=_as(str, facts.get("general.license")),
        parameters=_parameters(head, tensors),
        version=version,
    )


def _as(kind: type[T], value: object) -> T | None:
    return value if isinstance(value, kind) else None


def read_gguf(path: Path) -> Gguf:
    """Read what the file at `path` says of itself; the weights are not touched.

    Errors: ModelUnusable, where it is no GGUF file, is cut off in its head, or cannot be read.
    """
    try:
        with path.open("rb") as file:
            return _read(file, path.stat().st_size)
    except ValueError as error:
        raise ModelUnusable(f"{path} is not a usable GGUF file: {error}. Fetch it again or name another.") from None
    except OSError as error:
        raise ModelUnusable(f"{path} cannot be read ({error.strerror}). Check the path and its permissions.") from error
