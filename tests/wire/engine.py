"""What a regular expression looks at: an engine of the same kind as `re` has, which counts. Law: it finds what `re` finds.

The engine of `re` goes back where a choice led nowhere, and looks at what follows again; so does this one, step by step,
over the tree that `re` itself makes of a pattern. A search that begins anew at every place shows as what it is.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from re import _compiler as compiler  # type: ignore[attr-defined]
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, Literal

How = Literal["match", "fullmatch", "search"]
Span = tuple[int, int]


@dataclass(slots=True)
class Step:
    """One step of a program.

    `one`: a character that `test` knows. `run`: as many of them as there are, `low` to `high`; fewer, where that leads
    nowhere. `either`: here, or else at the step `other`. `jump`: at the step `other`. `at`: `test` is true of this place.
    `ahead`, `behind`: what `inner` matches stands after this place, or before it; or does not (`never`). `once`: what it
    matches first, and nothing else, where that leads nowhere. `no`: nowhere. `end`, `done`.
    """

    kind: Literal["one", "run", "either", "jump", "at", "ahead", "behind", "once", "no", "end", "done"]
    test: Any = None
    low: int = 0
    high: int = 0
    other: int = 0
    inner: Sequence["Step"] = ()
    never: bool = False


@dataclass(frozen=True, slots=True)
class Program:
    """The steps of a pattern, and what any match of it begins with, where that is a character."""

    steps: Sequence[Step]
    first: Callable[..., re.Match[str] | None] | None


@cache
def program(pattern: re.Pattern[str], *, full: bool = False) -> Program:
    """The steps of a pattern; `full`: of one that has to match up to the end."""
    tree = parser.parse(pattern.pattern, pattern.flags)
    steps: list[Step] = []
    firsts = _Maker(tree.state, pattern.flags, steps).add(tree)
    steps += [Step("end")] if full else []
    return Program([*steps, Step("done")], firsts)


@dataclass(slots=True)
class _Maker:
    """Makes the steps of a tree. Errors: NotImplementedError, for what none of our patterns has."""

    state: Any
    flags: int
    steps: list[Step]

    def add(self, tree: Iterable[tuple[Any, Any]]) -> Callable[..., re.Match[str] | None] | None:
        """Add the steps of these nodes; what searches for a character that they begin with, if they begin with one."""
        nodes = [*tree]
        for op, value in nodes:
            self._node(op, value)
        firsts = _firsts(nodes)
        return None if firsts is None else self._compiled((sre.BRANCH, (None, [[one] for one in firsts]))).search

    def _compiled(self, node: tuple[Any, Any]) -> re.Pattern[str]:
        def tree(value: Any) -> Any:
            if isinstance(value, list) and value and isinstance(value[0], tuple):
                return parser.SubPattern(self.state, value)
            return value

        op, value = node
        if op is sre.BRANCH:
            value = (None, [tree(one) for one in value[1]])
        found: re.Pattern[str] = compiler.compile(parser.SubPattern(self.state, [(op, value)]), self.flags)
        return found

    def _node(self, op: Any, value: Any) -> None:
        if op in _ONE:
            self.steps.append(Step("one", self._compiled((op, value)).match))
        elif op is sre.AT:
            self.steps.append(Step("at", self._compiled((op, value)).match))
        elif op is sre.SUBPATTERN:
            _, added, removed, inner = value
            _Maker(self.state, (self.flags | added) & ~removed, self.steps).add(inner)
        elif op is sre.BRANCH:
            self._branch(value[1])
        elif op in (sre.ASSERT, sre.ASSERT_NOT):
            way, inner = value
            kind: Literal["ahead", "behind"] = "ahead" if way > 0 else "behind"
            width = inner.getwidth()[0]
            self.steps.append(Step(kind, low=width, inner=self._alone(inner), never=op is sre.ASSERT_NOT))
        elif op is sre.ATOMIC_GROUP:
            self.steps.append(Step("once", inner=self._alone(value)))
        elif op is sre.POSSESSIVE_REPEAT:
            self.steps.append(Step("once", inner=self._alone([(sre.MAX_REPEAT, value)])))
        elif op in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            self._repeat(*value, is_lazy=op is sre.MIN_REPEAT)
        elif op is sre.FAILURE:
            self.steps.append(Step("no"))
        else:
            raise NotImplementedError(f"{op} in a pattern: teach it to tests/wire/engine.py")

    def _alone(self, tree: Iterable[tuple[Any, Any]]) -> list[Step]:
        steps: list[Step] = []
        _Maker(self.state, self.flags, steps).add(tree)
        return [*steps, Step("done")]

    def _branch(self, branches: Sequence[Any]) -> None:
        jumps: list[Step] = []
        for branch in branches:
            either = Step("either")
            self.steps.append(either)
            self.add(branch)
            jumps.append(Step("jump"))
            self.steps.append(jumps[-1])
            either.other = len(self.steps)
        self.steps.append(Step("no"))
        for jump in jumps:
            jump.other = len(self.steps)

    def _repeat(self, low: int, high: int, inner: Any, *, is_lazy: bool) -> None:
        is_endless = high is sre.MAXREPEAT
        if len(inner) == 1 and inner[0][0] in _ONE and not is_lazy:
            run = parser.SubPattern(self.state, [(sre.MAX_REPEAT, (0, high, inner))])
            test = compiler.compile(run, self.flags).match
            self.steps.append(Step("run", test, low, 1 << 60 if is_endless else int(high)))
            return
        if inner.getwidth()[0] == 0:
            raise NotImplementedError("what may be empty is repeated: teach it to tests/wire/engine.py")
        for _ in range(low):
            self.add(inner)
        exits: list[Step] = []
        begin = len(self.steps)
        for _ in range(1 if is_endless else int(high) - low):
            exits.append(self._choice(is_lazy))
            self.add(inner)
        if is_endless:
            self.steps.append(Step("jump", other=begin))
        for step in exits:
            step.other = len(self.steps)

    def _choice(self, is_lazy: bool) -> Step:
        """A choice between going on here and leaving; the step that is told where to leave to."""
        either = Step("either")
        self.steps.append(either)
        if not is_lazy:
            return either
        either.other = len(self.steps) + 1
        leave = Step("jump")
        self.steps.append(leave)
        return leave


_ONE = (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN)


def _firsts(nodes: Sequence[tuple[Any, Any]]) -> list[tuple[Any, Any]] | None:
    """What the nodes begin with, where each way through them begins with a character."""
    if not nodes:
        return None
    op, value = nodes[0]
    if op in _ONE:
        return [nodes[0]]
    if op is sre.SUBPATTERN and not value[1] and not value[2]:
        return _firsts([*value[3]])
    if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT) and value[0] > 0:
        return _firsts([*value[2]])
    if op is sre.BRANCH:
        found = [_firsts([*branch]) for branch in value[1]]
        return None if None in found else [one for some in found for one in some or ()]
    return None


def looked(pattern: re.Pattern[str], how: How, text: str, pos: int, end: int) -> tuple[Span | None, int]:
    """What the pattern matches in `text[pos:end]`, and how many characters the engine looks at for that."""
    if pos > end:
        return None, 0
    made = program(pattern, full=how == "fullmatch")
    if how != "search":
        found, looks = _run(made.steps, text, pos, end)
        return (None if found is None else (pos, found)), looks
    looks = 0
    while pos <= end:
        if made.first is not None:
            candidate = made.first(text, pos, end)
            looks += (end if candidate is None else candidate.start()) - pos
            if candidate is None:
                break
            pos = candidate.start()
        found, more = _run(made.steps, text, pos, end)
        looks += more
        if found is not None:
            return (pos, found), looks
        pos += 1
    return None, looks


def _run(steps: Sequence[Step], text: str, pos: int, end: int) -> tuple[int | None, int]:
    """Where a match that begins here ends, and how many characters were looked at."""
    looks = place = 0
    back: list[tuple[int, int, int]] = []  # a step to go on at, a place for it, and the least of such places
    while True:
        step = steps[place]
        match step.kind:
            case "one":
                looks += 1
                is_on = pos < end and step.test(text, pos, end) is not None
                pos += 1
            case "run":
                found = min(step.test(text, pos, end).end() - pos, step.high)
                looks += min(found + 1, step.high, end - pos)
                is_on = found >= step.low
                if found > step.low:
                    back.append((place + 1, pos + found - 1, pos + step.low))
                pos += found
            case "either":
                back.append((step.other, pos, pos))
                is_on = True
            case "jump":
                place = step.other - 1
                is_on = True
            case "at":
                looks += 1
                is_on = step.test(text, pos, end) is not None
            case "ahead" | "behind" | "once":
                held, more = _inner(step, text, pos, end)
                looks += more
                is_on = held is not None
                pos = pos if held is None else held
            case "no" | "end":
                is_on = step.kind == "end" and pos == end
            case "done":
                return pos, looks
        place += 1
        if not is_on:
            if not back:
                return None, looks
            place, pos, least = back.pop()
            if pos > least:
                back.append((place, pos - 1, least))


def _inner(step: Step, text: str, pos: int, end: int) -> tuple[int | None, int]:
    """Where to go on after what the step holds, and how many characters were looked at for it."""
    if step.kind == "once":
        return _run(step.inner, text, pos, end)
    begin, end = (pos, end) if step.kind == "ahead" else (pos - step.low, pos)
    held, looks = _run(step.inner, text, begin, end) if begin >= 0 else (None, 0)
    return (pos if (held is None) == step.never else None), looks
