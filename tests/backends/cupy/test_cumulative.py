"""Kernels that run along an axis, and those of positions of extremes, in three orders of threads and blocks, against NumPy."""

import numpy as np
import pytest
from hypothesis import strategies as st

from autodiff.backends.cupy.kernels.special import special_kernel
from tests.backends.cupy.hosting import ORDERS, needs_compiler
from tests.backends.cupy.nvrtc import checked, needs_nvrtc
from tests.backends.cupy.operations import Operation, Together, drawn, tape_of

AROUND = st.sampled_from([(), (1,), (3,), (2, 2), (0,)])
LENGTHS = st.sampled_from([0, 1, 2, 4, 5, 17, 33, 129, 300, 1030])
NUMBERS = st.sampled_from([np.float32, np.float64, np.float16])
WHOLE = st.sampled_from([np.int64, np.bool_, np.uint8, np.int32, np.int16, np.uint64])
RUNNING = ("cumsum", "cumprod", "products_before", "recurrence", "cummax", "cummin")


def values(random, name, shape, dtype):
    """Numbers whose products neither grow nor vanish; some are equal, none or not a number."""
    if np.dtype(dtype).kind != "f":
        return random.integers(0, 2 if "prod" in name else 9, shape).astype(dtype)
    found = np.round(random.uniform(0.8, 1.2, shape) * random.choice([1, -1], shape), 1)
    found[random.random(shape) < 0.02] = 0
    if name in ("cummax", "cummin", "argmax", "argmin"):
        found[random.random(shape) < 0.02] = np.nan
    return found.astype(dtype)


@st.composite
def scans(draw):
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    name = draw(st.sampled_from(RUNNING))
    before, behind = draw(AROUND), draw(st.sampled_from([(), (3,), (5, 2)]))
    dtype = draw(NUMBERS if name == "recurrence" else NUMBERS | WHOLE)
    shape = (*before, draw(LENGTHS), *behind)
    arrays = [values(random, name, shape, dtype) for _ in range(2 if name == "recurrence" else 1)]
    params = {} if name in ("cummax", "cummin") else {"reverse": draw(st.booleans())}
    return Operation(name, *arrays, axis=-1 - len(behind), **params)


@st.composite
def positions(draw):
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    name = draw(st.sampled_from(["argmax", "argmin"]))
    before, behind = draw(AROUND), draw(st.sampled_from([(), (3,), (5, 2)]))
    shape = (*before, draw(LENGTHS.filter(bool)), *behind)
    return Operation(name, values(random, name, shape, draw(NUMBERS | WHOLE)), axis=-1 - len(behind))


def close(found, wanted, err_msg):
    """Equal, but for the last digits."""
    if found.dtype.kind == "f":
        eps = np.finfo(found.dtype).eps
        atol = 64 * eps * np.nanmax(np.abs(wanted), initial=0)
        np.testing.assert_allclose(found.astype(float), wanted, rtol=16 * eps, atol=atol, err_msg=err_msg)
    else:
        np.testing.assert_array_equal(found, wanted, err_msg)


@pytest.fixture(scope="module")
def operations():
    return Together([*drawn(scans(), 45), *drawn(positions(), 25)])


@needs_compiler
@pytest.mark.parametrize("order", ORDERS)
def test_drawn(operations, order):
    operations.check(order, close)


# Long axes, which blocks share.


def signed(*shape, seed=0):
    random = np.random.default_rng(seed)
    return random.uniform(0.99, 1.01, shape) * random.choice([1, -1], shape)


LONG = {
    "a long row": Operation("cumsum", signed(10_000), axis=-1, reverse=False),
    "long rows, backwards": Operation(
        "recurrence", signed(2, 9000), signed(2, 9000, seed=1) / 2, axis=-1, reverse=True
    ),
    "long rows, products": Operation("products_before", signed(3, 5000), axis=-1, reverse=True),
    "a long first axis": Operation("recurrence", signed(3000, 3), signed(3000, 3, seed=1) / 2, axis=-2, reverse=False),
    "a long middle axis, backwards": Operation("cumprod", signed(2, 1000, 2), axis=-2, reverse=True),
    "no long rows": Operation("cumsum", np.ones((0, 5000)), axis=-1, reverse=False),
    "the largest so far": Operation("cummax", signed(20_000).astype(np.float32), axis=-1),
    "positions in a long row": Operation("argmax", signed(30_000), axis=-1),
    "positions along a long first axis": Operation("argmin", signed(3000, 2), axis=-2),
}


