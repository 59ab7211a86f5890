"""A block that begins here: which shape it has, and where it ends. Law: of what is no block only the opener is gone over,
and what was looked ahead over in vain is not looked ahead over again.
"""

import re

from opposable.wire.ends import is_last
from opposable.wire.mend import match_end
from opposable.wire.offered import Offered
from opposable.wire.scan import SPACE
from opposable.wire.shapes import Head, Table
from opposable.wire.shapes.frames import BEGIN_TOKENS, Frame
from opposable.wire.shapes.shape import Shape
from opposable.wire.source import Literals, Source, Wait
from opposable.wire.steps import Block
from opposable.wire.told import Told

FENCE = "```"
"""What opens and closes a code fence."""
_STRAY = re.compile(r"[\s}\]]+")
_PREFACE = 256
"""How many characters of text may stand between an opener and its body."""
_STRAY_IN_LINE = re.compile(r"[ \t}\],]+")
_MORE = re.compile(r"[{}]|[\"'”]\s{0,99}:|\b\w{1,64}\s{0,9}=\s{0,9}[\"'\[({\w]")
"""In what follows a value in its block: it goes on, having been closed too early, or another follows. Not cut off."""
_REST = re.compile(r"[\"']|.+?[\"']\s{0,99}[)}\]]", re.DOTALL)
"""A quote, or something that goes on to a quote before a closing bracket."""
_QUOTE = re.compile("[\"']")
_TICKS = re.compile(r"`+")
_LABEL = re.compile(r"[\w+-]+")
_FENCE = Literals([FENCE])
_KEY = re.compile(r"\w+")
_KEY_END = Literals(['":', '" :'])
_LONGEST_KEY = 64


