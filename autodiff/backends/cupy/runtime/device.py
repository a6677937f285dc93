"""The GPUs that programs run on: which one an array is on, and for which architecture kernels are compiled."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autodiff.backends.gpu import is_gpu_array, require
from autodiff.trace.errors import described
from autodiff.trace.source import at_user_line


def device_of(values: Iterable[Any], what: str) -> int:
    """The number of the GPU that all arrays among values are on; of the current one where there are none.

    Args:
        values: plain arrays and numbers.
        what: the program, for error texts.

    Raises:
        TypeError: if an array with axes is NumPy's.
        ValueError: if arrays are on different GPUs.
    """
    found: int | None = None
    for value in values:
        if is_gpu_array(value):
            number = int(value.device.id)
            if found is not None and number != found:
                raise ValueError(
                    f"{what}: its arguments are arrays on GPU {found} and on GPU {number}{at_user_line()}; a program "
                    "runs on one GPU. Move them to one first: cupy.asarray(x) in with cupy.cuda.Device(n), or "
                    "Variable.to_device."
                )
            found = number
        elif is_host_array(value):
            refuse_host_array(value, what)
    return int(require().cuda.runtime.getDevice()) if found is None else found


def is_host_array(value: Any) -> bool:
    """Whether it is an array of NumPy's with axes; without axes it is as good as a number."""
    return isinstance(value, np.ndarray) and value.ndim > 0


def refuse_host_array(value: Any, what: str) -> None:
    """Refuse an array that is on the host.

    Raises:
        TypeError: if there is a GPU.
        RuntimeError: if there is none.
    """
    require()
    raise TypeError(
        f"{what} runs on a GPU, but one of its arguments is a NumPy array, {described(value)}{at_user_line()}. Nothing "
        "is moved without being asked for: pass cupy.asarray(x), or bring the others to the host with cupy.asnumpy(x)."
    )


@contextmanager
def on_device(number: int) -> Iterator[None]:
    """Make a GPU the current one."""
    with require().cuda.Device(number):
        yield


def architecture(device: int) -> tuple[str, bool]:
    """For which architecture kernels of a GPU are compiled, such as ``"90"``, and whether its own code is made.

    An architecture that the compiler does not know yet gets portable code for the newest one that it knows, which the
    driver translates.
    """
    cupy = require()
    own = str(cupy.cuda.Device(device).compute_capability)
    known = sorted(cupy.cuda.nvrtc.getSupportedArchs())
    if int(own) in known:
        return own, True
    return str(max(number for number in known if number <= int(own))), False


LEAST = {"bfloat16": 80}
"""The compute capability, times 10, below which GPUs do not compute with a dtype."""


def check_dtypes(names: Collection[str], device: int) -> None:
    """Refuse dtypes that a GPU does not know, before a compiler or a library does it in its words.

    Args:
        names: of the dtypes.
        device: the number of the GPU.

    Raises:
        TypeError: naming the dtype, the GPU, and what it would take.
    """
    for name, least in LEAST.items():
        own = int(require().cuda.Device(device).compute_capability) if name in names else least
        if own < least:
            raise TypeError(
                f"{name} needs a GPU of compute capability {least / 10:.1f} or more, and GPU {device} has "
                f"{own / 10:.1f}{at_user_line()}: take float16 with loss scaling, or float32"
            )
