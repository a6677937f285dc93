"""Linear algebra on GPU arrays: values, gradients and errors, on the stand-in."""

import numpy as np
import pytest

from autodiff import grad, jit, value_and_grad
from autodiff.backends import on_gpu
from autodiff.backends.cupy.libraries import linear_algebra
from autodiff.ops.matrices.decompositions import cholesky
from autodiff.ops.matrices.singular import svd
from autodiff.ops.matrices.solve import inv, solve
from autodiff.ops.matrices.spectral import eig
from autodiff.trace.primitive import PRIMITIVES

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
    compute = value_and_grad(fun, argnums=tuple(range(len(args))))
    wanted, gradients = compute(*args)
    found, moved = compute(*map(cupy.asarray, args))
    np.testing.assert_allclose(found.get(), wanted, rtol=1e-9)
    for one, other in zip(moved, gradients, strict=True):
        assert isinstance(one, cupy.ndarray)
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one.get(), other, rtol=1e-7, atol=1e-9)


def test_one_matrix_is_factorized_once_for_a_stack_of_right_hand_sides(cupy, monkeypatch):
    shapes = []
    own = cupy.linalg.solve
    monkeypatch.setattr(cupy.linalg, "solve", lambda a, b: shapes.append((a.shape, b.shape)) or own(a, b))
    a, b = square(), RANDOM.normal(size=(2, 3, 4, 5))
    found = solve(cupy.asarray(a), cupy.asarray(b))
    assert shapes == [((4, 4), (4, 30))]
    np.testing.assert_allclose(found.get(), np.linalg.solve(a, b))


def test_jit_runs_them(cupy):
    fun, a, b = FUNCTIONS["solve, stacks"]
    np.testing.assert_allclose(
        jit(grad(fun))(cupy.asarray(a), cupy.asarray(b)).get(), grad(fun)(a, b), rtol=1e-9, atol=1e-12
    )


# Errors.

FAILURES = {
    "solve": (lambda a: solve(a, a), np.ones((3, 3)), "Singular matrix"),
    "inv": (lambda a: inv(a, singular=False), np.zeros((2, 2, 2)), "Singular matrix"),
    "cholesky": (lambda a: cholesky(a, upper=False), -np.eye(2), "Matrix is not positive definite"),
    "svd": (lambda a: svd(a, full=True), np.full((2, 2), np.nan), "SVD did not converge"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_failures_are_those_of_numpy(cupy, name):
    fun, a, text = FAILURES[name]
    for value in (a, cupy.asarray(a)):
        with pytest.raises(np.linalg.LinAlgError, match=f"^{text}$"):
            fun(value)


def test_of_a_singular_matrix_the_limit(cupy):
    a = np.stack([np.diag([2.0, 0.0]), np.diag([2.0, 4.0])])
    with np.errstate(all="ignore"):
        wanted = inv(a, singular=True)
    np.testing.assert_array_equal(abs(inv(cupy.asarray(a), singular=True).get()), abs(wanted))


def test_shapes_that_do_not_fit_keep_their_errors(cupy):
    with pytest.raises(np.linalg.LinAlgError, match="square"):
        inv(cupy.ones((2, 3)), singular=True)


def test_half_precision_is_refused(cupy):
    text = r"array type float16 is unsupported in linalg \(test_linear_algebra\.py:\d+\); use x\.astype\(np\.float32\)"
    with pytest.raises(TypeError, match=f"^{text}$"):
        solve(cupy.ones((2, 2), np.float16), cupy.ones((2, 2), np.float16))


def test_what_a_version_of_cupy_lacks_is_said(cupy, monkeypatch):
    monkeypatch.setattr(cupy, "__version__", "13.6.0")
    monkeypatch.setattr(cupy.linalg, "eig", None)
    text = (
        r"CuPy 13\.6\.0 has no linalg\.eig \(test_linear_algebra\.py:\d+\); install CuPy 14 for CUDA 12\.6 or later, or "
        r"compute it in host memory: x\.get\(\)"
    )
    with pytest.raises(NotImplementedError, match=f"^{text}$"):
        eig(cupy.ones((2, 2)))


def test_every_evaluator_belongs_to_a_primitive():
    assert set(on_gpu.NAMES["libraries.linear_algebra"]) == set(linear_algebra.EVALUATORS)
    assert set(linear_algebra.EVALUATORS) <= set(PRIMITIVES)
