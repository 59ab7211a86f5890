"""Calls written line by line: `TOOL_NAME:` with `BEGIN_ARG:`, and ReAct's `Action:`. Law: a line that ends a value ends it
only where what follows could follow it.
"""

import re
from dataclasses import dataclass

from opposable.wire import scan
from opposable.wire.bodies.json import Arguments
from opposable.wire.calls import Draft, NoCall, Parameter
from opposable.wire.mend import Malformed
from opposable.wire.offered import Offered
from opposable.wire.source import Literals, Source, Wait
from opposable.wire.steps import Block, Found, Must, Name, ReadBody

_LINE = re.compile(r"[^\n]+")
_BLANKS = re.compile(r"[ \t]+")
_TICKS = re.compile(r"`+")
_TOOL = re.compile(r"[ \t]*tool_name:[ \t]*(.*)", re.IGNORECASE)
_BEGIN = re.compile(r"[ \t]*begin_arg:[ \t]*(.*)", re.IGNORECASE)
_END = re.compile(r"[ \t]*end_arg:?[ \t\r]*(?=<|$)", re.IGNORECASE)
_INPUT = Literals(["Action Input:", "Action input:", "action input:", "ActionInput:", "Action_Input:"])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FenceLabel(Must):
    """What a fence says of itself, where there is a fence."""

    def may_begin(self, char: str) -> bool:
        return True

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        return "on" if src.at == block.start else (yield from Must.scan(self, src, block))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Lines(ReadBody):
    """`TOOL_NAME: f`, then for each argument `BEGIN_ARG: key`, lines of its value, `END_ARG`; then the fence that closes."""

    openers: tuple[str, ...] = ("TOOL_NAME:", "tool_name:", "Tool_name:", "Tool_Name:")

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        start = end = src.at
        fenced = start > block.start
        in_value = after_value = False
        while (yield from src.skip(scan.SPACE)):
            begin = src.at
            yield from src.skip(_LINE)
            line = src.since(begin)
            if in_value:
                closing = _END.match(line)
                if closing is not None:
                    in_value, after_value = False, True
                    end = begin + closing.end()
                    src.back(end)
            elif _TOOL.match(line) or _BEGIN.match(line):
                in_value, after_value = _BEGIN.match(line) is not None, False
                end = src.at
            elif end == start:
                return "no"
            else:
                src.back(begin)
                if fenced and line.startswith("```"):
                    yield from src.skip(_TICKS)
                    block.parts["closer"] = (begin, src.at)
                    block.whole = True
                    break
                if not fenced or (yield from src.look(block.markers)) is not None:
                    block.whole = not fenced
                    break
                if not after_value:
                    yield from src.find(block.markers)
                    end = src.at
                in_value = after_value  # then the line before was data
        if "closer" not in block.parts and not in_value:
            src.back(end)
        if not fenced and _is_bare_name(src.since(start), block.tools):
            return "no"
        block.mends += [] if fenced else ["missing_opener"]
        block.mends += ["missing_marker"] if fenced and "closer" not in block.parts else []
        block.parts["body"] = (start, src.at if in_value else end)
        return "on"

    def is_prose(self, body: str) -> bool:
        return False

    def names_a_call(self, raw: str) -> bool:
        return True

    def read(self, body: str, name: str, tools: Offered, *, ended: bool) -> list[Draft]:
        found: list[Draft] = []
        lines = body.split("\n")
        at = 0
        while at < len(lines):
            line = lines[at].rstrip()
            line_break = "\r" if lines[at].endswith("\r") else ""
            at += 1
            if (tool := _TOOL.fullmatch(line)) is not None:
                found.append(Draft(tool.group(1), {}, texts=[]))
            elif (begin := _BEGIN.fullmatch(line)) is not None and found and found[-1].texts is not None:
                end = _end_of_value(lines, at)
                value = "\n".join(lines[at:end]).removesuffix(line_break)
                found[-1].texts.append(Parameter(begin.group(1), value, "json"))
                at = end + 1
            elif line:
                raise Malformed("no line of a call")
        if not found:
            raise NoCall("no name of a tool")
        return found


def _is_bare_name(body: str, tools: Offered) -> bool:
    """Is this the name alone of a tool that takes arguments?"""
    return _BEGIN.search(body) is None and tools.takes_any(body.partition(":")[2])


def _end_of_value(lines: list[str], at: int) -> int:
    """Which line ends the value that begins at this one."""
    end = None
    while at < len(lines):
        line = lines[at]
        if end is not None and (_BEGIN.match(line) or _TOOL.match(line)):
            return end
        if _END.match(line):
            end = at
        elif line.strip():
            end = None
        at += 1
    if end is None:
        raise Malformed("a value without an end")
    return end


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NameLine(Name):
    """The tool's name as the rest of a line."""

    def may_begin(self, char: str) -> bool:
        return char != "\n"

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        yield from src.skip(_BLANKS)
        start = src.at
        yield from src.skip(_LINE)
        block.parts["name"] = (start, src.at)
        return "on" if 0 < src.at - start <= self.longest else "no"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ActionInput(Arguments):
    """ReAct's input: JSON after `Action Input:`, which may be missing where the tool takes nothing."""

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        end = src.at
        written = src.since(block.parts["name"][0])
        yield from src.skip(scan.SPACE)
        marker = yield from src.look(_INPUT)
        if marker is not None:
            src.pos += len(marker)
            yield from src.skip(scan.SPACE)
            return (yield from Arguments.scan(self, src, block))
        src.back(end)
        block.whole = block.tools.name(written) is not None and not block.tools.takes_any(written)
        block.parts["body"] = (end, end)
        return "on" if block.whole else "no"

    def is_prose(self, body: str) -> bool:
        return False

    def names_a_call(self, raw: str) -> bool:
        return _INPUT.search(raw, 0) is not None
