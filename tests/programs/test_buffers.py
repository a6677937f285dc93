"""Plain arrays to which traced values are written: nothing stale is read, and nothing stays traced."""

from __future__ import annotations

import pickle
from collections import deque

import numpy as np
import pytest

import autodiff
from autodiff import differentiable, grad, jvp
from autodiff.numpy.buffers import Buffer
from autodiff.trace.errors import LeakedTracerError
from tests.programs.test_refusals import V

X = np.array([0.7, -0.4, 1.2])


def test_what_is_kept_of_a_plain_array_is_no_stale_number():
    def program(x):
        out = autodiff.numpy.zeros(2)
        kept.append(np.asarray(out))
        out[0] = x[0]
        return out.sum()

    kept = []
    grad(program)(X)
    assert np.isnan(kept[0]).all()


def test_an_array_from_outside_does_not_keep_what_was_traced_inside():
    @differentiable
    def program(x):
        out = np.zeros(2)

        def inner(y):
            out[0] = y
            return y * 1.0

        grad(inner)(2.0)
        return x[0] * out[0]

    with pytest.raises(LeakedTracerError, match=r"test_buffers\.py"):
        grad(program)(X)


def random_program(seed):
    """Reads and writes at random places, through views at random."""
    rng = np.random.default_rng(seed)
    steps = [(rng.integers(8), rng.integers(3), rng.integers(4), rng.integers(2)) for _ in range(12)]

    def program(x, make):
        a = make((3, 4))
        b = make((4,))
        for kind, i, j, flip in steps:
            view = [a, a[i], a[:, j], a.T, a[::-1], a.reshape(2, 6), a[1:, :2], b][kind]
            value = x[i] * (1.0 + j) + (b[j] if flip else 1.5)
            if flip:
                view[0] = value
            else:
                view *= 0.5
                view[-1] += value
            b[j] = np.sum(a[i]) * 0.3 if kind % 2 else 0.25
        return np.sum(a * a) + b @ b

    return program


@pytest.mark.parametrize("seed", range(25))
def test_random_programs_of_writes_and_views(seed):
    program = random_program(seed)
    np.testing.assert_allclose(program(X, lambda shape: Buffer(np.zeros(shape))), program(X, np.zeros), rtol=1e-12)
    found = jvp(lambda x: program(x, autodiff.numpy.zeros), (X,), (V[:3],))
    np.testing.assert_allclose(found[0], program(X, np.zeros), rtol=1e-12)
    step = 1e-6 * V[:3]
    difference = (program(X + step, np.zeros) - program(X - step, np.zeros)) / 2e-6
    np.testing.assert_allclose(found[1], difference, rtol=1e-6, atol=1e-6)
    gradient = grad(lambda x: program(x, autodiff.numpy.zeros))(X)
    np.testing.assert_allclose(gradient @ V[:3], found[1], rtol=1e-10, atol=1e-10)


def converted(x):
    y = np.ones(4)
    view = np.asarray(y, dtype=float)
    y[0] = x[0] * 3
    return view.sum()


def shown(x):
    y = np.ones(3)
    same = np.array(y, copy=None)
    same[0] = x[0] ** 2
    return (y * np.arange(1.0, 4)).sum()


def copied(x):
    y = np.ones(3)
    other, single = np.array(y), np.asarray(y, dtype=np.float32)
    other[0], y[1] = x[0] ** 2, x[1]
    return (other * np.arange(1.0, 4)).sum() + single.sum() + y.sum()


def filled_on_the_way(x):
    out = np.zeros((2, 2))
    for (i, j), value in np.ndenumerate(out):
        out[i, j] = x[i] * x[j] + value
    return out.sum()


class Cell:
    def __init__(self, x):
        self.array = np.eye(2)
        self.array[0] = x

    def __array__(self, dtype=None, copy=None):
        return self.array


def held_by_an_object(x):
    cell = differentiable(Cell)
    return np.sum(np.asarray(cell(x), dtype=float) @ np.array(cell([1.0, 2.0])) * np.array(cell(x**2)))


