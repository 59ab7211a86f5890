"""Where a call made of tags ends: `<function=f><parameter=k>v</parameter></function>` and its kin, values being text.

Law: a closing tag counts where a tag, a marker or the end follows it; inside a value that goes on after it, it is data.
The same walk finds the end of a block that is coming and the parts of a body that is whole.
"""

import re
from typing import Literal, TypeAlias

from opposable.wire import scan
from opposable.wire.offered import Offered
from opposable.wire.source import Literals, Source, Wait
from opposable.wire.tags.forms import LONGEST, Form, Span, Tag, Written, closers, json_ends, wrapped
from opposable.wire.tags.reader import HEAD, NAMED, NOTHING, WITHIN, TagReader

State: TypeAlias = Literal["on", "cut", "no"]
"""As a step says it: at a closing tag or marker, at the end of the reply, or no call at all."""

_NAME = re.compile(r"[^<>{}\n\\]+")
_WORD = re.compile(r"[\w.:-]+")
_KEY = re.compile(r"[^<>]+")
_CDATA_END = Literals(("]]>",))
_FOLLOW = frozenset(("parameter", "/call", "/outer", "call", "outer", "between", "marker", "cut"))
"""What a closing tag of a parameter is followed by, if it is one."""
_OUTER = frozenset(("/call", "/outer", "call", "outer", "marker"))
"""What stands around parameters."""
_STRING = {"true": "string", "false": "json"}


