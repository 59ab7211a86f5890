"""A reply explained: the parts are the text, and what is said of them is what the parser made of it."""

from typing import Any

import pytest
from tests.wire.golden import Case, all_cases

from opposable.wire import StreamParser, collect, parse
from opposable.wire.explain import CAUSES, Part, explain

TOOLS = [
    {"name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}},
    {"name": "add", "parameters": {"type": "object"}},
]


def kinds(parts: list[Part]) -> list[tuple[str, str]]:
    return [(part.kind, part.raw) for part in parts]


def notes(text: str, finish: str = "stop", tools: Any = TOOLS) -> list[str]:
    return [note for part in explain(text, tools, finish) for note in part.notes]


@pytest.mark.parametrize("case", all_cases(), ids=str)
def test_a_case(case: Case) -> None:
    how: dict[str, Any] = {"starts_in_reasoning": case.starts_in_reasoning}
    parts = explain(case.reply, case.tools, case.finish, **how)
    reply = parse(case.reply, case.tools, case.finish, **how)
    assert "".join(part.raw for part in parts) == case.reply
    assert [part.start for part in parts[1:]] == [part.end for part in parts[:-1]]
    assert tuple(call for part in parts for call in part.calls) == reply.tool_calls
    assert [part.raw for part in parts if part.rejected] == [block.raw for block in reply.rejected]
    content = [part for part in parts if part.kind == "text" or (part.rejected and part.rejected.part == "content")]
    assert "".join(part.raw for part in content).strip() == (reply.content or "").strip()
    if not reply.rejected:
        assert "".join(part.raw for part in content) == (reply.content or "")


@pytest.mark.parametrize("case", [case for case in all_cases() if case.rejected], ids=str)
def test_the_reasons_are_the_same_in_pieces(case: Case) -> None:
    parser = StreamParser(case.tools, starts_in_reasoning=case.starts_in_reasoning)
    reply = collect([*(event for char in case.reply for event in parser.feed(char)), *parser.close(case.finish)])
    whole = parse(case.reply, case.tools, case.finish, starts_in_reasoning=case.starts_in_reasoning)
    assert [(block.why, block.shape) for block in reply.rejected] == [
        (block.why, block.shape) for block in whole.rejected
    ]
    assert [call.written for call in reply.tool_calls] == [call.written for call in whole.tool_calls]


def test_an_empty_reply_has_no_parts() -> None:
    assert explain("") == []


def test_layout_is_apart_from_the_content() -> None:
    call = '<tool_call>{"name": "add"}</tool_call>'
    assert kinds(explain(f"\nSure.\n{call}\n", TOOLS)) == [
        ("text", "\nSure."), ("marker", "\n"), ("call", call), ("marker", "\n")
    ]  # fmt: skip
    assert kinds(explain(f" \n{call}", TOOLS)) == [("marker", " \n"), ("call", call)]


def test_a_call_is_explained_by_its_shape_and_its_mends() -> None:
    (part,) = explain("<tool_call>{'name': 'functions.Weather'}</tool_call>", TOOLS)
    assert [(call.written, call.name) for call in part.calls] == [("functions.Weather", "weather")]
    shape, *mends = part.notes
    assert shape.startswith("shape hermes: '<tool_call>' … '</tool_call>'; written by Hermes")
    assert mends == ["mended single_quotes: a string in single quotes"]


def test_a_shape_that_counts_in_one_place_only_says_so() -> None:
    assert "at the end of the reply" in notes('{"name": "add", "arguments": {}}')[0]


def test_the_calls_of_a_list_are_one_part() -> None:
    (part,) = explain('<tool_call>[{"name": "add"}, {"name": "weather"}]</tool_call>', TOOLS)
    assert [call.name for call in part.calls] == ["add", "weather"]


def test_reasoning_that_nothing_had_opened() -> None:
    text = 'Hm. <tool_call>{"name": "rain"}</tool_call> So.</think>Yes.'
    parts = explain(text, TOOLS)
    assert [part.kind for part in parts] == ["reasoning", "rejected", "reasoning", "marker", "text"]
    assert parts[1].rejected is not None
    assert parts[1].rejected.part == "reasoning"
    assert "all text before it is reasoning" in parts[3].notes[0]


def test_a_marker_before_reasoning_that_nothing_had_opened_stays_one() -> None:
    assert [part.kind for part in explain("<bos>Hm.</think>Yes.")] == ["marker", "reasoning", "marker", "text"]


def test_words_that_opened_reasoning_are_a_marker() -> None:
    begin, end = "Here is my thought process:", "Here is my response:"
    assert kinds(explain(f"{begin} hm. {end} Yes."))[:2] == [("marker", begin), ("reasoning", " hm. ")]
    assert kinds(explain(f"{begin}{end} Yes.")) == [("marker", begin), ("marker", end), ("text", " Yes.")]


@pytest.mark.parametrize(
    ("text", "finish", "said"),
    [
        ('<tool_call>{"name": "rain"}</tool_call>', "stop", ["why: no tool is called 'rain'", "offered: weather, add"]),
        ('<tool_call>{"name": "functions.wether"}</tool_call>', "stop", ["did the model mean weather?"]),
        ('<tool_call>{"name": "Get_Weather"}</tool_call>', "stop", ["did the model mean weather?"]),
        (
            '<tool_call>{"name": "add", "arguments": {"a" 1}}</tool_call>',
            "stop",
            ["why: a key without a colon, before '1}}'", "shape hermes: "],
        ),
        (
            '<tool_call>{"name": "add", "arguments": {"a": "x',
            "stop",
            ["why: this string does not end, before '\"x'"],
        ),
        (
            '<tool_call>{"name": "add", "arguments": {"a": "C:\\"}}</tool_call>',
            "stop",
            ["why: this string does not end; a backslash escapes its last quote, before '\"C:\\\"}}'"],
        ),
        ('<tool_call>{"name": "add", "arguments": "Oslo"}</tool_call>', "stop", ["the arguments are a text, and no object"]),
        ("Action: add\nAction Input: Oslo", "stop", ["why: the arguments are a text, and no object"]),
        ('<tool_call>{"name": "add", "arguments": "{\\"a\\" 1}"}</tool_call>', "stop", ["why: a key without a colon"]),
        (
            '<tool_call>{"name": "add", "arguments": {"a" <tool_call>{"name": "add"}</tool_call>',
            "stop",
            ["why: the value breaks off after ', \"arguments\": {\"a\" '"],
        ),
        ('<tool_call>{"name": "add", "arguments": {"a": 1e999}}</tool_call>', "stop", ["why: a number too large, before '}}'"]),
        ('<tool_call>{"name": "add", "arguments": {"a": -Infinity}}</tool_call>', "stop", ["-Infinity is no value of JSON"]),
        ('<tool_call>{"name": "add", "arguments":\n{"a" \u200b1}}</tool_call>', "stop", ["why: ", "'<U+200B>1}}'"]),
        ("<tool_call>" + '{"name": "add", "arguments": ' + "[" * 5000 + "]" * 5000 + "}</tool_call>", "stop", [
            "why: nested too deeply",
        ]),
        ('<tool_call>{"name": "add", "arguments": {"a": "x', "length", ["it ends with ", '"x\'', "more tokens"]),
        ('<think><tool_call>{"name": "add"}</tool_call></think>', "stop", ["nothing, if the model decided against it"]),
        ('<think><tool_call>{"name": "add"}</tool_call>', "stop", ["keep the server from taking it off"]),
        ('<tool_call>{"name": "add", "arguments": {"a": "Once upon', "stop", ["was the reply cut off here?"]),
        (
            '<tool_response>\n<tool_call>{"name": "add"}</tool_call>',
            "stop",
            ["why: the model wrote <tool_response> itself", "begins a result"],
        ),
        ("Yes.<|im_end|>\n<|im_start|>user", "stop", ["the turn was over", "it is no part of the content"]),
    ],
)  # fmt: skip
def test_a_rejected_block_says_why_and_what_to_do(text: str, finish: str, said: list[str]) -> None:
    found = notes(text, finish)
    assert all(any(part in note for note in found) for part in said), found
    assert any(note.startswith("what to do: ") for note in found)


def test_every_cause_is_in_words() -> None:
    assert set(CAUSES) == {
        *("unknown_tool", "malformed", "truncated", "in_reasoning", "after_fake_result", "after_end_of_turn")
    }


def test_no_tools_are_offered() -> None:
    assert "offered: no tools" in notes('<tool_call>{"name": "rain"}</tool_call>', tools=())


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ("<think>", "begins reasoning"),
        ("</think>", "ends reasoning"),
        ("<|im_end|>", "ends the turn"),
        ("\n", "layout"),
    ],
)
def test_a_marker_says_what_it_does(raw: str, said: str) -> None:
    parts = explain('\n<think>Hm.</think>\n<tool_call>{"name": "add"}</tool_call><|im_end|>', TOOLS)
    assert next(part.notes for part in parts if part.kind == "marker" and part.raw.strip() == raw.strip()) == (said,)


def test_a_marker_of_which_nothing_is_known_says_nothing() -> None:
    marker = explain("<|channel|>final<|message|>", TOOLS)[0]
    assert (marker.kind, marker.notes) == ("marker", ())


def test_a_header_says_what_its_message_is() -> None:
    text = "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes.<|return|>"
    assert [part.notes for part in explain(text) if part.kind == "marker"] == [
        ("begins reasoning",), ("ends a message",), ("begins the answer",), ("ends the turn",)
    ]  # fmt: skip


def test_a_shape_is_told_once() -> None:
    first, second = (part for part in explain('<tool_call>{"name": "rain"}</tool_call>' * 2) if part.rejected)
    assert any(note.startswith("shape hermes: ") for note in first.notes)
    assert "shape hermes" in second.notes


def test_only_a_block_that_the_end_cuts_may_be_cut_off() -> None:
    assert not any("cut off" in note for note in notes('<tool_call>{"name": "add", "arguments": {"a" 1}}</tool_call>'))
