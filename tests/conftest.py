"""What holds for all tests: how much hypothesis tries, and that no test leaves a configuration behind.

``HYPOTHESIS_PROFILE`` is ci, dev or deep.
"""

import gc
from pathlib import Path

import pytest
from hypothesis import settings

from autodiff.facade.settings.configuration import config
from autodiff.testing import register_profiles

TESTS = Path(__file__).parent
PROFILE = register_profiles()

ROWS = {"ops", "numpy", "scipy"}
"""Folders of a thousand rows, each of which is tried on eighty fixed arguments, too: fewer are drawn than in a user's
tests."""

settings.register_profile("rows", settings.get_profile("ci"), max_examples=12)


def pytest_collection_finish():
    """Modules and tests stay until the end: let the garbage collector look at what tests make alone."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def examples_of_rows(request):
    """Fewer examples for rows of tables, where the profile is the one of CI."""
    fewer = PROFILE == "ci" and any(request.path.is_relative_to(TESTS / folder) for folder in ROWS)
    if fewer:
        settings.load_profile("rows")
    yield
    if fewer:
        settings.load_profile(PROFILE)


@pytest.fixture(autouse=True)
def no_configuration_stays():
    """Entries that a test made for its thread go with it."""
    yield
    for name in list(config._thread.store.values):
        delattr(config, name)
