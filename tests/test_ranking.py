"""The collection is small and hand-made: it keeps the ranking from getting worse, it does not measure the world."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opposable.messages import ToolSpec
from opposable.ranking import _fold, document_of, forms, rank, terms, values_like

TOOLS = {
    "calculate": "Evaluate an arithmetic expression such as 17 * 23.",
    "current_time": "Tell the date, the time and the weekday in a time zone.",
    "file_read": "Read a text file of the workspace, such as notes/result.txt.",
    "file_write": "Write text into a file of the workspace, such as notes/result.txt.",
    "web_search": "Search the web and give titles, addresses and snippets.",
    "web_fetch": "Fetch a page, such as https://example.org, and give its text.",
    "code_execute": "Run Python code in a sandbox and give its output.",
    "image_generate": "Generate an image from a prompt.",
    "get_weather": "Get the weather forecast for a city.",
    "send_email": "Send an email to a recipient.",
    "listContacts": "List the people in the address book.",
    "createCalendarEvent": "Create an event in the calendar.",
    "calendar.list-events": "List upcoming meetings and appointments.",
    "convert_currency": "Convert an amount of money between currencies, such as EUR and USD.",
    "convert_units": "Convert lengths, weights and temperatures between units.",
    "translate_text": "Translate a text into another language.",
    "summarize_text": "Summarise a long text in few sentences.",
    "get_stock_price": "Get the price of a share on the stock exchange.",
    "memory_save": "Remember a fact for later conversations.",
    "memory_search": "Look up remembered facts.",
    "play_music": "Play a song, an album or an artist.",
    "set_alarm": "Wake the person at a given time.",
    "start_timer": "Count down a number of minutes.",
    "turn_on_light": "Switch a lamp on or off.",
    "set_thermostat": "Set the heating to a temperature.",
    "find_route": "Give directions from one place to another.",
    "book_hotel": "Book a room in a hotel.",
    "search_flights": "Find flights between two airports.",
    "order_food": "Order a meal from a restaurant.",
    "sheet_append_row": "Append a row to a spreadsheet.",
    "sql_query": "Run a query on the database and give its rows.",
    "git_log": "Show the last commits of a repository.",
    "resize_image": "Scale a picture to a width and height.",
    "extract_pdf": "Extract the text of a PDF document.",
    "compress_folder": "Pack a folder into a zip archive.",
    "weather_alerts": "List storm and flood warnings.",
    "create_ticket": "File a bug in the issue tracker.",
    "random_number": "Draw a random number between two bounds.",
    "count_words": "Count the words of a text.",
    "天気予報": "都市の天気を調べる。",
}
QUESTIONS = {
    "what is 17 * 23": "calculate",
    "how much is 15% of 80?": "calculate",
    "(3 + 4) / 2 =": "calculate",
    "evaluating expressions": "calculate",
    "what time is it in Tokyo": "current_time",
    "which weekday is today": "current_time",
    "what does notes/todo.md say": "file_read",
    "reading files from my workspace": "file_read",
    "write a poem into poem.txt": "file_write",
    "search the web for llamas": "web_search",
    "open https://example.com/a and tell me what it is about": "web_fetch",
    "running some python": "code_execute",
    "generate images of a cat": "image_generate",
    "will the weather be nice in Paris": "get_weather",
    "email Ann that I am late": "send_email",
    "show my contacts": "listContacts",
    "put an event in my calendar for Friday": "createCalendarEvent",
    "any meetings tomorrow": "calendar.list-events",
    "100 USD in EUR": "convert_currency",
    "change temperatures from fahrenheit units": "convert_units",
    "translating this into French language": "translate_text",
    "summarise it": "summarize_text",
    "stock prices of Apple": "get_stock_price",
    "what facts do you remember? look up": "memory_search",
    "play songs by Abba": "play_music",
    "wake me at 7": "set_alarm",
    "timer for ten minutes": "start_timer",
    "switching the lamps off": "turn_on_light",
    "directions to the station": "find_route",
    "book me a hotel": "book_hotel",
    "flights to Rome": "search_flights",
    "ordering a meal": "order_food",
    "append this to the spreadsheet": "sheet_append_row",
    "query the database": "sql_query",
    "recent commits": "git_log",
    "scaling a picture": "resize_image",
    "text of this pdf": "extract_pdf",
    "zip the folder": "compress_folder",
    "storms near me? warnings": "weather_alerts",
    "bugs in the tracker": "create_ticket",
    "how many words": "count_words",
    "明日の天気は?": "天気予報",
}
DOCUMENTS = [document_of(ToolSpec(name, description)) for name, description in TOOLS.items()]


def place_of(question: str, wanted: str) -> int:
    scores = dict(zip(TOOLS, rank(question, DOCUMENTS), strict=True))
    return sorted(scores, key=lambda name: -scores[name]).index(wanted)


def test_the_right_tool_is_near_the_top() -> None:
    places = [place_of(question, wanted) for question, wanted in QUESTIONS.items()]
    assert sum(place == 0 for place in places) >= 0.9 * len(places)
    assert sum(place < 5 for place in places) == len(places)


@pytest.mark.parametrize("question", ["17 * 23", "5+5", "2^10", "8 ÷ 2", "sqrt(2)", "what's 3 x 4?"])
def test_an_expression_finds_the_calculator(question: str) -> None:
    assert place_of(question, "calculate") == 0


@pytest.mark.parametrize(
    "words", ["file files filing filed", "calls calling called", "query queries", "process processes"]
)
def test_forms_of_a_word_are_one(words: str) -> None:
    assert len({_fold(word) for word in words.split()}) == 1


@pytest.mark.parametrize(
    "word", ["string", "thing", "news", "bus", "gas", "ring", "add", "été", "is", "status", "need"]
)
def test_short_and_foreign_words_keep_their_body(word: str) -> None:
    assert len(_fold(word)) >= min(3, len(word))
    assert word.startswith(_fold(word)[:2])


def test_a_number_finds_who_speaks_of_numbers() -> None:
    scores = rank("17 plus 23", ["Add two numbers.", "Add a contact.", "Read a page."])
    assert scores[0] > max(scores[1:])


def test_identifiers_are_split() -> None:
    assert list(terms("getHTTPResponse_code file.read-all")) == list(terms("get http response code file read all"))


def test_marks_and_widths_make_no_difference() -> None:
    assert list(terms("Éléphant ７")) == list(terms("elephant 7"))


def test_unspaced_scripts_are_pairs() -> None:
    assert list(terms("天気予報")) == ["天気", "気予", "予報"]
    assert list(terms("雨")) == ["雨"]
    assert list(terms("GPT天気abc")) == ["gpt", "天気", "abc"]


def test_a_document_says_names_descriptions_and_values() -> None:
    parameters = {
        "type": "object",
        "properties": {
            "unit": {"enum": ["celsius", 5], "description": "how warm"},
            "place": {"$ref": "#/$defs/Place"},
            "many": {"type": "array", "items": {"description": "each one"}},
            "either": {"anyOf": [{"description": "this"}, {"description": "that"}]},
        },
        "$defs": {"Place": {"properties": {"street": {}}, "description": "a spot"}},
    }
    said = document_of(ToolSpec("t", "does", parameters))
    for word in [
        "t",
        "does",
        "unit",
        "celsius",
        "5",
        "how warm",
        "place",
        "each one",
        "this",
        "that",
        "street",
        "a spot",
    ]:
        assert word in said.split("\n")


@pytest.mark.parametrize(
    "parameters",
    [{}, {"properties": 5}, {"properties": {"a": 5}}, {"enum": 5}, {"items": [1, None]}, {"anyOf": {"description": 5}}],
)
def test_an_odd_schema_does_no_harm(parameters: dict[str, object]) -> None:
    assert document_of(ToolSpec("t", "d", parameters)).startswith("t\nt\nd")


def test_a_schema_that_holds_itself_ends() -> None:
    parameters: dict[str, object] = {"type": "array"}
    parameters["items"] = parameters
    assert document_of(ToolSpec("t", "d", parameters))


def test_nothing_to_rank() -> None:
    assert rank("x", []) == []
    assert rank("", ["a", "b"]) == [0.0, 0.0]
    assert rank("a", ["", ""]) == [0.0, 0.0]
    assert rank("a", ["a"])[0] > 0


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=6))
def test_scores_are_finite_ordered_and_the_same_again(query: str, documents: list[str]) -> None:
    scores = rank(query, documents)
    assert len(scores) == len(documents)
    assert all(0.0 <= score < 1e6 for score in scores)
    assert scores == rank(query, documents)
    assert rank(query, documents[::-1]) == pytest.approx(scores[::-1])


@given(st.text(max_size=200))
def test_a_document_that_shares_nothing_scores_nothing(text: str) -> None:
    shared = set(terms(text)) & set(terms("qqqq"))
    assert (rank(text, ["qqqq"])[0] > 0) == bool(shared)


@pytest.mark.parametrize(
    "text", ["a" * 50_000, "a/" * 25_000, "a." * 25_000, "1 " * 25_000, "-" * 50_000, "a-" * 25_000]
)
def test_long_texts_are_no_trap(text: str) -> None:
    start = time.thread_time()
    rank(text, DOCUMENTS)
    assert time.thread_time() - start < 2


@pytest.mark.parametrize(
    "unit",
    [
        " ",
        "7",
        "a/",
        "'",
        '"',
        "7 ",
        "a.",
        "a-",
        "-",
        "aA",
        "7%",
        "7 % ",
        "sqrt ",
        "http://",
        "www.",
        "é",
        "か",
        "\u0301",
    ],
)
@pytest.mark.parametrize("before", ["", "7", "7%", "7 -", "sqrt", "http://", "a/b."])
def test_what_is_done_with_a_query_is_linear(unit: str, before: str) -> None:
    def seconds(length: int) -> float:
        text = before + (unit * length)[:length]
        start = time.thread_time()
        rank(text, ["a file"])
        forms(text)
        values_like(text, "http://example.org a/b.txt")
        return time.thread_time() - start

    few = min(seconds(2_000) for _ in range(3))
    assert min(seconds(16_000) for _ in range(2)) < 8 * few * 4 + 0.005
