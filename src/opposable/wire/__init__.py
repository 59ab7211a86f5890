"""The parser: a model's reply as pure text in, what it means out. Standard library only."""

from opposable.wire.events import AllReasoning, Call, Event, Marker, Reasoning, Rejected, Reply, Text

__all__ = ["AllReasoning", "Call", "Event", "Marker", "Reasoning", "Rejected", "Reply", "Text"]
