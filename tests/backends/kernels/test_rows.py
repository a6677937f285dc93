"""Kernels of rows: what they compute, and how they are written."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autodiff
from autodiff import jit, value_and_grad
from autodiff.backends.kernels.call import IndexRangeError
from autodiff.backends.kernels.rows.text import RowKernel
from autodiff.scipy.special import log_softmax
from autodiff.trace.spec import spec
from tests.backends.kernels.running import alike, by_rows, needs_numba, reference, simple

RNG = np.random.default_rng(0)


def text(fun, shape, *args):
    return RowKernel(simple(fun, *args), shape).text


def array(*shape, dtype=np.float32):
    return spec(shape, dtype)


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def standardised(x):
    centred = x - np.mean(x, axis=-1, keepdims=True)
    return centred / np.sqrt(np.mean(centred**2, axis=-1, keepdims=True) + 1e-5)


# How they are written.


def test_each_reduction_that_others_wait_for_is_a_loop_of_its_own():
    assert text(softmax, (40, 300), array(40, 300)).count("for j in range(columns):") == 3
    assert text(lambda x: np.sum(x * 2, axis=1) + np.max(x * 2, axis=1), (40, 300), array(40, 300)).count("for j") == 1


def test_functions_are_computed_once_and_arithmetic_again():
    found = text(softmax, (40, 300), array(40, 300))
    assert found.count("exp(") == 1
    assert found.count("v0 - ") == 1
    found = text(standardised, (40, 300), array(40, 300))
    assert len(re.findall(r"v0 - ", found)) == 2
    assert "row" not in found.replace("# row", "")


def test_what_is_returned_anyway_is_loaded_again():
    found = text(lambda x: (x * 3, (x * 3) / np.sum(x * 3, axis=1, keepdims=True)), (40, 300), array(40, 300))
    assert found.count("* f4(3.0)") == 1


def test_the_text_does_not_depend_on_sizes():
    assert text(softmax, (40, 300), array(40, 300)) == text(softmax, (100, 1000), array(100, 1000))


def test_totals_of_float32_are_kept_in_float64_by_blocks():
    found = text(lambda x: np.sum(x * 2), (9,), array(9))
    assert "total2 = f8(0.0)" in found
    assert "sum2 = f4(0.0)" in found
    assert "for r in range(start, min(start + 4096, hi)):" in found
    assert "store_float64(out2, part, total2)" in found


def test_numbers_come_in_words_of_the_block():
    found = text(lambda x, a, n: x * a + n, (9,), array(9), 2.0, 3)
    assert "in1 = real64(block, 1)" in found
    assert "in2 = word(block, 2)" in found


# What they compute.

# fmt: off
FUNCTIONS = {
    "softmax":       softmax,
    "standardised":  standardised,
    "value and sum": lambda x: (np.exp(x) * 2, np.sum(np.exp(x) * 2)),
    "row sums":      lambda x: np.sum(x * x, axis=-1) + np.max(x + 1, axis=-1),
    "column sums":   lambda x: np.sum(x * x + 1, axis=tuple(range(x.ndim - 1))),
    "extremes":      lambda x: (np.max(x * 2), np.min(x - 1), np.sum(np.min(x * 2, axis=-1))),
    "flags":         lambda x: (np.any(x * 2 > 1, axis=-1), np.all(x - 1 < 0)),
    "rows again":    lambda x: np.log1p(np.sum(x * x, axis=-1, keepdims=True)) * x + np.prod(x / 2, axis=-1, keepdims=True),
}
# fmt: on


@needs_numba
@settings(max_examples=30)
@given(
    name=st.sampled_from(sorted(FUNCTIONS)),
    shape=st.sampled_from([(1, 1), (5, 3), (3, 70), (2, 3, 4), (200, 9), (1, 5000), (6000, 1)]),
    dtype=st.sampled_from([np.float32, np.float64]),
    seed=st.integers(0, 3),
)
def test_values_are_those_of_numpy(name, shape, dtype, seed):
    x = np.random.default_rng(seed).normal(size=shape).astype(dtype)
    alike(by_rows(FUNCTIONS[name], x), reference(FUNCTIONS[name], x), ulps=600)


@needs_numba
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "shapes",
    [
        ((4, 3), (4, 1)),
        ((4, 3), (3,)),
        ((4, 3), (1, 1)),
        ((5, 4, 3), (4, 1)),
        ((5, 4, 3), (5, 1, 3)),
        ((5, 4, 3), (5, 1, 1)),
        ((5, 4, 3), (4, 3)),
        ((2, 3, 4, 5), (3, 1, 5)),
        ((2, 3, 4, 5), (2, 1, 4, 1)),
    ],
)
def test_operands_of_every_broadcasting(shapes, dtype):
    x, y = (RNG.normal(size=shape).astype(dtype) for shape in shapes)

    def fun(x, y):
        return np.exp(x * y) - (x + y), np.sum(x - y * 2)

    alike(by_rows(fun, x, y), reference(fun, x, y))


@needs_numba
def test_dtypes_meet_as_in_numpy():
    x = RNG.normal(size=(4, 3)).astype(np.float32)
    i = RNG.integers(-9, 9, (4, 3)).astype(np.int32)

    def fun(x, i):
        u = np.where(i > 0, i, 200).astype(np.uint8)
        return x * i + 1, i * i * 1000 + u, u + u, x * np.float32(2), (x > 0) & (i > 0), i / 3, np.sum(i * 2, axis=1)

    alike(by_rows(fun, x, i), reference(fun, x, i))


@needs_numba
def test_infinities_and_nan_go_where_numpy_lets_them_go():
    x = np.array([[np.nan, 1, -np.inf], [np.inf, -0.0, 0.0], [1e38, -1e38, 3]], np.float32)

    def fun(x):
        return (
            np.maximum(x, 0) + 1,
            np.max(x * 1, axis=1),
            np.min(x + 0, axis=1),
            np.sum(x * 2),
            np.sign(x) * x,
            x / 0 - 1,
        )

    alike(by_rows(fun, x), reference(fun, x))


@needs_numba
@pytest.mark.parametrize("exponent", [-2, -1, -0.5, 0.5, 1, 1.5, 2, 3, 4, 0.25])
def test_powers_of_infinities_and_zeros(exponent):
    x = np.array([-np.inf, -4, -0.0, 0, 4, np.inf, np.nan])

    def fun(x):
        return (x + 0) ** exponent, np.copysign(1, x**exponent + 0) * (np.abs(x) < 4)

    alike(by_rows(fun, x), reference(fun, x))


@needs_numba
def test_arrays_that_do_not_lie_in_order_are_copied_first():
    x = RNG.normal(size=(6, 8))
    for view in (x.T, x[::2, ::3], x[:, ::-1], np.broadcast_to(x[0], (4, 8)), x.astype(">f8")):
        if view.dtype.isnative:
            alike(by_rows(softmax, view), reference(softmax, view))
    read_only = x.copy()
    read_only.flags.writeable = False
    alike(by_rows(softmax, read_only), reference(softmax, read_only))


@needs_numba
def test_parts_of_many_chunks_are_put_together():
    x = RNG.normal(size=300_000).astype(np.float32)
    found = by_rows(lambda x: (np.sum(x * x), np.max(np.sin(x)), np.any(x * 2 > 9)), x)
    wanted = np.sum(np.float64(x) * x), np.max(np.sin(x)), np.any(x * 2 > 9)
    assert [type(one) for one in found] == [np.float32, np.float32, np.bool_]
    np.testing.assert_allclose([float(f) for f in found], [float(w) for w in wanted], rtol=1e-6)
    y = RNG.normal(size=(3000, 50)).astype(np.float32)
    alike(by_rows(lambda y: np.sum(np.exp(y), axis=0), y), [np.sum(np.exp(np.float64(y)), axis=0).astype(np.float32)])


@needs_numba
def test_a_pick_from_each_row():
    x, labels = RNG.normal(size=(5, 4)), np.array([0, 3, -1, 2, -4])

    def fun(x, labels):
        return np.mean(np.log(softmax(x))[np.arange(5), labels])

    assert np.allclose(jit(fun)(x, labels), fun(x, labels))
    labels[2] = 4
    with pytest.raises(IndexRangeError) as caught:
        jit(fun)(x, labels)
    assert "an index is out of range for the axis that it picks from" in str(caught.value)


def cross_entropy(x, labels):
    return -np.mean(log_softmax(x, axis=1)[np.arange(len(labels)), labels])


@needs_numba
@pytest.mark.parametrize("again", [False, True])
def test_one_element_in_its_place_is_stored_after_the_loop_that_computes_the_others(again):
    x, labels = RNG.normal(size=(3000, 90)), RNG.integers(-90, 90, 3000)

    def fun(x, labels):
        value, found = value_and_grad(cross_entropy)(x, labels)
        return (value, found, np.sum(found * found, axis=1)) if again else (value, found)

    program = jit(fun)
    text = str(program.kernels(x, labels))
    assert ("where(j == " in text) == again  # a sum needs it in the loop
    assert "in2 = " not in text  # what is the same number in all rows is no array
    for found, wanted in zip(program(x, labels), fun(x, labels), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-18)


@needs_numba
def test_a_single_number_is_not_looked_at_as_an_array_too():
    def fun(x):
        part = x[::2]
        return part - x, np.isnan(x - part)

    for x in (np.array([0.3]), np.array([0.3], np.float32)):
        alike(by_rows(fun, x), reference(fun, x))


@needs_numba
def test_sums_keep_their_terms_apart():
    """A factor that all terms have stays in them: inf * 1 - inf is no number, inf * (1 - 0.5) would be one."""
    x = np.array([-2.0, -0.0, 2.0, 1.0, 1.0, -0.5, 0.5, np.inf, -2.0])
    with np.errstate(invalid="ignore"):
        expected = np.sum(np.outer(x, x), axis=-1)
    np.testing.assert_array_equal(autodiff.jit(lambda x: np.sum(np.outer(x, x), axis=-1))(x), expected)
    np.testing.assert_array_equal(
        autodiff.jit(lambda x: np.sort(np.sum(np.outer(x, x), axis=-1)))(x), np.sort(expected)
    )


@needs_numba
def test_arithmetic_of_booleans_is_logic():
    a, b = np.array([[True], [False]]) | np.zeros((2, 600), bool), np.arange(600) % 3 == 0

    def fun(a, b):
        return np.add(a, b) * 2.0, np.multiply(a, b), np.add(a, b) == b, np.sum(np.add(a, b))

    alike(by_rows(fun, a, b), reference(fun, a, b))


@pytest.mark.parametrize("sides", [40, 30_000])
def test_an_array_of_another_shape_is_not_read(sides):
    """Where the rank is too small the residuals of lstsq are none."""

    def fun(a, b):
        residuals = np.linalg.lstsq(a, b)[1]
        return np.sin(residuals) * np.exp(residuals) + residuals

    a, b = np.random.default_rng(0).normal(size=(6, 3)), np.random.default_rng(1).normal(size=(6, sides))
    compiled = jit(fun)
    alike([compiled(a, b)], [fun(a, b)])
    with pytest.raises(
        ValueError, match=rf"an array has the shape \(0,\) where the program was recorded for \({sides},\)"
    ):
        compiled(np.ones((6, 3)), b)


TURNED = {
    "symmetric": lambda x: np.tanh(x + x.T),
    "times": lambda x: x * x.T * 2,
    "with its sum": lambda x: np.sum(x * x.T + 1),
    "with sums of rows": lambda x: np.sum(x * x.T, 1) + x[0],
}


@needs_numba
@pytest.mark.parametrize("side", [16, 17, 64, 100])
@pytest.mark.parametrize("name", TURNED)
def test_what_is_read_along_its_columns(name, side):
    x = np.random.default_rng(side).normal(size=(side, side))
    alike(by_rows(TURNED[name], x), reference(TURNED[name], x))


@needs_numba
def test_columns_are_read_in_strips():
    text = str(jit(TURNED["symmetric"]).kernels(np.ones((300, 300))))
    assert "for strip in range(0, columns, 8):" in text
