"""The tests of kernels on a GPU, in place of the host: ``python -m pytest -p tests.backends.cupy.on_device tests/backends/cupy``.

What ran by the shim is compiled by NVRTC and launched on the current device then. Left out are the tests of the shim
itself, and those that need the stand-in for CuPy.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from autodiff.backends.cupy.kernels.sharing import STAGE
from autodiff.backends.cupy.prelude import prelude
from autodiff.backends.cupy.runtime.compiling import device_code
from autodiff.backends.cupy.runtime.modules import MOST_SHARED
from autodiff.backends.gpu import found, require
from tests.backends.cupy import hosting

HOST_ALONE = ("test_shim.py", "test_late_stores.py", "test_golden.py")
"""What is run on the host in any case."""

POISON = 0xA5
"""What memory is full of that a kernel must write first."""


class OnDevice:
    """The kernels of a text on the current GPU, with the calls of ``Hosted``.

    Args:
        text: of everything, the prelude too.
    """

    def __init__(self, text: str) -> None:
        cupy = require()
        self.module = cupy.cuda.function.Module()
        self.module.load(device_code(text, int(cupy.cuda.runtime.getDevice())))

    def launch(self, launch: Any, arguments: Any) -> None:
        """Launch a function on arguments that are on the GPU, and wait for it."""
        function = self.module.get_function(launch.function)
        if launch.shared:
            require().cuda.driver.funcSetAttribute(function.ptr, MOST_SHARED, STAGE)
        function(tuple(launch.blocks), (launch.threads,), tuple(arguments), launch.shared)
        require().cuda.get_current_stream().synchronize()

    def run(self, launch: Any, arguments: Any, order: int = 0, constant: Any = (), anywhere: bool = False) -> None:
        """Do one launch; arrays of NumPy are copied to the GPU, and those that are not constant back."""
        there = [
            moved(value, anywhere and k in constant) if isinstance(value, np.ndarray) else value
            for k, value in enumerate(arguments)
        ]
        self.launch(launch, there)
        for k, value in enumerate(arguments):
            if isinstance(value, np.ndarray) and k not in constant:
                value[...] = brought(there[k], value.dtype, value.shape)


def moved(array: Any, anywhere: bool = False) -> Any:
    """The bytes of an array on the GPU, whatever its dtype; if ``anywhere`` they begin one element behind a boundary."""
    given = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    start = array.itemsize if anywhere else 0
    memory = require().empty(start + given.size, np.uint8)[start:]
    memory.set(given)
    return memory


def brought(memory: Any, dtype: Any, shape: Any) -> Any:
    """The array that bytes on the GPU are."""
    return memory.get().view(dtype).reshape(shape)


def poisoned(size: int, dtype: Any) -> Any:
    """Memory for so many elements."""
    return require().full(size * np.dtype(dtype).itemsize, POISON, np.uint8)


@cache
def hosted(text: str) -> OnDevice:
    """The kernels of a text without the prelude."""
    return OnDevice(f"{prelude()}\n{text}")


def run_kernel(
    kernel: Any,
    *inputs: Any,
    order: int = 0,
    status: int = 0,
    host: OnDevice | None = None,
    anywhere: bool = False,
    late: bool = False,
) -> Any:
    """Do all launches of a kernel, as ``hosting.run_kernel`` does. When stores become visible is the GPU's affair."""
    outputs: dict[int, Any] = {}
    counters, states, arguments = [], [], []
    for parameter in kernel.parameters:
        match parameter.role:
            case "input":
                arguments.append(moved(np.asarray(inputs[parameter.slot], parameter.dtype), anywhere))
            case "number":
                arguments.append(parameter.dtype.type(inputs[parameter.slot]))
            case "output":
                result = kernel.results[parameter.slot]
                outputs[parameter.slot] = poisoned(result.size, result.dtype)
                arguments.append(outputs[parameter.slot])
            case "partial":
                arguments.append(poisoned(max(parameter.value, 1), parameter.dtype))
            case "counter":
                arguments.append(require().zeros(max(parameter.value, 1), np.uint32))
                counters.append(arguments[-1])
            case "status":
                arguments.append(require().zeros(1, np.int32))
                states.append(arguments[-1])
            case "size":
                kind = np.int64 if parameter.dtype is None else parameter.dtype.type
                arguments.append(kind(parameter.value))
            case "constant":
                arguments.append(parameter.dtype.type(parameter.value))
            case other:
                raise ValueError(f"a parameter of the role {other!r}")
    for launch in kernel.launches:
        (host or hosted(kernel.text)).launch(launch, arguments)
    assert not any(counter.get().any() for counter in counters), "a counter is not left zero"
    assert all(state.get()[0] == status for state in states), f"a status is not {status}"
    results = kernel.results
    return [brought(outputs[slot], own.dtype, own.shape) for slot, own in enumerate(results)]


def pytest_configure() -> None:
    """Put the GPU in the place of the host, before any test is imported.

    Raises:
        pytest.UsageError: if there is none.
    """
    cupy, reason = found()
    if cupy is None:
        raise pytest.UsageError(f"the tests of kernels have no GPU to run on: {reason}")
    cupy.cuda.set_allocator(None)  # inside of a pool no access is out of bounds
    hosting.Hosted, hosting.hosted, hosting.run_kernel = OnDevice, hosted, run_kernel
    hosting.unavailable = lambda: ""
    hosting.needs_compiler = pytest.mark.skipif(False, reason="the compiler is NVRTC")


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Leave out what has no sense on a GPU: tests of the stand-ins for it, and of texts."""
    out = [item for item in items if "cupy" in item.fixturenames or item.path.name in HOST_ALONE]
    config.hook.pytest_deselected(items=out)
    items[:] = [item for item in items if item not in out]
