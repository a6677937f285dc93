"""What an item of a run is: a function that says something, or raises."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Said = Any
"""What an item found out: anything that JSON holds."""


@dataclass(frozen=True)
class Given:
    """What an item is told.

    Attributes:
        seconds: that it may take.
        standin: whether the stand-in for CuPy takes the place of a GPU.
    """

    seconds: float
    standin: bool

    def size(self, there: int, here: int) -> int:
        """A size on a device, and one for the stand-in, which computes on the host."""
        return here if self.standin else there


Item = Callable[[Given], Said]
Items = Mapping[str, Item]


class LeftOutError(Exception):
    """An item has no sense here, or lacks what it needs; the text says what."""


class FaultError(Exception):
    """The device, its libraries or a program on it do not do what an item needs."""


def check(holds: bool, fault: object) -> None:
    """Go on if it holds; unlike an assert, also where Python optimises them away.

    Raises:
        FaultError: with the text of the fault.
    """
    if not holds:
        raise FaultError(fault)
