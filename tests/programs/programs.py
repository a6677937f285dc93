"""Programs as scientists write them, and what autodiff must make of each: NumPy's value and the derivatives of it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autodiff import jvp, vjp, vmap
from autodiff.testing import assert_close, directional_derivative
from autodiff.trace.errors import AliasingError, ConcretizationError
from autodiff.trace.trees.tree import flatten

Function = Callable[..., Any]


class Program(NamedTuple):
    """A function, the arguments it is differentiated at, and the highest order of derivatives that is checked."""

    function: Function
    args: tuple[Any, ...]
    order: int = 2


class Programs(dict[str, Program]):
    """A table of programs by name; as a decorator ``@programs(x, y)`` it enters a function with its arguments."""

    def __call__(self, *args: Any, order: int = 2) -> Callable[[Function], Function]:
        def enter(function: Function) -> Function:
            self.add(function.__name__, function, args, order)
            return function

        return enter

    def table(self, rows: dict[str, tuple[Any, ...]]) -> None:
        """Enter rows ``name: (function, *arguments)``."""
        for name, (function, *args) in rows.items():
            self.add(name, function, tuple(args), 2)

    def add(self, name: str, function: Function, args: tuple[Any, ...], order: int) -> None:
        if name in self:
            raise ValueError(f"there is a program {name!r} already")
        self[name] = Program(function, args, order)


class Point:
    """A program as a function of the list of its inexact arguments, with its inexact results."""

    def __init__(self, program: Program) -> None:
        self.function = program.function
        self.leaves, self.structure = flatten(program.args)
        self.places = [k for k, leaf in enumerate(self.leaves) if inexact(leaf)]
        self.inputs = [self.leaves[k] for k in self.places]

    def run(self, inputs: list[Any]) -> list[Any]:
        """All results of the program, as leaves."""
        leaves = copy.deepcopy(self.leaves)
        for place, value in zip(self.places, inputs, strict=True):
            leaves[place] = value
        return flatten(self.function(*self.structure.unflatten(leaves)))[0]

    def smooth(self, inputs: list[Any]) -> list[Any]:
        """The results that have derivatives."""
        return [out for out in self.run(inputs) if getattr(out, "dtype", np.asarray(0.0).dtype).kind in "fc"]


def inexact(leaf: Any) -> bool:
    return np.asarray(leaf).dtype.kind in "fc"


def random_like(leaves: list[Any], seed: int) -> list[Any]:
    """Random numbers in the shapes and dtypes of other leaves."""
    rng = np.random.default_rng(seed)
    return [one_like(np.asarray(leaf), rng) for leaf in leaves]


def doubled(inputs: list[Any]) -> list[Any]:
    """Arguments in double precision, so that numerical derivatives are exact enough."""
    return [x if type(x) in (float, complex) else x.astype(np.promote_types(x.dtype, np.float64)) for x in inputs]


def one_like(leaf: np.ndarray[Any, Any], rng: np.random.Generator) -> Any:
    noise = rng.normal(size=leaf.shape) + (1j * rng.normal(size=leaf.shape) if leaf.dtype.kind == "c" else 0.0)
    return np.asarray(noise, leaf.dtype)


def check(program: Program) -> None:
    """Compare a program with plain NumPy and with numerical derivatives.

    Value, type and dtype are NumPy's; both modes are the numerical derivative along one random direction; so is the
    derivative of the gradient; a batch is the loop; a gradient in single precision is in single precision.
    """
    at = Point(program)
    kept = copy.deepcopy(at.inputs)
    with np.errstate(all="ignore"):
        check_value(at)
        check_first_order(at)
        if program.order > 1:
            check_second_order(at)
        check_batch(at)
        check_single_precision(at)
    for before, after in zip(kept, at.inputs, strict=True):
        np.testing.assert_array_equal(before, after)


def check_value(at: Point) -> None:
    plain = at.run(copy.deepcopy(at.inputs))
    traced = flatten(vjp(at.run, at.inputs)[0])[0]
    assert len(plain) == len(traced)
    for a, b in zip(plain, traced, strict=True):
        assert (type(a), getattr(a, "dtype", None)) == (type(b), getattr(b, "dtype", None))
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


def check_first_order(at: Point) -> None:
    value, pullback = vjp(at.smooth, at.inputs)
    assert value, "the program returned nothing that has a derivative"
    weights, direction = random_like(value, 1), random_like(at.inputs, 2)
    numerical, _ = directional_derivative(at.smooth, (doubled(at.inputs),), (direction,))
    _, forward = jvp(at.smooth, (at.inputs,), (direction,))
    assert_close(forward, numerical, rtol=1e-6, atol=1e-7)
    (gradient,) = pullback(weights)
    assert [np.shape(g) for g in gradient] == [np.shape(x) for x in at.inputs]
    pairing = sum(np.real(np.sum(g * d)) for g, d in zip(gradient, direction, strict=True))
    expected = sum(np.real(np.sum(w * n)) for w, n in zip(weights, numerical, strict=True))
    scale = sum(np.sum(np.abs(w * n)) for w, n in zip(weights, numerical, strict=True))
    np.testing.assert_allclose(pairing, expected, rtol=1e-6, atol=1e-7 + 1e-7 * scale)


def check_second_order(at: Point) -> None:
    weights = random_like(vjp(at.smooth, at.inputs)[0], 1)

    def gradient(inputs: list[Any]) -> Any:
        return vjp(at.smooth, inputs)[1](weights)[0]

    direction = random_like(at.inputs, 3)
    numerical, _ = directional_derivative(gradient, (doubled(at.inputs),), (direction,))
    _, forward = jvp(gradient, (at.inputs,), (direction,))
    assert_close(forward, numerical, rtol=1e-5, atol=1e-6)


def check_batch(at: Point) -> None:
    """The program on a batch of two equals the program on each; where it branches on values, that is refused."""
    moved = [np.asarray(x + 1e-3 * d) for x, d in zip(at.inputs, random_like(at.inputs, 4), strict=True)]
    both = [np.stack(pair) for pair in zip(at.inputs, moved, strict=True)]
    try:
        batch = vmap(at.smooth)(both)
    except (ConcretizationError, AliasingError):
        return
    for k, inputs in enumerate((at.inputs, moved)):
        for of_batch, alone in zip(batch, at.smooth(copy.deepcopy(inputs)), strict=True):
            np.testing.assert_allclose(of_batch[k], alone, rtol=1e-9, atol=1e-10)


def singled(x: Any) -> Any:
    if type(x) in (float, complex):
        return x
    return x.astype(np.complex64 if x.dtype.kind == "c" else np.float32)


def check_single_precision(at: Point) -> None:
    single = [singled(x) for x in at.inputs]
    plain = at.run(copy.deepcopy(single))
    value, pullback = vjp(at.run, single)
    for a, b in zip(plain, value, strict=True):
        assert (type(a), getattr(a, "dtype", None)) == (type(b), getattr(b, "dtype", None))
    (gradient,) = pullback([np.ones_like(v) for v in value])
    assert [np.asarray(g).dtype for g in gradient] == [np.asarray(x).dtype for x in single]
