"""Where a call made of tags ends: `<function=f><parameter=k>v</parameter></function>` and its kin, values being text.

Law: the same walk finds the end of a block that is coming and the parts of a body that is whole.
"""

import re
from typing import Literal, TypeAlias

from opposable.wire import scan
from opposable.wire.offered import Offered
from opposable.wire.source import Literals, Source, Wait
from opposable.wire.tags.forms import LONGEST, Form, Span, Written, closers, json_ends
from opposable.wire.tags.reader import HEAD, NAMED, NOTHING
from opposable.wire.tags.values import ValueReader

State: TypeAlias = Literal["on", "cut", "no"]
"""As a step says it: at a closing tag or marker, at the end of the reply, or no call at all."""

_NAME = re.compile(r"[^<>{}\n\\]+")


class Walk(ValueReader):
    """Goes over the calls of a block, from the first head to where the block ends.

    `is_wrapped`: the block's own marker stood before it; without it only a head with a parameter tag is one.
    `is_broken`: something that is no call stands after a call.
    """

    def __init__(self, src: Source, form: Form, tools: Offered, markers: Literals, name: str, *, loose: bool) -> None:
        super().__init__(src, form, tools, markers, name, loose=loose)
        self.is_wrapped, self.is_broken = True, False
        self.calls: list[Written] = []

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
        call.is_closed = tag.is_closed and not (yield from self._is_parameter_next())
        call.attribute = tag.says("arguments", "parameters", "args", "input")
        return "on"

    def _is_parameter_next(self) -> Wait[bool]:
        """After a head that closes itself: does a parameter follow all the same?"""
        at = self.src.at
        yield from self.layout()
        tag = yield from self.here()
        self.src.back(at)
        return tag.role == "parameter" or (tag.role == "cut" and tag.word in self.form.parameters)

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
            yield from self.values(call, (yield from self.pair(parted[1], tag)))
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
                yield from self.values(call, (yield from self.parameter(tag)))
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
                following = tag if tag.role else (yield from self.next())
                call.is_doubtful = call.is_doubtful or (following is not None and following.role == "/parameter")
                src.back(src.at if following is None or following is tag else following.start)
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
        yield from self.values(call, Span(parted[1], self.form.mark, start))
        return True

    def _json(self, call: Written) -> Wait[bool]:
        """Arguments as one JSON object; whether the reply goes on after it."""
        src = self.src
        start = src.at
        ends = json_ends(self.form, self.markers)
        found = yield from (scan.broken(src, ends) if self.loose else scan.json(src, ends))
        first = Literals(closers(self.form)).search(src.since(start)) if found == "end" else None
        if first is not None:
            self.back(start + first[0])
        call.json = start, src.at
        return found != "end" or first is not None
