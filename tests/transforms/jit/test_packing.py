"""Residuals of written-out steps, which the passes of reverse mode hand over in stacks."""

from dataclasses import replace

import numpy as np
import pytest

import autodiff
from autodiff import grad, jit, make_tape, value_and_grad, vmap
from autodiff.backends.reference import run_tape
from autodiff.trace.tape import check_tape
from autodiff.transforms.jit.packing import packed, unpacked
from autodiff.transforms.jit.reverse_mode import ReverseMode

X, B = np.random.default_rng(3).normal(size=(60, 4)), np.random.default_rng(4).normal(size=4)


def recursion(x, b):
    y, total = b, 0.0
    for k in range(60):
        y = np.where(y > -0.9, np.log1p(np.maximum(y, -0.9)), 0.1 * y) + np.sin(x[k]) * b
        total = total + y[0] * 0.5 ** (k % 3)
    return total + np.sum(y)


def of_numbers(x, b):
    y, best = b[0], 0.0
    for k in range(60):
        y = np.tanh(y) * b[1] + x[k, 0]
        best = best + np.where(y > 0, y * y, 0.0)
    return best


PROGRAMS = {f.__name__: f for f in (recursion, of_numbers)}


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_are_the_same(name):
    f = PROGRAMS[name]
    value, grads = value_and_grad(f, argnums=(0, 1))(X, B)
    found, others = value_and_grad(jit(f), argnums=(0, 1))(X, B)
    np.testing.assert_allclose(found, value, rtol=1e-12)
    for one, other in zip(others, grads, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def test_few_residuals_are_handed_over():
    tape = make_tape(recursion)(X, B)
    mode = ReverseMode(tape, (0, 1))
    check_tape(mode.forward)
    assert len(mode.forward.outputs) < 60
    backward = mode.backward(("plain",))
    check_tape(backward.tape)
    outs = run_tape(mode.forward, [X, B])
    available = [X, B, *outs[1:]]
    found = run_tape(backward.tape, [*(available[k] for k in backward.taken), 1.0])
    for one, other in zip(found, grad(recursion, argnums=(0, 1))(X, B), strict=True):
        np.testing.assert_array_equal(one, other)


def test_rows_lie_where_they_are_said_to():
    def forward(x, b):
        rows = [np.sin(b)]
        for k in range(59):
            rows.append(np.sin(rows[-1] + x[k]) * (2 * b + rows[-1]))
        return np.sum(rows[-1]), *rows[::-1], b * 3

    tape = replace(make_tape(forward)(X, B), arguments=None, results=None)
    together, places = packed(tape, 1)
    check_tape(together)
    assert len(together.outputs) < 20
    assert len(places) == 61
    plain, stacked = run_tape(tape, [X, B])[1:], run_tape(together, [X, B])[1:]
    for one, (place, row) in zip(plain, places, strict=True):
        np.testing.assert_array_equal(stacked[place] if row is None else stacked[place][row], one)
    reader = make_tape(lambda *rows: sum(k * np.sum(row) for k, row in enumerate(rows)))(*plain)
    reader = replace(reader, arguments=None, results=None)
    apart, taken = unpacked(reader, places, together.output_specs[1:])
    check_tape(apart)
    assert run_tape(apart, [stacked[k] for k in taken]) == run_tape(reader, plain)


def test_short_programs_keep_single_residuals():
    tape = make_tape(lambda x: np.sum(np.sin(np.sin(x))))(B)
    assert packed(tape, 1) == (tape, [])
    assert unpacked(tape, [(3, None)], ()) == (tape, (3,))


def test_second_order_and_batches():
    def inner(b):
        return recursion(X, b)

    np.testing.assert_allclose(autodiff.hessian(jit(inner))(B), autodiff.hessian(inner)(B), rtol=1e-8, atol=1e-10)
    batch = np.stack([B, 2 * B, -B])
    np.testing.assert_allclose(vmap(grad(jit(inner)))(batch), np.stack([grad(inner)(b) for b in batch]), rtol=1e-9)
