"""Parameters written in tags, and where their values end.

Law: a closing tag counts where a tag, a marker or the end follows it; inside a value that goes on after it, it is data.
"""

import re

from opposable.wire import scan
from opposable.wire.offered import Offered
from opposable.wire.source import Literals, Source, Wait
from opposable.wire.tags.forms import Form, Span, Tag, Written, wrapped
from opposable.wire.tags.reader import WITHIN, TagReader

_WORD = re.compile(r"[\w.:-]+")
_KEY = re.compile(r"[^<>]+")
_VALUE = re.compile(r"\svalue\s*=")
"""A value in the opening tag, also one whose quotes do not end there."""
_CDATA_END = Literals(("]]>",))
_FOLLOW = frozenset(("parameter", "/call", "/outer", "call", "outer", "between", "marker", "cut"))
"""What a closing tag of a parameter is followed by, if it is one."""
_OUTER = frozenset(("/call", "/outer", "call", "outer", "marker"))
"""What stands around parameters."""
_STRING = {"true": "string", "false": "json"}


class ValueReader(TagReader):
    """Reads the parameters of a call.

    `loose`: here it was looked ahead before; that is not done again. `seen`: up to where was looked ahead in vain.
    """

    def __init__(self, src: Source, form: Form, tools: Offered, markers: Literals, name: str, *, loose: bool) -> None:
        super().__init__(src, form, tools, markers, name)
        self.loose, self.seen = loose, 0
        self._wrapped = wrapped(form)

    def back(self, at: int) -> None:
        """Go back to where the block ends after all. What was seen up to here is not looked ahead over again."""
        self.seen = self.src.at
        self.loose = True
        self.src.back(at)

    def parameter(self, tag: Tag) -> Wait[Span]:
        """The parameter that this tag opens, up to where its value begins."""
        if self.form.keys:
            return (yield from self.pair("", tag))
        key = tag.word if self.are_keys or tag.word in self.form.whole else tag.says("", "name", "key")
        string, kind = tag.says("string"), tag.says("type")
        mark = kind if string is None else _STRING.get(string, kind)
        attribute = tag.says("value")
        if attribute is None and _VALUE.search(self.src.since(tag.start)) is not None:
            key = None
        span = Span(key or "", mark or self.form.mark, tag.end, attribute=attribute)
        if tag.is_closed:
            span.stop, span.end = tag.end, "own"
        return span

    def pair(self, key: str, tag: Tag) -> Wait[Span]:
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

    def values(self, call: Written, span: Span | None) -> Wait[None]:
        while span is not None:
            call.spans.append(span)
            yield from self._doubled(span)
            span = None if span.end or (yield from self._cdata(span)) else (yield from self._value(call, span))

    def _doubled(self, span: Span) -> Wait[None]:
        """Go over what opens this value, where it is written again right after it."""
        src = self.src
        while not (span.end or self.are_keys):
            yield from src.skip(scan.SPACE)
            tag = yield from self.here()
            is_same = (
                tag.role == "parameter" and not self.form.keys and (yield from self.parameter(tag)).key == span.key
            )
            if not is_same and tag.role != "value":
                break
            span.start = tag.end
            span.mends.append("doubled_marker")
        src.back(span.start)

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
                following = yield from self.parameter(tag)
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
            self.back(first.end)
            span.stop, span.end = first.start, "next"
            return (yield from self.parameter(first))
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
                    return (yield from self.parameter(tag))
                is_first = False
                inner.append(tag.word)
        self._at_end(span, place, tag)
        return None

    def _at_end(self, span: Span, place: int | None, tag: Tag | None) -> None:
        """Nothing closes this value: it ends at the first `place` where something outer to it stands, or with the reply."""
        if place is not None:
            self.back(place)
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
