"""Loops and branches where tangents are recorded later than values: linearize, Jacobians, and batches of both."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autodiff import (
    cond,
    fori_loop,
    grad,
    hessian,
    jit,
    jvp,
    linearize,
    scan,
    switch,
    value_and_jacobian,
    vmap,
    while_loop,
)
from autodiff import map as map_rows
from autodiff.trace.trees.tree import flatten

Function = Callable[..., Any]
X = np.array([1.5, 2.0])

LOOPS: dict[str, Function] = {
    "fori_loop": lambda x: fori_loop(0, 2, lambda i, s: s * 0.5 + x, x),
    "counted": lambda x: fori_loop(0, np.sum(x > -5), lambda i, s: s * 0.5 + x, x),
    "scan": lambda x: scan(lambda s, k: (s * s + x, s), x, np.arange(2.0))[0],
    "rows": lambda x: scan(lambda s, k: (s * k, s * x), x, np.arange(1.0, 4.0))[1],
    "while_loop": lambda x: while_loop(lambda s: np.sum(s) < 30, lambda s: s * s + x, x),
    "bounded": lambda x: while_loop(lambda s: s[0] < 2, lambda s: (s[0] + 1, s[1] * x), (0, x), max_steps=4)[1],
    "cond": lambda x: cond(np.sum(x) > 1, lambda x: x * x, lambda x: x, x),
    "switch": lambda x: switch(np.sum(x > 1), [lambda x: x, lambda x: x * x, lambda x: x**3], x),
    "map": lambda x: map_rows(lambda row: row * row, np.stack([x, x * 2])),
}
OF_LOOPS: dict[str, Function] = {
    "alone": lambda f: f,
    "of a batch": vmap,
    "in a gradient": lambda f: grad(lambda x: np.sum(f(x))),
    "of a batch in a gradient": lambda f: grad(lambda x: np.sum(vmap(f)(x))),
}
AROUND: dict[str, Function] = {
    "alone": lambda f: f,
    "compiled": jit,
    "in a batch": lambda f: lambda x: vmap(f)(np.stack([x, x + 1])),
    "in forward mode": lambda f: lambda x: jvp(f, (x,), (x,)),
    "in reverse mode": lambda f: grad(lambda x: sum(np.sum(value) for value in f(x))),
}


def later(f: Function) -> Function:
    """The value and a derivative of a function by way of its tape of tangents."""

    def pushed(x: Any) -> Any:
        value, push = linearize(f, x)
        return value, push(np.ones_like(x))

    return pushed


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("of_loop", OF_LOOPS)
@pytest.mark.parametrize("loop", LOOPS)
def test_values_are_recorded_where_they_were(loop: str, of_loop: str, around: str) -> None:
    f = OF_LOOPS[of_loop](LOOPS[loop])
    at_once = AROUND[around](lambda x: jvp(f, (x,), (np.ones_like(x),)))
    expected, found = flatten(at_once(X))[0], flatten(AROUND[around](later(f))(X))[0]
    assert all(isinstance(value, np.ndarray | np.generic) for value in found)
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-12)


@pytest.mark.parametrize("loop", ["fori_loop", "scan", "rows", "map"])
def test_the_value_beside_a_jacobian_is_an_array(loop: str) -> None:
    f = vmap(LOOPS[loop])
    value, found = value_and_jacobian(f, mode="forward")(X)
    np.testing.assert_array_equal(value, f(X))
    np.testing.assert_allclose(found, value_and_jacobian(f, mode="reverse")(X)[1])


def test_hessians_of_batches_of_loops() -> None:
    loss = lambda c: np.sum(vmap(LOOPS["scan"])(X * (1 + c[0])))  # noqa: E731
    expected = jvp(grad(loss), (np.zeros(2),), (np.array([1.0, 0.0]),))[1]
    np.testing.assert_allclose(hessian(loss)(np.zeros(2))[0], expected)
