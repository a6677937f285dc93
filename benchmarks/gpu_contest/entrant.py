"""A library at work on one row on a device: prepared, compared with the reference, one timed sample after the other."""

from __future__ import annotations

import gc
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from benchmarks.compiled_programs.program import LeftOutError
from benchmarks.contest.closeness import compare, inputs_of
from benchmarks.contest.entrant import SHORT
from benchmarks.contest.trees import leaves
from benchmarks.gpu_contest.machine import machine
from benchmarks.gpu_programs.table import PROGRAMS, row_of

if TYPE_CHECKING:
    from benchmarks.gpu_contest.peers.cupy import ArraysOfCupy
    from benchmarks.gpu_contest.peers.peer import DevicePeer
    from benchmarks.gpu_contest.work import DeviceWork
    from benchmarks.gpu_programs.program import DeviceProgram, DeviceRow

GUESSED = 10  # calls, where one takes less than `SHORT`


class DeviceEntrant:
    """Answers over a pipe, in a process of its own."""

    def __init__(self, peer: DevicePeer) -> None:
        self.peer = peer
        self.work: DeviceWork | None = None
        self.copy: DeviceWork | None = None
        self.results: list[Any] = []

    def describe(self) -> dict[str, Any]:
        """Version and settings of the library."""
        return {"version": self.peer.version(), **self.peer.settings()}

    def machine(self) -> dict[str, Any]:
        """The GPU, its driver, CUDA and CuPy; of those who have CuPy."""
        return machine(self.arrays.cupy, self.peer.place.standin)

    @property
    def arrays(self) -> ArraysOfCupy:
        """The adapter, of those whose arrays are CuPy's."""
        return cast("ArraysOfCupy", self.peer)

    def checks(self) -> list[str]:
        """The names of the small programs."""
        from benchmarks.gpu_programs.checks import CHECKS  # noqa: PLC0415 - others do not import autodiff

        return list(CHECKS)

    def check(self, name: str, way: str) -> float:
        """The error of one of the small programs on the device, compared with NumPy.

        Raises:
            WrongResultError: if a result is wrong.
        """
        from benchmarks.gpu_contest.checking import checked  # noqa: PLC0415 - others do not import autodiff

        return checked(self.arrays.cupy, name, way)

    def alive(self) -> None:
        """Raises if the device does nothing any more for this process."""
        self.peer.alive()

    def prepare(self, program: str, row: int) -> dict[str, Any]:
        """Compile and run once; why the library has no part in it, if it has none."""
        chosen, chosen_row = PROGRAMS[program], row_of(program, row, self.peer.place.standin)
        try:
            self.peer.set_precision(chosen_row)
            inputs = chosen.given(chosen_row, inputs_of(chosen, chosen_row))  # type: ignore[arg-type]
            self.work = self.peer.work(chosen, chosen_row, inputs)
        except LeftOutError as reason:
            return {"left_out": str(reason)}
        self.results = [self.peer.plain(leaf) for leaf in leaves(self.work.result())]
        return {"bytes": least_bytes((inputs, self.results), chosen_row)}

    def compare(self, program: str, row: int, folder: str) -> float:
        """The largest error.

        Raises:
            WrongResultError: if a result is wrong.
        """
        chosen, chosen_row = PROGRAMS[program], row_of(program, row, self.peer.place.standin)
        results, self.results = self.results, []
        error = compare(judged(chosen, chosen_row), chosen_row, results, Path(folder))  # type: ignore[arg-type]
        del results
        gc.collect()
        gc.freeze()
        return error

    def guess(self) -> float:
        """About how long a call takes."""
        assert self.work is not None
        seconds = min(self.work.seconds(1) for _ in range(2))
        return seconds if seconds > SHORT else self.work.seconds(GUESSED) / GUESSED

    def explained(self) -> str | None:
        """How the program runs, in the library's own words."""
        assert self.work is not None
        return self.peer.explained(self.work)

    def sample(self, calls: int) -> float:
        """Seconds a call. As many calls before the sample, unless they take long, fill queues and wake the clocks."""
        assert self.work is not None
        gc.collect()
        self.work.seconds(max(1, calls // 4))
        return self.work.seconds(calls) / calls

    def sample_copy(self, elements: int, calls: int) -> float:
        """Seconds of a copy of so many elements."""
        if self.copy is None:
            self.copy = self.arrays.copy(elements)
        self.copy.seconds(max(1, calls // 4))
        return self.copy.seconds(calls) / calls

    def release(self) -> None:
        """Let go of inputs and of what was compiled."""
        self.work = self.copy = None
        self.results = []
        gc.unfreeze()
        gc.collect()
        self.peer.release()


def judged(program: DeviceProgram, row: DeviceRow) -> DeviceProgram:
    """The program with the differences that are allowed in this row."""
    found = copy(program)
    found.tolerance = program.allowed(row)
    return found


def least_bytes(trees: Any, row: DeviceRow) -> int:
    """What a call must move at least: arguments are read once, and results written once."""
    arrays = [leaf for leaf in leaves(trees) if isinstance(leaf, np.ndarray)]
    halved = row.kind == "bfloat16"
    return sum(array.nbytes // (2 if halved and array.dtype == np.float32 else 1) for array in arrays)


class DeviceReference:
    """Answers with the right results, computed by NumPy in double precision; it never touches a device."""

    def __init__(self, small: bool) -> None:
        self.small = small

    def write(self, program: str, row: int, folder: str) -> None:
        """One file for each result."""
        import autodiff  # noqa: PLC0415 - the processes of other libraries do not import ours
        import autodiff.chainer.functions  # noqa: PLC0415
        import autodiff.scipy.special  # noqa: PLC0415

        chosen, chosen_row = PROGRAMS[program], row_of(program, row, self.small)
        inputs = chosen.given(chosen_row, inputs_of(chosen, chosen_row))  # type: ignore[arg-type]
        results = chosen.reference(autodiff, chosen_row, inputs)
        for number, leaf in enumerate(leaves(results)):
            np.save(Path(folder) / f"{number}.npy", np.asarray(leaf))
