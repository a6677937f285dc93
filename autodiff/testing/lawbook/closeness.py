"""How far two arrays are apart, and whether that is too far for their dtype."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from autodiff.trace.trees.tree import flatten

TOLERANCES = {
    #            relative, absolute
    "float16": (2e-2, 2e-3),
    "float32": (1e-4, 1e-5),
    "float64": (1e-7, 1e-9),
    "complex64": (1e-4, 1e-5),
    "complex128": (1e-7, 1e-9),
}


@dataclass(frozen=True)
class Difference:
    """The place where two arrays are furthest apart."""

    index: tuple[int, ...]
    actual: Any
    desired: Any
    error: float
    allowed: float
    count: int
    size: int

    def __str__(self) -> str:
        place = f" at index {self.index}, the largest of {self.count} in {self.size} elements" if self.index else ""
        return (
            f"  arrived    {self.actual!r}\n"
            f"  expected   {self.desired!r}\n"
            f"  error      {self.error:.3g}{place}\n"
            f"  allowed    {self.allowed:.3g}"
        )


def tolerance(*dtypes: DTypeLike) -> tuple[float, float]:
    """(relative, absolute) tolerance for the least precise of the dtypes; zero for whole numbers and bools.

    >>> tolerance("float64", "float32")
    (0.0001, 1e-05)
    """
    return max((TOLERANCES.get(np.dtype(dtype).name, (0.0, 0.0)) for dtype in dtypes), default=(0.0, 0.0))


def difference(actual: Any, desired: Any, allowed: Any) -> Difference | None:
    """The largest difference between two arrays of one shape, or None where none is more than allowed.

    NaN equals NaN, and an infinity equals itself. `allowed` broadcasts to the arrays; elements where it is
    NaN are left out.
    """
    a, b = np.asarray(actual), np.asarray(desired)
    with np.errstate(all="ignore"):
        same = (a == b) | ((a != a) & (b != b))
        error = np.where(same, 0.0, abs(np.subtract(a, b, dtype=np.result_type(a, b, np.float32))))
    error = np.where(np.isnan(error), np.inf, error)
    bound = np.broadcast_to(np.asarray(allowed, dtype=np.float64), error.shape)
    wrong = error > bound
    if not wrong.any():
        return None
    worst = np.unravel_index(int(np.argmax(np.where(wrong, error, -1.0))), error.shape)
    index = tuple(int(i) for i in worst)
    return Difference(index, a[index], b[index], float(error[index]), float(bound[index]), int(wrong.sum()), a.size)


def assert_close(actual: Any, desired: Any, *, rtol: float | None = None, atol: float | None = None) -> None:
    """Check that two trees of arrays agree to the precision of their dtypes.

    Args:
        actual: tree of arrays.
        desired: tree of the same structure and shapes; dtypes may differ.
        rtol: tolerance relative to the element's own value; by default that of the less precise dtype.
        atol: absolute tolerance, likewise.

    Raises:
        AssertionError: naming the leaf, the index, both values and the largest error.

    >>> assert_close((1.0, np.array([np.nan])), (1.0 + 1e-12, np.array([np.nan])))
    """
    left, right = flatten(actual)[0], flatten(desired)[0]
    if len(left) != len(right):
        raise AssertionError(f"{len(left)} leaves arrived, {len(right)} are expected; give trees of equal structure")
    for number, (a, b) in enumerate(zip(left, right, strict=True)):
        if np.shape(a) != np.shape(b):
            raise AssertionError(f"leaf {number}: shape {np.shape(a)} arrived, {np.shape(b)} is expected")
        found = difference(a, b, bound(a, b, rtol, atol))
        if found is not None:
            raise AssertionError(f"leaf {number} of {len(left)} is not close\n{found}")


def bound(actual: Any, desired: Any, rtol: float | None = None, atol: float | None = None) -> NDArray[np.float64]:
    """The error allowed for every element of `desired`."""
    relative, absolute = tolerance(np.asarray(actual).dtype, np.asarray(desired).dtype)
    with np.errstate(all="ignore"):
        scale = np.where(np.isfinite(desired), abs(np.asarray(desired)), 0.0)
    return np.asarray((absolute if atol is None else atol) + (relative if rtol is None else rtol) * scale)
