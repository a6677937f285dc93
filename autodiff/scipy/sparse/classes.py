"""SciPy's classes of sparse matrices, whose products take traced vectors and matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import scipy.sparse

from autodiff.numpy.traced_sparse import TracedSparse, from_arguments, operation, traced_matrix
from autodiff.scipy.mirror import holds_traced
from autodiff.trace.traced import Traced

FORMATS = ("coo", "csr", "csc", "dia", "bsr")
CLASSES: dict[str, type] = {}


def finding(name: str) -> Callable[[Any], type]:
    """What SciPy asks a matrix for the class of its results."""
    return lambda self: CLASSES[name]


def products(name: str, base: Any) -> dict[str, Any]:
    """The methods that take traced values, of a class that derives from SciPy's."""

    def make(cls: Any, arg: Any, shape: Any = None, dtype: Any = None, *args: Any, **options: Any) -> Any:
        if isinstance(arg, TracedSparse) or holds_traced(arg):
            return from_arguments(name, arg, shape, dtype)
        return object.__new__(cls)

    def matmul(self: Any, x: Any) -> Any:
        return traced_matrix(self) @ x if isinstance(x, Traced) else base.__matmul__(self, x)

    def rmatmul(self: Any, x: Any) -> Any:
        return x @ traced_matrix(self) if isinstance(x, Traced) else base.__rmatmul__(self, x)

    def mul(self: Any, x: Any) -> Any:
        return operation("multiply", self, x) if isinstance(x, Traced) else base.__mul__(self, x)

    def rmul(self: Any, x: Any) -> Any:
        return operation("multiply", x, self) if isinstance(x, Traced) else base.__rmul__(self, x)

    def dot(self: Any, x: Any) -> Any:
        return operation("A.dot", self, x) if isinstance(x, Traced) else base.dot(self, x)

    def multiply(self: Any, x: Any) -> Any:
        return operation("A.multiply", self, x) if isinstance(x, Traced) else base.multiply(self, x)

    def add(self: Any, other: Any) -> Any:
        return traced_matrix(self) + other if isinstance(other, TracedSparse) else base.__add__(self, other)

    def subtract(self: Any, other: Any) -> Any:
        return traced_matrix(self) - other if isinstance(other, TracedSparse) else base.__sub__(self, other)

    kind = name.split("_")[1]
    containers = {f"_{form}_container": property(finding(f"{form}_{kind}")) for form in FORMATS}
    return {
        "__new__": make,
        "__matmul__": matmul,
        "__rmatmul__": rmatmul,
        "__mul__": mul,
        "__rmul__": rmul,
        "__add__": add,
        "__sub__": subtract,
        "dot": dot,
        "multiply": multiply,
        "__doc__": base.__doc__,
        "__module__": __name__,
        **containers,
    }


for _form in FORMATS:
    for _kind in ("array", "matrix"):
        _name = f"{_form}_{_kind}"
        _base = getattr(scipy.sparse, _name)
        CLASSES[_name] = type(_name, (_base,), products(_name, _base))


def adopted(found: Any) -> Any:
    """A matrix of SciPy's as one of ours."""
    own = CLASSES.get(type(found).__name__)
    return found if own is None or isinstance(found, own) else own(found)
