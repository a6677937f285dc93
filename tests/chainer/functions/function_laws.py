"""What holds of every function: one row of cases is checked for its derivatives, label and dtypes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from autodiff import Variable, as_array, vjp
from autodiff.testing import check_grads


class Row(NamedTuple):
    """A function of arrays, its arguments in double precision away from kinks, and its label in graphs."""

    name: str
    function: Callable[..., Any]
    args: Sequence[Any]
    label: str
    half: bool = True


def draw(*shape: int, low: float = -1.0, high: float = 1.0, seed: int = 0) -> Any:
    """Numbers in an interval."""
    return np.random.default_rng(seed).uniform(low, high, shape)


def results(out: Any) -> list[Any]:
    return list(out) if isinstance(out, tuple) else [out]


def on_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with arrays as results where it gets arrays."""

    def call(*args: Any) -> Any:
        out = function(*args)
        return tuple(map(as_array, out)) if isinstance(out, tuple) else as_array(out)

    return call


def weights(outs: Sequence[Any]) -> list[Any]:
    return [draw(*out.shape, seed=7) for out in outs]


def total(function: Callable[..., Any], args: Sequence[Any]) -> Any:
    """One number of all results."""
    outs = results(function(*args))
    terms = [np.sum(out * weight) for out, weight in zip(outs, weights(outs), strict=True)]
    return sum(terms[1:], terms[0])


def first_order(function: Callable[..., Any], args: Sequence[Any]) -> list[Any]:
    """The gradients by ``backward``."""
    variables = [Variable(arg.copy()) for arg in args]
    total(function, variables).backward()
    return [variable.grad for variable in variables]


def second_order(function: Callable[..., Any], args: Sequence[Any]) -> list[Any]:
    """The gradients by ``backward`` of the sum of squares of the gradients."""
    variables = [Variable(arg.copy()) for arg in args]
    total(function, variables).backward(enable_double_backprop=True)
    found = [variable.grad_var for variable in variables]
    for variable in variables:
        variable.cleargrad()
    energy = sum((np.sum(g * g) for g in found[1:]), np.sum(found[0] * found[0]))
    energy.backward()
    return [np.zeros_like(v.array) if v.grad is None else v.grad for v in variables]


def expected(function: Callable[..., Any], args: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """The same by functional transformations, which are compared with numerical derivatives elsewhere."""

    def gradients(*args: Any) -> Any:
        return vjp(lambda *args: total(function, args), *args)[1](np.float64(1.0))

    def energy(*args: Any) -> Any:
        return sum(np.sum(g * g) for g in gradients(*args))

    return list(gradients(*args)), list(vjp(energy, *args)[1](np.float64(1.0)))


def check_row(row: Row) -> None:
    """Derivatives are the numerical ones, by both ways, to second order; label and dtypes are right."""
    check_grads(on_arrays(row.function), row.args, order=2)
    once, twice = expected(row.function, row.args)
    for found, wanted in zip(first_order(row.function, row.args), once, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-12)
    for found, wanted in zip(second_order(row.function, row.args), twice, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-10)
    for dtype in (np.float16, np.float32, np.float64) if row.half else (np.float32, np.float64):
        check_dtype(row, dtype)


def check_dtype(row: Row, dtype: Any) -> None:
    """Results and gradients have the dtype of the arguments; arrays are taken too."""
    variables = [Variable(arg.astype(dtype)) for arg in row.args]
    outs = results(row.function(*variables))
    assert [out.dtype for out in outs] == [dtype] * len(outs)
    assert outs[0].creator.label == row.label
    for out in outs:
        out.grad = np.ones_like(out.array)
        out.backward()
    assert {variable.grad.dtype for variable in variables if variable.grad is not None} == {np.dtype(dtype)}
    plain = results(row.function(*[arg.astype(dtype) for arg in row.args]))
    assert [(out.requires_grad, out.dtype) for out in plain] == [(False, dtype)] * len(plain)


def gradient(function: Callable[..., Any], *args: Any) -> list[Any]:
    """The gradients of the sum of the result, as lists."""
    variables = [Variable(np.asarray(arg, float)) for arg in args]
    out = function(*variables)
    out.grad = np.ones_like(out.array)
    out.backward()
    return [None if variable.grad is None else variable.grad.tolist() for variable in variables]
