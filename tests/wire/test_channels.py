"""Headers of messages: where they end, what they say, and what the message under them is."""

import pytest
from tests.wire.golden import TOOLS

from opposable.wire.channels import LONGEST, Header, kind, over_header, read_header, tool
from opposable.wire.offered import Offered
from opposable.wire.source import Source

OFFERED = Offered(TOOLS.values())


def over(text: str, step: int) -> tuple[str, str]:
    """What stands at the beginning of the text, and what was gone over."""
    src = Source()
    reader = over_header(src)
    try:
        for at in range(0, len(text), step):
            src.feed(text[at : at + step])
            next(reader)
        src.closed = True
        next(reader)
    except StopIteration as stop:
        return stop.value, src.since(0)
    raise AssertionError("it does not end")


@pytest.mark.parametrize("step", [1, 5, 1000])
@pytest.mark.parametrize(
    ("header", "rest", "state"),
    [
        ("<|channel|>final<|message|>", "Hello <|message|>", "whole"),
        (" to=functions.ring_bell<|channel|>commentary <|constrain|>json<|message|>", "{}", "whole"),
        ("<|message|>", "", "whole"),
        ("<|channel|>commentary to=functions.ring_bell <|constrain|>json", "{}", "bare"),
        ("<|start|>assistant<|chan", "", "cut"),
        ("<|start|>assis", "", "cut"),
        ("<|start|>", "", "cut"),
        ("<|channel|>", "?? <|message|>", "no"),
        ("<|channel|>final", "<|end|>", "no"),
        ("<|channel|>final", "\n<|message|>", "no"),
        ("<|channel|>final", "<b", "no"),
        ("<|channel|>" + (LONGEST - 11) * "a", "<|message|>", "no"),
        ("<|channel|>" + (LONGEST - 12) * "a" + "<|message|>", "", "whole"),
        ("<|channel|>" + (LONGEST - 11) * "a", "a" * LONGEST, "no"),
    ],
)
def test_where_a_header_ends(header: str, rest: str, state: str, step: int) -> None:
    assert over(header + rest, step) == (state, header)


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("<|start|>assistant<|channel|>final<|message|>", Header("assistant", "", "final")),
        ("<|channel|>commentary to=functions.f <|constrain|>json<|message|>", Header("", "functions.f", "commentary")),
        ("<|start|>assistant to=f<|channel|>analysis json<|message|>", Header("assistant", "f", "analysis")),
        (" to=f<|message|>", Header("", "f")),
        ("<|start|>assistant to=f<|message|>", Header("assistant", "f")),
        ("<|start|>user<|message|>", Header("user")),
        ("<|start|>f to=assistant<|channel|>commentary<|message|>", Header("f", "assistant", "commentary")),
        ("<|channel|>commentary to=f<|channel|>final<|message|>", Header("", "", "final")),
        ("<|channel|>commentary to=f<|channel|>commentary to=g<|message|>", Header("", "g", "commentary")),
        ("<|start|>user<|start|>assistant<|channel|>final<|message|>", Header("assistant", "", "final")),
        ("assistantcommentary to=f json", Header("", "f", "commentary")),
        (" to=fcommentary json", Header("", "fcommentary")),
        ("<|channel|><|message|>", Header("", "", "")),
        ("<|channel|> is the name of a marker<|message|>", None),
        ("<|start|> is the name of a marker<|channel|>final<|message|>", None),
        ("<|channel|>commentary to=f to=g<|message|>", None),
        ("<|channel|>final a=b<|message|>", None),
    ],
)
def test_what_a_header_says(text: str, header: Header | None) -> None:
    assert read_header(text) == header


@pytest.mark.parametrize(
    ("header", "meant"),
    [
        (Header("", "functions.ring_bell", "commentary"), "call"),
        (Header("assistant", "ring_bell", "final"), "call"),
        (Header("", "python", "analysis"), "call"),
        (Header("", "ring_bell"), "frame"),
        (Header("", "", "analysis"), "reasoning"),
        (Header("", "assistant", "analysis"), "reasoning"),
        (Header("", "self"), "reasoning"),
        (Header("", "user"), "content"),
        (Header(), "content"),
        (Header("", "", "comment"), "content"),
        (Header("user", "", None), "turn"),
        (Header("functions.ring_bell", "assistant", "commentary"), "turn"),
    ],
)
def test_what_a_message_is(header: Header, meant: str) -> None:
    assert kind(header, OFFERED) == meant


def test_a_tool_may_be_called_as_somebody() -> None:
    tools = Offered([{"name": "user"}, {"name": "functions.deep"}])
    assert kind(Header("", "user", "commentary"), tools) == "call"
    assert tool("functions.functions.deep", tools) == "functions.deep"
    assert tool("functions.deep", tools) == "functions.deep"


def test_the_tool_that_a_recipient_names() -> None:
    assert tool("functions.ring_bell", OFFERED) == "ring_bell"
    assert tool("ring_bellcommentary", OFFERED) == "ring_bell"
    assert tool("functions.fly_kiteanalysis", OFFERED) is None
