"""How fast replies are read: long arguments whole and streamed, hostile text, and the replies of CanIToolCall.

Run it alone: `.venv/bin/python benchmarks/parser.py`. Times are those of this process on the processor, the median of some
runs; what was read is checked in each. The long replies are two calls with an argument each, of the size that is named
and full of quotes, braces and tags, in several shapes, and the same text as prose. Beside them stands what it takes to
read all arguments so far anew at each chunk, as engines do, with the library that vLLM's parsers use.
"""

import gc
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import partial_json_parser
from canitoolcall.fixtures import load_fixtures

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.wire.test_linear import HOSTILE, OFFERED

from opposable.wire import Call, Reply, StreamParser, collect, parse, render

RUNS = 7
SIZES = (4_000, 8_000, 64_000)
CHUNK = 4
MEGABYTE = 1_000_000
PATIENCE = 10_000
"""How long a reply may be that is read anew at each chunk: ten times the size takes a hundred times the time."""

PATIENT = 2
"""How many seconds a megabyte may take, whatever stands in it: what we aim at."""

SHAPES = {"Hermes": "hermes", "Llama JSON": "bare", "Mistral": "mistral-list", "Qwen3-Coder": "qwen-xml", "GLM": "glm"}
AS_JSON = ("hermes", "bare", "mistral-list")
PIECE = """<li class="row" data-n='%d'>
  <b>It's "%d" of {many}</b> {{ rows["x"] }}
  <script>if (a < b && c["x"] == 'y') { log({"k": [1, {}]}); }</script>
</li>
"""
PROPERTIES = {"path": {"type": "string"}, "text": {"type": "string"}}
TOOLS: list[Any] = [{"name": "write_page", "parameters": {"type": "object", "properties": PROPERTIES}}]


def seconds(what: Callable[[], object], runs: int = RUNS) -> float:
    """The median of some runs, after one that warms up."""
    times: list[float] = []
    for _ in range(runs + 1):
        gc.collect()
        start = time.process_time()
        what()
        times.append(time.process_time() - start)
    return statistics.median(times[1:])


def in_chunks(text: str, size: int, tools: Iterable[Any], finish: str | None = "stop") -> Reply:
    parser = StreamParser(tools)
    events = [event for at in range(0, len(text), size) for event in parser.feed(text[at : at + size])]
    return collect(events + parser.close(finish))


# Long arguments


def page(size: int) -> str:
    return "".join(PIECE % (row, row) for row in range(size // len(PIECE) + 1))[:size].rstrip()


def calls(size: int) -> list[Call]:
    return [Call("write_page", {"path": f"{n}.html", "text": page(size)}, None, "", (), "") for n in range(2)]


def anew(bodies: list[str]) -> None:
    for body in bodies:
        for end in range(CHUNK, len(body) + CHUNK, CHUNK):
            partial_json_parser.loads(body[:end])


def of_shape(shape: str, size: int) -> tuple[float, float, float | None]:
    """Seconds for the whole, in chunks, and read anew at each chunk."""
    wanted = calls(size)
    text = render(wanted, shape, TOOLS) if shape else "\n\n".join(page(size) for _ in wanted)

    def check(reply: Reply) -> None:
        if shape:
            assert [call.arguments for call in reply.tool_calls] == [call.arguments for call in wanted]
        else:
            assert (reply.content, reply.tool_calls) == (text, ())

    whole = seconds(lambda: check(parse(text, TOOLS)))
    chunks = seconds(lambda: check(in_chunks(text, CHUNK, TOOLS)))
    if shape not in AS_JSON or size > PATIENCE:
        return whole, chunks, None
    written = [json.dumps({"name": call.name, "arguments": call.arguments}) for call in wanted]
    bodies = [json.dumps([*map(json.loads, written)])] if shape == "mistral-list" else written
    return whole, chunks, seconds(lambda: anew(bodies), 1)


def long_arguments() -> None:
    print(
        f"\ntwo calls with an argument of this size: ms read whole, and streamed in chunks of {CHUNK} characters; how many"
    )
    print("times as long as one of half the size; ms where all so far is read anew at each chunk")
    print(f"\n{'shape':14} {'size':>6} {'whole':>10} {'streamed':>10} {'times':>8} {'anew':>11}", flush=True)
    for name, shape in [*SHAPES.items(), ("plain prose", "")]:
        before = 0.0
        for size in SIZES:
            whole, chunks, others = of_shape(shape, size)
            ratio = f"{chunks / before:8.2f}" if size == 2 * SIZES[0] else " " * 8
            beside = "" if others is None else f"{1000 * others:11.0f}"
            print(
                f"{name:14} {size // 1000:3} kB {1000 * whole:10.2f} {1000 * chunks:10.2f} {ratio} {beside}", flush=True
            )
            before = chunks


# Hostile text


def hostile() -> None:
    """A megabyte of each kind, whole: the slowest, and how long the middle one takes."""
    print(f"\na megabyte of each of {len(HOSTILE)} kinds of hostile text, which takes some minutes …", flush=True)
    times: dict[str, float] = {}
    for name, (begin, again) in HOSTILE.items():
        text = begin + again * (MEGABYTE // len(again))
        start = time.process_time()
        parser = StreamParser(OFFERED)
        events = [*parser.feed(text), *parser.close()]
        times[name] = time.process_time() - start
        assert "".join(event.raw for event in events) == text
    slow = sum(time > PATIENT for time in times.values())
    print(f"{statistics.median(times.values()):.2f} s in the middle, {slow} kinds over {PATIENT} s, the slowest are")
    for name in sorted(times, key=times.__getitem__, reverse=True)[:8]:
        print(f"{name:40} {times[name]:6.2f} s")


# Replies as they come


class Sample(NamedTuple):
    """A reply, the tools that were offered, and why it ended."""

    text: str
    tools: list[Any]
    finish: str | None


def replies() -> None:
    """Whole replies, the floor below them, which is `json.loads` of what they say, and one character at a time."""
    samples = [
        Sample(fixture.raw_output, list(fixture.tools), "length" if "truncated" in fixture.tags else "stop")
        for fixture in load_fixtures()
    ]
    read = [parse(text, tools, finish) for text, tools, finish in samples]
    assert read == [in_chunks(text, 1, tools, finish) for text, tools, finish in samples]
    written = [json.dumps(call.arguments) for reply in read for call in reply.tool_calls]
    characters = sum(len(sample.text) for sample in samples)
    each = 1e6 / len(samples)
    whole = each * seconds(lambda: [parse(text, tools, finish) for text, tools, finish in samples])
    floor = each * seconds(lambda: [json.loads(arguments) for arguments in written])
    single = characters / seconds(lambda: [in_chunks(text, 1, tools, finish) for text, tools, finish in samples])
    print(f"\n{len(samples)} replies of CanIToolCall, {characters / len(samples):.0f} characters on average:")
    print(f"{whole:.0f} µs each whole ({floor:.1f} of it json.loads); {single:,.0f} characters/s one by one")


def main() -> None:
    print(
        f"{time.strftime('%Y-%m-%d')} · {platform.machine()} · {os.cpu_count()} cores · Python {platform.python_version()}"
    )
    long_arguments()
    replies()
    hostile()


if __name__ == "__main__":
    main()
