"""What a request itself says about tools: which of its parts asks for which, and which values it holds for them.

Law: evidence is words and forms (paths, numbers, addresses) that request and tool share; nothing is known of any tool.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opposable.messages import ToolSpec
from opposable.ranking import document_of, forms, rank, terms, values_like

HIT, MISS = 2.0, -3.0
"""What it weighs, in BM25's measure, that a request holds, or lacks, a value of the form that a required parameter takes."""

_LITTLE = re.compile(r"[^\w]*[A-Za-z']{1,3}[^\w]*")
_SPLIT = re.compile(
    r"(?<=[.!?;])\s+|\n+|(?:,|(?<!\s))\s+(?:and then|then|and|und dann|und|dann|et puis|et|puis|y luego|y)\s+",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'(?!\w)|“[^“”]*”|`[^`]*`")
_WORDS = re.compile(r"\w+")
_LONGEST = 2_000
"""A request of more characters is not cut: it holds a text that somebody pasted, not that many wishes."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a request, and how well each tool fits it, in the order of the tools."""

    text: str
    scores: tuple[float, ...]

    @property
    def best(self) -> int:
        """The place of the tool that fits best."""
        return max(range(len(self.scores)), key=self.scores.__getitem__)


def scores(request: str, tools: Sequence[ToolSpec], around: str = "") -> tuple[float, ...]:
    """How well each tool fits the request: BM25 of its words, and the values it holds: of a known form, or quoted.

    `around`: the text that the request is a part of, where a value may stand that the part only refers to.
    """
    said, near = forms(request), forms(around)
    quotes = _QUOTED.search(request) is not None
    ranked = rank(_telling(request), [document_of(tool) for tool in tools])
    return tuple(
        score
        + sum(HIT if wanted & said else 0 if wanted & near else MISS for wanted in _demands(tool))
        + (HIT if quotes and _takes_text(tool) else 0)
        for score, tool in zip(ranked, tools, strict=True)
    )


def parts(request: str, tools: Sequence[ToolSpec]) -> list[Part]:
    """The request in those parts that each ask for a tool, in order; a part that asks for none goes with the one before."""
    whole = Part(request, scores(request, tools))
    if len(request) > _LONGEST:
        return [whole]
    found: list[Part] = []
    for text in _pieces(request):
        part = Part(text, scores(text, tools, request))
        if part.scores[part.best] >= HIT and (
            not found or part.best != found[-1].best or _has_values(text, tools[part.best])
        ):
            found.append(part)
        elif found:
            joined = f"{found[-1].text} {text}"
            found[-1] = Part(joined, scores(joined, tools, request))
    return found if len(found) > 1 else [whole]


def offers(texts: Sequence[str], tool: ToolSpec) -> dict[str, list[str]]:
    """For a string parameter the values among which to choose, where the texts hold such.

    For one that takes an expression, a path or an address: those in the first of the texts that has any; for one that
    takes any text: what the first text quotes.
    """
    found: dict[str, list[str]] = {}
    for name, schema in _properties(tool).items():
        if not isinstance(schema, Mapping) or schema.get("type") != "string" or "enum" in schema:
            continue
        like = _text_of(name, schema)
        values = next(filter(None, (values_like(text, like) for text in texts)), [])
        if not forms(like):
            values = [quote[1:-1] for quote in _QUOTED.findall(texts[0])]
        if any(values):
            found[name] = list(dict.fromkeys(filter(None, values)))
    return found


def as_quoted(value: Any, request: str) -> Any:
    """The value; if it differs from something quoted in the request in nothing but case, as it is quoted."""
    quotes = {quote[1:-1].casefold(): quote[1:-1] for quote in _QUOTED.findall(request)}
    return quotes.get(value.casefold(), value) if isinstance(value, str) else value


def spoken_of(request: str, tool: ToolSpec) -> dict[str, Any]:
    """The tool's schema with its required parameters, and of the others those of which the request speaks."""
    required = _required(tool)
    own = set(terms(f"{tool.name} {tool.description}"))
    said = set(terms(_telling(request))) - own
    kept = {
        name: schema
        for name, schema in _properties(tool).items()
        if name in required or said & (set(terms(_text_of(name, schema))) - own)
    }
    return {**tool.parameters, "properties": kept, "required": list(dict.fromkeys([*kept, *required]))}


def held(schema: Mapping[str, Any], request: str) -> dict[str, Any]:
    """The schema for a model that ends a text before it has begun, and takes the first of some values for the right one.

    Texts hold something; of a set of texts the one that stands in the request is the value, where exactly one does.
    """
    said = _plain(request)
    return {**schema, "properties": {name: _held(one, said) for name, one in schema["properties"].items()}}


def _held(schema: Any, said: str) -> Any:
    if not isinstance(schema, Mapping) or schema.get("type") != "string":
        return schema
    enum = schema.get("enum")
    if not isinstance(enum, list):
        return {"minLength": 1, **schema}
    found = [value for value in enum if _plain(str(value)).strip() and _plain(str(value)) in said]
    return {**schema, "enum": found} if len(found) == 1 else schema


def _plain(text: str) -> str:
    """The words alone, in lower case, a blank on each side."""
    return f" {' '.join(_WORDS.findall(text.casefold()))} "


def _pieces(request: str) -> list[str]:
    """The request cut at the ends of sentences and at words that join them, but not inside quotes."""
    quotes: list[str] = []

    def hide(match: re.Match[str]) -> str:
        quotes.append(match.group())
        return f"\0{len(quotes) - 1}\0"

    hidden = _QUOTED.sub(hide, request.replace("\0", " "))
    pieces = [piece.strip() for piece in _SPLIT.split(hidden) if piece.strip()]
    return [re.sub(r"\0(\d+)\0", lambda match: quotes[int(match.group(1))], piece) for piece in pieces]


def _telling(text: str) -> str:
    """Without words of up to three letters, which say little in most languages that write with spaces."""
    return " ".join(word for word in text.split() if not _LITTLE.fullmatch(word))


def _properties(tool: ToolSpec) -> Mapping[str, Any]:
    properties = tool.parameters.get("properties")
    return properties if isinstance(properties, Mapping) else {}


def _required(tool: ToolSpec) -> list[str]:
    required = tool.parameters.get("required")
    return [name for name in required if isinstance(name, str)] if isinstance(required, list) else []


def _text_of(name: str, schema: Any) -> str:
    description = schema.get("description", "") if isinstance(schema, Mapping) else ""
    return f"{name} {description}"


def _demands(tool: ToolSpec) -> list[frozenset[str]]:
    """For each required parameter whose own description shows a form: the forms that would do."""
    found = (forms(_text_of(name, _properties(tool).get(name))) for name in _required(tool))
    return [wanted for wanted in found if wanted]


def _takes_text(tool: ToolSpec) -> bool:
    """Does a required parameter take any text, of no known form?"""
    required = ((name, _properties(tool).get(name)) for name in _required(tool))
    return any(
        isinstance(schema, Mapping)
        and schema.get("type") == "string"
        and "enum" not in schema
        and not forms(_text_of(name, schema))
        for name, schema in required
    )


def _has_values(text: str, tool: ToolSpec) -> bool:
    said = forms(text)
    return all(wanted & said for wanted in _demands(tool)) and bool(_demands(tool))
