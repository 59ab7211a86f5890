"""How families write calls in tags, as data: what their tags are called, and what one tag says. Law: no family has code."""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Literal, NamedTuple

from opposable.wire.source import REACH, Literals, Run, beginning, until

LONGEST = 256
"""How long a name, a key or a tag may be that is no head of a call."""
_BLANK = r"(?:[^\S\n]|Ġ)"
_WORD = re.compile(r"[\s=/\"']")
_VALUE = re.compile(r"""\s*=\s*(?:"([^"]*)"|'([^']*)'|(.*))""", re.DOTALL)
_ATTRIBUTE = re.compile(r"""(?<![\w.-])([\w.-]+)\s*=\s*(?:"([^"]*)"(?!\w+(?:[\s/]|$))|'([^']*)'|([^\s"']++)(?!["']))""")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Form:
    """What a family calls its tags.

    `brackets`: how tags are written, (opening, closing, end) of each spelling. The words in the tags of `calls`, of
    `parameters`, of `keys`, `values` and `types` that stand side by side, of what is `outer` to calls, and of what says
    nothing (`between`). Without `calls` the name is plain text, or was read before; without `parameters` and `keys` a
    parameter's tag is named like the parameter. `whole`: parameters that hold all arguments as JSON. `items`: tags of a
    list's items, where values may be made of tags. `cdata`: the opener of text that is no tags, if any. `mark`: what the
    shape says of every value.
    """

    brackets: tuple[tuple[str, str, str], ...] = (("<", "</", ">"),)
    calls: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    outer: tuple[str, ...] = ()
    between: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    cdata: tuple[str, ...] = ()
    mark: str | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Layout:
    """How a family writes a call, where prompts are written in its shape too.

    `call` and `parameter`: what stands before and after what they hold, with places for `{name}`, for `{index}`, the number
    of the call, for `{key}`, and for what is said of a value: `{type}`, or `{string}`, true or false. `values`: whether
    they stand on lines of their own.
    """

    call: tuple[str, str]
    parameter: tuple[str, str]
    values: Literal["inline", "lines"] = "inline"


class Tag(NamedTuple):
    """A tag or another marker, and where it stands. `attributes`: under "" what follows the word after `=`."""

    role: str
    start: int
    end: int = 0
    word: str = ""
    attributes: Mapping[str, str] = MappingProxyType({})
    is_closed: bool = False

    def says(self, *names: str) -> str | None:
        """The first of these attributes that is there."""
        return next((self.attributes[name] for name in names if name in self.attributes), None)


@dataclass(slots=True, eq=False, repr=False)
class Span:
    """A parameter as it stands: its key, what the shape says of its value, and where the value begins and stops.

    `end`: what ended it: its own closing tag, the next parameter, what is outer to it, the reply. `attribute`: the value,
    said in the opening tag. `is_doubtful`: its
    closing tag stands within it too.
    """

    key: str
    mark: str | None
    start: int
    stop: int = 0
    end: Literal["", "own", "next", "outer", "reply", "broken"] = ""
    attribute: str | None = None
    is_cdata: bool = False
    is_doubtful: bool = False
    mends: list[str] = field(default_factory=list)


@dataclass(slots=True, eq=False, repr=False)
class Written:
    """A call as it stands. `json`: the place of its arguments; `attribute`: they themselves, said in the head.

    `is_closed`: a closing tag says where it ends. `is_doubtful`: the closing tag of a parameter stands after its JSON.
    """

    name: str
    spans: list[Span] = field(default_factory=list)
    json: tuple[int, int] | None = None
    attribute: str | None = None
    is_closed: bool = False
    is_doubtful: bool = False
    mends: list[str] = field(default_factory=list)


