"""Where the choices of the generator come from. Law: the same numbers give the same input, on any machine."""

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Choices, all made of one source of numbers from 0 up to 1: nothing else of `random` is promised to stay as it is."""

    def __init__(self, roll: Callable[[], float]) -> None:
        self.roll = roll

    def below(self, end: int) -> int:
        """A whole number from 0, less than `end`; 0 where there is none."""
        return int(self.roll() * end)

    def one(self, some: Sequence[T]) -> T:
        return some[int(self.roll() * len(some))]

    def chance(self, part: float) -> bool:
        return self.roll() < part

    def few(self, most: int) -> int:
        """How many: from none to so many, and seldom many."""
        return int(self.roll() * self.roll() * (most + 1))


def seeded(seed: int) -> Dice:
    return Dice(random.Random(seed).random)


def told(data: bytes) -> Dice:
    """Choices that these bytes make; where they are over, the first of everything."""
    numbers = iter(data)
    return Dice(lambda: (next(numbers, 0) + next(numbers, 0) / 256) / 256)
