"""Every golden case, whole and in pieces; the table, the cases and the rulings name the same things."""

import random
import re
from collections.abc import Collection, Iterator

import pytest
from tests.wire.golden import CASES, HERE, Case, all_cases

from opposable.wire import Reply, StreamParser, collect, parse
from opposable.wire.mend import MENDS
from opposable.wire.shapes import SHAPES

ALL = all_cases()
BESIDE_SHAPES = {"frames", "reasoning", "ends", "mends", "contests", "prose"}

each_case = pytest.mark.parametrize("case", ALL, ids=str)


def told(reply: Reply) -> dict[str, object]:
    return {
        "content": reply.content,
        "reasoning": reply.reasoning,
        "calls": [(call.name, call.arguments, call.shape, call.id, call.mends) for call in reply.tool_calls],
        "rejected": [rejected.cause for rejected in reply.rejected],
    }


def wanted(case: Case) -> dict[str, object]:
    return {
        "content": case.content,
        "reasoning": case.reasoning,
        "calls": [(call.name, call.arguments, call.shape, call.id, call.mends) for call in case.calls],
        "rejected": case.rejected,
    }


def splits(text: str) -> Iterator[list[str]]:
    yield list(text)
    yield ["", text[:1], "", *text[1:], ""]
    for seed in range(4):
        chance, at, chunks = random.Random(seed), 0, []
        while at < len(text):
            size = chance.randint(0, 12)
            chunks.append(text[at : at + size])
            at += size
        yield chunks


@each_case
def test_a_case(case: Case) -> None:
    reply = parse(case.reply, case.tools, case.finish, starts_in_reasoning=case.starts_in_reasoning)
    assert told(reply) == wanted(case)
    assert repr(told(reply)) == repr(wanted(case))  # 1 is not True, nor 1.0


@each_case
def test_a_case_in_pieces(case: Case) -> None:
    for chunks in splits(case.reply):
        parser = StreamParser(case.tools, starts_in_reasoning=case.starts_in_reasoning)
        events = [event for chunk in chunks for event in parser.feed(chunk)] + parser.close(case.finish)
        assert "".join(event.raw for event in events) == case.reply
        assert told(collect(events)) == wanted(case)


@pytest.mark.slow
@each_case
def test_a_case_with_any_hint(case: Case) -> None:
    for shape in SHAPES:
        reply = parse(
            case.reply, case.tools, case.finish, starts_in_reasoning=case.starts_in_reasoning, shape=shape.name
        )
        assert told(reply) == wanted(case)


def apart(shapes: Collection[str], files: Collection[str]) -> list[str]:
    """What is to be done where the table and the files of cases differ."""
    return [
        *(f"add tests/wire/cases/{name}.txt" for name in sorted({*shapes} - {*files})),
        *(
            f"add the row {name!r} to src/opposable/wire/shapes/, or remove tests/wire/cases/{name}.txt"
            for name in sorted({*files} - {*shapes})
        ),
    ]


def test_table_and_case_files_name_the_same_shapes() -> None:
    files = {path.stem for path in CASES.iterdir()}
    to_do = apart({shape.name for shape in SHAPES}, files - BESIDE_SHAPES)
    assert not to_do, "; ".join(to_do)
    assert files >= BESIDE_SHAPES
    assert {path.suffix for path in CASES.iterdir()} == {".txt"}


def test_what_is_to_be_done_where_they_differ_is_said() -> None:
    assert apart(["hermes", "oven"], ["hermes", "mill"]) == [
        "add tests/wire/cases/oven.txt",
        "add the row 'mill' to src/opposable/wire/shapes/, or remove tests/wire/cases/mill.txt",
    ]
    assert apart(["hermes"], ["hermes"]) == []


def test_every_shape_is_read_by_a_case_of_its_own_file() -> None:
    assert {shape.name for shape in SHAPES} <= {
        call.shape for case in ALL if case.file == call_file(case) for call in case.calls
    }


def call_file(case: Case) -> str:
    return next((call.shape for call in case.calls), "")


def test_titles_are_not_used_twice() -> None:
    assert len({str(case) for case in ALL}) == len(ALL)


def test_every_ruling_is_held_by_a_case_or_is_to_come() -> None:
    built, _, to_come = (HERE / "rulings.txt").read_text("utf-8").partition("\nnot yet\n")
    here, later = ([line.split()[0] for line in part.splitlines()[skip:]] for part, skip in ((built, 1), (to_come, 0)))
    here = [name for name in here if name]
    assert len({*here, *later}) == len(here) + len(later)
    assert {f"C{number}" for number in range(1, 14)} <= set(here)
    assert {name for case in ALL for name in case.holds} == set(here)


@pytest.mark.parametrize("mend", MENDS)
def test_every_mend_has_two_cases_and_two_look_alikes(mend: str) -> None:
    cases = [case for case in ALL if case.file == "mends"]
    must = [case for case in cases if re.match(rf"{mend}\b(?!, not)", case.title)]
    assert sum(mend in call.mends for case in must for call in case.calls) >= 2
    look_alikes = [case for case in cases if case.title.startswith(f"{mend}, not:")]
    assert sum(max(1, len(case.calls) + len(case.rejected)) for case in look_alikes) >= 2
    assert not [case for case in look_alikes for call in case.calls if mend in call.mends]
