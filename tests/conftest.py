"""How much hypothesis tries: ``HYPOTHESIS_PROFILE`` is ci, dev or deep."""

from autodiff.testing import register_profiles

register_profiles()
