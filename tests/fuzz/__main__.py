"""`python -m tests.fuzz`: inputs for the parser, for some time or of a number, and what they break.

Law: each finding is told with its seed, from which `--show SEED` makes it again.
"""

import argparse
import os
import sys
import time
from contextlib import closing
from dataclasses import replace

from tests.fuzz.inputs import Input
from tests.fuzz.laws import broken, judged
from tests.fuzz.run import Tally, of, tallies
from tests.fuzz.shrink import smallest

EACH = 10.0
"""Seconds between two lines that say how it goes."""
SHOWN = 5


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, help="for so long")
    parser.add_argument("--count", type=int, help="so many inputs")
    parser.add_argument("--seed", type=int, default=0, help="the first seed; each input has the next")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many processes")
    parser.add_argument("--wrong", action="store_true", help="show calls that a fault in their marks made others")
    parser.add_argument("--show", type=int, metavar="SEED", help="one input, and what it is read as")
    return parser.parse_args()


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def show(given: Input) -> None:
    """An input, what it is read as, and what was expected."""
    names = ", ".join(tool.get("function", tool)["name"] for tool in given.tools)
    say(f"  text    {given.text!r}\n  told    finish={given.finish} starts={given.starts} shape={given.shape}")
    say(f"  tools   {names}\n  cuts    {str(given.cuts)[:100]}")
    if given.calls:
        say(f"  {given.kind:7} {list(given.calls)!r}")
    say(f"  read    {judged(replace(given, kind='mixed', cuts=(), shape=None))}")


def run(chosen: argparse.Namespace) -> Tally:
    """All that is found within the time or the number, and lines that say how it goes."""
    tally, began = Tally(), time.monotonic()
    told, end = began, began + (chosen.seconds if chosen.seconds is not None else float("inf"))
    with closing(tallies(chosen.seed, chosen.count, chosen.jobs)) as coming:
        for part in coming:
            tally.add(part)
            now = time.monotonic()
            if now - told >= EACH:
                told = now
                say(f"fuzz: {line(tally, now - began)}; go on: --seed {chosen.seed + tally.inputs}")
            if now >= end:
                break
    say(f"fuzz: {line(tally, time.monotonic() - began)}")
    return tally


def line(tally: Tally, seconds: float) -> str:
    return (
        f"{tally.inputs} inputs, {tally.inputs / max(seconds, 0.001):.0f} a second, {tally.calls} calls read, "
        f"{len(tally.failures)} failures, {len(tally.wrong)} of {tally.kinds['near']} calls with faults became others"
    )


def report(tally: Tally, *, wrong: bool) -> None:
    """What was found, the failures made small."""
    seconds, seed = tally.slowest
    say(
        f"  kinds   {dict(sorted(tally.kinds.items()))}, {tally.characters} characters\n  slowest {seconds:.3f} s, seed {seed}"
    )
    for law in sorted({failure.broken.law for failure in tally.failures}):
        failures = [failure for failure in tally.failures if failure.broken.law == law]
        say(f"law `{law}`: {len(failures)} failures, seeds {[failure.seed for failure in failures[:20]]}")
        for failure in failures[:SHOWN]:
            small = smallest(of(failure.seed))
            found = broken(small)
            say(f"seed {failure.seed}: {(found or failure.broken).how}")
            show(small)
    for seed in tally.wrong if wrong else ():
        say(f"seed {seed}: another call")
        show(of(seed))


def main() -> int:
    chosen = options()
    if chosen.show is not None:
        show(of(chosen.show))
        say(f"  breaks  {broken(of(chosen.show))}")
        return 0
    if chosen.seconds is None and chosen.count is None:
        chosen.count = 10_000
    tally = run(chosen)
    report(tally, wrong=chosen.wrong)
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
