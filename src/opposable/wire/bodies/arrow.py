"""Calls with arrows: `{tool => "name", args => { --key "text" }}`. Law: an arrow or two hyphens make a key, nothing else."""

import re
from dataclasses import dataclass
from typing import Any

from opposable.wire import scan
from opposable.wire.calls import Draft, drafts
from opposable.wire.dialects import ARROW
from opposable.wire.mend import Malformed, Reader
from opposable.wire.offered import Offered
from opposable.wire.source import Source, Wait
from opposable.wire.steps import Block, Found, ReadBody

_FLAG = re.compile(r"--(\w[\w-]*)")


class _Arrow(Reader):
    """Reads objects with arrows."""

    def object(self, depth: int, closer: str = "}") -> Any:
        """The object whose opening bracket stands here."""
        self.pos += 1
        result: dict[str, Any] = {}
        while not self.closes(closer, is_first=not result):
            flag = _FLAG.match(self.text, self.pos)
            if flag is not None:
                key = flag.group(1)
                self.pos = flag.end()
            else:
                key = self.key()
                if self.text[self.space() : self.pos + 2] != "=>":
                    raise Malformed("a key without an arrow")
                self.pos += 2
            self.put(result, key, self.value(depth))
        return result


@dataclass(frozen=True, slots=True)
class Arrows(ReadBody):
    """One call with arrows."""

    def may_begin(self, char: str) -> bool:
        return char == "{"

    def scan(self, src: Source, block: Block) -> Wait[Found]:
        start = src.at
        found = yield from (scan.broken(src, block.markers) if block.loose else scan.term(src, block.markers, ARROW))
        block.whole = found == "whole"
        block.parts["body"] = (start, src.at)
        return "on" if found in ("whole", "marker") else "cut"

    def read(self, body: str, name: str, tools: Offered, *, ended: bool) -> list[Draft]:
        reader = _Arrow(body, ARROW, ended=ended)
        with reader.saying_where():
            found = drafts([reader.value(0)])
            if reader.peek():
                raise Malformed("text after the call")
        found[0].mends += dict.fromkeys(reader.mends)
        return found
