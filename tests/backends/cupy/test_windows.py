"""Kernels of windows, in three orders of threads and blocks, against NumPy."""

from math import prod

import numpy as np
import pytest
from hypothesis import strategies as st

from autodiff.backends.cupy.kernels.special import special_kernel
from autodiff.ops.images.counting import window_counts
from tests.backends.cupy.hosting import ORDERS, needs_compiler
from tests.backends.cupy.nvrtc import checked, needs_nvrtc
from tests.backends.cupy.operations import Operation, Together, drawn, tape_of

IMAGES = st.sampled_from([(), (0,), (1,), (2, 3)])
NUMBERS = st.sampled_from([np.float32, np.float64, np.float16, np.int64, np.uint8])
NAMES = st.sampled_from(
    [
        "sum_windows",
        "max_windows",
        "first_positions",
        "pick_from_windows",
        "spread_windows",
        "lay_in_windows",
        "overlap_add",
    ]
)


@st.composite
def sliding(draw):
    """A primitive of windows on small whole numbers, whose sums are exact; some floats are no numbers."""
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    name, images, dtype, rank = draw(NAMES), draw(IMAGES), draw(NUMBERS), draw(st.integers(1, 3))

    def lengths(low, high):
        return tuple(draw(st.integers(low, high)) for _ in range(rank))

    def numbers(*shape):
        found = random.integers(0, 4, shape).astype(dtype)
        if name in ("max_windows", "first_positions") and found.dtype.kind == "f":
            found[random.random(shape) < 0.05] = np.nan
        return found

    shape, stride, dilation = lengths(1, 3), lengths(1, 3), lengths(1, 3) if name == "overlap_add" else (1,) * rank
    spans = [d * (k - 1) + 1 for k, d in zip(shape, dilation)]
    last = draw(st.sampled_from([0, 1, 2, 5, 40]))
    whole = (*(span + draw(st.integers(0, 4)) for span in spans[:-1]), spans[-1] + last)
    counts = window_counts(whole, shape, stride, dilation)
    positions = random.integers(0, prod(shape), (*images, *counts)).astype(np.uint8)
    match name:
        case "sum_windows" | "max_windows":
            return Operation(name, numbers(*images, *whole), shape=shape, stride=stride)
        case "first_positions":
            return Operation(name, numbers(*images, *whole), numbers(*images, *counts), shape=shape, stride=stride)
        case "pick_from_windows":
            return Operation(name, numbers(*images, *whole), positions, shape=shape, stride=stride)
        case "overlap_add":
            return Operation(name, numbers(*images, *counts, *shape), lengths=whole, stride=stride, dilation=dilation)
    given = (positions,) if name == "lay_in_windows" else ()
    return Operation(name, numbers(*images, *counts), *given, lengths=whole, shape=shape, stride=stride)


@pytest.fixture(scope="module")
def operations():
    return Together(drawn(sliding(), 70))


@needs_compiler
@pytest.mark.parametrize("order", ORDERS)
def test_drawn(operations, order):
    operations.check(order)


@needs_compiler
def test_a_window_without_a_hit_counts_its_elements():
    x, extreme = np.zeros((1, 5)), np.array([[1.0, 0.0]])
    (found,) = Together([Operation("first_positions", x, extreme, shape=(3,), stride=(2,))]).run(0, 0)
    np.testing.assert_array_equal(found, [[3, 0]])


@pytest.mark.parametrize(
    "tape",
    [
        tape_of("sum_windows", np.ones(3, complex), shape=(2,), stride=(1,)),
        tape_of("sum_windows", np.ones((3,) * 5), shape=(2,) * 5, stride=(1,) * 5),
        tape_of("windows", np.ones(3), shape=(2,), stride=(1,), dilation=(1,)),
    ],
)
def test_other_operations_have_no_kernel_here(tape):
    assert special_kernel(tape) is None


@needs_nvrtc
def test_nothing_spills():
    images, places = np.ones((2, 3, 12, 12), np.float32), np.zeros((2, 3, 5, 5), np.uint8)
    pooling = {"shape": (3, 3), "stride": (2, 2)}
    together = Together(
        [
            Operation("max_windows", images, **pooling),
            Operation("lay_in_windows", images[..., :5, :5], places, lengths=(12, 12), **pooling),
            Operation(
                "overlap_add", np.ones((2, 4, 4, 4, 3, 3, 3)), lengths=(8, 8, 8), stride=(1,) * 3, dilation=(2,) * 3
            ),
        ]
    )
    checked(together.module.source)
