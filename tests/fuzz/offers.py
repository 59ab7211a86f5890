"""The sets of tools that the inputs are read with. Law: there are few, so that their tables are made once."""

from collections.abc import Mapping
from typing import Any

from tests.wire.golden import TOOLS

Tools = list[dict[str, Any]]


def tool(name: str, properties: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    schema = {"type": "object", **({} if properties is None else {"properties": properties}), **more}
    return {"type": "function", "function": {"name": name, "parameters": schema}}


TEXT, NUMBER, ANY = {"type": "string"}, {"type": "number"}, dict[str, Any]()
LOOSE = [
    tool("run"),
    tool("get.weather", {"city": TEXT, "days": {"type": "integer"}}, required=["city"]),
    tool("Edit-File", {"path": TEXT, "old": TEXT, "new": TEXT, "all": {"type": "boolean"}}, required=["path"]),
    tool("set_value", {"value": ANY, "either": {"type": ["string", "integer", "null"]}, "some": {"type": "array"}}),
    tool("ns__query", {"arguments": {"type": "object"}, "name": TEXT, "input": TEXT, "parameters": {"type": "array"}}),
    tool("x:y", {"n": NUMBER, "kind": {"enum": ["a", "1", "true"]}, "flag": {"type": ["boolean", "null"]}}),
]
WORDS = [
    tool("python", {"code": TEXT}, required=["code"]),
    tool("think", {"thought": TEXT}),
    tool("final", {"answer": TEXT}),
    tool("function", {"parameter": TEXT, "function": TEXT}),
    tool("tool", {"tool": TEXT, "name": TEXT}),
    tool("assistant", {"to": TEXT}),
    tool("result"),
]
OFFERS: tuple[Tools, ...] = (list(TOOLS.values()), LOOSE, WORDS, [tool("search", {"query": TEXT})], [])


def schemas(tools: Tools) -> dict[str, dict[str, Any]]:
    """The schemas of the parameters, by tool and parameter."""
    plain = [one.get("function", one) for one in tools]
    return {one["name"]: dict((one["parameters"] or {}).get("properties") or {}) for one in plain}


SCHEMAS = tuple(map(schemas, OFFERS))
