"""Calls that are broken by one or two named faults: they mean what they meant, or nothing; never something else."""

import json
import re
from collections.abc import Iterator
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.wire.faults import FAULTS, Writer
from tests.wire.golden import TOOLS

from opposable.wire import parse

OFFERED = list(TOOLS.values())
PIECES = [
    'say "hi" now', "it's", '"', '""', "print(\"x\", 'y')", "SELECT \"a\", \"b\" FROM t WHERE c = 'd'", '{"a": "b"}',
    "<a href=\"x\" class='y'>z</a>", "C:\\new\\table", "\\d+\\.\\w", '^"(\\w+)"$', "http://a.b/c#d // e", "# x", "/* y */",
    '{"a": "b", "c": ["d", "e"]}', '["x", "y"]', *"{}[],:'\\ é\n\t", '": "', '", "', '"}', '"]', "“x”", "&amp;", "</b>",
    "True", "None", "null", "1,2", "a, b", "figs", 'x = {"k": 1}', 'if (a == "b") { c("d"); }', '5" pipe', '# "q"',
    "x=\"1\", y='2'", 'a\\"b', '"""Doc."""', "'''", "\\n", 'end"', '"start', "kg", "```",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map("".join)
VALUES = st.recursive(
    st.one_of(TEXTS, st.sampled_from([1, 2.5, True, False, None])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["a", "b", "zip", "x y"]), inner, max_size=2)
    ),
    max_leaves=4,
)
CALLS: st.SearchStrategy[tuple[str, dict[str, Any]]] = st.one_of(
    st.fixed_dictionaries({"path": TEXTS, "text": TEXTS}).map(lambda given: ("write_page", given)),
    st.fixed_dictionaries({"text": TEXTS, "path": TEXTS}).map(lambda given: ("write_page", given)),
    st.fixed_dictionaries({"crate": TEXTS}, optional={"unit": TEXTS}).map(lambda given: ("weigh_crate", given)),
    st.fixed_dictionaries({"times": st.integers(0, 9), "hard": st.booleans()}).map(lambda given: ("ring_bell", given)),
    st.fixed_dictionaries(
        {"toppings": st.lists(TEXTS, max_size=3), "minutes": st.integers(1, 9)},
        optional={"recipe": st.dictionaries(st.sampled_from("abc"), VALUES, max_size=2)},
    ).map(lambda given: ("bake", given)),
)
SEEMS_OVER = re.compile(r'^[^"]*"\s*(,\s*["\[{]|[}\]]|"*$|//|#)')
"""A text that seems to be over at its first quote, with something else after it, once that quote has no backslash."""


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts(item)


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("the same key twice")
    return dict(pairs)


def is_sound(text: Any) -> bool:
    """Is this strict JSON? Then it is what it is, whatever its author meant."""
    try:
        value = json.loads(text, object_pairs_hook=once)
    except ValueError:
        return False
    return not isinstance(value.get("arguments"), str) or is_sound(value["arguments"])


@settings(max_examples=600)
@given(call=CALLS, faults=st.sets(st.sampled_from([*FAULTS]), min_size=1, max_size=2), seed=st.integers(0, 999))
def test_a_broken_call_is_never_another(call: tuple[str, dict[str, Any]], faults: set[str], seed: int) -> None:
    name, arguments = call
    body = Writer(sorted(faults), seed).call(name, arguments)
    assume(not is_sound(body))
    if faults & {"inner_quotes", "one_inner_quote"}:
        assume(not any(map(SEEMS_OVER.search, texts(arguments))))
        assume(not any(text.startswith('""') for text in texts(arguments)))  # with its own quote those are three
    reply = parse(f"<tool_call>{body}</tool_call>", OFFERED)
    found = [(call.name, call.arguments) for call in reply.tool_calls]
    assert found in ([], [(name, arguments)])
    assert [rejected.cause for rejected in reply.rejected] == ([] if found else ["malformed"])


@given(call=CALLS, fault=st.sampled_from(sorted({*FAULTS} - {"inner_quotes", "one_inner_quote", "stray_closer"})))
def test_a_fault_that_leaves_one_reading_is_mended(call: tuple[str, dict[str, Any]], fault: str) -> None:
    name, arguments = call
    assume(
        fault not in ("missing_comma", "missing_closers")
        or not any(text.endswith((",", "}", "]")) for text in texts(arguments))
    )
    assume(fault != "missing_comma" or not any("//" in text or "#" in text for text in texts(arguments)))
    reply = parse(f"<tool_call>{Writer([fault], 7).call(name, arguments)}</tool_call>", OFFERED)
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [(name, arguments)]
