"""Stands for ChainerX, which is not available: programs that ask are told so."""

from __future__ import annotations

from typing import Any, NoReturn

from autodiff.facade.settings.devices import no_chainerx


class MissingName(RuntimeError, AttributeError):
    """A name that is not here; ``hasattr`` says so."""


class ndarray:
    """The class of ChainerX's arrays, of which there are none.

    Raises:
        RuntimeError: always.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise no_chainerx()


def is_available() -> bool:
    """Whether ChainerX can be used.

    >>> is_available()
    False
    """
    return False


def __getattr__(name: str) -> NoReturn:
    raise MissingName(f"chainerx.{name}: {no_chainerx()}")
