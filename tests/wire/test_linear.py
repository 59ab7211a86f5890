"""What a text costs grows as the text does, whatever the text: in looks at characters, without a clock; in memory; in time."""

import random
import time
import tracemalloc
from collections.abc import Callable, Iterator

import pytest
from tests.fuzz.words import MARKERS, PIECES
from tests.wire.golden import TOOLS
from tests.wire.looks import machine, per_character

from opposable.wire import StreamParser, collect, parse

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
    "dicts for all arguments": ("<|tool_call_start|>[", "f({'a':1}),"),
    "tuples in each other": ("<|tool_call_start|>[f(a=" + "(" * 190, "1,"),
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
CUTS: dict[str, Callable[[], int]] = {
    "whole": lambda: 1 << 60,
    "one by one": lambda: 1,
    "four by four": lambda: 4,
    "at random": lambda: random.randint(1, 9),
}
MOST = {"whole": 110, "one by one": 320, "four by four": 240, "at random": 240}
"""How many looks one character more may cost. Measured, the worst of all texts here: 105.5 whole (numbers of one digit, each
of which is a value that is gone over, read, and read again where the first reading fails); 306 one by one (what may still
become one of many markers is compared with them anew as more of it comes); 225 four by four and at random (of a header,
which each of its openers may begin, up to 256 characters are gone over). Half of the texts cost less than 25 whole."""
Text = Callable[[int], str]
"""Makes a text of about this many characters."""


def hostile(name: str, end: str) -> Text:
    begin, again = HOSTILE[name]
    return lambda size: begin + again * (size // len(again)) + end


def mixed(seed: int) -> Text:
    """Some pieces again and again, or first some and then others; what was begun before them, and what comes after."""
    chance = random.Random(seed)
    begin = chance.choice([*HOSTILE.values()])[0]
    units = ["".join(chance.choices([*MARKERS, *PIECES], k=chance.randint(1, 3))) for _ in range(chance.randint(1, 2))]
    end = chance.choice([*ENDINGS, *PIECES])
    return lambda size: begin + "".join(unit * (size // len(unit)) for unit in units) + end


def pieces(text: str, cut: str) -> Iterator[str]:
    random.seed(0)
    at = 0
    while at < len(text):
        size = CUTS[cut]()
        yield text[at : at + size]
        at += size


def looks(text: str, cut: str) -> int:
    """How many characters are looked at for this text, which comes in pieces."""
    wire, counter = machine()
    before = counter.looks
    parser = wire.StreamParser(OFFERED)
    events = [event for piece in pieces(text, cut) for event in parser.feed(piece)]
    reply = wire.collect([*events, *parser.close()])
    assert repr(reply) == repr(parse(text, OFFERED))
    return int(counter.looks - before)


def check(make: Text, cut: str) -> None:
    """A character more costs no more looks in a long text than in a short one, and never many."""
    early, late = per_character(lambda text: looks(text, cut), make)
    assert late <= min(1.15 * early + 4, MOST[cut]), f"{late:.1f} looks a character, {early:.1f} in shorter texts"


@pytest.mark.parametrize("name", HOSTILE)
def test_looks_are_linear(name: str) -> None:
    check(hostile(name, ENDINGS[1]), "whole")


@pytest.mark.parametrize("seed", range(25))
def test_looks_at_mixtures_are_linear(seed: int) -> None:
    check(mixed(seed), "whole")


@pytest.mark.slow
@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("name", HOSTILE)
def test_looks_are_linear_however_it_comes(name: str, cut: str) -> None:
    check(hostile(name, ENDINGS[0]), cut)
    check(hostile(name, ENDINGS[1]), cut)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(25, 425))
def test_looks_at_more_mixtures_are_linear(seed: int) -> None:
    check(mixed(seed), "whole" if seed % 2 else "at random")


def memory(text: str) -> tuple[int, int]:
    """How many bytes are held when all of this has come in pieces, and how many were at most."""
    tracemalloc.start()
    parser = StreamParser(OFFERED)
    for at in range(0, len(text), 7):
        parser.feed(text[at : at + 7])
    held = tracemalloc.get_traced_memory()[0]
    parser.close()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return held, most


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_memory_is_linear(name: str) -> None:
    make = hostile(name, ENDINGS[1])
    memory(make(100))
    short, long = memory(make(4_000)), memory(make(16_000))
    # Linear is 4, and lists grow in steps; quadratic is 16.
    assert all(more <= 6 * less + 40_000 for less, more in zip(short, long, strict=True))


def seconds(size: int) -> float:
    """How long all hostile texts of this length take."""
    texts = [hostile(name, end)(size) for name in HOSTILE for end in ENDINGS]
    started = time.perf_counter()
    for text in texts:
        collect([*(parser := StreamParser(OFFERED)).feed(text), *parser.close()])
    return time.perf_counter() - started


@pytest.mark.slow
def test_the_clock_says_the_same() -> None:
    """Linear is 4, quadratic 16. A busy machine may disturb one measure, not three."""
    assert any(seconds(20_000) / seconds(5_000) < 6 for _ in range(3))


@pytest.mark.slow
@pytest.mark.parametrize("name", [*HOSTILE][::12])
def test_a_megabyte(name: str) -> None:
    text = hostile(name, "")(1_000_000)
    parser = StreamParser(OFFERED)
    assert "".join(event.raw for event in [*parser.feed(text), *parser.close()]) == text
