"""What holds for every test: Hypothesis sets no deadline, since a model may be using the cores at the same time."""

import os

from hypothesis import settings

if "CI" not in os.environ:  # there Hypothesis has a profile of its own, also without a deadline
    settings.register_profile("house", deadline=None)
    settings.load_profile("house")
