"""Hypothesis profiles: how hard tests try, chosen by the environment variable HYPOTHESIS_PROFILE."""

from __future__ import annotations

import os
from types import MappingProxyType

from hypothesis import settings

PROFILES = MappingProxyType(
    {
        "ci": settings(derandomize=True, deadline=None, max_examples=25, database=None),
        "dev": settings(deadline=None, max_examples=50),
        "deep": settings(deadline=None, max_examples=1000),
    }
)


def register_profiles(default: str = "ci") -> str:
    """Register the profiles and load the one that HYPOTHESIS_PROFILE names. Call it in `tests/conftest.py`.

    "ci" draws the same 25 examples every time, "dev" 50 new ones, "deep" 1000 new ones.

    Args:
        default: the profile to load where the environment names none.

    Returns:
        The name of the profile loaded.

    Raises:
        ValueError: the environment names a profile that does not exist.
    """
    for name, profile in PROFILES.items():
        settings.register_profile(name, profile)
    chosen = os.environ.get("HYPOTHESIS_PROFILE") or default
    if chosen not in PROFILES:
        raise ValueError(f"HYPOTHESIS_PROFILE is {chosen!r}; set it to one of {', '.join(PROFILES)}")
    settings.load_profile(chosen)
    return chosen
