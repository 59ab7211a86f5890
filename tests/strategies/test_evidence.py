"""What a request says about tools: its parts, the values it holds, the parameters it speaks of."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies.golden import TOOLS
from tests.wire.schemas import ANY_SCHEMAS

from opposable.messages import ToolSpec
from opposable.strategies.evidence import as_quoted, held, offers, parts, scores, spoken_of

FILES = [TOOLS["file_write"], TOOLS["file_read"]]
ALL = list(TOOLS.values())


def tool(parameters: Any) -> ToolSpec:
    return ToolSpec("a_tool", "Does a thing.", parameters)


# parts


@pytest.mark.parametrize(
    ("request_", "texts", "names"),
    [
        ("Write 'a' to a.txt, then read b.txt.", ["Write 'a' to a.txt", "read b.txt."], ["file_write", "file_read"]),
        ("Read a.txt and read b.txt", ["Read a.txt", "read b.txt"], ["file_read", "file_read"]),
        ("Lies a.txt und dann lies b.txt", ["Lies a.txt", "lies b.txt"], None),
        ("Read a.txt\n\nThen tell me. Thank you!", ["Read a.txt\n\nThen tell me. Thank you!"], ["file_read"]),
        ("Write 'first this and then that' to a.txt", ["Write 'first this and then that' to a.txt"], ["file_write"]),
        ("Hello and good morning", ["Hello and good morning"], None),
        ("", [""], None),
        ("And then, and", ["And then, and"], None),
    ],
)
def test_a_request_in_parts(request_: str, texts: list[str], names: list[str] | None) -> None:
    found = parts(request_, FILES)
    assert [part.text for part in found] == texts
    if names is not None:
        assert [FILES[part.best].name for part in found] == names


def test_a_quote_is_not_cut_and_comes_back_as_it_was() -> None:
    request = 'Write "a. b\nc and d" to x.txt and read `y and z.txt`, then read “p and q.md”'
    assert "".join(part.text for part in parts(request, FILES)).count('"a. b\nc and d"') == 1


def test_characters_that_stand_for_quotes_inside_do_no_harm() -> None:
    assert parts("read \0" + "0\0 a.txt and read 'b c.txt' \0" + "7\0", FILES)


def test_a_long_text_is_one_part_and_takes_no_time() -> None:
    for text in (
        "Read a.txt and read b.txt. " * 4_000,
        " " * 50_000 + "x",
        "“" * 50_000,
        "a, " * 30_000,
        "and " * 30_000,
    ):
        began = time.perf_counter()
        assert [part.text for part in parts(text, FILES)] == [text]
        assert time.perf_counter() - began < 5


# scores


@pytest.mark.parametrize(
    ("request_", "name"),
    [
        ("What is 17 * 23?", "calculate"),
        ("Read notes/a.txt", "file_read"),
        ("Fetch https://example.org/", "fetch_page"),
        ("Ring the bell", "ring_bell"),
        ("Set an alarm in 5 minutes", "set_alarm"),
        ("What will the weather be like in Rome?", "weather"),
    ],
)
def test_the_tool_that_fits_best(request_: str, name: str) -> None:
    found = scores(request_, ALL)
    assert ALL[max(range(len(ALL)), key=found.__getitem__)].name == name


def test_a_value_that_stands_around_is_no_loss() -> None:
    alone, within = (scores("read it", FILES, around) for around in ("", "Look at a.txt and read it"))
    assert within[1] == alone[1] + 3.0


def test_something_quoted_speaks_for_a_tool_that_takes_text() -> None:
    plain, quoted = scores("write milk", FILES), scores("write 'milk'", FILES)
    assert quoted[0] - plain[0] == pytest.approx(2.0, abs=0.01)
    assert quoted[1] == pytest.approx(plain[1], abs=0.01)


# offers, quotes, what is spoken of


def test_offers_are_the_paths_and_addresses_in_the_texts() -> None:
    texts = ["read notes/a.txt or b.md", "b.md and https://example.org/x.html"]
    assert offers(texts, TOOLS["file_read"]) == {"path": ["notes/a.txt", "b.md"]}
    assert offers(texts, TOOLS["fetch_page"])["url"] == ["https://example.org/x.html"]
    assert offers(texts, TOOLS["send_mail"]) == {}
    assert offers(["nothing"], TOOLS["file_read"]) == {}
    assert offers(texts, tool({"type": "object", "properties": {"path": {"type": "integer"}, "file": True}})) == {}


def test_the_nearest_text_that_has_a_value_offers_it() -> None:
    texts = ["what is 5 + 6?", "What is (3+4)*5 and what is 5 + 6?"]
    assert offers(texts, TOOLS["calculate"]) == {"expression": ["5 + 6"]}
    assert offers(["and that?", *texts[1:]], TOOLS["calculate"]) == {"expression": ["(3+4)*5", "5 + 6"]}


def test_a_text_is_what_is_quoted() -> None:
    offered = offers(["Write 'feed the cat' to todo.txt", 'say "hello"'], TOOLS["file_write"])
    assert offered == {"path": ["todo.txt"], "content": ["feed the cat"]}
    assert "content" not in offers(["Write '' to todo.txt"], TOOLS["file_write"])


def test_of_a_set_of_texts_the_one_that_was_said() -> None:
    schema = {"properties": {"colour": {"type": "string", "enum": ["red", "dark blue", "!"]}, "n": {"enum": [1]}}}
    assert held(schema, "Paint it Dark Blue.")["properties"]["colour"]["enum"] == ["dark blue"]
    assert held(schema, "Paint it red or dark blue.") == schema
    assert held(schema, "Paint it.") == schema
    assert held({"properties": {"to": {"type": "string"}}}, "")["properties"]["to"]["minLength"] == 1


@pytest.mark.parametrize(
    ("value", "request_", "right"),
    [
        ("ada lovelace", 'to "Ada Lovelace"', "Ada Lovelace"),
        ("ada lovelace", "to 'Ada Lovelace'", "Ada Lovelace"),
        ("ADA", "to “Ada” or `aDA`", "aDA"),
        ("ada", "to Ada", "ada"),
        ("it's", "it's 'IT'", "it's"),
        (5, '"5"', 5),
        (["a"], '"A"', ["a"]),
    ],
)
def test_a_value_is_written_as_it_is_quoted(value: Any, request_: str, right: Any) -> None:
    assert as_quoted(value, request_) == right


def test_only_parameters_that_are_spoken_of_are_kept() -> None:
    assert list(spoken_of("to Ada", TOOLS["send_mail"])["properties"]) == ["to"]
    assert list(spoken_of("to Ada, urgent", TOOLS["send_mail"])["properties"]) == ["to", "priority"]
    assert spoken_of("to Ada, urgent", TOOLS["send_mail"])["required"] == ["to", "priority"]
    assert spoken_of("ring", TOOLS["ring_bell"]) == {"type": "object", "properties": {}, "required": []}


@pytest.mark.parametrize(
    ("parameters", "properties", "required"),
    [
        ({}, {}, []),
        ({"properties": ["a"], "required": "a"}, {}, []),
        ({"properties": {"a": True, "b": None}, "required": ["b", "c", ["d"], 5, "c"]}, {"b": None}, ["b", "c"]),
        ({"properties": {"a": {"description": ["x"], "type": ["string"]}}, "required": ["a"]}, None, ["a"]),
        ({"properties": None, "required": None}, {}, []),
    ],
)
def test_odd_schemas(parameters: Any, properties: Any, required: list[str]) -> None:
    kept = spoken_of("hello", tool(parameters))
    assert kept["required"] == required
    assert properties is None or kept["properties"] == properties


@given(request=st.text(max_size=60), schemas=st.lists(ANY_SCHEMAS, min_size=1, max_size=3), around=st.text(max_size=20))
def test_any_request_and_any_schemas(request: str, schemas: list[Any], around: str) -> None:
    tools = [tool(schema) for schema in schemas]
    found = parts(request, tools)
    assert found
    assert all(len(part.scores) == len(tools) and 0 <= part.best < len(tools) for part in found)
    assert len(scores(request, tools, around)) == len(tools)
    for each in tools:
        assert all(offered for offered in offers([request, around], each).values())
        assert set(spoken_of(request, each)) >= {"properties", "required"}
    assert as_quoted(around, request).casefold() == around.casefold()


PIECES = st.sampled_from(
    [
        "'",
        '"',
        "“",
        "”",
        "`",
        " and ",
        ", then ",
        "\n",
        ". ",
        " ",
        "a.txt",
        "17 * 23",
        "\0",
        "0",
        "write",
        "https://x.org/a",
        "É",
    ]
)


@given(request=st.lists(PIECES, max_size=25).map("".join))
def test_no_word_of_a_request_is_doubled(request: str) -> None:
    text = "".join(part.text for part in parts(request, ALL))
    assert all(text.count(word) <= request.count(word) for word in ("a.txt", "17", "write"))
