"""What a loop back takes from the loop before it instead of computing it again."""

import numpy as np
import pytest

import autodiff
from autodiff import make_tape
from autodiff.backends.passes.fusion import loop_residuals
from autodiff.backends.passes.fusion.loop_residuals import keep_residuals
from autodiff.backends.passes.rewrite.constants import fold_constants
from autodiff.backends.passes.rewrite.simplify import simplify
from autodiff.trace.tape import check_tape
from tests.backends.passes.tapes import names, run

RNG = np.random.default_rng(0)
X, XS = RNG.normal(size=3), RNG.normal(size=(20, 3))
W = RNG.normal(size=(3, 3)) / 2


def kept(f, *args):
    """The tape before and after; results agree to the bit."""
    before = simplify(fold_constants(make_tape(f)(*args)))
    after = keep_residuals(before)
    check_tape(after)
    for x, y in zip(run(before, args), run(after, args), strict=True):
        np.testing.assert_array_equal(y, x)
    return before, after


def bodies(tape):
    """What the steps of the loops of a tape do."""
    return [names(dict(e.params)["tape"]) for e in tape.equations if e.primitive.name == "scan"]


def summed(step):
    """The gradient of the sum of the last carry."""
    return autodiff.grad(lambda c, *more: np.sum(autodiff.scan(lambda c, x: (step(c, x, *more), None), c, XS)[0]))


STEPS = {
    "function": (lambda c, x: np.tanh(c + x), "tanh", 0),
    "function of a power": (lambda c, x: np.tanh(np.abs(c * x) ** 1.3), "power", 1),  # its derivative is another power
    "functions of functions": (lambda c, x: np.tanh(np.exp(-(c**2)) + x), "tanh", 0),
    "decomposition": (lambda c, x: np.linalg.svd(np.outer(c, c) + np.eye(3))[1] * 0.1 + x, "svd", 0),
    "system": (lambda c, x: np.linalg.solve(np.outer(c, c) + np.eye(3), x), "solve", 1),  # one goes back
    "order": (lambda c, x: np.sort(c * x) * 0.5, "argsort", 0),
    "sum of many": (lambda c, x: np.exp(np.sum(np.sin(c[:, None] * np.linspace(0, 1, 50)), -1)) + x, "sin", 0),
}
"""A step, what it does once, and how often the step back does that."""


@pytest.mark.parametrize("name", STEPS)
def test_functions_and_decompositions_are_computed_once(name):
    step, primitive, left = STEPS[name]
    before, after = kept(summed(step), X)
    assert bodies(before)[1].count(primitive) == left + 1
    assert bodies(after)[1].count(primitive) == left
    assert bodies(after)[0] == bodies(before)[0]


def test_a_sigmoid_that_is_spelled_out_is_kept():
    step = summed(lambda c, x: np.tanh(1 / (1 + np.exp(-(c * x + 0.5)))))
    before = simplify(fold_constants(make_tape(step)(X)))
    after = keep_residuals(before)
    check_tape(after)
    np.testing.assert_allclose(run(after, (X,))[0], run(before, (X,))[0], rtol=1e-13)
    assert ["divide" in body for body in bodies(before)] == [False, True]
    assert ["divide" in body for body in bodies(after)] == [False, False]


def test_arithmetic_is_done_again():
    before, after = kept(summed(lambda c, x: c * x * (c - x) + x * 0.5), X)
    assert after is before


def test_products_with_the_carry_are_kept_and_those_of_slices_alone_are_not():
    w = RNG.normal(size=(40, 40)) / 6

    def loss(w, c, xs):
        return np.sum(autodiff.scan(lambda c, x: (np.tanh(c @ w + x @ w), None), c, xs)[0])

    args = w, RNG.normal(size=(4, 40)), RNG.normal(size=(6, 4, 40))
    before, after = kept(autodiff.grad(loss), *args)
    first, second = bodies(after)
    assert first == bodies(before)[0]
    assert second.count("matmul") == bodies(before)[1].count("matmul") - 2


def test_a_checkpointed_step_is_computed_again():
    before, after = kept(summed(autodiff.checkpoint(lambda c, x: np.tanh(np.tanh(c + x)))), X)
    assert after is before


def test_blocks_keep_what_one_block_needs():
    def loss(c):
        return np.sum(autodiff.scan(lambda c, x: (np.tanh(c + x), None), c, XS, checkpoint=5)[0])

    before, after = kept(autodiff.grad(loss), X)
    outer = [dict(e.params)["tape"] for e in after.equations if e.primitive.name == "scan"]
    assert [len(body.outputs) for body in outer] == [
        len(dict(e.params)["tape"].outputs) for e in before.equations if e.primitive.name == "scan"
    ]
    assert "tanh" in bodies(outer[1])[0]
    assert "tanh" not in bodies(outer[1])[1]


def test_what_takes_too_much_memory_is_computed_again(monkeypatch):
    monkeypatch.setattr(loop_residuals, "MOST", 100)
    before, after = kept(summed(lambda c, x: np.tanh(c + x)), X)
    assert after is before


def test_stacks_that_nobody_reads_any_more_are_not_made():
    before, after = kept(summed(lambda c, x: np.tanh(c + x)), X)
    first = next(e for e in after.equations if e.primitive.name == "scan")
    assert len(first.results) == 2  # the last carry, and what tanh gave in each step; not the carries
    assert len(next(e for e in before.equations if e.primitive.name == "scan").results) == 2


def test_what_the_first_loop_returns_anyway_is_not_stacked_twice():
    def loss(c):
        def step(c, x):
            y = np.tanh(c + x)
            return y * 0.5, y

        return np.sum(autodiff.scan(step, c, XS)[1] ** 2)

    _, after = kept(autodiff.grad(loss), X)
    body = dict(next(e for e in after.equations if e.primitive.name == "scan").params)["tape"]
    assert len(set(body.outputs)) == len(body.outputs)


@pytest.mark.parametrize("reverse", [False, True])
def test_second_derivatives_and_both_directions(reverse):
    def f(c):
        return np.sum(autodiff.scan(lambda c, x: (np.tanh(c * x) + c, np.exp(c)), c, XS[:5], reverse=reverse)[1])

    kept(autodiff.hessian(f), X)
    kept(autodiff.grad(f), X)
    compiled, eager = autodiff.jit(autodiff.hessian(f))(X), autodiff.hessian(f)(X)
    np.testing.assert_allclose(compiled, eager, rtol=1e-10)


def test_loops_of_other_lengths_and_of_other_operands_share_nothing():
    def f(c, xs, ys):
        one = autodiff.scan(lambda c, x: (np.tanh(c + x), None), c, xs)[0]
        return one + autodiff.scan(lambda c, x: (np.tanh(c + x), None), c, ys)[0]

    before, after = kept(f, X, XS, XS[:7])
    assert after is before
    before, after = kept(f, X, XS, XS * 2)
    assert after is before


def test_loops_stack_and_take_nothing_that_nobody_reads():
    def loss(x):
        return np.sum(autodiff.scan(lambda c, _: (np.roll(c, 1) * 0.5 + x, None), np.zeros(4) * x, None, length=6)[0])

    tape = keep_residuals(simplify(fold_constants(make_tape(autodiff.grad(loss))(2.0))))
    check_tape(tape)
    loops = [
        dict(each.params) | {"results": len(each.results)} for each in tape.equations if each.primitive.name == "scan"
    ]
    assert all(each["results"] == each["carry"] and each["slices"] == 0 for each in loops)
    np.testing.assert_allclose(autodiff.jit(autodiff.grad(loss))(2.0), autodiff.grad(loss)(2.0), rtol=1e-14)
