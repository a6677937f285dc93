"""The errors of programs on GPUs: what CUDA complains of, in words, with the operation and the user's line."""

from __future__ import annotations

from typing import Any

from autodiff.backends.gpu import require
from autodiff.trace.errors import AutodiffError
from autodiff.trace.tape import Equation


class DeviceMemoryError(AutodiffError, MemoryError):
    """A GPU has no memory left for what a program makes."""


class LaunchError(AutodiffError, RuntimeError):
    """CUDA refused a kernel of a program, or something that ran before it has failed."""


def explained_on_gpu(error: Exception, raised: Exception, equation: Equation | None) -> Exception:
    """An error as the user gets it.

    Args:
        error: as it is told of operations that are not a GPU's.
        raised: as it was raised.
        equation: the operation, where it is known.
    """
    cuda = require().cuda
    if isinstance(raised, cuda.memory.OutOfMemoryError):
        return DeviceMemoryError(memory_text(raised, equation))
    if isinstance(raised, (cuda.runtime.CUDARuntimeError, cuda.driver.CUDADriverError)):
        return LaunchError(launch_text(raised, equation))
    return error


def place(equation: Equation | None) -> str:
    """An operation and its line, as texts begin."""
    if equation is None:
        return "a program on a GPU"
    return f"{called(equation)}{f' ({equation.source})' if equation.source else ''}"


def called(equation: Equation) -> str:
    """What an operation is called: of a kernel what it does."""
    from autodiff.backends.reports.sources import names_of  # noqa: PLC0415 - of reports only this is needed, and rarely

    tape: Any = dict(equation.params).get("tape")
    return f"the kernel of {names_of(tape)}" if equation.primitive.name == "device_kernel" else equation.primitive.name


def memory_text(raised: Exception, equation: Equation | None) -> str:
    """What is said where memory is short."""
    wanted = sum(own.size * own.dtype.itemsize for own in equation.specs) if equation is not None else 0
    results = f" for results of {wanted:,} bytes" if wanted else ""
    return (
        f"{place(equation)}: the GPU has no memory left{results}: {raised} Drop arrays that nobody needs, take smaller "
        "batches or autodiff.checkpoint, or give back what CuPy keeps: "
        "cupy.get_default_memory_pool().free_all_blocks(). Arguments are as they were; the program may be called again."
    )


def launch_text(raised: Exception, equation: Equation | None) -> str:
    """What is said where CUDA refuses something."""
    return (
        f"{place(equation)}: CUDA refuses it: {raised}. If the memory of arguments is sound, this is a bug of "
        "autodiff: please report it. CUDA reports what went wrong earlier, too: CUDA_LAUNCH_BLOCKING=1 in the "
        "environment shows where. After an illegal address nothing runs in this process any more."
    )


def out_of_range(equation: Equation | None) -> str:
    """What is said where an index is out of range."""
    return f"{place(equation)}: an index is out of range for the axis that it picks from"
