"""A small reader of GBNF: is a grammar sound, does it derive this text, what else does it derive. Law: it knows no JSON.

A rule is a tree of these: a literal (str), `Chars`, `Named`, `Both` (one after the other), `Either`, `Times`.
"""

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Chars:
    """One character of these ranges, or of none of them."""

    ranges: tuple[tuple[str, str], ...]
    none: bool

    def holds(self, char: str) -> bool:
        return any(first <= char <= last for first, last in self.ranges) != self.none


@dataclass(frozen=True)
class Named:
    name: str


@dataclass(frozen=True)
class Both:
    parts: tuple["Node", ...]


@dataclass(frozen=True)
class Either:
    parts: tuple["Node", ...]


@dataclass(frozen=True)
class Times:
    part: "Node"
    least: int
    most: int | None


Node: TypeAlias = str | Chars | Named | Both | Either | Times

_TOKEN = re.compile(
    r"""\s*(?:(?P<literal>"(?:[^"\\]|\\.)*")|(?P<chars>\[(?:[^\]\\]|\\.)*\])|(?P<name>[A-Za-z][A-Za-z0-9-]*)"""
    r"""|(?P<times>[?*+]|\{\d+,\d*\})|(?P<sign>[()|]))""",
    re.DOTALL,
)
_CHAR = re.compile(r"\\x([0-9a-fA-F]{2})|\\(.)|(.)", re.DOTALL)
_SHORT = {"n": "\n", "r": "\r", "t": "\t"}
_SAMPLES = [*"abcXYZ 0159\"'\\/{}[]:,.<>|#-_", "é", "ß", "漢", "🙂", "\u2028", "\u00a0"]


class Grammar:
    """A grammar, read. Errors: ValueError, where it cannot be."""

    def __init__(self, text: str) -> None:
        self.rules: dict[str, Node] = {}
        for line in text.split("\n"):
            name, arrow, body = line.partition(" ::= ")
            if not arrow or name in self.rules or not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", name):
                raise ValueError(f"no rule, or twice: {line!r}")
            self.rules[name] = _Reader(body).whole()
        undefined = {name for node in self.rules.values() for name in _names(node)} - self.rules.keys()
        if undefined or "root" not in self.rules:
            raise ValueError(f"not defined: {undefined or 'root'}")
        self._heights = self._measured()

    def recursion(self) -> str | None:
        """A rule that may begin with itself."""
        empty: set[str] = set()
        while True:
            more = {name for name, node in self.rules.items() if self._may_be_empty(node, empty)}
            if more == empty:
                break
            empty = more
        begins = {name: set(self._first(node, empty)) for name, node in self.rules.items()}
        for name, found in begins.items():
            seen: set[str] = set()
            ahead = list(found)
            while ahead:
                here = ahead.pop()
                if here not in seen:
                    seen.add(here)
                    ahead += begins[here]
            if name in seen:
                return name
        return None

    def derives(self, text: str) -> bool:
        """May this text be written?"""
        return len(text) in self._ends(Named("root"), text, 0, {})

    def written(self, rng: random.Random, budget: int = 12) -> str:
        """Some text that may be written. `budget`: how deep it goes before it takes the shortest way out."""
        return "".join(self._write(Named("root"), rng, budget))

    def _may_be_empty(self, node: Node, empty: set[str]) -> bool:
        match node:
            case str():
                return not node
            case Chars():
                return False
            case Named(name):
                return name in empty
            case Both(parts):
                return all(self._may_be_empty(part, empty) for part in parts)
            case Either(parts):
                return any(self._may_be_empty(part, empty) for part in parts)
            case Times(part, least, _):
                return least == 0 or self._may_be_empty(part, empty)

    def _first(self, node: Node, empty: set[str]) -> Iterator[str]:
        match node:
            case Named(name):
                yield name
            case Times(part, _, _):
                yield from self._first(part, empty)
            case Either(parts):
                for part in parts:
                    yield from self._first(part, empty)
            case Both(parts):
                for part in parts:
                    yield from self._first(part, empty)
                    if not self._may_be_empty(part, empty):
                        break

    def _ends(self, node: Node, text: str, at: int, known: dict[tuple[str, int], set[int]]) -> set[int]:
        match node:
            case str():
                return {at + len(node)} if text.startswith(node, at) else set()
            case Chars():
                return {at + 1} if at < len(text) and node.holds(text[at]) else set()
            case Named(name):
                if (name, at) not in known:
                    known[name, at] = self._ends(self.rules[name], text, at, known)
                return known[name, at]
            case Either(parts):
                return {end for part in parts for end in self._ends(part, text, at, known)}
            case Both(parts):
                ends = {at}
                for part in parts:
                    ends = {end for start in ends for end in self._ends(part, text, start, known)}
                return ends
            case Times(part, least, most):
                found, ends, count = ({at} if least == 0 else set()), {at}, 0
                while ends and (most is None or count < most):
                    count += 1
                    ends = {end for start in ends for end in self._ends(part, text, start, known)} - found
                    if count >= least:
                        found |= ends
                return found

    def _measured(self) -> dict[str, int]:
        """How many names deep the shortest text of each rule is."""
        heights = dict.fromkeys(self.rules, 10**6)
        changed = True
        while changed:
            changed = False
            for name, node in self.rules.items():
                height = 1 + self._height(node, heights)
                if height < heights[name]:
                    heights[name], changed = height, True
        return heights

    def _height(self, node: Node, heights: dict[str, int]) -> int:
        match node:
            case Named(name):
                return heights[name]
            case Both(parts):
                return max((self._height(part, heights) for part in parts), default=0)
            case Either(parts):
                return min(self._height(part, heights) for part in parts)
            case Times(part, least, _):
                return self._height(part, heights) if least else 0
            case _:
                return 0

    def _write(self, node: Node, rng: random.Random, budget: int) -> Iterator[str]:
        match node:
            case str():
                yield node
            case Chars():
                yield rng.choice([char for char in _SAMPLES if node.holds(char)] or [node.ranges[0][0]])
            case Named(name):
                yield from self._write(self.rules[name], rng, budget - 1)
            case Both(parts):
                for part in parts:
                    yield from self._write(part, rng, budget)
            case Either(parts):
                least = min(self._height(part, self._heights) for part in parts)
                short = [part for part in parts if self._height(part, self._heights) == least]
                yield from self._write(rng.choice(parts if budget > 0 else short), rng, budget)
            case Times(part, least, most):
                count = (
                    least if budget <= 0 else rng.randint(least, min(least + 3, least + 3 if most is None else most))
                )
                for _ in range(count):
                    yield from self._write(part, rng, budget)


