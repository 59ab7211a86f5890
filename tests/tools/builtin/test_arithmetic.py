import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opposable.tools.builtin.arithmetic import FUNCTIONS, OPERATORS, Number, checked, factorial, shown

numbers = st.integers() | st.fractions(max_denominator=10**6) | st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5, "5"),
        (Fraction(5, 2), "2.5"),
        (Fraction(4, 2), "2"),
        (2.0, "2"),
        (-0.0, "0"),
        (0.1 + 0.2, "0.3"),
        (1e15, "1e+15"),
        (1e-7, "1e-07"),
        (Fraction(10**20), "1" + "0" * 20),
        (Fraction(10**30), "1e+30"),
    ],
)
def test_how_a_number_is_written(value: Number, text: str) -> None:
    assert shown(value) == text


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, 10**1001, -(10**1001)])
def test_what_is_out_of_bounds(value: Number) -> None:
    with pytest.raises(OverflowError):
        checked(value)


def test_a_long_fraction_goes_on_as_a_float() -> None:
    assert checked(Fraction(1, 3**3000)) == 0.0
    assert checked(Fraction(10**1001 + 1, 10**1001)) == 1.0
    assert isinstance(checked(Fraction(1, 3)), Fraction)


def test_bounds_of_the_factorial() -> None:
    assert factorial(450) == math.factorial(450)
    with pytest.raises(OverflowError):
        factorial(451)


def test_floats_stay_floats() -> None:
    assert OPERATORS["/"](1.0, 4) == 0.25
    assert FUNCTIONS["sqrt"][0](2.25) == 1.5
    assert FUNCTIONS["log"][0](8.0, 2) == 3.0
    assert OPERATORS["**"](2.0, 0.5) == math.sqrt(2)


@given(numbers, numbers, st.sampled_from(sorted(OPERATORS)))
def test_every_operation_ends_in_a_number_or_a_known_error(a: Number, b: Number, sign: str) -> None:
    try:
        result = checked(OPERATORS[sign](checked(a), checked(b)))
        text = shown(result)
    except (OverflowError, ValueError, ZeroDivisionError):
        return
    if isinstance(result, int):
        assert text == str(result)
    elif -1e300 < result < 1e300:  # 15 digits of the largest floats may round beyond them
        assert float(text) == pytest.approx(float(result), rel=1e-14)
