"""Random numbers with traced parameters, drawn by NumPy's generators.

A generator draws from a fixed distribution, and the parameters are put in afterwards by a smooth function: the
reparametrization. The numbers are NumPy's, to rounding, and leave the generator as NumPy's method does. Where no such
function is elementary, that of quantiles is taken: a draw stays at its quantile while the parameters move.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from inspect import Parameter, Signature
from typing import Any

import numpy as np

from autodiff.numpy.buffers import fresh, settled
from autodiff.numpy.dispatch import FUNCTIONS, as_operand, contains_traced, missing, peeled
from autodiff.numpy.namespace import has_traced_values
from autodiff.ops.elementwise import exp, expm1, sqrt, where
from autodiff.trace.spec import spec_of
from autodiff.trace.traced import Traced
from autodiff.transforms.stop_gradient import stop_gradient

GENERATORS = (np.random.Generator, np.random.RandomState)
Function = Callable[..., Any]

WHOLE = frozenset((
    "binomial", "geometric", "hypergeometric", "integers", "logseries", "multinomial", "multivariate_hypergeometric",
    "negative_binomial", "poisson", "randint", "random_integers", "zipf",
))  # fmt: skip
"""Methods that draw whole numbers."""

OTHERS = frozenset((
    "dirichlet", "noncentral_chisquare", "noncentral_f", "permuted", "standard_t", "vonmises", "wald",
))  # fmt: skip
"""Other methods, with which no smooth function is known here."""


def triangular(u: Any, left: Any, mode: Any, right: Any) -> Any:
    """The quantile of a triangular distribution."""
    base = right - left
    rising = u * base <= mode - left
    before, after = (
        where(rising, u, 1.0),
        where(rising, 1.0, 1.0 - u),
    )  # the branch not taken is away from the root of 0
    return where(rising, left + sqrt(before * (mode - left) * base), right - sqrt(after * (right - mode) * base))


def multivariate_normal(generator: Any, size: Any, mean: Any, cov: Any) -> Any:
    """Normal vectors: NumPy's root of the covariance matrix is the Cholesky factor times a rotation, which stays."""
    plain = np.asarray(peeled(cov, "multivariate_normal"), float)
    count = plain.shape[0]
    zero = generator.multivariate_normal(np.zeros(count), plain, size)
    whitened = np.linalg.solve(np.linalg.cholesky(plain), zero[..., None])  # what a Cholesky factor takes to the draw
    return mean + (FUNCTIONS[np.linalg.cholesky](cov) @ whitened)[..., 0]


def at_quantile(found: Any, functions: str, *shapes: Any) -> Any:
    """Draws that keep their quantile while the parameters of their distribution move.

    Args:
        found: the draws.
        functions: the names in scipy.special of the distribution function, its inverse, and those of the upper tail.
        shapes: the parameters.
    """
    special = import_module("scipy.special")
    cdf, ppf, sf, isf = (getattr(special, name) for name in functions.split())
    plain = [np.asarray(peeled(shape, "a quantile"), float) for shape in shapes]
    lower, upper = cdf(*plain, found), sf(*plain, found)
    below = lower < 0.5
    moving = where(below, ppf(*shapes, np.where(below, lower, 0.5)), isf(*shapes, np.where(below, 0.5, upper)))
    return found + (moving - stop_gradient(moving))


GAMMA, BETA = "gammainc gammaincinv gammaincc gammainccinv", "betainc betaincinv betaincc betainccinv"


def gamma(generator: Any, size: Any, shape: Any) -> Any:
    """Draws of a standard gamma distribution."""
    return at_quantile(generator.standard_gamma(peeled(shape, "standard_gamma"), size), GAMMA, shape)


def beta(generator: Any, size: Any, a: Any, b: Any) -> Any:
    """Draws of a beta distribution."""
    return at_quantile(generator.beta(peeled(a, "beta"), peeled(b, "beta"), size), BETA, a, b)


def variance_ratio(generator: Any, size: Any, first: Any, second: Any) -> Any:
    """Draws of an F distribution, through the beta distribution that belongs to it."""
    a, b = (np.asarray(peeled(df, "f"), float) for df in (first, second))
    found = a * generator.f(a, b, size)
    ratio = at_quantile(found / (found + b), BETA, first / 2.0, second / 2.0)
    return ratio * second / ((1.0 - ratio) * first)


def method(parameters: str, own: Function) -> tuple[Signature, Function]:
    """A method of generators: its parameters, some with defaults, and ``own(generator, size, *parameters)``."""
    given = [part.partition("=") for part in parameters.split()]
    names = [
        Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=float(value) if value else Parameter.empty)
        for name, _, value in given
    ]
    return Signature([*names, Parameter("size", Parameter.POSITIONAL_OR_KEYWORD, default=None)]), own


