"""One program for each function of SciPy, against differences of SciPy's own values."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import autodiff
from autodiff.trace.trees.tree import flatten


class Program(NamedTuple):
    """A function of arrays.

    Attributes:
        fun: written with names of `autodiff.scipy`: SciPy's own functions run where its arguments are plain.
        args: where it is differentiated, with respect to all of them.
        rtol: how well differences of SciPy's values agree.
        step: of the differences, in units of an argument.
        atol: for derivatives that are zero.
    """

    fun: Callable[..., Any]
    args: tuple[Any, ...]
    rtol: float = 1e-5
    step: float = 1e-3
    atol: float = 1e-7


def total(program: Program) -> Callable[..., Any]:
    """All results of a program in one number: real and imaginary parts, each with a weight of its own."""

    def weighted(*args: Any) -> Any:
        value: Any = 0.0
        for k, leaf in enumerate(flatten(program.fun(*args))[0]):
            leaf = np.float64(leaf) if isinstance(leaf, float) else leaf
            for part in (np.real(leaf), np.imag(leaf)) if leaf.dtype.kind == "c" else (leaf,):
                weights = np.cos(0.7 * k + np.arange(part.size)).reshape(part.shape)
                value = value + np.sum(part * weights)
        return value

    return weighted


def difference(fun: Callable[..., Any], args: tuple[Any, ...], place: int, step: float) -> Any:
    """The gradient by one argument, by central differences of fourth order."""
    found = np.zeros(np.shape(args[place]))
    for index in np.ndindex(found.shape):
        h = step * max(1.0, abs(np.asarray(args[place])[index]))
        values = []
        for shift in (2 * h, h, -h, -2 * h):
            moved = np.array(args[place], float)
            moved[index] += shift
            values.append(fun(*args[:place], moved[()], *args[place + 1 :]))
        found[index] = (-values[0] + 8 * values[1] - 8 * values[2] + values[3]) / (12 * h)
    return found


def check(program: Program) -> None:
    """Value, reverse and forward mode of one program.

    Raises:
        AssertionError: if they do not agree.
    """
    fun, args = total(program), program.args
    places = tuple(range(len(args)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value, gradient = autodiff.value_and_grad(fun, places)(*args)
        np.testing.assert_allclose(value, fun(*args), rtol=1e-8, atol=1e-10, err_msg="value")
        directions = tuple(np.sin(1.0 + np.arange(np.size(x))).reshape(np.shape(x))[()] for x in args)
        pushed = sum(np.sum(g * d) for g, d in zip(gradient, directions, strict=True))
        _, tangent = autodiff.jvp(fun, args, directions)
        np.testing.assert_allclose(tangent, pushed, rtol=1e-8, atol=1e-10, err_msg="forward mode")
        for place, found in zip(places, gradient, strict=True):
            expected = difference(fun, args, place, program.step)
            np.testing.assert_allclose(found, expected, program.rtol, program.atol, err_msg=f"argument {place}")
