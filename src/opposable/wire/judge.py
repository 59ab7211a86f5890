"""A whole block judged: the calls it makes. Law: all of them count, or none."""

from collections.abc import Mapping
from typing import Any

from opposable.wire.calls import NoCall, Parameter, arguments, unknown
from opposable.wire.events import Call
from opposable.wire.fits import decode
from opposable.wire.mend import Malformed
from opposable.wire.offered import JsonSchema, Offered
from opposable.wire.shapes.shape import Shape
from opposable.wire.steps import Block


def judge(shape: Shape, block: Block, raw: str, tools: Offered, *, ended: bool) -> list[Call]:
    """The calls of a block, of which the first carries its raw. `ended`: closers missing at its end may be added.

    Errors: NoCall, Refused, Malformed.
    """
    drafts = shape.body.read(block.text("body", raw), block.text("name", raw), tools, ended=ended)
    own_id = block.text("id", raw) or None
    is_open = not (block.whole or "closer" in block.parts)
    found: list[Call] = []
    for draft in drafts:
        if not draft.name.strip():
            raise Malformed("an empty name")
        name = tools.name(draft.name)
        if name is None:
            if draft.arguments is None and not shape.is_tagged:
                raise NoCall("a name alone")
            raise unknown(draft.name)
        lacks_any = draft.arguments is None and draft.texts is None
        if is_open and lacks_any and (tools.needs_arguments(name) if block.last else tools.parameters(name)):
            raise Malformed("the reply ends, or another block begins, where the arguments should")
        if draft.texts is not None:
            draft.arguments = _typed(draft.texts, tools.schema(name), draft.mends)
        values = arguments(draft, name, tools, tagged=shape.is_tagged)
        mends = tuple(dict.fromkeys([*block.mends, *draft.mends]))
        found.append(Call(name, values, draft.id or own_id, shape.name, mends, "" if found else raw, draft.name))
    return found


def _typed(texts: list[Parameter], schema: JsonSchema, mends: list[str]) -> dict[str, Any]:
    """The values of parameters that were written as text. Errors: Malformed, where one is given twice, differently."""
    properties = schema.get("properties")
    known = properties if isinstance(properties, Mapping) else {}
    found: dict[str, Any] = {}
    for parameter in texts:
        key = parameter.key
        value = decode(parameter.text, known.get(key), schema, parameter.mark)
        if key in found:
            if repr(found[key]) != repr(value):
                raise Malformed("the same key twice")
            mends.append("repeated_key")
        found[key] = value
    return found
