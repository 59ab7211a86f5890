"""The tools that were offered, and which of them a written name means.

Law: no edit distance. A name counts as it stands, without well-known decoration, or where it differs only in case, `-`,
`_` and camelCase and exactly one offered tool fits.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

JsonSchema = Mapping[str, Any]
_REPR = 60
_NO_PARAMETERS: JsonSchema = {"type": "object", "properties": {}}


class Named(Protocol):
    """Anything that says which tool it is and what arguments it takes."""

    @property
    def name(self) -> str:
        """The tool's name."""
        ...

    @property
    def parameters(self) -> JsonSchema:
        """The JSON Schema of its arguments."""
        ...


Tool = Named | Mapping[str, Any]
"""An object with `name` and `parameters`, or a dict in the OpenAI format or with these two keys."""

_PREFIX = re.compile(r"^(?:functions?[.:]|tools?[.:]|default_api[.:]|mcp__\w+?__)")
_SUFFIX = re.compile(r"(?::\d+|<\|[^>]*>?.*)$", re.DOTALL)


class Offered:
    """The offered tools by name."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._schemas: dict[str, JsonSchema] = {}
        for name, schema in map(_name_and_schema, tools):
            if self._schemas.setdefault(name, schema) != schema:
                raise ValueError(f"two tools are called {name!r}, and their parameters differ")
        self._folded: dict[str, list[str]] = {}
        for name in self._schemas:
            self._folded.setdefault(_fold(name), []).append(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._schemas)

    def __contains__(self, name: object) -> bool:
        return name in self._schemas

    def name(self, written: str) -> str | None:
        """The offered tool that is meant, or None. Nothing names none, whatever is offered."""
        candidates = list(filter(None, _undecorated(written.strip())))
        for candidate in candidates:
            if candidate in self._schemas:
                return candidate
        for candidate in candidates:
            same = self._folded.get(_fold(candidate), [])
            if len(same) == 1:
                return same[0]
        return None

    def schema(self, name: str) -> JsonSchema:
        """The schema of a tool's arguments."""
        return self._schemas[name]

    def parameters(self, name: str) -> Mapping[str, Any]:
        """The schemas of a tool's parameters by their names; empty where its schema names none."""
        properties = self._schemas[name].get("properties")
        return properties if isinstance(properties, Mapping) else {}

    def takes_any(self, written: str) -> bool:
        """Does this name mean a tool that has parameters?"""
        name = self.name(written)
        return name is not None and bool(self.parameters(name))

    def needs_arguments(self, name: str) -> bool:
        """Does the tool have a required parameter?"""
        return bool(self._schemas[name].get("required"))


def _name_and_schema(tool: Any) -> tuple[str, JsonSchema]:
    if isinstance(tool, Mapping):
        tool = tool.get("function", tool)
    if isinstance(tool, Mapping):
        name, schema = tool.get("name"), tool.get("parameters")
    else:
        name, schema = getattr(tool, "name", None), getattr(tool, "parameters", None)
    if not isinstance(name, str):
        made = "; give its `spec`" if hasattr(tool, "spec") else "; give `opposable.tool(…).spec` of a function"
        raise TypeError(
            "a tool is an object or dict with a `name` and `parameters`, or an OpenAI dict; this is none: "
            f"{repr(tool)[:_REPR]}{made if callable(tool) else ''}"
        )
    return name, schema if isinstance(schema, Mapping) else _NO_PARAMETERS


def _undecorated(written: str) -> Iterator[str]:
    yield written
    bare = _SUFFIX.sub("", written).strip()
    yield bare
    short = _PREFIX.sub("", bare)
    yield short
    first, dot, second = short.partition(".")
    if dot and first == second:
        yield first


def _fold(name: str) -> str:
    return name.casefold().replace("-", "").replace("_", "")
