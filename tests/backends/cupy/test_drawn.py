"""Drawn programs as kernels of grids, in three orders of threads and blocks, against NumPy."""

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from autodiff import grad
from tests.backends.cupy.hosting import ORDERS, needs_compiler
from tests.backends.cupy.running import Programs

pytestmark = needs_compiler

LENGTHS = (1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 33, 64, 100, 127, 257, 515, 1000, 1025, 2050, 4099)
DTYPES = ("float32", "float64", "int32", "int64", "uint8", "bool")
MOST = 12_000
"""Elements of an array."""

ONCE = (Phase.explicit, Phase.generate)
"""Programs are compiled together, so there is no use in fewer of them: the one that fails is shown."""


def softmax(x):
    grown = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return grown / np.sum(grown, axis=-1, keepdims=True)


def normalized(x):
    centred = x - np.mean(x, axis=-1, keepdims=True)
    return centred / np.sqrt(np.mean(centred * centred, axis=-1, keepdims=True) + 1)


def bounded(x):
    """Not far from zero, so that errors do not grow."""
    return np.maximum(np.minimum(x, 3), -3)


def picked(x):
    """One element of each row, another one in each."""
    rows = x.shape[:-1]
    columns = (np.arange(int(np.prod(rows))) * 7 - 3) % x.shape[-1]
    return np.take_along_axis(x, columns.reshape((*rows, 1)), -1)


EXACT = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "negative": lambda x, y: -x,
    "maximum": np.maximum, "minimum": np.minimum, "absolute": lambda x, y: np.abs(x), "square": lambda x, y: x * x,
    "sign": lambda x, y: np.sign(x), "floor": lambda x, y: np.floor(x), "less": np.less, "equal": np.equal,
    "where": lambda x, y: np.where(x > y, x, y), "choose": lambda x, y: np.where(x != 0, y, x), "and": np.logical_and,
    "or": np.logical_or, "not": lambda x, y: np.logical_not(x), "wide": lambda x, y: x.astype(np.float64),
    "longer": lambda x, y: x.astype(np.int64) if x.dtype.kind != "f" else x, "nan": lambda x, y: np.isnan(x),
    "largest": lambda x, y: np.max(x, axis=-1, keepdims=True), "smallest": lambda x, y: np.min(x, axis=-1),
    "largest of all": lambda x, y: np.max(x), "any": lambda x, y: np.any(x, axis=-1, keepdims=True),
    "all": lambda x, y: np.all(x), "largest of columns": lambda x, y: np.max(x, axis=0), "halves": lambda x, y: x[..., ::2],
    "backwards": lambda x, y: x[..., ::-1], "inner": lambda x, y: x[..., 1:-1], "turned": lambda x, y: np.transpose(x),
    "first": lambda x, y: x[..., :1], "grown": lambda x, y: np.broadcast_to(x, np.broadcast_shapes(x.shape, y.shape)),
    "picked": lambda x, y: picked(x), "count": lambda x, y: np.sum(x != 0, axis=-1), "count of all": lambda x, y: np.sum(x > 0),
}  # fmt: skip
"""Operations that have one result, whatever order they are computed in."""

ROUNDED = {
    "exp": lambda x, y: np.exp(bounded(x)), "tanh": lambda x, y: np.tanh(x), "divide": lambda x, y: x / (1 + np.abs(y)),
    "root": lambda x, y: np.sqrt(np.abs(x) + 1), "logistic": lambda x, y: 1 / (1 + np.exp(-bounded(x))),
    "log": lambda x, y: np.log1p(np.abs(x)), "sum": lambda x, y: np.sum(x, axis=-1), "bounded": lambda x, y: bounded(x),
    "sum, kept": lambda x, y: np.sum(x, axis=-1, keepdims=True), "mean": lambda x, y: np.mean(x, axis=-1, keepdims=True),
    "sum of all": lambda x, y: np.sum(x), "sum of columns": lambda x, y: np.sum(x, axis=0),
    "product": lambda x, y: np.prod(1 + np.tanh(x) / x.shape[-1], axis=-1), "softmax": lambda x, y: softmax(bounded(x)),
    "normalized": lambda x, y: normalized(bounded(x)), "add": np.add, "multiply": np.multiply, "subtract": np.subtract,
    "maximum": np.maximum, "halves": lambda x, y: x[..., ::2], "turned": lambda x, y: np.transpose(x),
    "negative": lambda x, y: -x, "picked": lambda x, y: picked(x), "sums of both": lambda x, y: np.sum(x, axis=0) + np.sum(x),
}  # fmt: skip
"""Operations that are rounded, and others."""


ALONG_AXES = {
    "largest", "smallest", "any", "largest of columns", "count", "sum", "sum, kept", "mean", "sum of columns", "product", "picked",
    "softmax", "normalized", "sums of both",
}  # fmt: skip
"""NumPy does these on single numbers, too."""


def program(table, steps, many, seen=None):
    """A function that takes those steps that NumPy allows, and returns the last values."""

    def fun(*args):
        values = list(args)
        for name, first, second in steps:
            x, y = values[first % len(values)], values[second % len(values)]
            if x.ndim == 0 and name in ALONG_AXES:
                continue
            try:
                value = table[name](x, y)
            except (ValueError, TypeError, IndexError):
                continue  # shapes or dtypes that do not go together
            if value.size in range(1, MOST + 1) and value.ndim <= 3 and value.dtype.name in DTYPES:
                values.append(value)
        if seen is not None:
            seen.extend(values)
        return tuple(values[-many:])

    return fun


def total(fun):
    def summed(*args):
        outs = [np.mean(out) for out in fun(*args) if out.dtype.kind == "f"]
        return sum(outs, np.float32(0) * np.sum(args[0]))

    return summed


