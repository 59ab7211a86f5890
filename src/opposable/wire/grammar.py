"""Grammars made from tools: what comes out under them is a call in some shape, its arguments, or one of some fixed texts.

Law: what comes out is read back as what the grammar says. See `rules.py` for the notation.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from opposable.wire.bodies.json import Calls
from opposable.wire.offered import JsonSchema, Offered, Tool
from opposable.wire.rules import Rules, literal, parts_of
from opposable.wire.shapes import writable
from opposable.wire.shapes.shape import Shape


@dataclass(frozen=True, slots=True)
class CallGrammar:
    """What a model may write to call tools in a shape.

    `gbnf`: its rules, from `root`. `schema`: the JSON Schema of the body of one block, where that is JSON that says the
    name; else None. `notes`: what is not held.
    """

    gbnf: str
    schema: JsonSchema | None
    notes: tuple[str, ...]


def choice(texts: Iterable[str]) -> str:
    """A grammar of exactly these texts."""
    return f"root ::= {' | '.join(map(literal, texts))}"


def arguments(
    schema: JsonSchema, offers: Mapping[str, Sequence[str]] | None = None, words: str = ""
) -> tuple[str, tuple[str, ...]]:
    """A grammar of the arguments that `schema` allows, and notes on what it could not hold.

    `offers`: for a string parameter of the tool, the values among which to choose. `words`: a text of which every free
    string has to be a part, from one word of it to another.
    """
    rules = Rules(schema, offers)
    rules.rules |= parts_of(words)
    root = rules.arguments()
    return _grammar({"root": root, **rules.rules}), tuple(rules.notes)


def calls(tools: Iterable[Tool], shape: str) -> CallGrammar:
    """A grammar of one or more calls to these tools, in a shape that can be written.

    Errors: ValueError, where no such shape is there to be written or no tool is offered.
    """
    row, offered = writable(shape), Offered(tools)
    rules: dict[str, str] = {}
    makers = {name: Rules(offered.schema(name), beside=rules) for name in offered}
    if not makers:
        raise ValueError("a grammar of calls needs a tool that can be called: none is offered")
    gbnf = _grammar({**row.grammar(makers), **rules})
    notes = tuple(f"{name}.{note}" for name, maker in makers.items() for note in maker.notes)
    return CallGrammar(gbnf, _schema(row, offered), notes)


def _schema(row: Shape, offered: Offered) -> JsonSchema | None:
    """One call as JSON, where this is JSON that says the name."""
    if not isinstance(row.body, Calls):
        return None
    calls = [_call(name, offered.schema(name)) for name in offered]
    one: JsonSchema = calls[0] if len(calls) == 1 else {"anyOf": calls}
    return one if row.body.list_marks is None else {"type": "array", "items": one, "minItems": 1}


def _call(name: str, schema: JsonSchema) -> JsonSchema:
    properties = {"name": {"const": name}, "arguments": {"type": "object", **schema}}
    return {"type": "object", "properties": properties, "required": ["name", "arguments"]}


def _grammar(rules: Mapping[str, str]) -> str:
    return "\n".join(f"{name} ::= {body}" for name, body in rules.items())
