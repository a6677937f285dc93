"""Linear algebra on GPU arrays: values, gradients and errors, on the stand-in."""

import re

import numpy as np
import pytest

import autodiff
from autodiff import grad
from autodiff.backends.cupy import linear_algebra

RANDOM = np.random.default_rng(4)


def square(*lead, size=4):
    return RANDOM.normal(size=(*lead, size, size)) + 4 * np.eye(size)


def positive(*lead, size=4):
    a = RANDOM.normal(size=(*lead, size, size))
    return a @ a.swapaxes(-1, -2) + size * np.eye(size)


def total(*parts):
    return sum(np.sum(np.sin(part) * (k + 1)) for k, part in enumerate(parts))


FUNCTIONS = {
    "solve": (lambda a, b: total(np.linalg.solve(a, b)), square(), RANDOM.normal(size=(4, 2))),
    "solve, stacks": (lambda a, b: total(np.linalg.solve(a, b)), square(3), RANDOM.normal(size=(3, 4, 2))),
    "solve, one matrix": (lambda a, b: total(np.linalg.solve(a, b)), square(), RANDOM.normal(size=(2, 3, 4, 2))),
    "solve, broadcast": (lambda a, b: total(np.linalg.solve(a, b)), square(3), RANDOM.normal(size=(2, 1, 4, 2))),
    "solve, a vector": (lambda a, b: total(np.linalg.solve(a, b)), square(), RANDOM.normal(size=4)),
    "inv": (lambda a: total(np.linalg.inv(a)), square(2)),
    "cholesky": (lambda a: total(np.linalg.cholesky(a)), positive(2)),
    "cholesky, upper": (lambda a: total(np.linalg.cholesky(a, upper=True)), positive()),
    "det": (lambda a: total(np.linalg.det(a) / 100), square(2)),
    "slogdet": (lambda a: total(np.linalg.slogdet(a)[1]), square(2)),
    "eigh": (lambda a: total(np.linalg.eigh(a)[0], np.linalg.eigh(a)[1] ** 2), positive(2)),
    "eigh, upper": (lambda a: total(np.linalg.eigh(a, "U")[1] ** 2), positive()),
    "eigvalsh": (lambda a: total(np.linalg.eigvalsh(a)), positive(2)),
    "svd": (lambda a: total(np.linalg.svd(a, full_matrices=False)[1], np.linalg.svd(a, full_matrices=False)[0] ** 2),
            RANDOM.normal(size=(2, 5, 3))),
    "svdvals": (lambda a: total(np.linalg.svd(a, compute_uv=False)), RANDOM.normal(size=(2, 5, 3))),
    "qr": (lambda a: total(*np.linalg.qr(a)), RANDOM.normal(size=(2, 5, 3))),
    "pinv": (lambda a: total(np.linalg.pinv(a)), RANDOM.normal(size=(2, 5, 3))),
    "pinv, Hermitian": (lambda a: total(np.linalg.pinv(a, hermitian=True)), positive()),
    "lstsq": (lambda a, b: total(*np.linalg.lstsq(a, b)[:2]), RANDOM.normal(size=(5, 3)), RANDOM.normal(size=(5, 2))),
    "eigvals": (lambda a: total(np.linalg.eigvals(a).real), square()),
    "matrix_power": (lambda a: total(np.linalg.matrix_power(a, 3) / 99), square()),
    "norm": (lambda a: total(np.linalg.norm(a, 2), np.linalg.norm(a)), square()),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_gradients_are_those_of_numpy(cupy, name):
    fun, *args = FUNCTIONS[name]
    on_gpu = [cupy.asarray(x) for x in args]
    np.testing.assert_allclose(fun(*on_gpu).get(), fun(*args), rtol=1e-9)
    wanted = grad(fun, argnums=tuple(range(len(args))))(*args)
    for one, other in zip(grad(fun, argnums=tuple(range(len(args))))(*on_gpu), wanted, strict=True):
        assert isinstance(one, cupy.ndarray)
        np.testing.assert_allclose(one.get(), other, rtol=1e-7, atol=1e-9)