class Walk(TagReader):
    """Goes over the calls of a block, from the first head to where the block ends.

    `loose`: here it was looked ahead before; that is not done again. `seen`: up to where was looked ahead in vain.
    `is_wrapped`: the block's own marker stood before it; without it only a head with a parameter tag is one.
    `is_broken`: something that is no call stands after a call.
    """

    def __init__(self, src: Source, form: Form, tools: Offered, markers: Literals, name: str, *, loose: bool) -> None:
        super().__init__(src, form, tools, markers, name)
        self.loose, self.seen = loose, 0
        self.is_wrapped, self.is_broken = True, False
        self.calls: list[Written] = []
        self._wrapped = wrapped(form)

    # Calls

    def run(self, *, many: bool) -> Wait[State]:
        """Go over one call, or over `many`, to where the block ends."""
        src = self.src
        end = src.at
        while True:
            before = len(self.calls)
            state = yield from self._head()
            if state == "on" and not self.calls[-1].is_closed:
                state = yield from self._inside(self.calls[-1])
            if state == "no" and before and not self.is_wrapped:  # those before it are a block without it
                del self.calls[before:]
                src.back(end)
                return "on"
            if state == "no" and before:
                self.is_broken = True
                yield from src.find(self.markers)
                return "on"
            if state != "on":
                return state
            end = src.at
            while (tag := (yield from self.beyond(HEAD))).role == "/call":
                self.calls[-1].mends.append("doubled_marker")
                end = src.at
            if not many or tag.role != "call":
                src.back(end)
                return "on"
            if not self.calls[-1].is_closed:
                self.calls[-1].mends.append("missing_marker")
            src.back(tag.start)

    def _begin(self, name: str) -> Written:
        self.calls.append(Written(name))
        offered = self.tools.name(name)
        self.known = {} if offered is None else self.tools.parameters(offered)
        self.last = NOTHING
        return self.calls[-1]

    def _head(self) -> Wait[State]:
        if not self.form.calls and not self.name:
            return (yield from self._head_text())
        if not self.form.calls:
            self._begin(self.name)
            return "on"
        tag = yield from self.beyond(HEAD)
        name = tag.says(*NAMED)
        if tag.role != "call" or name is None:
            return "cut" if tag.role == "cut" and self.is_wrapped else "no"
        call = self._begin(name)
        call.is_closed = tag.is_closed
        call.attribute = tag.says("arguments", "parameters", "args", "input")
        return "on"

    def _head_text(self) -> Wait[State]:
        """A name that is plain text, up to the first tag."""
        src = self.src
        start = src.at
        yield from src.skip(_NAME)
        if src.at - start > LONGEST:
            return "no"
        name = src.since(start).strip()
        char = yield from self.layout()
        if not char or not name:
            self._begin(name)
            return "cut" if name and self.may_be_name(name) else "no"
        at = src.at
        tag = yield from self.here()
        if tag.role == "/key" and (parted := self.parted(name)) is not None:
            call = self._begin(parted[0])
            call.mends.append("glued_name")
            yield from self._values(call, (yield from self._pair(parted[1], tag)))
            return "on"
        if tag.role not in ("parameter", "between", "cut") and (
            self.tools.name(name) is None or (tag.role not in ("/outer", "marker") and char != "{")
        ):
            return "no"
        self._begin(name)
        src.back(at)
        return "on"

    def parted(self, text: str) -> tuple[str, str] | None:
        """The name and the key of a parameter that were glued, where only one reading is possible."""
        found = [
            (name, key)
            for name in self.tools
            if text.startswith(name)
            for key in self.tools.parameters(name)
            if text[len(name) :].strip(" .:=/_-") == key
        ]
        return found[0] if len(found) == 1 else None

    # What stands in a call

    def _inside(self, call: Written) -> Wait[State]:
        src = self.src
        head = src.at
        while True:
            char = yield from self.layout()
            if char == "{" and self.is_wrapped and not call.spans and call.json is None:
                if not (yield from self._json(call)):
                    return "cut"
                continue
            start = src.at
            tag = yield from self.here()
            is_parameter = tag.role == "parameter" or (tag.role == "cut" and tag.word not in self.form.calls)
            if not self.is_wrapped and not call.spans and not is_parameter:
                return "no"
            if not char or tag.role == "cut":
                return "cut"
            if tag.role == "parameter":
                yield from self._values(call, (yield from self._parameter(tag)))
            elif tag.role == "/call":
                call.is_closed = True
                return "on"
            elif tag.role in ("/outer", "outer", "call", "marker"):
                if tag.role == "/outer":
                    call.is_closed = True
                    call.mends += ["missing_marker"] if self.form.calls else []
                src.back(start)
                return "on"
            elif tag.role == "between":
                continue
            elif call.json is not None:
                call.mends.append("text_after")
                following = yield from self.next()
                src.back(src.at if following is None else following.start)
            elif call.spans or not (yield from self._glued(call, head)):
                return "no"

    def _glued(self, call: Written, start: int) -> Wait[bool]:
        """Text follows the head: the value of a parameter whose key is glued to the name?"""
        parted = None if self.form.keys or self.tools.name(call.name) else self.parted(call.name)
        if parted is None:
            return False
        self.src.back(start)
        self.known, self.last = self.tools.parameters(parted[0]), NOTHING
        call.name = parted[0]
        call.mends.append("glued_name")
        yield from self._values(call, Span(parted[1], self.form.mark, start))
        return True

    def _json(self, call: Written) -> Wait[bool]:
        """Arguments as one JSON object; whether the reply goes on after it."""
        src = self.src
        start = src.at
        ends = json_ends(self.form, self.markers)
        found = yield from (scan.broken(src, ends) if self.loose else scan.json(src, ends))
        first = Literals(closers(self.form)).search(src.since(start)) if found == "end" else None
        if first is not None:
            self._back(start + first[0])
        call.json = start, src.at
        return found != "end" or first is not None

    def _back(self, at: int) -> None:
        """Go back to where the block ends after all. What was seen up to here is not looked ahead over again."""
        self.seen = self.src.at
        self.loose = True
        self.src.back(at)

    # Parameters

    def _parameter(self, tag: Tag) -> Wait[Span]:
        """The parameter that this tag opens, up to where its value begins."""
        if self.form.keys:
            return (yield from self._pair("", tag))
        key = tag.word if self.are_keys or tag.word in self.form.whole else tag.says("", "name", "key")
        string, kind = tag.says("string"), tag.says("type")
        mark = kind if string is None else _STRING.get(string, kind)
        span = Span(key or "", mark or self.form.mark, tag.end)
        if tag.is_closed:
            span.stop, span.end = tag.end, "own"
        return span

    def _pair(self, key: str, tag: Tag) -> Wait[Span]:
        """A key and the tags between it and its value; either of them may be missing, but not both."""
        src = self.src
        after, closed, mends = tag.end, 0, []
        mark = self.form.mark
        if not key:
            yield from src.skip(_KEY)
            key = src.since(after).strip()
            tag = yield from self.here()
        while tag.role == "/key":
            closed += 1
            after = tag.end
            tag = yield from self.beyond()
        if tag.role == "type":
            yield from src.skip(WITHIN)
            mark = src.since(tag.end).strip()
            after = (yield from self.here()).end
            tag = yield from self.beyond()
        if closed > 1:
            mends.append("doubled_marker")
        if not closed or tag.role != "value":
            mends.append("half_tag")
        if tag.role == "value":
            return Span(key, mark, tag.end, mends=mends)
        src.back(after)
        return Span(key if closed else "", mark, after, mends=mends)

    def _values(self, call: Written, span: Span | None) -> Wait[None]:
        while span is not None:
            call.spans.append(span)
            span = None if span.end or (yield from self._cdata(span)) else (yield from self._value(call, span))

    def _value(self, call: Written, span: Span) -> Wait[Span | None]:
        """Go over a value, up to what follows its closing tag, or to what ends it where that is missing.

        Another parameter, if one ended it.
        """
        if self.form.items:
            return (yield from self._value_of_tags(call, span))
        src = self.src
        place: int | None = None
        first: Tag | None = None  # parameter within it: the next one, if the value has no closing tag of its own
        depth = ready = 0
        while (tag := (yield from self.next())) is not None and tag.role != "cut":
            if self._closes(tag, span):
                if (yield from self._counts(span)):
                    if not depth:
                        span.stop, span.end = tag.start, "own"
                        return None
                    depth -= 1
                    ready = src.at
                elif not depth:
                    span.is_doubtful = True
            elif tag.role == "parameter" and self._is_quoted(tag, span, place, ready):
                depth += 1
            elif tag.role == "parameter" and self.are_keys and (place is not None or not self.loose):
                first = tag if first is None and place is None and self._may_follow(call, tag.word) else first
            elif tag.role == "parameter":
                following = yield from self._parameter(tag)
                if self._may_follow(call, following.key):
                    span.stop, span.end = tag.start, "next" if place is None else "broken"
                    return following
            elif tag.role in _OUTER:
                place = tag.start if place is None else place
                if first is not None or (self.loose and (yield from self._ends_loosely(tag))):
                    place = tag.start
                    break
                ready = (yield from self._over_head(tag)) if tag.role in ("call", "outer") else 0
        if first is not None:
            self._back(first.end)
            span.stop, span.end = first.start, "next"
            return (yield from self._parameter(first))
        self._at_end(span, place, tag)
        return None

    def _is_quoted(self, tag: Tag, span: Span, place: int | None, ready: int) -> bool:
        """Is this parameter of a call that is quoted in the value, or comes after it?"""
        return place is not None and tag.word == span.key if self.are_keys else tag.start == ready

    def _over_head(self, tag: Tag) -> Wait[int]:
        """Go over the rest of the head of another call, if this is one; where its first parameter would stand."""
        yield from self.layout()
        if tag.role == "outer" and not self.form.calls:
            yield from self.src.skip(_WORD)
            yield from self.layout()
        return self.src.at

    def _value_of_tags(self, call: Written, span: Span) -> Wait[Span | None]:
        """The same where a value may be made of tags itself: its closing tag is the one outside of all others."""
        inner: list[str] = []
        place: int | None = None
        is_first = True
        while (tag := (yield from self.next())) is not None and tag.role != "cut":
            if inner and tag.role.startswith("/") and tag.word == inner[-1]:
                inner.pop()
            elif not inner and tag.role == "/parameter" and tag.word == span.key:
                if (yield from self._counts(span)):
                    span.stop, span.end = tag.start, "own"
                    return None
            elif tag.role in _OUTER:
                place = tag.start if place is None else place
            elif not inner and tag.role == "/parameter":
                span.is_doubtful = True
            if not tag.role.startswith("/") and tag.role != "marker":
                before = self.src.since(span.start)[: tag.start - span.start] if is_first and place is None else ""
                if before.strip() and self._may_follow(call, tag.word):
                    span.stop, span.end = tag.start, "next"
                    return (yield from self._parameter(tag))
                is_first = False
                inner.append(tag.word)
        self._at_end(span, place, tag)
        return None

    def _at_end(self, span: Span, place: int | None, tag: Tag | None) -> None:
        """Nothing closes this value: it ends at the first `place` where something outer to it stands, or with the reply."""
        if place is not None:
            self._back(place)
            span.stop, span.end = place, "outer"
        else:
            span.stop, span.end = self.src.at, "reply" if tag is None else "broken"

    def _closes(self, tag: Tag, span: Span) -> bool:
        return tag.role == "/parameter" and (not self.are_keys or tag.word == span.key)

    def _counts(self, span: Span) -> Wait[bool]:
        """A closing tag was gone over: is it one? Goes on to what follows it, also across doubled closing tags."""
        doubled = False
        while (yield from self.layout()):
            tag = yield from self.here()
            if not self._closes(tag, span):
                if tag.role not in _FOLLOW:
                    return False
                self.src.back(tag.start)
                break
            doubled = True
        span.mends += ["doubled_marker"] if doubled else []
        return True

    def _may_follow(self, call: Written, key: str) -> bool:
        """May a parameter with this key end the value before it, which nothing has closed?"""
        return key in self.known and all(span.key != key for span in call.spans) if self.known else key != ""

    def _ends_loosely(self, tag: Tag) -> Wait[bool]:
        """Does what is outer to a value end it, as far as one can see right here?"""
        if tag.role != "/call" or not (yield from self.layout()):
            return True
        following = yield from self.here()
        self.src.back(tag.end)
        return following.role in _FOLLOW

    def _cdata(self, span: Span) -> Wait[bool]:
        """Go over a value that is wrapped in CDATA, and its closing tag; False where it is not."""
        src = self.src
        yield from src.skip(scan.SPACE)
        if (yield from src.look(self._wrapped)) is None:
            src.back(span.start)
            return False
        span.is_cdata = True
        while (yield from src.find(_CDATA_END)) is not None:
            src.pos += 3
            span.stop, span.end = src.at, "reply"
            char = yield from src.skip(scan.SPACE)
            if not char:
                return True
            if char not in self._candidates.firsts:
                continue
            tag = yield from self.here()
            if self._closes(tag, span):
                span.end = "own"
                return True
            src.back(tag.start)
            if tag.role in _FOLLOW:
                span.end = "outer"
                return True
        span.stop, span.end = src.at, "broken"
        return True