@pytest.fixture(scope="module")
def long_ones():
    return Together(LONG.values())


@needs_compiler
def test_long_axes_give_the_same_bits_in_every_order(long_ones):
    for place, (name, operation) in enumerate(LONG.items()):
        assert len(operation.kernel.launches) == (3 if name[0] != "p" else 2), name
        found = [long_ones.run(place, order)[0] for order in ORDERS]
        assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes(), name
        close(found[0], operation.wanted()[0], name)


@needs_compiler
def test_bfloat16():
    dtype = pytest.importorskip("ml_dtypes").bfloat16
    x = (np.arange(1, 40).reshape(3, 13) % 7 / 4).astype(dtype)
    names = ("cumsum", "cumprod", "products_before")
    together = Together(
        [*(Operation(name, x, axis=-1, reverse=True) for name in names), Operation("cummax", x, axis=-1)]
    )
    together.check(
        2, lambda found, wanted, err_msg: np.testing.assert_array_equal(found.astype(float), wanted, err_msg)
    )


@needs_compiler
def test_sums_of_floats_stay_exact_over_long_rows():
    x = np.full(40_000, 0.1, np.float32)
    (found,) = Together([Operation("cumsum", x, axis=-1, reverse=False)]).run(0, 2)
    wanted = np.cumsum(x.astype(float)).astype(np.float32)
    np.testing.assert_array_equal(found, wanted)
    assert abs(np.cumsum(x)[-1] - wanted[-1]) > 0.1  # as NumPy adds


@needs_compiler
def test_products_of_parts_neither_overflow_nor_vanish():
    large, small = 1e300, 1e-300
    rows = np.array(
        [[0, large, large, large], [small, small, large, large], [large, small, large, small], [2, np.inf, 0, 1]]
    )
    together = Together(
        [Operation("cumprod", rows, axis=-1, reverse=False), Operation("cumprod", rows.T, axis=-2, reverse=False)]
    )
    wanted = [[0, 0, 0, 0], [small, 0, small, 1], [large, 1, large, 1], [2, np.inf, np.nan, np.nan]]
    np.testing.assert_allclose(together.run(0, 0)[0], wanted, rtol=1e-14)
    np.testing.assert_allclose(together.run(1, 0)[0], np.transpose(wanted), rtol=1e-14)


@needs_compiler
def test_the_first_coefficient_of_a_recurrence_counts_for_nothing():
    a, b = np.array([np.nan, 0.5, 0.0, 2.0]), np.array([1.0, 1.0, 1.0, 1.0])
    together = Together(
        [
            Operation("recurrence", b, a, axis=-1, reverse=False),
            Operation("recurrence", b, a[::-1], axis=-1, reverse=True),
        ]
    )
    np.testing.assert_array_equal(together.run(0, 0)[0], [1, 1.5, 1, 3])
    np.testing.assert_array_equal(together.run(1, 0)[0], [3, 1, 1.5, 1])


@pytest.mark.parametrize(
    "tape",
    [
        tape_of("cumsum", np.ones(3, complex), axis=-1, reverse=False),
        tape_of("recurrence", np.ones(3, int), np.ones(3, int), axis=-1, reverse=False),
        tape_of("recurrence", np.ones((3, 3)), np.ones(3), axis=-1, reverse=False),
        tape_of("argmax", np.ones(3, complex), axis=-1),
    ],
)
def test_other_operations_have_no_kernel_here(tape):
    assert special_kernel(tape) is None


@needs_nvrtc
def test_nothing_spills(long_ones):
    some = ("a long row", "long rows, backwards", "a long middle axis, backwards", "positions in a long row")
    checked(Together([LONG[name] for name in some]).module.source)
