"""Inputs made of choices. Law: what is expected of an input follows from how it was made, never from what the parser says."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tests.fuzz import values
from tests.fuzz.dice import Dice
from tests.fuzz.faults import fault, slip, splice
from tests.fuzz.offers import OFFERS, SCHEMAS, Tools, schemas
from tests.fuzz.words import JSON_PIECES, MARKERS, OTHER_PIECES, SIGNS, TAG_PIECES
from tests.wire.golden import CASES, read

from opposable.errors import CannotCarry
from opposable.wire import Call, render
from opposable.wire.bodies.gemma import GemmaCalls
from opposable.wire.bodies.json import NamedObjects
from opposable.wire.bodies.tags import Tags
from opposable.wire.fits import fits
from opposable.wire.shapes import BY_NAME, SHAPES
from opposable.wire.shapes.shape import Shape

Made = tuple[tuple[str, dict[str, Any]], ...]
Kind = Literal["written", "cut", "near", "mixed"]


@dataclass(frozen=True, slots=True)
class Input:
    """What the parser is asked, and what is known of the answer.

    `kind`: `written` calls are read back the same; of those that are `cut` off, the first ones or none; from calls with a
    fault in their marks (`near`) the same should come or none; of what is `mixed`, only what holds for any text.
    """

    tools: Tools
    text: str
    finish: str | None = "stop"
    starts: bool = False
    shape: str | None = None
    cuts: tuple[int, ...] = ()
    calls: Made = ()
    kind: Kind = "mixed"

    def takes(self, call: tuple[str, Mapping[str, Any]]) -> bool:
        """Would the tool take this call: are these its parameters, and of their types?"""
        name, arguments = call
        known = schemas(self.tools)[name]
        return all(key in known and fits(value, known[key], known[key]) for key, value in arguments.items())


_MAY_REFUSE = (Tags, NamedObjects, GemmaCalls)
"""Bodies whose values are typed by the schema, or that are told by their keys."""
WRITABLE = tuple(shape for shape in SHAPES if shape.access == "read-write")
NAMES = tuple(BY_NAME)
REPLIES = tuple(case.reply for file in sorted(CASES.glob("*.txt")) for case in read(file.read_text("utf-8"), file.name))
"""What models write, in every shape: the replies of all golden cases."""
FINISHES = ("stop", "stop", "stop", "length", "length", None, "tool_calls")
PROSE = (
    "",
    "",
    "I will look.",
    "So be it, then: a, b and c.",
    "Zwei Öfen?",
    "1 and 2",
    'It\'s "done" (I think)',
    "\n",
    "Hm…\n\nWell.",
)
THOUGHTS = (
    "<think>\nI should.\n</think>\n\n", "<think></think>", "[THINK]so[/THINK]", "<|channel|>analysis<|message|>Hm.<|end|>",
    "<think>", "</think>", "<seed:think>x</seed:think>", "<|channel>thought\nx<channel|>", "assistantfinal", "<thinking>\n",
)  # fmt: skip
FRAMES = (
    "```\n",
    "```json\n",
    "\n```",
    "<|im_end|>",
    "</s>",
    "<tool_response>\n{}\n</tool_response>",
    "\nObservation: 3\n",
    "<|start|>",
)
SOUP = (
    MARKERS,
    MARKERS,
    MARKERS,
    JSON_PIECES,
    TAG_PIECES,
    OTHER_PIECES,
    SIGNS,
    SIGNS,
    values.ODD,
    values.WORDS,
    PROSE,
    FRAMES,
    THOUGHTS,
)
DEEP = ("[", "{", '{"a":', "(", "<tool_call>", '"', "\\", "9", "```\n", "[{", "a(", "<a>", "</a>")
DEEPEST = 1500


def made(dice: Dice) -> Input:
    """An input, of one of the kinds."""
    kind = dice.below(20)
    if kind < 5:
        return written(dice)
    if kind < 7:
        return cut_off(dice)
    if kind < 10:
        return near(dice)
    text = soup(dice) if kind < 13 else mixed(dice)
    shape = dice.one(NAMES) if dice.chance(0.5) else None
    tools = dice.one(OFFERS)
    return Input(tools, text, dice.one(FINISHES), dice.chance(0.15), shape, cuts(dice, text))


def cuts(dice: Dice, text: str) -> tuple[int, ...]:
    """Where the text is cut when it comes: everywhere, every four characters, or at a few places."""
    kind = dice.below(10)
    if kind < 4:
        return tuple(range(1 if kind < 3 else 4, len(text), 1 if kind < 3 else 4))
    return tuple(sorted(dice.below(len(text) + 1) for _ in range(1 + dice.few(8))))


def calls_for(dice: Dice, most: int) -> tuple[Tools, Made]:
    """Some calls, at least one, and the tools that they are of."""
    place = dice.below(len(OFFERS) - 1)
    known = SCHEMAS[place]
    names = [dice.one(tuple(known)) for _ in range(1 + dice.few(most))]
    return OFFERS[place], tuple((name, values.arguments(dice, known[name])) for name in names)


def write(shape: Shape, calls: Made) -> str:
    """The calls in this shape, whether they can be read back or not; empty where they cannot even be written."""
    try:
        return shape.write([Call(name, arguments, None, "", (), "") for name, arguments in calls])
    except CannotCarry:
        return ""


def is_carried(shape: Shape, calls: Made, tools: Tools) -> bool:
    """Must this shape hold these calls? All can but a few, which say so."""
    if not isinstance(shape.body, _MAY_REFUSE):
        return not values.is_half(calls)
    try:
        return bool(render([Call(name, arguments, None, "", (), "") for name, arguments in calls], shape.name, tools))
    except CannotCarry:
        return False


def written(dice: Dice) -> Input:
    """Calls as they are taught, alone or among prose, as their place allows."""
    tools, calls = calls_for(dice, 2)
    shape = dice.one(WRITABLE)
    text = write(shape, calls)
    if not is_carried(shape, calls, tools):
        return Input(tools, text, cuts=cuts(dice, text))
    if shape.place != "whole" and dice.chance(0.5):
        text = f"{dice.one(PROSE)}\n\n{text}"
    if dice.chance(0.3):
        text = thought(dice, shape) + text
    if shape.is_closed and shape.is_tagged and dice.chance(0.6):
        text += f"\n\n{dice.one(PROSE)}"
    if dice.chance(0.2):
        text += dice.one(("<|im_end|>", "</s>", "<|eot_id|>\n", "\n"))
    return Input(tools, text, dice.one(FINISHES), False, dice.one(NAMES), cuts(dice, text), calls, "written")


def thought(dice: Dice, shape: Shape) -> str:
    """Reasoning as it is taught, with a draft of calls in it or none. Their values open no block: it might hold the closer."""
    opener, closer = dice.one(
        (("<think>\n", "\n</think>\n\n"), ("[THINK]", "[/THINK]\n"), ("<seed:think>", "</seed:think>\n"))
    )
    calls = tuple(
        (name, {key: plain(dice, one) for key, one in known.items()}) for name, known in calls_for(dice, 1)[1]
    )
    return opener + (write(dice.one(WRITABLE), calls) if dice.chance(0.5) else "") + closer


def cut_off(dice: Dice) -> Input:
    """Calls as they are taught, cut off somewhere."""
    tools, calls = calls_for(dice, 2)
    shape = dice.one(WRITABLE)
    text = write(shape, calls)
    text = text[: dice.below(len(text))]
    finish = dice.one(("length", "length", None, "stop"))
    is_known = not isinstance(shape.body, Tags) and is_carried(shape, calls, tools)  # text may end at any tag in it
    kind: Kind = "cut" if is_known and finish != "stop" else "mixed"
    return Input(tools, text, finish, False, dice.one(NAMES), cuts(dice, text), calls, kind)


def near(dice: Dice) -> Input:
    """A call of plain values, with one or two faults in its marks."""
    place = dice.below(len(OFFERS) - 1)
    known = SCHEMAS[place]
    name = dice.one(tuple(known))
    arguments = {key: plain(dice, values.of(dice, schema)) for key, schema in known[name].items() if dice.chance(0.8)}
    calls: Made = ((name, arguments),)
    text = write(dice.one(WRITABLE), calls)
    for _ in range(1 + dice.below(2)):
        text = slip(dice, text)
    return Input(OFFERS[place], text, dice.one(FINISHES), False, None, cuts(dice, text), calls, "near")


def plain(dice: Dice, value: Any) -> Any:
    """A value like this in which nothing can be taken for a mark."""
    if isinstance(value, str):
        return dice.one(("figs", "Oslo", "x1", "pear"))
    if isinstance(value, dict):
        return {key: plain(dice, one) for key, one in zip(("k",), value.values(), strict=False)}
    if isinstance(value, list):
        return [plain(dice, one) for one in value[:2]]
    return value


def soup(dice: Dice) -> str:
    """Markers, pieces of calls and signs in a row."""
    parts = [dice.one(dice.one(SOUP)) for _ in range(1 + dice.below(14))]
    if dice.chance(0.002):
        parts.insert(dice.below(len(parts)), dice.one(DEEP) * dice.below(DEEPEST))
    return "".join(parts)


def mixed(dice: Dice) -> str:
    """Replies, calls, thoughts, frames and prose in a row, spliced and with faults."""
    parts = [part(dice) for _ in range(1 + dice.few(4))]
    if dice.chance(0.5):
        parts.insert(dice.below(2), dice.one(THOUGHTS))
    text = dice.one(("", "", "\n", " ", "\n\n")).join(parts)
    if dice.chance(0.4):
        text = splice(dice, text, part(dice))
    for _ in range(dice.below(4)):
        text = fault(dice, text)
    return text


def part(dice: Dice) -> str:
    kind = dice.below(10)
    if kind < 3:
        return dice.one(REPLIES)
    if kind < 7:
        return write(dice.one(WRITABLE), calls_for(dice, 2)[1])
    if kind < 8:  # a call within a call
        inner = write(dice.one(WRITABLE), calls_for(dice, 1)[1])
        return write(dice.one(WRITABLE), (("write_page", {"path": "a", "text": inner}),))
    return dice.one(PROSE if kind < 9 else FRAMES)
