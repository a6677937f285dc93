"""GPUs with CuPy: everything is there without a GPU too, and says what is missing when it is used.

``available``, ``cupy``, ``ndarray``, ``Device``, ``Event`` and ``Stream`` are CuPy's where it works. Where it does not,
``available`` is False, ``cupy`` is an object without attributes and the others are empty classes, so that programs can
ask ``isinstance(x, cuda.ndarray)``.

>>> import numpy as np
>>> get_array_module(np.ones(2)).__name__, int(get_device_from_array(np.ones(2)))
('numpy', -1)
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from autodiff.backends import gpu
from autodiff.chainer.backend import get_array_module
from autodiff.chainer.backends import without_cuda
from autodiff.facade.settings.configuration import config
from autodiff.facade.settings.devices import CPU, GpuDevice, gpu_number, mapped
from autodiff.trace.source import at_user_line

__all__ = [
    "DummyDevice",
    "DummyDeviceType",
    "GpuDevice",
    "check_cuda_available",
    "clear_memo",
    "config",
    "copy",
    "cudnn_enabled",
    "elementwise",
    "fuse",
    "get_array_module",
    "get_cudnn_dropout_states",
    "get_cudnn_dropout_states_core",
    "get_device",
    "get_device_from_array",
    "get_device_from_id",
    "get_max_workspace_size",
    "memoize",
    "raw",
    "reduce",
    "set_max_workspace_size",
    "should_use_cudnn",
    "should_use_cudnn_tensor_core",
    "to_cpu",
    "to_gpu",
]

DummyDeviceType = without_cuda.DummyDeviceType
DummyDevice = DummyDeviceType()
"""The "GPU" of arrays that are on the CPU: number -1."""

cudnn_enabled = False
"""False: functions are made of NumPy's and CuPy's own operations."""


def __getattr__(name: str) -> Any:
    if name == "available":
        return gpu.library() is not None
    if name == "cupy":
        return gpu.library() or without_cuda.cupy
    if name == "ndarray":
        return (gpu.library() or without_cuda).ndarray
    if name in ("Device", "Event", "Stream"):
        cupy = gpu.library()
        return getattr(cupy.cuda if cupy else without_cuda, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def check_cuda_available() -> None:
    """See that a GPU can be used.

    Raises:
        RuntimeError: if not; the text says why.
    """
    gpu.require()


def get_device_from_id(device_id: int | None) -> Any:
    """The GPU of that number as a ``cupy.cuda.Device``; :data:`DummyDevice` for None and negative numbers."""
    if device_id is None or device_id < 0:
        return DummyDevice
    return gpu.require().cuda.Device(gpu_number(device_id))


def get_device_from_array(*arrays: Any) -> Any:
    """The GPU of the first array that is on one as a ``cupy.cuda.Device``, otherwise :data:`DummyDevice`."""
    return next((array.device for array in arrays if gpu.is_gpu_array(array)), DummyDevice)


def get_device(*args: Any) -> Any:
    """The GPU of the first argument that has one. Deprecated.

    Args:
        args: numbers, ``cupy.cuda.Device``, arrays.
    """
    warnings.warn(
        "cuda.get_device is deprecated; use cuda.get_device_from_id or cuda.get_device_from_array",
        DeprecationWarning,
        stacklevel=2,
    )
    for arg in args:
        if isinstance(arg, (int, np.integer)):
            return get_device_from_id(int(arg))
        if isinstance(arg, GpuDevice):
            return arg.device
        if isinstance(arg, __getattr__("Device")):
            return arg
    return get_device_from_array(*args)


def to_cpu(array: Any, stream: Any = None) -> Any:
    """Arrays on the CPU: the very array where it is there already.

    Args:
        array: an array, a number, None, or lists and tuples of them.
        stream: the CUDA stream in which they are copied.

    Raises:
        TypeError: if something else is among them.
    """
    return mapped(
        lambda one: gpu.to_host(one, stream) if gpu.is_gpu_array(one) else CPU.send_array(one),
        array,
    )


def to_gpu(array: Any, device: Any = None, stream: Any = None) -> Any:
    """Arrays on a GPU: the very array where it is there already.

    Args:
        array: an array, a number, None, or lists and tuples of them.
        device: the number of the GPU or a ``cupy.cuda.Device``; None for the current one.
        stream: the CUDA stream in which they are copied.

    Raises:
        RuntimeError: if no GPU can be used.
        TypeError: if something else is among the arrays.
    """
    gpu.require()
    device = None if device is None else gpu_number(int(device))
    return mapped(lambda one: gpu.to_gpu(one if gpu.is_gpu_array(one) else CPU.send_array(one), device, stream), array)


def copy(array: Any, out: Any = None, out_device: Any = None, stream: Any = None) -> Any:
    """A copy of a GPU array, on any GPU.

    Args:
        array: what is copied.
        out: where to; a new array if None.
        out_device: the GPU of the new array; the one of ``array`` if None.
        stream: the CUDA stream in which it is copied.
    """
    gpu.require()
    if out is not None and out_device is not None:
        raise ValueError(f"cuda.copy got both out and out_device{at_user_line()}; the device of out counts: leave one")
    return gpu.copy(array, out, out_device, stream)


def memoize(for_each_device: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: the function is run once for each list of arguments.

    Args:
        for_each_device: whether also once for each GPU.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def run(*args: Any, **keywords: Any) -> Any:
            cupy = gpu.library()
            if "kept" not in run.__dict__ or run.__dict__["kept"][0] is not cupy:
                run.__dict__["kept"] = cupy, cupy.memoize(for_each_device)(function) if cupy else function
            return run.__dict__["kept"][1](*args, **keywords)

        return run

    return decorate


def clear_memo() -> None:
    """Forget what :func:`memoize` keeps."""
    cupy = gpu.library()
    if cupy:
        cupy.clear_memo()


def elementwise(in_params: str, out_params: str, operation: str, name: str, **kwargs: Any) -> Any:
    """The ``cupy.ElementwiseKernel`` of a CUDA expression, compiled once."""
    gpu.require()
    return kernel("ElementwiseKernel", in_params, out_params, operation, name, **kwargs)


def reduce(
    in_params: str,
    out_params: str,
    map_expr: str,
    reduce_expr: str,
    post_map_expr: str,
    identity: Any,
    name: str,
    **kwargs: Any,
) -> Any:
    """The ``cupy.ReductionKernel`` of CUDA expressions, compiled once."""
    gpu.require()
    return kernel(
        "ReductionKernel", in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name, **kwargs
    )


def raw(code: str, name: str, *args: Any, **kwargs: Any) -> Any:
    """The ``cupy.RawKernel`` of CUDA code, compiled once."""
    gpu.require()
    return kernel("RawKernel", code, name, *args, **kwargs)


@memoize(for_each_device=True)
def kernel(kind: str, *args: Any, **kwargs: Any) -> Any:
    """One of CuPy's kernels."""
    return getattr(gpu.require(), kind)(*args, **kwargs)


