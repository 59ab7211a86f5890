"""How well texts fit a query: Okapi BM25. Law: pure and deterministic; the same texts always give the same scores.

Used to offer a model the few tools that fit a question. No language is assumed: words are folded lightly, scripts
written without spaces are read as pairs of characters. What has a recognisable form (an expression, a path, an
address, a number) also counts as the words that a tool for such things would use, since "what is 17 * 23" and
"evaluates an arithmetic expression" have no word in common.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from opposable.messages import ToolSpec

# The usual values, Lucene's too: Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009).
K1 = 1.2
B = 0.75

# A form, and the words that a tool for such things would use; the first of them names it.
_FORMS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (
        re.compile(r"\d\s*(?:%\s*)?(?:[-+*/^×÷−%]|\*\*|//|\bx\b|\bof\b)\s*\(?-?\d|\b(?:sqrt|log|sin|cos)\s*\("),
        ("expression", "arithmetic"),
    ),
    (re.compile(r"https?://|\bwww\."), ("url", "web", "page")),
    (
        re.compile(
            r"(?<![\w:/])(?:[\w.-]{1,64}/){1,16}[\w-]{1,64}\.\w{1,8}\b"
            r"|\b[\w-]{1,64}\.(?:txt|md|csv|json|xml|html?|ya?ml|toml|ini|log|py|js|pdf|docx?|xlsx?|png|jpe?g|gif|zip)\b"
        ),
        ("file", "path"),
    ),
    (re.compile(r"\d"), ("number",)),
)
_NUMBER = r"-?(?:\d[\d,]{0,30}(?:\.\d{1,30})?|\.\d{1,30})(?:\s?%)?"
_OPERAND = rf"(?:(?:sqrt|abs|log|ln|sin|cos|tan)?\s?\(\s?){{0,9}}{_NUMBER}(?:\s?\)){{0,9}}"
_OPERATOR = (
    r"\s{0,3}(?:\*\*|//|[-+*/^×÷−]|(?:x|of|plus|minus|times|multiplied by|divided by|to the power of)(?![a-z]))\s{0,3}"
)
_VALUES = {
    "expression": re.compile(
        rf"(?<![\w.])(?:{_OPERAND}(?:{_OPERATOR}{_OPERAND}){{1,40}}|(?:sqrt|square root of)\s?\(?\s?{_NUMBER}\)?)",
        re.IGNORECASE,
    ),
    "url": re.compile(r"(?:https?://|\bwww\.)[^\s<>\"'`]{1,2000}[^\s<>\"'`.,;:!?)\]]"),
    "file": re.compile(
        r"(?<![\w:/.-])(?:[\w.-]{1,64}/){0,16}[\w-]{1,64}(?:\.[\w-]{1,32}){0,3}\.[A-Za-z]\w{0,7}\b(?!/)"
    ),
}
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W\d_]+|\d+")
# Thai, Lao, Myanmar, Khmer, kana, Han, Hangul: few or no spaces between words.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]+"
)
_DEEPEST = 6


def rank(query: str, documents: Sequence[str]) -> list[float]:
    """The BM25 score of each document for this query, in the order of the documents; 0.0 where nothing is shared.

    Scores of one call compare with each other only. A word counts once, however often the query repeats it.
    """
    if not documents:
        return []
    bags = [_bag(document) for document in documents]
    mean = sum(length for _, length in bags) / len(bags) or 1.0
    norms = [K1 * (1 - B + B * length / mean) for _, length in bags]
    scores = [0.0] * len(bags)
    for term in dict.fromkeys(terms(query)):  # not a set: sums of floats depend on their order
        found = [(place, count) for place, (bag, _) in enumerate(bags) if (count := bag.get(term))]
        # Lucene's form of the idf, which stays positive where a word is in most of few documents.
        idf = math.log1p((len(bags) - len(found) + 0.5) / (len(found) + 0.5))
        for place, count in found:
            scores[place] += idf * count * (K1 + 1) / (count + norms[place])
    return scores


def document_of(spec: ToolSpec) -> str:
    """What a tool says of itself, as a text to rank: name, description; of each parameter name, description, values.

    The name is there twice, since a word of it says more than a word of the description.
    """
    return "\n".join([spec.name, spec.name, spec.description, *_said(spec.parameters, 0)])


def terms(text: str) -> Iterator[str]:
    """The terms of a text, in order: folded words, numbers, pairs of unspaced characters, what its forms stand for."""
    plain = _plain(text)
    for word in _WORD.findall(_CAMEL.sub(" ", plain).casefold()):
        if word.isascii():
            yield _fold(word)
        else:
            yield from _pieces(word)
    lowered = plain.casefold()
    for form, words in _FORMS:
        if form.search(lowered):
            yield from (_fold(word) for word in words)


def forms(text: str) -> frozenset[str]:
    """What kinds of values a text holds, by their form: of `expression`, `url`, `file`, `number`."""
    lowered = _plain(text).casefold()
    return frozenset(words[0] for form, words in _FORMS if form.search(lowered))


def values_like(text: str, example: str) -> list[str]:
    """The expressions, paths and addresses in a text, if the example holds one of the same form; as they stand there."""
    wanted = forms(example) & _VALUES.keys()
    return [match.group() for form in sorted(wanted) for match in _VALUES[form].finditer(text)]


@lru_cache(maxsize=4096)
def _bag(text: str) -> tuple[Mapping[str, int], int]:
    bag = Counter(terms(text))
    return bag, bag.total()


def _plain(text: str) -> str:
    """Without marks over letters, and with compatible forms made equal: `É` is `E`, a full-width `７` is `7`."""
    if text.isascii():
        return text
    parted = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFC", "".join(c for c in parted if unicodedata.category(c) != "Mn"))


def _pieces(word: str) -> Iterator[str]:
    place = 0
    for run in _UNSPACED.finditer(word):
        if run.start() > place:
            yield _fold(word[place : run.start()])
        chars = run.group()
        yield from (chars[i : i + 2] for i in range(max(1, len(chars) - 1)))
        place = run.end()
    if place < len(word):
        yield _fold(word[place:])


@lru_cache(maxsize=8192)
def _fold(word: str) -> str:
    """One form for `file`, `files`, `filing`, `filed`. Never shorter than three letters, and equal words stay equal."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    stem = word
    if word.endswith("ies") and len(word) > 4:
        stem = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        stem = word[:-1]
    for ending in ("ing", "ed"):
        if stem.endswith(ending) and re.search("[aeiouy]", stem[: -len(ending)]):
            stem = stem[: -len(ending)]
            break
    stem = stem.removesuffix("e")
    if len(stem) > 3 and stem[-1] == stem[-2]:
        stem = stem[:-1]
    return stem if len(stem) >= 3 else word


def _said(schema: Any, depth: int) -> Iterator[str]:
    """Names, descriptions and values in a schema. A schema may be foreign: whatever is odd in it is passed over."""
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return
    description = schema.get("description")
    if depth and isinstance(description, str):
        yield description
    for value in schema.get("enum", ()) if isinstance(schema.get("enum"), list) else ():
        yield str(value)
    for key in ("properties", "$defs", "definitions"):
        members = schema.get(key)
        if isinstance(members, Mapping):
            for name, member in members.items():
                yield str(name)
                yield from _said(member, depth + 1)
    for key in ("items", "anyOf", "oneOf", "allOf"):
        inner = schema.get(key)
        for member in inner if isinstance(inner, list) else (inner,):
            yield from _said(member, depth + 1)
