"""Dense Jacobians with many zeros under jit: few directions, the same elements."""

import numpy as np
import pytest

from autodiff import grad, hessian, jacfwd, jacobian, jit, scan, value_and_jacobian, vmap

N = 40
X = np.linspace(-1.5, 1.5, N)


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def stencil(x):
    inner = x[2:] - 2 * x[1:-1] + x[:-2]
    return np.concatenate([x[:1], np.sin(inner) * x[1:-1], x[-1:]])


def plate(u):
    inner = u[1:-1, 2:] + u[1:-1, :-2] + u[2:, 1:-1] + u[:-2, 1:-1] - 4 * u[1:-1, 1:-1]
    return np.pad(np.tanh(inner), 1)


def of_tree(tree):
    return {"first": tree["a"] * tree["b"][0], "second": np.outer([1.0, 2.0], np.exp(tree["a"]))}


def picked(x):
    return np.sin(x[[3, 3, 0, N - 1, 7]]) * x[[1, 2, 0, 4, 7]]


def singular(x):
    return np.where(x > 0, np.log(np.where(x > 0, x, 1.0)), 0.0) + np.sqrt(np.abs(x))


def half(x):
    return np.where(x > 0, np.log(x), x)


TREE = {"a": X, "b": [X[::-1].copy()]}
# fmt: off
FEW = {
    "rosenbrock": (hessian(rosenbrock), X), "a sum of cubes": (hessian(lambda x: np.sum(x**3)), X),
    "stencil": (jacfwd(stencil), X), "jacobian": (jacobian(stencil), X), "plate": (jacobian(plate), np.outer(X[:8], X[:8])),
    "rolled": (jacobian(lambda x: np.roll(x, 1) * x), X), "tree": (jacobian(of_tree), TREE), "picked": (jacfwd(picked), X),
    "value": (value_and_jacobian(stencil, mode="forward"), X), "batch": (vmap(hessian(rosenbrock)), np.stack([X, X + 1])),
    "within jit": (lambda x: jit(hessian(rosenbrock))(x) @ x, X),
    "third derivative": (grad(lambda x: np.sum(hessian(rosenbrock)(x) ** 2)), X), "scalars": (jacobian(lambda x: x[0] * x), X),
    "zeros": (jacfwd(singular), np.maximum(X, 0)), "a branch at a singular point": (jacfwd(half), np.maximum(X, 0)),
    "a wider result": (jacfwd(lambda x: (x * x).astype(np.float64)), X.astype(np.float32)),
    "a narrower result": (jacfwd(lambda x: (x * x).astype(np.float32)), X),
    "float32": (hessian(rosenbrock), X.astype(np.float32)), "complex": (jacfwd(np.square, holomorphic=True), X + 1j),
    "in a loop": (lambda x: scan(lambda c, _: (c + jacobian(stencil)(x) @ c, None), x, None, length=3)[0], X),
}
MANY = {
    "a product": (jacobian(lambda x: np.outer(X, X) @ x), X), "a mean": (jacobian(lambda x: x - np.mean(x)), X),
    "a running sum": (jacobian(np.cumsum), X), "softmax": (jacobian(lambda x: np.exp(x) / np.sum(np.exp(x))), X),
    "few inputs": (jacobian(lambda x: np.square(x)), X[:31]), "nothing": (jacobian(lambda x: np.ones(3)), X),
    "no inputs": (jacobian(lambda x: x), np.zeros(0)),
}
# fmt: on


@pytest.mark.parametrize("name", [*FEW, *MANY])
def test_the_elements_are_those_of_all_directions(name):
    function, x = {**FEW, **MANY}[name]
    tolerance = 1e-4 if name in ("float32", "a wider result", "a narrower result") else 1e-13
    with np.errstate(all="ignore"):
        check(jit(function)(x), function(x), tolerance)


def check(found, wanted, tolerance):
    if isinstance(wanted, (dict, tuple, list)):
        for key in wanted if isinstance(wanted, dict) else range(len(wanted)):
            check(found[key], wanted[key], tolerance)
        return
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", ["rosenbrock", "stencil", "plate", "rolled", "picked", "zeros", "complex"])
def test_few_directions_are_taken(name):
    function, x = FEW[name]
    assert elements(function, x) < np.size(x) ** 2 / 2


@pytest.mark.parametrize("name", ["a product", "a mean", "a running sum", "few inputs"])
def test_all_directions_are_taken_where_there_are_few_zeros(name):
    function, x = MANY[name]
    assert elements(function, x) >= np.size(x) ** 2


def elements(function, x):
    """The elements of the largest value on the tape that is not the result, or made of it."""
    tape = jit(function).tape(x)
    scattered = [n for n, e in enumerate(tape.equations) if e.primitive.name == "scatter_add"]
    before = tape.equations[: scattered[-1]] if scattered else tape.equations
    return max(spec.size for equation in before for spec in equation.specs)
