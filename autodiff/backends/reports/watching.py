"""Who times programs: all that a program asks about profiles at each call."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autodiff.backends.reports.profile import Profile

open_profiles: list[Profile] = []
"""The profiles that are open now, in whichever thread."""
