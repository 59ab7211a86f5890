"""How almost-JSON is mended, beside json_repair: what must be mended, and what looks like it and is to be left alone.

Run it alone: `python benchmarks/mends.py`. The cases are those of tests/wire/cases/mends.txt whose blocks are JSON in one
pair of markers; what each means was written by us. The parser is given the whole reply of one block, json_repair what
stands between the markers, and its value counts as a call where it has the name of a tool and an object of arguments (a
string of arguments is repaired again). Right: the call that is meant, or none where none is. Wrong: another call. None:
no call where one is meant. The last line is the time of the longest case: a call whose text holds quotes without
backslashes all over.
"""

import os
import platform
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import json_repair

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.wire.golden import TOOLS, all_cases

from opposable.wire import parse

BLOCK = re.compile(r"<tool_call>(\s*[\[{].*?)</tool_call>", re.DOTALL)
LONG = 100_000
Meant = tuple[str, dict[str, Any]] | None


class Sample(NamedTuple):
    """The body of a block and what it means; `mended`: it needs a mend."""

    body: str
    meant: Meant
    mended: bool


def samples() -> Iterator[Sample]:
    """Blocks of cases in which all blocks are calls, or none is."""
    for case in all_cases():
        bodies = BLOCK.findall(case.reply)
        if case.file != "mends" or case.finish != "stop" or "".join(BLOCK.split(case.reply)[::2]).strip():
            continue
        if len(case.calls) == len(bodies) and not case.rejected:
            for body, call in zip(bodies, case.calls, strict=True):
                yield Sample(body, (call.name, call.arguments), bool(call.mends))
        elif len(case.rejected) == len(bodies) and not case.calls:
            yield from (Sample(body, None, False) for body in bodies)


def ours(body: str) -> Meant:
    calls = parse(f"<tool_call>{body}</tool_call>", TOOLS.values()).tool_calls
    return (calls[0].name, calls[0].arguments) if len(calls) == 1 else None


def theirs(body: str) -> Meant:
    value = json_repair.loads(body)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, dict) or value.get("name") not in TOOLS:
        return None
    given = value.get("arguments", {})
    if isinstance(given, str):
        given = json_repair.loads(given)
    return (value["name"], given) if isinstance(given, dict) else None


def count(read: Callable[[str], Meant], some: list[Sample]) -> Counter[str]:
    found: Counter[str] = Counter()
    for body, meant, _ in some:
        got = read(body)
        found["right" if repr(got) == repr(meant) else "none" if got is None else "wrong"] += 1
    return found


def seconds(read: Callable[[str], Meant], body: str) -> float:
    start = time.perf_counter()
    read(body)
    return time.perf_counter() - start


def main() -> None:
    print(
        f"{time.strftime('%Y-%m-%d')} · {platform.machine()} · {os.cpu_count()} cores · Python {platform.python_version()}"
        f" · json_repair {version('json_repair')}"
    )
    every = list(samples())
    print(f"{'blocks':39} {'':12} {'right':>6} {'wrong':>6} {'none':>6}")
    for title, some in (
        ("that must be mended", [sample for sample in every if sample.mended]),
        ("that look like it, and are sound", [sample for sample in every if sample.meant and not sample.mended]),
        ("that look like it, and are no call", [sample for sample in every if not sample.meant]),
    ):
        for name, read in (("opposable", ours), ("json_repair", theirs)):
            found = count(read, some)
            print(f"{len(some):4} {title:34} {name:12} {found['right']:6} {found['wrong']:6} {found['none']:6}")
    line = 'print("a", "b")  # "c"\\n'
    long = f'{{"name": "write_page", "arguments": {{"path": "a", "text": "{line * (LONG // len(line))}"}}}}'
    for name, read in (("opposable", ours), ("json_repair", theirs)):
        print(f"{len(long):,} characters: {name:12} {seconds(read, long):8.2f} s")


if __name__ == "__main__":
    main()
