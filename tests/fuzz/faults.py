"""What goes wrong in a text: characters, tokens and spans lost, doubled, moved, put in. Law: text in, text out."""

import re

from tests.fuzz.dice import Dice
from tests.fuzz.words import MARKERS, PIECES

_TOKEN = re.compile(r"\w+|\s+|<[^<>\s]{0,40}>?|.", re.DOTALL)
_MARK = re.compile(r"""[{}\[\]()"':,<>=|\n/`]""")
MARKS = tuple("{}[]()\"':,<>=|\n/`")
WORDS: tuple[str, ...] = (*MARKERS, *MARKERS, *PIECES)


def fault(dice: Dice, text: str) -> str:
    """The text with one fault anywhere."""
    kind = dice.below(12)
    at = dice.below(len(text) + 1)
    if kind < 3:
        return text[:at] + dice.one(WORDS) + text[at:]
    if kind < 5:
        end = at + 1 + dice.few(20)
        return text[:at] + text[end:]
    if kind < 7:
        end = at + 1 + dice.few(30)
        return text[:end] + text[at:end] * (1 + dice.few(3)) + text[end:]
    if kind < 8:
        return text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :]
    if kind < 9:
        return text[:at] if dice.chance(0.7) else text[at:]
    if kind < 10:
        old, new = dice.one(
            (('"', "'"), ('"', '\\"'), ("\n", "\\n"), ("\\", ""), ("<", "</"), (": ", ":"), ("\n", "\r\n"), ('"', "”"))
        )
        return text.replace(old, new, 1 + dice.few(40))
    tokens = [found[0] for found in _TOKEN.finditer(text)]
    one, other = dice.below(len(tokens)), dice.below(len(tokens))
    if not tokens:
        return text
    if kind < 11:
        tokens[one], tokens[other] = tokens[other], tokens[one]
    else:
        tokens[one] = tokens[other]
    return "".join(tokens)


def splice(dice: Dice, text: str, other: str) -> str:
    """The beginning of one text and the end of the other, mostly put together at marks."""
    return text[: place(dice, text)] + other[place(dice, other) :]


def place(dice: Dice, text: str) -> int:
    """A place in the text, mostly right before a mark or after it."""
    at = dice.below(len(text) + 1)
    found = _MARK.search(text, at) if dice.chance(0.8) else None
    return found.start() + dice.below(2) if found else at


def slip(dice: Dice, text: str) -> str:
    """The text with one fault in its marks: one lost, doubled, exchanged with its neighbour, in place of another, put in.

    None is put in beside a word: that would be the word's fault.
    """
    marks = [found.start() for found in _MARK.finditer(text)]
    if not marks:
        return text
    at, kind = dice.one(marks), dice.below(5)
    if kind == 4 and text[at - 1 : at].isalnum():
        kind = 0
    if kind == 0:
        return text[:at] + text[at + 1 :]
    if kind == 1:
        return text[:at] + text[at] + text[at:]
    if kind == 2:
        return text[:at] + text[at + 1 : at + 2] + text[at] + text[at + 2 :]
    return text[:at] + dice.one(MARKS) + text[at + (kind == 3) :]
