"""The time a text takes grows as the text does, whatever the text."""

import time

import pytest
from tests.wire.golden import TOOLS

from opposable.wire import StreamParser, collect

OFFERED = list(TOOLS.values())
CALL = '{"name":"ring_bell","arguments":{"times":1}}'
HOSTILE = {
    "openers": ("", "<tool_call>"),
    "openers with headers": ("", "<function=ring_bell>"),
    "openers with braces": ("", "<tool_call>{"),
    "brackets": ("", "["),
    "brackets in a tag": ("<tool_call>", "["),
    "objects in objects": ("<tool_call>", '{"a":'),
    "lines of braces": ("", "\n{"),
    "objects": ("", '\n{"name":1}'),
    "quotes": ("<tool_call>{", '"'),
    "apostrophes": ("<tool_call>{'a':", "'"),
    "backslashes": ('<tool_call>{"a":"', "\\"),
    "quotes escaped": ('<tool_call>{"a":"', '\\"'),
    "backticks": ("", "`"),
    "fences": ("", "```json\n"),
    "fences in fences": ("", "```json\n" + CALL + "\n"),
    "backticks in a tag": ("<tool_call>```json\n{", "`"),
    "blanks in a fence": ("<tool_call>```json\n{", " "),
    "less-than": ("", "<"),
    "beginnings of tags": ("", "<tool_cal"),
    "line breaks": ("", "\n"),
    "blanks": ("", " "),
    "indented lines": ("", "\n       "),
    "markers of Mistral": ("", "[TOOL_CALLS]"),
    "markers and names": ("", "[TOOL_CALLS]ring_bell"),
    "unclosed everything": ("", '<tool_call>{"name":"ring_bell","arguments":{"a":"'),
    "closers of reasoning": ("", "</think>"),
    "openers of reasoning": ("", "<think>"),
    "openers of reasoning, a line each": ("", "<think>\n"),
    "drafts": ("<think>", "<tool_call>" + CALL + "</tool_call>"),
    "broken blocks": ("", '<tool_call>{"name":"ring_bell" oops}</tool_call>\n'),
    "blocks that do not close": ("", "<tool_call>" + CALL + " x "),
    "closers in strings": ("", '<tool_call>{"a": "</tool_call>'),
    # Each opener begins a value that seems sound up to the break at the end, with all later closers in its strings.
    "closers in strings of any parity": ("", '</tool_call><tool_call>["x", # "\n "'),
    "comments": ("<tool_call>{", "#\n"),
    "unclosed comments": ("<tool_call>[1 ", "/*"),
    "commas": ("<tool_call>[", ","),
    "calls in a row": ("", CALL + ","),
    "end tokens": ("", "<|im_end|> "),
    "made-up results": ("", "\n<tool_response>"),
    "smart quotes": ("<tool_call>[", "“"),
    "headers": ("", "<|channel|>final<|message|>"),
    "beginnings of headers": ("", "<|start|>assistant"),
    "beginnings of headers in a message": ("<|channel|>final<|message|>", "<|start|> "),
    "headers and words": ("", "<|channel|>" + "word " * 60),
    "headers with braces": ("", "<|channel|>commentary to=ring_bell json<|message|>{"),
    "call tokens": ("<|channel|>final<|message|>", "<|call|> "),
    "call tokens in the analysis": ("<|channel|>analysis<|message|>", "<|call|>\n"),
    "addressed frames": ("", "<|start|>assistant to=ring_bell<|message|>"),
    "frames of content": ("", "<|START_RESPONSE|>"),
    "closers of content": ("", "<|END_RESPONSE|> "),
    "authors": ("", "<|message_model|>"),
    "openers of Gemma's reasoning": ("", "<|channel>"),
    "line breaks in reasoning": ("<think>a", "\n"),
    "closers of a phrase": ("analysis", "assistantfinal"),
    "glued headers": ("analysis", "assistantcommentary to="),
    "lists of Python": ("", "\n[f("),
    "calls of Python in each other": ("<|tool_call_start|>[", "f("),
    "calls of Python in a row": ("<|tool_call_start|>", "ring_bell(times=1),"),
    "lists of Python in a row": ("", "[ring_bell(times=1)]\n"),
    "names": ("<|tool_call_start|>", "f "),
    "names and colons": ("```tool_code\n", "a:"),
    "quotes of Python": ("<|tool_call_start|>[f(a=", '"'),
    "triple quotes": ("<|tool_call_start|>[f(a=", '"""'),
    "prefixes of Python": ("<|tool_call_start|>[f(a=", "r'"),
    "round brackets": ("<|tool_call_start|>[f(a=", "("),
    "sets": ("<|tool_call_start|>[f(a=", "{'a',"),
    "dicts": ("<|tool_call_start|>[f(", "{'a':"),
    "comments of Python": ("<|tool_call_start|>[", "# x\n"),
    "prints": ("<|tool_call_start|>", "print("),
    "whole replies of Python": ("", "ring_bell("),
    "calls of Gemma": ("<|tool_call>", "call:f{"),
    "calls of Gemma in a row": ("<|tool_call>", "call:list_ovens{}"),
    "calls of Gemma, bare": ("", "\ncall:f{"),
    "names of Gemma": ("call:", "call:x"),
    "tags named like parameters": ("", "<write_page><path>a<text>b"),
    "tags named like parameters, and closed": ("<write_page><path>", "<text></text>"),
    "quotes of Gemma": ("<|tool_call>call:f{a:", '<|"|>'),
    "beginnings of quotes of Gemma": ('<|tool_call>call:f{a:<|"|>', '<|"|'),
    "words of Gemma": ("<|tool_call>call:f{", "a "),
    "openers of lines": ("", "TOOL_NAME: f\n"),
    "arguments by line": ("```tool\nTOOL_NAME: f\n", "BEGIN_ARG: a\nb\nEND_ARG\n"),
    "ends of arguments": ("```tool\nTOOL_NAME: f\nBEGIN_ARG: a\n", "END_ARG\n"),
    "ends of arguments, and blanks": ("```tool\nTOOL_NAME: f\nBEGIN_ARG: a\n", "END_ARG\n\n\n"),
    "lines of no argument": ("```tool\nTOOL_NAME: f\n", "x\n"),
    "actions": ("", "Action: f\nAction Input: {\n"),
    "actions without input": ("", "Action: list_ovens\n"),
    "arrows": ("[TOOL_CALL]{", "a => {"),
    "flags": ("[TOOL_CALL]{", "--a "),
    "digits": ("<tool_call>[", "1"),
    "openers of sections": ("", "<|tool_calls_section_begin|>"),
    "openers of sections that open blocks too": ("", "<function_calls> "),
    "openers of sections after half a head": ("<|DSML|invoke ", "<|DSML|tool_calls>\n"),
    "sections of nothing": ("", "<|tool_calls_section_begin|><|tool_calls_section_end|>"),
    "noise in a section": ("<|tool_calls_section_begin|>", "so "),
    "openers in a section": ("<|tool_calls_section_begin|>", "<|tool_call_begin|>"),
    "headers in a section": ("<|tool_calls_section_begin|>", "<|tool_call_begin|>functions.ring_bell:0"),
    "calls in a section": (
        "<|tool_calls_section_begin|>",
        "<|tool_call_begin|>functions.ring_bell:0<|tool_call_argument_begin|>{}<|tool_call_end|>",
    ),
    "unknown calls in a section": (
        "<|tool_calls_section_begin|>",
        "<|tool_call_begin|>functions.fly_kite:0<|tool_call_argument_begin|>{}<|tool_call_end|>",
    ),
    "headers without an opener": ("", "functions.ring_bell:0"),
    "openers of DeepSeek": ("", "<｜tool▁call▁begin｜>function<｜tool▁sep｜>ring_bell\n```json\n{"),
    "names before JSON": ("", "ring_bell"),
    "names, a line each": ("", "\nring_bell "),
    "names and braces": ("", '\nring_bell {"times": '),
    "names and objects": ("", "\nring_bell {}"),
    "names and objects with dashes": ("", "\n- ring_bell: {}"),
    "names and lists": ("", "\nring_bell {} []"),
    "words before a list": ("", "functools"),
    "words and brackets": ("", "functools["),
    "chevrons": ("", "\n>>>ring_bell\n"),
    "labels of fences": ("", "\n```tool:ring_bell\n"),
    "actions in a fence": ("", "\nAction:\n```json\n["),
    "headers of messages": ("", "<|message_model|>ring_bell"),
    "messages": ("", '<|message_model|>ring_bell<|content_invoke_tool_json|>{"name":'),
    "responses": ("", "<response><tools>"),
    "answers in tags": ("", "<json>{"),
    "requests": ("", "<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>ring_bell"),
    "keyed calls": ("<|tools_prefix|>[", '{"ring_bell": {}},'),
    "stray brackets": ("<tool_call>{}", "}"),
    "functions": ("", "<tool_call><function=ring_bell>"),
    "open values": ("", "<tool_call><function=ring_bell><parameter=times>1</function></tool_call>"),
    "open values and their closers": (
        "<tool_call><function=ring_bell><parameter=times>",
        "<tool_call><function=ring_bell><parameter=times>1</parameter></function></tool_call>",
    ),
    "half tags": ("<tool_call><function=fly>", "<parameter=a>1"),
    "closing tags in a value": ("<function=ring_bell><parameter=times>", "</parameter>"),
    "closing tags and text": ("<function=ring_bell><parameter=times>", "</parameter> x"),
    "less-than in a value": ("<function=ring_bell><parameter=times>", "<"),
    "tags in a value": ("<function=ring_bell><parameter=times>", "<b a='"),
    "quoted heads": ("", '<invoke name="ring_bell" a="'),
    "a word in a head": ('<invoke name="ring_bell" ', "x"),
    "words in a head": ('<invoke name="ring_bell" ', "x "),
    "heads in quotes": ("", "<function name='\""),
    "pairs": ("<tool_call>ring_bell", "<arg_key>times</arg_key>"),
    "pairs without values": ("", "<tool_call>ring_bell<arg_key>"),
    "invocations": ("<function_calls>", '<invoke name="ring_bell"><parameter name="times">1</invoke>'),
    "JSON in tags": ("", '<invoke name="ring_bell">{"a": "</invoke>'),
    "tags in tags": (']<]minimax[>[<invoke name="bake">]<]minimax[>[<recipe>', "]<]minimax[>[<a>"),
    "tags that close nothing": (']<]minimax[>[<invoke name="bake">]<]minimax[>[<recipe>', "]<]minimax[>[</a>"),
    "CDATA": ('<function name="write_page"><param name="text">', "<![CDATA[]]>"),
    "ends of CDATA": ('<function name="write_page"><param name="text"><![CDATA[', "]]>"),
    "quotes in a string": ('<tool_call>{"a": "', ' "'),
    "quotes in a list": ('<tool_call>{"a": ["', '", "'),
    "broken quotes in a list": ('<tool_call>{"a": ["b" c', '", "'),
    "readings of members": ('<tool_call>{"a": "b" c', '", "d": "e'),
    "readings of objects": ('<tool_call>{"a": "b" c', '", "d": {"e": "'),
    "readings that end": ('<tool_call>{"a": "b" c', '"} '),
    "readings without commas": ('<tool_call>{"a": ["b" c', '" "'),
    "readings and comments": ('<tool_call>{"a": ["b" c', '", // "\\n'),
    "readings and a comment": ('<tool_call>{"a": ["b" c', '" #'),
    "readings and blocks of comment": ('<tool_call>{"a": ["b" c', '" /*'),
    "triple quotes of JSON": ('<tool_call>{"a": ', '"""'),
    "triple quotes in strings": ('<tool_call>{"a": """b"c', '""" "'),
    "strays": ('<tool_call>{"a": {"b": 1', "]"),
    "strays and quotes": ('<tool_call>{"a": "b"c', '"]'),
    "apostrophes in Python": ("<|tool_call_start|>[ring_bell(a='it's", "', b='"),
    "readings of calls": ("<|tool_call_start|>[ring_bell(a='it's", "'), ring_bell(a='"),
    "escaped quotes": ("<tool_call>{", '\\"a\\": '),
    "bodies escaped twice": ("", '<tool_call>{\\"a\\": '),
    "escaped breaks": ("<tool_call>ring_bell", "\\n"),
}
ENDINGS = ("", '":oops</tool_call>')


