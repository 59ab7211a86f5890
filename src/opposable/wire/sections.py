"""Where a section of blocks begins. Law: without a block, a closer or a section in it near by, its opener is text."""

from opposable.wire.events import Marker
from opposable.wire.framing import over_doubled
from opposable.wire.scan import SPACE
from opposable.wire.shapes import Table
from opposable.wire.shapes.frames import BEGIN_TOKENS
from opposable.wire.shapes.shape import Section
from opposable.wire.source import Literals, Source, Wait
from opposable.wire.told import OpenSection, Told

_NOISE = 256
"""How many characters of text may stand between the opener of a section and its first block."""


def over_opener(src: Source, table: Table, told: Told, opener: str, section: Section) -> Wait[bool]:
    """Is this, which stands here, the opener of a section? Then what it holds is not let go before its blocks are judged.

    Doubled openers are gone over in any case: what is none here is none there.
    """
    src.pos += len(opener)
    inside = table.in_section(section.closers)
    end = yield from over_doubled(src, Literals((opener, *BEGIN_TOKENS)))
    body = src.at
    found = yield from src.find(inside, _NOISE)
    is_cut = found is None and src.closed and not told.ended and not src.since(body).strip()
    src.back(end)
    if is_cut:
        told.let_go(Marker)
    elif found in (*section.closers, *section.openers, *table.tagged, *table.framed):
        yield from src.skip(SPACE)
        told.section = OpenSection(section, inside, src.at)
    else:
        return False
    return True
