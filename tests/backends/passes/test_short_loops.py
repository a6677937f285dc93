"""Short loops inside of loops."""

import numpy as np
import pytest

import autodiff
from autodiff import fori_loop, make_tape, scan
from autodiff.backends.passes.fusion.short_loops import short_loops_written_out
from autodiff.backends.passes.rewrite.simplify import simplify
from autodiff.trace.tape import check_tape
from tests.backends.passes.tapes import names, run

X, XS = np.random.default_rng(0).normal(size=3), np.random.default_rng(1).normal(size=(12, 3))


def around(step):
    """A loop whose step has a loop in it."""
    return lambda c: scan(lambda c, x: step(c, x), c, XS)


INSIDE = {
    "steps": lambda c, x: (fori_loop(0, 4, lambda k, c: 0.9 * c + 0.1 * c[::-1] * k, c), None),
    "rows": lambda c, x: scan(lambda c, y: (0.5 * c + y, c * y), c, np.stack([x, x * 2])),
    "backwards": lambda c, x: scan(lambda c, y: (0.5 * c + y, c * y), c, np.stack([x, x * 2]), reverse=True),
    "numbers": lambda c, x: (c, scan(lambda s, y: (s + y, s), 0.0, x)[1]),
    "closed over": lambda c, x: (scan(lambda d, y: (d * x + y, None), c, x)[0] * 0.1, None),
    "several": lambda c, x: scan(lambda s, y: ((s[1], s[0] * y), (s[0], y)), (c, x), x)[0],
}
LEFT = {
    "long": lambda c, x: (fori_loop(0, 9, lambda k, c: 0.9 * c, c), None),
    "of many operations": lambda c, x: (fori_loop(0, 8, lambda k, c: np.sin(c) * 2 + np.cos(c) - c * c * 3 + c / 2, c), None),
    "of loops that are long": lambda c, x: (fori_loop(0, 2, lambda k, c: fori_loop(0, 9, lambda j, c: c * 0.5, c), c), None),
    "of large arrays": lambda c, x: (c + np.sum(fori_loop(0, 2, lambda k, d: d * 0.5, np.ones(65) * x[0])), None),
}  # fmt: skip


def passed(f):
    before = simplify(make_tape(f)(X))
    after = short_loops_written_out(before)
    check_tape(after)
    for x, y in zip(run(before, (X,)), run(after, (X,)), strict=True):
        np.testing.assert_array_equal(y, x)
    return before, after


def body(tape):
    (outer,) = (e for e in tape.equations if e.primitive.name == "scan")
    return names(dict(outer.params)["tape"])


@pytest.mark.parametrize("name", INSIDE)
def test_they_are_written_out(name):
    before, after = passed(around(INSIDE[name]))
    assert "scan" in body(before)
    assert "scan" not in body(after)
    f = autodiff.grad(lambda c: sum(np.sum(y) for y in autodiff.tree.leaves(around(INSIDE[name])(c))))
    np.testing.assert_allclose(autodiff.jit(f)(X), f(X), rtol=1e-12)


@pytest.mark.parametrize("name", LEFT)
def test_others_stay(name):
    before, after = passed(around(LEFT[name]))
    assert after is before


def test_loops_that_are_in_no_other_stay():
    before, after = passed(lambda c: fori_loop(0, 4, lambda k, c: 0.9 * c, c))
    assert after is before
