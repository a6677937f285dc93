"""What reads the time of work that is handed to a device and done later."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class Clock:
    """Marks in the stream of work, and the seconds between two of them."""

    name = ""
    reads_single_calls = True

    def mark(self, result: Any = None) -> Any:
        """This moment of the stream, after the work that makes the result."""
        raise NotImplementedError

    def wait(self, result: Any) -> None:
        """Until the device has done all that it was given."""
        raise NotImplementedError

    def between(self, first: Any, second: Any) -> float:
        """Seconds from one mark to the other, which the device has passed."""
        raise NotImplementedError


class CupyClock(Clock):
    """Events of CUDA, through CuPy."""

    name = "CUDA events"

    def __init__(self, cupy: Any) -> None:
        self.cupy = cupy

    def mark(self, result: Any = None) -> Any:
        event = self.cupy.cuda.Event()
        event.record()
        return event

    def wait(self, result: Any) -> None:
        self.cupy.cuda.get_current_stream().synchronize()

    def between(self, first: Any, second: Any) -> float:
        return float(self.cupy.cuda.get_elapsed_time(first, second)) / 1e3


class TorchClock(Clock):
    """Events of CUDA, through PyTorch."""

    name = "CUDA events"

    def __init__(self, torch: Any) -> None:
        self.torch = torch

    def mark(self, result: Any = None) -> Any:
        event = self.torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def wait(self, result: Any) -> None:
        self.torch.cuda.synchronize()

    def between(self, first: Any, second: Any) -> float:
        return float(first.elapsed_time(second)) / 1e3


class HostClock(Clock):
    """The clock of the host, for a library that shows no events: a mark waits for the result before it.

    Args:
        wait: blocks until a result is there.
    """

    name = "host"
    reads_single_calls = False

    def __init__(self, wait: Callable[[Any], Any]) -> None:
        self.wait_for = wait

    def mark(self, result: Any = None) -> Any:
        if result is not None:
            self.wait(result)
        return perf_counter()

    def wait(self, result: Any) -> None:
        self.wait_for(result)

    def between(self, first: Any, second: Any) -> float:
        return float(second - first)
