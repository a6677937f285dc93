"""Processes as a grid with named axes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from math import prod

import numpy as np

from autodiff.distributed.communicator import Communicator, world
from autodiff.trace.source import at_user_line


class Mesh:
    """Processes as a grid with named axes, and a communicator along each axis, or along several.

    ``mesh["data"]`` are the processes that differ from this one only in their place along ``data``. Ranks go along the
    last axis first. All processes have to make it.

    Args:
        axes: the length of each axis by its name; their product is the number of processes.
        comm: the processes; all of them if None.

    Attributes:
        axes: as given.
        position: where this process is, by the names of axes.

    Raises:
        ValueError: if there are more or fewer processes.

    >>> mesh = Mesh({"data": 1, "model": 1})
    >>> mesh["model"].size, mesh["data", "model"].size, mesh.position
    (1, 1, {'data': 0, 'model': 0})
    """

    def __init__(self, axes: Mapping[str, int], comm: Communicator | None = None) -> None:
        comm = world() if comm is None else comm
        if prod(axes.values()) != comm.size:
            raise ValueError(
                f"a mesh of {dict(axes)} has {prod(axes.values())} processes, and {comm.name} has {comm.size}"
                f"{at_user_line()}"
            )
        self.axes = dict(axes)
        lengths = tuple(axes.values())
        self.position = dict(zip(axes, map(int, np.unravel_index(comm.rank, lengths)), strict=True))
        self._parts: dict[tuple[str, ...], Communicator] = {}
        for count in range(1, len(self.axes) + 1):
            for along in combinations(self.axes, count):
                fixed = [0 if name in along else place for name, place in self.position.items()]
                part = comm.split(int(np.ravel_multi_index(fixed, lengths)))
                assert part is not None
                self._parts[along] = part

    def __getitem__(self, along: str | tuple[str, ...]) -> Communicator:
        wanted = (along,) if isinstance(along, str) else along
        unknown = [name for name in wanted if name not in self.axes]
        if unknown:
            raise KeyError(f"the mesh has no axis {unknown[0]!r}{at_user_line()}; it has {', '.join(self.axes)}")
        return self._parts[tuple(name for name in self.axes if name in wanted)]
