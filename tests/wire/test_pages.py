"""The pages made of the table and its cases are up to date, and hold every reply to the letter."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.markdown import code, codes, escaped, fenced, table
from tests.test_docs import blocks_of, runnable
from tests.wire.golden import Case, Wanted, all_cases, rulings
from tests.wire.pages import contests_page, head_of, inside, pages, shapes_page, tags_inside, texts_of

from opposable.wire.shapes import SHAPES
from opposable.wire.shapes.frames import REASONING
from opposable.wire.shapes.shape import Section

PAGES = pages()
BY_NAME = {path.name: text for path, text in PAGES.items()}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_is_as_it_would_be_written(path: Path) -> None:
    assert path.read_text("utf-8") == PAGES[path], "make docs"


@pytest.mark.parametrize("name", BY_NAME)
def test_nothing_on_a_page_is_run(name: str) -> None:
    blocks = blocks_of(BY_NAME[name])
    assert {block.language for block in blocks} == {"text"}
    assert not runnable(blocks)


def seen(case: Case) -> str:
    return (
        case.reply if all(char.isprintable() or char in "\n\t" for char in case.reply) else json.dumps(case.reply)
    ) + "\n"


def test_every_contest_is_there_to_the_letter() -> None:
    shown = [block.text for block in blocks_of(BY_NAME["contests.md"])]
    assert [case.title for case in all_cases() if case.file == "contests" and seen(case) not in shown] == []


def test_every_shape_has_a_section_and_an_example() -> None:
    text = BY_NAME["shapes.md"]
    cases = all_cases()
    shown = [block.text for block in blocks_of(text)]
    for shape in SHAPES:
        assert text.count(f"\n## {shape.name}\n") == 1
        calls = [
            case for case in cases if case.file == shape.name and shape.name in {call.shape for call in case.calls}
        ]
        assert [seen(case) for case in calls[:1] if seen(case) not in shown] == []


def test_a_new_row_appears() -> None:
    row = replace(SHAPES[0], name="baker", families="Models of bakers_* | and millers")
    reply = "It is\n````\n<tool_call>{}</tool_call>\n````"
    case = Case("baker", "so it is", {"holds": "C1", "tools": "ring_bell"}, {"reply": reply, "calls": "ring_bell {}"})
    assert "## baker\n\nBread.\n" in shapes_page([row], [case], {"baker": "Bread."})
    assert r"| Models of bakers\_\* \| and millers |" in shapes_page([row], [], {})
    assert seen(case) not in shapes_page([row], [case], {})  # it makes no call of this shape


def test_a_section_is_said() -> None:
    row = replace(SHAPES[0], section=Section(("<all>", "<ALL>"), ("</all>",)))
    assert "\n- Section: `<all>`, `<ALL>` … `</all>`\n" in shapes_page([row], [], {})


def test_a_contest_says_what_is_known() -> None:
    keys = {"holds": "C5", "tools": "ring_bell", "finish": "length", "begins": "in reasoning"}
    parts = {"reply": "a\n<b>\0", "content": "a", "reasoning": "```", "rejected": "truncated"}
    text = contests_page([Case("contests", "cut <off>", keys, parts)], rulings())
    assert "## Cut \\<off\\>\n\nWhere cut off (finish reason length) and the prompt opened the reasoning:\n" in text
    assert [block.text for block in blocks_of(text)] == ['"a\\n<b>\\u0000"\n', "a\n", "```\n", "truncated\n"]


def test_contests_say_which_tools_are_offered_and_every_shape() -> None:
    call = Wanted("ring_bell", {"times": 1}, "hermes", "id-1", ("fence", "comment"))
    bell = Case("contests", "a bell", {"holds": "C5", "tools": "ring_bell"}, {"reply": "a"}, [call])
    more = Case("contests", "more", {"holds": "C5", "tools": "ring_bell, weigh_crate, open_gate"}, {"reply": "b"})
    text = contests_page([bell, more], rulings())
    assert "| `ring_bell` | `times` (integer), `hard` (boolean) |\n" in text
    assert "| `weigh_crate` | `crate` (string, required), `unit` (string) |\n| `open_gate` | not said |\n" in text
    assert "## A bell\n\nOffered: `ring_bell`.\n" in text
    assert "## More\n\n```text\nb\n" in text
    assert 'ring_bell {"times": 1}\n  shape: hermes\n  id: id-1\n  mends: fence, comment\n' in text


def test_inside_are_markers_and_tags_alone() -> None:
    by_name = {shape.name: shape for shape in SHAPES}
    assert inside(by_name["qwen-xml"]) == inside(by_name["gemma"]) == inside(by_name["fenced"]) == []
    assert tags_inside(by_name["qwen-xml"]) == ["function", "parameter"]
    assert tags_inside(by_name["glm"]) == ["arg_key", "arg_value"]
    assert inside(by_name["toolify"]) == ["<tool>", "</tool>"]
    assert inside(by_name["mistral-args"]) == ["[CALL_ID]", "[ARGS]"]
    assert inside(by_name["kimi"]) == ["<|tool_call_argument_begin|>"]
    assert tags_inside(by_name["hermes"]) == []


def test_no_marker_holds_a_place_but_the_name() -> None:
    places = re.compile(r"\{(?!name\})\w+\}")
    assert [text for shape in SHAPES for text in inside(shape) + tags_inside(shape) if places.search(text)] == []


@pytest.mark.parametrize(
    ("step", "of"), [("CallList", "Calls"), ("Object", "Arguments"), ("PythonList", "PythonCalls")]
)
def test_the_same_follows_what_it_is_the_same_as(step: str, of: str) -> None:
    rows = re.findall(r"^\| (\w+) \| ", BY_NAME["shapes.md"].partition("\n## The steps\n")[2], re.MULTILINE)
    assert rows.index(step) == rows.index(of) + 1


def test_what_a_file_says_of_itself() -> None:
    assert head_of("# One,\n# two.\ntools: x\n\n== a\n# no\n") == "One, two."


def test_texts_of_a_row() -> None:
    assert texts_of(SHAPES[0].closers) == list(SHAPES[0].closers)
    assert set(SHAPES[0].openers) <= set(texts_of(SHAPES[0].steps))
    assert texts_of(REASONING)[:2] == ["<think>", "</think>"]
    assert texts_of(None) == texts_of(3) == []


def test_markdown() -> None:
    assert code("a|`b`\n") == "``a|`b`\\n``"
    assert code("``") == "``` `` ```"
    assert codes(["<a>", "", "<b>", "<a>"]) == "`<a>`, `<b>`"
    assert escaped("a_b `c_d` <e>") == "a\\_b `c_d` \\<e\\>"
    assert table(["x"], [["`a|b`"]]) == "| x |\n| --- |\n| `a\\|b` |"
    assert fenced("``````") == "```````text\n``````\n```````"
