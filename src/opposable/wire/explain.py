"""A reply explained: each part of its text, what it is, and why. Law: the parts joined are the text; nothing is guessed.

What is said of a part is what the machine says of it, or what can be looked up in the table; where neither says anything,
nothing is said.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Literal

from opposable.wire.calls import UNKNOWN
from opposable.wire.events import AllReasoning, Call, Cause, Event, Marker, Reasoning, Rejected, Text
from opposable.wire.machine import StreamParser
from opposable.wire.mend import MENDS, excerpt
from opposable.wire.near import PLACES, Near, some
from opposable.wire.offered import Offered, Tool
from opposable.wire.reply import collect, parse
from opposable.wire.shapes import BY_NAME, SHAPES
from opposable.wire.shapes.frames import (
    CONTENT,
    END_TOKENS,
    HANDOVERS,
    NOISE,
    REASONING,
    REASONING_CLOSERS,
    RESULT_TOKENS,
)
from opposable.wire.shapes.shape import Shape

Kind = Literal["text", "reasoning", "marker", "call", "rejected"]

CAUSES: dict[Cause, tuple[str, str]] = {
    "unknown_tool": (
        "no tool of this name was offered",
        "offer a tool of this name, or tell the model which tools there are",
    ),
    "malformed": (
        "it cannot be read, or could be read in two ways",
        "ask the model again; if it always writes so, this is a shape that is not known: report it, or add it",
    ),
    "truncated": (
        "the reply was cut off within it",
        "let the model write more tokens; if it had ended by itself, say so with the finish reason `stop`",
    ),
    "in_reasoning": (
        "the model thought of a call, and made none",
        "nothing, if the model decided against it: its reasoning ended later",
    ),
    "after_fake_result": (
        "what comes after a result that the model made up does not count",
        "let the server stop the model where it begins a result: give it what begins one as a stop string",
    ),
    "after_end_of_turn": (
        "the turn was over",
        "stop the model at the token that ends its turn",
    ),
}
"""What each cause means, and what can be done about it."""

_CUT = "was the reply cut off here? then let the model write more tokens, and give the finish reason `length`; else "
_OPEN = "ask the model again; if its reasoning has a closer that is not in the text, keep the server from taking it off"

_TAIL = 40
_NAMES = 20

_MARKERS: dict[str, str] = {
    **dict.fromkeys(NOISE, "says nothing"),
    **dict.fromkeys((*RESULT_TOKENS, *HANDOVERS), "hands over to somebody else"),
    **dict.fromkeys(END_TOKENS, "ends the turn"),
    **dict.fromkeys(CONTENT, "begins the answer"),
    **dict.fromkeys((closer for closers in CONTENT.values() for closer in closers), "ends the answer"),
    **{opener: "begins calls" for shape in SHAPES if shape.section for opener in shape.section.openers},
    **{closer: "ends calls" for shape in SHAPES if shape.section for closer in shape.section.closers},
    **dict.fromkeys(REASONING_CLOSERS, "ends reasoning"),
    **dict.fromkeys(REASONING, "begins reasoning"),
    "<|end|>": "ends a message",
}
_BEGINS: dict[Kind, str] = {"reasoning": "begins reasoning", "text": "begins the answer"}
_WORD = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a reply's text: what it is, where it begins, and what there is to say of it.

    `calls`: those of the block, where it is one. `rejected`: the block, where it is none. `notes`: sentences for people.
    """

    kind: Kind
    start: int
    raw: str
    notes: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    rejected: Rejected | None = None

    @property
    def end(self) -> int:
        """Where the text goes on after it."""
        return self.start + len(self.raw)


def explain(
    text: str, tools: Iterable[Tool] = (), finish_reason: str | None = "stop", *, starts_in_reasoning: bool = False
) -> list[Part]:
    """The parts of a model's reply in their order, with reasons; their raws joined are the text. Arguments as of `parse`."""
    offered = Offered(given := [*tools])
    parser = StreamParser(given, starts_in_reasoning=starts_in_reasoning)
    events = [*parser.feed(text), *parser.close(finish_reason)]
    parts = [*_apart(_joined(_parts(events, offered)), collect(events).content or "")]
    cut = False
    if parts and parts[-1].rejected is not None and parts[-1].rejected.cause == "malformed":
        blocks = parse(text, given, "length", starts_in_reasoning=starts_in_reasoning).rejected
        cut = any(block.cause == "truncated" for block in blocks[-1:])
    parts = [*_shapes_once(_advised(parts, cut=cut))]
    near = Near(offered)
    last = max((place for place, part in enumerate(parts) if part.kind != "marker"), default=0)
    return [
        replace(part, notes=tuple(near.notes(part.raw, part.start, follows=place < last)))
        if part.kind == "text"
        else part
        for place, part in enumerate(parts)
    ]


def _advised(parts: Sequence[Part], *, cut: bool) -> Iterator[Part]:
    """These parts, with what can be done about those rejected. `cut`: the last would be truncated, if the reply was."""
    over = max((part.start for part in parts if _is_after_reasoning(part)), default=0)
    for place, part in enumerate(parts):
        after = parts[place + 1].kind if place + 1 < len(parts) else "marker"
        if part.rejected is not None:
            cause = part.rejected.cause
            advice = _OPEN if cause == "in_reasoning" and part.start > over else CAUSES[cause][1]
            more = _CUT if cut and place + 1 == len(parts) else ""
            yield replace(part, notes=(*part.notes, f"what to do: {more}{advice}"))
        elif part.kind == "marker" and part.raw.endswith("<|message|>") and after in _BEGINS:
            yield replace(part, notes=(_BEGINS[after],))
        else:
            yield part


