"""Calls written as a model writes them."""

import pytest

from opposable.wire import Call, render
from opposable.wire.shapes import BY_NAME

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


@pytest.mark.parametrize("shape", ["mistral-list", "no such"])
def test_a_shape_that_cannot_be_written(shape: str) -> None:
    with pytest.raises(ValueError, match="can be written; there are hermes, function-tag, fenced, bare"):
        render([BELL], shape)


@pytest.mark.parametrize(
    ("shape", "written"),
    [
        ("mistral-list", '[TOOL_CALLS] {"name": "list_ovens", "arguments": {}}'),
        ("mistral-args", "[TOOL_CALLS]list_ovens[ARGS]{}"),
    ],
)
def test_rows_that_are_only_read_can_say_how_they_look(shape: str, written: str) -> None:
    assert BY_NAME[shape].write("list_ovens", {}) == written
