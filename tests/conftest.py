"""What holds for all tests: how much hypothesis tries, and that no test leaves a configuration behind.

``HYPOTHESIS_PROFILE`` is ci, dev or deep.
"""

import pytest
from hypothesis import settings

from autodiff.facade.configuration import config
from autodiff.testing import register_profiles

EXAMPLES = 16
"""Fewer than a user's tests draw: there are a thousand rows, each of which is tried on eighty fixed arguments, too."""

if register_profiles() == "ci":
    settings.register_profile("ci", settings(), max_examples=EXAMPLES)
    settings.load_profile("ci")


@pytest.fixture(autouse=True)
def no_configuration_stays():
    """Entries that a test made for its thread go with it."""
    yield
    for name in list(config._thread.store.values):
        delattr(config, name)