def fuse(*args: Any, **kwargs: Any) -> Any:
    """``cupy.fuse``, as a decorator with or without arguments; without a GPU the function as it is."""
    cupy = gpu.library()
    if cupy:
        return cupy.fuse(*args, **kwargs)
    return args[0] if args and callable(args[0]) else lambda function: function


def should_use_cudnn(level: str, lowest_version: int = 0) -> bool:
    """False: functions are made of CuPy's own operations.

    Args:
        level: ``"==always"`` or ``">=auto"``.
        lowest_version: of cuDNN.
    """
    return False


def should_use_cudnn_tensor_core(dtype: Any) -> bool:
    """False, as :func:`should_use_cudnn`."""
    return False


def get_cudnn_dropout_states() -> NoReturn:
    """Say that cuDNN is not used.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError("cuDNN is not enabled: functions are made of CuPy's own operations")


def get_cudnn_dropout_states_core(thread_id: int) -> NoReturn:
    """Say that cuDNN is not used.

    Args:
        thread_id: of the thread whose states are wanted.

    Raises:
        RuntimeError: always.
    """
    get_cudnn_dropout_states()


def get_max_workspace_size() -> int:
    """0: no function of cuDNN is used that needs one."""
    return 0


def set_max_workspace_size(size: int) -> None:
    """Nothing: no function of cuDNN is used that needs a workspace.

    Args:
        size: in bytes.
    """