class _Reader:
    """Reads the body of one rule."""

    def __init__(self, body: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        at, body = 0, body.rstrip()
        while at < len(body):
            found = _TOKEN.match(body, at)
            if found is None:
                raise ValueError(f"cannot be read from here: {body[at : at + 40]!r}")
            kind = found.lastgroup or ""
            self.tokens.append((kind, found.group(kind)))
            at = found.end()
        self.at = 0

    def whole(self) -> Node:
        node = self.either()
        if self.at < len(self.tokens):
            raise ValueError(f"too much: {self.tokens[self.at :]}")
        return node

    def either(self) -> Node:
        parts = [self.both()]
        while self.peek() == ("sign", "|"):
            self.at += 1
            parts.append(self.both())
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def both(self) -> Node:
        parts: list[Node] = []
        while self.peek() not in (("sign", "|"), ("sign", ")"), ("", "")):
            kind, text = self.peek()
            self.at += 1
            node: Node
            if kind == "literal":
                node = "".join(_chars(text[1:-1]))
            elif kind == "chars":
                node = _set(text[1:-1])
            elif kind == "name":
                node = Named(text)
            elif text == "(":
                node = self.either()
                if self.peek() != ("sign", ")"):
                    raise ValueError("a bracket is not closed")
                self.at += 1
            else:
                raise ValueError(f"nothing comes before {text}")
            if self.peek()[0] == "times":
                node = _times(node, self.peek()[1])
                self.at += 1
            parts.append(node)
        if not parts:
            raise ValueError("an alternative is empty")
        return parts[0] if len(parts) == 1 else Both(tuple(parts))

    def peek(self) -> tuple[str, str]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("", "")


def _times(node: Node, sign: str) -> Times:
    if sign in "?*+":
        return Times(node, int(sign == "+"), 1 if sign == "?" else None)
    least, most = sign[1:-1].split(",")
    return Times(node, int(least), int(most) if most else None)


def _chars(text: str) -> Iterable[str]:
    for code, short, plain in _CHAR.findall(text):
        yield chr(int(code, 16)) if code else _SHORT.get(short, short) if short else plain


def _set(text: str) -> Chars:
    none = text.startswith("^")
    ranges: list[tuple[str, str]] = []
    pieces = [match.group() for match in _CHAR.finditer(text.removeprefix("^"))]
    at = 0
    while at < len(pieces):
        first = "".join(_chars(pieces[at]))
        is_range = pieces[at + 1 : at + 2] == ["-"] and at + 2 < len(pieces)
        ranges.append((first, "".join(_chars(pieces[at + 2])) if is_range else first))
        at += 3 if is_range else 1
    return Chars(tuple(ranges), none)


def _names(node: Node) -> Iterator[str]:
    match node:
        case Named(name):
            yield name
        case Both(parts) | Either(parts):
            for part in parts:
                yield from _names(part)
        case Times(part, _, _):
            yield from _names(part)
