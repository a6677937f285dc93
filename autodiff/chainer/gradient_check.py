"""Gradients that are computed backwards, compared with numerical ones along a random direction."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from autodiff.chainer import closeness
from autodiff.chainer.backend import get_array_module
from autodiff.chainer.backends.cuda import to_cpu
from autodiff.chainer.numerical_gradient import NondifferentiableError, numerical_grad
from autodiff.chainer.utils.error import _format_array_props
from autodiff.facade.graph.multi_output import backward_all, grad
from autodiff.facade.variables.conversion import as_array
from autodiff.facade.variables.variable import Variable
from autodiff.trace.source import at_user_line

__all__ = ["NondifferentiableError", "assert_allclose", "check_backward", "check_double_backward", "numerical_grad"]

Arrays = tuple[Any, ...]


def assert_allclose(x: Any, y: Any, atol: float = 1e-5, rtol: float = 1e-4, verbose: bool = True) -> None:
    """The old name of :func:`autodiff.chainer.testing.assert_allclose`."""
    warnings.warn("gradient_check.assert_allclose is testing.assert_allclose now", DeprecationWarning, stacklevel=2)
    closeness.assert_allclose(x, y, atol, rtol, verbose)


def check_backward(
    func: Callable[..., Any],
    x_data: Any,
    y_grad: Any,
    params: Any = (),
    eps: float = 1e-3,
    atol: float = 1e-5,
    rtol: float = 1e-4,
    no_grads: Sequence[bool] | None = None,
    dtype: Any = None,
    detect_nondifferentiable: bool = False,
) -> None:
    """See that the gradients of a function of Variables agree with a numerical derivative.

    Inputs and parameters move together along a random direction, so the function is evaluated a few times only.

    Args:
        func: takes Variables and returns a Variable or a tuple of them.
        x_data: an array, or a tuple of arrays.
        y_grad: the gradients of the outputs; None for a single output without axes.
        params: Parameters that the function uses.
        eps: the step.
        atol: absolute tolerance.
        rtol: relative tolerance.
        no_grads: for each input whether it has no gradient; those that hold no floating-point numbers, if None.
        dtype: the dtype in which the numerical derivative is computed, such as ``"d"``; that of the arrays if None.
        detect_nondifferentiable: whether to raise at kinks.

    Raises:
        AssertionError: if the derivatives differ.
        NondifferentiableError: at a kink, if one was looked for.
        RuntimeError: if an input that should have no gradient has one.
        ValueError: if ``y_grad`` does not fit to the outputs, or ``dtype`` is not floating.

    >>> check_backward(lambda x: x**3, np.array([1.0, 2.0]), np.ones(2))
    """
    if dtype is not None and np.dtype(dtype).kind != "f":
        raise ValueError(f"dtype must be a floating one, got {np.dtype(dtype)}{at_user_line()}")
    xs, variables = as_tuple(x_data), as_tuple(params)
    fixed = [x.dtype.kind != "f" for x in xs] if no_grads is None else list(no_grads)
    found, gys = gradients(func, xs, fixed, y_grad, variables)
    moving = [x for x, is_fixed in zip(xs, fixed, strict=True) if not is_fixed] + list(variables)
    directions = random_directions([v.shape for v in moving])
    backward = sum(
        float((to_cpu(g).astype(np.float64) * d).sum()) for g, d in zip(found, directions, strict=True) if g is not None
    )
    numeric = derivative_along(
        func, xs, fixed, variables, dtype, directions, gys, eps, (detect_nondifferentiable, atol, rtol)
    )
    compare(numeric, backward, f"eps={eps} atol={atol} rtol={rtol}", xs, gys, directions, atol, rtol)


def check_double_backward(
    func: Callable[..., Any],
    x_data: Any,
    y_grad: Any,
    x_grad_grad: Any,
    params: Any = (),
    params_grad_grad: Any = (),
    eps: float = 1e-3,
    atol: float = 1e-4,
    rtol: float = 1e-3,
    no_grads: Sequence[bool] | None = None,
    dtype: Any = None,
    detect_nondifferentiable: bool = False,
) -> None:
    """:func:`check_backward` of the gradients, as functions of the inputs, the parameters and ``y_grad``.

    Args:
        func: takes Variables and returns a Variable or a tuple of them.
        x_data: an array, or a tuple of arrays.
        y_grad: the gradients of the outputs, None for outputs without one.
        x_grad_grad: the gradients of the inputs' gradients, or of those of inputs that have one; None for no gradient.
        params: Parameters that the function uses.
        params_grad_grad: the gradients of the parameters' gradients.
        eps: the step.
        atol: absolute tolerance.
        rtol: relative tolerance.
        no_grads: for each input whether it has no gradient; those that hold no floating-point numbers, if None.
        dtype: the dtype in which the numerical derivative is computed; that of the arrays if None.
        detect_nondifferentiable: whether to raise at kinks.

    Raises:
        AssertionError: if the derivatives differ.

    >>> check_double_backward(lambda x: x**3, np.array([1.0, 2.0]), np.ones(2), np.ones(2))
    """
    xs, gys, variables = as_tuple(x_data), as_tuple(y_grad), as_tuple(params)
    fixed = [x.dtype.kind != "f" for x in xs] if no_grads is None else list(no_grads)
    ggxs = as_tuple(x_grad_grad)
    if len(ggxs) == len(xs):
        ggxs = tuple(ggx for ggx, is_fixed in zip(ggxs, fixed, strict=True) if not is_fixed)
    given = [g for g in gys if g is not None]

    def first_order(*inputs: Variable) -> tuple[Any, ...]:
        points, rest = inputs[: len(xs)], iter(inputs[len(xs) :])
        ys = as_tuple(func(*points))
        seeds = [None if g is None else cast_to(y, next(rest)) for y, g in zip(ys, gys, strict=True)]
        wanted = [x for x, is_fixed in zip(points, fixed, strict=True) if not is_fixed] + list(variables)
        found = grad(ys, wanted, seeds, enable_double_backprop=True)
        zeros = (Variable(np.zeros_like(v.array)) for v in wanted)
        return tuple(zero if g is None else g for g, zero in zip(found, zeros, strict=True))

    check_backward(
        first_order, (*xs, *given), (*ggxs, *as_tuple(params_grad_grad)), params, eps, atol, rtol,
        [*fixed, *(g.dtype.kind != "f" for g in given)], dtype, detect_nondifferentiable,
    )  # fmt: skip


def as_tuple(value: Any) -> tuple[Any, ...]:
    """One thing, or several, as a tuple."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def cast(x: Any, dtype: Any) -> Any:
    """An array of its own, in the dtype if it holds floating-point numbers; it has gaps if the given one has."""
    own = x.astype(x.dtype if dtype is None or x.dtype.kind != "f" else dtype)
    return own if x.flags.c_contiguous or x.flags.f_contiguous else gapped(own)


