"""How each method of a distribution is differentiated: through SciPy's formula, or as an operation by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from scipy.stats._distn_infrastructure import _moment_from_stats

from autodiff.numpy.dispatch import contains_traced
from autodiff.ops.elementwise import greater, isfinite, where
from autodiff.scipy.stats.borrowed import borrowed, run_formula
from autodiff.scipy.stats.by_values import of_parameters, operation, vectorized
from autodiff.trace.primitive import Primitive
from autodiff.transforms.stage import eval_shape
from autodiff.transforms.stop_gradient import stop_gradient

METHODS = frozenset(
    ("_pdf", "_logpdf", "_cdf", "_sf", "_logcdf", "_logsf", "_ppf", "_isf", "_pmf", "_logpmf")
)  # fmt: skip
"""The functions of an argument and parameters; what others of SciPy's methods call by these names comes back here."""


def evaluate(distribution: Any, name: str, args: Sequence[Any]) -> Any:
    """A method of a distribution, of an argument and its parameters, some of which are traced."""
    if not contains_traced(args):
        return vectorized(distribution, name)(*args)
    if has_formula(distribution, name):
        with np.errstate(all="ignore"):
            return run_formula(distribution, evaluate, METHODS, name, args)
    return operation_of(distribution, name)(*args)


def support(distribution: Any, parameters: Sequence[Any]) -> tuple[Any, Any]:
    """The ends of the support of the standard distribution."""
    if not contains_traced(parameters):
        low, high = distribution._get_support(*parameters)
    elif ends_have_formula(distribution):
        low, high = run_formula(distribution, evaluate, METHODS, "_get_support", parameters)
    else:
        low, high = (only_finite_moves(end_operation(distribution, end)(*parameters)) for end in (0, 1))
    return low, high


def only_finite_moves(end: Any) -> Any:
    """The end of a support, of which an infinite one has no derivative."""
    return where(isfinite(end), end, stop_gradient(end))


def valid(distribution: Any, parameters: Sequence[Any]) -> Any:
    """Whether parameters are possible."""
    if not contains_traced(parameters):
        return distribution._argcheck(*parameters)
    if distribution.name == "erlang":  # where SciPy looks whether to warn of a shape that is no whole number
        return greater(parameters[0], 0)
    return run_formula(distribution, evaluate, METHODS, "_argcheck", parameters)


@cache
def ends_have_formula(distribution: Any) -> bool:
    """Whether the ends of the support are formulas, of numbers too."""

    def total(*parameters: Any) -> Any:
        low, high = run_formula(distribution, evaluate, METHODS, "_get_support", parameters)
        return low + high + 0 * sum(parameters)

    return can_be_recorded(total, distribution.numargs) and can_be_recorded(total, distribution.numargs, ())


@cache
def end_operation(distribution: Any, end: int) -> Primitive:
    """One end of the support as an operation."""

    def value(*parameters: Any) -> Any:
        arrays = np.broadcast_arrays(*(np.asarray(p, np.float64) for p in parameters))
        found = distribution._get_support(*map(np.atleast_1d, arrays))[end]
        return np.broadcast_to(found, np.atleast_1d(arrays[0]).shape).reshape(arrays[0].shape)[()]

    return of_parameters(distribution, ("start", "stop")[end], value)


@cache
def operation_of(distribution: Any, name: str) -> Primitive:
    """The method as an operation."""
    return operation(distribution, name, evaluate)


@cache
def has_formula(distribution: Any, name: str) -> bool:
    """Whether the method is a formula that can be recorded by shapes alone: found out by recording it.

    Some write into arrays, which works where what they make of the argument is traced, and fails where it is plain.
    """
    if name in ("_ppf", "_isf") and hasattr(distribution, "_pmf"):
        return False  # a whole number, which SciPy looks for
    count = 1 + distribution.numargs

    def formula(*args: Any) -> Any:
        return run_formula(distribution, evaluate, METHODS, name, args)

    def of_one(position: int) -> Callable[[Any], Any]:
        return lambda own: formula(*(own if k == position else np.full(2, 0.5) for k in range(count)))

    return can_be_recorded(formula, count) and all(can_be_recorded(of_one(k), 1) for k in range(count))


def can_be_recorded(function: Callable[..., Any], count: int, shape: tuple[int, ...] = (2,)) -> bool:
    """Whether a function of so many arrays runs on traced values of which only shapes are known.

    Whatever SciPy's code raises there says that it does not: it asks for numbers, or hands them to compiled code.
    """
    try:
        with np.errstate(all="ignore"):
            out = eval_shape(function, *[np.full(shape, 0.5)] * count)
    except Exception:
        return False
    return tuple(out.shape) == shape


def moment(distribution: Any, name: str | int, parameters: Sequence[Any]) -> Any:
    """The mean, variance, skewness, kurtosis, entropy, or the moment of an order, for location 0 and scale 1."""
    plain = plain_moment(distribution, name)
    if not contains_traced(parameters):
        return plain(*parameters)
    if moment_has_formula(distribution, name):
        with np.errstate(all="ignore"):
            return moment_formula(distribution, name, parameters)
    return moment_operation(distribution, name)(*parameters)


SHAPES = {"skew": "s", "kurtosis": "k"}
"""Numbers of a distribution that SciPy has no methods for, by the letters of its ``stats``."""


def moment_formula(distribution: Any, name: str | int, parameters: Sequence[Any]) -> Any:
    """The same by SciPy's formulas."""
    own = borrowed(distribution, evaluate, METHODS)
    if name == "entropy":
        return own._entropy(*parameters)
    if isinstance(name, int):
        known = (
            own._stats(*parameters, **({"moments": "mvsk"} if own._stats_has_moments else {})) if name < 5 else [0] * 4
        )
        return _moment_from_stats(name, *known, own._munp, parameters)
    place = ("mean", "var", *SHAPES).index(name)
    found = own._stats(*parameters, moments="mvsk"[place]) if own._stats_has_moments else own._stats(*parameters)
    if name in SHAPES:
        if found[place] is None:
            raise NotImplementedError(f"{distribution.name} has no formula of its {name}")
        return found[place]
    mean = own._munp(1, *parameters) if found[0] is None else found[0]
    if name == "mean":
        return mean
    return own._munp(2, *parameters) - mean * mean if found[1] is None else found[1]


@cache
def moment_has_formula(distribution: Any, name: str | int) -> bool:
    """Whether these formulas can be recorded."""
    return can_be_recorded(lambda *parameters: moment_formula(distribution, name, parameters), distribution.numargs)


@cache
def moment_operation(distribution: Any, name: str | int) -> Primitive:
    """The moment as an operation."""
    label = f"moment_{name}" if isinstance(name, int) else name
    return of_parameters(distribution, label, plain_moment(distribution, name))


def plain_moment(distribution: Any, name: str | int) -> Callable[..., Any]:
    """The moment as SciPy computes it."""
    if name in SHAPES:
        return lambda *parameters: np.float64(distribution.stats(*parameters, moments=SHAPES[name]))
    if isinstance(name, int):
        return lambda *parameters: distribution.moment(name, *parameters)
    return lambda *parameters: getattr(distribution, name)(*parameters)
