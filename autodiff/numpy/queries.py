"""NumPy's questions about arrays: the answers depend on shapes and dtypes alone, and have no derivative."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.numpy.arrays.outline import known, outline
from autodiff.numpy.axes import negative_axes
from autodiff.numpy.dispatch import as_operand, constant, implements
from autodiff.trace.errors import ConcretizationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, dtype_or_python, spec_of
from autodiff.trace.traced import Traced


@implements(np.shape)
def shape(a: Any) -> tuple[int, ...]:
    """The lengths of the axes."""
    return spec_of(as_operand(a)).shape


@implements(np.ndim)
def ndim(a: Any) -> int:
    """How many axes there are."""
    return len(shape(a))


@implements(np.size)
def size(a: Any, axis: Any = None) -> int:
    """How many elements there are, in all or along some axes."""
    lengths = shape(a)
    return int(np.prod([lengths[k] for k in negative_axes(axis, len(lengths))], dtype=int))


def _typed(value: Any) -> Any:
    """What stands for a value where only its dtype counts: Python numbers are weak."""
    if not isinstance(value, Traced):
        return value
    kind = dtype_or_python(spec_of(value))
    return kind() if isinstance(kind, type) else kind


@implements(np.result_type)
def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """The dtype that NumPy promotes to."""
    return np.result_type(*map(_typed, arrays_and_dtypes))


@implements(np.can_cast)
def can_cast(from_: Any, to: Any, casting: Any = "safe") -> bool:
    """Whether one dtype converts to another by a rule."""
    return np.can_cast(_typed(from_), to, casting)


@implements(np.common_type)
def common_type(*arrays: Any) -> Any:
    """The floating dtype that holds all arrays."""
    return np.common_type(*(np.empty(0, spec_of(array).dtype) for array in arrays))


@implements(np.min_scalar_type)
def min_scalar_type(a: Any) -> np.dtype[Any]:
    """The dtype of an array; of a number the smallest that holds it."""
    if spec_of(a).shape:
        return spec_of(a).dtype
    if isinstance(known(a), Spec):
        raise ConcretizationError(
            f"np.min_scalar_type depends on the value of a traced {spec_of(a)!r}{at_user_line()}, of which only "
            "the dtype is known; use its dtype"
        )
    return np.min_scalar_type(known(a))


@implements(np.diag_indices_from)
def diag_indices_from(arr: Any) -> tuple[Any, ...]:
    """The indices of the main diagonal of an array whose lengths are all equal."""
    return np.diag_indices_from(outline(arr))


@implements(np.tril_indices_from)
def tril_indices_from(arr: Any, k: int = 0) -> tuple[Any, ...]:
    """The indices of the lower triangle of a matrix."""
    return np.tril_indices_from(outline(arr), k)


@implements(np.triu_indices_from)
def triu_indices_from(arr: Any, k: int = 0) -> tuple[Any, ...]:
    """The indices of the upper triangle of a matrix."""
    return np.triu_indices_from(outline(arr), k)


constant(np.shares_memory, np.may_share_memory, np.array_repr, np.array_str, np.array2string)