class Blocks:
    """Finds the shape and the end of the block that an opener begins."""

    def __init__(self, src: Source, table: Table, tools: Offered, told: Told) -> None:
        self._src = src
        self._table = table
        self._tools = tools
        self._loose = 0
        self._told = told
        self._opened = 0

    def read(self, opener: str, frame: Frame | None) -> Wait[tuple[Shape, Block] | None]:
        """Go over the block that this opener begins, which stands here. None: it is none, and only the opener was gone over.

        `frame`: what it stands in.
        """
        src = self._src
        start = src.at
        src.pos += len(opener)
        near, beside = (yield from src.char()), src.at
        far, behind = (yield from src.skip(SPACE)), src.at
        furthest = start
        for head in self._heads(opener):
            self._opened = start if head.is_body else behind if head.spaced else beside
            if head.goes_on(opener[0] if head.is_body else far if head.spaced else near):
                src.back(start)
                row = head.shape
                block = self._begun(row, start, frame)
                is_one = (yield from self._over_opener(head, block)) and (yield from self._steps(row, block)) != "no"
                self._loose = max(self._loose, block.seen)
                if is_one:
                    shape = yield from self._closing(row, block)
                    return None if shape is None else (shape, block)
                furthest = max(furthest, src.at)
            furthest = max(furthest, self._opened)
        found = yield from self._past_prose(opener, start, frame)
        if found is None:
            self._loose = max(self._loose, furthest)
            src.go(max(self._opened, start + len(opener)))
        return found

    def _past_prose(self, opener: str, start: int, frame: Frame | None) -> Wait[tuple[Shape, Block] | None]:
        """Words stand after the opener: JSON after them is its body where the closer follows. Goes back if there is none."""
        src = self._src
        heads = self._heads(opener)
        row = next((head.shape for head in heads if head.shape.is_prefaced and opener in head.shape.marks), None)
        if row is None:
            return None
        block = self._begun(row, start, frame)
        src.back(start + len(opener))
        if (yield from src.find(self._table.prefaced(row), _PREFACE)) == "{":
            yield from row.body.scan(src, block)
        end = src.at
        yield from src.skip(SPACE)
        if block.whole and (yield from src.look(self._table.own(row))) is not None:
            block.mends.append("text_before")
            yield from self._over_closers(row, block)
            return row, block
        self._loose = max(self._loose, end)
        src.back(start)
        return None

    def _begun(self, row: Shape, start: int, frame: Frame | None) -> Block:
        markers, ends = self._table.markers(row, frame)
        return Block(start, self._tools, self._table.closers(row), markers, ends, loose=start < self._loose)

    def in_fence(self, frame: Frame | None) -> Wait[tuple[Shape, Block] | None]:
        """Go over a code fence that holds a tagged block, and nothing else but white space: its lines belong to the block.

        Where it holds more, the block alone is found, and the fence is text. None: no tagged block stands at its beginning.
        """
        src = self._src
        start = src.at
        yield from src.skip(_TICKS)
        yield from src.skip(_LABEL)
        yield from src.skip(SPACE)
        opener = yield from src.look(self._table.called)
        found = (yield from self.read(opener, frame)) if opener is not None else None
        if found is not None:
            end = src.at
            yield from src.skip(SPACE)
            if (yield from src.look(_FENCE)) is None:
                src.back(end)
            else:
                yield from src.skip(_TICKS)
                found[1].start = start
        return found

    def counts(self, opener: str) -> bool:
        """May a block begin with this opener here?"""
        return bool(self._heads(opener))

    def _heads(self, opener: str) -> tuple[Head, ...]:
        return self._table.heads(opener) if self._told.alone else self._table.later(opener)

    def _over_opener(self, head: Head, block: Block) -> Wait[bool]:
        """Go over the opener, doubled openers, and white space after them. May the shape go on here?"""
        src = self._src
        src.go(self._opened)
        if head.is_body:
            block.mends += ["missing_opener"] if head.shape.marks and head.shape.is_closed else []
        elif head.name is not None:
            block.parts["name"] = block.start + head.name[0], block.start + head.name[1]
        while head.again is not None and (token := (yield from src.look(head.again))) is not None:
            src.pos += len(token)
            if token not in BEGIN_TOKENS and "doubled_marker" not in block.mends:
                block.mends.append("doubled_marker")
            after = yield from (src.skip(SPACE) if head.spaced else src.char())
            self._opened = src.at
            if not head.goes_on(after):
                return False
        return head.first.may_begin((yield from src.char()))

    def _steps(self, row: Shape, block: Block) -> Wait[str]:
        for step in row.inner:
            state = yield from step.scan(self._src, block)
            if state != "on":
                return state
        return "on"

    def _closing(self, shape: Shape, block: Block) -> Wait[Shape | None]:
        """Find where the block ends, and say what shape it really has; None: it is text."""
        src = self._src
        if shape.place in ("end", "whole"):
            return (yield from self._closing_bare(shape, block))
        closing = self._table.closers(shape)
        if not block.whole:
            body = self._end_in_string(shape, block)
            if (yield from src.look(closing)) is not None:
                yield from self._over_closers(shape, block)
            elif body is not None and shape.marks and shape.body.is_prose(body):
                src.back(block.parts["body"][0])
                return None
            else:
                block.last = yield from is_last(src)
            return shape
        if not shape.closers:
            yield from self._over_more(block)
            yield from self._over_section_closer(shape, block)
            return shape
        end = src.at
        char = yield from src.skip(_STRAY)
        if (yield from src.look(closing)) is None and char:
            found = yield from src.find(block.markers)
            if found not in closing.anywhere:
                src.back(end)
                char = yield from src.skip(_STRAY)
        if (yield from src.look(closing)) is None:
            src.back(end)
            yield from self._over_stray(block)
            yield from self._over_more(block)
            block.parts["closer"] = (src.at, src.at)
            block.mends += ["missing_marker"] if shape.is_closed else []
        else:
            after = src.since(end)
            if _MORE.search(after, match_end(_STRAY, after, 0)) or self._is_rest(block):
                block.parts["body"] = (block.parts["body"][0], src.at)
            elif after.strip():
                block.mends.append("text_after")
            yield from self._over_closers(shape, block)
        return shape

    def _closing_bare(self, shape: Shape, block: Block) -> Wait[Shape | None]:
        """A bare call counts where only white space and end tokens follow it, or the closing tag whose opener is missing."""
        src = self._src
        end = src.at
        yield from src.skip(SPACE)
        if (yield from src.look(self._table.closers(shape))) is not None:
            yield from self._over_closers(shape, block)
            return shape if (yield from is_last(src)) else None
        if not block.whole:
            src.back(end)
            block.last = yield from is_last(src)
            return shape if block.last else None
        unopened = self._table.unopened(shape)
        found = yield from src.look(unopened)
        if found is not None:
            tagged = self._table.closed_by(shape, found)
            block.mends.append("missing_opener")
            yield from self._over_closers(tagged, block)
            return tagged
        src.back(end)
        yield from self._over_stray(block)
        return shape if (yield from is_last(src)) else None

    def _over_section_closer(self, shape: Shape, block: Block) -> Wait[None]:
        """The closer of a section that nothing opened belongs to the block, where only white space stands before it."""
        src = self._src
        yield from self._over_stray(block)
        end = src.at
        block.parts["closer"] = (end, end)
        yield from src.skip(SPACE)
        if self._told.section is None and (yield from src.look(self._table.closers(shape))) is not None:
            yield from self._over_closers(shape, block)
        else:
            src.back(end)

    def _over_stray(self, block: Block) -> Wait[None]:
        """Go over brackets that close nothing, where nothing else follows."""
        src = self._src
        end = src.at
        yield from src.skip(_STRAY)
        if src.since(end).strip() and (yield from is_last(src)):
            block.mends.append("text_after")
        else:
            src.back(end)

    def _over_more(self, block: Block) -> Wait[None]:
        """Go over what stands right after the value and says that it was closed too early: a key, or the rest of a string."""
        src = self._src
        end = src.at
        if end == block.parts["body"][1] and not (yield from src.char()).isspace():
            yield from src.find(block.markers.or_break)
            if self._is_rest(block):
                block.parts["body"] = (block.parts["body"][0], src.at)
                return
            src.back(end)
        if src.since(block.parts["body"][0]).rstrip().endswith(("}", "]")):
            char = yield from src.skip(_STRAY_IN_LINE)
            key = src.at
            yield from src.skip(_KEY, key + _LONGEST_KEY)
            if char in ('"', "'") or (src.at > key and (yield from src.look(_KEY_END)) is not None):
                src.pos += 1
                block.parts["body"] = (block.parts["body"][0], src.at)
                return
        src.back(end)

    def _is_rest(self, block: Block) -> bool:
        """May what was gone over right behind the value be the rest of a string in it, and of the value?

        It may where it begins with a quote, or a quote in it stands before a bracket, and more brackets close than open.
        """
        start, end = block.parts["body"]
        text = self._src.since(start)
        body, after = text[: end - start], text[end - start :]
        found = _REST.match(after)
        if found is None or _QUOTE.search(body) is None:
            return False
        return found.end() == 1 or sum(map(after.count, ")}]")) > sum(map(after.count, "({["))

    def _over_closers(self, shape: Shape, block: Block) -> Wait[None]:
        """Go over a closer that stands here, and over those that follow it across white space only.

        The closer of the section stands for one that is missing. It belongs to the block if nothing opened the section.
        """
        src = self._src
        own = self._table.own(shape)
        closing = self._table.closers(shape)
        section = self._told.section.section.closers if self._told.section is not None else ()
        end = src.at
        seen: list[str] = []
        while (literal := (yield from src.look(closing))) is not None and literal not in section:
            src.pos += len(literal)
            end = src.at
            seen.append(literal)
            if shape.place == "line":
                break
            yield from src.skip(SPACE)
        src.back(end)
        closers = [literal for literal in seen if literal in own.anywhere]
        block.parts["closer"] = (end - len(seen[-1]) if seen else end, end)
        block.mends += ["missing_marker"] if not closers and shape.is_closed else []
        block.mends += ["doubled_marker"] if len(closers) > 1 else []

    def _end_in_string(self, shape: Shape, block: Block) -> str | None:
        """Where a value is broken, what ends a block counts within its strings too: end it there. The body, if any."""
        src = self._src
        if "body" not in block.parts:
            return None
        start = block.parts["body"][0]
        body = src.since(start)
        found = shape.body.broken_at(body, block.ends)
        if found is not None:
            # Up to here no string is trusted again: each block would look at it once more.
            self._loose = src.at
            src.back(start + found)
            block.parts["body"] = (start, src.at)
        return body
