"""``np.multiply.at(a, indices, b)`` and its like: in place, one occurrence of an index after another."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff
from autodiff.testing import check_grads
from autodiff.trace.errors import ConcretizationError

A = np.random.default_rng(11).uniform(0.5, 1.5, size=(3, 4))
BINARY = (
    np.add, np.subtract, np.multiply, np.divide, np.power, np.maximum, np.minimum, np.fmax, np.fmin, np.hypot,
    np.arctan2, np.logaddexp, np.remainder, np.copysign, np.float_power,
)  # fmt: skip
UNARY = (np.negative, np.sin, np.sqrt, np.square, np.reciprocal)
INDICES = [
    ([0, 0, 2, 1, 0], (5, 4)),
    ((slice(None), [0, 0, 1]), (3, 3)),
    (np.array([[0, 1], [1, 1]]), (4,)),
    (np.array([True, False, True]), (2, 1)),
    ((1, Ellipsis), (4,)),
    (([0, 0], [1, 1]), (2,)),
    (([0, 0, 0], slice(None, None, -2)), ()),
]


def operand(shape):
    return np.random.default_rng(12).uniform(0.5, 1.5, size=shape)


@pytest.mark.parametrize("ufunc", [*BINARY, *UNARY])
def test_values_are_numpys(ufunc):
    for indices, shape in INDICES:
        args = (A,) if ufunc in UNARY else (A, operand(shape))

        def f(a, *b, indices=indices):
            y = a * 1.0
            ufunc.at(y, indices, *b)
            return y

        theirs = f(*args)
        both = [np.stack([arg, arg]) for arg in args]
        for ours in (
            autodiff.vjp(f, *args)[0],
            autodiff.jvp(f, args, args)[0],
            autodiff.eval_tape(autodiff.make_tape(f)(*args), *args),
            autodiff.vmap(f)(*both)[1],
        ):
            np.testing.assert_allclose(ours, theirs, rtol=1e-14)


@pytest.mark.parametrize("ufunc", [np.multiply, np.divide, np.maximum, np.power, np.add])
def test_gradients(ufunc):
    def f(a, b):
        y = a * 1.0
        ufunc.at(y, [0, 0, 2, 0], b)
        return y

    check_grads(f, (A, operand((4, 1))), order=2)


def test_a_number_stays_weak():
    def f(a):
        y = a * np.float32(1)
        np.multiply.at(y, [0, 0], 3)
        return y

    value = autodiff.vjp(f, A.astype(np.float32))[0]
    assert value.dtype == np.float32
    np.testing.assert_array_equal(value, f(A.astype(np.float32)))


def test_indices_that_are_not_known():
    def f(a, indices, b):
        y = a * 1.0
        np.multiply.at(y, indices, b)
        return y

    args = A, np.array([0, 2, 0]), operand((3, 1))
    np.testing.assert_allclose(autodiff.jit(f, backend="numpy")(*args), f(*args), rtol=1e-14)


def test_through_a_view():
    def f(a):
        y = a * 1.0
        np.multiply.at(y.T, ([0, 0], [1, 1]), 3.0)
        return y

    np.testing.assert_allclose(autodiff.vjp(f, A)[0], f(A))


def test_a_plain_array_is_refused():
    with pytest.raises(ConcretizationError) as caught:
        autodiff.grad(lambda x: np.multiply.at(np.ones(3), [0], x))(2.0)
    assert "would be written into a plain array (test_ufunc_at.py:" in str(caught.value)
    assert str(caught.value).endswith(
        "and its derivative would be lost; make the array with np.zeros_like(x) of a traced x (got float64[3])"
    )


@pytest.mark.parametrize("dtype", ["?", "u1", "i1", "u4", "i8", "f4", "f8", "c8"])
@pytest.mark.filterwarnings("ignore")
def test_values_are_cast_at_each_step_as_numpy_casts_them(dtype):
    a = np.array([1, 0, 3]).astype(dtype)
    operands = (
        2,
        -1,
        -0.5,
        0.7,
        np.float64(1.5),
        np.int64(300),
        True,
        np.float32(0.5),
        1j,
        np.array(0.7),
        np.uint8(3),
        np.array(200, "u1"),
        np.array(True),
    )

    def written(ufunc, indices, value):
        def write(a):
            a = a.copy()
            ufunc.at(a, indices, value)
            return a

        return write

    for ufunc in (np.add, np.subtract, np.multiply, np.maximum, np.power, np.divide):
        for indices in ([0], [0, 0, 1], 2, slice(0, 2)):
            for value in operands:
                write = written(ufunc, indices, value)
                try:
                    expected = write(a)
                except (
                    TypeError,
                    ValueError,
                    OverflowError,
                ) as error:  # integers to negative powers, -1 in unsigned ones
                    with pytest.raises(type(error)):
                        autodiff.jit(write)(a)
                    continue
                found = autodiff.jit(write)(a)
                assert found.dtype == expected.dtype
                np.testing.assert_allclose(found, expected, rtol=1e-6, err_msg=f"{ufunc} {indices} {value!r}")
