"""Where the parts of a reply begin and end: readers of what stands around them. Law: each looks no further than it must."""

import re

from opposable.wire.channels import LONGEST, Header, over_header
from opposable.wire.events import Event, Marker, Reasoning
from opposable.wire.scan import SPACE
from opposable.wire.shapes.frames import (
    ADDRESSED,
    AUTHOR,
    BEGIN_TOKENS,
    CONTENT,
    LABELS,
    MESSAGES,
    NOISE,
    PLAIN,
    REASONING,
    Frame,
)
from opposable.wire.source import Literals, Source, Wait

_NOISE = Literals(NOISE)
_AUTHOR = re.compile(r"[\w.:\-]+")
_KINDS = Literals([opener for opener in (*CONTENT, *REASONING) if opener.startswith("<|content_")])
_NEWLINES = re.compile(r"\n+")


def over_author(src: Source) -> Wait[bool | None]:
    """Go over a name that stands here. Does the marker of a frame follow it? None: the reply ends here."""
    char = yield from src.skip(_AUTHOR, src.at + LONGEST)
    found = yield from src.look(_KINDS)
    return found is not None if char else None


def heads_a_part(src: Source) -> Wait[bool]:
    """Does the author of a part that is no call stand here? Goes back."""
    start = src.at
    src.pos += len(AUTHOR)
    follows = yield from over_author(src)
    src.back(start)
    return follows is True


def over_noise(src: Source) -> Wait[bool]:
    """Go over tokens that say nothing, and white space around them. Were there any?"""
    start = src.at
    while (token := (yield from src.look(_NOISE))) is not None:
        src.pos += len(token)
        yield from src.skip(SPACE)
    return src.at > start


def over_doubled(src: Source, openers: Literals) -> Wait[int]:
    """Go over openers that are written again, and tokens that begin a text, which mean nothing behind a marker.

    Goes over white space after the last of them too; where that ends.
    """
    end = src.at
    while (yield from src.skip(SPACE)) and (token := (yield from src.look(openers))) is not None:
        src.pos += len(token)
        end = src.at
    return end


def over_label(src: Source, opener: str) -> Wait[None]:
    """Go over what belongs to the opener of reasoning that was gone over: the opener again, noise, a label, line breaks."""
    label = LABELS.get(opener)
    again = Literals((*BEGIN_TOKENS, opener) if label else BEGIN_TOKENS)
    while (token := (yield from src.look(again))) is not None:
        src.pos += len(token)
    if label and (yield from src.look(Literals([label]))) is not None:
        start = src.at
        src.pos += len(label)
        if (yield from src.char()) not in ("\n", "<", ""):
            src.back(start)
    yield from src.skip(_NEWLINES)


def ends_here(src: Source, frame: Frame, literal: str) -> Wait[bool]:
    """Does this text, which may end the frame, do so here? Goes over it, if it does not belong to what follows."""
    start = src.at
    if literal in frame.stops:
        is_header = (yield from over_header(src)) != "no"
        src.back(start if is_header else start + len(literal))
        return is_header
    src.pos += len(literal)
    if literal not in frame.last:
        return True
    end = src.at
    char = yield from src.skip(SPACE)
    follows = yield from src.look(Literals(frame.stops))
    src.back(end)
    return not char or follows is not None


def message_frame(header: Header, what: str) -> Frame:
    """The frame of a message, not of a call, under this header."""
    if header.channel is not None:
        return MESSAGES[what]
    return ADDRESSED[what] if header.recipient else PLAIN


class Thoughts:
    """Reasoning as it is told: line breaks at its end are held until more of it follows, or its closer."""

    def __init__(self) -> None:
        self._breaks: list[str] = []

    def add(self, raw: str) -> list[Event]:
        """More of it has come."""
        text = raw.rstrip("\n")
        told: list[Event] = [*self.rest(), Reasoning(text)] if text else []
        if len(text) < len(raw):
            self._breaks.append(raw[len(text) :])
        return told

    def rest(self) -> list[Event]:
        """What is held is part of it."""
        breaks = "".join(self._breaks)
        self._breaks.clear()
        return [Reasoning(breaks)] if breaks else []

    def close(self, closer: str) -> list[Event]:
        """It is over, and what is held is layout."""
        raw = "".join(self._breaks) + closer
        return [Marker(raw)] if raw else []
