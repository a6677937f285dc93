"""Transformations on GPU arrays: what they make lies where the arguments lie."""

import numpy as np
import pytest

import autodiff


def energy(x, w):
    return np.sum(np.tanh(x @ w) ** 2) / 2


@pytest.fixture
def arrays(cupy):
    random = np.random.default_rng(1)
    host = random.standard_normal((3, 4)), random.standard_normal((4, 2))
    return host, tuple(map(cupy.asarray, host))


def compare(cupy, fun, host, device):
    """Check that a function gives the same on both, and that what it gives lies on the GPU."""
    expected, found = fun(*host), fun(*device)
    for a, b in zip(
        autodiff.trace.trees.tree.flatten(found)[0], autodiff.trace.trees.tree.flatten(expected)[0], strict=True
    ):
        assert isinstance(a, cupy.ndarray)
        np.testing.assert_allclose(a.get(), b, 1e-10, 1e-12)


TRANSFORMS = {
    "grad": autodiff.grad(energy, (0, 1)),
    "value and grad": autodiff.value_and_grad(energy, 1),
    "jacobian, reverse": autodiff.jacobian(lambda x, w: np.sum(x @ w, 0), 1, mode="reverse"),
    "jacobian, forward": autodiff.jacobian(lambda x, w: x @ w, 1, mode="forward"),
    "jacobian, auto": autodiff.jacobian(lambda x, w: np.tanh(x @ w), (0, 1)),
    "hessian": lambda x, w: autodiff.hessian(lambda w: energy(x, w))(w),
    "hessian of two": lambda x, w: autodiff.hessian(energy, (0, 1))(x, w)[0][1],
    "hvp": lambda x, w: autodiff.hvp(lambda w: energy(x, w), (w,), (w,)),
    "jvp": lambda x, w: autodiff.jvp(energy, (x, w), (2 * x, w)),
    "vmap": autodiff.vmap(lambda x, w: np.sum(np.sin(x)) * np.max(w, 0), (0, None)),
    "vmap of grad": autodiff.vmap(autodiff.grad(energy, 1), (0, None)),
    "grad of vmap": autodiff.grad(lambda x, w: np.sum(autodiff.vmap(lambda row: np.tanh(row @ w))(x))),
    "linearize": lambda x, w: autodiff.linearize(energy, x, w)[1](x, w),
    "checkpoint": autodiff.grad(lambda x, w: autodiff.checkpoint(energy)(x, w) ** 2),
    "scan": autodiff.grad(
        lambda x, w: np.sum(autodiff.scan(lambda c, r: (np.tanh(c + r), c * r), w[:, 0], x)[1]), (0, 1)
    ),
    "scan under vmap": autodiff.vmap(
        lambda row, w: autodiff.scan(lambda c, r: (c * r, c + r), 1.0, row)[1] + w[0, 0], (0, None)
    ),
    "cond": autodiff.grad(lambda x, w: np.sum(autodiff.cond(np.sum(x) > 0, np.sin, np.cos, x) @ w)),
    "cond under vmap": autodiff.vmap(lambda r, w: autodiff.cond(np.sum(r) > 0, np.sin, np.cos, r), (0, None)),
    "while loop": autodiff.grad(
        lambda x, w: np.sum(autodiff.while_loop(lambda c: np.sum(c**2) < 50, lambda c: c * 2 + 0.1, x))
    ),
    "while loop under vmap": autodiff.vmap(
        lambda r, w: autodiff.while_loop(lambda c: np.sum(c**2) < 50, lambda c: c * 2 + 0.1, r), (0, None)
    ),
    "zero gradient": autodiff.grad(lambda x, w: np.sum(w), 0),
    "where": autodiff.grad(lambda x, w: np.sum(np.where(x > 0, np.log(abs(x)), 0))),
    "sort": autodiff.grad(lambda x, w: np.sum(np.sort(x, 1) * np.arange(1, 5, like=x))),
    "norm": autodiff.grad(lambda x, w: np.linalg.norm(x) + np.linalg.norm(w, axis=0)[0]),
    "solve": autodiff.grad(lambda x, w: np.sum(np.linalg.solve(w.T @ w, w.T)), 1),
    "einsum": autodiff.grad(lambda x, w: np.sum(np.einsum("ij,jk,lk->il", x, w, w) ** 2), (0, 1)),
    "fft": autodiff.grad(lambda x, w: np.sum(abs(np.fft.rfft(x)) ** 2)),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transform(cupy, arrays, name):
    host, device = arrays
    compare(cupy, TRANSFORMS[name], host, device)


def test_custom_rules(cupy):
    @autodiff.custom_vjp
    def square(x):
        return x * x

    square.defvjp(lambda x: (x * x, x), lambda x, g: (2 * x * g,))
    x = cupy.arange(3.0)
    assert autodiff.grad(lambda x: np.sum(square(x)))(x).tolist() == [0.0, 2.0, 4.0]
    assert autodiff.jvp(square, (x,), (x,))[1].tolist() == [0.0, 2.0, 8.0]

    @autodiff.custom_jvp
    def cube(x):
        return x**3

    cube.defjvps(lambda t, out, x: 3 * x**2 * t)
    assert autodiff.grad(lambda x: np.sum(cube(x)))(x).tolist() == [0.0, 3.0, 12.0]


def test_a_gradient_by_a_number_stays_on_the_gpu(cupy):
    slope = autodiff.grad(lambda s, x: np.sum(s * x))(2.0, cupy.arange(3.0))
    assert isinstance(slope, cupy.ndarray)
    assert float(slope) == 3.0


def test_gradients_share_no_memory(cupy):
    x = cupy.arange(3.0)
    first, second = autodiff.grad(lambda x, y: np.sum(x + y), (0, 1))(x, x)
    first[...] = 7.0
    assert second.tolist() == [1.0, 1.0, 1.0]
    assert x.tolist() == [0.0, 1.0, 2.0]
