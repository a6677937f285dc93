"""Writes to traced arrays do what NumPy does, through any chain of views, or raise."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff
from autodiff.trace.errors import ConcretizationError, OperandError
from autodiff.trace.values.layout import copied
from tests.numpy.layouts import LAYOUTS

X = np.random.default_rng(0).normal(size=(3, 4))
W = np.random.default_rng(1).normal(size=(3, 4))


class Program:
    """A random program of views and writes; it runs alike on plain and on traced arrays."""

    def __init__(self, seed):
        self.seed = seed

    def __call__(self, x):
        rng = np.random.default_rng(self.seed)
        handles = [x, x * 1.0]
        total = 0.0
        for _ in range(int(rng.integers(4, 14))):
            a = handles[rng.integers(len(handles))]
            b = handles[rng.integers(len(handles))]
            total = total + self.step(rng, handles, a, b)
        for k, handle in enumerate(handles):
            by_memory = np.sum(handle.ravel("K") * np.cos(np.arange(handle.size)))
            total = total + np.sum(handle * handle) * (k + 1) + by_memory
        return total

    def step(self, rng, handles, a, b):
        kind = rng.integers(8)
        if kind < 3:
            handles.append(self.view(rng, a))
        elif kind < 6:
            self.write(rng, a, b)
        elif kind == 6:
            handles.append(self.array(rng, a, b))
        else:
            return np.sum(b) * rng.normal()
        return 0.0

    def view(self, rng, a):
        axis = int(rng.integers(a.ndim))
        views = [
            lambda: a[self.key(rng, a)],
            lambda: a.T,
            lambda: a[::-1],
            lambda: a.reshape(-1),
            lambda: a.reshape(a.shape[0], -1),
            lambda: a.reshape(-1, a.shape[-1], order="F"),
            lambda: a.reshape(-1, 2) if a.size % 2 == 0 else a,
            lambda: a.ravel(str(rng.choice(list("CFAK")))),
            lambda: np.moveaxis(a, axis, 0),
            lambda: np.flip(a, axis),
            lambda: a[..., None],
            lambda: np.squeeze(a[None]),
            lambda: np.array_split(a, 2, axis)[0],
            lambda: np.atleast_2d(a),
        ]
        return views[rng.integers(len(views))]()

    def array(self, rng, a, b):
        arrays = [
            lambda: a.copy(),
            lambda: a.copy("K"),
            lambda: np.sin(a),
            lambda: a * 2 + a,
            lambda: np.zeros_like(a) + b.ravel()[0],
            lambda: a[[0, -1]],
            lambda: np.sort(a, 0),
        ]
        return arrays[rng.integers(len(arrays))]()

    def write(self, rng, a, b):
        number = rng.normal()
        kind = rng.integers(9)
        if kind == 0:
            a[self.key(rng, a)] = number
        elif kind == 1:
            a[self.key(rng, a)] += 0.5 * np.sum(b)
        elif kind == 2:
            a *= 1.5
        elif kind == 3:
            a[rng.integers(0, a.shape[0], 2)] = np.sum(b) * 0.3
        elif kind == 4:
            a -= 0.25
        elif kind == 5:
            a[rng.random(a.shape) < 0.3] = np.sum(b) * 0.1
        elif kind == 6:
            a.flat[int(rng.integers(a.size))] = number
        elif kind == 7:
            np.multiply(a, number, out=a)
        else:
            a[..., -1] = a[..., 0] * number

    def key(self, rng, a):
        choice = rng.integers(4)
        if choice == 0 or a.ndim == 1:
            return slice(int(rng.integers(a.shape[0])), None)
        if choice == 1:
            return (slice(None), int(rng.integers(a.shape[1])))
        if choice == 2:
            return int(rng.integers(a.shape[0]))
        return (slice(None, None, 2), slice(a.shape[1] // 2, None))


@pytest.mark.parametrize("block", range(8))
def test_random_programs_of_views_and_writes_equal_numpy(block):
    for seed in range(block * 50, block * 50 + 50):
        program, lay_out = Program(seed), [np.array, *LAYOUTS][seed % 8]
        x = lay_out(X)
        with np.errstate(all="ignore"):
            value, gradient = autodiff.value_and_grad(program)(x)
            np.testing.assert_allclose(value, program(copied(x)), rtol=1e-13, err_msg=f"seed {seed}")
        np.testing.assert_array_equal(x, X)
        direction = np.random.default_rng(seed).normal(size=X.shape)
        step = 1e-6
        ahead, behind = copied(x), copied(x)
        ahead += step * direction
        behind -= step * direction
        slope = (program(ahead) - program(behind)) / (2 * step)
        size = np.max(np.abs(gradient)) + 1
        np.testing.assert_allclose(np.sum(gradient * direction), slope, rtol=1e-5, atol=1e-6 * size, err_msg=f"{seed}")
        tangent = autodiff.jvp(program, (x,), (direction,))[1]
        np.testing.assert_allclose(tangent, np.sum(gradient * direction), rtol=1e-9, atol=1e-11 * size)


def grad_of(f, x=X):
    return autodiff.grad(f)(x)


def test_a_number_taken_out_is_bound_again_not_written_through():
    def f(x):
        s = x[0]
        t = s
        s += 1
        return s * 10 + t

    assert autodiff.value_and_grad(f)(np.array([2.0, 3.0]))[0] == 32.0
    np.testing.assert_array_equal(grad_of(f, np.array([2.0, 3.0])), [11.0, 0.0])


def test_a_row_taken_out_is_written_through():
    def f(x):
        y = x * 1.0
        row = y[0]
        row += 1
        row[2:] = 7.0
        return np.sum(y * W)

    plain = X.copy()
    plain[0] += 1
    plain[0, 2:] = 7.0
    assert autodiff.value_and_grad(f)(X)[0] == np.sum(plain * W)
    expected = W.copy()
    expected[0, 2:] = 0
    np.testing.assert_array_equal(grad_of(f), expected)


def test_writing_to_the_argument_does_not_change_the_callers_array():
    def f(x):
        x[0] = 5.0
        return np.sum(x * x)

    x = X.copy()
    gradient = autodiff.grad(f)(x)
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(gradient[0], np.zeros(4))


def test_masks_and_repeated_indices():
    def f(x):
        y = x * 1.0
        y[y > 0] = 0.0
        y[[0, 0, 2]] = x[[1, 2, 1]] * 3
        np.add.at(y, [1, 1], x[0])
        return np.sum(y * W)

    direction = np.random.default_rng(5).normal(size=X.shape)
    slope = (f(X + 1e-6 * direction) - f(X - 1e-6 * direction)) / 2e-6
    np.testing.assert_allclose(np.sum(grad_of(f) * direction), slope, rtol=1e-8)


def test_out_of_a_traced_array():
    def f(x):
        y = x * 0.0
        np.multiply(x, 2.0, out=y)
        return np.sum(y * W)

    np.testing.assert_array_equal(grad_of(f), 2 * W)


def test_in_place_functions():
    def f(x):
        y = x * 1.0
        np.copyto(y, x * 2, where=x > 0)
        np.fill_diagonal(y, 1.5)
        np.put_along_axis(y, np.array([[3], [3], [3]]), x[:, :1], axis=1)
        np.putmask(y, X < -1, 9.0)
        return np.sum(y * W)

    direction = np.random.default_rng(6).normal(size=X.shape)
    slope = (f(X + 1e-6 * direction) - f(X - 1e-6 * direction)) / 2e-6
    np.testing.assert_allclose(np.sum(grad_of(f) * direction), slope, rtol=1e-8)


def test_assignment_into_a_plain_array_is_refused():
    def f(x):
        y = np.zeros(3)
        y[0] = x[0, 0]
        return y[0]

    with pytest.raises(ConcretizationError, match=r"would become float \(test_assignment.py:\d+\).*np.zeros_like"):
        grad_of(f)

    def g(x):
        y = np.zeros((3, 4))
        y += x
        return np.sum(y)

    with pytest.raises(ConcretizationError, match=r"would be written into a plain array .*by out="):
        grad_of(g)


@pytest.mark.parametrize("wrapped", [lambda f: f, autodiff.jit, autodiff.grad])
def test_numbers_cannot_be_written_into(wrapped):
    """NumPy's functions give numbers for arrays without axes, and views of one axis less, which are arrays."""

    def f(x):
        y = np.squeeze(x) * 1.5
        y[...] = 2.0
        return y

    with pytest.raises(TypeError, match="does not support item assignment"):
        wrapped(f)(np.array([1.0]))

    def g(x):
        y = np.squeeze(x * 1.5)
        y[...] = x[0] * 2.0
        return np.sum(y)

    assert wrapped(g)(np.array([1.0])) == 2.0


