"""The GPU on which operations run: the one where their arrays are.

CuPy computes on the current GPU of the thread, wherever the arrays are. Here the GPU of its arrays is the current one
while an operation of Variables runs, as programs for several GPUs expect. On the CPU nothing of this is looked at.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from autodiff.backends import gpu
from autodiff.trace.values.arrays import check_places

STAYING: AbstractContextManager[Any] = nullcontext()


def on_gpu_of(label: str, values: Iterable[Any]) -> AbstractContextManager[Any]:
    """A context in which the GPU of some arrays is the current one.

    Args:
        label: what is about to run, for the error text.
        values: its operands: arrays, and anything else.

    Raises:
        TypeError: if they are on several GPUs.
    """
    cupy = sys.modules.get("cupy")
    if cupy is None:
        return STAYING
    values = tuple(values)
    numbers = {value.device.id for value in values if isinstance(value, cupy.ndarray)}
    if len(numbers) > 1:
        check_places(label, values)
    if not numbers or cupy.cuda.Device().id in numbers:
        return STAYING
    return cupy.cuda.Device(numbers.pop())  # type: ignore[no-any-return]


def follow(pull: Callable[[Any, Any, Any], Any]) -> Following | None:
    """What lets a pass backwards follow its cotangents; None where nothing is on GPUs, as nobody has imported CuPy."""
    return Following(pull) if "cupy" in sys.modules else None


class Following:
    """While it is entered, a pass backwards runs on the GPU that the cotangents are on, which may change on the way.

    Args:
        pull: gives the operands' cotangents from an entry, its cotangent and residuals.
    """

    def __init__(self, pull: Callable[[Any, Any, Any], Any]) -> None:
        self.inner = pull

    def __enter__(self) -> Following:
        self.before: Any = None
        self.now = -1
        return self

    def __exit__(self, *_: object) -> None:
        if self.before is not None:
            self.before.use()

    def pull(self, node: Any, g: Any, residuals: Any) -> Any:
        """The same, on the GPU of the cotangent; sums of the results are computed where they are."""
        self.go(g)
        cts = self.inner(node, g, residuals)
        self.go(cts)
        return cts

    def go(self, cotangents: Any) -> None:
        """Make the GPU of the first array the current one."""
        for each in cotangents if isinstance(cotangents, (list, tuple)) else (cotangents,):
            array: Any = getattr(each, "value", each)  # of what is masked
            if gpu.is_gpu_array(array):
                if array.device.id != self.now:
                    self.before = self.before or gpu.require().cuda.Device()
                    array.device.use()
                    self.now = array.device.id
                return
