"""Whole numerical derivatives of functions with few inputs: one directional derivative an element."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autodiff.testing.differences.numerical import Method, directional_derivative
from autodiff.testing.differences.pairing import pairing
from autodiff.trace.trees.tree import flatten

Array = NDArray[Any]

HOLOMORPHIC = 1e-6
"""Relative difference between the slopes along 1 and along i from which a function is not holomorphic."""


def numerical_jacobian(fun: Callable[..., Any], *args: Any, argnum: int = 0, method: Method = "central") -> Array:
    """The matrix of partial derivatives of fun's output by the elements of one argument.

    Args:
        fun: function of arrays that returns one array.
        args: its arguments, in double precision.
        argnum: which of them to differentiate by.
        method: as for `directional_derivative`.

    Returns:
        An array of shape output.shape + argument.shape. For a complex argument the complex derivative.

    Raises:
        ValueError: the argument is complex and fun is not holomorphic there; use `numerical_pullback`.

    >>> numerical_jacobian(lambda x: x * x, np.array([1.0, 3.0])).round(9)
    array([[2., 0.],
           [0., 6.]])
    """
    x = np.asarray(args[argnum])
    columns = []
    for basis in _basis(x):
        column = _slope(fun, args, argnum, basis, method)
        if x.dtype.kind == "c":
            _check_holomorphic(column, _slope(fun, args, argnum, 1j * basis, method))
        columns.append(column)
    if not columns:
        return np.zeros(np.shape(fun(*args)) + x.shape)
    return np.stack(columns, axis=-1).reshape(columns[0].shape + x.shape)


def numerical_pullback(fun: Callable[..., Any], args: Sequence[Any], cotangents: Any) -> Any:
    """The cotangents u of the output pulled back to the arguments: <J'u, v> = <u, J v> for every v.

    Args:
        fun: function of trees of arrays, in double precision.
        args: its arguments.
        cotangents: a tree like fun's output.

    Returns:
        A tuple of trees like `args`. For a real-valued fun of z = x + iy and u = 1 that is df/dx - i df/dy.

    >>> (u,) = numerical_pullback(lambda z: abs(z) ** 2, (np.array(1 + 2j),), 1.0)
    >>> u.round(9)
    np.complex128(2-4j)
    """
    leaves, structure = flatten(tuple(args))

    def paired(*primals: Any) -> Any:
        return pairing(cotangents, fun(*structure.unflatten(primals)))

    gradients = []
    for argnum, leaf in enumerate(leaves):
        x = np.asarray(leaf)
        slopes = [_slope(paired, leaves, argnum, basis, "central") for basis in _basis(x)]
        if x.dtype.kind == "c":
            along = [_slope(paired, leaves, argnum, 1j * basis, "central") for basis in _basis(x)]
            slopes = [a - 1j * b for a, b in zip(slopes, along, strict=True)]
        gradients.append(np.array(slopes, x.dtype).reshape(x.shape)[()])
    return structure.unflatten(gradients)


def _basis(x: Array) -> Iterator[Array]:
    for index in range(x.size if x.dtype.kind in "fc" else 0):
        basis = np.zeros(x.shape, x.dtype)
        basis.flat[index] = 1
        yield basis


def _slope(fun: Callable[..., Any], args: Sequence[Any], argnum: int, tangent: Array, method: Method) -> Array:
    def along(x: Any) -> Any:
        return fun(*args[:argnum], x, *args[argnum + 1 :])

    return np.asarray(directional_derivative(along, (args[argnum],), (tangent,), method=method)[0])


def _check_holomorphic(along_one: Array, along_i: Array) -> None:
    apart = np.max(abs(along_i - 1j * along_one), initial=0.0)
    if apart > HOLOMORPHIC * np.max(abs(along_one), initial=np.finfo(float).tiny):
        raise ValueError(
            f"the function is not holomorphic here: its slopes along 1 and along i differ by {apart:.3g}, so "
            "it has no complex Jacobian; use numerical_pullback, or differentiate by real and imaginary part"
        )
