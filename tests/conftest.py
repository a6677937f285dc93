"""What holds for all tests: how much hypothesis tries, and that no test leaves a configuration behind.

``HYPOTHESIS_PROFILE`` is ci, dev or deep.
"""

import pytest

from autodiff.facade.configuration import config
from autodiff.testing import register_profiles

register_profiles()


@pytest.fixture(autouse=True)
def no_configuration_stays():
    """Entries that a test made for its thread go with it."""
    yield
    for name in list(config._thread.store.values):
        delattr(config, name)
