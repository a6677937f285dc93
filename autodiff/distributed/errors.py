"""What goes wrong between processes."""

from __future__ import annotations

from autodiff.trace.failures.classes import AutodiffError


class DistributedError(AutodiffError, RuntimeError):
    """Something went wrong between processes."""

    names_its_place = True


class MismatchError(DistributedError, ValueError):
    """Processes called different operations, or with different shapes, dtypes, trees or parameters."""


class LostProcessError(DistributedError):
    """A process is gone that others wait for."""
