"""A whole block judged: the calls it makes. Law: all of them count, or none."""

from opposable.wire.calls import NoCall, Refused, arguments
from opposable.wire.events import Call
from opposable.wire.mend import Malformed
from opposable.wire.offered import Offered
from opposable.wire.shapes.shape import Shape
from opposable.wire.steps import Block


def judge(shape: Shape, block: Block, raw: str, tools: Offered, *, ended: bool) -> list[Call]:
    """The calls of a block, of which the first carries its raw. `ended`: closers missing at its end may be added.

    Errors: NoCall, Refused, Malformed.
    """
    drafts = shape.body.read(block.text("body", raw), block.text("name", raw), ended=ended)
    own_id = block.text("id", raw) or None
    found: list[Call] = []
    for draft in drafts:
        if not draft.name.strip():
            raise Malformed("an empty name")
        name = tools.name(draft.name)
        if name is None:
            if draft.arguments is None and shape.place != "anywhere":
                raise NoCall("a name alone")
            raise Refused("unknown_tool")
        values = arguments(draft, name, tools, tagged=shape.place == "anywhere")
        mends = tuple(dict.fromkeys([*block.mends, *draft.mends]))
        found.append(Call(name, values, draft.id or own_id, shape.name, mends, "" if found else raw))
    return found
