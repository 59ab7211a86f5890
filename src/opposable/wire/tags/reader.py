"""Tags and markers of a reply, one after the other. Law: what is no tag of the form and no marker is text, gone over once."""

import re
from collections.abc import Mapping
from typing import Any

from opposable.wire import scan
from opposable.wire.offered import Offered
from opposable.wire.source import Literals, Source, Wait
from opposable.wire.tags.forms import LONGEST, Form, Tag, bracket_of, candidates, parsed, roles, tag_ends, text

WITHIN = re.compile(r"[^<>\n]+")
HEAD = re.compile(r"[^<>\n\"']+")
NAMED = ("", "name", "tool")
"""Attributes that hold a call's name."""
NOTHING = (-1, WITHIN, Tag("", -1), -1)
"""That no tag was read: where one was, how it was read, what it says, and where the reading ended."""
_QUOTED = {'"': re.compile(r'[^"]+'), "'": re.compile(r"[^']+")}


class TagReader:
    """Reads the tags of a form, and markers.

    `name`: the call's, where it was read before. `known`: the parameters of the tool that is called. `breaks`: line breaks
    were escaped. `last`: the tag that was read last, as what is known now says it.
    """

    def __init__(self, src: Source, form: Form, tools: Offered, markers: Literals, name: str) -> None:
        self.src = src
        self.form = form
        self.tools = tools
        self.markers = markers
        self.name = name
        self.known: Mapping[str, Any] = {}
        self.breaks = False
        self.are_keys = not form.parameters and not form.keys
        self._candidates = candidates(form, markers)
        self._text = text(form, markers, name)
        self._ends = tag_ends(form)
        self._roles = roles(form)
        self.last = NOTHING

    def _role(self, word: str, sign: str) -> str:
        """What a tag with this word says; `sign`: a slash where it is a closing one."""
        for candidate in (word, word.rpartition(":")[2], word.partition(":")[0]):
            role = self._roles.get(sign + candidate)
            if role is not None:
                return role
        if sign and word == self.name and not self.form.calls:
            return "/outer"
        if self.are_keys and (sign or self.form.items or word in self.known or (self.form.whole and not self.known)):
            return sign + "parameter" if word else ""
        return ""

    def here(self, within: re.Pattern[str] = WITHIN) -> Wait[Tag]:
        """What stands right here, gone over: a tag of the form, or a marker. Of anything else only its beginning is.

        What was read last is not read again.
        """
        start = self.src.at
        place, how, tag, stop = self.last
        if place == start and how is within:
            self.src.go(stop)
            return tag
        tag = yield from self._here(start, within)
        self.last = start, within, tag, self.src.at
        return tag

    def _here(self, start: int, within: re.Pattern[str]) -> Wait[Tag]:
        src = self.src
        literal = yield from src.look(self._candidates)
        bracket, sign = bracket_of(self.form, literal or "")
        if bracket:
            src.pos += len(bracket)
            inner = src.at
            while (char := (yield from src.skip(within))) in _QUOTED and within is HEAD:
                src.pos += 1
                if (yield from src.skip(_QUOTED[char])):
                    src.pos += 1
            end = yield from src.look(self._ends)
            if end is not None or not char:
                word, attributes, is_closed = parsed(src.since(inner))
                role = self._role(word, sign)
                if not char and self._may_be_cut(word, sign, attributes):
                    return Tag("cut", start, src.at, word)
                if end is not None and role and (src.at - inner <= LONGEST or role == "call"):
                    src.pos += len(end)
                    return Tag(role, start, src.at, word, attributes, is_closed)
            src.back(inner)
        if literal in self.markers.anywhere:
            src.back(start)
            src.pos += len(literal)
            return Tag("marker", start, src.at)
        return Tag("", start, src.at)

    def _may_be_cut(self, word: str, sign: str, attributes: Mapping[str, str]) -> bool:
        """The reply ends within a tag: may it be one of the form?"""
        if not attributes:
            return (self.are_keys and not sign) or any(known.startswith(sign + word) for known in self._roles)
        role = self._role(word, sign)
        name = next((attributes[key] for key in NAMED if key in attributes), None)
        return role != "" if role != "call" or name is None else self.may_be_name(name)

    def may_be_name(self, text: str) -> bool:
        return self.tools.name(text) is not None or any(name.startswith(text) for name in self.tools)

    def next(self) -> Wait[Tag | None]:
        """The next tag or marker, gone over; None at the end of the reply."""
        while True:
            yield from self.src.over(self._text)
            if (yield from self.src.find(self._candidates)) is None:
                return None
            tag = yield from self.here()
            if tag.role:
                return tag

    def beyond(self, within: re.Pattern[str] = WITHIN) -> Wait[Tag]:
        """The same as `here`, after white space."""
        yield from self.layout()
        return (yield from self.here(within))

    def layout(self) -> Wait[str]:
        """Go over white space, and line breaks that were escaped; the character after them."""
        start = self.src.at
        char = yield from scan.over_breaks(self.src)
        if not self.breaks and self.src.at > start:
            self.breaks = "\\" in self.src.since(start)
        return char
