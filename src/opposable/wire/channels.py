"""Messages with a header: who writes, to whom, on which channel. Law: a header is short and of few words, else it is text.

Harmony: `<|start|>assistant to=functions.f<|channel|>commentary <|constrain|>json<|message|>`; addressed frames leave out
the channel. The prompt may have begun the header, and a server may have taken its tokens.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from opposable.wire.bodies.json import Arguments
from opposable.wire.bodies.tags import Tags
from opposable.wire.calls import Draft, unknown
from opposable.wire.offered import Offered
from opposable.wire.scan import SPACE
from opposable.wire.source import Literals, Source, Wait
from opposable.wire.steps import Block, Found, Step
from opposable.wire.tags.forms import Form

State: TypeAlias = Literal["whole", "bare", "cut", "no"]
"""What stands here: a header, one whose body follows without `<|message|>`, the beginning of one at the end, or none."""

Kind: TypeAlias = Literal["call", "frame", "reasoning", "content", "turn"]
"""What a header says of its message: a call, a frame that may hold blocks, one of two parts, or that another speaks."""

START, CHANNEL, CONSTRAIN, MESSAGE = "<|start|>", "<|channel|>", "<|constrain|>", "<|message|>"
GLUED = "assistantcommentary to="
HEADS = (START, CHANNEL, GLUED)
"""What begins a header wherever it stands."""
BEGUN = (" to=", "to=", MESSAGE, "commentary to=", "analysis to=")
"""What begins the rest of a header that the prompt began."""

LONGEST = 256
_WORDS_IN_PART = 3
_TOKENS = Literals((START, CHANNEL, CONSTRAIN, MESSAGE))
_WORDS = re.compile(rf"(?:[\w.:/@=\- \t]++|{'|'.join(map(re.escape, (START, CHANNEL, CONSTRAIN)))})++")
_BEGINNING = re.compile(r"[<|\w]+")
_CHANNELS = ("analysis", "commentary", "final")
_THOUGHT = ("self", "developer")
_SPOKEN = ("", "assistant", "user", "all", "system", *_CHANNELS)
_NOBODY = frozenset((*_THOUGHT, *_SPOKEN))
_PREFIX = "functions."
_PARAMETER = Literals(("<rfl:parameter",))
_TAGS = Tags(Form(parameters=("rfl:parameter",)))


@dataclass(frozen=True, slots=True)
class Header:
    """What a header says. `channel` None: it names none. `recipient` as it was written."""

    role: str = ""
    recipient: str = ""
    channel: str | None = None


def over_header(src: Source) -> Wait[State]:
    """Go over a header that begins here, as far as it may be one."""
    end = src.at + LONGEST
    while True:
        char = yield from src.skip(_WORDS, end)
        token = yield from src.look(_TOKENS)
        if token is None:
            at = src.at
            rest = yield from src.skip(_BEGINNING, end)
            if not rest and _TOKENS.begins(src.since(at)):
                return "cut"
            src.back(at)
        if token is None or src.at >= end:
            return "bare" if char == "{" else "no"
        src.pos += len(token)
        if token == MESSAGE:
            return "whole"


def read_header(text: str) -> Header | None:
    """What this header says; None: nothing. One that is written twice counts once, the last."""
    _, start, last = text.removesuffix(MESSAGE).rpartition(START)
    first, *channels = last.split(CHANNEL)
    role = _part(first)
    channel = _part(channels[-1]) if channels else None
    if role is None or (channels and channel is None):
        return None
    name, recipient = role
    if channel is not None:
        return Header(name, channel[1] or (recipient if len(channels) == 1 else ""), channel[0])
    if start:
        return Header(name, recipient)
    name = name.removeprefix("assistant")
    return Header("", recipient, name if name in _CHANNELS else None)


def _part(text: str) -> tuple[str, str] | None:
    """The first word of a part of a header, and its recipient. None: it has too many words."""
    words = text.replace(CONSTRAIN, " ").split()
    recipients = [word[3:] for word in words if word.startswith("to=")]
    others = [word for word in words if not word.startswith("to=")]
    if len(others) >= _WORDS_IN_PART or len(recipients) > 1 or any("=" in word for word in others):
        return None
    return (others or [""])[0], (recipients or [""])[0]


def tool(recipient: str, tools: Offered) -> str | None:
    """The offered tool that a recipient names. Where the tokens were taken, the name of a channel is glued to it."""
    short = recipient.removeprefix(_PREFIX)
    if short and short in tools:
        return short
    found = tools.name(recipient)
    for channel in _CHANNELS:
        found = found or (tools.name(recipient.removesuffix(channel)) if recipient.endswith(channel) else None)
    return found


def kind(header: Header, tools: Offered) -> Kind:
    """What the message under this header is."""
    if header.role not in ("", "assistant"):
        return "turn"
    if header.recipient not in _NOBODY or tool(header.recipient, tools) is not None:
        return "frame" if header.channel is None else "call"
    if header.channel is None:
        return "reasoning" if header.recipient in _THOUGHT else "content"
    return "reasoning" if header.channel == "analysis" else "content"


@dataclass(frozen=True, slots=True)
class MessageHead(Step):
    """The header of a message to a tool."""

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        state = yield from over_header(src)
        text = src.since(block.start)
        header = read_header(text) if state in ("whole", "bare") else None
        char = yield from src.skip(SPACE)
        if header is None or kind(header, block.tools) not in (("call", "frame") if char == "{" else ("call",)):
            return "no"
        at = block.start + text.rindex("to=" + header.recipient) + len("to=")
        block.parts["name"] = (at, at + len(header.recipient))
        block.mends += ["missing_marker"] if state == "bare" else []
        return "on"

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        return f"{CHANNEL}commentary to={_PREFIX}{name} {CONSTRAIN}json{MESSAGE}"


@dataclass(frozen=True, slots=True)
class MessageBody(Arguments):
    """The arguments, under a header that names the tool."""

    openers: tuple[str, ...] = HEADS

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        if (yield from src.look(_PARAMETER)) is None:
            return (yield from Arguments.scan(self, src, block))
        mends = [*block.mends]
        state = yield from _TAGS.scan(src, block)
        is_closed = (yield from src.look(block.closers)) is not None  # what closes the message closes the call
        block.mends = mends if is_closed else [*mends, "missing_marker"]
        return state

    def read(self, body: str, name: str, tools: Offered, *, ended: bool) -> list[Draft]:
        found = tool(name, tools)
        if found is None:
            raise unknown(name)
        if body.startswith(_PARAMETER.anywhere):
            return _TAGS.read(body, found, tools, ended=ended)
        return Arguments.read(self, body, found, tools, ended=ended)