def _is_after_reasoning(part: Part) -> bool:
    return part.kind in ("text", "call") or any(note.startswith("ends reasoning") for note in part.notes)


def _shapes_once(parts: Iterable[Part]) -> Iterator[Part]:
    """These parts, with what there is to say of a shape said once, and then its name alone."""
    said: set[str] = set()
    for part in parts:
        notes = tuple(note.partition(":")[0] if note in said else note for note in part.notes)
        said |= {note for note in part.notes if note.startswith("shape ")}
        yield replace(part, notes=notes)


def about(shape: Shape) -> str:
    """A shape in a few words: its markers, where it counts, and who writes it."""
    markers = " … ".join(map(excerpt, (*shape.openers[:1], *shape.closers[:1])))
    place = f" {PLACES[shape.place]}" if shape.place in PLACES else ""
    return f"{markers}{place}; written by {shape.families}"


def _parts(events: Iterable[Event], tools: Offered) -> list[Part]:
    parts: list[Part] = []
    start = settled = 0
    for event in events:
        raw = event.raw
        match event:
            case Text():
                parts.append(Part("text", start, raw))
            case Reasoning():
                parts.append(Part("reasoning", start, raw))
            case Marker():
                parts.append(Part("marker", start, raw, tuple(_of_marker(raw))))
            case AllReasoning():
                parts[settled:] = _thought(parts[settled:], event.opened)
                parts.append(Part("marker", start, raw, (_ALL_REASONING,)))
                settled = len(parts)
            case Rejected():
                parts.append(Part("rejected", start, raw, tuple(_of_rejected(event, tools)), rejected=event))
            case Call() if raw:
                parts.append(Part("call", start, raw, tuple(_of_call(event)), (event,)))
            case _:
                block = parts[-1]
                parts[-1] = replace(block, calls=(*block.calls, event))
        start += len(raw)
    return parts


_LAYOUT = ("layout",)
_ALL_REASONING = "ends reasoning that no marker had begun: all text before it is reasoning"


def _thought(parts: Iterable[Part], opened: str) -> Iterator[Part]:
    """These parts, of which the text is reasoning, but for the words that opened it."""
    for part in parts:
        if part.rejected is not None and part.rejected.part == "content":
            yield replace(part, rejected=replace(part.rejected, part="reasoning"))
            continue
        if part.kind != "text":
            yield part
            continue
        words = opened if opened and part.raw.startswith(opened) else ""
        opened = ""
        if words:
            yield Part("marker", part.start, words, ("begins reasoning",))
        if part.raw != words:
            yield Part("reasoning", part.start + len(words), part.raw[len(words) :])


def _joined(parts: Iterable[Part]) -> list[Part]:
    """These parts, with text after text as one, and reasoning after reasoning."""
    pieces: list[list[Part]] = []
    for part in parts:
        if pieces and part.kind in ("text", "reasoning") and pieces[-1][0].kind == part.kind:
            pieces[-1].append(part)
        else:
            pieces.append([part])
    return [replace(some[0], raw="".join(part.raw for part in some)) for some in pieces]


def _apart(parts: Sequence[Part], content: str) -> Iterator[Part]:
    """These parts, with the layout around the content apart from the text."""
    whole = "".join(part.raw for part in parts if _is_content(part))
    begin = whole.find(content) if content else len(whole)
    end, at = begin + len(content), 0
    for part in parts:
        if part.kind == "text":
            low, high = (min(max(place - at, 0), len(part.raw)) for place in (begin, end))
            pieces = (
                Part("marker", part.start, part.raw[:low], _LAYOUT),
                Part("text", part.start + low, part.raw[low:high]),
                Part("marker", part.start + high, part.raw[high:], _LAYOUT),
            )
            yield from (piece for piece in pieces if piece.raw)
        else:
            yield part
        at += len(part.raw) if _is_content(part) else 0


def _is_content(part: Part) -> bool:
    return part.kind == "text" or (part.rejected is not None and part.rejected.part == "content")


def _of_marker(raw: str) -> Iterator[str]:
    bare = raw.strip()
    if not bare:
        yield from _LAYOUT
    elif bare in _MARKERS:
        yield _MARKERS[bare]


def _of_call(call: Call) -> Iterator[str]:
    yield f"shape {call.shape}: {about(BY_NAME[call.shape])}"
    for mend in call.mends:
        yield f"mended {mend}: {MENDS[mend]}"


def _of_rejected(block: Rejected, tools: Offered) -> Iterator[str]:
    yield CAUSES[block.cause][0]
    if block.why:
        yield f"why: {block.why}"
    if block.cause == "truncated":
        yield f"it ends with {excerpt(block.raw[-_TAIL:])}"
    if block.cause == "unknown_tool":
        yield f"offered: {some(tools, _NAMES) or 'no tools'}"
        if meant := some(_like(block.why, tools)):
            yield f"did the model mean {meant}? a name that is only alike never counts"
    if block.shape:
        yield f"shape {block.shape}: {about(BY_NAME[block.shape])}"
    if block.part == "nothing":
        yield "it is no part of the content"


def _like(why: str, tools: Offered) -> Iterator[str]:
    """The offered tools whose names are like a word of this."""
    names = {name.casefold(): name for name in tools}
    for word in _WORD.findall(why.removeprefix(UNKNOWN)):
        for name in get_close_matches(word.casefold(), names, n=1, cutoff=0.7):
            yield names[name]