def assigned_attributes(x):
    z, u = np.zeros(2, complex), np.zeros((2, 2))
    z.real = x**2
    z.imag = z.imag + 3 * x[::-1]
    u.flat = x
    u[1].flat[0] = z.real[1]
    return np.sum(z.real * z.imag * u)


@pytest.mark.parametrize(
    "program", [converted, shown, copied, filled_on_the_way, held_by_an_object, assigned_attributes]
)
def test_what_shows_a_buffer_follows_it(program):
    x, step = X[:2], 1e-6
    value, gradient = autodiff.value_and_grad(differentiable(program))(x)
    assert value == pytest.approx(program(x))
    expected = [(program(x + step * e) - program(x - step * e)) / (2 * step) for e in np.eye(2)]
    np.testing.assert_allclose(gradient, expected, atol=1e-8)


def test_a_shape_is_not_assigned_to():
    def program(x):
        out = np.zeros(6)
        out.shape = (2, 3)
        return out * x

    with pytest.raises(AttributeError, match=r"^the shape of an array cannot .* write x = x.reshape\(2, 3\)$"):
        autodiff.jvp(differentiable(program), (X,), (X,))


def test_ufuncs_of_rewritten_programs_are_ufuncs():
    def program():
        return isinstance(np.sin, np.ufunc), pickle.loads(pickle.dumps(np.sin))

    assert differentiable(program)() == (True, np.sin)


@pytest.mark.parametrize("transformation", [autodiff.jit, autodiff.checkpoint])
def test_a_buffer_is_written_through_reshaped_parts_where_only_shapes_are_known(transformation):
    @autodiff.differentiable
    def program(x):
        out = np.zeros((3, 4))
        out.ravel()[:] = x
        out.reshape(-1)[::5] *= 3
        out.T.ravel()[:] = 5.0  # a copy
        np.reshape(out, (4, 3))[0] -= x[:3]
        np.ravel(out[1])[:2] = x[0]
        np.ravel(out[:, 1])[:2] = x[0]  # a copy
        return out

    x = np.arange(12.0)
    np.testing.assert_allclose(transformation(program)(x), program(x))


def masked(x):
    inside, y = np.zeros((3, 4), bool), np.outer(x, np.ones(4))
    inside[1, 2:] = True
    y[inside] *= x[0]
    y[~inside] += 1.0
    return y[inside].sum() + y[inside[:, 3], :2].sum()


@pytest.mark.parametrize("transformation", [lambda f: f, autodiff.jit])
def test_a_mask_that_is_filled_picks_of_traced_arrays(transformation):
    x, step = X[:3], 1e-6
    expected = [(masked(x + step * e) - masked(x - step * e)) / (2 * step) for e in np.eye(3)]
    np.testing.assert_allclose(transformation(autodiff.grad(differentiable(masked)))(x), expected, atol=1e-8)


@differentiable
def selected(x):
    out, other = np.zeros(3), np.zeros(3)
    out[x > 100] = x[x > 100]  # nothing is selected
    out[x < 100] = np.sin(x[x < 100])
    other[0] = np.sum(x[x > 100])
    other[[]] = x[[]]
    return out.sum() + other.sum()


def test_an_empty_selection_is_written_in_every_mode():
    np.testing.assert_allclose(grad(selected)(X), np.cos(X))
    np.testing.assert_allclose(jvp(selected, (X,), (X,))[1], np.cos(X) @ X)
    np.testing.assert_allclose(autodiff.jacfwd(selected)(X), np.cos(X))
    np.testing.assert_allclose(autodiff.hessian(selected)(X), np.diag(-np.sin(X)))


@differentiable
def by_flat(x):
    out = np.zeros((2, 3))
    out.flat[1] = x[0]
    out.flat[3:] = x
    out.flat[[0, 2]] = 2 * x[1]
    assert len(out.flat) == 6
    assert [float(v) for v in out.flat][3] == float(out.flat[3]) == float(x[0])
    return np.sum(out**2)


def test_elements_are_written_one_after_another():
    expected = [4 * X[0], 18 * X[1], 2 * X[2]]
    np.testing.assert_allclose(grad(by_flat)(X), expected)
    np.testing.assert_allclose(autodiff.jacfwd(by_flat)(X), expected)


