"""Slices of slices and of arithmetic, parts of parts: what is cut away is not computed."""

import numpy as np
import pytest

from autodiff import grad, jit, make_tape
from autodiff.backends.passes.preparation.slices import SLICES, key_of, spans_of, within
from autodiff.backends.passes.rewrite.dead import drop_dead
from autodiff.backends.passes.rewrite.rewriting import rewrite
from autodiff.trace.tape import check_tape
from tests.backends.kernels.running import needs_numba
from tests.backends.passes.tapes import names, run

X = np.random.default_rng(0).normal(size=(7, 9))
V = np.arange(1.0, 8.0)
CASES = {
    "twice": (lambda x: x[1:6][1:-1], ["slice_of"]),
    "steps": (lambda x: x[1::2, ::3][1:, :-1], ["slice_of"]),
    "nothing left": (lambda x: x[3:5][4:], ["slice_of"]),
    "an index": (lambda x: x[1:][2], ["slice_of", "slice_of"]),
    "backwards": (lambda x: x[::-1][1:], ["slice_of", "slice_of"]),
    "a new axis": (lambda x: x[1:, None][2:], ["slice_of", "slice_of"]),
    "arithmetic": (lambda x: (x * 2 + x)[2:-1], ["slice_of", "multiply", "add"]),
    "a function": (lambda x: np.exp(x)[:, 1:4], ["slice_of", "exp"]),
    "a difference": (lambda x: np.diff(x, axis=0)[:, :-1], ["slice_of", "slice_of", "subtract"]),
    "read elsewhere": (lambda x: (lambda y: (y, y[1:]))(np.exp(x)), ["exp", "slice_of"]),
    "broadcast": (lambda x: (x + V[:, None])[1:], ["add", "slice_of"]),
    "one of arithmetic": (lambda x: np.exp(x)[2], ["exp", "slice_of"]),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_cut_first(name):
    fun, left = CASES[name]
    tape = make_tape(fun)(X)
    after = drop_dead(rewrite(tape, SLICES, merge=True))
    check_tape(after)
    assert after.output_specs == tape.output_specs
    for one, other in zip(run(tape, (X,)), run(after, (X,)), strict=True):
        np.testing.assert_array_equal(one, other)
    assert names(after) == left


@pytest.mark.parametrize("seed", range(50))
def test_spans(seed):
    rng = np.random.default_rng(seed)

    def key(shape):
        return tuple(
            slice(*sorted(rng.integers(-n, n + 1, 2)), int(rng.integers(1, 4))) if n else slice(None) for n in shape
        )

    x = rng.normal(size=rng.integers(0, 9, 3))
    first = key(x.shape)
    second = key(x[first].shape)
    plain = [tuple((s.start, s.stop, s.step) for s in own) for own in (first, second)]
    spans = within(spans_of(plain[0], x.shape), spans_of(plain[1], x[first].shape))
    found = tuple(slice(*part) for part in key_of(spans)[:-1])
    np.testing.assert_array_equal(x[found], x[first][second])


GRADIENTS = {
    "total variation": lambda u: np.sum(np.sqrt(np.diff(u, axis=0)[:, :-1] ** 2 + np.diff(u, axis=1)[:-1] ** 2 + 0.1)),
    "steps": lambda u: np.sum(np.sin(u[::2][1:, 1::3]) ** 2) + np.sum(u[1:][:-1] * 3),
    "differences of differences": lambda u: np.sum(np.diff(np.diff(u, axis=0), axis=0)[1:, ::2] ** 3),
    "nothing": lambda u: np.sum(u[5:][4:] ** 2) + np.sum(u),
    "negated": lambda u: np.sum(np.exp(-u[1:][:, 2:]) * u[:-1, :-2]),
}


@needs_numba
@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name):
    loss = GRADIENTS[name]
    np.testing.assert_allclose(jit(grad(loss))(X), grad(loss)(X), rtol=1e-12, atol=1e-14)


@needs_numba
def test_parts_are_put_where_they_belong_at_once():
    schedule = jit(grad(GRADIENTS["total variation"])).schedule(X)
    tape = dict(schedule.equations[0].params)["tape"] if len(schedule.equations) == 1 else schedule
    shapes = [e.specs[0].shape for e in tape.equations if e.primitive.name == "slice_into"]
    assert set(shapes) == {X.shape}
