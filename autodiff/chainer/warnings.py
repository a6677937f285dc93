"""Kinds of warnings."""

from __future__ import annotations


class PerformanceWarning(RuntimeWarning):
    """Something is computed in a way that takes longer than it must."""
