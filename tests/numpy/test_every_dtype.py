"""Functions of one operand over all dtypes, integers and truths among them: values, dtypes and refusals of NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

from autodiff import jit

DTYPES = ("?", "u1", "u4", "u8", "i1", "i8", "e", "f", "F")

OURS_TAKE_MORE = {
    ("gradient", "?"), ("interp", "F"), ("bincount of", "F"), ("digitize", "F"), ("histogram weights", "?"), ("copyto", "?"),
}  # fmt: skip
"""What NumPy refuses and a program computes."""

NARROW = {"select"}
"""What NumPy lets wrap, and a program refuses: a negative default among unsigned choices."""


def changed(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function that changes a copy of its operand in place."""

    def function(x: Any) -> Any:
        copy = x.copy()
        change(copy)
        return copy

    return function


# fmt: off
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    # Differences and sums.
    "diff": np.diff, "diff 2": lambda x: np.diff(x, n=2), "diff prepend": lambda x: np.diff(x, prepend=0, append=x[:1]),
    "ediff1d": np.ediff1d, "ptp": np.ptp, "gradient": np.gradient, "trapezoid": np.trapezoid, "cumsum": np.cumsum,
    "cumprod": np.cumprod, "sum": np.sum, "prod": np.prod, "mean": np.mean, "var": np.var, "std": np.std,
    "var ddof": lambda x: np.var(x, ddof=1), "sum u1": lambda x: np.sum(x, dtype="u1"),
    "cumsum i1": lambda x: np.cumsum(x, dtype="i1"), "mean f4": lambda x: np.mean(x, dtype="f4"),
    "sum where": lambda x: np.sum(x, where=x > 1), "mean where": lambda x: np.mean(x, where=x >= 0),
    "sum initial": lambda x: np.sum(x, initial=3), "prod initial": lambda x: np.prod(x, initial=2),
    "cumulative_sum": lambda x: np.cumulative_sum(x, include_initial=True), "average": np.average,
    "subtract.reduce": np.subtract.reduce, "subtract.accumulate": np.subtract.accumulate,
    "subtract.outer": lambda x: np.subtract.outer(x, x), "add.reduceat": lambda x: np.add.reduceat(x, [0, 2]),
    "logical_or.reduce": np.logical_or.reduce, "nansum": np.nansum, "nanmean": np.nanmean, "nanstd": np.nanstd,
    "nancumsum": np.nancumsum, "count_nonzero": np.count_nonzero,
    # Order.
    "median": np.median, "quantile": lambda x: np.quantile(x, 0.3), "nanmedian": np.nanmedian,
    "percentile lower": lambda x: np.percentile(x, 40, method="lower"), "sort": np.sort, "argsort": np.argsort,
    "max": np.max, "min initial": lambda x: np.min(x, initial=1), "max initial": lambda x: np.max(x, initial=3),
    "argmax": np.argmax, "searchsorted": lambda x: np.searchsorted(x, 2), "digitize": lambda x: np.digitize(x, [1, 3]),
    "partition": lambda x: np.partition(x, 2), "clip": lambda x: np.clip(x, 1, 2),
    "clip floats": lambda x: np.clip(x, 0.5, 2.5), "isin": lambda x: np.isin(x, [1, 2]),
    # Elements, beside Python's numbers.
    "-x": lambda x: -x, "~x": lambda x: ~x, "abs": abs, "square": np.square, "sqrt": np.sqrt, "sign": np.sign,
    "reciprocal": np.reciprocal, "round": np.round, "round -1": lambda x: np.round(x, -1), "floor": np.floor,
    "x - 3": lambda x: x - 3, "3 - x": lambda x: 3 - x, "x * -1": lambda x: x * -1, "x + 0.5": lambda x: x + 0.5,
    "x / 2": lambda x: x / 2, "1 / x": lambda x: 1 / x, "x // -3": lambda x: x // -3, "x % -3": lambda x: x % -3,
    "x ** 2": lambda x: x**2, "2 ** x": lambda x: 2**x, "x * 1j": lambda x: x * 1j, "x - True": lambda x: x - True,
    "x << 1": lambda x: x << 1, "x ^ 1": lambda x: x ^ 1, "fmod": lambda x: np.fmod(x, 3), "divmod": lambda x: divmod(x, 3),
    "copysign": lambda x: np.copysign(x, -1), "hypot": lambda x: np.hypot(x, 3), "heaviside": lambda x: np.heaviside(x, 0.5),
    "float_power": lambda x: np.float_power(x, 2), "gcd": lambda x: np.gcd(x, 6), "lcm": lambda x: np.lcm(x, 6),
    "logaddexp": lambda x: np.logaddexp(x, 1), "nextafter": lambda x: np.nextafter(x, 5), "spacing": np.spacing,
    "ldexp": lambda x: np.ldexp(x, 2), "frexp": np.frexp, "modf": np.modf, "bitwise_count": np.bitwise_count,
    "sinc": np.sinc, "i0": np.i0, "unwrap": np.unwrap, "degrees": np.degrees, "angle": np.angle, "real": np.real,
    "nan_to_num": np.nan_to_num, "astype f4": lambda x: x.astype("f4"), "astype u1": lambda x: x.astype("u1"),
    "interp": lambda x: np.interp(x, [0, 2, 4], [1, 5, 2]),
    # Choices.
    "where": lambda x: np.where(x > 1, x, 0), "where 0.5": lambda x: np.where(x > 1, x, 0.5),
    "select": lambda x: np.select([x > 2, x > 0], [x, x * 2], -1), "choose": lambda x: np.choose([0, 1, 0, 1], [x, x * 2]),
    "piecewise": lambda x: np.piecewise(x, [x > 1, x <= 1], [lambda t: t * 2, lambda t: t]),
    # Products.
    "dot": lambda x: np.dot(x, x), "outer": lambda x: np.outer(x, x), "kron": lambda x: np.kron(x, x),
    "matmul": lambda x: x[None] @ x, "vdot": lambda x: np.vdot(x, x), "einsum": lambda x: np.einsum("i,i->", x, x),
    "convolve": lambda x: np.convolve(x, x), "correlate": lambda x: np.correlate(x, x), "cov": np.cov,
    "cross": lambda x: np.cross(x[:3], x[1:4]), "norm": np.linalg.norm, "norm 1": lambda x: np.linalg.norm(x, 1),
    "norm -inf": lambda x: np.linalg.norm(x, -np.inf), "norm 0": lambda x: np.linalg.norm(x, 0),
    "trace": lambda x: np.trace(np.outer(x, x)), "matrix_power 3": lambda x: np.linalg.matrix_power(np.outer(x, x)[:2, :2], 3),
    "matrix_power 0": lambda x: np.linalg.matrix_power(np.outer(x, x)[:2, :2], 0),
    "polyval": lambda x: np.polyval(x, 2), "polysub": lambda x: np.polysub(x, x[::-1]), "polyder": np.polyder,
    "vander": np.vander, "fft": np.fft.fft, "rfft": np.fft.rfft,
    # Shapes and borders.
    "pad mean": lambda x: np.pad(x, 1, mode="mean"), "pad ramp": lambda x: np.pad(x, 1, mode="linear_ramp"),
    "pad odd": lambda x: np.pad(x, 2, mode="reflect", reflect_type="odd"), "windows": lambda x: sliding_window_view(x, 2).sum(-1),
    "append": lambda x: np.append(x, 2.5), "concatenate": lambda x: np.concatenate([x, [1, 2]]),
    "insert": lambda x: np.insert(x, 1, 2.7), "linspace": lambda x: np.linspace(x[1], x[3], 4),
    "linspace int": lambda x: np.linspace(x[1], x[3], 4, dtype=int), "full_like": lambda x: np.full_like(x, 3),
    "histogram weights": lambda x: np.histogram([0.5, 1.5, 2.5, 3.5], bins=[0, 2, 4], weights=x)[0],
    "bincount of": lambda x: np.bincount([0, 1, 0, 1], weights=x),
    # In place.
    "add.at": changed(lambda x: np.add.at(x, [0, 0, 3], x[:3])), "subtract.at": changed(lambda x: np.subtract.at(x, [0, 0, 3], x[:3])),
    "multiply.at": changed(lambda x: np.multiply.at(x, [0, 0, 3], x[:3])), "negative.at": changed(lambda x: np.negative.at(x, [0, 0, 3])),
    "-= x": changed(lambda x: np.subtract(x, x[::-1], out=x)), "/= 2": changed(lambda x: np.divide(x, 2, out=x)),
    "x[1] = 2.7": changed(lambda x: x.__setitem__(1, 2.7)), "x[1] = -1": changed(lambda x: x.__setitem__(1, -1)),
    "put": changed(lambda x: np.put(x, [0, 2], [1, 3])), "fill": changed(lambda x: x.fill(2)),
    "copyto": changed(lambda x: np.copyto(x, 2, where=x > 1)),
}
# fmt: on


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_programs_take_every_dtype_as_numpy_does(name: str) -> None:
    function = FUNCTIONS[name]
    for code in DTYPES:
        x = np.array([2, 0, 3, 1]).astype(code)
        with np.errstate(all="ignore"):
            expected, refusal = attempt(function, x.copy())
            found, error = attempt(jit(function, backend="numpy"), x.copy())
        if refusal is not None or error is not None:
            alike = (refusal is None) == (error is None)
            assert alike or (name, code) in OURS_TAKE_MORE or name in NARROW, (code, refusal, error)
            continue
        for ours, theirs in zip(parts(found), parts(expected), strict=True):
            assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), code
            tolerance = 0 if theirs.dtype.kind in "biu" else 4e-3 if theirs.dtype == np.float16 else 1e-5
            np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance, err_msg=code)


def attempt(function: Callable[..., Any], x: Any) -> tuple[Any, Exception | None]:
    """A result, or the error."""
    try:
        return function(x), None
    except Exception as error:
        return None, error


def parts(value: Any) -> list[Any]:
    """A result, or each of several, as arrays."""
    return [np.asarray(part) for part in (value if isinstance(value, tuple) else (value,))]
