"""What JSON in a block says about calls: names, arguments, ids, whatever keys they stand under.

Law: an argument is never invented and never dropped; what is shaped like a definition or a plain answer is no call.
"""

import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from opposable.wire.choice import Fit, choose, unjudged
from opposable.wire.dialects import JSON
from opposable.wire.events import Cause
from opposable.wire.fits import decode, fits
from opposable.wire.mend import DEEPEST, Malformed, clean, excerpt, loads, match_end, number
from opposable.wire.offered import Offered

NAME_KEYS = ("name", "tool", "tool_name", "function_name", "function", "action")
ARGUMENT_KEYS = (
    "arguments", "parameters", "args", "input", "params", "kwargs", "tool_input", "action_input", "tool_parameters",
)  # fmt: skip
OTHER_KEYS = ("id", "type", "call_id", "tool_call_id", "tool_calls", "index")
CALL_KEYS = frozenset((*NAME_KEYS, *ARGUMENT_KEYS, *OTHER_KEYS))
"""What the keys of a call may be, folded to lower case. JSON with other keys at its top is no call."""

_FENCE = re.compile(r"\A\s*(?:`{3,}[\w+-]*\s*|(?:json|JSON)\s+(?=[{\[]))")
_SPACE = re.compile(r"\s*")
_ESCAPED = re.compile(r'(?:\s|\\[nrt])*(?:\[(?:\s|\\[nrt])*)?\{(?:\s|\\[nrt])*\\"')
_LASTS = ("}", "]", ",", ";", "/", "`")
"""What a value ends with, or what may follow it, where nothing is missing."""
_BETWEEN = re.compile(r"\s*[,;]?\s*")
_FITS: tuple[Fit, ...] = ("not", "may", "doubt")
"""How well a call may fit other than well, the worst first."""
_SURROGATE = re.compile("\\\\u[dD][89a-fA-F]|[\ud800-\udfff]")
_CALL = re.compile(rf"\b(?:{'|'.join(NAME_KEYS)})\b['\"”]?\s*:", re.IGNORECASE)
_ARGUMENTS = re.compile(rf"\b(?:{'|'.join(ARGUMENT_KEYS)})\b['\"”]?\s*:", re.IGNORECASE)

UNKNOWN = "no tool is called "


class NoCall(ValueError):
    """This is sound, but it does not have the shape of a call."""


class Refused(ValueError):
    """This has the shape of a call and is none, for this cause; more of it is the error's text."""

    def __init__(self, cause: Cause, why: str = "") -> None:
        super().__init__(why)
        self.cause: Cause = cause


