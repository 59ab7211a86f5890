"""Bounded arithmetic over integers, fractions and floats. Law: exact as long as it can be, and never without a bound.

An integer beyond a thousand digits is refused (OverflowError), a fraction beyond that goes on as a float.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

Number: TypeAlias = int | Fraction | float

MOST_DIGITS = 1_000
_MOST_BITS = 3_322  # of a number with MOST_DIGITS digits
_LARGEST_FACTORIAL = 450  # has MOST_DIGITS digits
_SHOWN_WHOLE = 10**21


def checked(value: Number) -> Number:
    """The number, if it is within the bounds. Errors: OverflowError."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise OverflowError
        return value
    if max(value.numerator.bit_length(), value.denominator.bit_length()) <= _MOST_BITS:
        return value
    if isinstance(value, int):
        raise OverflowError
    return float(value)


def shown(value: Number) -> str:
    """The number as a person writes it: whole numbers whole, others with up to 15 digits that count."""
    if isinstance(value, int):
        return str(value)
    largest = 10**15 if isinstance(value, float) else _SHOWN_WHOLE
    if value == int(value) and -largest < value < largest:
        return str(int(value))
    return f"{float(value):.15g}"


def factorial(value: Number) -> int:
    """The factorial of a whole number from 0 to 450. Errors: ValueError, OverflowError."""
    if value != int(value) or value < 0:
        raise ValueError("a factorial needs a whole number from 0 on")
    if value > _LARGEST_FACTORIAL:
        raise OverflowError
    return math.factorial(int(value))


def _divide(a: Number, b: Number) -> Number:
    if isinstance(a, float) or isinstance(b, float):
        return a / b
    if isinstance(a, int) and isinstance(b, int) and b and a % b == 0:
        return a // b
    return Fraction(a) / b


def _power(a: Number, b: Number) -> Number:
    if isinstance(b, Fraction) and b.denominator == 1:
        b = int(b)
    if isinstance(b, int) and not isinstance(a, float):
        largest = max(abs(a.numerator).bit_length() - 1, a.denominator.bit_length() - 1)
        if largest * abs(b) <= _MOST_BITS:
            return a**b if b >= 0 and isinstance(a, int) else Fraction(a) ** b
        if isinstance(a, int) and b > 0:
            raise OverflowError
    result: Any = float(a) ** float(b)
    if isinstance(result, complex):
        raise ValueError("the result is not a real number")  # noqa: TRY004
    return float(result)


def _sqrt(value: Number) -> Number:
    if value < 0:
        raise ValueError("the root of a negative number is not real")
    if isinstance(value, float):
        return math.sqrt(value)
    over, under = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if over * over == value.numerator and under * under == value.denominator:
        return over if isinstance(value, int) else Fraction(over, under)
    return math.sqrt(value)


def _log(value: Number, base: Number = 10) -> float:
    if value <= 0 or base <= 0:
        raise ValueError("a logarithm needs a number above 0")
    if base == 10:
        return math.log10(value)
    return math.log2(value) if base == 2 else math.log(value) / math.log(base)


def _ln(value: Number) -> float:
    if value <= 0:
        raise ValueError("a logarithm needs a number above 0")
    return math.log(value)


def _angle(function: Callable[[float], float]) -> Callable[[Number], float]:
    def of(value: Number) -> float:
        result = function(float(value))
        # sin(pi) is 1.2e-16 only because pi is not quite pi.
        return 0.0 if abs(result) < 4e-16 and abs(float(value)) > 1e-3 else result

    return of


def _round(value: Number, digits: Number = 0) -> Number:
    if digits != int(digits) or not -100 <= digits <= 100:
        raise ValueError("round takes a whole number of digits up to 100")
    if not digits:
        return round(value)
    rounded: Any = round(value, int(digits))
    return checked(rounded)


OPERATORS: dict[str, Callable[[Any, Any], Number]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "x": lambda a, b: a * b,
    "of": lambda a, b: a * b,
    "/": _divide,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "mod": lambda a, b: a % b,
    "**": _power,
    "^": _power,
}

CONSTANTS: dict[str, float] = {"pi": math.pi, "e": math.e}

FUNCTIONS: dict[str, tuple[Callable[..., Number], int]] = {
    "sqrt": (_sqrt, 1),
    "abs": (abs, 1),
    "round": (_round, 2),
    "min": (lambda *values: min(values), 100),
    "max": (lambda *values: max(values), 100),
    "floor": (math.floor, 1),
    "ceil": (math.ceil, 1),
    "log": (_log, 2),
    "ln": (_ln, 1),
    "exp": (lambda value: math.exp(value), 1),
    "sin": (_angle(math.sin), 1),
    "cos": (_angle(math.cos), 1),
    "tan": (_angle(math.tan), 1),
    "factorial": (factorial, 1),
}
"""Each function, and how many numbers it takes at most."""
