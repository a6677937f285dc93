"""How kernels are called: a Python function for each, printed, that makes its results and launches it.

A kernel of two inputs runs::

    def launch(in0, in1):
        if not in1.flags.c_contiguous or in1.data.ptr & 3:
            in1 = copied(in1)
        out0 = empty((128, 64), float32)
        kernel_1((64, 1), (256,), (in0, in1, out0, size_6), 0)
        return (out0,)

The functions are known once the module of the program is loaded: they are put where the text looks for them then.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff.backends.cupy.kernels.kernel import DeviceKernel, Parameter
from autodiff.backends.cupy.libraries.copies import in_order
from autodiff.backends.gpu import require

FILE = "<autodiff launch>"


@dataclass(frozen=True)
class Scratch:
    """Memory that a kernel needs besides its inputs and results; calls of a program hand it from one to the next.

    Attributes:
        role: ``partial``, ``counter`` or ``status``.
        size: elements.
        dtype: of the elements.
    """

    role: str
    size: int
    dtype: np.dtype[Any]


def scratch_of(kernel: DeviceKernel) -> tuple[Scratch, ...]:
    """What a kernel needs besides, in the order of its parameters."""
    return tuple(scratch(p) for p in kernel.parameters if p.role in ("partial", "counter", "status"))


def scratch(parameter: Parameter) -> Scratch:
    """The memory of a parameter."""
    if parameter.role == "partial":
        assert parameter.dtype is not None
        return Scratch("partial", max(int(parameter.value), 1), parameter.dtype)
    if parameter.role == "counter":
        return Scratch("counter", max(int(parameter.value), 1), np.dtype(np.uint32))
    return Scratch("status", 1, np.dtype(np.int32))


@dataclass(frozen=True)
class LaunchText:
    """The text of the function that calls a kernel.

    Attributes:
        source: defines ``launch``: its parameters are the inputs of the kernel, then its scratch.
        functions: the names that functions of the module must have there.
    """

    source: str
    functions: tuple[str, ...]


def launch_text(
    kernel: DeviceKernel, functions: Sequence[str], unsure: Collection[int], given: Collection[int] = ()
) -> LaunchText:
    """The text of the function that calls a kernel.

    Args:
        kernel: the kernel.
        functions: the names of its functions in the module, one for each launch.
        unsure: the inputs that may lie in memory in another way than kernels read it.
        given: the outputs whose memory is given: after the inputs, in the order of the outputs.
    """
    inputs = {p.slot: p for p in kernel.parameters if p.role in ("input", "number")}
    count = max(inputs, default=-1) + 1
    names = [f"in{slot}" for slot in range(count)]
    outs = [f"out{place}" for place, _ in enumerate(kernel.results) if place in given]
    own = [f"scratch{place}" for place, _ in enumerate(scratch_of(kernel))]
    lines = [f"def launch({', '.join((*names, *outs, *own))}):"]
    for slot, parameter in inputs.items():
        if parameter.role == "input" and slot in unsure:
            assert parameter.dtype is not None
            astray = f"in{slot}.data.ptr & {parameter.dtype.itemsize - 1}"
            lines.append(f"    if not in{slot}.flags.c_contiguous or {astray}:")
            lines.append(f"        in{slot} = copied(in{slot})")
        if parameter.role == "number":
            lines.append(f"    in{slot} = number_{slot}(in{slot})")
    for place, spec in enumerate(kernel.results):
        if place not in given:
            lines.append(f"    out{place} = empty({spec.shape!r}, dtype_{place})")
    passed = ", ".join(arguments(kernel))
    for launch, function in zip(kernel.launches, functions, strict=True):
        lines.append(f"    {function}({launch.blocks!r}, ({launch.threads},), ({passed},), {launch.shared})")
    results = "".join(f"out{place}, " for place in range(len(kernel.results)))
    lines.append(f"    return ({results})")
    return LaunchText("\n".join(lines) + "\n", tuple(dict.fromkeys(functions)))


def arguments(kernel: DeviceKernel) -> list[str]:
    """What each function is given, in the order of its parameters."""
    found, own = [], 0
    for place, parameter in enumerate(kernel.parameters):
        if parameter.role in ("input", "number"):
            found.append(f"in{parameter.slot}")
        elif parameter.role == "output":
            found.append(f"out{parameter.slot}")
        elif parameter.role in ("size", "constant"):
            found.append(f"{parameter.role}_{place}")
        else:
            found.append(f"scratch{own}")
            own += 1
    return found


def launch_scope(kernel: DeviceKernel) -> dict[str, Any]:
    """What the text of the function that calls a kernel refers to, besides functions of the module."""
    cupy = require()
    scope: dict[str, Any] = {"empty": cupy.ndarray, "copied": in_order}  # as cupy.empty, which takes longer
    for place, spec in enumerate(kernel.results):
        scope[f"dtype_{place}"] = spec.dtype
    for place, parameter in enumerate(kernel.parameters):
        if parameter.role in ("size", "constant"):
            kind = np.int64 if parameter.dtype is None else parameter.dtype.type
            scope[f"{parameter.role}_{place}"] = kind(parameter.value)
        elif parameter.role == "number":
            assert parameter.dtype is not None
            scope[f"number_{parameter.slot}"] = parameter.dtype.type
    return scope
