"""What the fuzzer makes of a function before it is compiled: derivatives along fixed directions, batches.

Each takes a function of arrays and numbers and returns one of the same arguments, so that transformations and ``jit``
nest in every order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import autodiff
from autodiff.testing.fuzz.rounding import beside
from autodiff.trace.spec import spec_of
from autodiff.trace.trees.tree import flatten

Function = Callable[..., Any]


def plain(f: Function) -> Function:
    """The function itself."""
    return f


def gradient(f: Function, along: Function | None = None) -> Function:
    """The smooth results, and their fixed combination of gradients by all smooth arguments.

    Args:
        f: the function.
        along: gives the cotangent of a result; by default :func:`direction`.
    """

    def pulled(*args: Any) -> Any:
        of_primals, primals = smooth_part(f, args)
        values, pullback = autodiff.vjp(of_primals, *primals)
        return values, pullback(tuple(map(along or direction, values)))

    return pulled


def loss_gradient(f: Function) -> Function:
    """The value and gradient of a fixed combination of the smooth results."""

    def pulled(*args: Any) -> Any:
        of_primals, primals = smooth_part(f, args)

        def loss(*primals: Any) -> Any:
            values = [rounding(value, primals) for value in of_primals(*primals)]
            return sum(np.sum(np.real(value) * np.real(direction(value))) for value in values)

        return autodiff.value_and_grad(loss, tuple(range(len(primals))))(*primals)

    return pulled


def tangent(f: Function) -> Function:
    """The smooth results, and their derivatives along a fixed direction."""

    def pushed(*args: Any) -> Any:
        of_primals, primals = smooth_part(f, args)
        return autodiff.jvp(of_primals, primals, tuple(map(direction, primals)))

    return pushed


def curvature(f: Function) -> Function:
    """The derivative of the gradient along a fixed direction: a product with the Hessian."""

    def pushed(*args: Any) -> Any:
        of_primals, primals = smooth_part(f, args)

        def pulled(*primals: Any) -> Any:
            values, pullback = autodiff.vjp(of_primals, *primals)
            return pullback(tuple(map(direction, values)))

        return autodiff.jvp(pulled, primals, tuple(map(direction, primals)))[1]

    return pushed


def linear(f: Function) -> Function:
    """The smooth results, and the linear map at the arguments applied to two directions."""

    def pushed(*args: Any) -> Any:
        of_primals, primals = smooth_part(f, args)
        values, push = autodiff.linearize(of_primals, *primals)
        along = tuple(map(direction, primals))
        return values, push(*along), push(*(-0.5 * one for one in along))

    return pushed


def columns(f: Function) -> Function:
    """The Jacobian by the coefficients of two fixed directions."""

    def pushed(*args: Any) -> Any:
        of_primals, primals = smooth_part(f, args)
        return autodiff.jacfwd(lambda c: of_primals(*shifted(primals, c)))(np.zeros(2))

    return pushed


def rows(f: Function) -> Function:
    """The same by reverse mode, of the sums of the results."""

    def pulled(*args: Any) -> Any:
        of_primals, primals = smooth_part(f, args)
        return autodiff.jacrev(lambda c: list(map(np.sum, of_primals(*shifted(primals, c)))))(np.zeros(2))

    return pulled


def second(f: Function) -> Function:
    """The Hessian of a fixed combination of the smooth results by the same two coefficients."""

    def curved(*args: Any) -> Any:
        of_primals, primals = smooth_part(f, args)

        def loss(c: Any) -> Any:
            values = of_primals(*shifted(primals, c))
            return sum(np.sum(np.real(value) * np.real(direction(value))) for value in values)

        return autodiff.hessian(loss)(np.zeros(2))

    return curved


def shifted(primals: Sequence[Any], c: Any) -> tuple[Any, ...]:
    """Arguments moved along two directions, which coefficients of zero leave as they are."""
    along = [(one, direction(one)) for one in primals]
    return tuple(one + (c[0] * d - c[1] * d * d).astype(spec_of(one).dtype) for one, d in along)


def batch(f: Function) -> Function:
    """The function of two examples at once: along new first axes of all arrays; Python numbers are shared."""

    def batched(*args: Any) -> Any:
        return autodiff.vmap(f, in_axes=batch_axes(args))(*args)

    return batched


def along_last(f: Function) -> Function:
    """The same along last axes: of the arguments, and of the results."""

    def batched(*args: Any) -> Any:
        axes = batch_axes(args)
        moved = [arg if axis is None else np.moveaxis(arg, 0, -1) for arg, axis in zip(args, axes, strict=True)]
        lasts = tuple(None if axis is None else -1 for axis in axes)
        leaves, structure = flatten(autodiff.vmap(f, in_axes=lasts, out_axes=-1)(*moved))
        return structure.unflatten([np.ascontiguousarray(np.moveaxis(leaf, -1, 0)) for leaf in leaves])

    return batched


def one_by_one(f: Function) -> Function:
    """What :func:`batch` means: one example after the other, stacked."""

    def looped(*args: Any) -> Any:
        axes = batch_axes(args)
        found = []
        for k in range(2):
            leaves, structure = flatten(
                f(*(arg if axis is None else arg[k] for arg, axis in zip(args, axes, strict=True)))
            )
            found.append(leaves)
        return structure.unflatten(np.stack(pair) for pair in zip(*found, strict=True))

    return looped


def gradients_one_by_one(f: Function) -> Function:
    """What the batch of a gradient means."""
    return one_by_one(gradient(f))


def batch_axes(args: Sequence[Any]) -> tuple[int | None, ...]:
    """0 for arrays, traced or not, None for numbers."""
    return tuple(None if np.ndim(arg) == 0 else 0 for arg in args)


def smooth_part(f: Function, args: Sequence[Any]) -> tuple[Function, tuple[Any, ...]]:
    """The function of the floating and complex arguments that returns such results, and these arguments."""
    places = [place for place, arg in enumerate(args) if smooth(arg)]

    def of_primals(*primals: Any) -> tuple[Any, ...]:
        whole = list(args)
        for place, primal in zip(places, primals, strict=True):
            whole[place] = primal
        return tuple(leaf for leaf in flatten(f(*whole))[0] if smooth(leaf))

    return of_primals, tuple(args[place] for place in places)


def rounding(value: Any, primals: tuple[Any, ...]) -> Any:
    """A result, of which sums round also where it does not depend on the primals, as a gradient of ones does not."""
    return beside(primals[0], value) if primals and isinstance(value, np.ndarray) else value


def smooth(leaf: Any) -> bool:
    """Whether a value, traced or not, is floating or complex."""
    dtype = getattr(leaf, "dtype", None)
    return isinstance(leaf, float | complex) if dtype is None else dtype.kind in "fc"


def direction(leaf: Any) -> Any:
    """A fixed value of the same shape and dtype: numbers between 0.5 and 1.5, none like its neighbours."""
    shape = np.shape(leaf)
    size = int(np.prod(shape, dtype=int))
    numbers = 1 + 0.5 * np.sin(np.arange(1, size + 1)).reshape(shape)
    dtype = getattr(leaf, "dtype", None)
    return float(numbers) if dtype is None else beside(leaf, numbers.astype(dtype))
