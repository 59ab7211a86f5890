"""What holds for every test: Hypothesis sets no deadline, as a model may be using the cores; that model is here."""

import os

import pytest
from hypothesis import settings

from opposable.settings import load
from opposable.store import StoredModel, pull

if "CI" not in os.environ:  # there Hypothesis has a profile of its own, also without a deadline
    settings.register_profile("house", deadline=None)
    settings.load_profile("house")


@pytest.fixture(scope="session")
def small_model() -> StoredModel:
    """The embedded model, fetched once into the cache folder of this user (or OPPOSABLE_CACHE). For tests marked `model`."""
    return pull("store:smollm2-135m", load({}, os.environ).cache)
