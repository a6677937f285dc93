"""Arithmetic on transposed arrays is done before they are transposed."""

import numpy as np
import pytest

from autodiff import grad, jit, make_tape, vmap
from autodiff.backends.passes.preparation.transposes import TRANSPOSES
from autodiff.backends.passes.rewrite.rewriting import rewrite
from autodiff.trace.tape import check_tape
from tests.backends.kernels.running import needs_numba
from tests.backends.passes.tapes import names, run

X = np.random.default_rng(0).normal(size=(3, 4))
CUBE = np.random.default_rng(1).normal(size=(2, 3, 4))
MOVED = {
    "a number": (lambda x: 2 * x.T, X),
    "a function": (lambda x: np.exp(x.T), X),
    "a chain": (lambda x: np.sin(x.T) * 3 + 1, X),
    "two": (lambda x: np.exp(x).T * x.T, X),
    "of three axes": (lambda x: np.transpose(x, (2, 0, 1)) - 1, CUBE),
    "the last two axes": (lambda x: np.swapaxes(x, -1, -2) * 0.5, CUBE),
    "a selection": (lambda x: np.where((x > 0).T, x.T, 0), X),
    "back again": (lambda x: (2 * x.T).T, X),
}
STAYS = {
    "another array": (lambda x: x.T * np.arange(12.0).reshape(4, 3), X),
    "a row": (lambda x: x.T * np.arange(3.0), X),
    "other axes": (lambda x: np.transpose(x, (1, 0, 2)) * np.transpose(x, (2, 1, 0)), np.ones((3, 3, 3))),
    "read elsewhere": (lambda x: (lambda y: (2 * y, y @ x))(x.T), X),
}


@pytest.mark.parametrize("name", [*MOVED, *STAYS])
def test_what_is_moved(name):
    fun, x = {**MOVED, **STAYS}[name]
    tape = make_tape(fun)(x)
    after = rewrite(tape, TRANSPOSES, merge=True)
    check_tape(after)
    assert after.output_specs == tape.output_specs
    for one, other in zip(run(tape, (x,)), run(after, (x,)), strict=True):
        np.testing.assert_array_equal(one, other)
    assert (names(after)[-1] == "transpose") == (name in MOVED)


@needs_numba
def test_gradients_of_each_example_are_no_arrays_in_memory():
    rng = np.random.default_rng(2)
    weights, x, y = rng.normal(size=(8, 16)), rng.normal(size=(50, 8)), rng.normal(size=(50, 16))

    def norms(w):
        one = lambda x, y: np.sum(grad(lambda w: np.sum((np.tanh(x @ w) - y) ** 2))(w) ** 2)  # noqa: E731
        return np.sum(vmap(one)(x, y))

    compiled = jit(grad(norms))
    np.testing.assert_allclose(compiled(weights), grad(norms)(weights), rtol=1e-12)
    assert max(spec.size for e in compiled.schedule(weights).equations for spec in e.specs) < 50 * 8 * 16