def seconds(text: str, step: int) -> float:
    best = float("inf")
    for _ in range(3):
        parser = StreamParser(OFFERED)
        started = time.perf_counter()
        events = [event for at in range(0, len(text), step) for event in parser.feed(text[at : at + step])]
        collect(events + parser.close())
        best = min(best, time.perf_counter() - started)
    return best


def ratio(begin: str, again: str, end: str, step: int) -> float:
    """How much longer a text four times as long takes. The shorter one is made long enough to be timed."""
    size = 2_000
    while (short := seconds(begin + again * (size // len(again)) + end, step or size)) < 0.004 and size < 60_000:
        size *= 2
    return seconds(begin + again * (4 * size // len(again)) + end, step or 4 * size) / short


def is_linear(name: str, end: str, step: int) -> bool:
    """Linear is 4, quadratic 16. A busy machine may disturb one measure, not five."""
    begin, again = HOSTILE[name]
    return any(ratio(begin, again, end, step) < 10 for _ in range(5))


@pytest.mark.parametrize("name", HOSTILE)
def test_time_is_linear(name: str) -> None:
    assert is_linear(name, ENDINGS[0], 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_time_is_linear_in_pieces_and_with_an_end(name: str) -> None:
    assert is_linear(name, ENDINGS[1], 0)
    assert is_linear(name, ENDINGS[0], 7)
    assert is_linear(name, ENDINGS[1], 7)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*HOSTILE][::12])
def test_a_megabyte(name: str) -> None:
    begin, again = HOSTILE[name]
    text = begin + again * (1_000_000 // len(again))
    parser = StreamParser(OFFERED)
    assert "".join(event.raw for event in [*parser.feed(text), *parser.close()]) == text
