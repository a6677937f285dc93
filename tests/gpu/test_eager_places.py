"""Operands that do not lie in one place, and what is made beside an array on a GPU."""

import re

import numpy as np
import pytest

import autodiff

LINE = r"\(test_eager_places\.py:\d+\)"


def error_of(fun, *args):
    """The text of the TypeError."""
    with pytest.raises(TypeError) as caught:
        fun(*args)
    return re.sub(LINE, "(LINE)", str(caught.value))


HOST = (
    "{name}: its operands lie in different places, float64[3] on GPU 0 and float64[3] in host memory (NumPy) (LINE); "
    "nothing is moved unasked: bring them together with cupy.asarray(x), or with x.get() in host memory"
)


@pytest.mark.parametrize("transform", [autodiff.grad, lambda f: lambda x: autodiff.jvp(f, (x,), (x,))])
def test_a_host_array_beside_one_on_a_gpu_is_refused(cupy, transform):
    x, host = cupy.arange(3.0), np.arange(3.0)
    assert error_of(transform(lambda x: np.sum(x * host)), x) == HOST.format(name="multiply")
    assert error_of(transform(lambda x: np.sum(np.maximum(x, host))), x) == HOST.format(name="maximum")
    assert error_of(transform(lambda x: np.sum(np.concatenate([x, host]))), x) == HOST.format(name="concatenate")


def test_arrays_of_two_gpus_are_refused(cupy):
    x = cupy.arange(3.0)
    with cupy.cuda.Device(1):
        y = cupy.arange(3.0)
    assert error_of(autodiff.grad(lambda x: np.sum(x * y)), x) == (
        "multiply: its operands lie in different places, float64[3] on GPU 0 and float64[3] on GPU 1 (LINE); nothing "
        "is moved unasked: bring one over inside of 'with cupy.cuda.Device(n):' with cupy.asarray(x)"
    )


def test_a_host_cotangent_or_tangent_is_refused(cupy):
    x = cupy.arange(3.0)
    pullback = autodiff.vjp(np.sin, x)[1]
    assert error_of(pullback, np.ones(3)).startswith("the cotangent of a result: its operands lie in different places")
    text = error_of(autodiff.jvp, np.sin, (x,), (np.ones(3),))
    assert text.startswith("a primal and its tangent: its operands lie in different places")


def test_numbers_lie_everywhere(cupy):
    x = cupy.arange(3.0, dtype=np.float32)
    slope = autodiff.grad(lambda x: np.sum(2 * x * np.float32(3) + x**2 / np.float32(2)))(x)
    assert slope.dtype == np.float32
    assert slope.tolist() == [6.0, 7.0, 8.0]
    pulled = autodiff.vjp(np.sum, x)[1](2.0)[0]
    assert pulled.tolist() == [2.0, 2.0, 2.0]
    stacked = autodiff.grad(lambda x: np.sum(np.stack([x[0], 1.0, x[1]]) ** 2))(x)
    assert stacked.tolist() == [0.0, 2.0, 0.0]


def test_host_integers_pick_as_cupy_allows(cupy):
    x, places = cupy.arange(4.0), np.array([0, 2, 2])
    assert autodiff.grad(lambda x: np.sum(x[places] ** 2))(x).tolist() == [0.0, 0.0, 8.0, 0.0]
    assert autodiff.grad(lambda x: np.sum(x[[1, 3]]))(x).tolist() == [0.0, 1.0, 0.0, 1.0]
    assert autodiff.grad(lambda x: np.sum(x[x > 1] ** 2))(x).tolist() == [0.0, 0.0, 4.0, 6.0]


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda x: np.zeros((2, 2), like=x), [[0.0, 0.0], [0.0, 0.0]]),
        (lambda x: np.ones(2, np.float32, like=x), [1.0, 1.0]),
        (lambda x: np.full((2,), 3.0, like=x), [3.0, 3.0]),
        (lambda x: np.array([1.0, 2.0], like=x), [1.0, 2.0]),
        (lambda x: np.asarray([1, 2], like=x), [1, 2]),
        (lambda x: np.arange(3, like=x), [0, 1, 2]),
        (lambda x: np.eye(2, like=x), [[1.0, 0.0], [0.0, 1.0]]),
        (lambda x: np.zeros_like(x), [0.0, 0.0, 0.0]),
        (lambda x: np.ones_like(x, shape=(1,)), [1.0]),
        (lambda x: np.full_like(x, 5.0), [5.0, 5.0, 5.0]),
        (lambda x: np.linspace(x[0], 4.0, 3), [0.0, 2.0, 4.0]),
    ],
)
def test_arrays_made_like_a_traced_one_lie_beside_it(cupy, make, expected):
    x = cupy.arange(3.0)
    made = autodiff.vjp(make, x)[0]
    assert isinstance(made, cupy.ndarray)
    assert made.tolist() == expected
    assert isinstance(autodiff.jvp(make, (x,), (x,))[0], cupy.ndarray)


def test_assigning_into_what_was_made(cupy):
    def filled(x):
        y = np.zeros(4, like=x)
        y[:3] = x**2
        y[[3, 0]] = x[1] * np.array([2.0, 3.0], like=x)
        y[1] += 1
        return np.sum(y**2)

    assert autodiff.grad(filled)(cupy.arange(1.0, 4.0)).tolist() == [0.0, 92.0, 108.0]


def test_a_constant_may_be_written_to_before_the_tape_is_read(cupy):
    x, w = cupy.arange(3.0), cupy.arange(3.0)
    pullback = autodiff.vjp(lambda x: x * w, x)[1]
    w[...] = 7.0
    assert pullback(cupy.ones(3))[0].tolist() == [0.0, 1.0, 2.0]
    pullback = autodiff.vjp(lambda x: x * x, x)[1]
    x[...] = 7.0
    assert pullback(cupy.ones(3))[0].tolist() == [0.0, 2.0, 4.0]
