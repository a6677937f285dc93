"""A tape as it runs on GPUs: on each of them a function, made for where the arguments lie."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from autodiff.backends.choice import GPU, Backend
from autodiff.backends.cupy.runtime.alone import as_number
from autodiff.backends.cupy.runtime.capturing import why_not_captured, why_not_worth
from autodiff.backends.cupy.runtime.device import device_of, on_device
from autodiff.backends.cupy.runtime.replay import LOOKED_AT, Replay
from autodiff.backends.cupy.straight import DeviceStraight, numbers_of, with_arrays
from autodiff.backends.gpu import is_gpu_array, require
from autodiff.trace.tape import Tape

Values = Sequence[Any]


class DeviceProgram:
    """How a tape runs on GPUs.

    Args:
        tape: without constants.
        name: the function's name and line, for error texts.
        backend: that runs it.
        donated: which inputs are arrays that the caller gives up.
        fast_math: whether division, exp and tanh of float32 may be approximate.
    """

    def __init__(
        self, tape: Tape, name: str, backend: Backend = GPU, donated: Sequence[int] = (), fast_math: bool = False
    ) -> None:
        self.tape, self.name, self.backend, self.donated, self.fast_math = tape, name, backend, donated, fast_math
        self.numbers = numbers_of(tape)
        self.texts: dict[tuple[int, ...], DeviceStraight] = {}
        self.made: dict[tuple[int, tuple[int, ...]], OnDevice] = {}
        self.clocked: dict[tuple[int, tuple[int, ...]], Callable[..., tuple[Any, ...]]] = {}
        self.lock = threading.RLock()

    def straight(self, places: tuple[int, ...] = ()) -> DeviceStraight:
        """The function, and its text, where the numbers at some places are arrays on the GPU; it runs nowhere yet."""
        found = self.texts.get(places)
        if found is None:
            tape = self.backend.schedule(with_arrays(self.tape, places)).tape
            found = self.texts[places] = DeviceStraight(tape, self.backend, fast_math=self.fast_math)
        return found

    def on(self, device: int, places: tuple[int, ...] = ()) -> OnDevice:
        """The program on a GPU, with numbers at some places as arrays."""
        key = device, places
        found = self.made.get(key)
        if found is None:
            with self.lock:
                found = self.made.get(key)
                if found is None:
                    tape = self.straight(places).tape
                    straight = DeviceStraight(tape, self.backend, fast_math=self.fast_math)
                    found = self.made[key] = OnDevice(straight, device, self.donated)
        return found

    def run(self, values: Values) -> tuple[Any, ...]:
        """The outputs for plain values, on the GPU where the arrays are.

        Raises:
            TypeError: if an array with axes is on the host.
            ValueError: if arrays are on different GPUs.
        """
        device = device_of(values, self.name)
        return self.on(device, self.places(values)).run(*map(as_number, values))

    def timed(self, values: Values) -> tuple[Any, ...]:
        """The same, which notes in open profiles how long it takes."""
        from autodiff.backends.cupy.runtime.timed import TimedOnDevice  # noqa: PLC0415 - most programs are never timed

        device, places = device_of(values, self.name), self.places(values)
        found = self.clocked.get((device, places))
        if found is None:
            tape = with_arrays(self.tape, places)
            found = self.clocked[device, places] = TimedOnDevice(
                tape, self.backend, device, self.name, self.fast_math
            ).run
        return found(*map(as_number, values))

    def replayed(self, device: int | None) -> str:
        """Whether it runs as a CUDA graph, and if not, why.

        Args:
            device: the number of a GPU; None for what is known of all.
        """
        found = [own for (number, _), own in self.made.items() if number == device]
        if any(look.graph is not None for own in found for look in own.replay.looks.values()):
            return "It runs as a CUDA graph."
        tape = self.straight().tape
        reasons = [own.replay.reason for own in found if own.replay.reason]
        reason = reasons[0] if reasons else why_not_captured(tape) or why_not_worth(tape, [])
        if reason:
            return f"It is not replayed as a CUDA graph: {reason}."
        return f"From call {LOOKED_AT} on it runs as a CUDA graph, where its arguments allow for it."

    def places(self, values: Values) -> tuple[int, ...]:
        """Which numbers are arrays on a GPU."""
        return tuple([k for k in self.numbers if is_gpu_array(values[k])]) if self.numbers else ()


class OnDevice:
    """A program on one GPU.

    Args:
        straight: its function; all that it refers to is made now.
        device: the number of the GPU.
        donated: which inputs are given up.
    """

    def __init__(self, straight: DeviceStraight, device: int, donated: Sequence[int] = ()) -> None:
        self.straight, self.device = straight, device
        with on_device(device):
            straight.building.load(device)
        self.replay = Replay(straight, device, donated)
        self.current: Callable[[], int] = require().cuda.runtime.getDevice

    def run(self, *values: Any) -> tuple[Any, ...]:
        """The outputs for arguments that are on this GPU."""
        if self.current() != self.device:
            with on_device(self.device):
                return self.run_here(values)
        return self.run_here(values)

    def run_here(self, values: Values) -> tuple[Any, ...]:
        """The outputs, while this GPU is the current one."""
        try:
            return self.replay.run(values)
        except Exception as error:
            raise self.straight.explained(error) from None
