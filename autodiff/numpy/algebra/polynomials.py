"""Polynomials by their coefficients, the highest power first."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.numpy.arrays.outline import known
from autodiff.numpy.dispatch import as_operand, implements, peeled
from autodiff.ops.elementwise import cast
from autodiff.ops.shape import reshape, transpose
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, is_chunked, spec_of
from autodiff.trace.tracer import concrete
from autodiff.trace.values.arrays import module_of


def coefficients(name: str, p: Any) -> Any:
    """A vector of coefficients; a number counts as one."""
    p = as_operand(p)
    own = spec_of(p)
    if len(own.shape) > 1:
        raise ValueError(f"{name} needs a vector of coefficients, got {own!r}{at_user_line()}")
    return p if own.shape else reshape(p, shape=(1,))


@implements(np.polyval)
def polyval(p: Any, x: Any) -> Any:
    """The polynomial at ``x`` by Horner's scheme; differentiable by the coefficients and by ``x``."""
    p, x = as_operand(p), as_operand(x)
    plain, its = known(x), spec_of(x)
    like_x = isinstance(plain, np.ndarray)
    value = np.zeros_like(plain) if like_x else module_of(p, x).zeros(its.shape, dtype=its.dtype)
    for k in range(spec_of(p).shape[0]):
        value = value * x + p[k]
    return value


def aligned(name: str, a1: Any, a2: Any) -> tuple[Any, Any]:
    """Two polynomials with zeros before the shorter one."""
    both = [coefficients(name, p) for p in (a1, a2)]
    sizes = [spec_of(p).size for p in both]
    missing = [max(sizes) - size for size in sizes]
    first, second = (
        np.concatenate([module_of(p).zeros(count, dtype=spec_of(p).dtype), p]) if count else p
        for p, count in zip(both, missing)
    )
    return first, second


@implements(np.polyadd)
def polyadd(a1: Any, a2: Any) -> Any:
    """The sum of two polynomials."""
    first, second = aligned("polyadd", a1, a2)
    return first + second


@implements(np.polysub)
def polysub(a1: Any, a2: Any) -> Any:
    """The difference of two polynomials."""
    first, second = aligned("polysub", a1, a2)
    return first - second


@implements(np.polymul)
def polymul(a1: Any, a2: Any) -> Any:
    """The product of two polynomials; zeros before the first coefficient are dropped, as NumPy does."""
    return np.convolve(trimmed(a1), trimmed(a2))


def trimmed(p: Any) -> Any:
    """The coefficients from the first one that is not zero."""
    rest = np.trim_zeros(coefficients("polymul", p), trim="f")
    return rest if spec_of(rest).size else module_of(rest).zeros(1, dtype=spec_of(rest).dtype)


@implements(np.polyder)
def polyder(p: Any, m: int = 1) -> Any:
    """The m-th derivative of a polynomial."""
    if m < 0:
        raise ValueError(f"polyder needs m >= 0, got {m}{at_user_line()}; polyint integrates")
    p = coefficients("polyder", p)
    for _ in range(m):
        p = p[:-1] * module_of(p).arange(spec_of(p).size - 1, 0, -1)
    return p


@implements(np.polyint)
def polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    """The m-th integral of a polynomial, with ``k`` as the constants of integration."""
    if m < 0:
        raise ValueError(f"polyint needs m >= 0, got {m}{at_user_line()}; polyder differentiates")
    p = coefficients("polyint", p)
    constants = module_of(p).zeros(m) if k is None else coefficients("polyint", k)
    if spec_of(constants).size == 1 and m > 1:
        constants = constants[0] * module_of(p).ones(m)
    if spec_of(constants).size < m:
        raise ValueError(f"polyint with m={m} got {spec_of(constants).size} constants{at_user_line()}; give one, or m")
    for step in range(m):
        p = np.concatenate([p / module_of(p).arange(spec_of(p).size, 0, -1), constants[step : step + 1]])
    return p


@implements(np.poly)
def poly(seq_of_zeros: Any) -> Any:
    """The coefficients of the polynomial with the given roots, or of a square matrix; the first coefficient is 1."""
    given = as_operand(seq_of_zeros)
    own = spec_of(given)
    if not own.size:
        return 1.0
    square = len(own.shape) == 2 and own.shape[0] == own.shape[1]
    roots = coefficients("poly", np.linalg.eigvals(given) if square else given)
    dtype = np.dtype(np.mintypecode(spec_of(roots).dtype.char))  # half precision and integers count as float64
    roots = roots if spec_of(roots).dtype == dtype else cast(roots, dtype=dtype)
    product: Any = module_of(roots).ones(1, dtype=dtype)
    for k in range(spec_of(roots).size):
        product = np.convolve(product, np.stack([module_of(roots).ones((), dtype=dtype), -roots[k]]))
    if dtype.kind == "c" and ((square and own.dtype.kind != "c") or in_conjugate_pairs(peeled(roots, "np.poly"))):
        return np.real(product)
    return product


