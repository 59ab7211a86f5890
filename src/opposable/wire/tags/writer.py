"""Calls in tags, written, and the grammar of what may be written. Law: nothing between tags could be a tag of theirs.

Text stands as it is. Other values are JSON, in which `<` is written by its number.
"""

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from opposable.wire.fits import at, decode, kind, types
from opposable.wire.rules import LONGEST_ENUM, Rules, fixed, literal
from opposable.wire.tags.forms import Form, Layout, roles

_DEEPEST = 8
"""How many schemas within schemas are told apart where one of them is text."""
_SPACES = "\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000Ġ"
"""What else than blanks, tabs and line breaks counts as white space before the first word of a tag."""
_STOPS = "=\"'>/ \t\r\n<:"
"""What ends the first word of a tag, or may not stand in one that is none of ours."""
_KINDS = ("string", "number", "boolean", "null", "object", "array")
_PLAIN = r"[^<\r]"


def written(form: Form, layout: Layout, name: str, place: int, arguments: Mapping[str, Any]) -> str:
    """A call, before which `place` others were written."""
    before, after = _head(form, layout, name, str(place + 1))
    return before + "".join(_parameter(form, layout, key, value) for key, value in arguments.items()) + after


def _head(form: Form, layout: Layout, name: str, index: str) -> tuple[str, str]:
    before, after = layout.call
    return before.format(name=html.escape(name) if form.calls else name, index=index), after


def _parameter(form: Form, layout: Layout, key: str, value: Any) -> str:
    text = value if isinstance(value, str) else _json(value)
    return _opening(form, layout, key, kind(value)) + _set_off(_wrapped(form, text), layout) + layout.parameter[1]


def _opening(form: Form, layout: Layout, key: str, kind: str) -> str:
    """What opens a parameter of this type."""
    kind, is_text = "number" if kind == "integer" else kind, "true" if kind == "string" else "false"
    return layout.parameter[0].format(key=key if form.keys else html.escape(key), type=kind, string=is_text)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")


def _wrapped(form: Form, text: str) -> str:
    """Text that could hold tags, in what says that it holds none, where the form has that."""
    if not form.cdata or "<" not in text:
        return text
    return f"{form.cdata[0]}{text.replace(']]>', f']]]]>{form.cdata[0]}>')}]]>"


def _set_off(text: str, layout: Layout) -> str:
    """The text on lines of its own, where that is taught or it begins with a line break, which would be lost."""
    if layout.values == "inline" and not text.startswith(("\n", "\r\n")):
        return text
    return f"\n{text}\r\n" if text.endswith("\r") else f"\n{text}\n"


