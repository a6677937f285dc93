"""``x[mask]`` under ``jit`` and ``vmap``: what is computed of it and put back by the same mask, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff import checkpoint, differentiable, grad, jit, jvp, vmap
from autodiff.testing import assert_close
from autodiff.trace.errors import ConcretizationError

X = np.array([0.3, -0.5, 0.9, -0.2])
WEIGHTS = np.arange(1.0, 5.0)


def roots(x):
    y = x * 1.0
    positive = x > 0
    y[positive] = np.sqrt(x[positive]) * 2.0 + y[positive] ** 2
    y[~(x > 0)] -= 1.5 * x[~(x > 0)]
    return y @ WEIGHTS


def rows(x):
    y, low = np.outer(x, x), x < 0.5
    y[low, :] *= np.exp(x[low, None]) / 2.0
    y[low, 1] = np.arctan2(1.0, x[low]) + np.where(x[low] > 0.0, -x[low], abs(x[low]))
    y[low, 2:] = x[:2]
    y[~low] = np.eye(4)[:1]
    return (y * np.arange(16.0).reshape(4, 4)).sum()


def totals(x):
    positive = x > 0
    found = x[positive].sum() + np.mean(x[positive] ** 2) * 3.0
    return found * (1.0 + np.sum(np.clip(x[~positive].astype(np.float64), -0.3, 0.0)))


def elements_of_matrices(x):
    y = np.outer(x, x + 1.0)
    large = y > 0.1
    y[large] = 1.0 / y[large].copy()
    y[y <= 0.1] **= 2.0
    return y.sum(axis=0) @ WEIGHTS


def numbers(x):
    y = (x[:1] + x.sum()).reshape(())
    z = x[1] * x[2:]
    y[y > 0.1] = np.log(y[y > 0.1])
    z[y > 0.0] += 2.0
    return y + z[0]


def changed_masks(x):
    mask = x > 0
    first = x[mask]
    mask[1] = True
    y = x * 2.0
    y[mask] += x[mask]
    y[x > 0] -= first
    return y @ WEIGHTS


@differentiable
def filled(x):
    y, z, index = np.zeros(4), np.ones((2, 2)), np.arange(4.0)
    inside = np.abs(x) < 0.6
    y[inside] = np.log(1.0 - x[inside] ** 2)
    y[~inside] = index[~inside] * 2.0
    z[z > x[0]] -= 0.5
    y[x > 0.5] += 3.0 * x[0]
    return y @ WEIGHTS + z.sum()


PROGRAMS = [roots, rows, totals, elements_of_matrices, numbers, changed_masks, filled]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("x", [X, -X, np.abs(X)], ids=["mixed", "turned", "positive"])
def test_derivatives_are_those_of_known_values(program, x):
    with np.errstate(all="ignore"):
        known = grad(program)(x)
        batch = np.stack([x, X, -X])
        assert_close(jit(program)(x), program(x))
        assert_close(jit(grad(program))(x), known)
        assert_close(grad(jit(program))(x), known)
        assert_close(grad(checkpoint(program))(x), known)
        assert_close(jit(lambda x: jvp(program, (x,), (WEIGHTS,))[1])(x), known @ WEIGHTS)
        assert_close(vmap(grad(program))(batch), np.stack([grad(program)(row) for row in batch]))
        second = jvp(grad(program), (x,), (WEIGHTS,))[1]
        assert_close(jit(lambda x: jvp(grad(program), (x,), (WEIGHTS,))[1])(x), second)


REFUSED = {
    "returned": lambda x: x[x > 0],
    "returned in a tree": lambda x: {"a": [x[x > 0]]},
    "length": lambda x: len(x[x > 0]) * x,
    "size": lambda x: x * x[x > 0].size,
    "shape": lambda x: x * x[x > 0].shape[0],
    "element": lambda x: x[x > 0][0],
    "beside the whole": lambda x: x[x > 0] + x,
    "behind the whole": lambda x: np.arctan2(x, x[x > 0]),
    "another mask": lambda x: x[x > 0] * x[x > 0.1],
    "another array's mask": lambda x: x[x > 0] * x[x + x > 0],
    "joined": lambda x: np.concatenate([x[x > 0], x]),
    "sorted": lambda x: np.sort(x[x > 0]),
    "largest": lambda x: x[x > 0].max(),
    "along an axis": lambda x: np.sum(x[x > 0], axis=0),
    "total of rows": lambda x: np.outer(x, x)[x > 0].sum(),
    "Python's sum": lambda x: sum(x[x > 0]),
    "chosen": lambda x: np.where(x > 0, x[x > 0], 1.0),
    "product": lambda x: x[x > 0] @ x[x > 0],
    "two results": lambda x: np.modf(x[x > 0]),
    "put by another mask": lambda x: x.at[x > 0.1].set(x[x > 0]),
    "behind a slice": lambda x: np.outer(x, x)[:, x > 0].sum(),
    "several rows": lambda x: np.outer(x, x).at[x > 0].set(np.ones((2, 4))),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_needs_the_number_of_elements_is_refused(name):
    line = REFUSED[name].__code__.co_firstlineno
    with pytest.raises(ConcretizationError) as caught:
        jit(REFUSED[name])(X)
    assert str(caught.value).startswith(
        f"values of shape (2, 4) are assigned where a traced mask is true (test_picked.py:{line})"
        if name == "several rows"
        else f"a boolean mask that is traced picks an unknown number of elements (test_picked.py:{line}); use np.where"
    )
