"""Grammars made from tools: what comes out under them is a call's arguments, or one of some fixed texts.

Law: whatever a schema says, there is a grammar; what it cannot hold is left open, and said in a note. The notation is
GBNF, llama.cpp's grammar notation; white space is fixed, so that a model has nothing to wander in.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

JsonSchema = Mapping[str, Any]

LONGEST_ENUM = 256
"""More choices than this are left open."""
_DEEPEST = 8

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


def choice(texts: Iterable[str]) -> str:
    """A grammar of exactly these texts."""
    return f"root ::= {' | '.join(map(_literal, texts))}"


def arguments(
    schema: JsonSchema, offers: Mapping[str, Sequence[str]] | None = None, words: str = ""
) -> tuple[str, tuple[str, ...]]:
    """A grammar of the arguments that `schema` allows, and notes on what it could not hold.

    `offers`: for a string parameter of the tool, the values among which to choose. `words`: a text of which every free
    string has to be a part, from one word of it to another.
    """
    maker = _Maker(schema, offers or {})
    if words.strip():
        maker.rules |= _parts_of(words)
    root = maker.of(schema, (), 0)
    maker.rules["root"] = root
    return "\n".join(f"{name} ::= {body}" for name, body in _ordered(maker.rules)), tuple(maker.notes)


def _parts_of(text: str) -> dict[str, str]:
    """Rules by which a string is some words of the text that follow each other: `w3` is the fourth and what may follow."""
    words = [word.strip("\"'`“”‘’") for word in text.split()[:LONGEST_ENUM]]
    some = f'"\\"" ({" | ".join(f"w{place}" for place in range(len(words)))}) "\\""'
    rules = {"string": some, "text": some}
    for place, word in enumerate(words):
        more = f' (" " w{place + 1})?' if place + 1 < len(words) else ""
        last = word.rstrip("\"'`“”‘’.,;:!?")
        rules[f"w{place}"] = _inside(word) + more + (f" | {_inside(last)}" if last not in ("", word) else "")
    return rules


def _ordered(rules: Mapping[str, str]) -> list[tuple[str, str]]:
    return sorted(rules.items(), key=lambda rule: rule[0] != "root")


def _literal(text: str) -> str:
    escaped = (
        text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    )
    return f'"{escaped}"'


def _inside(text: str) -> str:
    """The text as it stands inside a JSON string."""
    return _literal(json.dumps(text, ensure_ascii=False)[1:-1])


def _json_literal(value: Any) -> str:
    return _literal(json.dumps(value, ensure_ascii=False))


class _Maker:
    """Collects the rules of one schema."""

    def __init__(self, root: JsonSchema, offers: Mapping[str, Sequence[str]]) -> None:
        self.schema = root
        self.offers = offers
        self.rules: dict[str, str] = {}
        self.notes: list[str] = []
        self.named: dict[str, str] = {}
        self.opening: list[str] = []

    def use(self, name: str) -> str:
        if name not in self.rules:
            self.rules[name] = _COMMON[name]
            for needed in _NEEDS.get(name, ()):
                self.use(needed)
        return name

    def note(self, path: Sequence[str], text: str) -> None:
        note = f"{'.'.join(path) or 'arguments'}: {text}"
        if note not in self.notes:
            self.notes.append(note)

    def rule(self, body: str) -> str:
        name = f"r{len(self.rules)}"
        self.rules[name] = body
        return name

    def of(self, schema: Any, path: tuple[str, ...], depth: int) -> str:
        """The body of a rule for what `schema` allows."""
        if not isinstance(schema, Mapping):
            return self.use("value")
        if depth > _DEEPEST:
            self.note(path, "nested too deeply, any value is allowed there")
            return self.use("value")
        if isinstance(schema.get("$ref"), str):
            return self.reference(schema["$ref"], path)
        if "const" in schema:
            return _json_literal(schema["const"])
        if isinstance(schema.get("enum"), list) and schema["enum"]:
            return self.enum(schema["enum"], path)
        for key in ("anyOf", "oneOf"):
            if isinstance(schema.get(key), list) and schema[key]:
                return self.either([self.of(branch, path, depth + 1) for branch in schema[key]])
        kind = schema.get("type")
        if isinstance(kind, list) and kind:
            return self.either([self.of({**schema, "type": one}, path, depth + 1) for one in kind])
        if isinstance(schema.get("allOf"), list) and len(schema["allOf"]) == 1:
            return self.of(schema["allOf"][0], path, depth + 1)
        return self.typed(schema, kind, path, depth)

    def either(self, bodies: Sequence[str]) -> str:
        return self.rule(" | ".join(dict.fromkeys(bodies)))

    def reference(self, target: str, path: tuple[str, ...]) -> str:
        """A rule for each `$ref`, so that a schema may refer to itself; but not before anything of it was written."""
        if target in self.opening:
            self.note(path, f"{target} refers to itself and nothing else, any value is allowed there")
            return self.use("value")
        if target not in self.named:
            found: Any = self.schema
            for key in target.removeprefix("#").strip("/").split("/"):
                found = found.get(key) if isinstance(found, Mapping) else None
            if found is None:
                self.note(path, f"{target} is not in the schema, any value is allowed there")
                return self.use("value")
            self.named[target] = name = f"ref{len(self.named)}"
            self.opening.append(target)
            self.rules[name] = self.of(found, path, 0)
            self.opening.remove(target)
        return self.named[target]

    def enum(self, values: Sequence[Any], path: tuple[str, ...]) -> str:
        if len(values) > LONGEST_ENUM:
            self.note(path, f"one of {len(values)} values, any is allowed")
            return self.use("string" if all(isinstance(value, str) for value in values) else "value")
        return self.rule(" | ".join(map(_json_literal, values)))

    def typed(self, schema: JsonSchema, kind: Any, path: tuple[str, ...], depth: int) -> str:
        opening, self.opening = self.opening, []
        try:
            return self.plain(schema, kind, path, depth)
        finally:
            self.opening = opening

    def plain(self, schema: JsonSchema, kind: Any, path: tuple[str, ...], depth: int) -> str:
        if kind == "object" or (kind is None and isinstance(schema.get("properties"), Mapping)):
            return self.object(schema, path, depth)
        if kind == "array":
            return self.array(schema, path, depth)
        if kind == "string":
            if "pattern" in schema:
                self.note(path, "its pattern is not enforced while writing")
            if len(path) == 1 and self.offers.get(path[0]):
                return self.rule(" | ".join(map(_json_literal, self.offers[path[0]])))
            least = schema.get("minLength")
            return self.use("text" if isinstance(least, int) and least > 0 else "string")
        if kind in ("integer", "number", "boolean", "null"):
            return self.use(str(kind))
        return self.use("value")

    def array(self, schema: JsonSchema, path: tuple[str, ...], depth: int) -> str:
        item = self.of(schema.get("items"), (*path, "[]"), depth + 1)
        least = schema.get("minItems", 0)
        some = f'{item} (", " {item})*'
        return self.rule(f'"[" {some} "]"' if isinstance(least, int) and least > 0 else f'"[" ({some})? "]"')

    def object(self, schema: JsonSchema, path: tuple[str, ...], depth: int) -> str:
        properties = schema.get("properties")
        if not isinstance(properties, Mapping) or not properties:
            return self.use("object") if schema.get("additionalProperties", depth > 0) else '"{}"'
        required = schema.get("required")
        needed = [key for key in properties if isinstance(required, list) and key in required]
        optional = [key for key in properties if key not in needed]
        member = {
            key: f"{_literal(json.dumps(key, ensure_ascii=False) + ': ')} {self.of(properties[key], (*path, key), depth + 1)}"
            for key in properties
        }
        # The optional ones come after the required ones, each or none, in their order.
        rest = ""
        for key in reversed(optional):
            rest = self.rule(f'", " {member[key]} {rest} | {rest}' if rest else f'", " {member[key]} | ""')
        if needed:
            inside = ' ", " '.join(member[key] for key in needed) + f" {rest}"
            return self.rule(f'"{{" {inside.strip()} "}}"')
        starts = self.starts(optional, member)
        return self.rule(f'"{{" ({" | ".join(starts)})? "}}"')

    def starts(self, optional: Sequence[str], member: Mapping[str, str]) -> list[str]:
        """Where nothing is required: any optional member first, then those after it."""
        starts: list[str] = []
        rest = ""
        for key in reversed(optional):
            starts.insert(0, f"{member[key]} {rest}".strip())
            rest = self.rule(f'", " {member[key]} {rest} | {rest}' if rest else f'", " {member[key]} | ""')
        return starts