def unknown(name: str) -> Refused:
    """The refusal of a call to this name, which no offered tool has."""
    return Refused("unknown_tool", f"{UNKNOWN}{excerpt(name)}")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter that was written as text. `mark`: what the shape says of it: "string", "json" or a word for a type."""

    key: str
    text: str
    mark: str | None = None


@dataclass(slots=True)
class Draft:
    """A call as it was read, before anything is decided.

    `arguments` None: none were written. `texts`: those that were written as text, in order.
    """

    name: str
    arguments: Any = None
    texts: list[Parameter] | None = None
    id: str | None = None
    beside: Mapping[str, Any] = field(default_factory=dict)
    mends: list[str] = field(default_factory=list)


def is_call_key(key: str) -> bool:
    """May this key stand at the top of a call?"""
    return key.casefold() in CALL_KEYS


def names_a_call(text: str) -> bool:
    """Does this text, which cannot be read, have the keys of a name and of arguments?"""
    return _CALL.search(text) is not None and _ARGUMENTS.search(text) is not None


def read(text: str, fit: Callable[[list[Any]], Fit] = unjudged, *, ended: bool) -> tuple[list[Any], list[str]]:
    """The JSON values of a body and the mends they needed. `fit` judges them where they can be read in several ways.

    Errors: Malformed.
    """
    mends: list[str] = []
    if (fence := _FENCE.match(text)) is not None:
        text = text[fence.end() :].rstrip().rstrip("`")
        mends.append("fence")
    if _ESCAPED.match(text) is not None:
        text = _unescaped(text)
        mends.append("double_escaped")
    try:
        return _strict(text), mends
    except (ValueError, RecursionError):
        if not ended and not text.rstrip().endswith(_LASTS):
            raise Malformed(f"the value breaks off after {excerpt(text[-20:])}") from None
        values, more = choose(
            text,
            JSON,
            lambda ends: loads(text, ended=ended and ends is None, ends=ends),
            lambda read: fit(read[0]),
            ended=ended,
        )
        return values, mends + more


def read_drafts(body: str, make: Callable[[list[Any]], "list[Draft]"], tools: Offered, *, ended: bool) -> "list[Draft]":
    """The calls of a body of JSON, which `make` makes of its values. Errors: NoCall, Malformed."""
    values, mends = read(body, lambda values: fit_of(lambda: make(values), tools), ended=ended)
    found = make(values)
    found[0].mends += mends
    return found


def read_arguments(text: str, name: str, tools: Offered, *, ended: bool) -> tuple[list[Any], list[str]]:
    """The same, where one object is the arguments of the tool of this name. Errors: Malformed."""
    try:
        return read(text, lambda values: fit_of(lambda: [Draft(name, value) for value in values], tools), ended=ended)
    except Malformed as error:
        if "{" in text:
            raise
        raise Malformed("the arguments are a text, and no object") from error


def _unescaped(text: str) -> str:
    """The text that was escaped as if it stood in a string. Errors: Malformed."""
    try:
        found = json.loads(f'"{text}"', strict=False)
    except ValueError as error:
        raise Malformed("escaped in part") from error
    return str(found)


def _strict(text: str) -> list[Any]:
    values: list[Any] = []
    pos = match_end(_SPACE, text, 0)
    while not values or pos < len(text):
        if values and text[pos] not in "{[":
            raise Malformed("text after the value")
        value, pos = _DECODER.raw_decode(text, pos)
        values.append(value)
        pos = match_end(_BETWEEN, text, pos)
    if text.count("[") + text.count("{") > DEEPEST and _depth(values) > DEEPEST + 1:
        raise Malformed("nested too deeply")
    return [_cleaned(value) for value in values] if _SURROGATE.search(text) else values


class Unnumbered(str):
    """A text whose lines are not counted: each error of `json` would count all those before it."""

    __slots__ = ()

    def count(self, *_: object) -> int:
        return 0

    def rfind(self, *_: object) -> int:
        return 0


def strict_at(text: str, pos: int) -> tuple[Any, int]:
    """The value of strict JSON that stands at `pos`, and where it ends. Errors: ValueError, RecursionError."""
    value, end = _DECODER.raw_decode(text, pos)
    if _depth(value) > DEEPEST + 1:
        raise Malformed("nested too deeply")
    return _cleaned(value), end


def _depth(value: Any) -> int:
    depth, level = 0, [value]
    while level:
        depth += 1
        level = [
            item
            for holder in level
            if isinstance(holder, dict | list)
            for item in (holder.values() if isinstance(holder, dict) else holder)
        ]
    return depth


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise Malformed("the same key twice")
    return result


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=number, parse_float=number)


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return _object([(clean(key), _cleaned(item)) for key, item in value.items()])
    return value


def drafts(values: list[Any]) -> list[Draft]:
    """The calls that these values write. Errors: NoCall, Malformed."""
    if not values:
        raise NoCall("an empty list")
    found: list[Draft] = []
    for value in values:
        if isinstance(value, list):
            found += drafts(value)
        elif isinstance(value, dict):
            envelope = value.get("tool_calls")
            found += drafts(envelope) if isinstance(envelope, list) and len(value) == 1 else [_draft(value)]
        else:
            raise NoCall("a plain value")
    return found


def _draft(value: dict[str, Any]) -> Draft:
    inner = value.get("function")
    if isinstance(inner, dict):
        draft = _draft(inner)
        draft.id = draft.id or _id(value)
        return draft
    if "description" in value:
        raise NoCall("a definition of a tool")
    name_key = next((key for key in NAME_KEYS if isinstance(value.get(key), str)), None)
    if name_key is None:
        raise NoCall("no name")
    draft = Draft(value[name_key], id=_id(value))
    written = [value[key] for key in value if key.casefold() in ARGUMENT_KEYS]
    if written:
        draft.arguments = _one_of(written)
    draft.beside = {
        key: item
        for key, item in value.items()
        if key != name_key and key.casefold() not in ARGUMENT_KEYS and key not in OTHER_KEYS
    }
    return draft


def _id(value: Mapping[str, Any]) -> str | None:
    return next((value[key] for key in ("id", "call_id", "tool_call_id") if isinstance(value.get(key), str)), None)


def _one_of(written: list[Any]) -> Any:
    """Arguments that stand under several keys: the one that is no schema and not empty."""
    if any(_is_schema(item) for item in written) and len(written) == 1:
        raise NoCall("a definition of a tool")
    real = [item for item in written if item and not _is_schema(item)]
    if not real:
        return written[0]
    if any(item != real[0] for item in real[1:]):
        raise Malformed("two different sets of arguments")
    return real[0]


def _is_schema(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("type"), str) and isinstance(value.get("properties"), dict)


def arguments(draft: Draft, name: str, tools: Offered, *, tagged: bool) -> dict[str, Any]:
    """The arguments of a draft as an object. `tagged`: it stood in a block of its own, not in bare or fenced JSON.

    Adds to the draft's mends. Errors: Malformed, NoCall.
    """
    parameters = tools.parameters(name)
    if draft.beside and any(key in parameters for key in draft.beside):
        if draft.arguments is not None or not all(key in parameters for key in draft.beside):
            raise Malformed("arguments beside the name")
        draft.mends.append("flattened")
        return dict(draft.beside)
    if draft.beside and draft.arguments is None:
        raise Malformed("keys beside the name that are no arguments")
    value = draft.arguments
    if isinstance(value, str) and value.strip():
        values, mends = read_arguments(value, name, tools, ended=True)
        if len(values) != 1:
            raise Malformed("the arguments are several values")
        value = values[0]
        draft.mends += ["stringified", *mends]
    if isinstance(value, dict):
        return value
    if value is None or value == "":
        if draft.arguments is None and tools.needs_arguments(name) and not tagged:
            raise NoCall("no arguments")
        return {}
    raise Malformed("the arguments are no object")


def fit_of(make: Callable[[], list[Draft]], tools: Offered) -> Fit:
    """How well the calls that `make` makes fit the tools. Text that writes what the schema wants fits as well."""
    try:
        found = [_fit(draft, tools) for draft in make()]
    except (NoCall, Malformed):
        return "not"
    return next((fit for fit in _FITS if fit in found), "does")


def _fit(draft: Draft, tools: Offered) -> Fit:
    name = tools.name(draft.name)
    if name is None:
        return "not"
    values = arguments(replace(draft, mends=[]), name, tools, tagged=True)
    schema, known = tools.schema(name), tools.parameters(name)
    if known and not schema.get("additionalProperties") and not all(key in known for key in values):
        return "not"
    typed = {
        key: decode(value, known.get(key), schema) if isinstance(value, str) else value
        for key, value in values.items()
        if value is not None
    }
    texts = [value for value in values.values() if isinstance(value, str)]
    missing = known.keys() - values.keys()
    seems_two = any(_seems_two(text, missing, tools) for text in texts)
    if fits(typed, schema, schema):
        return "doubt" if seems_two else "does"
    return "not" if seems_two else "may"


_MEMBER = re.compile(r"(?<!\w)([\w.$-]{1,128})['\"”]?\s*[:=]|['\"”]\s*,\s*['\"“]*([\w.$'\"-]{1,128})")
"""What a further member may begin with: a key and its sign, or a quote, a comma and a key."""
_FURTHER = re.compile(r"(?<!\w)([\w.:$-]{1,128})['\"”]?\s*[(,}]")
"""What a further call may begin with."""


def _seems_two(text: str, keys: Collection[str], tools: Offered) -> bool:
    """Does a further member with one of these keys, or a further call, seem to begin within the text?"""
    members = (found[1] or found[2].replace('"', "").replace("'", "") for found in _MEMBER.finditer(text))
    return any(key in keys for key in members) or any(found[1] in tools for found in _FURTHER.finditer(text))