def test_an_inner_value_cannot_be_written_into_an_outer_array():
    def f(x):
        y = x * 1.0

        def inner(z):
            y[0, 0] = z
            return z * z

        return autodiff.grad(inner)(2.0) * y[0, 0]

    with pytest.raises(OperandError, match="is written into an array from outside of it"):
        grad_of(f)


def test_shapes_and_dtypes_are_checked_as_numpy_does():
    with pytest.raises(OperandError, match=r"could not broadcast input array from shape \(2,\) into shape \(4,\)"):
        grad_of(lambda x: x.__setitem__(0, np.ones(2)))
    with pytest.raises(TypeError, match="a complex value cannot be assigned into float64"):
        grad_of(lambda x: x.__setitem__(0, 1j))

    def f(x):
        y = x[0]
        y += np.ones((2, 4))

    with pytest.raises(OperandError, match="non-broadcastable output operand"):
        grad_of(f)


def test_read_only_views_refuse_writes():
    def f(x):
        np.broadcast_to(x, (2, 3, 4))[0] = 1.0

    with pytest.raises(ValueError, match="assignment destination is read-only"):
        grad_of(f)


def test_writes_under_vmap_and_at_second_order():
    def f(x):
        y = x * x
        y[1:] = y[:-1] * x[1:]
        return np.sum(y)

    xs = np.random.default_rng(7).normal(size=(5, 4))
    expected = np.stack([autodiff.grad(f)(x) for x in xs])
    np.testing.assert_allclose(autodiff.vmap(autodiff.grad(f))(xs), expected)
    second = autodiff.grad(lambda x: np.sum(autodiff.grad(f)(x) ** 2))(xs[0])
    step = 1e-6
    for k in range(4):
        e = step * np.eye(4)[k]
        slope = (np.sum(autodiff.grad(f)(xs[0] + e) ** 2) - np.sum(autodiff.grad(f)(xs[0] - e) ** 2)) / (2 * step)
        np.testing.assert_allclose(second[k], slope, rtol=1e-6)