def grammar(form: Form, layout: Layout, name: str, rules: Rules) -> str:
    """The body of a rule for any call to this tool: its parameters in the order of the schema, the required ones first."""
    rules.bar("<")
    schema = rules.schema
    rules.leave_all(schema, (), ("type", "properties", "required", "additionalProperties"))
    properties, required = schema.get("properties"), schema.get("required")
    needed = [key for key in required if isinstance(key, str)] if isinstance(required, list) else []
    allowed: dict[str, Any] = dict(properties) if isinstance(properties, Mapping) else {}
    for key in needed:
        allowed.setdefault(key, schema.get("additionalProperties", True))
    writer = _Parameters(form, layout, rules)
    members = {
        key: writer.parameter(key, value) for key, value in allowed.items() if key in needed or value is not False
    }
    before, after = _head(form, layout, name, "\0")
    first, counted, rest = before.partition("\0")
    parts = [
        literal(first),
        f"[1-9] [0-9]{{0,2}} {literal(rest)}" if counted else "",
        *(member for key, member in members.items() if key in needed),
        *(f"({member})?" for key, member in members.items() if key not in needed),
        literal(after) if after else "",
    ]
    return rules.rule(" ".join(filter(None, parts)))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Parameters:
    """Makes the rules of parameters, whose values are read by `form` and their schema."""

    form: Form
    layout: Layout
    rules: Rules

    def parameter(self, key: str, schema: Any) -> str:
        """The body of a rule for a parameter and its value."""
        line = literal("\n") if self.layout.values == "lines" else ""
        after = literal(self.layout.parameter[1])
        found: list[str] = []
        for value, openings in self._values(key, schema).items():
            some = " | ".join(map(literal, openings))
            found.append(" ".join(filter(None, (f"({some})", line, f"({value})", line, after))))
        return f"({' | '.join(found)})"

    def _values(self, key: str, schema: Any) -> dict[str, list[str]]:
        """The bodies of rules for a value, and what each may be opened by. Where no type is said, the opening says it."""
        allowed = types(schema, self.rules.schema)
        by_kind = {kind: _opening(self.form, self.layout, key, kind) for kind in sorted(allowed) or _KINDS}
        openings = list(dict.fromkeys(by_kind.values()))
        if allowed and "string" not in allowed:
            return {self.rules.of(schema, (key,), 1): openings}
        text = self._texts(schema, schema, (key,), 0)
        if allowed:
            return {text: openings}
        others = {self.rules.use(kind): [opening] for kind, opening in by_kind.items() if opening != by_kind["string"]}
        return {text: [by_kind["string"]], **others}

    def _texts(self, schema: Any, whole: Any, path: tuple[str, ...], depth: int) -> str:
        """The body of a rule for what is text, or may be text."""
        if not isinstance(schema, Mapping) or depth > _DEEPEST:
            return self._free("free")
        target = at(schema.get("$ref"), self.rules.schema)
        if target is not None:
            self.rules.leave_all(schema, path, ("$ref",))
            return self._texts(target, whole, path, depth + 1)
        if len(values := fixed(schema)) in range(1, LONGEST_ENUM + 1):
            return self._choice(values, schema, whole, path)
        for key in ("anyOf", "oneOf"):
            branches = schema.get(key)
            if isinstance(branches, list) and branches:
                self.rules.leave_all(schema, path, (key,) if key == "anyOf" or len(branches) == 1 else ())
                return self.rules.either([self._texts(branch, whole, path, depth + 1) for branch in branches])
        named = schema.get("type")
        if isinstance(named, list) and named:
            some = [{**schema, "type": one} for one in dict.fromkeys(map(str, named))]
            return self.rules.either([self._texts(one, whole, path, depth + 1) for one in some])
        if "string" not in types(schema, self.rules.schema) and types(schema, self.rules.schema):
            return self.rules.of(schema, path, depth + 1)
        is_some = schema.get("minLength") == 1
        self.rules.leave_all(schema, path, ("type", "minLength" if is_some else ""))
        return self._free("some" if is_some else "free")

    def _choice(self, values: Sequence[Any], schema: Mapping[str, Any], whole: Any, path: tuple[str, ...]) -> str:
        """One of these values, as far as each can be written and is read as what it is."""
        self.rules.leave_all(schema, path, ("type", "const", "enum"))
        texts = {
            value if isinstance(value, str) else _json(value): None for value in values if self._is_read(value, whole)
        }
        if len(texts) < len(values):
            self.rules.note(path, "some of its values cannot be held while writing")
        return self.rules.rule(" | ".join(map(literal, texts))) if texts else self._free("free")

    def _is_read(self, value: Any, whole: Any) -> bool:
        """Is the value, as it is written, read as what it is?"""
        text = value if isinstance(value, str) else _json(value)
        is_kept = not {"<", "\r"}.intersection(text) and not (self.layout.values == "inline" and text.startswith("\n"))
        return is_kept and repr(decode(text, whole, self.rules.schema, "string")) == repr(value)

    def _free(self, name: str) -> str:
        """The name of the rule for text of any kind (`free`), or for any but the empty one (`some`)."""
        if name not in self.rules.rules:
            first = _PLAIN if self.layout.values == "lines" else r"[^<\r\n]"
            some = f"({first} {_PLAIN}* | angle) angle*"
            wrapped = [rf'{literal(opener)} ([^\]] | "]" [^\]])+ {literal("]]>")}' for opener in self.form.cdata]
            self.rules.rules["some"] = " | ".join((some, *wrapped))
            self.rules.rules["free"] = "some?"
            self.rules.rules["letter"] = f"[^{_class(_STOPS)}]"
            self.rules.rules["angle"] = _angle(self.form)
        return name


@cache
def _angle(form: Form) -> str:
    """The body of a rule for a `<` that begins no tag of the form, and what follows it up to the next."""
    begins = {word.removeprefix("/") for word in roles(form)} if form.brackets[0][0] == "<" else set()
    begins |= {
        text.removeprefix("<").removeprefix("/").rstrip(">") for bracket in form.brackets for text in bracket[:2]
    }
    word = _unlike(begins | {text[1:] for text in form.cdata}, _STOPS + _SPACES)
    free = f"[=\"'>\\n] {_PLAIN}*"
    more = f"([=\"'>/ \\t\\n] {_PLAIN}*)?"
    return f'"<" "/"? [ \\t]* ({free} | ({word}) {more})?'


def _unlike(words: Iterable[str], never: str = _STOPS) -> str:
    """The body of a rule for a word that begins with none of these words, and with none of the characters `never`."""
    tails: dict[str, list[str]] = {}
    for word in sorted(filter(None, words)):
        tails.setdefault(word[0], []).append(word[1:])
    parts = [f"[^{_class(never + ''.join(tails))}] letter*"]
    parts += [f"{literal(char)} ({_unlike(rest)})?" for char, rest in tails.items() if "" not in rest]
    return " | ".join(parts)


def _class(chars: str) -> str:
    """These characters, and the ranges among them, inside the brackets of a rule's part."""
    return "".join(rf"\x{ord(char):02x}" if ord(char) < 33 or char in "\\]^" else char for char in chars)
