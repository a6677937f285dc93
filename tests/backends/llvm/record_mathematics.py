"""Records exact values of the functions of vector mathematics in float64: `python -m tests.backends.llvm.record_mathematics`.

Needs mpmath. Among many arguments it keeps some at random and those with the largest errors, so that the tests see how far
each function is off. A value is kept as a float64 and what it lacks, in units of its last place.
"""

from pathlib import Path

import mpmath
import numpy as np

from autodiff.backends.llvm.mathematics import MAXIMUM_ULPS
from tests.backends.llvm.mathematics_inputs import arguments, last_place, unit_of
from tests.backends.llvm.mathematics_kernels import call

FILE = Path(__file__).with_name("mathematics_reference.npz")
RANDOM, WORST, SEARCHED = 100, 30, {True: 2_000, False: 200_000}

EXACT = {
    "logistic": lambda x: 1 / (1 + mpmath.exp(-x)),
    "softplus": lambda x: mpmath.log1p(mpmath.exp(x)),
    "exp2": lambda x: mpmath.mpf(2) ** x,
    "log2": lambda x: mpmath.log(x, 2),
    "log1p": mpmath.log1p,
    "arcsin": mpmath.asin,
    "arccos": mpmath.acos,
    "arctan": mpmath.atan,
    "arctan2": mpmath.atan2,
    "arcsinh": mpmath.asinh,
    "arccosh": mpmath.acosh,
    "arctanh": mpmath.atanh,
    "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    "lgamma": lambda x: mpmath.log(abs(mpmath.gamma(x))) if x < 0 else mpmath.loggamma(x),
}


def exact(name, *operands):
    """The exact value as a float64 and what it lacks in units, or None where it is no finite real number."""
    function = EXACT.get(name) or getattr(mpmath, name.removesuffix("_near"))
    try:
        value = function(*(mpmath.mpf(float(operand)) for operand in operands))
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
    if isinstance(value, mpmath.mpc) or not mpmath.isfinite(value):
        return None
    high = float(value)
    return (
        (high, float((value - high) / mpmath.mpf(float(last_place(np.abs(np.float64(high)))))))
        if np.isfinite(high)
        else None
    )


def wide(name, *operands):
    """The value in long double, where NumPy has the function."""
    long = [operand.astype(np.longdouble) for operand in operands]
    if name == "rsqrt":
        return 1 / np.sqrt(*long)
    if name == "logistic":
        return 1 / (1 + np.exp(-long[0]))
    if name == "softplus":
        return np.log1p(np.exp(-np.abs(long[0]))) + np.maximum(long[0], 0)
    return getattr(np, name.removesuffix("_near"))(*long)


def record(name):
    slow = name in ("erf", "erfc", "lgamma", "digamma")
    operands = arguments(name, np.float64, SEARCHED[slow], seed=1)
    found = call(name, *operands)
    if slow:
        with mpmath.workdps(30):
            values = [exact(name, *row) or (np.nan, np.nan) for row in zip(*operands)]
        values = np.array(values, np.longdouble)
        values = values[:, 0] + values[:, 1] * np.spacing(np.abs(values[:, 0].astype(np.float64)))
    else:
        values = wide(name, *operands)
    errors = np.nan_to_num(np.abs(found - values) / unit_of(name, values.astype(np.float64), operands), nan=0, posinf=0)
    chosen = np.unique([*np.argsort(errors)[-WORST:], *np.random.default_rng(2).choice(found.size, RANDOM)])
    rows = []
    for row in zip(*(operand[chosen] for operand in operands)):
        value = exact(name, *row)
        if value is not None:
            rows.append((*row, *value))
    return np.array(rows)


def main():
    with np.errstate(all="ignore"), mpmath.workprec(1300):
        np.savez_compressed(FILE, **{name: record(name) for name, dtype in MAXIMUM_ULPS if dtype == "float64"})


if __name__ == "__main__":
    main()
