"""Which tools were offered, and which of them a name means."""

from dataclasses import dataclass
from typing import Any

import pytest

import opposable
from opposable.wire import parse
from opposable.wire.offered import Offered


@dataclass(frozen=True)
class Spec:
    name: str
    parameters: dict[str, Any]


def offered(*names: str) -> Offered:
    return Offered([{"name": name, "parameters": {}} for name in names])


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("ring_bell", "ring_bell"),
        (" ring_bell\n", "ring_bell"),
        ("functions.ring_bell", "ring_bell"),
        ("function:ring_bell", "ring_bell"),
        ("tool:ring_bell", "ring_bell"),
        ("tools.ring_bell", "ring_bell"),
        ("functions.ring_bell:12", "ring_bell"),
        ("default_api.ring_bell", "ring_bell"),
        ("mcp__tower__ring_bell", "ring_bell"),
        ("ring_bell.ring_bell", "ring_bell"),
        ("ring_bell<|channel|>json", "ring_bell"),
        ("ring_bell<|", "ring_bell"),
        ("functions.RingBell", "ring_bell"),
        ("ring-bell", "ring_bell"),
        ("ring_bells", None),
        ("ring_bel", None),
        ("bell", None),
        ("ring_bell.list_ovens", None),
        ("tower.ring_bell", None),
        ("ring bell", None),
        ("", None),
        ("functions.", None),
    ],
)
def test_a_name(written: str, meant: str | None) -> None:
    assert offered("ring_bell", "list_ovens").name(written) == meant


def test_as_it_stands_goes_before_all_else() -> None:
    both = offered("tools.ring", "ring", "Ring", "ring:0")
    assert [both.name(name) for name in ("tools.ring", "ring", "Ring", "ring:0")] == list(both)
    assert both.name("RING") is None


def test_names_with_dots_and_blanks_are_names() -> None:
    odd = offered("kitchen.list ovens", "a.a")
    assert odd.name("kitchen.list ovens") == "kitchen.list ovens"
    assert odd.name("a.a") == "a.a"


@pytest.mark.parametrize(
    "tool",
    [
        Spec("ring", {"properties": {"times": {}}, "required": ["times"]}),
        {"name": "ring", "parameters": {"properties": {"times": {}}, "required": ["times"]}},
        {
            "type": "function",
            "function": {"name": "ring", "parameters": {"properties": {"times": {}}, "required": ["times"]}},
        },
    ],
)
def test_a_tool_may_come_as_an_object_or_a_dict(tool: Any) -> None:
    tools = Offered([tool])
    assert list(tools) == ["ring"]
    assert dict(tools.parameters("ring")) == {"times": {}}
    assert tools.needs_arguments("ring")


@pytest.mark.parametrize(
    "tool",
    [
        {"name": "ring"},
        {"name": "ring", "parameters": None},
        {"name": "ring", "parameters": {}},
        {"name": "ring", "parameters": "none"},
        {"name": "ring", "parameters": {"properties": ["times"], "required": []}},
        {"name": "ring", "parameters": {"properties": None}},
    ],
)
def test_odd_schemas_name_no_parameters(tool: Any) -> None:
    tools = Offered([tool])
    assert not tools.parameters("ring")
    assert not tools.needs_arguments("ring")
    assert parse('<tool_call>{"name": "ring", "arguments": {"a": 1}}</tool_call>', [tool]).tool_calls[0].arguments == {
        "a": 1
    }
    assert not parse('<tool_call>{"name": "ring", "a": 1}</tool_call>', [tool]).tool_calls


@pytest.mark.parametrize("tool", ["ring", None, 7, {}, {"parameters": {}}, {"name": None}, {"function": "ring"}, [1]])
def test_what_is_no_tool_is_said(tool: Any) -> None:
    with pytest.raises(TypeError, match="this is none"):
        Offered([tool])


def test_a_dict_is_no_list_of_tools() -> None:
    with pytest.raises(TypeError, match="this is none: 'name'"):
        parse("", {"name": "ring", "parameters": {}})  # type: ignore[dict-item]


def test_the_same_tool_twice_is_one() -> None:
    assert list(offered("ring", "ring")) == ["ring"]


def test_two_tools_of_one_name() -> None:
    with pytest.raises(ValueError, match="two tools are called 'ring'"):
        Offered([{"name": "ring", "parameters": {}}, {"name": "ring", "parameters": {"required": ["a"]}}])


ODD_NAMES = (
    "<tool_call>",
    "</tool_call>",
    "<think>",
    "[TOOL_CALLS]",
    "```",
    '"',
    "-",
    "__",
    "",
    ".*",
    "\n",
    "final",
    "{name}",
)


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "ring_bell", "arguments": {}}</tool_call>',
        '[TOOL_CALLS]ring_bell[ARGS]{"a": 1}',
        '<tool_call>ring_bell {"a": 1}</tool_call>',
        '```json\n{"name": "", "arguments": {}}\n```',
    ],
)
def test_a_tool_may_be_called_like_anything(text: str) -> None:
    tools = [{"name": name, "parameters": {}} for name in (*ODD_NAMES, "ring_bell")]
    assert [call.name for call in parse(text, tools).tool_calls] in ([], ["ring_bell"])


def test_a_message_to_nobody_is_no_call_whatever_is_offered() -> None:
    tools = [{"name": name, "parameters": {}} for name in ODD_NAMES]
    reply = parse("<|channel|>commentary<|message|>So.<|end|><|start|>assistant<|channel|>final<|message|>No.", tools)
    assert (reply.content, reply.tool_calls, reply.rejected) == ("So.No.", (), ())


def test_nothing_names_no_tool() -> None:
    assert offered("", "__", "-").name("") is None
    assert offered("", "__", "-").name("functions.") is None
    assert offered("__").name("__") == "__"


def rain(city: str) -> str:
    """Will it rain?"""
    return city


@pytest.mark.parametrize(
    ("tool", "said"),
    [(opposable.tool(rain), r"give its `spec`$"), (rain, r"give `opposable.tool\(…\).spec` of a function$")],
)
def test_of_a_function_it_is_said_what_to_give(tool: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said) as error:
        Offered([tool])
    assert len(str(error.value)) < 220
