"""Calls written as a model writes them."""

import pytest

from opposable.errors import CannotCarry
from opposable.wire import Call, render
from opposable.wire.grammar import calls
from opposable.wire.shapes import SHAPES

WRITABLE = [row.name for row in SHAPES if row.access == "read-write"]

BELL = Call("ring_bell", {"times": 2, "where": "Köln"}, None, "", (), "")
OVENS = Call("list_ovens", {}, None, "", (), "")


@pytest.mark.parametrize(
    ("shape", "written"),
    [
        ("hermes", '<tool_call>\n{"name": "ring_bell", "arguments": {"times": 2, "where": "Köln"}}\n</tool_call>'),
        ("function-tag", '<function=ring_bell>{"times": 2, "where": "Köln"}</function>'),
        ("fenced", '```json\n{"name": "ring_bell", "arguments": {"times": 2, "where": "Köln"}}\n```'),
        ("bare", '{"name": "ring_bell", "arguments": {"times": 2, "where": "Köln"}}'),
    ],
)
def test_one_call(shape: str, written: str) -> None:
    assert render([BELL], shape) == written


def test_calls_stand_one_below_the_other() -> None:
    assert (
        render([OVENS, OVENS], "function-tag")
        == "<function=list_ovens>{}</function>\n" * 1 + "<function=list_ovens>{}</function>"
    )
    assert render([], "hermes") == ""


@pytest.mark.parametrize("shape", [next(row.name for row in SHAPES if row.access == "read"), "no such"])
def test_a_shape_that_cannot_be_written(shape: str) -> None:
    with pytest.raises(ValueError, match=r"can be written; there are .*hermes, "):
        render([BELL], shape)
    with pytest.raises(ValueError, match=r"can be written; there are .*hermes, "):
        calls([{"name": "list_ovens", "parameters": {}}], shape)


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, {"a": (1,)}, {1: 2}, "\ud800"])
@pytest.mark.parametrize("shape", WRITABLE)
def test_what_is_no_json_is_refused(shape: str, value: object) -> None:
    with pytest.raises(CannotCarry, match=f"the shape {shape} cannot hold"):
        render([Call("ring_bell", {"times": value}, None, "", (), "")], shape)


@pytest.mark.parametrize("shape", WRITABLE)
def test_a_name_that_is_none_is_refused(shape: str) -> None:
    with pytest.raises(CannotCarry):
        render([Call(" ", {}, None, "", (), "")], shape)


def test_the_tools_that_are_offered_decide_whether_text_can_be_read_back() -> None:
    for shape in WRITABLE:
        with pytest.raises(CannotCarry):
            render([BELL], shape, [{"name": "list_ovens", "parameters": {}}])


@pytest.mark.parametrize("shape", WRITABLE)
def test_plain_values_can_be_written_in_every_shape(shape: str) -> None:
    some = [
        BELL,
        OVENS,
        Call("bake", {"minutes": 2.5, "hot": True, "for": ["a", {"b": None}], "o": {}}, None, "", (), ""),
    ]
    assert render(some, shape)
