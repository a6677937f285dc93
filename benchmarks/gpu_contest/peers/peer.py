"""What a library must say about itself to take part on a GPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.entrant import version

if TYPE_CHECKING:
    from benchmarks.gpu_contest.work import DeviceWork
    from benchmarks.gpu_programs.program import DeviceProgram, DeviceRow


TIMES_CACHE = 4  # as many bytes as the second-level cache holds are overwritten before a cold call


@dataclass(frozen=True)
class Place:
    """Where a library runs.

    Attributes:
        standin: on the CPU, CuPy by its stand-in: nothing but a trial of the program.
        memory: the part of the device's memory that the library may take; all take part at once.
    """

    standin: bool
    memory: float


class DevicePeer:
    """A library under measurement.

    Args:
        place: where it runs.

    Raises:
        RuntimeError: if there is no GPU for it.
    """

    name = ""
    distribution = ""

    def __init__(self, place: Place) -> None:
        self.place = place

    def work(self, program: DeviceProgram, row: DeviceRow, inputs: tuple[Any, ...]) -> DeviceWork:
        """The program in this library's form, on this library's arrays on the device."""
        raise NotImplementedError

    def explained(self, work: DeviceWork) -> str | None:
        """How the program runs, in the library's own words."""
        return None

    def set_precision(self, row: DeviceRow) -> None:
        """Round factors of products as the row says.

        Raises:
            LeftOutError: if the library takes no part in such rows.
        """
        raise NotImplementedError

    def plain(self, leaf: Any) -> Any:
        """A result as a NumPy array."""
        return np.asarray(leaf)

    def version(self) -> str:
        """What is installed."""
        return version(self.distribution)

    def alive(self) -> None:
        """Raises if the device does nothing any more for this process."""

    def release(self) -> None:
        """Let go of memory, and of what was compiled for the last row."""

    def settings(self) -> dict[str, Any]:
        """What a reader must know of the library's own configuration."""
        return {}
