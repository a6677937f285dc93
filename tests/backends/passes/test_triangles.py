"""Equations with factors are solved by substitution."""

import numpy as np
import pytest

import autodiff
from autodiff import jit, make_tape
from autodiff.backends.passes.preparation.triangles import TRIANGLES
from autodiff.backends.passes.rewrite.rewriting import rewrite
from autodiff.trace.tape import check_tape
from tests.backends.kernels.running import needs_numba
from tests.backends.passes.tapes import names, run

RNG = np.random.default_rng(0)


def positive(*shape):
    a = RNG.normal(size=(*shape[:-2], shape[-1], 2 * shape[-1]))
    return a @ np.swapaxes(a, -1, -2) + np.eye(shape[-1])


A, B = positive(5, 5), RNG.normal(size=(5, 3))
FOUND = {
    "a factor": lambda a: np.linalg.solve(np.linalg.cholesky(a), B),
    "its transpose": lambda a: np.linalg.solve(np.linalg.cholesky(a).T, B),
    "transposed twice": lambda a: np.linalg.solve(np.linalg.cholesky(a).T.T, B[:, 0]),
    "an upper factor": lambda a: np.linalg.solve(np.linalg.cholesky(a, upper=True), B),
    "its transpose, too": lambda a: np.linalg.solve(np.linalg.cholesky(a, upper=True).T, B),
    "of QR": lambda a: np.linalg.solve(np.linalg.qr(a)[1], B),
    "of single precision": lambda a: np.linalg.solve(np.linalg.cholesky(a).astype(np.float32), B.astype(np.float32)),
}
OTHERS = {
    "any matrix": lambda a: np.linalg.solve(a, B),
    "of QR, the other": lambda a: np.linalg.solve(np.linalg.qr(a)[0], B),
    "a product": lambda a: np.linalg.solve(np.linalg.cholesky(a) @ a, B),
}


@pytest.mark.parametrize("name", [*FOUND, *OTHERS])
def test_what_is_a_factor(name):
    fun = {**FOUND, **OTHERS}[name]
    tape = make_tape(fun)(A)
    after = rewrite(tape, TRIANGLES)
    check_tape(after)
    assert ("solve" in names(after)) == (name in OTHERS)
    rtol = 1e-4 if "single" in name else 1e-11
    np.testing.assert_allclose(run(after, (A,))[0], run(tape, (A,))[0], rtol=rtol, atol=rtol)


def test_stacks_whose_axes_are_exchanged_otherwise_stay():
    stack = positive(5, 5, 5)
    tape = make_tape(lambda a: np.linalg.solve(np.transpose(np.linalg.cholesky(a), (1, 0, 2)), B))(stack)
    assert "solve" in names(rewrite(tape, TRIANGLES))
    tape = make_tape(lambda a: np.linalg.solve(np.swapaxes(np.linalg.cholesky(a), -1, -2), B))(stack)
    after = rewrite(tape, TRIANGLES)
    assert "solve" not in names(after)
    np.testing.assert_allclose(run(after, (stack,))[0], run(tape, (stack,))[0], rtol=1e-10)


@needs_numba
@pytest.mark.parametrize("n", [3, 60])
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
def test_a_likelihood_and_its_gradient(n, dtype):
    a = positive(n, n).astype(dtype)
    if dtype == "complex128":
        a = a + 0.1j * (np.tri(n) - np.tri(n).T)
    y = np.arange(1.0, n + 1).astype(dtype)

    def loss(a):
        factor = np.linalg.cholesky(a)
        half = np.linalg.solve(factor, y)
        return np.sum(np.abs(half) ** 2) + np.sum(np.log(np.abs(np.diag(factor))))

    rtol = 1e-4 if dtype == "float32" else 1e-9
    compiled = jit(autodiff.value_and_grad(loss))
    for one, other in zip(compiled(a), autodiff.value_and_grad(loss)(a), strict=True):
        np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol)
    if dtype == "float64":
        assert {e.primitive.name for e in compiled.schedule(a).equations}.isdisjoint({"solve"})


@needs_numba
def test_nan_goes_on_as_through_numpy():
    a = np.full((40, 40), np.nan)
    with np.errstate(all="ignore"):
        assert np.isnan(jit(lambda a: np.linalg.solve(np.linalg.cholesky(a), np.ones(40)))(a)).all()
