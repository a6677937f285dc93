"""Vector spaces of values: what can be added, scaled, and taken apart into a basis."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np

from autodiff.compat.autograd.boxes import getval
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.trees.tree import flatten
from autodiff.tree.mapping import map as map_tree


class VSpace:
    """The space of trees of arrays and numbers that are like a value.

    Attributes:
        shape: of an array; None of other trees.
        dtype: of an array; None of other trees.
        size: how many real numbers a value has.
        iscomplex: whether any of them are parts of complex numbers.
    """

    mappings: ClassVar[dict[type, Callable[[Any], Any]]] = {}

    def __init__(self, value: Any) -> None:
        leaves, self.structure = flatten(getval(value))
        self.specs: list[Spec] = [spec_of(leaf) for leaf in leaves]
        alone = self.structure.kind is None
        self.shape: Any = self.specs[0].shape if alone else None
        self.dtype: Any = self.specs[0].dtype if alone else None
        self.iscomplex = any(own.dtype.kind == "c" for own in self.specs)
        self.size = sum(own.size * (2 if own.dtype.kind == "c" else 1) for own in self.specs)

    @classmethod
    def register(cls, value_type: type, vspace_maker: Callable[[Any], Any] | None = None) -> None:
        """Let :func:`vspace` make spaces of values of a class.

        Transformations look inside of trees alone: :func:`autodiff.register_tree` makes the values of a class some.
        """
        VSpace.mappings[value_type] = vspace_maker or cls

    def zeros(self) -> Any:
        """Zero."""
        return self.structure.unflatten(np.zeros(own.shape, floating(own)) for own in self.specs)

    def ones(self) -> Any:
        """The sum of the unit vectors: ones, 1 + 1j where numbers are complex."""
        parts = [(own, 1 + 1j if own.dtype.kind == "c" else 1) for own in self.specs]
        return self.structure.unflatten(np.full(own.shape, one, floating(own)) for own, one in parts)

    def randn(self) -> Any:
        """Standard normal numbers."""
        return self.structure.unflatten(map(drawn, self.specs))

    def standard_basis(self) -> Iterator[Any]:
        """The unit vectors; those of complex numbers by real and imaginary parts."""
        for k, own in enumerate(self.specs):
            for unit in (1, 1j) if own.dtype.kind == "c" else (1,):
                for place in np.ndindex(own.shape):
                    leaves = [np.zeros(other.shape, floating(other)) for other in self.specs]
                    leaves[k][place] = unit
                    yield self.structure.unflatten(leaves)

    def add(self, x: Any, y: Any) -> Any:
        """The sum."""
        return map_tree(lambda a, b: a + b, x, y)

    def scalar_mul(self, x: Any, a: Any) -> Any:
        """A multiple."""
        return map_tree(lambda part: part * a, x)

    def covector(self, x: Any) -> Any:
        """The value as a linear form: the complex conjugate."""
        return map_tree(np.conj, x) if self.iscomplex else x

    def inner_prod(self, x: Any, y: Any) -> Any:
        """The real inner product."""
        pairs = zip(flatten(x)[0], flatten(y)[0], strict=True)
        return sum((np.real(np.vdot(a, b)) for a, b in pairs), 0.0)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VSpace) and (self.structure, self.forms) == (other.structure, other.forms)

    def __hash__(self) -> int:
        return hash((self.structure, tuple(self.forms)))

    def __repr__(self) -> str:
        return f"VSpace of {self.structure.unflatten(self.specs)!r}"

    @property
    def forms(self) -> list[tuple[Any, Any]]:
        """The shapes and dtypes of the leaves."""
        return [(own.shape, floating(own)) for own in self.specs]


def drawn(own: Spec) -> Any:
    """Standard normal numbers of NumPy's global generator, which programs seed."""
    real, imag = np.random.standard_normal((2, *own.shape))  # noqa: NPY002 - as autograd's programs expect
    return (real + 1j * imag if own.dtype.kind == "c" else real).astype(floating(own))[()]


def floating(own: Spec) -> Any:
    """The dtype in which derivatives by such values are: integers count as float64."""
    return own.dtype if own.inexact else np.dtype(float)


def vspace(value: Any) -> Any:
    """The space of a value.

    >>> vspace({"a": 1.0, "b": [2.0, 3.0]}).size
    3
    """
    maker = VSpace.mappings.get(type(getval(value)))
    return VSpace(value) if maker is None else maker(value)
