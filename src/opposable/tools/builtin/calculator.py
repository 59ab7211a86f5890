"""A calculator for what models write. Law: nothing is guessed; what has two meanings is refused with both named.

A parser of its own, by binding powers, since `15% of 80`, `1,000` and `17 × 23 = 391` are no Python. Integers and
decimals are exact (`0.1 + 0.2` is `0.3`); floats come in with roots, logarithms and angles. All sizes are bounded
before anything is computed, so that no expression takes more than some milliseconds.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

from opposable.errors import TryAgain
from opposable.tools.builtin.arithmetic import (
    CONSTANTS,
    FUNCTIONS,
    MOST_DIGITS,
    OPERATORS,
    Number,
    checked,
    factorial,
    shown,
)

_LONGEST = 1_000
_DEEPEST = 50

_SIGNS = {"×⋅·∗✕✖": "*", "÷∕": "/", "−–—": "-", "²": "**2", "³": "**3", "π": "pi", "√": " sqrt ", "≈": "="}
_FULL_WIDTH = {0xFF01 + i: chr(0x21 + i) for i in range(94)}
_WRITTEN = _FULL_WIDTH | {ord(char): text for chars, text in _SIGNS.items() for char in chars}
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?(?![\d,]*\d)")
_NUMBER = re.compile(r"(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_TIMES = re.compile(r"[xX](?=[\s\d.(])")
_SIGN = re.compile(r"\*\*|//|[-+*/%^(),!]")
# What a small model copies from the question, word for word.
_SAID = {
    "plus": "+",
    "minus": "-",
    "times": "*",
    "multiplied by": "*",
    "divided by": "/",
    "percent": "%",
    "to the power of": "**",
    "the square root of": " sqrt ",
    "square root of": " sqrt ",
}
_SAYING = re.compile(rf"\b(?:{'|'.join(_SAID)})\b", re.IGNORECASE)
_NAMED = re.compile(r"\s*[A-Za-z_]\w*\s*")

_INFIX = {"+": 10, "-": 10, "*": 20, "x": 20, "/": 20, "//": 20, "%": 20, "mod": 20, "of": 30, "**": 50, "^": 50}
_PREFIX = 40
_ALLOWED = (
    "Write only numbers, + - * / // % ** ( ), pi, e, and the functions sqrt, abs, round, min, max, floor, ceil, "
    "log (base 10), ln, exp, sin, cos, tan (radians), factorial; for example 17 * 23, or 15% of 80."
)


def calculate(expression: str) -> str:
    """Calculate a number: the value of an arithmetic expression.

    Args:
        expression: The expression, such as 48 / 6 + 2.
    """
    try:
        return shown(_evaluate(expression))
    except ZeroDivisionError:
        reason = "it divides by zero"
    except OverflowError:
        reason = "a number in it becomes too large"
    except ValueError as error:
        reason = str(error)
    given = expression if len(expression) <= 80 else expression[:60] + "…"
    raise TryAgain(f"Cannot calculate {given!r}: {reason}. {_ALLOWED}")


def _evaluate(expression: str) -> Number:
    if len(expression) > _LONGEST:
        raise ValueError(f"it is longer than {_LONGEST} characters")
    text = expression.translate(_WRITTEN).strip(" \t\r\n`'\"?;").rstrip(",.")
    text = _SAYING.sub(lambda said: _SAID[said.group().lower()], text)
    if re.search(r"[=!<>]=|[<>]", text):
        raise ValueError("it compares, and only a number can be calculated")
    # A model may write its answer too, or a name for it: `17 * 23 = 391`, `total = 17 * 23`.
    sides = [side for side in text.split("=") if side.strip()]
    if len(sides) > 1 and _NAMED.fullmatch(sides[0]) and sides[0].strip().lower() not in CONSTANTS:
        sides = sides[1:]
    if not sides:
        raise ValueError("it is empty")
    return _Parser(_tokens(sides[0])).whole()


@dataclass(frozen=True, slots=True)
class _Token:
    """A number, a word or a sign; `spaced`: there is room before it."""

    kind: str
    text: str
    spaced: bool = False


@dataclass(slots=True)
class _Open:
    """An open parenthesis: of a call, where commas part arguments, or a plain one, where they part thousands."""

    call: bool
    grouped: bool = False
    spaced: bool = False

    def check(self) -> None:
        if self.grouped and self.spaced:
            raise ValueError("inside a function write numbers without commas, such as max(1200, 900)")


_END = _Token("end", "")


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    inside = [_Open(call=False)]
    place = 0
    text = text.rstrip()
    while place < len(text):
        start = place
        place += len(text) - start - len(text[start:].lstrip())
        before = tokens[-1] if tokens else _END
        token, place = _token(text, place, before, inside[-1], spaced=place > start)
        if token.text == "(":
            inside.append(_Open(call=before.kind == "word" and before.text in FUNCTIONS))
        elif token.text == ")" and len(inside) > 1:
            inside.pop().check()
        elif token.text == ",":
            inside[-1].spaced |= text[place : place + 1].isspace()
        tokens.append(token)
    inside[-1].check()
    return tokens


def _token(text: str, place: int, before: _Token, inside: _Open, *, spaced: bool) -> tuple[_Token, int]:
    grouped = _GROUPED.match(text, place)
    if grouped and inside.call:
        inside.grouped = True
        # max(100,200) has two arguments; nobody writes 000 for one.
        inside.spaced |= any(group.startswith("0") for group in grouped.group().split(",")[1:])
    elif grouped:
        return _Token("number", grouped.group().replace(",", ""), spaced), grouped.end()
    if number := _NUMBER.match(text, place):
        return _Token("number", number.group().replace("_", ""), spaced), number.end()
    if (before.kind == "number" or before.text == ")") and (times := _TIMES.match(text, place)):
        return _Token("sign", "x", spaced), times.end()
    if word := _WORD.match(text, place):
        return _Token("word", word.group().lower(), spaced), word.end()
    if sign := _SIGN.match(text, place):
        return _Token("sign", sign.group(), spaced), sign.end()
    raise ValueError(f"{text[place : place + 10]!r} is not understood")


class _Parser:
    """Evaluates while it reads. Each part gives its value, and whether it is a bare percentage."""

    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens = tokens
        self.place = 0
        self.depth = 0

    def whole(self) -> Number:
        value, _ = self.expression(0)
        if self.next is not _END:
            raise self.unexpected()
        return value

    @property
    def next(self) -> _Token:
        return self.tokens[self.place] if self.place < len(self.tokens) else _END

    def take(self) -> _Token:
        token = self.next
        self.place += 1
        return token

    def unexpected(self) -> ValueError:
        token = self.next
        if token is _END:
            return ValueError("it is cut off")
        if token.text == ",":
            return ValueError("a comma parts thousands only, such as 1,000; write 3.5 with a point")
        if self.place and (token.kind in ("number", "word") or token.text == "("):
            return ValueError(f"an operator is missing before {token.text[:20]!r} (to multiply, write *)")
        return ValueError(f"{token.text[:20]!r} is not understood there")

    def expression(self, power: int) -> tuple[Number, bool]:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ValueError(f"it is nested more than {_DEEPEST} deep")
        value, percent = self.operand()
        while (binds := _INFIX.get(self.next.text, -1)) > power:
            sign = self.take().text
            if sign == "of" and not percent:
                raise ValueError("'of' follows a percentage only, such as 15% of 80")
            # A power binds to the right: 2 ** 3 ** 2 is 2 ** 9.
            right, right_percent = self.expression(binds - 1 if sign in ("**", "^") else binds)
            # Of 1 it has but one: 1 + 10% is 1.1 either way.
            if sign in ("+", "-") and right_percent and not percent and value != 1:
                raise ValueError(f"{sign} a percentage has two meanings: write 80 * (1 {sign} 0.15), or 80 {sign} 0.15")
            value = checked(OPERATORS[sign](value, right))
            percent = right_percent and percent and sign in ("of", "+", "-")
        self.depth -= 1
        return value, percent

    def operand(self) -> tuple[Number, bool]:
        token = self.next
        if token.text in ("-", "+"):
            self.take()
            value, percent = self.expression(_PREFIX)
            return (-value if token.text == "-" else value), percent
        if token.kind == "number":
            self.take()
            return self.postfix(_literal(token.text))
        if token.kind == "word":
            return self.postfix(self.named())
        if token.text == "(":
            self.take()
            value, _ = self.expression(0)
            self.close()
            return self.postfix(value)
        raise self.unexpected()

    def postfix(self, value: Number) -> tuple[Number, bool]:
        percent = False
        while self.next.text == "!" or (self.next.text == "%" and not self.is_modulo()):
            percent = self.take().text == "%"
            value = checked(OPERATORS["/"](value, 100) if percent else factorial(value))
        return value, percent

    def is_modulo(self) -> bool:
        """Whether this % divides (17 % 5) or makes a percentage (15% of 80, 20% * 5)."""
        behind = self.tokens[self.place + 1] if self.place + 1 < len(self.tokens) else _END
        if behind.text in ("+", "-") and self.next.spaced:
            raise ValueError("% before a sign has two meanings: write 17 % (-5), or 17% - 5")
        return behind.kind == "number" or behind.text == "(" or behind.text in CONSTANTS or behind.text in FUNCTIONS

    def close(self) -> None:
        if self.next is _END:
            raise ValueError("a ) is missing")
        if self.next.text != ")":
            raise self.unexpected()
        self.take()

    def named(self) -> Number:
        name = self.next.text
        if name in CONSTANTS:
            self.take()
            return CONSTANTS[name]
        if name not in FUNCTIONS:
            raise self.unexpected() if self.place and name in _INFIX else ValueError(f"{name[:30]!r} is not known")
        self.take()
        if self.next.text != "(":
            if name == "sqrt":  # √2
                return checked(FUNCTIONS[name][0](self.expression(_PREFIX)[0]))
            raise ValueError(f"{name} needs its number in parentheses, such as {name}(2)")
        self.take()
        arguments = [self.expression(0)[0]]
        while self.next.text == ",":
            self.take()
            arguments.append(self.expression(0)[0])
        self.close()
        function, most = FUNCTIONS[name]
        if len(arguments) > most:
            raise ValueError(
                f"{name} takes {most} number{'s' * (most > 1)}, not {len(arguments)} (write 1000, not 1,000)"
            )
        return checked(function(*arguments))


def _literal(text: str) -> Number:
    mantissa, _, exponent = text.lower().partition("e")
    if exponent and (len(exponent) > 6 or abs(int(exponent)) > MOST_DIGITS):
        raise OverflowError
    if exponent or "." in mantissa:
        return checked(Fraction(mantissa.rstrip(".")) * Fraction(10) ** int(exponent or 0))
    return int(mantissa)
