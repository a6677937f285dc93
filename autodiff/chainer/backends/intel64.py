"""Chainer's names for iDeep, which was not continued: it is never available."""

from __future__ import annotations

from typing import Any, NoReturn

from autodiff.facade.settings.configuration import config
from autodiff.facade.settings.devices import Intel64Device

__all__ = [
    "Intel64Device",
    "check_ideep_available",
    "config",
    "inputs_all_ready",
    "is_ideep_available",
    "mdarray",
    "should_use_ideep",
]


class mdarray:
    """The type of iDeep's arrays; there are none."""


def is_ideep_available() -> bool:
    """False."""
    return False


def check_ideep_available() -> NoReturn:
    """Say that iDeep is not available.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError("iDeep is not available: it was not continued; use NumPy: device -1 or '@numpy'")


def should_use_ideep(level: str) -> bool:
    """False.

    Args:
        level: ``"==always"`` or ``">=auto"``.
    """
    return False


def inputs_all_ready(inputs: Any, supported_ndim: tuple[int, ...] = (2, 4)) -> bool:
    """False: iDeep takes no arrays.

    Args:
        inputs: arrays.
        supported_ndim: how many axes they may have.
    """
    return False
