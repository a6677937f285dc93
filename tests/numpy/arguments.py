"""Calls of NumPy's functions, and values for their optional arguments: legal ones, and a few that NumPy refuses."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

A = np.array([[2.04, -2.56, 0.42, -0.57], [-0.45, -0.22, -2.02, -0.23], [-0.87, 3.32, 0.23, -0.35]])
N = np.where(np.abs(A) == 2.56, np.nan, A)
B = np.array([[0.3, -1.2, 0.8], [1.1, 0.4, -0.6], [-0.7, 2.1, 0.2], [0.9, -0.1, 1.4]])
V = np.array([-0.28, -0.67, 1.06, -0.39, 0.48])
S = np.array([[3.1, 0.4, -0.2], [0.3, 2.7, 0.5], [-0.6, 0.1, 3.4]])
H = S @ S.T
P = np.abs(A) + 0.5
T = np.sin(np.arange(24.0)).reshape(2, 3, 4)
MASK = A > -0.3
AXES = (None, 0, -1, 1, (0,), (0, 1), (-1, 0), np.int64(0), np.array(1), 5, -7, (0, 0), ())

VALUES: dict[str, tuple[Any, ...]] = {
    "axis": AXES,
    "axes": (None, (0, 1), (1, 0), [0, 1], (0,), -1),
    "keepdims": (False, True, 0, 1),
    "dtype": (None, float, np.float32, "f4", complex, np.dtype("f8")),
    "out": (None,),
    "where": (True, [True] * 4, MASK[:, :1], MASK),
    "initial": (None, 0, 1.5, np.float32(2)),
    "order": ("K", "C", "F", "A", None),
    "casting": ("same_kind", "safe", "unsafe", "no", "equiv"),
    "subok": (True, False),
    "device": (None, "cpu"),
    "copy": (True, False),
    "ddof": (0, 1, np.int64(1), -1),
    "correction": (0, 1, 2.5),
    "mean": (0.5, np.zeros((3, 1))),
    "n": (0, 1, 2, None, 5, np.int64(2)),
    "k": (0, 1, -1, 3, -5, np.int64(1)),
    "offset": (0, 1, -1, 3),
    "axis1": (0, 1, -1),
    "axis2": (0, 1, -2),
    "kind": (None, "quicksort", "stable", "mergesort", "heapsort", "q"),
    "stable": (None, True, False),
    "decimals": (0, 1, -1, np.int64(2)),
    "mode": ("full", "same", "valid", "raise", "wrap", "clip", "r", "reduced", "edge", "reflect", "symmetric", "mean"),
    "method": ("linear", "lower", "higher", "nearest", "midpoint", "weibull", "hazen", "inverted_cdf", "bad"),
    "overwrite_input": (False,),
    "norm": (None, "ortho", "forward", "backward", "bad"),
    "ord": (None, 1, 2, -1, -2, np.inf, -np.inf, "fro", "nuc", 3, 0, np.float64(2)),
    "nan": (0.0, 5, -1.0),
    "posinf": (None, 7.0),
    "neginf": (None, -7),
    "s": (None, (2,), (2, 2), (4, 5), [3, 3], (-1, 2)),
    "rowvar": (True, False),
    "bias": (False, True),
    "fweights": (None, [1, 2, 1, 3]),
    "aweights": (None, [1.0, 2.0, 1.0, 3.0]),
    "weights": (None, [1.0, 2.0, 3.0, 4.0], [1, 2, 3], P, P.tolist()),
    "returned": (False, True),
    "prepend": (0.0, 1, np.zeros((3, 1))),
    "append": (0.0, 2, np.ones((3, 1))),
    "edge_order": (1, 2, 3),
    "full_matrices": (True, False),
    "compute_uv": (True, False),
    "hermitian": (False, True),
    "UPLO": ("L", "U", "l", "X"),
    "upper": (False, True),
    "rcond": (None, 1e-10, np.float32(1e-3)),
    "rtol": (None, 1e-10),
    "tol": (None, 1e-3),
    "increasing": (False, True),
    "N": (None, 3, 0, 6),
    "include_initial": (False, True),
    "invert": (False, True),
    "assume_unique": (False, True),
    "discont": (None, 1.0, 4.0),
    "period": (2 * np.pi, 1.0, 4),
    "left": (None, 0.0, -1),
    "right": (None, 9.0),
    "optimize": (False, True, "greedy", "optimal"),
    "indexing": ("ij", "xy"),
    "sparse": (False, True),
    "bins": (3, [0.0, 1.0, 2.0], np.int64(4)),
    "range": (None, (-1, 1), [0, 1]),
    "density": (None, False, True),
    "minlength": (0, 7),
    "trim": ("fb", "f", "b"),
    "deg": (1, np.int64(2)),
    "cov": (False, True, "unscaled"),
    "full": (False, True),
    "w": (None, [1.0, 1.0, 2.0, 1.0]),
    "endpoint": (True, False),
    "base": (10.0, 2),
    "num": (5, 1, 0),
    "retstep": (False, True),
    "reflect_type": ("even", "odd"),
    "repeats": (2, [1, 2, 0], 0, np.int64(3)),
    "shift": (1, -2, (1, 2), [1], np.int64(2)),
    "side": ("left", "right"),
    "equal_nan": (True, False),
}
"""Values of optional arguments, by their names."""

OF_UFUNCS = ("out", "where", "casting", "order", "dtype", "subok")
HIDDEN = {
    np.einsum: ("dtype", "order", "casting", "optimize", "out"),
    np.concatenate: ("axis", "dtype", "casting", "out"),
    np.gradient: ("axis", "edge_order"),
    np.pad: ("reflect_type",),
    np.clip: ("where", "casting", "order", "subok", "dtype"),
}
"""Arguments that signatures do not show."""


class Call(NamedTuple):
    """A call of a function; arrays of floating-point numbers among its arguments are traced."""

    function: Callable[..., Any]
    args: tuple[Any, ...]


def names(text: str) -> list[Callable[..., Any]]:
    """Functions by their names, without those that this NumPy does not have."""
    found = (np.linalg if "linalg." in name else np.fft if "fft." in name else np for name in text.split())
    pairs = zip(found, (name.rpartition(".")[2] for name in text.split()), strict=True)
    return [getattr(home, name) for home, name in pairs if hasattr(home, name)]


CALLS = [
    *(Call(f, (A,)) for f in names(
        "sum prod mean std var max min ptp median all any argmax argmin count_nonzero cumsum cumprod cumulative_sum "
        "cumulative_prod average sort argsort diff gradient trapezoid flip ravel transpose copy round nan_to_num real "
        "imag angle unique diagonal trace tril triu rot90 cov corrcoef histogram zeros_like ones_like sinc modf clip "
        "linalg.norm linalg.svd linalg.qr linalg.pinv linalg.vector_norm fft.fft fft.ifft fft.rfft fft.irfft fft.hfft "
        "fft.ihfft fft.fft2 fft.ifft2 fft.fftn fft.ifftn fft.rfft2 fft.rfftn fft.irfft2 fft.irfftn fft.fftshift "
        "absolute negative floor isnan square"
    )),
    *(Call(f, (N,)) for f in names(
        "nansum nanprod nanmean nanstd nanvar nanmax nanmin nanmedian nanargmax nanargmin nancumsum nancumprod"
    )),
    *(Call(f, (V,)) for f in names("vander trim_zeros poly polyder polyint unwrap diag diagflat ediff1d")),
    *(Call(f, (P, P[::-1] + 0.3)) for f in names("add divide power maximum fmin arctan2 hypot logaddexp greater divmod")),
    *(Call(f, (T,)) for f in names("diagonal trace transpose flip tril gradient cumsum")),
    *(Call(f, (S,)) for f in names("linalg.inv linalg.det linalg.cond linalg.svd linalg.qr linalg.pinv linalg.trace")),
    *(Call(f, (H,)) for f in names("linalg.cholesky linalg.eigh linalg.eigvalsh linalg.svd linalg.matrix_rank")),
    *(Call(f, (N, 0.5)) for f in names("nanquantile nanpercentile")),
    *(Call(f, (A, 0.5)) for f in names("quantile percentile")),
    Call(np.matmul, (A, B)), Call(np.dot, (A, B)), Call(np.outer, (V, V)), Call(np.tensordot, (A, B)),
    Call(np.cross, (A[:, :3], A[:, 1:])), Call(np.einsum, ("ij,jk", A, B)), Call(np.concatenate, ((A, A),)),
    Call(np.stack, ([A, A],)), Call(np.take, (A, [0, 2])), Call(np.take_along_axis, (A, np.argsort(A, axis=1), 1)),
    Call(np.compress, ([True, False, True], A, 0)), Call(np.repeat, (A, 2)), Call(np.roll, (A, 1)),
    Call(np.pad, (A, 1)), Call(np.delete, (A, 1, 0)), Call(np.insert, (A, 1, 5.0, 0)), Call(np.split, (T, 2)),
    Call(np.partition, (A, 1)), Call(np.reshape, (A, (4, 3))), Call(np.meshgrid, (V, V[:3])), Call(np.clip, (A, -0.5, 0.5)),
    Call(np.interp, (np.linspace(-1, 3, 7), np.arange(4.0), B[:, 0])), Call(np.searchsorted, (np.sort(V), V)),
    Call(np.bincount, (np.array([0, 1, 1, 2, 3]), V)), Call(np.convolve, (V, V[:3])), Call(np.correlate, (V, V[:3])),
    Call(np.polyfit, (np.arange(4.0), B[:, 0], 1)), Call(np.isclose, (A, P)), Call(np.isin, (A, P)),
    Call(np.linspace, (A[0], P[0], 5)), Call(np.logspace, (0.5, 1.5, 5)), Call(np.geomspace, (0.5, 2.5, 5)),
    Call(np.full_like, (A, 2.5)), Call(np.choose, (np.array([[0, 1, 0, 1]]), [A, P])),
    Call(np.average, (A, None, P)), Call(np.trapezoid, (A, np.arange(4.0))), Call(np.linalg.norm, (T, None, (0, 2))),
    Call(np.linalg.lstsq, (B, B[:, 0])), Call(np.linalg.solve, (S, H)),
]  # fmt: skip


def options_of(call: Call) -> Iterator[dict[str, Any]]:
    """Every value of every optional argument, the defaults among them; first none at all."""
    yield {}
    shown: dict[str, Any] = {}
    given = len(call.args)
    if isinstance(call.function, np.ufunc):
        shown = dict.fromkeys(OF_UFUNCS, inspect.Parameter.empty)
    elif call.function not in (np.concatenate, np.dot, np.bincount):
        parameters = list(inspect.signature(call.function).parameters.values())[given:]
        shown = {p.name: p.default for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    shown.update(dict.fromkeys(HIDDEN.get(call.function, ()), inspect.Parameter.empty))
    for name, default in shown.items():
        if default is not inspect.Parameter.empty and default is not np._NoValue:
            yield {name: default}
        yield from ({name: value} for value in VALUES.get(name, ()))


def known_as(call: Call) -> str:
    """The function and the shapes of its arguments."""
    shapes = ", ".join(str(np.shape(x)) if isinstance(x, np.ndarray) else type(x).__name__ for x in call.args)
    return f"{call.function.__name__}({shapes})"
