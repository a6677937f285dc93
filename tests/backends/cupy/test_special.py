"""Programs whose operations lie on no grid: which kernels they become, and what these give, against NumPy."""

import numpy as np
import pytest

from autodiff import grad
from autodiff.ops.images.windows import max_windows, sum_windows
from autodiff.trace.trees.tree import flatten
from tests.backends.cupy.hosting import ORDERS, needs_compiler
from tests.backends.cupy.running import Programs

RNG = np.random.default_rng(3)


def array(*shape):
    return RNG.uniform(-1, 1, shape)


def loss_of_words(table, words, weights):
    return np.sum(np.tanh(table[words] @ weights))


def assigned(x, y):
    z = x * 2
    z[1:5:2] = y
    return np.sum(z * z)


PROGRAMS = {
    "embedding": (grad(loss_of_words, argnums=(0, 2)), array(50, 8), RNG.integers(-50, 50, (4, 7)), array(8, 3)),
    "running sums": (grad(lambda x: np.sum(np.cumsum(np.exp(x), axis=0) ** 2)), array(30, 8)),
    "running products": (grad(lambda x: np.sum(np.cumprod(x, axis=-1) ** 2)), array(3, 18)),
    "running maxima": (grad(lambda x: np.sum(np.maximum.accumulate(x, axis=-1) ** 2)), array(3, 18)),
    "pooling": (grad(lambda x: np.sum(max_windows(x, shape=(2, 2), stride=(2, 2)) ** 2)), array(2, 3, 8, 8)),
    "sums of windows": (grad(lambda x: np.sum(sum_windows(x, shape=(3, 3), stride=(2, 2)) ** 2)), array(2, 9, 9)),
    "joined": (grad(lambda x, y: np.sum(np.concatenate([x, y, x], 1) ** 2), argnums=(0, 1)), array(3, 18), array(3, 5)),
    "assigned": (grad(assigned, argnums=(0, 1)), array(6, 5), array(2, 5)),
    "positions": (lambda x: (np.argmax(x, axis=1), np.argmin(x, axis=0)), array(9, 5)),
    "rolled": (grad(lambda x: np.sum(np.roll(x, 2, 1) * x)), array(9, 5)),
}

KERNELS = {
    "embedding": {"gather", "scatter_add"},
    "running sums": {"cumsum"},
    "running products": {"cumprod", "shift", "recurrence", "products_before"},
    "running maxima": {"cummax", "shift", "recurrence"},
    "pooling": {"max_windows", "first_positions", "lay_in_windows"},
    "sums of windows": {"sum_windows", "spread_windows"},
    "joined": {"concatenate"},
    "assigned": {"slice_set"},
    "positions": {"argmax", "argmin"},
    "rolled": {"roll"},
}
"""Besides those of grids."""


@pytest.fixture(scope="module")
def programs():
    return Programs(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_which_kernels_there_are(programs, name):
    equations = programs.tapes[name][0].equations
    kinds = {dict(e.params)["kind"] for e in equations if e.primitive.name == "device_kernel"}
    assert kinds - {"grid"} == KERNELS[name]


@needs_compiler
@pytest.mark.parametrize("order", ORDERS)
def test_what_they_give(programs, order):
    for name, (fun, *args) in PROGRAMS.items():
        found, wanted = programs.run(name, *args, order=order), flatten(fun(*args))[0]
        for own, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(own, other, rtol=1e-12, atol=1e-13, err_msg=name)
