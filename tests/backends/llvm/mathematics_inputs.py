"""Arguments for the functions of vector mathematics: the whole range, and where their implementations change."""

import numpy as np
from scipy import special

from autodiff.backends.llvm.mathematics import FUNCTIONS

SPECIALS = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.0,
    -2.0,
    3.0,
    -3.0,
    0.5,
    -0.5,
    1.5,
    -2.5,
    1e10,
    -1e10,
    16777217.0,
    np.inf,
    -np.inf,
    np.nan,
)

# Where a function changes most, in float32 and float64; the others between -8 and 8.
RANGES = {
    "exp": ((-105, 90), (-750, 712)),
    "exp2": ((-151, 129), (-1080, 1025)),
    "expm1": ((-20, 90), (-40, 712)),
    "logistic": ((-105, 20), (-750, 40)),
    "softplus": ((-105, 20), (-750, 40)),
    "sinh": ((-91, 91), (-712, 712)),
    "cosh": ((-91, 91), (-712, 712)),
    "tanh": ((-10, 10), (-20, 20)),
    "erf": ((-4.5, 4.5), (-6.5, 6.5)),
    "erfc": ((-4.5, 10.5), (-6.5, 28)),
    "sin": ((-200, 200), (-200, 200)),
    "cos": ((-200, 200), (-200, 200)),
    "tan": ((-200, 200), (-200, 200)),
}


def specials(dtype):
    """Zeros, infinities, NaN, and the ends of the range."""
    info = np.finfo(dtype)
    ends = np.array([info.smallest_subnormal, info.tiny, info.max, info.eps], dtype)
    return np.concatenate([np.array(SPECIALS, dtype), ends, -ends, 1 + ends[-1:], 1 - ends[-1:] / 2])


def arguments(name, dtype, count, seed):
    """One or two arrays of about `count` numbers."""
    generator = np.random.default_rng(seed)
    if FUNCTIONS.get(name, 1) == 2:
        return _pairs(name, dtype, count, generator)
    low, high = RANGES.get(name.removesuffix("_near"), ((-8, 8), (-8, 8)))[dtype == np.float64]
    parts = [
        _any_bits(dtype, count // 4, generator),
        generator.uniform(low, high, count // 4),
        generator.standard_normal(count // 4),
        _either_sign(generator, count // 8) * 10.0 ** generator.uniform(-20, 4, count // 8),
        1 + _near_zero(dtype, count // 8, generator),
        specials(dtype),
    ]
    if name in ("lgamma", "digamma"):
        parts += [
            2 + _near_zero(dtype, count // 8, generator),
            1.4616321449683622 + _near_zero(dtype, count // 8, generator),
        ]
    x = np.concatenate([part.astype(dtype) for part in parts])
    if name.endswith("_near"):
        x = x[np.abs(x) < 2.0**44]
    if name in ("lgamma", "digamma"):
        x = x[~(x < -1e4)]  # where a step between floats is no longer small against 1
    return (x,)


def last_place(x):
    """The unit of the last place of positive numbers; NumPy's spacing of the largest is infinite."""
    return np.spacing(np.minimum(x, np.nextafter(np.finfo(x.dtype).max, x.dtype.type(0))))


def unit_of(name, value, operands):
    """The unit of the last place of values in which errors are stated."""
    size = np.abs(value)
    if name in ("lgamma", "digamma"):
        (x,) = operands
        subtracted = np.abs((special.gammaln if name == "lgamma" else special.digamma)(1 - x))
        size = np.where(x < 0, np.maximum(np.maximum(size, subtracted), 1), size)
    return last_place(size.astype(value.dtype))


def _pairs(name, dtype, count, generator):
    x, y = (
        np.concatenate([_any_bits(dtype, count // 4, generator), generator.standard_normal(count // 4)]) for _ in "xy"
    )
    pairs = [(x, y), [grid.ravel() for grid in np.meshgrid(specials(dtype), specials(dtype))]]
    size = 10.0 ** generator.uniform(-10, 10, count // 4)
    pairs.append((size, size * generator.standard_normal(count // 4)))
    if name == "power":
        pairs.append((generator.standard_normal(count // 8), generator.integers(-20, 20, count // 8)))
        limit = 126 if dtype == np.float32 else 1022
        for base in (1 + _near_zero(dtype, count // 8, generator), 2.0 ** generator.uniform(-limit, limit, count // 8)):
            base = np.abs(base).astype(dtype).astype(np.float64)
            base = base[(base != 1) & (base > 0)]
            pairs.append((base, generator.uniform(-1.1, 1.1, base.size) * limit / np.log2(base)))
    return tuple(np.concatenate([pair[i].astype(dtype) for pair in pairs]) for i in (0, 1))


def _any_bits(dtype, count, generator):
    integer = np.int32 if dtype == np.float32 else np.int64
    info = np.iinfo(integer)
    floats = generator.integers(info.min, info.max, count, dtype=integer).view(dtype)
    return np.where(np.isnan(floats), dtype(np.nan), floats)  # signalling NaNs warn where they are converted


def _either_sign(generator, count):
    return generator.choice([-1.0, 1.0], count)


def _near_zero(dtype, count, generator):
    return _either_sign(generator, count) * 10.0 ** generator.uniform(
        -7 if dtype == np.float32 else -15.5, -0.05, count
    )
