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
from autodiff.testing.lawbook.agreement import agree, scale_of
from autodiff.testing.lawbook.derivatives import continuous, directions_of
from autodiff.testing.lawbook.keeping import contents
from autodiff.testing.lawbook.table import Law
from autodiff.testing.mismatch import DIFFERENT, Violation
from autodiff.testing.problem import Problem, is_inexact
from autodiff.trace.trees.tree import flatten, paths

Function = Callable[..., Any]

KINDS = ("gradient", "jacobian", "vjp", "jvp", "hessian", "hvp")

SAME = 1e-6
"""Values of two calls that differ by less than this part of them differ by rounding, as sums of threads may."""

LOST = 1e-12
"""Slopes that differ by less than this part of the largest numbers differ by rounding, too."""


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
        given = [name for name in KINDS if getattr(self, name) is not None]
        any_call = self.call(given[0]) if given else ""
        found = {
            "repeated": Law(repeated, numerical=True, extreme=True, call=any_call),
            "continuous": Law(continuous_values, numerical=True, extreme=True, call=any_call),
        }
        for name in given:
            law = partial(globals()[f"{name}_is_numerical"], self)
            law.__doc__ = globals()[f"{name}_is_numerical"].__doc__
            found[name] = Law(law, numerical=True, extreme=True, call=self.call(name))
        return found

    def call(self, name: str) -> str:
        """The call that checks one derivative at some arguments; a second one needs the first."""
        first = "gradient" if self.gradient else "jacobian"
        needed = [first, name] if name in ("hessian", "hvp") else [name]
        return f"check_pair(fun, {', '.join(f'{one}={one}' for one in needed)}, args=args)"

    def slope_of_gradient(self, problem: Problem) -> Problem:
        """The gradient as a function of its own."""
        gradient = self.gradient or self.jacobian
        if gradient is None:
            raise TypeError(
                "second derivatives are compared with differences of first ones; give df= or jacobian= as well"
            )
        names = [f"the gradient by {problem.names[place]}" for place in problem.places]
        return Problem(lambda *args: by_leaf(gradient(*args), args), problem.args, problem.names, names)


def repeated(problem: Problem) -> None:
    """The function returns the same when it is called again: differences of random values would excuse everything."""
    for one, again in zip(problem.results, problem.flat(*problem.primals), strict=True):
        same_again(one, again, "the value")


def same_again(one: Any, again: Any, name: str, least: float = 0.0) -> None:
    """Refuse what differs from call to call: two calls with the same arguments give the same."""
    if not np.allclose(one, again, rtol=SAME, atol=least, equal_nan=True):
        raise Violation(
            f"  in         {name}\n"
            f"  arrived    {again!r} from the second call with the same arguments\n  expected   {one!r}\n"
            f"  because    {DIFFERENT}\n"
            "  remedy     fix the seed inside of the function, or make the random numbers an argument"
        )


def continuous_values(problem: Problem) -> None:
    """The value does not jump: it has no derivative where it does."""
    continuous(problem, largest=lambda _: 1.0)  # nobody sees what is inside of a function from anywhere


