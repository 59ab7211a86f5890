"""An input made small. Law: what comes out breaks the same law, and nothing can be taken from it one by one without that."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.fuzz.inputs import Input
from tests.fuzz.laws import Broken, broken

MOST = 4000
"""How often it is tried. A bound, as an input that takes long would take so long again each time."""


def smallest(given: Input, broken: Callable[[Input], Broken | None] = broken) -> Input:
    """The input, as small as it goes. Calls that are expected follow from the text, so that such an input stays as it is."""
    fault = broken(given)
    if fault is None or fault.law in ("written", "cut"):
        return given
    tries = 0
    while tries < MOST:
        for less in smaller(given):
            tries += 1
            found = broken(less)
            if found is not None and found.law == fault.law:
                given = less
                break
        else:
            break
    return given


def smaller(given: Input) -> Iterator[Input]:
    """The input with less in it: the longest spans first, then tools, cuts and what was told."""
    size = len(given.text)
    length = size // 2
    while length:
        for start in range(0, size - length + 1, max(length // 2, 1)):
            yield without(given, start, start + length)
        length //= 2
    for place in range(len(given.tools)):
        yield replace(given, tools=given.tools[:place] + given.tools[place + 1 :])
    for cut in given.cuts:
        yield replace(given, cuts=tuple(one for one in given.cuts if one != cut))
    if given.starts:
        yield replace(given, starts=False)


def without(given: Input, start: int, end: int) -> Input:
    """The input without a span of its text; the cuts stay at the characters where they were."""
    cuts = sorted({cut if cut <= start else max(start, cut - (end - start)) for cut in given.cuts})
    return replace(given, text=given.text[:start] + given.text[end:], cuts=tuple(cuts), kind="mixed", calls=())