@pytest.mark.parametrize(
    "mask", [[True, False, True, True], [1, 0, 0, 2.5], np.array([[0, 1], [1, 0]]), (np.nan, 0, 0, 0)]
)
def test_masks_of_putmask_are_lists_and_numbers_too(mask):
    def written(x, y):
        z = x * 1.0
        np.putmask(z, mask, y)
        return z

    x, y = np.array([0.5, -1.0, 2.0, 3.0]), np.array([5.0, 6.0])
    chosen = np.asarray(mask, bool).ravel()
    value, pull = autodiff.vjp(written, x, y)
    np.testing.assert_array_equal(value, written(x, y))
    by_x, by_y = pull(np.arange(1.0, 5.0))
    np.testing.assert_array_equal(by_x, np.where(chosen, 0, np.arange(1.0, 5.0)))
    np.testing.assert_array_equal(by_y, np.where(chosen, np.arange(1.0, 5.0), 0).reshape(2, 2).sum(0))


def test_masks_of_putmask_are_as_large_as_the_array():
    def written(x):
        z = x * 1.0
        np.putmask(z, True, 0.0)
        return np.sum(z)

    message = r"^putmask needs a mask as large as the array, got bool\[\] for float64\[3\] \(test_assignment.py:\d+\)$"
    with pytest.raises(ValueError, match="same size"):
        written(np.ones(3))
    with pytest.raises(ValueError, match=message):
        autodiff.grad(written)(np.ones(3))
