"""A short run of the generator, always the same inputs; and that seeds, the laws and the shrinker do what they say."""

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.fuzz.inputs import Input
from tests.fuzz.laws import Broken, broken, judged
from tests.fuzz.offers import OFFERS
from tests.fuzz.run import Tally, batch, batches, of, tallies
from tests.fuzz.shrink import smallest

ROOT = Path(__file__).parents[2]
DIGEST = "from tests.fuzz.test_fuzz import digest; print(digest())"


def digest() -> str:
    return hashlib.sha256(repr([of(seed) for seed in range(100)]).encode("utf-8", "backslashreplace")).hexdigest()


def test_a_few_inputs_break_no_law() -> None:
    tally = batch(range(1000))
    assert not tally.failures
    assert min(tally.kinds["written"], tally.kinds["near"], tally.kinds["cut"]) > 30


@pytest.mark.slow
def test_some_inputs_break_no_law() -> None:
    tally = Tally()
    for part in tallies(10_000, 10_000, 2):
        tally.add(part)
    assert tally.inputs == 10_000
    assert not tally.failures
    assert tally.calls > 2000
    assert len(tally.wrong) < 0.025 * tally.kinds["near"]  # calls that a fault in their marks made others: hardly any


def test_a_seed_gives_the_same_input_whatever_the_order_of_hashes() -> None:
    for order in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": order, "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))}
        done = subprocess.run(
            [sys.executable, "-c", DIGEST], cwd=ROOT, env=env, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == digest()


def test_batches_are_all_seeds_once() -> None:
    assert [seed for seeds in batches(7, 2500) for seed in seeds] == list(range(7, 2507))


def test_what_is_not_read_back_is_found() -> None:
    given = Input(
        OFFERS[0], '<tool_call>{"name": "list_ovens", "arguments": {}}</tool_call>', calls=(("list_ovens", {}),)
    )
    assert broken(replace(given, kind="written")) is None
    assert broken(replace(given, kind="written", calls=(("ring_bell", {}),))) is not None
    assert broken(replace(given, kind="cut", calls=())) is not None


def test_what_raises_is_found() -> None:
    fault = judged(Input(OFFERS[0], "x", shape="hermit"))[1]
    assert fault is not None
    assert fault.law == "raises"


def test_an_input_is_made_small() -> None:
    def both(given: Input) -> Broken | None:
        return Broken("both", given.text) if "{" in given.text and "<|" in given.text else None

    given = Input(OFFERS[0], 'some {"a": 1} and <|im_end|> too', starts=True, cuts=(3, 9))
    assert smallest(given, both) == Input([], "{<|", cuts=())
