"""The parser: a model's reply as pure text in, what it means out. Standard library only; usable alone.

`parse` reads a whole reply, `StreamParser` one that is coming, `collect` adds its events up; `render` writes calls in a
shape, as a model taught that shape would.
"""

from opposable.wire.events import AllReasoning, Call, Event, Marker, Reasoning, Rejected, Reply, Text
from opposable.wire.machine import StreamParser
from opposable.wire.offered import Tool
from opposable.wire.render import render
from opposable.wire.reply import collect, parse

__all__ = [
    "AllReasoning",
    "Call",
    "Event",
    "Marker",
    "Reasoning",
    "Rejected",
    "Reply",
    "StreamParser",
    "Text",
    "Tool",
    "collect",
    "parse",
    "render",
]
