"""Calls written in a shape, for histories and examples. Law: what is written here is read back the same."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from opposable.wire.shapes import BY_NAME


class Callable(Protocol):
    """Anything that names a tool and its arguments."""

    @property
    def name(self) -> str:
        """The tool's name."""
        ...

    @property
    def arguments(self) -> Mapping[str, Any]:
        """Its arguments, as parsed JSON."""
        ...


def render(calls: Iterable[Callable], shape: str) -> str:
    """These calls as a model taught this shape writes them, one after the other.

    Errors: ValueError where no such shape is there to be written.
    """
    row = BY_NAME.get(shape)
    if row is None or row.access == "read":
        writable = ", ".join(row.name for row in BY_NAME.values() if row.access == "read-write")
        raise ValueError(f"no shape called {shape!r} can be written; there are {writable}")
    return "\n".join(row.write(call.name, call.arguments) for call in calls)
