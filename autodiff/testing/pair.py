"""A function and derivatives of it that come from anywhere: what each must say of the function's numerical slopes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from autodiff.testing.differences.pairing import pairing
from autodiff.testing.differences.second_look import careful_slopes
from autodiff.testing.differences.slope import Slope
from autodiff.testing.lawbook.agreement import agree
from autodiff.testing.lawbook.derivatives import continuous, directions_of
from autodiff.testing.lawbook.keeping import contents
from autodiff.testing.lawbook.table import Law
from autodiff.testing.mismatch import Violation
from autodiff.testing.problem import Problem
from autodiff.trace.trees.tree import flatten

Function = Callable[..., Any]


@dataclass(frozen=True)
class Pair:
    """Derivatives of one function, each perhaps missing.

    Attributes:
        gradient: of the arguments; for each of them an array of its shape. Where the function has several results, as
            many as the argument has elements, it is the slope at each of them.
        jacobian: of the arguments; for each of them an array of the shape of the result followed by its own.
        hessian: of one argument; for a number as result an array of the argument's shape twice.
        hvp: of the arguments and a tangent for each; the derivative of the gradient along them.
        vjp: of the arguments and a cotangent of the result; for each argument an array of its shape.
        jvp: of the arguments and a tangent for each; an array of the shape of the result.
    """

    gradient: Function | None = None
    jacobian: Function | None = None
    hessian: Function | None = None
    hvp: Function | None = None
    vjp: Function | None = None
    jvp: Function | None = None

    def laws(self) -> dict[str, Law]:
        """What is to be checked of the derivatives that there are."""
        found = {
            "continuous": Law(continuous_values, numerical=True, extreme=True, call="check_pair(fun, args=args)"),
        }
        for name in ("gradient", "jacobian", "vjp", "jvp", "hessian", "hvp"):
            given = getattr(self, name)
            if given is not None:
                law = partial(globals()[f"{name}_is_numerical"], self)
                law.__doc__ = globals()[f"{name}_is_numerical"].__doc__
                found[name] = Law(law, numerical=True, extreme=True, call=f"check_pair(fun, {name}={name}, args=args)")
        return found

    def slope_of_gradient(self, problem: Problem) -> Problem:
        """The gradient as a function of its own."""
        gradient = self.gradient or self.jacobian
        if gradient is None:
            raise TypeError(
                "second derivatives are compared with differences of first ones; give df= or jacobian= as well"
            )
        names = [f"the gradient by {name}" for name in problem.names]
        return Problem(lambda *args: as_tuple(gradient(*args), len(args)), problem.args, problem.names, names)


def continuous_values(problem: Problem) -> None:
    """The value does not jump: it has no derivative where it does."""
    continuous(problem, largest=lambda _: 1.0)  # nobody sees what is inside of a function from anywhere


def gradient_is_numerical(pair: Pair, problem: Problem) -> None:
    """The gradient paired with a direction is the numerical derivative along it."""

    def slope(primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
        parts = same_shapes(pair.gradient, primals, "the gradient")
        result = np.asarray(problem.fun(*primals))
        if result.size == 1:
            return np.reshape(pairing(parts, tangents), result.shape)
        if any(np.shape(part) != result.shape for part in parts):
            raise Violation(
                f"  arrived    results of shape {result.shape} and gradients of shapes {[np.shape(p) for p in parts]}\n"
                "  expected   one number as result, or slopes of its own shape; give jacobian= or vjp= for others"
            )
        return sum(np.multiply(part, v) for part, v in zip(parts, tangents, strict=True))

    compare(problem, slope, "the gradient")


def jacobian_is_numerical(pair: Pair, problem: Problem) -> None:
    """The Jacobian times a direction is the numerical derivative along it."""

    def slope(primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
        shape = np.shape(problem.fun(*primals))
        parts = called(pair.jacobian, primals)
        for place, (part, x) in enumerate(zip(parts, primals, strict=True)):
            check_shape(part, shape + np.shape(x), f"the Jacobian by args[{place}]")
        return sum(np.tensordot(part, v, np.ndim(v)) for part, v in zip(parts, tangents, strict=True))

    compare(problem, slope, "the Jacobian")


def vjp_is_numerical(pair: Pair, problem: Problem) -> None:
    """The vector-Jacobian product, paired with a direction, is the numerical derivative, paired with the cotangent."""
    (cotangent,) = problem.cotangents
    paired = Problem(lambda *args: pairing(cotangent, problem.fun(*args)), problem.args, problem.names)

    def slope(primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
        return pairing(same_shapes(pair.vjp, primals, "the vjp", cotangent), tangents)

    compare(paired, slope, "the vjp")


def jvp_is_numerical(pair: Pair, problem: Problem) -> None:
    """The Jacobian-vector product is the numerical derivative along the vector."""

    def slope(primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
        found = np.asarray(pair.jvp(*primals, *tangents))  # type: ignore[misc]  # there is one, or there is no law
        check_shape(found, np.shape(problem.fun(*primals)), "the jvp")
        return found

    compare(problem, slope, "the jvp")


def hessian_is_numerical(pair: Pair, problem: Problem) -> None:
    """The Hessian times a direction is the numerical derivative of the gradient along it, and it is symmetric."""

    def slope(primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
        (x,), (v,) = primals, tangents
        found = dense(pair.hessian(x))  # type: ignore[misc]  # there is one, or there is no law
        check_shape(found, np.shape(x) * 2, "the Hessian")
        flat = found.reshape(np.size(x), np.size(x))
        asymmetry = np.max(abs(flat - flat.T), initial=0.0)
        if asymmetry > 1e-9 * np.max(abs(flat), initial=0.0):
            raise Violation(
                f"  in         the Hessian\n  arrived    an asymmetry of {asymmetry:.3g}\n  expected   none"
            )
        return (flat @ np.ravel(v)).reshape(np.shape(x))

    compare(pair.slope_of_gradient(problem), slope, "the Hessian")


def hvp_is_numerical(pair: Pair, problem: Problem) -> None:
    """The Hessian-vector product is the numerical derivative of the gradient along the vector."""

    def slope(primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
        return tuple(same_shapes(pair.hvp, primals, "the hvp", *tangents))

    compare(pair.slope_of_gradient(problem), slope, "the hvp")


def compare(problem: Problem, slope: Callable[[Sequence[Any], Sequence[Any]], Any], name: str) -> None:
    """Compare slopes along directions with numerical ones, and see that the arguments stay as they are.

    Args:
        problem: the function.
        slope: the derivative as a function of the arguments and a direction.
        name: what to call it.
    """
    for one in directions_of(problem.double):
        before = [contents(x) for x in one.primals]

        def derivative(primals: Sequence[Any], one: Problem = one) -> list[Any]:
            return flatten(slope(primals, one.tangents))[0]

        arrived = derivative(one.primals)
        if [contents(x) for x in one.primals] != before:
            raise Violation(f"  in         {name}\n  arrived    other arguments after the call\n  expected   the same")
        names = [f"{name} along a direction" if len(arrived) == 1 else f"{name}, part {k}" for k in range(len(arrived))]
        judge(one, arrived, derivative, names)


def judge(
    problem: Problem, arrived: Sequence[Any], derivative: Callable[[Sequence[Any]], Any], names: Sequence[str]
) -> None:
    """Compare with numerical derivatives; where these disagree, with careful ones."""

    def by(slopes: Sequence[Slope]) -> None:
        problem.disagreement = agree(arrived, slopes, problem.sizes, names)

    try:
        by(problem.slopes)
    except Violation:
        by(careful_slopes(problem, derivative))


def called(fun: Function | None, primals: Sequence[Any], *more: Any) -> list[Any]:
    """What a derivative returns, as one array for each argument."""
    assert fun is not None
    return [dense(part) for part in as_tuple(fun(*primals, *more), len(primals))]


def same_shapes(fun: Function | None, primals: Sequence[Any], name: str, *more: Any) -> list[Any]:
    """What a derivative returns, of the shapes of the arguments."""
    parts = called(fun, primals, *more)
    for place, (part, x) in enumerate(zip(parts, primals, strict=True)):
        check_shape(part, np.shape(x), f"{name} by args[{place}]")
    return parts


def as_tuple(found: Any, count: int) -> tuple[Any, ...]:
    """One derivative for each argument: of a single one it may stand alone."""
    parts = tuple(found) if isinstance(found, tuple | list) and (count > 1 or len(found) == 1) else (found,)
    if len(parts) != count:
        raise Violation(f"  arrived    {len(parts)} derivatives\n  expected   {count}, one for each argument")
    return parts


def dense(array: Any) -> Any:
    """A plain array, of a sparse matrix as well."""
    return np.asarray(array.toarray() if hasattr(array, "toarray") else array)


def check_shape(found: Any, wanted: tuple[int, ...], name: str) -> None:
    """Refuse a derivative of another shape."""
    if np.shape(found) != wanted:
        raise Violation(f"  in         {name}\n  arrived    shape {np.shape(found)}\n  expected   shape {wanted}")


def names_of(pair: Pair) -> Iterator[str]:
    """The derivatives that there are."""
    return (name for name in pair.laws() if name != "continuous")
