"""CanIToolCall's fixtures, read by this parser and judged by the package's own checks.

Law: no family is told, and no comparison is ours. Known of a fixture is what a caller knows: the tools, whether the reply
was cut off, and whether the prompt ended in an open marker of reasoning.

`python -m tests.conformance.harness WORD …` shows what fails of the fixtures whose ids contain one of the words.
"""

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from canitoolcall.checks import case_status, run_checks
from canitoolcall.chunking import ChunkStrategy, split_text
from canitoolcall.fixtures import Family, Fixture, load_families, load_fixtures
from canitoolcall.results import CheckResult, Observation, ParsedToolCall, ParseResult, Status

from opposable.wire import Reply, StreamParser, collect, parse
from opposable.wire.shapes.frames import REASONING

WAYS = tuple(map(ChunkStrategy.parse, ("one", "token", "rand:1:8", "rand:2:8", "rand:3:40")))
"""How a text comes: whole, by the character, in seeded pieces. The package cuts between tokens, this between characters."""
STREAM_CHECKS = frozenset(("stream_equals_nonstream", "split_invariance"))
OPEN_MARKERS = (*REASONING, "<|open|>think<|sep|>")
"""What a prompt may end with that has opened the reasoning."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A fixture, and what the checks say. `unlike`: the ways of coming that gave another reply than the whole text."""

    fixture: Fixture
    rows: tuple[CheckResult, ...]
    unlike: tuple[str, ...]

    @property
    def id(self) -> str:
        return self.fixture.id

    @property
    def status(self) -> Status:
        return case_status(self.rows)

    @property
    def faults(self) -> list[str]:
        """What the checks say of the whole text that is not right."""
        return [
            f"{row.check}: {row.status.value}: {row.detail}"
            for row in self.rows
            if row.strategy == "nonstream" and row.status is not Status.PASS
        ]


def finish_of(fixture: Fixture) -> str:
    """Why the reply ended."""
    return "length" if "truncated" in fixture.tags else "stop"


def starts_in_reasoning(fixture: Fixture, family: Family) -> bool:
    """Has the prompt opened the reasoning? It is the recorded one, else the one that the model's template makes."""
    prompt = fixture.generation_prompt
    if prompt is None:
        model = family.reference_for(fixture.models[0])
        prompt = (model and model.default_generation_prompt) or ""
    return prompt.rstrip().endswith(OPEN_MARKERS)


def as_result(reply: Reply) -> ParseResult:
    """A reply in the package's words."""
    calls = [ParsedToolCall(call.name, json.dumps(call.arguments, ensure_ascii=False)) for call in reply.tool_calls]
    return ParseResult(reply.content, reply.reasoning, tuple(calls))


def streamed(fixture: Fixture, way: ChunkStrategy, *, starts: bool) -> Reply:
    """The reply that its events add up to when the text comes this way."""
    parser = StreamParser(fixture.tools, starts_in_reasoning=starts)
    events = [event for piece in split_text(fixture.raw_output, way) for event in parser.feed(piece)]
    return collect([*events, *parser.close(finish_of(fixture))])


def judged(fixture: Fixture, family: Family) -> Judged:
    """A fixture read in every way, and judged."""
    starts = starts_in_reasoning(fixture, family)
    whole = parse(fixture.raw_output, fixture.tools, finish_of(fixture), starts_in_reasoning=starts)
    streams = {way.id: streamed(fixture, way, starts=starts) for way in WAYS}
    seen = Observation(as_result(whole), {way: as_result(reply) for way, reply in streams.items()})
    rows = tuple(run_checks(fixture, family, seen))
    unlike = [way for way, reply in streams.items() if repr(reply) != repr(whole)]
    unlike += [row.strategy for row in rows if row.check in STREAM_CHECKS and row.status is not Status.PASS]
    return Judged(fixture, rows, tuple(dict.fromkeys(unlike)))


@cache
def all_judged() -> tuple[Judged, ...]:
    """Every fixture of the package, judged."""
    families = load_families()
    return tuple(judged(fixture, families[fixture.family]) for fixture in load_fixtures())


def failing(results: Iterable[Judged]) -> list[Judged]:
    """Those that do not pass, not even softly."""
    return [result for result in results if result.status not in (Status.PASS, Status.SOFT_PASS)]


def main(words: list[str]) -> None:
    for result in failing(all_judged()):
        if not words or any(word in result.id for word in words):
            told = "".join(f"  {fault}\n" for fault in result.faults) or f"  streamed: {result.unlike}\n"
            sys.stdout.write(f"{result.id}\n  {result.fixture.raw_output!r}\n{told}")


if __name__ == "__main__":
    main(sys.argv[1:])
