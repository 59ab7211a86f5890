"""How fast replies are read: those of CanIToolCall, and other collections where they lie beside the repository.

Run it alone: `python benchmarks/bench_parse.py`. A line says how many replies there are and how long they are on average,
microseconds for a whole one, the floor, and characters a second where each comes by itself. The floor is what the
standard library takes for the one part that nobody can leave out: `json.loads` of the arguments of the calls found.
"""

import gc
import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from canitoolcall.fixtures import load_fixtures

from opposable.wire import StreamParser, parse

RUNS = 9
SHARED = Path(__file__).parents[2] / "shared" / "cases"


class Sample(NamedTuple):
    """A reply, the tools that were offered, and why it ended."""

    text: str
    tools: list[Any]
    finish: str | None


def of_canitoolcall() -> list[Sample]:
    return [
        Sample(fixture.raw_output, list(fixture.tools), "length" if "truncated" in fixture.tags else "stop")
        for fixture in load_fixtures()
    ]


def of_file(path: Path) -> list[Sample]:
    cases = map(json.loads, path.read_text("utf-8").splitlines())
    return [
        Sample(case["text"], [wrapped(tool) for tool in case["tools"]], case.get("finish_reason", "stop"))
        for case in cases
    ]


def wrapped(tool: dict[str, Any]) -> dict[str, Any]:
    return tool if tool.get("type") == "function" else {"type": "function", "function": tool}


def whole(samples: Iterable[Sample]) -> None:
    for text, tools, finish in samples:
        parse(text, tools, finish)


def by_character(samples: Iterable[Sample]) -> None:
    for text, tools, finish in samples:
        parser = StreamParser(tools)
        for char in text:
            parser.feed(char)
        parser.close(finish)


def floor(written: Iterable[str]) -> None:
    for arguments in written:
        json.loads(arguments)


def seconds(what: Callable[[Any], None], given: Any) -> float:
    """The median of some runs, after one that warms up."""
    what(given)
    times: list[float] = []
    for _ in range(RUNS):
        gc.collect()
        start = time.perf_counter()
        what(given)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def line(name: str, samples: list[Sample]) -> str:
    calls = [call for text, tools, finish in samples for call in parse(text, tools, finish).tool_calls]
    characters = sum(len(sample.text) for sample in samples)
    each = 1e6 / len(samples)
    return (
        f"{name:14} {len(samples):6} {characters / len(samples):8.0f} {each * seconds(whole, samples):10.0f}"
        f" {each * seconds(floor, [json.dumps(call.arguments) for call in calls]):10.1f}"
        f" {characters / seconds(by_character, samples):14,.0f}"
    )


def main() -> None:
    print(
        f"{time.strftime('%Y-%m-%d')} · {platform.machine()} · {os.cpu_count()} cores · Python {platform.python_version()}"
    )
    print(f"{'replies of':14} {'count':>6} {'long':>8} {'µs whole':>10} {'json.loads':>10} {'characters/s':>14}")
    print(line("CanIToolCall", of_canitoolcall()))
    for path in sorted(SHARED.glob("*.jsonl")):
        print(line(path.stem, of_file(path)))


if __name__ == "__main__":
    main()
