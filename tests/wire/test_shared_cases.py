"""Cases that others collected, where they lie beside the repository: no crash, no false call, no cut seen."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.peers import PEERS, read

from opposable.wire import Reply, StreamParser, collect, parse

SHARED = Path(__file__).parents[3] / "shared" / "cases"

# Where others expect no call and the contract finds one: the clause that decides.
OTHERWISE = {
    "sglang/deepseekv4/004": "C8",  # text after a section
    "sglang/inkling/009": "C4",  # a good block beside a bad one
    "vllm/ResponseTemplateParser/025": "C6",  # text between the body and its closer
    "vllm/engine_minimax_m3/014": "R-arguments-missing",  # a call without parameters, and without its section
    "vllm/k2_horizon/006": "C7",  # JSON in the tags of the other form
    "vllm/k2_horizon/009": "C8",  # one call in a section
    "vllm/minicpm5/023": "C4",  # a parameter that the tool does not name
}

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not SHARED.is_dir(), reason=f"{SHARED} is not there")]


def tools_of(case: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        tool if tool.get("type") == "function" else {"type": "function", "function": tool} for tool in case["tools"]
    ]


def cut(text: str) -> Iterator[list[str]]:
    yield list(text)
    for seed in (1, 2):
        chance, at, chunks = random.Random(seed), 0, []
        while at < len(text):
            size = chance.randint(1, 9)
            chunks.append(text[at : at + size])
            at += size
        yield chunks


def in_pieces(case: dict[str, Any], chunks: list[str], starts: bool) -> Reply:
    parser = StreamParser(tools_of(case), starts_in_reasoning=starts)
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    return collect([*events, *parser.close(case.get("finish_reason", "stop"))])


@pytest.mark.parametrize("file", ["reports.jsonl", "peers-open.jsonl"])
def test_shared_cases(file: str) -> None:
    faults: list[str] = []
    for line in (SHARED / file).read_text("utf-8").splitlines():
        case = json.loads(line)
        starts = bool(case.get("starts_in_reasoning"))
        reply = whole(case)
        expected = case["expect"].get("tool_calls", case["expect"].get("calls"))
        if reply.tool_calls and not expected and case["id"] not in OTHERWISE:
            faults.append(f"{case['id']}: a false call")
        if any(repr(in_pieces(case, chunks, starts)) != repr(reply) for chunks in cut(case["text"])):
            faults.append(f"{case['id']}: differs when streamed")
    assert not faults


def plain(value: Any) -> str:
    """A value as JSON, in which 1 is 1.0, and not true."""
    return json.dumps(json.loads(json.dumps(value), parse_int=float), sort_keys=True)


def test_every_difference_from_the_tests_of_others_is_of_a_kind() -> None:
    """And no other case is: outer white space is not compared, nor what a test does not say."""
    cases, kinds = read(PEERS.read_text("utf-8"))
    lines = (SHARED / "peers-open.jsonl").read_text("utf-8").splitlines()
    differ, in_calls = set(), set()
    for case in map(json.loads, lines):
        reply = whole(case)
        expected = case["expect"]
        wanted = [[call["name"], call["arguments"]] for call in expected.get("tool_calls", expected.get("calls", []))]
        if plain(wanted) != plain([[call.name, call.arguments] for call in reply.tool_calls]):
            in_calls.add(case["id"])
        parts = ("content", reply.content), ("reasoning", reply.reasoning)
        if any(
            expected.get(key) is not None and expected[key].strip() != (found or "").strip() for key, found in parts
        ):
            differ.add(case["id"])
    assert len(lines) == cases
    assert differ | in_calls == {one for kind in kinds for one in kind.ids}
    assert in_calls == {one for kind in kinds for one in kind.in_calls}


def whole(case: dict[str, Any]) -> Reply:
    starts = bool(case.get("starts_in_reasoning"))
    return parse(case["text"], tools_of(case), case.get("finish_reason", "stop"), starts_in_reasoning=starts)
