"""Values that a shape can only write as text, read by the tool's schema; and whether a value fits a schema.

Law: text that can only be a string is never changed, and a value is read only where there is one way to read it.
No schema is too odd: what it says in no known way, it does not say.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias
from urllib.parse import unquote

from opposable.wire.mend import Malformed, clean, loads, number

Kinds: TypeAlias = frozenset[str]

_NUMBER = frozenset({"integer", "number"})
_KINDS: Mapping[str, Kinds] = {
    **{word: frozenset({word}) for word in ("string", "integer", "boolean", "object", "array", "null")},
    "number": _NUMBER,
    "float": _NUMBER,
    "int": frozenset({"integer"}),
    "bool": frozenset({"boolean"}),
    "str": frozenset({"string"}),
    "dict": frozenset({"object"}),
    "list": frozenset({"array"}),
}
_ANY: Kinds = frozenset().union(*_KINDS.values())
_DEEPEST = 64
"""How many schemas within schemas are looked at; what is deeper allows anything."""
_SPACE = " \t\r\n"
_DIGITS = re.compile(r"[-+]?[0-9]+")
_BREAK = re.compile(r"[\r\n]")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_JSON = frozenset({"repeated_key"})
_PYTHON = _JSON | {"single_quotes", "python_literal", "extra_comma", "escape"}
_PYTHON_ESCAPES = frozenset("\n\r/avxNU01234567")
"""What after a backslash means one thing to Python and another to us."""


def decode(text: str, schema: Any, root: Any, mark: str | None = None) -> Any:
    """The value of a parameter that was written as `text`.

    `schema`: the parameter's, None where the tool's schema `root` does not name it. `mark`: what the shape itself says
    of the value, "string", "json" or a word for a type; it counts where the schema says nothing about types.
    A number stays as it was written: 3.0 for an integer is 3.0, which fits it. White space around a value is layout,
    but where the schema allows a string `null` and `None` have none. What stays text is clean of lone surrogates.
    """
    allowed = types(schema, root)
    if not allowed and mark is not None:
        allowed = _KINDS.get(mark.casefold(), frozenset())
    elif schema is None:
        return clean(text)
    if not allowed:
        return _first(text, (_strict,), _ANY)
    if "string" in allowed:
        return None if "null" in allowed and text in ("null", "None") else _first(text, (_strict_thing,), allowed)
    if "null" in allowed and text.strip(_SPACE) in ("null", "None"):
        return None
    return _first(text, (_strict_thing, _digits, _truth, _python, _escaped), allowed)


def _first(text: str, readings: Iterable[Callable[[str], Any]], allowed: Kinds) -> Any:
    """What the first reading that knows the text and finds something allowed makes of it; else the text."""
    for reading in readings:
        try:
            value = reading(text)
        except Malformed:
            continue
        if kind(value) in allowed:
            return value
    return clean(text)


def _strict(text: str) -> Any:
    """The one value of strict JSON."""
    return _one(text, _JSON)


def _strict_thing(text: str) -> Any:
    """The one value of strict JSON that is neither a string nor null: those are as well meant as text."""
    value = _strict(text)
    if value is None or isinstance(value, str):
        raise Malformed("a string or null")
    return value


def _one(text: str, mends: frozenset[str]) -> Any:
    """The one value in the text, where it needs no other mends than these."""
    text = text.strip(_SPACE)
    values, needed = loads(text, ended=False)
    if len(values) > 1 or text.endswith((",", ";")) or not mends.issuperset(needed):
        raise Malformed("not this language")
    return values[0]


def _digits(text: str) -> Any:
    """Digits with a sign, or with zeros before them."""
    text = text.strip(_SPACE)
    if not _DIGITS.fullmatch(text):
        raise Malformed("no digits")
    return number(text)


def _truth(text: str) -> bool:
    text = text.strip(_SPACE)
    if text not in ("True", "False"):
        raise Malformed("no truth value of Python")
    return text == "True"


def _python(text: str) -> Any:
    """A list or dict of Python. Tuples, and escapes that mean something else to Python than to us, are not read."""
    value = _container(_one(text, _PYTHON if _BREAK.search(text) else _PYTHON | {"raw_control"}))
    if not _PYTHON_ESCAPES.isdisjoint(_ESCAPED.findall(text)):
        raise Malformed("an escape of Python's own")
    return value


def _escaped(text: str) -> Any:
    """A list or object of JSON escaped once too often, with quotes around it or without."""
    text = text.strip(_SPACE)
    if text[:1] != '"':
        text = f'"{text}"'
    return _container(_strict(_one(text, frozenset({"raw_control"}))))


def _container(value: Any) -> Any:
    if not isinstance(value, dict | list):
        raise Malformed("no list and no object")
    return value


def kind(value: Any) -> str:
    """The narrowest type of JSON Schema that a value has: 3.0 is an integer, True is none."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case str():
            return "string"
        case int():
            return "integer"
        case float():
            return "integer" if value.is_integer() else "number"
        case list():
            return "array"
        case _:
            return "object"


