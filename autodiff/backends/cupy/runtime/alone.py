"""A kernel by itself, as a function of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.backends.cupy.kernels.kernel import DeviceKernel
from autodiff.backends.cupy.runtime.calls import Call
from autodiff.backends.cupy.runtime.device import device_of, on_device
from autodiff.backends.cupy.runtime.launching import FILE, launch_scope, launch_text, scratch_of
from autodiff.backends.cupy.runtime.modules import KernelModule
from autodiff.backends.cupy.runtime.scratch import ScratchPool


def as_number(value: Any) -> Any:
    """A value with NumPy's arrays without axes as numbers."""
    return value[()] if isinstance(value, np.ndarray) and not value.ndim else value


def lone_call(kernel: DeviceKernel) -> Callable[..., tuple[Any, ...]]:
    """A kernel by itself as a function of arrays on one GPU, which is the current one while it is launched."""
    module = KernelModule()
    text = launch_text(kernel, module.add(kernel), range(len(kernel.parameters)))
    own = ScratchPool(scratch_of(kernel), [None] * sum(scratch.role == "status" for scratch in scratch_of(kernel)))
    ready: dict[int, Callable[..., tuple[Any, ...]]] = {}

    def loaded(device: int) -> Callable[..., tuple[Any, ...]]:
        scope = launch_scope(kernel)
        functions = module.functions(device)
        scope.update({name: functions[name] for name in text.functions})
        exec(compile(text.source, FILE, "exec"), scope)
        return ready.setdefault(device, scope["launch"])

    def run(*values: Any) -> tuple[Any, ...]:
        device = device_of(values, "a kernel")
        with on_device(device), Call(own) as call:
            outs = (ready.get(device) or loaded(device))(*map(as_number, values), *call.own())
            call.check()
        return outs

    return run