def gradient_is_numerical(pair: Pair, problem: Problem) -> None:
    """The gradient paired with a direction is the numerical derivative along it."""

    def slope(primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
        parts = same_shapes(pair.gradient, problem, primals, "the gradient")
        result = np.asarray(value_at(problem, primals))
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
        shape = np.shape(value_at(problem, primals))
        parts = called(pair.jacobian, problem, primals)
        for place, part, x in zip(problem.places, parts, primals, strict=True):
            check_shape(part, shape + np.shape(x), f"the Jacobian by {problem.names[place]}")
        return sum(np.tensordot(part, v, np.ndim(v)) for part, v in zip(parts, tangents, strict=True))

    compare(problem, slope, "the Jacobian")


def vjp_is_numerical(pair: Pair, problem: Problem) -> None:
    """The vector-Jacobian product, paired with a direction, is the numerical derivative, paired with the cotangent."""
    check_one_result(problem)
    (cotangent,) = problem.cotangents
    paired = Problem(lambda *args: pairing(cotangent, problem.fun(*args)), problem.args, problem.names)

    def slope(primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
        return pairing(same_shapes(pair.vjp, problem, primals, "the vjp", cotangent), tangents)

    compare(paired, slope, "the vjp")


def jvp_is_numerical(pair: Pair, problem: Problem) -> None:
    """The Jacobian-vector product is the numerical derivative along the vector."""

    def slope(primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
        both = (*arguments(problem, primals), *arguments(problem, tangents))
        found = dense(pair.jvp(*both))  # type: ignore[misc]  # there is one, or there is no law
        check_shape(found, np.shape(value_at(problem, primals)), "the jvp")
        return found

    compare(problem, slope, "the jvp")


def hessian_is_numerical(pair: Pair, problem: Problem) -> None:
    """The Hessian times a direction is the numerical derivative of the gradient along it, and it is symmetric."""

    def slope(primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
        if len(problem.args) != 1 or problem.args[0] is not problem.leaves[0]:
            raise Violation(
                "  arrived    several arrays as arguments\n  expected   one, for a Hessian; give hvp= for others"
            )
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
        return tuple(same_shapes(pair.hvp, problem, primals, "the hvp", *arguments(problem, tangents)))

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
        least = LOST * scale_of(*problem.sizes, *arrived)
        for first, second in zip(arrived, derivative(one.primals), strict=True):
            same_again(first, second, f"{name} along a direction", least)
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


def called(fun: Function | None, problem: Problem, primals: Sequence[Any], *more: Any) -> list[Any]:
    """What a derivative returns, as one array for each differentiable leaf of the arguments."""
    assert fun is not None
    args = arguments(problem, primals)
    return [dense(part) for part in by_leaf(fun(*args, *more), args)]


def same_shapes(fun: Function | None, problem: Problem, primals: Sequence[Any], name: str, *more: Any) -> list[Any]:
    """What a derivative returns, of the shapes of the arguments."""
    parts = called(fun, problem, primals, *more)
    for place, part, x in zip(problem.places, parts, primals, strict=True):
        check_shape(part, np.shape(x), f"{name} by {problem.names[place]}")
    return parts


def arguments(problem: Problem, primals: Sequence[Any]) -> tuple[Any, ...]:
    """The arguments of the function, with other numbers in their differentiable leaves."""
    leaves = list(problem.leaves)
    for place, primal in zip(problem.places, primals, strict=True):
        leaves[place] = primal
    return tuple(problem.structure.unflatten(leaves))


def value_at(problem: Problem, primals: Sequence[Any]) -> Any:
    """The one array that the function returns."""
    check_one_result(problem)
    return problem.fun(*arguments(problem, primals))


def check_one_result(problem: Problem) -> None:
    """Refuse functions of several results: their derivatives come in too many forms."""
    if len(flatten(problem.value)[0]) != 1:
        raise Violation(
            f"  arrived    a {type(problem.value).__name__} as the result of the function\n"
            "  expected   one array or number; check each result for itself, or stack them to one array"
        )


def by_leaf(found: Any, args: Sequence[Any]) -> tuple[Any, ...]:
    """What a derivative returns by each differentiable leaf of the arguments, which may be trees.

    Of a single argument it may stand alone. Integers among the arguments may have one or not, such as `None`.
    """
    each = [(arg, flatten(arg)[0]) for arg in args]
    moving = [(arg, leaves) for arg, leaves in each if any(map(is_inexact, leaves))]
    given = each if isinstance(found, tuple | list) and len(found) == len(each) else moving
    parts = as_tuple(found, len(given), alone=not (len(given) == 1 and is_tree(given[0][0])))
    return tuple(leaf for part, (arg, leaves) in zip(parts, given, strict=True) for leaf in of_tree(part, arg, leaves))


def of_tree(part: Any, arg: Any, leaves: Sequence[Any]) -> list[Any]:
    """The derivative by an argument as those by its differentiable leaves."""
    if not is_tree(arg):
        return [part] if is_inexact(arg) else []
    wanted = [path for path, leaf in zip(paths(arg), leaves, strict=True) if is_inexact(leaf)]
    arrived = dict(zip(paths(part), flatten(part)[0], strict=True))
    if not set(wanted) <= set(arrived):
        raise Violation(
            f"  arrived    a {type(part).__name__} with derivatives by {', '.join(arrived)}\n"
            f"  expected   a tree like the argument, by {', '.join(wanted)}"
        )
    return [arrived[path] for path in wanted]


def is_tree(arg: Any) -> bool:
    """Whether an argument holds its arrays in a container."""
    return paths(arg) != [""]


def as_tuple(found: Any, count: int, *, alone: bool = True) -> tuple[Any, ...]:
    """One derivative for each argument: of a single one it may stand alone."""
    several = isinstance(found, tuple | list) and (count > 1 or (alone and len(found) == 1))
    parts = tuple(found) if several else (found,)
    if len(parts) != count:
        raise Violation(f"  arrived    {len(parts)} derivatives\n  expected   {count}, one for each argument")
    return parts


def dense(array: Any) -> Any:
    """A plain array of numbers, of a sparse matrix as well."""
    try:
        found = np.asarray(array.toarray() if hasattr(array, "toarray") else array)
    except ValueError:  # rows of different lengths
        found = np.asarray(None)
    if found.dtype.kind not in "biufc":
        raise Violation(f"  arrived    {type(array).__name__} as a derivative\n  expected   an array of numbers")
    return found


def check_shape(found: Any, wanted: tuple[int, ...], name: str) -> None:
    """Refuse a derivative of another shape."""
    if np.shape(found) != wanted:
        raise Violation(f"  in         {name}\n  arrived    shape {np.shape(found)}\n  expected   shape {wanted}")


def names_of(pair: Pair) -> Iterator[str]:
    """The derivatives that there are."""
    return (name for name in KINDS if getattr(pair, name) is not None)
