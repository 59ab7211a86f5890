"""What looks like a call and stayed text: one honest line of why."""

import pytest

from opposable.wire import parse
from opposable.wire.near import Near
from opposable.wire.offered import Offered

TOOLS = [{"name": "weather", "parameters": {"type": "object", "required": ["city"]}}, {"name": "add", "parameters": {}}]
NEAR = Near(Offered(TOOLS))


def notes(text: str, *, follows: bool = False) -> list[str]:
    return NEAR.notes(text, 0, follows=follows)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Use <tool_call> to call.", "at 4: '<tool_call>' begins calls (qwen-xml, glm, hermes), and no call was read here"),
        ("Done.</tool_call>", "at 5: '</tool_call>' ends calls (qwen-xml, seed, glm, hermes and 2 more), and closes none here"),
        ("<foo_call>x</foo_call>", "at 0: '<foo_call>' looks like a marker, and none that is known is written so"),
        ("x</foo_call>", "at 1: '</foo_call>' looks like a marker, and none that is known is written so"),
        ("<tool_call name='x'>", "at 0: \"<tool_call name='x'>\" looks like a marker, and none that is known is written so"),
        ("[USE_TOOL] x", "at 0: '[USE_TOOL]' looks like a marker, and none that is known is written so"),
        ("<tool_call> <tool_call>", "at 0: '<tool_call>' (2 times) begins calls (qwen-xml, glm, hermes), and no call was "
            "read here"),
        ("<tool_response>", "at 0: '<tool_response>' begins a result: that is for the tool to say, not for the model"),
        ("Yes.</think>", "at 4: '</think>' is a marker of reasoning, and counts as text here"),
        ("Yes.<|im_end|> No.", "at 4: '<|im_end|>' ends a turn, and counts as text here"),
        ("Yes.<|kettle_end|>", "at 4: '<|kettle_end|>' looks like a marker, and none that is known is written so"),
        ("add(1)", "at 0: 'add(' begins calls (call-expression, only as the whole reply), and no call was read here; its "
            "first argument has no name, and none is guessed"),
        ('Yes: {"name": "add", "arguments": {}} Done.', "at 5: JSON shaped like a call to 'add'; without a marker it counts "
            "only from the beginning of a line on"),
        ("&lt;tool_call&gt;", "at 0: '&lt;tool_call&gt;' looks like a marker, and none that is known is written so"),
        ('I would call functions.weather(city="Oslo"). weather(2)', "at 13: 'functions.weather' is the name of a tool, and no "
            "call was read here"),
        ("**Do:** `weather`", "at 9: 'weather' is the name of a tool, and no call was read here"),
        ("[[tool:weather|city=Oslo]]", "at 7: 'weather' is the name of a tool, and no call was read here"),
        ('TOOL: weather\nARGS: {"city": "Oslo"}', "at 6: 'weather' is the name of a tool, and no call was read here"),
        ('weather {"city": "Oslo"}\nok?', "at 0: 'weather' is the name of a tool, and no call was read here"),
        ('[add(a="x")] is', "at 0: '[add(' begins calls (pythonic, only at the end of the reply, from the beginning of a line "
            "on), and no call was read here"),
        ('{"a": 1}', "at 0: JSON that is no call: no name"),
        ('[{"a": 1}]', "at 0: JSON that is no call: no name"),
        ('{"name": "add", "arguments": {}, "args": {"a": 1}, "input": 1}', "at 0: JSON that is no call: two different sets of "
            "arguments"),
        ('{"name": "rain", "arguments": {}}', "at 0: JSON shaped like a call to 'rain', and no tool of this name was offered"),
        ('{"name": "add", "arguments": {}, "why": 1}', "at 0: JSON shaped like a call to 'add', with a key that no call "
            "without a marker has: 'why'"),
        ('{"name": "weather"}', "at 0: JSON shaped like a call to 'weather', without the key for arguments that a call without "
            "a marker needs"),
        ('So:\n {"name": "add", "arguments": {}}\nDone.', "at 5: JSON shaped like a call to 'add'; without a marker it counts "
            "only where nothing follows it, and something does"),
        ('```json\n{"name": "add", "arguments": {}}\nand', "at 8: JSON shaped like a call to 'add', and not read as one"),
        ('[{"name": "add", "arguments": {}}]', "at 0: JSON shaped like a call to 'add', and not read as one"),
    ],
)  # fmt: skip
def test_one_line_of_why(text: str, said: str) -> None:
    assert notes(text) == [said]


def test_what_comes_after_this_text_counts_too() -> None:
    assert "something does" in notes('{"name": "add", "arguments": {}}', follows=True)[0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hello.",
        "functools is a module",
        "[1, 2]",
        "[a](b)",
        "{",
        "{not json",
        "1. add\n- rain",
        "So:",
        "[" * 100_000,
        'So {"name": "rain"} and {"name": 1} or {"name": "a", "args": {"b": 1}, "input": 2}',
        "Do: rain",
        "rain(1)",
    ],
)
def test_of_what_is_no_call_nothing_is_said(text: str) -> None:
    assert notes(text) == []


def test_only_so_much_is_said() -> None:
    said = notes("".join(f"<call_{number}>" for number in range(30)))
    assert len(said) == 21
    assert said[-1] == "and 10 more that look like parts of calls"
    assert len(notes('{"a": 1}\n' * 50)) == 20


def test_what_is_said_holds() -> None:
    reply = parse('{"name": "add", "arguments": {}}\nDone.', TOOLS)
    assert reply.tool_calls == ()
    assert parse('{"name": "add", "arguments": {}}', TOOLS).tool_calls
