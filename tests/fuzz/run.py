"""Many inputs, one seed each. Law: what is found of a seed does not depend on how many are run, or by how many processes."""

import time
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice

from tests.fuzz.dice import seeded
from tests.fuzz.inputs import Input, made
from tests.fuzz.laws import Broken, is_wrong, judged

BATCH = 1000


@dataclass(frozen=True, slots=True)
class Failure:
    """A seed whose input breaks a law."""

    seed: int
    broken: Broken


@dataclass(slots=True)
class Tally:
    """What was found: inputs by their kind, calls read, failures; seeds of calls that a fault made others; the slowest."""

    kinds: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    characters: int = 0
    failures: list[Failure] = field(default_factory=list)
    wrong: list[int] = field(default_factory=list)
    slowest: tuple[float, int] = (0.0, 0)

    @property
    def inputs(self) -> int:
        return self.kinds.total()

    def add(self, other: "Tally") -> None:
        self.kinds += other.kinds
        self.calls += other.calls
        self.characters += other.characters
        self.failures += other.failures
        self.wrong += other.wrong
        self.slowest = max(self.slowest, other.slowest)


def of(seed: int) -> Input:
    """The input of a seed."""
    return made(seeded(seed))


def batch(seeds: Iterable[int]) -> Tally:
    """The inputs of these seeds, held to the laws."""
    tally = Tally()
    for seed in seeds:
        given = of(seed)
        began = time.perf_counter()
        reply, fault = judged(given)
        tally.slowest = max(tally.slowest, (time.perf_counter() - began, seed))
        tally.kinds[given.kind] += 1
        tally.characters += len(given.text)
        if fault is not None:
            tally.failures.append(Failure(seed, fault))
        elif reply is not None and reply.tool_calls:
            tally.calls += len(reply.tool_calls)
            tally.wrong += [seed] if is_wrong(given, reply) else []
    return tally


def batches(seed: int, count: int | None) -> Iterator[range]:
    """Seeds from the first on, a batch at a time; so many, or without end."""
    end = None if count is None else seed + count
    while end is None or seed < end:
        yield range(seed, seed + BATCH if end is None else min(seed + BATCH, end))
        seed += BATCH


def tallies(seed: int, count: int | None, jobs: int) -> Generator[Tally, None, None]:
    """What is found, batch by batch, in so many processes. Whoever has enough closes this."""
    ahead = batches(seed, count)
    running: set[Future[Tally]] = set()
    with ProcessPoolExecutor(jobs) as pool:
        try:
            while True:
                running |= {pool.submit(batch, seeds) for seeds in islice(ahead, 2 * jobs - len(running))}
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        finally:
            pool.shutdown(cancel_futures=True)
