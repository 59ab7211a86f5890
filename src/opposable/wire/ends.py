"""Where a turn ends: the tokens for it, at the end of a reply or before another turn. Law: only looked for, never told."""

from opposable.wire.scan import SPACE
from opposable.wire.shapes.frames import END_TOKENS, TURN_OPENERS
from opposable.wire.source import Literals, Source, Wait

ENDS = Literals((*END_TOKENS, *TURN_OPENERS))
"""Tokens that end a turn or open another."""


def over_end_tokens(src: Source) -> Wait[str | None]:
    """Go over white space and tokens that end a turn; which of `ENDS` stands after them, None at the end of the reply."""
    while (yield from src.skip(SPACE)):
        literal = yield from src.look(ENDS)
        if literal not in END_TOKENS:
            return literal or ""
        src.pos += len(literal)
    return None


def is_last(src: Source) -> Wait[bool]:
    """Do only white space and end tokens follow, up to the end of the turn? Stays where it is."""
    at = src.at
    follows = yield from over_end_tokens(src)
    src.back(at)
    return follows is None or follows in TURN_OPENERS
