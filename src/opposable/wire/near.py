"""What looks like a call and stayed text, and why. Law: said is only what holds of the text as it stands; else nothing.

Looked at are markers, known or not, names of tools where a call would have them, and the first few values of JSON.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from opposable.wire.bodies.python import BarePython
from opposable.wire.calls import NAME_KEYS, NoCall, drafts, is_call_key
from opposable.wire.mend import Malformed, excerpt
from opposable.wire.offered import Offered
from opposable.wire.shapes import SHAPES, table
from opposable.wire.shapes.frames import END_TOKENS, FAKE_RESULTS, REASONING, REASONING_CLOSERS
from opposable.wire.source import Literals
from opposable.wire.steps import NAME

_MOST = 20
_WORDS = r"[\w:.▁-]{0,40}"
_MARKER = re.compile(
    rf"</?[|｜]?{_WORDS}(?:tool|call|func|invoke|action){_WORDS}(?:[|｜]?>|[ =][^<>\n]{{0,80}}>)"
    rf"|</?[|｜]{_WORDS}[|｜]>"
    rf"|&lt;/?[|｜]?{_WORDS}(?:tool|call|func|invoke|action){_WORDS}[|｜]?&gt;"
    r"|\[/?[A-Z_ ]{0,20}(?:TOOL|CALL|FUNC)[A-Z_ ]{0,20}\]",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?<![\w.-])(?P<before>[\w.-]{1,64}+)(?=\(|\||[ \t]{0,9}\{)"
    r"|[:=][ \t*`]{0,9}+(?P<behind>[\w.-]{1,64}+)(?=[ \t*`]{0,9}+$)",
    re.MULTILINE,
)
"""A word that may name a tool: before what may be arguments, or as all that stands behind a colon in its line."""
_UNNAMED = re.compile(r"\s*+(?!\)|\Z|[{*]|[\w.]{1,64}\s*=)")
_JSON = re.compile(
    r"^[ \t]*(?P<fence>```[\w+-]{0,20}[ \t]*\n[ \t]*)?(?=[{\[])"
    rf"|(?<=[^>\]\s])[ \t]*(?P<within>)(?=\{{\s*\"(?:{'|'.join(NAME_KEYS)})\"\s*:)",
    re.MULTILINE,
)
_DECODER = json.JSONDecoder()

PLACES = {
    "frame": "in a message to a tool",
    "line": "at the beginning of a line",
    "end": "at the end of the reply, from the beginning of a line on",
    "whole": "as the whole reply",
}
"""Where calls of a shape count, if not anywhere."""


class Near:
    """Says of text why it is no call to one of these tools."""

    def __init__(self, tools: Offered) -> None:
        found = table(tuple(tools))
        self._tools = tools
        self._openers = {opener: [shape.name for shape in shapes] for opener, shapes in found.rows.items()}
        self._closers: dict[str, list[str]] = {}
        for shape in SHAPES:
            section = shape.section
            for opener in section.openers if section is not None else ():
                self._openers.setdefault(opener, []).append(shape.name)
            for closer in (*shape.closers, *(section.closers if section is not None else ())):
                if NAME not in closer and closer not in END_TOKENS and closer != "```":
                    self._closers.setdefault(closer, []).append(shape.name)
        for name in tools:
            lists = [shape.name for shape in found.rows["["] if isinstance(shape.body, BarePython)]
            self._openers[f"[{name}("] = lists
        self._places = {shape.name: PLACES.get(shape.place, "") for shape in SHAPES}
        marks = [text for text in (*found.tagged, *found.framed, *found.around) if not text.isalpha()]
        self._known = Literals(
            (*marks, *self._closers, *FAKE_RESULTS, *REASONING, *REASONING_CLOSERS, *END_TOKENS),
            [text for text in self._openers if text[-1] in "(:"],
        )

    def notes(self, text: str, start: int, *, follows: bool) -> list[str]:
        """What there is to say of this text, which begins at `start` of the reply. `follows`: more comes after it."""
        said = sorted([*self._markers(text), *self._names(text), *self._values(text, follows=follows)])
        more = [f"and {len(said) - _MOST} more that look like parts of calls"] if len(said) > _MOST else []
        return [f"at {start + place}: {note}" for place, note in said[:_MOST]] + more

    def _markers(self, text: str) -> Iterator[tuple[int, str]]:
        """The markers in a text, each once, and what there is to say of them."""
        first: dict[str, int] = {}
        times: Counter[str] = Counter()
        for place, marker in (*self._known_in(text), *self._unknown_in(text)):
            first.setdefault(marker, place)
            times[marker] += 1
        for marker, place in first.items():
            if marker.startswith("</") and f"<{marker[2:]}" in first and marker not in self._closers:
                continue
            again = f" ({times[marker]} times)" if times[marker] > 1 else ""
            unnamed = marker[-1] == "(" and _UNNAMED.match(text, place + len(marker)) is not None
            why = "; its first argument has no name, and none is guessed" if unnamed else ""
            yield place, f"{excerpt(marker)}{again} {self._of_marker(marker)}{why}"

    def _names(self, text: str) -> Iterator[tuple[int, str]]:
        """The names of tools in a text, each once, where a call would have them and no marker says so."""
        known = {place + len(marker) for place, marker in self._known_in(text)}
        said: set[str] = set()
        for found in _NAMED.finditer(text):
            word = found[found.lastgroup or 0]
            name = self._tools.name(word)
            if name is not None and name not in said and found.end() + 1 not in known:
                said.add(name)
                yield found.end() - len(word), f"{excerpt(word)} is the name of a tool, and no call was read here"

    def _known_in(self, text: str) -> Iterator[tuple[int, str]]:
        at, line = 0, f"\n{text}"
        while (found := self._known.search(line, at)) is not None:
            _, at, marker = found
            yield at - len(marker) - 1, marker

    def _unknown_in(self, text: str) -> Iterator[tuple[int, str]]:
        for found in _MARKER.finditer(text):
            if self._known.match(text, found.start()) is None:
                yield found.start(), found.group()

    def _of_marker(self, marker: str) -> str:
        if marker in self._openers:
            names = self._openers[marker]
            places = {self._places[name] for name in names}
            place = f", only {places.pop()}" if len(places) == 1 and "" not in places else ""
            return f"begins calls ({some(names)}{place}), and no call was read here"
        if marker in self._closers:
            return f"ends calls ({some(self._closers[marker])}), and closes none here"
        if marker in FAKE_RESULTS:
            return "begins a result: that is for the tool to say, not for the model"
        if marker in (*REASONING, *REASONING_CLOSERS):
            return "is a marker of reasoning, and counts as text here"
        if marker in END_TOKENS:
            return "ends a turn, and counts as text here"
        return "looks like a marker, and none that is known is written so"

    def _values(self, text: str, *, follows: bool) -> Iterator[tuple[int, str]]:
        """The first values of JSON that begin a line, or have a name within one, and why they are no calls."""
        at = 0
        for _ in range(_MOST):
            found = _JSON.search(text, at)
            if found is None:
                return
            at = found.end() + 1
            try:
                value, end = _DECODER.raw_decode(text, found.end())
            except (ValueError, RecursionError):
                continue
            at = end
            if found["within"] is not None:
                note = self._of_value_within(value)
            else:
                follows_it = follows or text[end:].strip() != ""
                note = self._of_value(value, follows=follows_it, fenced=found["fence"] is not None)
            if note:
                yield found.end(), f"JSON {note}"

    def _of_value_within(self, value: Any) -> str | None:
        try:
            name = drafts([value])[0].name
        except (NoCall, Malformed):
            return None
        if self._tools.name(name) is None:
            return None
        return f"shaped like a call to {excerpt(name)}; without a marker it counts only from the beginning of a line on"

    def _of_value(self, value: Any, *, follows: bool, fenced: bool) -> str | None:
        try:
            found = drafts([value])
        except NoCall as error:
            return None if isinstance(value, list) and not any(map(_is_object, value)) else f"that is no call: {error}"
        except Malformed as error:
            return f"that is no call: {error}"
        unknown = [draft.name for draft in found if self._tools.name(draft.name) is None]
        if unknown:
            return f"shaped like a call to {excerpt(unknown[0])}, and no tool of this name was offered"
        like = f"shaped like a call to {excerpt(found[0].name)}"
        others = [key for key in value if not is_call_key(key)] if isinstance(value, dict) else []
        if others:
            return f"{like}, with a key that no call without a marker has: {excerpt(others[0])}"
        if any(draft.arguments is None for draft in found):
            return f"{like}, without the key for arguments that a call without a marker needs"
        if follows and not fenced:
            return f"{like}; without a marker it counts only where nothing follows it, and something does"
        return f"{like}, and not read as one"


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def some(given: Iterable[str], most: int = 4) -> str:
    """The first of these names, each once, and how many more there are."""
    names = [*dict.fromkeys(given)]
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest
