"""A column of text that comes in pieces, wrapped between words. Law: every word comes out, in its order.

The last word waits for its end, as it may have to go on the next line. White space at the end of a line is let go.
"""

import re
from collections.abc import Callable

from rich.cells import cell_len

Put = Callable[[str, str], None]

_PIECE = re.compile(r"\n|[ \t]+|[^ \t\n]+")
_LONGEST_WAIT = 24


class Column:
    """Text of at most `width` cells in a line; `put` is told each piece, and its style. `place`: cells in this line."""

    def __init__(self, width: int, put: Put) -> None:
        self.place = 0
        self._width = width
        self._put = put
        self._gap = ""
        self._word = ""
        self._style = ""

    def add(self, text: str, style: str = "") -> None:
        """More text."""
        if style != self._style:
            self.settle()
            self._style = style
        for piece in _PIECE.findall(text):
            if piece == "\n":
                self.settle()
                self._break()
            elif piece[0] in " \t":
                self.settle()
                self._gap += piece.expandtabs(4)
            else:
                self._word += piece
                # Some scripts have no gaps: what grows too long is no word.
                if len(self._word) > _LONGEST_WAIT:
                    self.settle()

    def settle(self) -> None:
        """Put down the word that waits."""
        if not self._word:
            return
        size = cell_len(self._word)
        if self.place and self._gap and self.place + len(self._gap) + size > self._width:
            self._break()
        self._put(self._gap + self._word, self._style)
        self.place += len(self._gap) + size
        self._gap = self._word = ""

    def end(self) -> None:
        """Put down what waits, and go to the beginning of a line."""
        self.settle()
        if self.place:
            self._break()
        self._gap = ""

    def _break(self) -> None:
        self._put("\n", "")
        self.place = 0
        self._gap = ""
