"""A warning for results that are not reproduced exactly."""

from __future__ import annotations

import warnings

from autodiff.facade.settings.configuration import config


def nondeterministic(f_name: str) -> None:
    """Warn that a function may have another result each time, if ``config.warn_nondeterministic`` is True.

    Args:
        f_name: the function.
    """
    if config.warn_nondeterministic:
        warnings.warn(f"{f_name} may have another result each time, and warn_nondeterministic is set", stacklevel=2)
