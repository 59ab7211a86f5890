"""Rules of a grammar made from JSON Schemas: what comes out under them is a value that the schema allows.

Law: whatever a schema says, there is a rule; what it cannot hold is left open, and said in a note. The notation is
GBNF, llama.cpp's grammar notation; white space is fixed, so that a model has nothing to wander in.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from opposable.wire.fits import at, fits

JsonSchema = Mapping[str, Any]

LONGEST_ENUM = 256
"""More choices than this are left open."""
_DEEPEST = 32

_COMMON = {
    "string": r'"\"" char* "\""',
    "text": r'"\"" char+ "\""',
    "char": r'[^"\\\x00-\x1f\x7f] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F])',
    "integer": '"-"? ("0" | [1-9] [0-9]{0,15})',
    "number": 'integer ("." [0-9]{1,15})?',
    "boolean": '"true" | "false"',
    "null": '"null"',
    "value": "object | array | string | number | boolean | null",
    "object": r'"{" (member (", " member)*)? "}"',
    "member": r'string ": " value',
    "array": r'"[" (value (", " value)*)? "]"',
}
_NEEDS = {
    "string": ("char",),
    "text": ("char",),
    "number": ("integer",),
    "value": ("object", "array", "string", "number", "boolean", "null"),
    "object": ("member",),
    "member": ("string", "value"),
    "array": ("value",),
}

# Keywords that forbid something and are not held, for every type and for each.
_LOGIC = ("const", "enum", "anyOf", "oneOf", "allOf", "not", "if", "$dynamicRef")
_NUMERIC = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_LIMITS = {
    "string": ("pattern", "format", "minLength", "maxLength"),
    "integer": _NUMERIC,
    "number": _NUMERIC,
    "boolean": (),
    "null": (),
    "array": ("prefixItems", "maxItems", "uniqueItems", "contains", "unevaluatedItems"),
    "object": (
        *("patternProperties", "propertyNames", "minProperties", "maxProperties"),
        *("dependentRequired", "dependentSchemas", "dependencies", "unevaluatedProperties"),
    ),
}
_SHAPE = ("$ref", "type", "properties", "required", "additionalProperties", "items", "minItems")
_EVERY = tuple(dict.fromkeys((*_SHAPE, *_LOGIC, *(key for keys in _LIMITS.values() for key in keys))))

_ESCAPES = str.maketrans(
    {code: f"\\x{code:02x}" for code in range(32)} | {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
)
_HALF = re.compile("[\ud800-\udfff]")
QUOTES = "\"'`“”‘’"
"""What may stand around a word that is not part of it."""


def parts_of(text: str) -> dict[str, str]:
    """Rules by which a string is some words of the text that follow each other: `w3` is the fourth and what may follow."""
    words = [bare for word in text.split() if (bare := word.strip(QUOTES))][:LONGEST_ENUM]
    if not words:
        return {}
    some = f'"\\"" ({" | ".join(f"w{place}" for place in range(len(words)))}) "\\""'
    rules = {"string": some, "text": some}
    for place, word in enumerate(words):
        more = f' (" " w{place + 1})?' if place + 1 < len(words) else ""
        last = word.rstrip(QUOTES + ".,;:!?")
        rules[f"w{place}"] = _inside(word) + more + (f" | {_inside(last)}" if last not in ("", word) else "")
    return rules


def literal(text: str) -> str:
    """A rule's part that is exactly this text."""
    return f'"{text.translate(_ESCAPES)}"'


def _json(value: Any) -> str:
    """As JSON. Half a character, which has no place in a grammar, is written as its number."""
    text = json.dumps(value, ensure_ascii=False)
    return json.dumps(value) if _HALF.search(text) else text


def _inside(text: str) -> str:
    """The text as it stands inside a JSON string."""
    return literal(_json(text)[1:-1])


def fixed(schema: JsonSchema) -> list[Any]:
    """The values among which the schema chooses, as far as they are of its type."""
    enum = schema.get("enum")
    values = enum if isinstance(enum, list) else []
    if "const" in schema:
        agreed = not isinstance(enum, list) or _json(schema["const"]) in map(_json, enum)
        values = [schema["const"]] if agreed else []
    return [value for value in values if fits(value, {"type": schema.get("type")}, schema)]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Form:
    """How an object is written: its brackets, and a key with what stands between it and its value."""

    opens: str
    closes: str
    key: Callable[[str], str]


KEYWORDS = Form("(", ")", lambda key: key + "=")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Notation:
    """How values are written: one `value`, an `object`, what stands in and between members; `rules` that JSON's are not."""

    value: Callable[[Any], str]
    object: Form
    colon: str = ": "
    comma: str = ", "
    rules: Mapping[str, str] = field(default_factory=dict)


JSON = Notation(_json, Form("{", "}", lambda key: _json(key) + ": "))