def types(schema: Any, root: Any) -> Kinds:
    """The types that a schema allows, by JSON Schema's names; none where it says nothing about types.

    "number" comes with "integer". Words for types: those of JSON Schema in any case (`STRING` is Google's) and
    `str int float bool dict list`; a word unknown says nothing, and so do `$ref`s to nowhere.
    """
    return _types(schema, root, {}, 0) or frozenset()


def _types(schema: Any, root: Any, known: dict[int, Kinds | None], depth: int) -> Kinds | None:
    """The types allowed; None is any. `known`: of each schema by its id, so that none is looked at twice."""
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return frozenset() if schema is False else None
    if id(schema) in known:
        return known[id(schema)]
    known[id(schema)] = frozenset()  # a schema within itself adds nothing

    def inner(one: Any) -> Kinds | None:
        return _types(one, root, known, depth + 1)

    found = _merged(inner(at(schema.get("$ref"), root)), _named(schema.get("type")))
    values = [schema["const"]] if "const" in schema else _listed(schema.get("enum"))
    found = _merged(found, _joined([_KINDS[kind(value)] for value in values]))
    for key in ("anyOf", "oneOf"):
        found = _merged(found, _joined([inner(one) for one in _listed(schema.get(key))]))
    for one in _listed(schema.get("allOf")):
        found = _merged(found, inner(one))
    found = found or _hinted(schema) or found
    if found and schema.get("nullable") is True:
        found |= {"null"}
    known[id(schema)] = found
    return found


def _merged(one: Kinds | None, other: Kinds | None) -> Kinds | None:
    """What both allow. Where they contradict each other the first counts: a schema that allows nothing is a slip."""
    if one is None or other is None:
        return other if one is None else one
    return one & other or one or other


def _joined(branches: list[Kinds | None]) -> Kinds | None:
    """What any of these allows."""
    told = [branch for branch in branches if branch is not None]
    return frozenset().union(*told) if told and len(told) == len(branches) else None


def _named(words: Any) -> Kinds | None:
    """The types that the value of `type` names."""
    written = [words] if isinstance(words, str) else _listed(words)
    return frozenset().union(*(_KINDS.get(word.casefold(), ()) for word in written if isinstance(word, str))) or None


def _hinted(schema: Mapping[str, Any]) -> Kinds:
    """What a schema without types is about."""
    hints = (("object", "properties", Mapping), ("array", "items", Mapping | bool))
    return frozenset(name for name, key, form in hints if isinstance(schema.get(key), form))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def at(pointer: Any, root: Any) -> Any:
    """What a local `$ref` points at in a schema; None where there is nothing."""
    if not isinstance(pointer, str) or not (pointer == "#" or pointer.startswith("#/")):
        return None
    found = root
    for step in unquote(pointer).split("/")[1:]:
        if isinstance(found, list):
            found = {str(place): item for place, item in enumerate(found)}
        if not isinstance(found, Mapping):
            return None
        found = found.get(step.replace("~1", "/").replace("~0", "~"))
    return found


def fits(value: Any, schema: Any, root: Any) -> bool:
    """Does a value satisfy a schema, as far as the usual keywords go? Others count as satisfied."""
    return _fits(value, schema, root, {}, 0)


def _fits(value: Any, schema: Any, root: Any, known: dict[tuple[int, int], bool], depth: int) -> bool:
    """`known`: of each value and schema by their ids, so that none are compared twice."""
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return schema is not False
    pair = id(value), id(schema)
    if pair in known:
        return known[pair]
    known[pair] = True  # a schema within itself asks nothing more
    if value is None and schema.get("nullable") is True:
        return True

    def inner(one: Any, within: Any) -> bool:
        return _fits(one, within, root, known, depth + 1)

    named = _named(schema.get("type"))
    known[pair] = (
        (named is None or kind(value) in named)
        and ("const" not in schema or _same(value, schema["const"]))
        and (not isinstance(schema.get("enum"), list) or any(_same(value, one) for one in schema["enum"]))
        and (not isinstance(value, dict) or _has(value, _listed(schema.get("required"))))
        and inner(value, at(schema.get("$ref"), root))
        and all(
            any(inner(value, one) for one in branches)
            for key in ("anyOf", "oneOf")
            if (branches := _listed(schema.get(key)))
        )
        and all(inner(value, one) for one in _listed(schema.get("allOf")))
        and all(inner(one, within) for one, within in _members(value, schema))
    )
    return known[pair]


def _members(value: Any, schema: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    """The members of a value, each with what the schema says of it."""
    properties = schema.get("properties")
    if isinstance(value, dict) and isinstance(properties, Mapping):
        return [(value[key], properties[key]) for key in value if key in properties]
    if isinstance(value, list) and "prefixItems" not in schema:
        return [(item, schema.get("items")) for item in value]
    return []


def _has(value: dict[str, Any], keys: list[Any]) -> bool:
    return all(key in value for key in keys if isinstance(key, str))


def _same(one: Any, other: Any) -> bool:
    """Are these two the same value of JSON? 1 is 1.0, and True is neither."""
    pairs = [(one, other)]
    while pairs:
        left, right = pairs.pop()
        if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
            pairs += [(left[key], right[key]) for key in left]
        elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
            pairs += zip(left, right, strict=True)
        elif isinstance(left, dict | list) or left != right or isinstance(left, bool) != isinstance(right, bool):
            return False
    return True
