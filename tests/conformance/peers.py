"""How this parser differs from other engines' own recorded tests, by kind: `peers.txt`, read and set as a part of the page."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.markdown import escaped, table

PEERS = Path(__file__).parent / "peers.txt"
OURS = "ours"


class Kind(NamedTuple):
    """A way to differ: the clause that decides, or `ours` where it is this parser's fault; why; the cases, by id.

    `in_calls`: those of which the calls differ, and not the text around them alone.
    """

    title: str
    clause: str
    sentence: str
    ids: tuple[str, ...]
    in_calls: tuple[str, ...]


def read(text: str) -> tuple[int, list[Kind]]:
    """How many cases there are, and the kinds. Errors: ValueError."""
    head, *blocks = "\n".join(line for line in text.splitlines() if not line.startswith("#")).split("\n== ")
    kinds = [_kind(block) for block in blocks]
    ids = [one for kind in kinds for one in kind.ids]
    if len(ids) != len({*ids}):
        raise ValueError(f"twice: {sorted(one for one in {*ids} if ids.count(one) > 1)}")
    return int(head), kinds


def _kind(block: str) -> Kind:
    first, sentence, *lines = block.strip().splitlines()
    title, bar, clause = first.partition(" | ")
    marked = [one.strip() for line in lines for one in line.split(",")]
    if not bar or not all((title, clause, sentence, marked, *marked)):
        raise ValueError(f"not a kind: {first!r}")
    in_calls = tuple(one.removesuffix("*") for one in marked if one.endswith("*"))
    return Kind(title, clause, sentence, tuple(one.removesuffix("*") for one in marked), in_calls)


def section(cases: int, kinds: Sequence[Kind]) -> list[str]:
    """The part of the page."""
    differ = sum(len(kind.ids) for kind in kinds)
    calls = sum(len(kind.in_calls) for kind in kinds)
    rows = [(kind.title, str(len(kind.ids)), str(len(kind.in_calls)), kind.clause) for kind in kinds]
    return [
        "## Beside other engines' own tests",
        f"Engines test their parsers with recorded replies of their own. {cases} of these were collected from six of them "
        "and from an editor, with the tools and what each test wants. They are no part of this repository. They measure and "
        f"do not decide: {cases - differ} are read as the test wants, in calls, content and reasoning, {differ} are not, "
        f"{calls} of them in their calls. None differs when it is streamed. Each difference is of one of these kinds:",
        table(("kind", "cases", "in their calls", "decided by"), rows),
        *(f"**{kind.title}.** {escaped(kind.sentence)}" for kind in kinds),
    ]
