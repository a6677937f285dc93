"""What a loop or branch does not depend on gets no cotangent from it: a zero would meet infinite derivatives."""

import numpy as np
import pytest

from autodiff import checkpoint, cond, fori_loop, grad, jit, jvp, make_tape, scan, switch, vjp, while_loop
from autodiff.transforms.control.dependence import active, of_branches, of_loop, sources

X = np.array([0.0, 1.0])  # the square root has an infinite derivative at 0


def by_cond(x):
    return cond(np.sum(x) > -1, lambda a, b: a * 2, lambda a, b: a * 3, x, np.sqrt(x))


def by_closure(x):
    root = np.sqrt(x)
    return cond(np.sum(x) > -1, lambda a: a * 2, lambda a: a * 3 + 0 * np.floor(root), x)


def by_taken_branch(x):
    return cond(np.sum(x) > -1, lambda a, b: a * 2, lambda a, b: b * a, x, np.sqrt(x))


def by_switch(x):
    branches = [lambda a, b: a * b, lambda a, b: a * 2, lambda a, b: b]
    return switch(np.sum(x).astype(np.int64), branches, x, np.sqrt(x))


def by_scan(x):
    (a, _), _ = scan(lambda carry, row: ((carry[0] * 2, carry[1] * carry[1]), row), (x, np.sqrt(x)), np.arange(3.0))
    return a


def by_loop(x):
    return while_loop(lambda s: s[2] < 3, lambda s: (s[0] * 2, s[1] * s[1], s[2] + 1), (x, np.sqrt(x), 0))[0]


def by_bounded_loop(x):
    first = (x, np.sqrt(x), 0)
    return while_loop(lambda s: s[2] < 3, lambda s: (s[0] * 2, s[1] * s[1], s[2] + 1), first, max_steps=5)[0]


def by_functions_inside(x):
    return fori_loop(0, 2, lambda _, a: jit(lambda b, _: b * 2)(a, checkpoint(lambda b: b)(np.sqrt(x))), x)


FUNCTIONS = [by_cond, by_closure, by_taken_branch, by_switch, by_scan, by_loop, by_bounded_loop, by_functions_inside]


@pytest.mark.parametrize("fun", FUNCTIONS)
def test_derivatives_are_finite_where_those_of_python_are(fun):
    def loss(x):
        return np.sum(fun(x))

    with np.errstate(all="ignore"):
        wanted = grad(loss)(X)
        assert np.isfinite(wanted).all()
        for compiled in (jit(grad(loss), backend="numpy"), grad(jit(loss, backend="numpy"))):
            np.testing.assert_array_equal(compiled(X), wanted)
        tangent = jvp(jit(fun, backend="numpy"), (X,), (np.ones(2),))[1]
        np.testing.assert_array_equal(tangent, jvp(fun, (X,), (np.ones(2),))[1])


@pytest.mark.parametrize("fun", [fun for fun in FUNCTIONS if fun is not by_loop])
def test_so_are_derivatives_of_derivatives(fun):
    def first(x):
        return np.sum(grad(lambda x: np.sum(fun(x)))(x) * np.arange(1.0, 3.0))

    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(jit(grad(first), backend="numpy")(X), grad(first)(X))


def tape(fun, *args):
    return make_tape(fun)(*args)


def test_outputs_depend_on_what_their_operations_read():
    found = sources(tape(lambda x, y, z: (x * y, np.floor(y), z, np.zeros_like(z) + x), *np.ones((3, 2))))
    assert found == [{0, 1}, set(), {2}, {0}]


def test_branches_depend_on_what_any_of_them_reads():
    branches = (tape(lambda x, y: x * 1.0, 1.0, 2.0), tape(lambda x, y: y * 2.0, 1.0, 2.0))
    assert of_branches(branches) == [{1, 2}]


def test_a_loop_depends_on_what_comes_round():
    body = tape(lambda a, b, c, outside: (a + b, b + c, c * 1.0, outside * a), 1.0, 2.0, 3.0, 4.0)
    assert of_loop(body, 3) == [{0, 1, 2}, {1, 2}, {2}, {0, 1, 2, 3}]
    assert active(body, 3, [1]) == [1, 2]
    assert active(body, 3, [3]) == [0, 1, 2]


@pytest.mark.parametrize(("p", "wanted"), [(1.0, np.exp(X) * (1 + X)), (-1.0, np.ones(2))])
def test_the_derivative_of_a_branch_that_is_taken_is_not_masked(p, wanted):
    fun = jit(lambda x, p: cond(p > 0, lambda a, b: a * b, lambda a, b: a, x, np.exp(x)), backend="numpy")
    np.testing.assert_allclose(vjp(lambda x: fun(x, p), X)[1](np.ones(2))[0], wanted, rtol=1e-15)
