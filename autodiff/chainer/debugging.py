"""Debug mode: operations look for NaN, and errors in the backward pass say where the forward pass was."""

from __future__ import annotations

import warnings
from typing import Any

from autodiff.facade.settings.configuration import config, using_config


def is_debug() -> bool:
    """Whether debug mode is on in this thread."""
    return bool(config.debug)


def set_debug(debug: bool) -> None:
    """Turn debug mode on or off in this thread.

    >>> set_debug(True)
    >>> is_debug()
    True
    >>> set_debug(False)
    """
    config.debug = debug


class DebugMode:
    """A context with debug mode on or off. Deprecated: ``using_config("debug", True)`` is the same.

    Args:
        debug: whether it is on inside.
    """

    def __init__(self, debug: bool) -> None:
        warnings.warn("DebugMode is deprecated; use using_config('debug', True)", DeprecationWarning, stacklevel=2)
        self._using = using_config("debug", debug)

    def __enter__(self) -> None:
        self._using.__enter__()

    def __exit__(self, *error: Any) -> None:
        self._using.__exit__(*error)
