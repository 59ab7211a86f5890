"""The counter sees what it is for: code and patterns that look again and again, each of which is known to."""

import re

import pytest
from tests.wire.engine import How, looked
from tests.wire.looks import counted

QUADRATIC = {
    "find from the beginning": "for at in range(len(text)):\n        text.find('x')",
    "find backwards": "for at in range(len(text)):\n        text.rfind('x', 0, at)",
    "a search by a bound method": "find = text.find\n    for at in range(len(text)):\n        find('x')",
    "the rest at each step": "while text:\n        text = text[1:]",
    "text grown": "grown = ''\n    for char in text:\n        grown += char",
    "text added": "grown = ''\n    for char in text:\n        grown = grown + char",
    "text formatted": "grown = ''\n    for char in text:\n        grown = f'{grown}{char}'",
    "joined at each step": "parts = []\n    for char in text:\n        parts.append(char)\n        ''.join(parts)",
    "a list copied": "parts = []\n    for char in text:\n        parts = [*parts, char]",
    "a list sliced": "parts = list(text)\n    while parts:\n        parts = parts[1:]",
    "a list taken from its beginning": "parts = list(text)\n    while parts:\n        parts.pop(0)",
    "a list gone over": "parts = list(text)\n    for one in text:\n        all(part for part in parts)",
    "a list gone over by map": "for one in text:\n        any(map(str.isdigit, text))",
    "whether it is in": "for one in text:\n        'x' in text",
    "whether it is the same": "for one in text:\n        text == text[:-1] + 'x'",
    "how it begins": "for one in text:\n        text.startswith((text[:-1], 'x'))",
    "what is stripped": "for one in text:\n        (text + ' ').strip()",
    "characters gone over": "for at in range(len(text)):\n        [char for char in text]",
    "a pattern searched": "for at in range(len(text)):\n        re.compile('x').search(text)",
    "a pattern that goes back": "re.compile('a+b').search(text)",
    "a pattern that looks ahead": "re.compile('a(?=a*b)').search(text)",
    "a pattern replaced": "re.compile('a*?b').sub('', text)",
    "all that a pattern finds": "list(re.compile('a(?!a*b)').finditer(text))",
    "errors of json": "for at in range(len(text)):\n        try:\n            json.JSONDecoder().raw_decode(text, at)\n"
    "        except ValueError:\n            pass",
}
LINEAR = {
    "find from a place": "for at in range(len(text)):\n        text.find('a', at)",
    "characters by their places": "for at in range(len(text)):\n        text[at]",
    "joined once": "parts = []\n    for char in text:\n        parts.append(char)\n    ''.join(parts)",
    "a list extended": "parts = []\n    for char in text:\n        parts += [char]",
    "a pattern at each place": "for at in range(len(text)):\n        re.compile('a').match(text, at)",
    "all that a pattern finds": "re.compile('a').findall(text)",
    "what does not go back": "re.compile('a++b').match(text)",
    "json": "json.JSONDecoder().raw_decode('\"' + text + '\"', 0)",
    "compared by length": "for one in text:\n        text == 'x'",
}


def ratio(body: str) -> float:
    names, counter = counted(f"import json, re\ndef work(text):\n    {body}\n")

    def looks(size: int) -> int:
        before = counter.looks
        names["work"]("a" * size)
        return counter.looks - before

    return looks(200) / looks(50)


@pytest.mark.parametrize("what", QUADRATIC)
def test_what_is_quadratic_is_seen(what: str) -> None:
    assert ratio(QUADRATIC[what]) > 10


@pytest.mark.parametrize("what", LINEAR)
def test_what_is_linear_is_seen(what: str) -> None:
    assert ratio(LINEAR[what]) < 5


def test_going_back_is_seen_to_be_exponential() -> None:
    pattern = re.compile("(a+)+b")
    assert looked(pattern, "match", "a" * 12, 0, 12)[1] > 3 * looked(pattern, "match", "a" * 10, 0, 10)[1]


@pytest.mark.parametrize(
    ("pattern", "text", "how", "looks"),
    [
        ("abc", "abd", "match", 3), ("abc", "xxabc", "search", 5), ("[ab]*", "abab!", "match", 5), ("a*b", "aaac", "match", 8),
        ("a{2,3}", "aaaa", "match", 3), ("a|bc", "bd", "match", 3), ("(?<=x)a", "xa", "search", 2), ("a$", "ab", "match", 2),
        ("x", "aaaa", "search", 4), ("a+", "aab", "fullmatch", 3), (".*?b", "aab", "match", 5), ("(?>a+)a", "aa", "match", 3),
    ],
)  # fmt: skip
def test_looks_of_patterns_by_hand(pattern: str, text: str, how: How, looks: int) -> None:
    assert looked(re.compile(pattern), how, text, 0, len(text))[1] == looks


@pytest.mark.parametrize(
    "pattern",
    [
        "a", "a+b", "(?:ab)+", "(?:a|ab)(?:c|bcd)", "a*?b", "(?:ab){1,2}?b", "[^b]+", "(?i:A)b", "(?<=a)b", "(?<!a)b", "a(?!b)",
        r"\bb", "^a|b$", "(?>a|ab)b", "(?:ab)*+a", "a{2}", "(?:a(?:b|c))*d?", "a??b", "(?s:.)b", "(?:b|a(?=b))+",
    ],
)  # fmt: skip
@pytest.mark.parametrize("how", ["match", "fullmatch", "search"])
@pytest.mark.parametrize("text", ["", "a", "b", "ab", "abab", "aab", "bab", "abcd", "aBc", "cabac", "b\nab"])
def test_the_engine_finds_what_re_finds(pattern: str, how: How, text: str) -> None:
    made = re.compile(pattern)
    found = getattr(made, how)(text)
    assert looked(made, how, text, 0, len(text))[0] == (None if found is None else found.span())


@pytest.mark.parametrize("pattern", ["(a)\\1", "(?:a*)*"])
def test_what_the_engine_does_not_know_it_says(pattern: str) -> None:
    with pytest.raises(NotImplementedError, match="teach it"):
        looked(re.compile(pattern), "match", "a", 0, 1)