def in_conjugate_pairs(roots: Any) -> bool:
    """Whether complex roots are those of a polynomial with real coefficients."""
    return bool(np.all(np.sort(roots) == np.sort(roots.conjugate())))


@implements(np.roots)
def roots(p: Any) -> Any:
    """The roots of a polynomial, as eigenvalues of its companion matrix; where two are equal they have no derivative.

    Raises:
        ValueError: if the first coefficient is zero: one that moves away from it brings a root from infinity.
    """
    p = coefficients("roots", p)
    size = spec_of(p).size
    plain = concrete(p)
    if isinstance(plain, Spec):
        plain = None
    elif size and not plain[0]:
        raise ValueError(
            f"roots of traced coefficients needs a first one that is not zero, got {spec_of(p)!r} with 0"
            f"{at_user_line()}; leave out zeros at the beginning, or all roots if all are zero"
        )
    if size < 2:
        return module_of(p).zeros(0)
    below = module_of(p).eye(size - 1, k=-1)[1:]
    found = np.linalg.eigvals(np.concatenate([np.reshape(-p[1:] / p[0], (1, -1)), below]))
    return found if plain is None or plain[-1] else found[nearest(np.roots(plain), concrete(found))]


def nearest(wanted: Any, found: Any) -> Any:
    """The places where the wanted numbers are found, each once: NumPy leaves out roots that are zero and adds them."""
    distances = np.abs(wanted[:, None] - found)
    places = []
    for line in distances:
        places.append(int(np.argmin(line)))
        distances[:, places[-1]] = np.inf
    return np.array(places)


@implements(np.polydiv)
def polydiv(u: Any, v: Any) -> tuple[Any, Any]:
    """The quotient and the remainder of two polynomials. How long the remainder is depends on values, as in NumPy."""
    u, v = (coefficients("polydiv", p) + 0.0 for p in (u, v))
    first, factor = u[0] + v[0], 1.0 / v[0]
    degree = spec_of(v).size
    rest = cast(u, dtype=spec_of(first).dtype)
    quotient = []
    for _ in range(spec_of(u).size - degree + 1):
        quotient.append(factor * rest[0])
        rest = np.concatenate([rest[1:degree] - quotient[-1] * v[1:], rest[degree:]])
    plain = peeled(rest, "np.polydiv")
    plain = np.asarray(plain) if is_chunked(plain) else plain  # the shape of the result is in the values
    keep = np.flatnonzero(~np.isclose(plain, 0, rtol=1e-14))
    start = keep[0] if keep.size else len(plain) - 1
    rest = rest[start:] if len(plain) else module_of(rest).zeros(1, dtype=spec_of(rest).dtype)
    whole = np.stack(quotient) if quotient else module_of(rest).zeros(1, dtype=spec_of(first).dtype)
    return whole, rest


@implements(np.polyfit)
def polyfit(
    x: Any, y: Any, deg: int, rcond: float | None = None, full: bool = False, w: Any = None, cov: Any = False
) -> Any:
    """The coefficients of the polynomial of least squares; differentiable by ``x``, ``y`` and the weights."""
    x, y = as_operand(x) + 0.0, as_operand(y) + 0.0
    if len(spec_of(x).shape) != 1 or spec_of(y).shape[:1] != spec_of(x).shape or len(spec_of(y).shape) > 2:
        raise ValueError(
            f"polyfit needs a vector x and as many rows of y, got {spec_of(x)!r} and {spec_of(y)!r}{at_user_line()}"
        )
    powers = np.vander(x, deg + 1)
    if w is not None:
        w = as_operand(w) + 0.0
        powers = powers * w[:, None]
        y = y * (w[:, None] if len(spec_of(y).shape) == 2 else w)
    scale = np.sqrt(np.sum(powers * powers, axis=0))
    rcond = spec_of(x).size * float(np.finfo(spec_of(x).dtype).eps) if rcond is None else rcond
    found, residues, rank, singular = np.linalg.lstsq(powers / scale, y, rcond)
    if len(spec_of(found).shape) == 1:
        found = found / scale
    else:
        found = transpose(transpose(found, axes=(-1, -2)) / scale, axes=(-1, -2))
    if full:
        return found, residues, rank, singular, rcond
    if not cov:
        return found
    matrix = covariances(powers / scale, scale)
    matrix = matrix if len(spec_of(y).shape) == 1 else matrix[:, :, None]
    return found, matrix if cov == "unscaled" else matrix * (residues / left_over(powers))


def covariances(powers: Any, scale: Any) -> Any:
    """The covariances of the coefficients of a fit to data of variance one."""
    matrix = np.linalg.inv(np.matmul(transpose(powers, axes=(-1, -2)), powers))
    return matrix / np.outer(scale, scale)


def left_over(powers: Any) -> int:
    """How many more points than coefficients there are.

    Raises:
        ValueError: if there are no more.
    """
    count, order = spec_of(powers).shape
    if count <= order:
        raise ValueError("the number of data points must exceed order to scale the covariance matrix")
    return int(count - order)
