"""Variables as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff.backends import gpu

if TYPE_CHECKING:
    from autodiff.facade.variables.variable import Variable


def label_of(shape: tuple[int, ...], dtype: np.dtype[Any]) -> str:
    """``"(2, 5), float32"``: shape and dtype; ``"float32"`` where there is no axis."""
    return f"({', '.join(map(str, shape))}), {dtype}" if shape else str(dtype)


def representation(variable: Variable, separator: str, shape: bool) -> str:
    """``variable([1., 2.])``: the elements as NumPy prints them, without the dtype.

    Args:
        variable: what is shown.
        separator: what stands between elements.
        shape: whether the shape is added where there are no elements.
    """
    array = variable.array
    opening = "variable(" if variable.name is None else f"variable {variable.name}("
    if gpu.is_gpu_array(array):
        array = gpu.to_host(array)
    if array is None or not hasattr(array, "__array_interface__"):
        return f"{opening}{array!r})"
    if array.size or array.shape == (0,):
        return f"{opening}{np.array2string(array, separator=separator, prefix=opening)})"
    return f"{opening}[], shape={array.shape})" if shape else f"{opening}[])"


def summary(variable: Variable) -> str:
    """``<variable NAME>``, or its address where it has none."""
    return f"<variable {variable.name}>" if variable.name is not None else f"<variable at {id(variable):#x}>"


def report(variable: Variable) -> str:
    """Seven lines that say what the Variable holds."""
    with variable.device.create_context():
        return "\n".join(lines_of(variable, variable.array))


def lines_of(variable: Variable, array: Any) -> list[str]:
    """The lines."""
    return [
        summary(variable),
        f"- device: {None if array is None else 'CPU' if isinstance(array, np.ndarray) else array.device}",
        f"- backend: {None if array is None else type(array)}",
        f"- shape: {None if array is None else array.shape}",
        f"- dtype: {None if array is None else array.dtype}",
        f"- statistics: {statistics(array)}",
        f"- grad: {'0' if variable.grad is not None and not np.any(variable.grad) else statistics(variable.grad)}",
    ]


def statistics(array: Any) -> str:
    """Mean and standard deviation as text."""
    if array is None or not array.size:
        return "None"
    return f"mean={float(np.mean(array)):.8f}, std={float(np.std(array)):.8f}"
