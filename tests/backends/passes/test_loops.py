"""Products that move out of loops."""

import numpy as np
import pytest

import autodiff
from autodiff import make_tape
from autodiff.backends.passes.fusion import loop_invariants as loops
from autodiff.backends.passes.fusion.loop_invariants import LOOPS
from autodiff.backends.passes.rewrite.rewriting import rewrite
from autodiff.backends.passes.rewrite.simplify import simplify
from autodiff.trace.tape import check_tape
from tests.backends.passes.tapes import names, run

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def small_matrices(monkeypatch):
    monkeypatch.setattr(loops, "LARGE", 16)


def moved(f, *args):
    """The tape before and after; results agree."""
    before = simplify(make_tape(f)(*args))
    after = rewrite(before, LOOPS, merge=True)
    check_tape(after)
    for x, y in zip(run(before, args), run(after, args), strict=True):
        np.testing.assert_allclose(y, x, rtol=1e-12, atol=1e-12)
    return before, after


def body(tape):
    (scan,) = (e for e in tape.equations if e.primitive.name == "scan")
    return names(dict(scan.params)["tape"])


@pytest.mark.parametrize("reverse", [False, True])
def test_products_of_slices_are_made_before_the_loop(reverse):
    def f(xs, w):
        return autodiff.scan(lambda c, x: (c + np.sum(x @ w), np.tanh(x @ w)), 0.0, xs, reverse=reverse)[1]

    _, after = moved(f, RNG.normal(size=(5, 3, 4)), RNG.normal(size=(4, 6)))
    assert names(after) == ["reshape", "matmul", "reshape", "scan"]
    assert "matmul" not in body(after)


@pytest.mark.parametrize("reverse", [False, True])
def test_carried_sums_of_products_are_one_product(reverse):
    def f(init, xs, ys):
        def step(carry, slices):
            x, y = slices
            return (carry[0] + x.T @ np.sin(y), carry[1] + 1.0), x

        return autodiff.scan(step, (init, 0.0), (xs, ys), reverse=reverse)

    before, after = moved(f, RNG.normal(size=(6, 7)), RNG.normal(size=(5, 2, 6)), RNG.normal(size=(5, 2, 7)))
    assert "matmul" in body(before)
    assert body(after) == ["add", "sin"] or body(after) == ["sin", "add"]
    assert names(after)[-2:] == ["matmul", "add"]


def test_the_gradient_of_a_recurrent_network_has_no_outer_products_in_its_loop():
    def loss(w, u, xs):
        def step(h, x):
            h = np.tanh(x @ u + h @ w)
            return h, h

        return np.sum(autodiff.scan(step, np.zeros((2, 5)), xs)[1] ** 2)

    args = RNG.normal(size=(5, 5)), RNG.normal(size=(4, 5)), RNG.normal(size=(7, 2, 4))
    before, after = moved(autodiff.grad(loss, (0, 1)), *args)
    last = [e for e in after.equations if e.primitive.name == "scan"][-1]
    left = [e for e in dict(last.params)["tape"].equations if e.primitive.name == "matmul"]
    assert len(left) == 1  # what goes from step to step
    assert names(before).count("matmul") < names(after).count("matmul")


def read_in_the_loop(carry, x):
    return carry + x.T @ x, np.sum(carry)


def scaled(carry, x):
    return 0.9 * carry + x.T @ x, None


def times(carry, x):
    return carry * (x.T @ x), None


@pytest.mark.parametrize("step", [read_in_the_loop, scaled, times])
def test_other_carries_stay(step):
    before, after = moved(lambda c, xs: autodiff.scan(step, c, xs), RNG.normal(size=(6, 6)), RNG.normal(size=(4, 2, 6)))
    assert body(before) == body(after)


def test_what_is_small_stays(monkeypatch):
    monkeypatch.setattr(loops, "LARGE", 37)
    before, after = moved(
        lambda c, xs: autodiff.scan(lambda c, x: (c + x.T @ x, None), c, xs)[0],
        RNG.normal(size=(6, 6)),
        RNG.normal(size=(4, 2, 6)),
    )
    assert body(before) == body(after)


def test_loops_without_steps_stay():
    moved(
        lambda c, xs: autodiff.scan(lambda c, x: (c + x.T @ x, None), c, xs)[0],
        RNG.normal(size=(6, 6)),
        RNG.normal(size=(0, 2, 6)),
    )
