"""Integers in kernels: NumPy's bits for the ends of their ranges, zeros, and shifts by more bits than there are."""

import numpy as np
import pytest

import autodiff

OPERATIONS = (
    np.floor_divide, np.remainder, np.fmod, np.left_shift, np.right_shift, np.bitwise_and, np.bitwise_or, np.bitwise_xor,
)  # fmt: skip
DTYPES = (np.uint8, np.int32, np.int64)


def ends(dtype, rng, count):
    """Numbers of a dtype with its ends, and zero."""
    info = np.iinfo(dtype)
    found = rng.integers(info.min, info.max, count, dtype=dtype, endpoint=True)
    found[:3] = info.min, info.max, 0
    return found


def small(dtype, rng, count):
    """Divisors and numbers of bits: zero, minus one where there is one, and more than a number has."""
    info = np.iinfo(dtype)
    found = rng.integers(-5, 70, count).clip(info.min, info.max).astype(dtype)
    found[:2] = max(-1, info.min), 0
    return found


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.__name__)
@pytest.mark.parametrize("second", [*DTYPES, bool], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("first", DTYPES, ids=lambda dtype: dtype.__name__)
def test_bits_are_numpys(first, second, operation):
    rng = np.random.default_rng(0)
    x = ends(first, rng, 67)
    f = autodiff.jit(operation)
    for y in [rng.random(67) < 0.5] if second is bool else [small(second, rng, 67), ends(second, rng, 67)]:
        with np.errstate(all="ignore"):
            expected = operation(x, y)
        found = f(x, y)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
    assert "kernel" in str(f.schedule(x, y))


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.__name__)
def test_all_bits_turned(dtype):
    x = ends(dtype, np.random.default_rng(0), 67)
    np.testing.assert_array_equal(autodiff.jit(np.invert)(x), ~x)


@pytest.mark.parametrize("number", [7, -3, 1, 40, 100])
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.__name__)
def test_numbers_in_the_program(operation, number):
    x = np.random.default_rng(0).integers(-100, 100, 33)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(autodiff.jit(lambda x: operation(x, number))(x), operation(x, number))
        np.testing.assert_array_equal(autodiff.jit(lambda x: operation(number, x))(x), operation(number, x))


def test_counters_of_loops():
    f = autodiff.jit(lambda x: autodiff.fori_loop(0, 50, lambda i, k: k + (i % 7) * (i // 3) + (i >> 1) - (i & 5), x))
    assert f(0.5) == 0.5 + sum((i % 7) * (i // 3) + (i >> 1) - (i & 5) for i in range(50))
    assert "calls out" not in str(f.explain(0.5))
