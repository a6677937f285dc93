"""Arithmetic that is only read in parts is done part by part."""

import numpy as np
import pytest

from autodiff import grad, make_tape
from autodiff.backends.passes.preparation.parts import compute_parts, meet
from autodiff.backends.passes.preparation.slices import spans_of
from autodiff.backends.passes.rewrite.dead import drop_dead
from autodiff.trace.tape import check_tape
from tests.backends.passes.tapes import names, run

X = np.random.default_rng(0).normal(size=(4, 6))
Y = np.random.default_rng(1).normal(size=(4, 6))
V, C = np.arange(1.0, 7.0), np.arange(1.0, 5.0)[:, None]


def halves(x):
    return read(np.split(x, 2, axis=1))


def read(parts):
    """What kernels make of parts."""
    return [np.cos(part) for part in parts]


CASES = {
    "a sum that is split": (lambda x, y: halves(x + y), "add", 2),
    "a chain": (lambda x, y: halves(np.tanh(x + y) * 2), "tanh", 2),
    "a row and a column": (lambda x, y: halves((x + V) * C), "multiply", 2),
    "slices": (lambda x, y: (lambda z: read((z[:2], z[2:3, 1:], z[3:, ::2])))(x * y), "multiply", 3),
    "every other": (lambda x, y: (lambda z: read((z[:, :3], z[:, 3::2])))(x * y), "multiply", 2),
    "parts of parts": (lambda x, y: (lambda a, b: (*read((a[:1], a[1:])), b))(*halves(x + y)), "add", 2),
    "a part of no width": (lambda x, y: read(np.split(x + y, [0, 2], axis=1)), "add", 3),
    "sums": (lambda x, y: [np.sum(part, axis=0) for part in np.split(x + y, 2, axis=1)], "add", 2),
    "one part": (lambda x, y: np.cos((x + y)[1:]), "add", 1),
    "read as a whole": (lambda x, y: (lambda z: (*halves(z), np.sum(z)))(x + y), "add", 1),
    "a result": (lambda x, y: (lambda z: (*halves(z), z))(x + y), "add", 1),
    "parts that are results": (lambda x, y: np.split(x + y, 2, axis=1), "add", 1),
    "factors of a product": (lambda x, y: (lambda a, b: a @ b.T)(*np.split(x + y, 2, axis=1)), "add", 1),
    "parts of a factor": (lambda x, y: (lambda a, b: (a[:2] @ b.T, np.cos(a)))(*np.split(x + y, 2, 1)), "add", 1),
    "one of them a factor": (lambda x, y: (lambda a, b: (np.cos(a), b @ b.T))(*np.split(x + y, 2, 1)), "add", 1),
    "many": (lambda x, y: (lambda z: read([z[:, k : k + 1] for k in range(9)]))(np.tile(x, 2) + 1.5), "add", 1),
    "parts that overlap": (lambda x, y: (lambda z: read((z[1:], z[:-1])))(x + y), "add", 1),
    "a new axis": (lambda x, y: (lambda z: read((z[:2, None], z[2:, None])))(x + y), "add", 1),
    "an index": (lambda x, y: (lambda z: read((z[0], z[1:])))(x + y), "add", 1),
}


def same(fun, *args):
    """The tape with its parts, which gives the same bits."""
    tape = make_tape(fun)(*args)
    after = compute_parts(tape)
    check_tape(after)
    assert after.output_specs == tape.output_specs
    for one, other in zip(run(tape, args), run(after, args), strict=True):
        np.testing.assert_array_equal(one, other)
    return tape, drop_dead(after)


@pytest.mark.parametrize("name", CASES)
def test_what_is_done_part_by_part(name):
    fun, operation, times = CASES[name]
    tape, after = same(fun, X, Y)
    assert names(after).count(operation) == times * names(tape).count(operation)


def test_nothing_is_left_of_the_whole():
    _, after = same(lambda x, y: halves(np.exp(x + y) * 2), X, Y)
    assert all(one.shape == (4, 3) for one in after.specs[len(after.inputs) :])


def parts_and_sums(seed, x, y):
    """Sums of arithmetic, of which some is cut into parts that take part in more of it."""
    rng = np.random.default_rng(seed)
    whole, parts, total = [x, y], [], 0.0
    for _ in range(10):
        one, other = (whole[k] for k in rng.integers(0, len(whole), 2))
        made = np.tanh(one * [V, C, 2.0][rng.integers(0, 3)]) + other
        kind = rng.integers(0, 3)
        if kind == 0:
            whole.append(made)
        else:
            axis = int(rng.integers(0, 2))
            first, second = np.split(made, [int(rng.integers(0, made.shape[axis] + 1))], axis=axis)
            parts += [first * 3, second + 1] if kind == 1 else [first[::2] * first[::2], second]
    for part in (*whole, *parts):
        total = total + np.sum(np.sin(part))
    return total, read(parts)


@pytest.mark.parametrize("seed", range(40))
def test_drawn(seed):
    same(lambda x, y: parts_and_sums(seed, x, y), X, Y)
    same(grad(lambda x, y: parts_and_sums(seed, x, y)[0], (0, 1)), X, Y)


@pytest.mark.parametrize("seed", range(60))
def test_slices_that_meet(seed):
    rng = np.random.default_rng(seed)
    keys = [
        tuple((*sorted(map(int, rng.integers(0, 7, 2))), int(rng.integers(1, 3))) for _ in range(2)) for _ in range(2)
    ]
    taken = []
    for key in keys:
        there = np.zeros((6, 6), bool)
        there[tuple(slice(*part) for part in key)] = True
        taken.append(there)
    if np.any(taken[0] & taken[1]):
        assert meet(*(spans_of(key, (6, 6)) for key in keys))
