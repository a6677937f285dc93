"""Random programs: backward() finds what grad finds, to second order."""

import numpy as np
import pytest

from autodiff import grad
from autodiff.facade import Variable

UNARY = [np.tanh, np.sin, np.exp, lambda x: -x, abs, lambda x: x**2, lambda x: 1.5 - x, lambda x: x / 2, np.sqrt]
BINARY = [
    lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, lambda x, y: x / (2 + y * y), np.maximum, np.hypot,
]  # fmt: skip
SHAPES = [(3,), (2, 3), (2, 1), ()]


def program(seed):
    """A function of four arrays that runs the same operations each time."""

    def run(*leaves):
        choose = np.random.default_rng(seed)
        values = [*leaves, choose.uniform(0.5, 1.5, 3)]
        for _ in range(25):
            if choose.random() < 0.4:
                x = values[choose.integers(len(values))]
                with np.errstate(all="ignore"):
                    values.append(UNARY[choose.integers(len(UNARY))](np.tanh(x) + 1.5))
            else:
                x, y = (values[choose.integers(len(values))] for _ in range(2))
                values.append(BINARY[choose.integers(len(BINARY))](x, y))
        return sum(np.sum(np.tanh(value)) for value in values)

    return run


@pytest.mark.parametrize("seed", range(12))
def test_first_and_second_derivatives(seed):
    draw = np.random.default_rng(1000 + seed)
    arrays = [draw.uniform(0.5, 1.5, shape) for shape in SHAPES]
    frozen = seed % 4
    run = program(seed)
    argnums = tuple(k for k in range(4) if k != frozen)
    leaves = [Variable(array, requires_grad=k != frozen) for k, array in enumerate(arrays)]
    run(*leaves).backward()
    assert leaves[frozen].grad is None
    for k, expected in zip(argnums, grad(run, argnums)(*arrays), strict=True):
        np.testing.assert_allclose(leaves[k].grad, expected, rtol=1e-11)
        leaves[k].cleargrad()

    run(*leaves).backward(enable_double_backprop=True)
    first = [leaves[k].grad_var for k in argnums]
    for leaf in leaves:
        leaf.cleargrad()
    sum(np.sum(g * g) for g in first).backward()

    def squares(*args):
        return sum(np.sum(g * g) for g in grad(run, argnums)(*args))

    for k, expected in zip(argnums, grad(squares, argnums)(*arrays), strict=True):
        np.testing.assert_allclose(leaves[k].grad, expected, rtol=1e-9)
