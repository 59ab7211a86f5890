"""The arguments of one call, made fit for a schema. Law: a coercion never changes what was meant; the rest is told.

The schema may be foreign (MCP): nothing in it is taken for granted but that `check_spec` let it pass.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any
from urllib.parse import unquote

from opposable.errors import ToolError, TryAgain
from opposable.messages import ToolSpec
from opposable.tools.problems import MOST, at, expected, problem, shown

NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_DEEPEST = 40
# One step takes about a microsecond. Choices in choices in choices have more ways through them than can be tried.
_MOST_STEPS = 10_000
_STEPS_A_VALUE = 30
_MOST_TOLD = 200_000
_CHARACTERS_A_STEP = 64
_IN_PLACE = ("anyOf", "oneOf", "allOf", "not", "if", "then", "else")
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_OF_VALUES = ("default", "const", "enum", "examples")
_INTEGER = re.compile(r"[+-]?\d{1,400}(?:\.0{1,400})?")
_NUMBER = re.compile(r"[+-]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,4})?")
_EXACT = 2**53
_NOT_READ = object()


def check_spec(spec: ToolSpec) -> None:
    """Errors: ToolError, where the name cannot be used or the schema is invalid, remote, or not that of an object."""
    name: Any = spec.name  # a spec may come from a foreign server: its types are promises only
    parameters: Any = spec.parameters
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise ToolError(f"{spec.name!r} cannot be the name of a tool: use 1 to 64 of the characters A-Z a-z 0-9 _ . -")
    if not isinstance(parameters, Mapping) or parameters.get("type", "object") != "object":
        raise ToolError(f'the parameters of {spec.name} are no schema of an object: begin with {{"type": "object"}}')
    try:
        _check_references(_compiled(_as_text(spec)).root)
    except (ValueError, TypeError, RecursionError) as error:
        first = str(error).strip().split("\n", 1)[0][:300]
        raise ToolError(f"the parameters of {spec.name} are no valid JSON Schema: {first}") from error


def settle(spec: ToolSpec, arguments: Any) -> dict[str, Any]:
    """The arguments with the types the schema wants: "5" for 5, "true" for true, 5.0 for 5, 5 for "5", a JSON text for
    an object or a list, one value for a list of such values, null for an optional field that takes no null.

    Defaults are not filled in. Errors: TryAgain, with everything that is wrong and what would be right.
    """
    if isinstance(arguments, str):
        arguments = _from_json(arguments)
    if not isinstance(arguments, Mapping):
        raise TryAgain(f"The arguments of {spec.name} must be one JSON object with the fields {_fields(spec)}.")
    compiled = _compiled(_as_text(spec))
    try:
        steps = _MOST_STEPS + _STEPS_A_VALUE * _size(arguments)
        value = _Coercion(compiled, steps).coerce(copied(arguments), "#", 0)
        work = compiled.work("#", value, steps)
        if work is None:
            raise TryAgain(
                f"The arguments of {spec.name} could be read in too many ways. Give fewer or simpler values."
            )
        lines = _problems(compiled, value, work * _size(value))
    except (ValueError, TypeError, RecursionError) as error:  # keys that are no text, nesting without end
        raise TryAgain(f"The arguments of {spec.name} cannot be read as JSON: {str(error)[:200]}") from error
    if lines:
        more = ["- and more"] if len(lines) > MOST else []
        told = "\n".join([*dict.fromkeys(f"- {line}" for line in lines[:MOST]), *more])
        raise TryAgain(f"The arguments of {spec.name} do not fit:\n{told}\nCall {spec.name} again with this put right.")
    return value if isinstance(value, dict) else dict(arguments)


def copied(value: Any) -> Any:
    """Parsed JSON anew: no list or object of it is shared."""
    if isinstance(value, Mapping):
        return dict(zip(value, map(copied, value.values()), strict=True))
    return list(map(copied, value)) if isinstance(value, list) else value


def _problems(compiled: "_Compiled", value: Any, cost: int) -> list[str]:
    if compiled.validator.is_valid(value):
        return []
    if cost <= _MOST_TOLD:
        errors = list(islice(compiled.validator.iter_errors(value), MOST + 1))
        return [problem(error, compiled.root) for error in errors]
    # Each choice that failed is told with a copy of its value: too much, where there are many of both.
    places = {name: f"#/properties/{_escaped(name)}" for name in value}
    return [
        f"`{name[:100]}` is {shown(value[name])}; right is {expected(compiled.at(place))}"
        for name, place in places.items()
        if place in compiled.parts and not compiled.fits(value[name], place)
    ][: MOST + 1] or [f"the arguments must be {expected(compiled.root)}"]


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _fields(spec: ToolSpec) -> str:
    properties = spec.parameters.get("properties")
    return ", ".join(f"`{name}`" for name in properties) if isinstance(properties, Mapping) and properties else "(none)"


def _check_references(schema: Any) -> None:
    """What a reference by name leads to, only the validator could tell: how long it takes would be unknown."""
    waiting = [schema]
    while waiting:
        schema = waiting.pop()
        if isinstance(schema, list):
            waiting += schema
        elif isinstance(schema, dict):
            for key in _REFERENCES:
                reference = schema.get(key, "#")
                if isinstance(reference, str) and reference != "#" and not reference.startswith("#/"):
                    raise ValueError(f"{reference[:80]!r} is no reference such as #/$defs/Name")
            waiting += (member for key, member in schema.items() if key not in _OF_VALUES)


def _size(value: Any) -> int:
    """How many values there are in a value; a long text counts as many."""
    count = 0
    waiting = [value]
    while waiting:
        value = waiting.pop()
        count += _price(value)
        if isinstance(value, Mapping):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return count


def _price(value: Any) -> int:
    return 1 + len(value) // _CHARACTERS_A_STEP if isinstance(value, str) else 1


def _as_text(spec: ToolSpec) -> str:
    return json.dumps(spec.parameters, allow_nan=False, default=dict)


@lru_cache(maxsize=512)
def _compiled(text: str) -> "_Compiled":
    return _Compiled(text)


class _Compiled:
    """A schema ready for use, with a validator of each of its parts by JSON pointer."""

    def __init__(self, text: str) -> None:
        import jsonschema_rs  # 25 ms, needed by the first call only

        self.root = json.loads(text)
        # Nothing is fetched: a schema of a foreign server must not make this machine ask a third one.
        self.validator = jsonschema_rs.validator_for(self.root, offline=True)
        self.parts = jsonschema_rs.validator_map_for(self.root, offline=True)
        self._found: dict[str, Any] = {}

    def fits(self, value: Any, pointer: str) -> bool:
        part = self.parts.get(pointer)
        try:
            return part is not None and part.is_valid(value)
        except (ValueError, TypeError):
            return False

    def at(self, pointer: str) -> Any:
        if pointer not in self._found:
            steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
            self._found[pointer] = at(self.root, steps)
        return self._found[pointer]

    def work(self, pointer: str, value: Any, most: int) -> int | None:
        """How many steps it takes at worst to validate a value; None, where they are more than `most`."""
        steps = 0
        waiting = [(self.at(pointer), value, 0)]
        while waiting:
            schema, value, hops = waiting.pop()
            steps += _price(value) + (len(value) // 8 if isinstance(value, dict | list) else 0)
            if steps > most:
                return None
            if not isinstance(schema, dict) or hops > _DEEPEST:
                continue
            for key in _IN_PLACE:
                if key in schema:
                    inner = schema[key]
                    waiting += ((s, value, hops + 1) for s in (inner if isinstance(inner, list) else (inner,)))
            for key in _REFERENCES:
                if isinstance(schema.get(key), str):
                    waiting.append((self.at(unquote(schema[key])), value, hops + 1))
            if isinstance(value, dict):
                waiting += _of_fields(schema, value)
                waiting += ((s, value, hops + 1) for s in _members(schema, "dependentSchemas", "dependencies"))
            elif isinstance(value, list):
                placed, others = _of_entries(schema)
                waiting += ((s, v, 0) for s, v in zip(placed, value, strict=False))
                waiting += ((s, v, 0) for s in others for v in value)
        return steps


def _members(schema: Mapping[str, Any], *keys: str) -> list[Any]:
    return [member for key in keys if isinstance(schema.get(key), dict) for member in schema[key].values()]


def _of_fields(schema: Mapping[str, Any], value: Mapping[str, Any]) -> list[tuple[Any, Any, int]]:
    """The fields of an object with the schemas that they may have to fit."""
    properties = schema.get("properties")
    own = properties if isinstance(properties, dict) else {}
    others = [schema[key] for key in ("additionalProperties", "unevaluatedProperties") if key in schema]
    others = [s for s in others + _members(schema, "patternProperties") if isinstance(s, dict)]
    named = [(own[name], member, 0) for name, member in value.items() if name in own]
    return named + [(s, member, 0) for s in others for member in value.values()]


def _of_entries(schema: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    """The schemas that the entries of a list may have to fit: each its own, and all of them."""
    placed = [s for key in ("prefixItems", "items") if isinstance(schema.get(key), list) for s in schema[key]]
    keys = ("items", "contains", "additionalItems", "unevaluatedItems")
    return placed, [schema[key] for key in keys if isinstance(schema.get(key), dict)]


class _Coercion:
    """One walk of a value along a schema. It has a budget: choices that refer to themselves would never end."""

    def __init__(self, schema: _Compiled, steps: int) -> None:
        self.schema = schema
        self.left = steps

    def fits(self, value: Any, pointer: str) -> bool:
        steps = self.schema.work(pointer, value, self.left)
        self.left = -1 if steps is None else self.left - steps - _size(value)
        return steps is not None and self.schema.fits(value, pointer)

    def coerce(self, value: Any, pointer: str, depth: int) -> Any:
        self.left -= 2 * _price(value)
        schema = self.schema.at(pointer)
        if not isinstance(schema, Mapping) or depth > _DEEPEST or self.left < 0:
            return value
        reference = schema.get("$ref")
        if isinstance(reference, str) and reference.startswith("#"):
            value = self.coerce(value, unquote(reference), depth + 1)
        for key in ("anyOf", "oneOf"):
            if isinstance(schema.get(key), list):
                value = self._chosen(value, [f"{pointer}/{key}/{i}" for i in range(len(schema[key]))], depth)
        if isinstance(schema.get("allOf"), list):
            for i in range(len(schema["allOf"])):
                value = self.coerce(value, f"{pointer}/allOf/{i}", depth + 1)
        value = self._typed(value, schema, pointer, depth)
        if isinstance(value, dict):
            return self._object(value, schema, pointer, depth)
        if isinstance(value, list) and isinstance(schema.get("items"), Mapping):
            return [self.coerce(member, f"{pointer}/items", depth + 1) for member in value]
        return value

    def _chosen(self, value: Any, branches: Sequence[str], depth: int) -> Any:
        """What fits as it is goes before what has to be changed."""
        for branch in branches:
            if self.fits(value, branch):
                return self.coerce(value, branch, depth + 1)
        for branch in branches:
            if self.left < 0:
                break
            changed = self.coerce(value, branch, depth + 1)
            if self.fits(changed, branch):
                return changed
        return value

    def _object(self, value: dict[str, Any], schema: Mapping[str, Any], pointer: str, depth: int) -> dict[str, Any]:
        properties = schema.get("properties")
        if not isinstance(properties, Mapping):
            return value
        required = schema.get("required")
        settled = {}
        for name, member in value.items():
            if name not in properties:
                settled[name] = member
                continue
            place = f"{pointer}/properties/{_escaped(name)}"
            member = self.coerce(member, place, depth + 1)
            optional = not isinstance(required, list) or name not in required
            # Small models write null for what they leave out.
            if not (member is None and optional and not self.fits(None, place)):
                settled[name] = member
        return settled

    def _typed(self, value: Any, schema: Mapping[str, Any], pointer: str, depth: int) -> Any:
        types = _types(schema)
        if not types or any(_is(value, name) for name in types):
            return value
        for name in types:
            changed = _CONVERSIONS.get(name, _unread)(value)
            if changed is not _NOT_READ:
                return changed
        if "array" in types and not _looks_like_json(value):
            place = f"{pointer}/items"
            member = self.coerce(value, place, depth + 1)
            if value is not None and ("items" not in schema or self.fits(member, place)):
                return [member]
        return value


def _types(schema: Mapping[str, Any]) -> list[str]:
    named = schema.get("type")
    if isinstance(named, str):
        return [named]
    if isinstance(named, list):
        return [name for name in named if isinstance(name, str)]
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    if not isinstance(values, list):
        return []
    return list(dict.fromkeys(name for value in values for name in _IS if _is(value, name)))


_IS: dict[str, Callable[[Any], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def _is(value: Any, name: str) -> bool:
    return name in _IS and _IS[name](value)


def _looks_like_json(value: Any) -> bool:
    return isinstance(value, str) and value.lstrip()[:1] in ("[", "{")


def _unread(_value: Any) -> Any:
    return _NOT_READ


def _to_integer(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer() and abs(value) <= _EXACT:
        return int(value)
    if isinstance(value, str) and _INTEGER.fullmatch(value.strip()):
        return int(value.strip().split(".")[0])
    return _NOT_READ


def _to_number(value: Any) -> Any:
    if not isinstance(value, str) or not _NUMBER.fullmatch(value.strip()):
        return _NOT_READ
    whole = _to_integer(value)
    number = float(value) if whole is _NOT_READ else whole
    return number if abs(number) != float("inf") else _NOT_READ


def _to_boolean(value: Any) -> Any:
    return {"true": True, "false": False}.get(value.strip().lower(), _NOT_READ) if isinstance(value, str) else _NOT_READ


def _to_string(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, int | float) and not isinstance(value, bool) else _NOT_READ


def _to_null(value: Any) -> Any:
    return None if isinstance(value, str) and value.strip().lower() in ("null", "none") else _NOT_READ


def _from_json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_json)
    except (ValueError, RecursionError):
        return _NOT_READ


def _no_json(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")


def _to_container(kind: type) -> Callable[[Any], Any]:
    def convert(value: Any) -> Any:
        read = _from_json(value) if _looks_like_json(value) else _NOT_READ
        return read if isinstance(read, kind) else _NOT_READ

    return convert


_CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "integer": _to_integer,
    "number": _to_number,
    "boolean": _to_boolean,
    "null": _to_null,
    "object": _to_container(dict),
    "array": _to_container(list),
    "string": _to_string,
}
