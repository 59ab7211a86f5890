"""Words written without quotes in a shape that has them for text too. Law: the schema alone makes text of a number."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from opposable.wire.calls import Draft
from opposable.wire.fits import at, kind, types
from opposable.wire.offered import Offered


@dataclass(frozen=True, slots=True)
class Bare:
    """A word as it was written, and the value that it writes."""

    text: str
    value: Any


def settle(draft: Draft, tools: Offered) -> Draft:
    """The draft with each of its bare words read: numbers and truth values are text where only a string may stand."""
    name = tools.name(draft.name)
    if name is not None:
        schema = tools.schema(name)
        draft.arguments = _settled(draft.arguments, schema, schema)
    return draft


def _settled(value: Any, schema: Any, root: Any) -> Any:
    if isinstance(value, Bare):
        allowed = types(schema, root)
        is_text = "string" in allowed and value.value is not None and kind(value.value) not in allowed
        return value.text if is_text else value.value
    if isinstance(value, dict):
        inner = _part(schema, root, "properties")
        return {
            key: _settled(item, inner.get(key) if isinstance(inner, Mapping) else None, root)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_settled(item, _part(schema, root, "items"), root) for item in value]
    return value


def _part(schema: Any, root: Any, key: str) -> Any:
    """What a schema, or the one that it refers to, says under a key."""
    if isinstance(schema, Mapping) and key not in schema:
        schema = at(schema.get("$ref"), root)
    return schema.get(key) if isinstance(schema, Mapping) else None
