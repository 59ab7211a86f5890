"""Bodies of tags, read: the calls that they write, with their values still text. Law: no argument is invented or dropped."""

import re
from collections.abc import Generator, Mapping, Set
from dataclasses import dataclass, replace
from typing import Any, Literal

from opposable.errors import CannotCarry
from opposable.wire import calls
from opposable.wire.calls import Draft, NoCall, Parameter
from opposable.wire.mend import Malformed
from opposable.wire.offered import Offered
from opposable.wire.rules import Rules
from opposable.wire.source import Literals, Source, Wait
from opposable.wire.steps import Block, Body, Found
from opposable.wire.tags import writer
from opposable.wire.tags.forms import Form, Layout, Span, Written
from opposable.wire.tags.torn import closed, is_torn
from opposable.wire.tags.tree import as_json
from opposable.wire.tags.walk import Walk

_SIGNS = re.compile(r"""[=<>"'\r\n]""")
"""Signs of tags."""
_NO_MARKERS = Literals(())
_ALL_ARGUMENTS = ("arguments", "input", "parameters", "properties")
"""Names of a single parameter that holds all arguments, where the tool has none of that name."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tags(Body):
    """Calls written in tags.

    `holds`: one call or many; many are one block. `starts`: what begins a body that lost its mark. `layout`: how calls are
    written, if they are; `place`: how many were written before.
    """

    form: Form
    holds: Literal["one", "many"] = "one"
    starts: tuple[str, ...] = ()
    layout: Layout | None = None
    place: int = 0

    @property
    def openers(self) -> tuple[str, ...]:
        return self.starts

    def may_begin(self, char: str) -> bool:
        if not self.form.keys:
            return char == "\\" or any(bracket[0].startswith(char) for bracket in self.form.brackets)
        return char.isalnum() or char in "_-"

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        start = src.at
        name = src.since(block.parts["name"][0]) if "name" in block.parts else ""
        name = name[: block.parts["name"][1] - block.parts["name"][0]] if name else ""
        walk = Walk(src, self.form, block.tools, block.markers, name, loose=block.loose)
        walk.is_wrapped = "missing_opener" not in block.mends
        state = yield from walk.run(many=self.holds == "many")
        block.seen = walk.seen
        is_plain = walk.are_keys and not self.form.calls  # any text may have an empty tag of a tool's name
        if state == "on" and is_plain and not walk.calls[-1].spans and block.tools.takes_any(walk.calls[-1].name):
            return "no"
        if state != "no":
            block.parts["body"] = (start, src.at)
            block.whole = walk.calls != [] and walk.calls[-1].is_closed
            if not block.whole and not self.form.calls:
                block.mends.append("missing_marker")
        return state

    def is_head(self, body: str) -> bool:
        tags = sum(body.count(opening) for opening, *_ in self.form.brackets)
        closed = [end for *_, end in self.form.brackets if end in body]
        if not self.form.calls:
            return not tags and "{" not in body
        return tags <= 1 and "{" not in body and (not closed or body.rstrip().endswith(closed[0]))

    def broken_at(self, body: str, ends: Literals) -> int | None:
        return None

    def is_prose(self, body: str) -> bool:
        return False

    def read(self, body: str, name: str, tools: Offered, *, ended: bool) -> list[Draft]:
        src = Source()
        src.feed(body)
        src.closed = True
        walk = Walk(src, self.form, tools, _NO_MARKERS, name, loose=False)
        if _now(walk.run(many=self.holds == "many")) == "no" or not walk.calls:
            raise NoCall("no call")
        if walk.is_broken:
            raise Malformed("something else after a call")
        last = walk.calls[-1]
        if not last.is_closed:
            if not ended:
                raise Malformed("a call that nothing closes")
            last.mends += ["missing_marker"] if self.form.calls else []
        walk.calls[0].mends += ["escaped_break"] if walk.breaks else []
        return [self._draft(body, call, tools) for call in _once(walk.calls, tools)]

    def _draft(self, body: str, call: Written, tools: Offered) -> Draft:
        draft = Draft(call.name, mends=[*call.mends])
        offered = tools.name(call.name)
        known = tools.parameters(offered) if offered is not None else {}
        written = call.attribute if call.json is None else body[slice(*call.json)]
        if written is not None:
            if call.spans:
                raise Malformed("arguments in two ways")
            _whole(draft, written, tools)
            if call.is_doubtful and not (draft.arguments and draft.arguments.keys() <= known.keys()):
                raise Malformed("a parameter has lost its opening tag")
            return draft
        if known and any(span.key not in known and _SIGNS.search(span.key) for span in call.spans):
            raise Malformed("a key with signs of a tag in it, which the tool does not have")
        keys = known.keys() - {span.key for span in call.spans}
        draft.texts = [_parameter(body, span, self.form, draft.mends, keys) for span in call.spans]
        if self.form.items:
            schema = {} if offered is None else tools.schema(offered)
            draft.texts = [as_json(text, self.form, known.get(text.key), schema) for text in draft.texts]
        if len(draft.texts) == 1 and draft.texts[0].key in self.form.whole:
            return _whole(draft, draft.texts[0].text, tools)
        if len(draft.texts) == 1 and draft.texts[0].key in _ALL_ARGUMENTS and draft.texts[0].key not in known:
            return _nested(draft, draft.texts[0].text, known, tools)
        if not draft.texts:
            draft.texts = None
        return draft

    def at(self, place: int) -> "Tags":
        return replace(self, place=place)

    def grammar(self, name: str, rules: Rules) -> str:
        return writer.grammar(self.form, self._layout(), name, rules)

    def write(self, name: str, arguments: Mapping[str, Any]) -> str:
        return writer.written(self.form, self._layout(), name, self.place, arguments)

    def _layout(self) -> Layout:
        if self.layout is None:
            raise CannotCarry("calls in this shape are read, not written")
        return self.layout


def _once(written: list[Written], tools: Offered) -> list[Written]:
    """The calls without heads that were written twice: a head of nothing, not closed, before another, is no call."""
    found = written[-1:]
    for call, following in zip(written[-2::-1], written[:0:-1], strict=True):
        if call.is_closed or call.spans or call.json or call.attribute or not tools.takes_any(call.name):
            found.append(call)
        elif call.name != following.name:
            raise Malformed("a call that was begun within another")
        else:
            following.mends.append("doubled_marker")
    return found[::-1]


def _now(work: Generator[None, None, str]) -> str:
    """What a reader finds in a text that is whole, where it never waits."""
    try:
        while True:
            next(work)
    except StopIteration as stop:
        return str(stop.value)


def _parameter(body: str, span: Span, form: Form, mends: list[str], keys: Set[str]) -> Parameter:
    """A parameter with its text. One line break after the opening tag is layout, and then one before the closing tag."""
    if not span.key or span.end == "broken" or (span.is_doubtful and span.end != "own"):
        raise Malformed("a parameter without a key or an end")
    text = body[span.start : span.stop]
    if (span.end != "own" or "half_tag" in span.mends) and span.attribute is None and not text.strip():
        raise Malformed("a key without a value")
    if span.attribute is not None:
        if text.strip():
            raise Malformed("a value in two ways")
        text = span.attribute
    elif span.is_cdata:
        text = text.strip().removeprefix("<![CDATA[").removesuffix("]]>").replace("]]><![CDATA[", "")
    else:
        text = text if span.end == "own" else closed(text, span, form)
        bare = text.removeprefix("\n") if text.startswith("\n") else text.removeprefix("\r\n")
        if bare != text or span.end != "own":
            bare = bare.removesuffix("\n").removesuffix("\r") if bare.endswith("\r\n") else bare.removesuffix("\n")
        text = bare
        if is_torn(text, span, form, keys):
            raise Malformed("a tag of a parameter is broken")
    mends += span.mends
    mends += {"next": ["half_tag"], "outer": ["missing_marker"], "reply": ["missing_marker"]}.get(span.end, [])
    return Parameter(span.key, text, span.mark)


def _whole(draft: Draft, text: str, tools: Offered) -> Draft:
    """All arguments as one JSON object."""
    draft.texts = None
    if text.strip():
        values, mends = calls.read_arguments(text, draft.name, tools, ended=True)
        if len(values) != 1 or not isinstance(values[0], dict):
            raise Malformed("the arguments are no object")
        draft.arguments = values[0]
        draft.mends += mends
    return draft


def _nested(draft: Draft, text: str, known: Mapping[str, Any], tools: Offered) -> Draft:
    """A single parameter that may hold all arguments: an object whose keys are all parameters of the tool."""
    try:
        values, mends = calls.read_arguments(text, draft.name, tools, ended=True)
    except (Malformed, RecursionError):
        return draft
    if len(values) == 1 and isinstance(values[0], dict) and all(key in known for key in values[0] if known):
        draft.texts = None
        draft.arguments = values[0]
        draft.mends += [*mends, "nested_arguments"]
    return draft
