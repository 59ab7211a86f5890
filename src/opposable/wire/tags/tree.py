"""Values made of tags: objects whose members are tags, lists of items. Law: as JSON they say what the tags say, typed by
the schema; a value that is no tags stays the text it is.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from opposable.wire.calls import Parameter
from opposable.wire.fits import at, decode, types
from opposable.wire.mend import DEEPEST, Malformed
from opposable.wire.tags.forms import Form, parsed

_MOST = 64
"""How many schemas are looked at for one member."""


@dataclass(slots=True)
class _Node:
    word: str
    texts: list[str] = field(default_factory=list)
    nodes: list["_Node"] = field(default_factory=list)


@cache
def _tags(form: Form) -> re.Pattern[str]:
    opening, closing, end = form.brackets[0]
    return re.compile(f"({re.escape(closing)}|{re.escape(opening)})([^<>\\n]{{1,256}}){re.escape(end)}")


def as_json(parameter: Parameter, form: Form, schema: Any, root: Any) -> Parameter:
    """The parameter, as JSON if it is made of tags. Errors: Malformed."""
    allowed = types(schema, root)
    if allowed == {"string"}:
        return parameter
    node = _Node("")
    open_nodes = [node]
    end = 0
    for tag in _tags(form).finditer(parameter.text):
        open_nodes[-1].texts.append(parameter.text[end : tag.start()])
        end = tag.end()
        word = parsed(tag[2])[0]
        if tag[1] == form.brackets[0][0]:
            open_nodes[-1].nodes.append(_Node(word))
            open_nodes.append(open_nodes[-1].nodes[-1])
        elif open_nodes.pop().word != word or not open_nodes:
            raise Malformed("the wrong tag closes")
        if len(open_nodes) > DEEPEST:
            raise Malformed("nested too deeply")
    open_nodes[-1].texts.append(parameter.text[end:])
    if len(open_nodes) != 1:
        raise Malformed("a tag is not closed")
    is_plain = not node.nodes and (parameter.text or not allowed or not allowed <= {"array", "object"})
    if is_plain:
        return parameter
    return replace(parameter, text=json.dumps(_value(node, form, schema, root), ensure_ascii=False), mark="json")


def _value(node: _Node, form: Form, schema: Any, root: Any) -> Any:
    text = "".join(node.texts)
    allowed = types(schema, root)
    if not node.nodes:
        if not text and allowed and allowed <= {"array", "object"}:
            return [] if "array" in allowed else {}
        return decode(text, schema, root)
    if text.strip():
        raise Malformed("text between tags")
    if all(child.word in form.items for child in node.nodes) and (not allowed or "array" in allowed):
        return [_value(child, form, _member(schema, root, None), root) for child in node.nodes]
    members: dict[str, list[_Node]] = {}
    for child in node.nodes:
        members.setdefault(child.word, []).append(child)
    return {word: _of_key(some, form, _member(schema, root, word), root) for word, some in members.items()}


def _of_key(nodes: list[_Node], form: Form, schema: Any, root: Any) -> Any:
    """The value of a key: that of its tag; where the tag is written again and again, the list of them."""
    if len(nodes) == 1:
        return _value(nodes[0], form, schema, root)
    allowed = types(schema, root)
    if allowed and "array" not in allowed:
        raise Malformed("the same key twice")
    return [_value(node, form, _member(schema, root, None), root) for node in nodes]


def _member(schema: Any, root: Any, key: str | None) -> Any:
    """What a schema says of its member under this key, or of its items (None); None where it says nothing."""
    ahead = [schema]
    for _ in range(_MOST):
        one = ahead.pop(0) if ahead else None
        if not isinstance(one, Mapping):
            continue
        properties = one.get("properties")
        found = one.get("items") if key is None else properties.get(key) if isinstance(properties, Mapping) else None
        if found is not None:
            return found
        branches = (one.get(name) for name in ("anyOf", "oneOf", "allOf"))
        ahead += [at(one.get("$ref"), root), *(item for some in branches if isinstance(some, list) for item in some)]
    return None
