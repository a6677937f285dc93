"""scipy.spatial.distance for plain and traced values alike: distances of vectors, and of all pairs of them."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
import scipy.spatial.distance

from autodiff.numpy.dispatch import FUNCTIONS, as_operand
from autodiff.ops import elementwise as ew
from autodiff.ops.special.gamma import rel_entr
from autodiff.scipy.mirror import counterpart, mirrored
from autodiff.trace.errors import DifferentiationError, OperandError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of


def total(x: Any) -> Any:
    """The sum over the elements of vectors."""
    return FUNCTIONS[np.sum](x, -1)


def mean(x: Any) -> Any:
    """The mean over the elements of vectors."""
    return FUNCTIONS[np.mean](x, -1, keepdims=True)


def length(x: Any) -> Any:
    """The Euclidean length of vectors; its derivative at zero is zero."""
    return FUNCTIONS[np.linalg.norm](x, axis=-1)


def cosine_of(u: Any, v: Any) -> Any:
    """One minus the cosine of the angle between vectors."""
    return 1 - total(u * v) / (length(u) * length(v))


def canberra_of(u: Any, v: Any) -> Any:
    """The sum of relative differences."""
    size = ew.absolute(u) + ew.absolute(v)
    return total(ew.absolute(u - v) / ew.where(ew.equal(size, 0), 1.0, size))


def jensenshannon_of(u: Any, v: Any, base: Any = None, *, axis: int = -1, keepdims: bool = False) -> Any:
    """The root of the mean divergence of two distributions from their mean."""
    p, q = (each / FUNCTIONS[np.sum](each, axis, keepdims=True) for each in (u, v))
    middle = (p + q) / 2
    divergence = FUNCTIONS[np.sum](rel_entr(p, middle) + rel_entr(q, middle), axis, keepdims=keepdims)
    return ew.sqrt(divergence / 2 if base is None else divergence / 2 / ew.log(as_operand(base) * 1.0))


# fmt: off
OF_VECTORS: dict[str, Callable[..., Any]] = {
    "euclidean":      lambda u, v: length(u - v),
    "sqeuclidean":    lambda u, v: total((u - v) * (u - v)),
    "cityblock":      lambda u, v: total(ew.absolute(u - v)),
    "chebyshev":      lambda u, v: FUNCTIONS[np.max](ew.absolute(u - v), -1),
    "minkowski":      lambda u, v, p=2: FUNCTIONS[np.linalg.norm](u - v, ord=p, axis=-1),
    "cosine":         cosine_of,
    "correlation":    lambda u, v, centered=True: cosine_of(u - mean(u), v - mean(v)) if centered else cosine_of(u, v),
    "braycurtis":     lambda u, v: total(ew.absolute(u - v)) / total(ew.absolute(u + v)),
    "canberra":       canberra_of,
    "mahalanobis":    lambda u, v, VI: ew.sqrt(total(((u - v) @ VI) * (u - v))),
    "seuclidean":     lambda u, v, V: ew.sqrt(total((u - v) * (u - v) / V)),
    "jensenshannon":  jensenshannon_of,
}
SHORT = {"l2": "euclidean", "l1": "cityblock", "manhattan": "cityblock", "cheby": "chebyshev", "m": "minkowski"}
# fmt: on


def function_of_vectors(name: str) -> Callable[..., Any]:
    """A distance of two vectors."""
    original, own = getattr(scipy.spatial.distance, name), OF_VECTORS[name]

    positions = signature(original)

    def distance(u: Any, v: Any, *args: Any, **options: Any) -> Any:
        options = dict(list(positions.bind(u, v, *args, **options).arguments.items())[2:])
        weights = options.pop("w", None)
        if weights is not None:
            raise DifferentiationError(f"{name} of traced values has no w={at_user_line()}; scale the vectors")
        if name == "jensenshannon":
            options = {"axis": 0, **options}
        elif len(as_operand(u).shape) > 1 or len(as_operand(v).shape) > 1:
            raise OperandError(f"{name} of traced values takes two vectors{at_user_line()}; cdist takes matrices")
        return own(as_operand(u), as_operand(v), **options)

    distance.__name__ = distance.__qualname__ = name
    distance.__doc__ = (original.__doc__ or "").strip().partition("\n\n")[0]
    return counterpart(original)(distance)


euclidean, sqeuclidean, cityblock, chebyshev, minkowski, cosine, correlation, braycurtis, canberra = map(
    function_of_vectors,
    [
        "euclidean",
        "sqeuclidean",
        "cityblock",
        "chebyshev",
        "minkowski",
        "cosine",
        "correlation",
        "braycurtis",
        "canberra",
    ],
)
mahalanobis, seuclidean, jensenshannon = map(function_of_vectors, ("mahalanobis", "seuclidean", "jensenshannon"))


def metric_of(metric: Any, options: dict[str, Any]) -> Callable[[Any, Any], Any]:
    """A metric of SciPy's, by its name.

    Raises:
        DifferentiationError: for a metric that has no derivative, or that SciPy completes from the data.
    """
    name = SHORT.get(metric, metric)
    if name not in OF_VECTORS or (name == "seuclidean" and "V" not in options) or "w" in options:
        raise DifferentiationError(
            f"distances of traced vectors have no metric={metric!r}{at_user_line()} here; take one of "
            f"{', '.join(sorted(OF_VECTORS))}, with V= or VI= where it has them, and no w="
        )
    return lambda u, v: OF_VECTORS[name](u, v, **options)


@counterpart(scipy.spatial.distance.cdist)
def cdist(XA: Any, XB: Any, metric: Any = "euclidean", *, out: Any = None, **options: Any) -> Any:
    """The distances of all rows of one matrix from all rows of another.

    >>> import numpy as np, autodiff
    >>> autodiff.grad(lambda x: cdist(x, np.zeros((1, 2))).sum())(np.array([[3.0, 4.0]]))
    array([[0.6, 0.8]])
    """
    a, b = as_operand(XA), as_operand(XB)
    return metric_of(metric, options)(a[:, None], b[None])


@counterpart(scipy.spatial.distance.pdist)
def pdist(X: Any, metric: Any = "euclidean", *, out: Any = None, **options: Any) -> Any:
    """The distances of all pairs of rows, the second one after the first."""
    x = as_operand(X)
    first, second = np.triu_indices(x.shape[0], 1)
    return metric_of(metric, options)(x[first], x[second])


@counterpart(scipy.spatial.distance.squareform)
def squareform(X: Any, force: str = "no", checks: bool = True) -> Any:
    """Distances of pairs as a symmetric matrix, and back."""
    x = as_operand(X)
    if len(x.shape) == 2:
        return x[np.triu_indices(x.shape[0], 1)]
    size = round((1 + np.sqrt(1 + 8 * x.shape[0])) / 2)
    places = np.zeros((size, size), int)
    rows, columns = np.triu_indices(size, 1)
    places[rows, columns] = places[columns, rows] = np.arange(1, x.shape[0] + 1)
    return FUNCTIONS[np.concatenate]([np.zeros(1, spec_of(x).dtype), x])[places]


@counterpart(scipy.spatial.distance_matrix)
def distance_matrix(x: Any, y: Any, p: Any = 2, threshold: Any = 1000000) -> Any:
    """Minkowski's distances of all rows of one matrix from all rows of another."""
    return cdist(x, y, "minkowski", p=p)


__getattr__ = mirrored("scipy.spatial.distance")
