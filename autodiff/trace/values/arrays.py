"""Where arrays lie: what is made beside an array of CuPy is made on its GPU.

CuPy is not imported here: an array of it exists only where somebody has imported it. Until then every question below
is answered by one look into a dictionary.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from autodiff.trace.source import at_user_line
from autodiff.trace.spec import ChunkedSpec, Spec, is_chunked, spec_of
from autodiff.trace.tracer import concrete

LATE: dict[str, Callable[[], Any]] = {}
"""Parts of CuPy that must be imported by themselves, by name: entered by the file that imports CuPy."""


def on_gpu(value: Any) -> bool:
    """Whether it is an array of CuPy, traced or not."""
    cupy = sys.modules.get("cupy")
    return cupy is not None and isinstance(concrete(value), cupy.ndarray)


def is_array(value: Any) -> bool:
    """Whether it is an array of NumPy or CuPy, not traced."""
    if isinstance(value, np.ndarray):
        return True
    cupy = sys.modules.get("cupy")
    return cupy is not None and isinstance(value, cupy.ndarray)


def any_on_gpu(values: Iterable[Any]) -> bool:
    """Whether one of the values, none of which is traced, is an array of CuPy."""
    cupy = sys.modules.get("cupy")
    return cupy is not None and any(isinstance(value, cupy.ndarray) for value in values)


def first_on_gpu(values: Iterable[Any]) -> Any:
    """The first of the values that is an array of CuPy, traced or not; None where there is none."""
    cupy = sys.modules.get("cupy")
    if cupy is None:
        return None
    return next((value for value in values if isinstance(concrete(value), cupy.ndarray)), None)


def module_of(*values: Any) -> Any:
    """The library that makes arrays which meet these ones: CuPy's, Dask's where one of them is in chunks, or NumPy.

    >>> module_of(np.ones(2), 3.0).__name__
    'numpy'
    """
    dask = sys.modules.get("dask.array")
    if dask is not None and any(is_chunked(concrete(value)) for value in values):
        return dask
    return gpu_module(*values) or np


def index_module(*values: Any) -> Any:
    """The library that makes indices of these arrays: CuPy on a GPU; of arrays in chunks they are in memory."""
    return gpu_module(*values) or np


def gpu_module(*values: Any) -> Any:
    """CuPy, if one of the values is on a GPU; otherwise None."""
    cupy = sys.modules.get("cupy")
    return cupy if cupy is not None and any(isinstance(concrete(v), cupy.ndarray) for v in values) else None


def zeros(slot: Spec, like: Any) -> Any:
    """An array of zeros, where another value lies."""
    module = module_of(like)
    if type(slot) is ChunkedSpec and module is not np:
        return module.zeros(slot.shape, dtype=slot.dtype, chunks=slot.chunks)
    return module.zeros(slot.shape, dtype=slot.dtype)


def placed(array: Any, *beside: Any) -> Any:
    """A constant of the library's own, brought to where other values lie; values on a GPU stay as they are."""
    module = gpu_module(*beside)
    return array if module is None or on_gpu(array) else module.asarray(array)


def placed_number(value: Any, *beside: Any) -> Any:
    """A plain number as an array on the GPU of other values; anything else as it is."""
    if isinstance(value, (bool, int, float, complex, np.generic)):
        module = gpu_module(*beside)
        return value if module is None else module.asarray(value)
    return value


def placed_constants(constants: Sequence[Any], inputs: Iterable[Any]) -> Sequence[Any]:
    """The constants of a tape, where the inputs lie that it runs on."""
    if not constants or sys.modules.get("cupy") is None:
        return constants
    module = gpu_module(*inputs)
    if module is None:
        return constants
    return [uploaded(one, module) if isinstance(one, np.ndarray) else one for one in constants]


_uploaded: dict[tuple[int, int], Any] = {}
"""The copies of constants that nobody can write to, by the constant and the GPU."""


def uploaded(constant: np.ndarray[Any, Any], module: Any) -> Any:
    """A constant on the current GPU: loops run one tape many times, and copy it once.

    The copy that is kept is waited for, once, since other streams than the current one will read it. While a stream is
    captured nobody can wait, so the copy stays the capture's own.
    """
    if constant.flags.writeable:
        return module.asarray(constant)
    key = id(constant), module.cuda.Device().id
    found = _uploaded.get(key)
    if found is None:
        found, stream = module.asarray(constant), module.cuda.get_current_stream()
        if stream.is_capturing():
            return found
        stream.synchronize()
        _uploaded[key] = found
        weakref.finalize(constant, _uploaded.pop, key, None)
    return found


def check_places(name: str, operands: Iterable[Any]) -> None:
    """Refuse operands of one operation that do not lie in one place; numbers lie everywhere.

    Raises:
        TypeError: naming what lies where.
    """
    problem = misplaced(operands)
    if problem is not None:
        raise TypeError(f"{name}: {problem}")


def misplaced(operands: Iterable[Any]) -> str | None:
    """What is wrong with the places of operands, with the user's line; None where nothing is."""
    cupy = sys.modules.get("cupy")
    if cupy is None:
        return None
    found: dict[str, Any] = {}
    for operand in operands:
        value = concrete(operand)
        if isinstance(value, cupy.ndarray):
            found.setdefault(f"on GPU {value.device.id}", value)
        elif isinstance(value, np.ndarray):
            found.setdefault("in host memory (NumPy)", value)
    if len(found) < 2:
        return None
    listed = " and ".join(f"{spec_of(value)!r} {place}" for place, value in found.items())
    return f"its operands lie in different places, {listed}{at_user_line()}; {remedy(list(found))}"


def remedy(places: Sequence[str]) -> str:
    """What to do with operands in different places."""
    if any(place.startswith("in host") for place in places):
        return "nothing is moved unasked: bring them together with cupy.asarray(x), or with x.get() in host memory"
    return "nothing is moved unasked: bring one over inside of 'with cupy.cuda.Device(n):' with cupy.asarray(x)"