@st.composite
def shapes(draw):
    """A shape of one, two or three axes, and shapes that are broadcast to it."""
    rank = draw(st.integers(1, 3))
    shape = []
    for _ in range(rank):
        room = MOST // int(np.prod(shape, dtype=int))
        shape.append(draw(st.sampled_from([length for length in LENGTHS if length <= room])))
    full = tuple(shape[::-1]) if draw(st.booleans()) else tuple(shape)
    parts = [full, full[-1:], (*full[:-1], 1), (), full]
    return [full, *draw(st.lists(st.sampled_from(parts), min_size=1, max_size=2))]


@st.composite
def drawn(draw, table, dtypes):
    """The steps of a program, and what makes its arguments."""
    steps = st.tuples(st.sampled_from(list(table)), st.integers(0, 9), st.integers(0, 9))
    own = draw(shapes())
    kinds = [draw(st.sampled_from(dtypes)) for _ in own]
    taken = draw(st.lists(steps, min_size=2, max_size=9))
    return taken, draw(st.integers(1, 3)), own, kinds, draw(st.integers(0, 2**32 - 1))


def numbers(shape, dtype, rng, specials):
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if dtype != "float32" and dtype != "float64":
        return rng.integers(0 if dtype == "uint8" else -50, 51, shape).astype(dtype)
    found = rng.standard_normal(shape).astype(dtype)
    if specials:
        some = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0], dtype)
        found = np.where(rng.random(shape) < 0.1, rng.choice(some, shape), found)
    return np.asarray(found, dtype)


def compared(table, all_drawn, check, differentiated=False, specials=False):
    """Compile programs together, and run each in all orders."""
    made = {}
    for number, (steps, many, own, kinds, seed) in enumerate(all_drawn):
        rng = np.random.default_rng(seed)
        args = [numbers(shape, dtype, rng, specials) for shape, dtype in zip(own, kinds)]
        fun = program(table, steps, many)
        made[str(number)] = (grad(total(fun)) if differentiated else fun, *args)
    with np.errstate(all="ignore"):
        programs = Programs(made)
        for (name, (fun, *args)), (steps, many, *_) in zip(made.items(), all_drawn):
            found = [programs.run(name, *args, order=order) for order in ORDERS]
            for other in found[1:]:
                for one, two in zip(found[0], other, strict=True):
                    assert one.tobytes() == two.tobytes(), f"orders differ\n{programs.tapes[name][0]}"
            for one in (found[0], programs.run(name, *args, anywhere=True)):
                check(fun, steps, many, args, one, programs.tapes[name][0])


def same(fun, steps, many, args, found, tape):
    expected = fun(*args)
    for one, other in zip(found, expected, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_array_equal(one, other, err_msg=str(tape))


def near(fun, steps, many, args, found, tape):
    wide = [arg.astype(np.float64) if arg.dtype.kind == "f" else arg for arg in args]
    seen = []
    program(ROUNDED, steps, many, seen)(*wide)
    size = max(float(np.max(np.abs(value))) * max(1, value.size / args[0].size) for value in seen)
    given, expected = fun(*args), fun(*wide)
    for one, own, other in zip(found, *(x if isinstance(x, tuple) else (x,) for x in (given, expected)), strict=True):
        assert (one.dtype, one.shape) == (own.dtype, own.shape)
        narrow = any(arg.dtype == np.float32 for arg in args)
        limit = (1 + size) * (2e-5 if narrow else 1e-12)
        np.testing.assert_allclose(one, other, rtol=limit, atol=limit, err_msg=str(tape))


@settings(max_examples=4, deadline=None, phases=ONCE)
@given(st.lists(drawn(EXACT, DTYPES), min_size=8, max_size=8))
def test_exact_programs(all_drawn):
    compared(EXACT, all_drawn, same, specials=True)


@settings(max_examples=4, deadline=None, phases=ONCE)
@given(st.lists(drawn(ROUNDED, DTYPES[:2]), min_size=8, max_size=8))
def test_programs_of_floats(all_drawn):
    compared(ROUNDED, all_drawn, near)


@settings(max_examples=3, deadline=None, phases=ONCE)
@given(st.lists(drawn(ROUNDED, DTYPES[:2]), min_size=6, max_size=6))
def test_gradients(all_drawn):
    compared(ROUNDED, all_drawn, near, differentiated=True)


def shares_and_sums(x):
    return softmax(x), np.sum(x, axis=-1), np.sum(x, axis=0), np.max(x), np.sum(x * x)


@pytest.mark.parametrize(
    "shape",
    [(0,), (0, 5), (3, 0), (), (1, 1), (20_000, 3), (2, 70_001), (3000, 130), (40, 1), (1, 2049)],
)
def test_shapes_at_the_ends(shape):
    x = np.random.default_rng(4).standard_normal(shape).astype(np.float32)
    if 0 in shape or shape == ():
        compared_once(lambda x: (x * 2 + 1, np.sum(x * x), np.exp(x), np.sum(x, axis=-1) if x.ndim else x), x)
    else:
        compared_once(shares_and_sums, x)


def test_totals_of_many_blocks():
    x = np.random.default_rng(5).standard_normal(1_100_003).astype(np.float32)
    compared_once(lambda x: (np.sum(x * x), np.min(x), np.max(x * 2)), x)


def compared_once(fun, x):
    programs = Programs({"it": (fun, x)})
    expected = fun(x.astype(np.float64))
    found = [programs.run("it", x, order=order) for order in ORDERS]
    for one, two, three, other in zip(*found, expected, strict=True):
        assert one.tobytes() == two.tobytes() == three.tobytes()
        size = np.max(np.abs(other), initial=1)
        np.testing.assert_allclose(one, other, rtol=2e-6, atol=2e-6 * size)
        assert one.dtype == np.float32
