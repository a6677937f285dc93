"""What is read where it was written."""

import numpy as np
import pytest

import autodiff
from autodiff.backends.passes.memory.updates import UPDATES
from tests.backends.passes.alone import alone
from tests.backends.passes.tapes import names, simpler, specials

forward_updates = alone(UPDATES, merge=True)

X = specials((3, 4))


def element(x):
    x[1, 2] = x[0, 0] * 2
    return x[1, 2] + 0.0


def element_past_others(x):
    x[1, 2] = x[0, 0] * 2
    x[0], x[1, 3], x[2, 1:] = 5.0, 7.0, x[2, :3]
    return -x[1, 2]


def part_of_a_row(x):
    x[1, ::-2] = x[0, :2] * 2
    return x[1, 1] + x[-2, 3]


def rows_of_views(x):
    a, b, c = x
    a[1] = b[2] * 2
    b[-3] = a[1] - a[1]
    c[1:] = b[1]
    return x


def overlapping(x):
    x[0, 1:3] = 5.0 * x[1, 1:3]
    x[0, 2:] = -x[1, 2:]
    return x[0, 1:3] + 0.0


def before_the_write(x):
    y = x[0, 0] * 2
    x[0, 0] = y
    return x[0, 1] + y


CASES = {
    "element": (element, ["slice_of", "multiply", "add"]),
    "element past others": (element_past_others, ["slice_of", "multiply", "negative"]),
    "part of a row": (part_of_a_row, None),
    "rows of views": (rows_of_views, None),
    "overlapping": (overlapping, None),
    "before the write": (before_the_write, None),
}


@pytest.mark.parametrize("name", CASES)
def test_written_values_are_read(name):
    fun, left = CASES[name]
    after = simpler(forward_updates, fun, X)
    assert left is None or names(after) == left


def test_a_row_is_not_written_for_one_element():
    def fun(x):
        row = x[1]
        row[2:][0] = 2 * x[0, 0]
        row[0] = 3.0 * x[0, 1]
        return x

    assert names(simpler(forward_updates, fun, X)).count("slice_set") == 2


def random_part(rng, shape):
    """A basic key: numbers and slices with steps of both signs."""
    key = []
    for length in shape[: rng.integers(1, len(shape) + 1)]:
        if rng.random() < 0.5:
            key.append(int(rng.integers(-length, length)))
        else:
            start, stop = (None if rng.random() < 0.3 else int(rng.integers(-length, length + 1)) for _ in range(2))
            key.append(slice(start, stop, [None, 1, 2, -1, -2][rng.integers(5)]))
    return tuple(key)


@pytest.mark.parametrize("seed", range(40))
def test_random_writes_and_reads(seed):
    def fun(x):
        rng = np.random.default_rng(seed)
        views, total = [x], 0.0
        for _ in range(12):
            view = views[rng.integers(len(views))]
            if view.ndim and view.size:
                key = random_part(rng, view.shape)
                view[key] = view[key] * 0.5 + x[0, 0, 0] if rng.random() < 0.6 else rng.normal()
                total = total + np.sum(views[rng.integers(len(views))]) + np.sum(view[random_part(rng, view.shape)])
                shown = view[random_part(rng, view.shape)]
                if shown.ndim:
                    views.append(shown)
        return x, total

    x = np.random.default_rng(seed).normal(size=(3, 4, 2))
    simpler(forward_updates, fun, x)
    expected = fun(x.copy())
    compiled = autodiff.jit(fun, backend="numpy")
    for found, wanted in zip(compiled(x), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
    others = fun(2.0 * x)
    for found, *wanted in zip(autodiff.vmap(compiled)(np.stack([x, 2.0 * x])), expected, others, strict=True):
        np.testing.assert_allclose(found, np.stack(wanted), rtol=1e-12)


def test_batches_have_axes_before_those_of_the_key():
    def fun(x, row):
        row[-1] += x
        return row

    x, rows = np.array([1.0, 2.0]), np.arange(4.0).reshape(2, 2, 1)
    expected = [fun(one, row.copy()) for one, row in zip(x, rows, strict=True)]
    np.testing.assert_allclose(autodiff.vmap(autodiff.jit(fun))(x, rows), expected)


@pytest.mark.parametrize("shape", [(0,), (0, 1), (2, 0)])
def test_axes_without_elements(shape):
    def fun(x):
        x[..., :1] = 2.0 * x[..., :1]
        return np.roll(x, 1, axis=-1)

    np.testing.assert_allclose(autodiff.jit(fun)(np.zeros(shape)), np.zeros(shape))


def test_loops_that_fill_rows_of_an_array_become_one_kernel():
    pytest.importorskip("numba")

    @autodiff.differentiable
    def epidemic(p):
        y = np.zeros((3, 30))
        s, i, r = y
        s[0], i[0] = 0.99, 0.01
        for t in range(29):
            new = p[0] * s[t] * i[t]
            s[t + 1] = s[t] - new
            i[t + 1] = i[t] + new - p[1] * i[t]
            r[t + 1] = r[t] + p[1] * i[t]
        return y

    p = np.array([0.6, 0.2])
    compiled = autodiff.jit(epidemic)
    np.testing.assert_allclose(compiled(p), epidemic(p), rtol=1e-12)
    assert "runs as 1 kernel and 0 calls" in str(compiled.explain(p))