def gapped(array: Any) -> Any:
    """An equal array that is not contiguous.

    >>> gapped(np.ones((2, 2))).flags.c_contiguous
    False
    """
    if array is None or array.ndim == 0:
        return array
    wide = np.repeat(array, 2, axis=-1) if isinstance(array, np.ndarray) else array.repeat(2, axis=-1)
    return wide[..., ::2]


def cast_to(y: Variable, g: Variable) -> Variable:
    """The gradient of an output, in the output's dtype."""
    return g if g.dtype == y.dtype else g.astype(y.dtype)


def variables_of(xs: Arrays) -> tuple[Variable, ...]:
    """New Variables; those that hold no floating-point numbers require no gradient."""
    return tuple(Variable(x, requires_grad=x.dtype.kind == "f") for x in xs)


def clear_gradients(variables: Arrays) -> None:
    """Forget gradients; the function may have computed some."""
    for v in variables:
        v.cleargrad()


@contextmanager
def cast_parameters(params: Arrays, dtype: Any) -> Iterator[None]:
    """Parameters in a dtype for a while; their arrays are restored, gradients are cleared."""
    originals = [param.array for param in params]
    for param, original in zip(params, originals, strict=True):
        param.cleargrad()
        param.array = cast(original, dtype)
    try:
        yield
    finally:
        for param, original in zip(params, originals, strict=True):
            param.cleargrad()
            param.array = original