# fmt: off
DRAWS = {
    "normal":      method("loc=0 scale=1", lambda rng, size, loc, scale: loc + scale * rng.standard_normal(size)),
    "lognormal":   method("mean=0 sigma=1", lambda rng, size, mean, sd: exp(mean + sd * rng.standard_normal(size))),
    "uniform":     method("low=0 high=1", lambda rng, size, low, high: low + (high - low) * rng.uniform(size=size)),
    "exponential": method("scale=1", lambda rng, size, scale: scale * rng.standard_exponential(size)),
    "laplace":     method("loc=0 scale=1", lambda rng, size, loc, scale: loc + scale * rng.laplace(size=size)),
    "logistic":    method("loc=0 scale=1", lambda rng, size, loc, scale: loc + scale * rng.logistic(size=size)),
    "gumbel":      method("loc=0 scale=1", lambda rng, size, loc, scale: loc + scale * rng.gumbel(size=size)),
    "rayleigh":    method("scale=1", lambda rng, size, scale: scale * rng.rayleigh(size=size)),
    "weibull":     method("a", lambda rng, size, a: rng.standard_exponential(size) ** (1.0 / a)),
    "pareto":      method("a", lambda rng, size, a: expm1(rng.standard_exponential(size) / a)),
    "power":       method("a", lambda rng, size, a: (-np.expm1(-rng.standard_exponential(size))) ** (1.0 / a)),
    "triangular":  method("left mode right", lambda rng, size, *ends: triangular(rng.uniform(size=size), *ends)),
    "multivariate_normal": method("mean cov", multivariate_normal),
    "standard_gamma": method("shape", gamma),
    "gamma":       method("shape scale=1", lambda rng, size, shape, scale: scale * gamma(rng, size, shape)),
    "chisquare":   method("df", lambda rng, size, df: 2.0 * gamma(rng, size, df / 2.0)),
    "beta":        method("a b", beta),
    "f":           method("dfnum dfden", variance_ratio),
}
# fmt: on


def shuffle(method: Function, x: Any, axis: int = 0) -> None:
    """Put rows into another order where they are. NumPy would exchange views, of which one shows the other by then."""
    refuse_axis(method, axis)
    order = np.arange(np.shape(x)[axis])
    method(order)
    x[...] = np.take(settled(x), order, axis)


def permutation(method: Function, x: Any, axis: int = 0) -> Any:
    """The rows in another order."""
    refuse_axis(method, axis)
    return np.take(x, method(np.shape(x)[axis]), axis)


def choice(
    method: Any, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0, **more: Any
) -> Any:
    """Some of the rows."""
    if contains_traced((p, size)):
        raise missing("np.random.choice", "it draws whole numbers, which jump with the chances p")
    if isinstance(method.__self__, np.random.RandomState) and np.ndim(a) != 1:
        raise ValueError("a must be 1-dimensional")
    return np.take(a, method(np.shape(a)[axis], size, replace, p, **more), axis)


def refuse_axis(method: Any, axis: int) -> None:
    """The old generators know the first axis alone."""
    if axis and isinstance(method.__self__, np.random.RandomState):
        raise TypeError(f"{method.__name__}() of np.random.RandomState takes no axis")


PICKS: dict[str, Function] = {"choice": choice, "permutation": permutation}
"""Methods that draw places, at which rows of a traced array are taken."""


def draw(function: Any) -> Any:
    """What is called in place of a generator's method; anything else as it is."""
    if not isinstance(getattr(function, "__self__", None), GENERATORS):
        return function

    def drawing(*args: Any, **kwargs: Any) -> Any:
        if not has_traced_values():
            return function(*args, **kwargs)
        if function.__name__ == "shuffle":
            x = args[0] if args else kwargs.get("x")
            return (partial(shuffle, function) if isinstance(x, Traced) else function)(*args, **kwargs)
        args, kwargs = settled((args, kwargs))
        if not contains_traced((*args, *kwargs.values())):
            return fresh(function(*args, **kwargs))
        return reparametrized(function, args, kwargs)

    return drawing


def reparametrized(method: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Draws with traced parameters."""
    name, generator = method.__name__, method.__self__
    called = f"np.random.{type(generator).__name__}.{name}"
    if name in PICKS:
        return PICKS[name](method, *args, **kwargs)
    if name not in DRAWS:
        raise missing(called, "it draws whole numbers, which jump" if name in WHOLE else None)
    signature, own = DRAWS[name]
    try:
        given = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise missing(called, f"with traced values it takes {', '.join(signature.parameters)} ({error})") from None
    given.apply_defaults()
    *parameters, size = given.arguments.values()
    operands = [as_operand(value) for value in parameters]
    if size is None and name != "multivariate_normal":
        size = np.broadcast_shapes(*(spec_of(value).shape for value in operands)) or None
    return own(generator, size, *operands)
