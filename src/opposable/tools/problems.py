"""What is wrong with arguments, in words for a model. Law: a line says which field, what was given, what is right."""

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Protocol

MOST = 5
"""How many problems are told at once: a small model cannot mend more."""

_KINDS = {
    "string": "a text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
    "array": "a list",
    "object": "an object",
}
_LIMITS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters long",
    "maxLength": "at most {} characters long",
    "minItems": "with at least {} entries",
    "maxItems": "with at most {} entries",
    "pattern": "matching the pattern {}",
    "format": "in the format {}",
}


class SchemaError(Protocol):
    """What is used of an error of jsonschema_rs."""

    @property
    def kind(self) -> Any: ...
    @property
    def instance(self) -> Any: ...
    @property
    def instance_path(self) -> Sequence[str | int]: ...
    @property
    def schema_path(self) -> Sequence[str | int]: ...


def problem(error: SchemaError, root: Mapping[str, Any]) -> str:
    """One line on one error of validation against the schema `root`."""
    place = _place(error.instance_path)
    found = at(root, error.schema_path[:-1])
    schema: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
    properties = schema.get("properties")
    properties = properties if isinstance(properties, Mapping) else {}
    value = error.kind.value
    match error.kind.name:
        case "required":
            wanted = properties.get(value, {})
            return f"`{_place([*error.instance_path, value])}` is missing; right is {expected(wanted)}{_about(wanted)}"
        case "additionalProperties" | "unevaluatedProperties":
            known = ", ".join(f"`{name}`" for name in properties) or "none"
            return "; ".join(_unknown(name, error.instance_path, list(properties)) for name in value[:MOST]) + (
                f"; the fields are: {known}"
            )
        case "falseSchema":
            return f"`{place}` takes no value: leave it out"
    said = _about(schema)
    if not error.instance_path:
        return f"the arguments must be {expected(schema)}{said}"
    return f"`{place}` is {shown(error.instance)}; right is {expected(schema)}{said}"


def expected(schema: Any, depth: int = 0) -> str:
    """What a schema asks for, in a few words."""
    if not isinstance(schema, Mapping) or depth > 3:
        return "another value"
    if "const" in schema:
        return shown(schema["const"])
    if isinstance(schema.get("enum"), list):
        return "one of " + ", ".join(shown(value) for value in schema["enum"][:20])
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            return " or ".join(dict.fromkeys(expected(member, depth + 1) for member in schema[key][:6]))
    named = schema.get("type")
    kinds = [_KINDS.get(name, str(name)) for name in (named if isinstance(named, list) else [named]) if name]
    text = " or ".join(kinds) or "a value"
    if named == "array" and isinstance(schema.get("items"), Mapping):
        text = f"a list, each entry {expected(schema['items'], depth + 1)}"
    if named == "object" and isinstance(schema.get("properties"), Mapping):
        text = "an object with the fields " + ", ".join(f"`{name}`" for name in list(schema["properties"])[:12])
    limits = [words.format(shown(schema[key])) for key, words in _LIMITS.items() if key in schema]
    return " ".join([text, *limits])


def shown(value: Any) -> str:
    """A value as JSON, cut short."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, TypeError, RecursionError):
        text = f"a {type(value).__name__}"
    return text if len(text) <= 80 else text[:60] + " … (cut)"


def _unknown(name: str, path: Sequence[str | int], known: Sequence[str]) -> str:
    near = get_close_matches(name[:100], known, n=1)
    return f"there is no field `{_place([*path, name[:100]])}`" + (f" (is `{near[0]}` meant?)" if near else "")


def _about(schema: Any) -> str:
    description = schema.get("description") if isinstance(schema, Mapping) else None
    return f" ({description[:200]})" if isinstance(description, str) and description else ""


def _place(path: Sequence[str | int]) -> str:
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")[:200]


def at(root: Any, path: Sequence[str | int]) -> Any:
    """What stands in parsed JSON at the end of a path of names and places; None where there is nothing."""
    for step in map(str, path):
        if isinstance(root, Mapping):
            root = root.get(step)
        elif isinstance(root, list) and step.isascii() and step.isdigit() and int(step) < len(root):
            root = root[int(step)]
        else:
            return None
    return root