class Rules:
    """Collects the rules of one tool's schema, beside those of others in the same grammar.

    `leads`: which other reference a rule for a reference may begin with. `owner`: the reference whose rule is being
    made, as long as nothing of it was written.
    """

    def __init__(
        self,
        root: JsonSchema,
        offers: Mapping[str, Sequence[str]] | None = None,
        beside: dict[str, str] | None = None,
        notes: list[str] | None = None,
    ) -> None:
        self.schema = root
        self.notation = JSON
        self.offers = offers or {}
        self.rules: dict[str, str] = {} if beside is None else beside
        self.notes: list[str] = [] if notes is None else notes
        self.named: dict[str, str] = {}
        self.leads: dict[str, set[str]] = {}
        self.owner: str | None = None

    def use(self, name: str) -> str:
        if name not in self.rules:
            self.rules[name] = self.notation.rules.get(name) or _COMMON[name]
            for needed in _NEEDS.get(name, ()):
                self.use(needed)
        return name

    def note(self, path: Sequence[str], text: str) -> None:
        note = f"{'.'.join(path) or 'arguments'}: {text}"
        if note not in self.notes:
            self.notes.append(note)

    def leave(self, schema: JsonSchema, path: Sequence[str], keys: Iterable[str]) -> None:
        """Say which of these keywords the schema has, and the grammar does not hold."""
        for key in keys:
            if key in schema:
                self.note(path, f"its {key} is not enforced while writing")

    def leave_all(self, schema: JsonSchema, path: Sequence[str], held: Sequence[str] = ()) -> None:
        """Say that the grammar holds nothing of the schema but these keywords."""
        self.leave(schema, path, (key for key in _EVERY if key not in held))

    def bar(self, char: str) -> None:
        """From now on no string has this character in it, other than by its number."""
        self.rules["char"] = _COMMON["char"].replace("[^", "[^" + char, 1)

    def literal(self, value: Any) -> str:
        """This value, as it is written."""
        return literal(self.notation.value(value))

    @property
    def comma(self) -> str:
        """What stands between two members."""
        return literal(self.notation.comma)

    def rule(self, body: str) -> str:
        name = f"r{len(self.rules)}"
        self.rules[name] = body
        return name

    def arguments(self) -> str:
        """The body of a rule for the arguments of the tool."""
        return self.of({"type": "object", **self.schema}, (), 0)

    def of(self, schema: Any, path: tuple[str, ...], depth: int) -> str:
        """The body of a rule for what `schema` allows."""
        if not isinstance(schema, Mapping):
            if schema is False:
                self.note(path, "no value is allowed there, which is not enforced while writing")
            return self.use("value")
        if depth > _DEEPEST:
            self.note(path, "nested too deeply, any value is allowed there")
            return self.use("value")
        if isinstance(schema.get("$ref"), str):
            self.leave_all(schema, path, ("$ref",))
            return self.reference(schema["$ref"], path, depth)
        if values := fixed(schema):
            return self.enum(values, schema, path)
        kind = schema.get("type")
        for key in ("anyOf", "oneOf", "allOf"):
            branches = schema.get(key)
            several = isinstance(branches, list) and len(branches) > 1
            if (
                isinstance(branches, list)
                and branches
                and "properties" not in schema
                and not (several and key == "allOf")
            ):
                held = ("type", key if not several or key == "anyOf" else "")
                self.leave_all(schema, path, held)
                return self.either([self.of(_of_type(branch, kind), path, depth + 1) for branch in branches])
        if isinstance(kind, list) and kind:
            return self.either(
                [self.of({**schema, "type": one}, path, depth + 1) for one in dict.fromkeys(map(str, kind))]
            )
        return self.typed(schema, path, depth)

    def either(self, bodies: Sequence[str]) -> str:
        return self.rule(" | ".join(dict.fromkeys(bodies)))

    def reference(self, target: str, path: tuple[str, ...], depth: int) -> str:
        """A rule for each `$ref`, so that a schema may refer to itself; but not before anything of it was written."""
        found = at(target, self.schema)
        if found is None:
            self.note(path, f"{target} is not in the schema, any value is allowed there")
            return self.use("value")
        if self.owner is not None:
            if self.begins(target, self.owner):
                self.note(path, f"{target} refers to itself and nothing else, any value is allowed there")
                return self.use("value")
            self.leads.setdefault(self.owner, set()).add(target)
        if target not in self.named:
            self.named[target] = name = self.rule("")
            owner, self.owner = self.owner, target
            self.rules[name] = self.of(found, path, depth + 1)
            self.owner = owner
        return self.named[target]

    def begins(self, one: str, other: str) -> bool:
        """May what `one` refers to begin with what `other` refers to?"""
        seen, ahead = {one}, [one]
        while ahead:
            more = self.leads.get(ahead.pop(), set()) - seen
            seen |= more
            ahead += more
        return other in seen

    def enum(self, values: Sequence[Any], schema: JsonSchema, path: tuple[str, ...]) -> str:
        self.leave_all(schema, path, ("type", "const", "enum"))
        if len(values) > LONGEST_ENUM:
            self.note(path, f"one of {len(values)} values, any is allowed")
            return self.use("string" if all(isinstance(value, str) for value in values) else "value")
        return self.rule(" | ".join(map(self.literal, values)))

    def typed(self, schema: JsonSchema, path: tuple[str, ...], depth: int) -> str:
        kind = schema.get("type")
        if kind is None and isinstance(schema.get("properties"), Mapping):
            kind = "object"
        if not isinstance(kind, str) or kind not in _LIMITS:
            self.leave_all(schema, path)
            return self.use("value")
        held = {key: value for key, value in schema.items() if (key, value) != ("minLength", 1)}
        self.leave(held, path, (*_LOGIC, *_LIMITS[kind]))
        # Whatever is made of it begins with a bracket: from there on any reference may come again.
        owner, self.owner = self.owner, None
        if kind == "object":
            body = self.object(schema, path, depth)
        elif kind == "array":
            body = self.array(schema, path, depth)
        elif kind == "string" and len(path) == 1 and self.offers.get(path[0]):
            body = self.rule(" | ".join(map(self.literal, self.offers[path[0]][:LONGEST_ENUM])))
        elif kind == "string" and schema.get("minLength"):
            body = self.use("text")
        else:
            body = self.use(kind)
        self.owner = owner
        return body

    def array(self, schema: JsonSchema, path: tuple[str, ...], depth: int) -> str:
        item = self.of(schema.get("items"), (*path, "[]"), depth + 1)
        least = schema.get("minItems", 0)
        if least not in (0, 1):
            self.leave(schema, path, ("minItems",))
        some = f"{item} ({self.comma} {item})*"
        return self.rule(f'"[" ({some})? "]"' if least == 0 else f'"[" {some} "]"')

    def keywords(self, is_keyword: Callable[[str], object]) -> str:
        """The body of a rule for the arguments as Python has them in a call; as one object, where keywords cannot be all.

        A slash is not escaped in it: for Python its backslash would be part of the text.
        """
        self.rules["char"] = _COMMON["char"].replace("/", "")
        properties, required = self.schema.get("properties"), self.schema.get("required")
        keys = [
            *(properties if isinstance(properties, Mapping) else ()),
            *(required if isinstance(required, list) else ()),
        ]
        if any(key in self.schema for key in ("$ref", *_LOGIC)) or not all(map(is_keyword, map(str, keys))):
            return f'"(" {self.arguments()} ")"'
        if not keys:
            return f'"(" ({self.arguments()})? ")"'
        self.leave(self.schema, (), _LIMITS["object"])
        return self.object(self.schema, (), 0, KEYWORDS)

    def object(self, schema: JsonSchema, path: tuple[str, ...], depth: int, form: Form | None = None) -> str:
        form = form or self.notation.object
        properties, required = schema.get("properties"), schema.get("required")
        needed = [key for key in required if isinstance(key, str)] if isinstance(required, list) else []
        allowed = dict(properties) if isinstance(properties, Mapping) else {}
        for key in needed:
            allowed.setdefault(key, schema.get("additionalProperties", True))
        if not allowed:
            return self.map(schema.get("additionalProperties", depth > 0), path, depth)
        member = {
            key: f"{literal(form.key(key))} {self.of(value, (*path, key), depth + 1)}"
            for key, value in allowed.items()
            if key in needed or value is not False
        }
        # The optional ones come after the required ones, each or none, in their order.
        rest = ""
        starts: list[str] = []
        for key in reversed([key for key in member if key not in needed]):
            starts.insert(0, f"{member[key]} {rest}".strip())
            this = f"{self.comma} {member[key]}"
            rest = self.rule(f"{this} {rest} | {rest}" if rest else f'{this} | ""')
        if needed:
            inside = f" {self.comma} ".join(member[key] for key in member if key in needed) + f" {rest}"
            return self.rule(f'"{form.opens}" {inside.strip()} "{form.closes}"')
        if not starts:
            return f'"{form.opens}{form.closes}"'
        return self.rule(f'"{form.opens}" ({" | ".join(starts)})? "{form.closes}"')

    def map(self, values: Any, path: tuple[str, ...], depth: int) -> str:
        """Keys of any name, with values of one schema."""
        if values is False:
            return '"{}"'
        member = f"{self.use('string')} {literal(self.notation.colon)} {self.of(values, (*path, '{}'), depth + 1)}"
        return self.rule(f'"{{" ({member} ({self.comma} {member})*)? "}}"')


def _of_type(branch: Any, kind: Any) -> Any:
    """A branch, of the type that stands beside all branches."""
    if branch is True:
        branch = {}
    return {"type": kind, **branch} if kind and isinstance(branch, Mapping) and "$ref" not in branch else branch