@differentiable
def containers(x):
    queue = deque(x)
    objects = np.array([x[0], x[1]], dtype=object)
    return np.mean(queue) + np.array(queue)[1] + objects[0] * objects[1] + np.sum(x.__array__() ** 2)


def test_queues_arrays_of_objects_and_what_asks_for_an_array():
    expected = 1 / 3 + np.array([X[1], 1 + X[0], 0]) + 2 * X
    np.testing.assert_allclose(grad(containers)(X), expected)
    np.testing.assert_allclose(autodiff.jit(grad(containers))(X), expected)


MASK = np.array([True, False, True])


class Random:
    """The same numbers whenever the program runs."""

    def __getattr__(self, name):
        return getattr(np.random.default_rng(3), name)


@differentiable
def makes():
    """Functions that make arrays, by names."""
    return {
        "range": lambda: np.arange(3) * 1.0,
        "sum of truth values": lambda: 1.0 + MASK,
        "product of truth values": lambda: MASK * 2.0,
        "not": lambda: ~MASK + 0.0,
        "negative": lambda: -(np.arange(3) / 2),
        "choice": lambda: MASK * 2.0 if MASK[0] else MASK,
        "single": lambda: np.float32(2) * MASK,
        "converted": lambda: np.arange(3).astype(float),
        "by the type": lambda: np.float64(np.arange(3)),
        "roll": lambda: np.roll(np.arange(3.0), 1),
        "reshaped": lambda: (np.arange(6) * 1.0).reshape(2, 3)[0],
        "random": lambda: Random().random(3),
        "normal": lambda: Random().normal(size=3),
        "standard normal": lambda: Random().standard_normal(3),
        "grid": lambda: np.mgrid[0:1:3j],
        "open grid": lambda: np.ogrid[0:1:3j],
        "row": lambda: np.r_[1.0, 2.0, 3.0],
        "from function": lambda: np.fromfunction(lambda i: i * 2.0, (3,)),
        "sums": lambda: np.stack([MASK, MASK]).sum(0) * 1.0,
        "one of several": lambda: np.histogram(np.arange(3.0), 3)[0] * 1.0,
        "outer": lambda: np.multiply.outer([1.0], np.arange(3))[0],
    }


@differentiable
def written_elsewhere(x, name):
    def add_to(out):
        out += x

    def put_into(out):
        out[1:] = x[1:]

    first, second = makes()[name](), makes()[name]()
    add_to(first)
    put_into(second)
    return np.sum(0.5 * first * first) + np.sum(0 * first + second)


@pytest.mark.parametrize("name", makes())
def test_what_functions_write_to_may_be_any_new_array_of_floats(name):
    expected = makes()[name]() + X + np.array([0.0, 1.0, 1.0])
    np.testing.assert_allclose(grad(written_elsewhere)(X, name), expected, rtol=1e-6)
    tangent = jvp(lambda x: written_elsewhere(x, name), (X,), (np.ones(3),))[1]
    np.testing.assert_allclose(tangent, expected.sum(), rtol=1e-6)


def test_new_arrays_come_out_plain():
    @differentiable
    def program(x, a):
        return np.sum(x * a), (a * 2.0, np.random.default_rng(0).random(3), [a + 1.0])

    _, found = grad(program, has_aux=True)(X, np.ones(3))
    assert {type(part) for part in (*found[:2], *found[2])} == {np.ndarray}


def test_flat_elements_are_compared_before_and_after_a_traced_value_is_written():
    @differentiable
    def program(x):
        out = np.zeros((2, 2))
        assert (out.flat == 0.0).all()
        assert not (out.flat != 0.0).any()
        assert (out.flat < [1.0, 1.0, 1.0, 1.0]).all()
        out[1] = x[:2]
        assert np.array_equal(out.flat > 0.1, [False, False, True, False])
        assert np.array_equal(out.flat == out.ravel(), [True] * 4)
        return out.sum()

    np.testing.assert_array_equal(grad(program)(X), [1.0, 1.0, 0.0])