def gradients(
    func: Callable[..., Any], xs: Arrays, fixed: Sequence[bool], y_grad: Any, params: Arrays
) -> tuple[list[Any], Arrays]:
    """The gradients of inputs and parameters, and those of the outputs, in the dtypes of the arrays."""
    inputs = variables_of(xs)
    ys = as_tuple(func(*inputs))
    clear_gradients((*inputs, *params))
    gys = seeds(ys, y_grad)
    connected = [(y, gy) for y, gy in zip(ys, gys, strict=True) if gy is not None and y.requires_grad]
    if connected:
        backward_all([y for y, _ in connected], [gy for _, gy in connected])
    for number, (x, is_fixed) in enumerate(zip(inputs, fixed, strict=True)):
        if is_fixed and x.grad is not None:
            raise RuntimeError(f"input {number} has a gradient, and no_grads says it has none{at_user_line()}")
    found = [x.grad for x, is_fixed in zip(inputs, fixed, strict=True) if not is_fixed]
    return [*found, *(param.grad for param in params)], gys


def seeds(ys: Arrays, y_grad: Any) -> Arrays:
    """The gradients of the outputs, checked."""
    if y_grad is None:
        if [y.shape for y in ys] != [()]:
            raise ValueError(f"y_grad is needed: the outputs have shapes {[y.shape for y in ys]}{at_user_line()}")
        return (np.ones_like(ys[0].array),)
    gys = as_tuple(y_grad)
    matches = len(ys) == len(gys) and all(
        g is None or (y.shape == g.shape and y.dtype == g.dtype) for y, g in zip(ys, gys, strict=True)
    )
    if not matches:
        raise ValueError(
            f"y_grad does not fit to the outputs{at_user_line()}\n  outputs  {_format_array_props(ys)}\n"
            f"  y_grad   {_format_array_props(gys)}"
        )
    return gys


def random_directions(shapes: Sequence[tuple[int, ...]]) -> list[Any]:
    """Random arrays whose elements all together have norm one; no element is tiny."""
    # users seed the global state
    signs = [np.random.choice([-1.0, 1.0], shape) for shape in shapes]  # noqa: NPY002
    directions = [sign * np.random.uniform(0.5, 1.5, sign.shape) for sign in signs]  # noqa: NPY002
    norm = float(np.sqrt(sum((d**2).sum() for d in directions)))
    return [d / (norm or 1.0) for d in directions]


def derivative_along(
    func: Callable[..., Any],
    xs: Arrays,
    fixed: Sequence[bool],
    params: Arrays,
    dtype: Any,
    directions: Sequence[Any],
    gys: Arrays,
    eps: float,
    search: tuple[bool, float, float],
) -> Any:
    """The numerical derivative in a dtype, while inputs that are not fixed and parameters move along directions."""
    detect, _, rtol = search
    distance = np.zeros(())
    with cast_parameters(params, dtype):
        inputs = variables_of(tuple(cast(x, dtype) for x in xs))
        moving = [v for v, is_fixed in zip(inputs, fixed, strict=True) if not is_fixed] + list(params)
        origins = [v.array for v in moving]

        def moved() -> Arrays:
            for v, origin, direction in zip(moving, origins, directions, strict=True):
                xp = get_array_module(origin)
                v.array = xp.asarray(origin + xp.asarray(direction * float(distance)), dtype=origin.dtype)
            clear_gradients((*inputs, *params))
            return tuple(as_array(y) for y in as_tuple(func(*inputs)))

        return numerical_grad(moved, (distance,), gys, eps, detect, 0, rtol)[0]


def compare(
    numeric: Any,
    backward: float,
    settings: str,
    xs: Arrays,
    gys: Arrays,
    directions: Sequence[Any],
    atol: float,
    rtol: float,
) -> None:
    """See that the two derivatives agree.

    Raises:
        AssertionError: if they do not.
    """
    if abs(float(numeric) - backward) <= atol + rtol * abs(backward):
        return
    arrays = [(f"inputs[{k}]", x) for k, x in enumerate(xs)] + [(f"grad_outputs[{k}]", g) for k, g in enumerate(gys)]
    arrays += [(f"directions[{k}]", d) for k, d in enumerate(directions)]
    shown = "\n".join(f"{name}:\n{value}" for name, value in arrays)
    raise AssertionError(
        f"check_backward failed ({settings})\n{shown}\ngradients (numeric):  {float(numeric)}\n"
        f"gradients (backward): {backward}"
    )