@cache
def roles(form: Form) -> dict[str, str]:
    """What each word of a form says, and with a slash before it, in a closing tag."""
    words: dict[str, str] = {}
    for names, opening, closing in (
        (form.outer, "outer", "/outer"),
        (form.calls, "call", "/call"),
        ((*form.parameters, *form.whole), "parameter", "/parameter"),
        (form.keys, "parameter", "/key"),
        (form.values, "value", "/parameter"),
        (form.types, "type", "type"),
        (form.between, "between", "between"),
    ):
        for name in names:
            words[name], words["/" + name] = opening, closing
    return words


@lru_cache(maxsize=1024)
def candidates(form: Form, markers: Literals) -> Literals:
    """What a tag of the form may begin with, and the markers."""
    return Literals((*(text for bracket in form.brackets for text in bracket[:2]), *markers.anywhere))


@lru_cache(maxsize=1024)
def bracket_of(form: Form, literal: str) -> tuple[str, str]:
    """The bracket that a literal begins with, and a slash if it is a closing one."""
    for opening, closing, _ in form.brackets:
        if literal.startswith((closing, opening)):
            return (closing, "/") if literal.startswith(closing) else (opening, "")
    return "", ""


@lru_cache(maxsize=1024)
def text(form: Form, markers: Literals, name: str) -> Run:
    """Text in which no tag of the form begins that says something, and no marker. `name`: the call's, read before.

    A tag that is open where the text ends may be one. A word may have the name of a space and a colon before it.
    """
    found = candidates(form, markers)
    if not form.parameters and not form.keys:
        return found.run
    said = (*roles(form), "/" + name) if name and not form.calls else roles(form)
    starts = [bracket[word.startswith("/")] + word.removeprefix("/") for bracket in form.brackets for word in said]
    brackets = "|".join(re.escape(text) for bracket in form.brackets for text in (bracket[1], bracket[0]))
    words = beginning({word.removeprefix("/") for word in said})
    tag = rf"(?:{brackets})(?:[^<>\n]*+\Z|{_BLANK}++(?:{words})|{_BLANK}*+[^\s=/\"'<>:]*+:)"
    is_open = re.compile(rf"(?:{brackets})[^<>\n]*+\Z")

    def goes_on(text: str, pos: int) -> bool:
        return len(text) - pos < REACH and (is_open.match(text, pos) is not None or found.begins(text[pos:]))

    return until((*starts, *markers.anywhere), tag, goes_on)


@lru_cache(maxsize=1024)
def json_ends(form: Form, markers: Literals) -> Literals:
    """What ends JSON in a call that is not whole."""
    return Literals((*closers(form), *markers.anywhere))


@cache
def closers(form: Form) -> tuple[str, ...]:
    """The closing tags of calls and of what is around them, as they are taught."""
    return tuple(f"{closing}{word}{end}" for _, closing, end in form.brackets for word in (*form.calls, *form.outer))


@cache
def tag_ends(form: Form) -> Literals:
    """How the tags of the form end."""
    return Literals(bracket[2] for bracket in form.brackets)


@cache
def wrapped(form: Form) -> Literals:
    """What opens text that is no tags."""
    return Literals(form.cdata)


def parsed(inner: str) -> tuple[str, dict[str, str], bool]:
    """The word of a tag, its attributes, and whether it closes itself."""
    if inner.isidentifier() and "Ġ" not in inner:
        return inner, {}, False
    inner = inner.replace("Ġ", " ").strip()
    word = _WORD.split(inner, maxsplit=1)[0]
    value = _VALUE.match(inner, len(word))
    attributes: dict[str, str] = {}
    if value is not None:
        attributes[""] = html.unescape(_first(value).strip())
    rest = inner[len(word) if value is None else value.end() :]
    for found in _ATTRIBUTE.finditer(rest):
        attributes[found[1]] = html.unescape(_first(found, 2))
    return word, attributes, rest.rstrip().endswith("/")


def _first(match: re.Match[str], group: int = 1) -> str:
    return next((text for text in match.groups()[group - 1 :] if text is not None), "")
