"""CuPy, where it is installed and finds a GPU: nothing else in the package names it.

It is imported when it is first asked for, since that takes a second. An array of CuPy can only exist once CuPy has
been imported, so looking at arrays never imports it.
"""

from __future__ import annotations

import functools
import sys
import warnings
from contextlib import nullcontext
from importlib import import_module
from typing import Any

from autodiff.backends.cupy.runtime.absent import reason_without_gpu
from autodiff.trace.source import at_user_line
from autodiff.trace.values.arrays import LATE

OLDEST = 14
"""The first CuPy that gives results the dtypes that NumPy 2 gives them."""


@functools.cache
def found() -> tuple[Any, str]:
    """CuPy, or None and why not."""
    try:
        import cupy  # noqa: PLC0415 - an optional extra, slow to import
    except Exception as error:  # an installed CuPy that does not fit the driver raises many things
        return None, f"{type(error).__name__}: {error}"
    if int(cupy.__version__.partition(".")[0]) < OLDEST:
        return None, (
            f"CuPy {cupy.__version__} promotes numbers by their values, as NumPy 2 no longer does: "
            f"{OLDEST} or newer is needed"
        )
    if not cupy.is_available():
        return None, reason_without_gpu(cupy)
    return cupy, ""


def library() -> Any:
    """CuPy, or None."""
    return found()[0]


def require() -> Any:
    """CuPy.

    Raises:
        RuntimeError: if there is none that works.
    """
    cupy, reason = found()
    if cupy is None:
        raise RuntimeError(
            f"CUDA is not correctly set up ({reason}){at_user_line()}; install CuPy for the version of CUDA (pip "
            "install cupy-cuda12x, say), or stay on the CPU: device -1 or '@numpy'"
        )
    return cupy


def is_gpu_array(value: Any) -> bool:
    """Whether it is an array of CuPy."""
    cupy = sys.modules.get("cupy")
    return cupy is not None and isinstance(value, cupy.ndarray)


def array_module(*values: Any) -> Any:
    """CuPy if one of the values is its array, otherwise None."""
    return sys.modules["cupy"] if any(map(is_gpu_array, values)) else None


def to_host(array: Any, stream: Any = None) -> Any:
    """A GPU array as an array of NumPy.

    Args:
        array: an array of CuPy.
        stream: the CUDA stream in which it is copied.
    """
    return array.get(stream=stream)


def to_gpu(array: Any, device: Any = None, stream: Any = None) -> Any:
    """An array on a GPU: the given one if it is there already.

    Args:
        array: an array of CuPy or NumPy, or a number.
        device: the number of the GPU or a ``cupy.cuda.Device``; None for the current one, and for the one where the
            array is already.
        stream: the CUDA stream in which it is copied.
    """
    cupy = require()
    if is_gpu_array(array) and (device is None or array.device.id == int(device)):
        return array
    with cupy.cuda.Device(device), nullcontext() if stream is None else stream:
        return array.copy() if is_gpu_array(array) else cupy.asarray(array)


def copy(array: Any, out: Any = None, device: Any = None, stream: Any = None) -> Any:
    """A copy of a GPU array.

    Args:
        array: what is copied.
        out: where to; a new array if None.
        device: the GPU of the new array; None for the one of ``array``.
        stream: the CUDA stream in which it is copied.
    """
    cupy = require()
    if out is None:
        with cupy.cuda.Device(array.device.id if device is None else int(device)):
            out = cupy.empty_like(array)
    with out.device, nullcontext() if stream is None else stream:
        cupy.copyto(out, array)
    return out


def synchronize() -> None:
    """Wait until the current GPU has done what it was given in the current stream."""
    require().cuda.get_current_stream().synchronize()


def special_functions() -> Any:
    """CuPy's counterpart of scipy.special."""
    return import_module("cupyx.scipy.special")  # takes a while, like SciPy's


LATE["special"] = special_functions


def mapped_zeros(count: int, dtype: Any) -> Any:
    """Zeros in an array of NumPy whose memory GPUs reach too, by the same address: it is pinned."""
    return import_module("cupyx").zeros_pinned(count, dtype)


def nccl_found() -> tuple[Any, str]:
    """``cupy.cuda.nccl``, which passes arrays between GPUs, or None and why not."""
    cupy, reason = found()
    if cupy is None:
        return None, reason
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what CuPy warns of is said by those who ask
        try:
            from cupy.cuda import nccl  # noqa: PLC0415 - an optional extra
        except Exception as error:
            return None, f"{type(error).__name__}: {error}"
    return (nccl, "") if nccl.available else (None, "CuPy finds no library of NCCL")


def require_nccl() -> Any:
    """``cupy.cuda.nccl``.

    Raises:
        RuntimeError: if there is no GPU or no NCCL.
    """
    require()
    nccl, reason = nccl_found()
    if nccl is None:
        raise RuntimeError(
            f"NCCL is not available ({reason}){at_user_line()}; install it for the version of CUDA (pip install "
            "nvidia-nccl-cu12, say), or train on one GPU with StandardUpdater"
        )
    return nccl
