"""Expected values and draws of distributions, as functions of their parameters."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
from scipy.stats._distn_infrastructure import rv_generic

from autodiff.numpy.dispatch import FUNCTIONS, contains_traced, missing, peeled
from autodiff.ops.elementwise import greater_equal, where
from autodiff.scipy.integrate.quadrature import quad
from autodiff.scipy.optimize.implicit import steps_for, unmoved
from autodiff.scipy.stats.methods import evaluate, support
from autodiff.transforms.stop_gradient import stop_gradient

Function = Callable[..., Any]
INNER = np.array([0.05, 0.95])
"""The part of the probability that SciPy integrates apart from the tails."""


def integral(distribution: Any, func: Function | None, law: Any, bounds: Any, options: Any) -> Any:
    """The integral of a function times the density of a continuous distribution, and the probability between bounds.

    The range is cut where SciPy cuts it, so that the value is SciPy's.

    Args:
        distribution: one of ours.
        func: the function, which may jump; None for the argument itself.
        law: shape parameters, loc and scale.
        bounds: lower and upper one; None for the end of the support.
        options: those of ``quad``.

    Raises:
        DifferentiationError: if it goes to an end of the support that moves with a parameter.
    """
    own, (shapes, loc, scale) = distribution.own, law
    name, found = f"scipy.stats.{own.name}.expect", list[Any]()
    for bound, end, inner in zip(bounds, support(own, shapes), (max, min), strict=True):
        end = known_if_infinite(end, name)
        end = end if np.all(np.isinf(peeled(end, name))) else loc if is_zero(end) else end * scale + loc
        if bound is not None and inner(peeled(bound, name), peeled(end, name)) == peeled(bound, name):
            end = bound
        elif contains_traced((end,)):
            raise missing(
                name, f"the end of the support moves with a parameter; give {'ul'[inner is max]}b= inside of it"
            )
        found.append(end)
    below, above = (distribution.cdf(end, *shapes, loc=loc, scale=scale) for end in found)
    cuts = stop_gradient(distribution.ppf(below + (above - below) * INNER, *shapes, loc=loc, scale=scale))

    def weighted(x: Any) -> Any:
        return (x if func is None else func(x)) * evaluate(own, "_pdf", ((x - loc) / scale, *shapes)) / scale

    pieces = ((found[0], cuts[0]), (cuts[0], cuts[1]), (cuts[1], found[1]))
    return sum(quad(weighted, *piece, **options)[0] for piece in pieces), above - below


def is_zero(end: Any) -> bool:
    """Whether the end of a support is 0, which no scale moves."""
    return not contains_traced((end,)) and bool(end == 0)


def known_if_infinite(end: Any, name: str) -> Any:
    """The end of a support, which does not move if it is infinite."""
    plain = peeled(end, name)
    return end if np.isfinite(plain) else float(plain)


def series(own: Any, func: Function | None, shapes: Any, loc: Any, options: dict[str, Any]) -> Any:
    """The sum of a function times the probabilities of a discrete distribution, over the terms that SciPy adds up."""
    name = f"scipy.stats.{own.name}.expect"
    start, places = peeled(loc, name), list[Any]()

    def watched(k: Any) -> Any:
        places.append(np.ravel(k))
        return np.asarray(peeled(k if func is None else func(k), name))

    own.expect(watched, tuple(peeled(shape, name) for shape in shapes), start, **options)
    steps = np.concatenate(places) - start
    k = steps + loc
    return FUNCTIONS[np.sum]((k if func is None else func(k)) * evaluate(own, "_pmf", (steps, *shapes)))


def draws(own: Any, args: Any, kwds: dict[str, Any]) -> Any:
    """SciPy's draws of a continuous distribution, which keep their quantiles while its parameters move.

    Raises:
        DifferentiationError: SciPy's distribution draws in a way of its own.
        ConcretizationError: of shape parameters only the shape is known.
    """
    name = f"scipy.stats.{own.name}.rvs"
    if type(own).rvs is not rv_generic.rvs:
        raise missing(name, "SciPy wraps or shifts what it draws")
    random_state = kwds.pop("random_state", None)
    given = signature(own._parse_args_rvs).bind(*args, **kwds)
    given.apply_defaults()
    *shapes, loc, scale, size = given.arguments.values()
    plain = [np.asarray(peeled(shape, name), float) for shape in shapes]
    standard = {"loc": np.zeros(np.shape(loc)), "scale": np.ones(np.shape(scale))}
    found: Any = own.rvs(*plain, **standard, size=size, random_state=random_state)
    if contains_traced(shapes):
        level = evaluate(own, "_cdf", (found, *plain))
        for _ in range(steps_for(evaluate(own, "_cdf", (found, *shapes)))):
            gap = evaluate(own, "_cdf", (found, *shapes)) - level
            found = unmoved(found, gap / evaluate(own, "_pdf", (found, *shapes)))
    return where(greater_equal(scale, 0), found * scale + loc, np.nan)
