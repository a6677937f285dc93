"""Products, einsum, decompositions, solvers and Fourier transforms, one matrix or a stack of them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs.programs import Programs, check

programs = Programs()

rng = np.random.default_rng(0)
A = rng.normal(size=(3, 4))
B = rng.normal(size=(4, 2))
S = rng.normal(size=(3, 3)) + 3 * np.eye(3)
SS = rng.normal(size=(2, 3, 3)) + 3 * np.eye(3)
TALL = rng.normal(size=(5, 3))
V = rng.normal(size=3)
W = rng.normal(size=4)
STACK = rng.normal(size=(2, 3, 4))
STACK2 = rng.normal(size=(2, 4, 3))
C = S + 1j * rng.normal(size=(3, 3))
SIGNAL = rng.normal(size=8)


def spd(a):
    """A symmetric positive definite matrix, or a stack of them."""
    return a @ np.swapaxes(a, -1, -2) + np.eye(a.shape[-1])


programs.table(
    {
        "matmul_chain": (lambda x, y: x @ y @ y.T @ x.T, A, B),
        "matrix_vector": (lambda x, v: x @ v, A, W),
        "vector_matrix": (lambda v, x: v @ x, V, A),
        "vector_vector": (lambda v, w: v @ w, V, V + 1),
        "quadratic_form": (lambda x, v: v.T @ x @ v / 2, S, V),
        "gram": (lambda x: x.T @ x, A),
        "plain_left": (lambda x: A.T @ x, A),
        "plain_right": (lambda x: x @ B, A),
        "list_left": (lambda x: [1.0, 2.0, 3.0] @ x, A),
        "list_right": (lambda x: x @ [1.0, 2.0, 3.0, 4.0], A),
        "dot_method": (lambda x, y: x.dot(y), A, B),
        "dot_function_vectors": (np.dot, V, V**2),
        "dot_scalar": (lambda x: np.dot(x, 2.0) + np.dot(3.0, x), A),
        "dot_list": (lambda x: np.dot([1.0, 2.0, 3.0], x), A),
        "dot_nd": (lambda x, y: np.dot(x, y), STACK, B),
        "stack_matmul": (lambda x, y: x @ y, STACK, STACK2),
        "stack_matmul_broadcast": (lambda x, y: x @ y, STACK, B),
        "stack_times_vector": (lambda x, v: x @ v, STACK, W),
        "matmul_column_vectors": (lambda x, v: (x @ v[..., None])[..., 0], STACK, W),
        "inner": (np.inner, A, STACK),
        "outer": (np.outer, V, W),
        "outer_by_broadcast": (lambda v, w: v[:, None] * w[None, :], V, W),
        "kron": (np.kron, A, B),
        "vdot": (np.vdot, A, A**2),
        "vdot_complex": (lambda z: np.vdot(z, z * 1j + 1), C),
        "cross": (np.cross, V, V**2),
        "cross_stack": (lambda a, b: np.cross(a, b, axis=0), A, A**2),
        "cross_plain": (lambda a: np.cross([1.0, 0.0, 0.0], a), V),
        "tensordot": (lambda x, y: np.tensordot(x, y, axes=([1, 2], [1, 0])), STACK, STACK2[0]),
        "tensordot_number": (lambda x, y: np.tensordot(x, y, axes=1), STACK, B),
        "tensordot_zero": (lambda x, y: np.tensordot(x, y, axes=0), V, W),
        "matrix_power": (lambda x: np.linalg.matrix_power(x, 5), S / 3),
        "matrix_power_negative": (lambda x: np.linalg.matrix_power(x, -2), S),
        "multi_dot": (lambda x, y: np.linalg.multi_dot([x, y, y.T]), A, B),
        "einsum_matmul": (lambda x, y: np.einsum("ij,jk->ik", x, y), A, B),
        "einsum_implicit": (lambda x, y: np.einsum("ij,jk", x, y), A, B),
        "einsum_trace": (lambda x: np.einsum("ii", x), S),
        "einsum_diagonal": (lambda x: np.einsum("ii->i", x), S),
        "einsum_transpose": (lambda x: np.einsum("ij->ji", x), A),
        "einsum_sum": (lambda x: np.einsum("ij->", x), A),
        "einsum_batch": (lambda x, y: np.einsum("bij,bjk->bik", x, y), STACK, STACK2),
        "einsum_ellipsis": (lambda x, y: np.einsum("...ij,jk->...ik", x, y), STACK, B),
        "einsum_three": (lambda x, y, z: np.einsum("ij,jk,k->i", x, y, z), A, B, B[0]),
        "einsum_optimize": (lambda x, y: np.einsum("ij,jk,lk->il", x, y, A[:, :2], optimize=True), A, B),
        "einsum_repeated_operand": (lambda x: np.einsum("i,j,ij->", x, x, S), V),
        "einsum_bilinear": (lambda x, w: np.einsum("bi,oij,bj->bo", TALL, w, x), TALL, SS),
        "einsum_sublists": (lambda x, y: np.einsum(x, [0, 1], y, [1, 2], [0, 2]), A, B),
        "einsum_outer": (lambda v, w: np.einsum("i,j->ij", v, w), V, W),
        "einsum_broadcast_diagonal": (lambda x: np.einsum("bii->b", x), SS),
        "einsum_spaces": (lambda x, y: np.einsum(" i j , j k -> i k ", x, y), A, B),
        "solve": (np.linalg.solve, S, V),
        "solve_matrix": (np.linalg.solve, S, A),
        "solve_stack": (np.linalg.solve, SS, STACK),
        "solve_stack_broadcast": (np.linalg.solve, SS, A),
        "inv": (np.linalg.inv, S),
        "inv_stack": (np.linalg.inv, SS),
        "inv_complex": (np.linalg.inv, C),
        "pinv_tall": (np.linalg.pinv, TALL),
        "pinv_wide": (np.linalg.pinv, A),
        "det": (np.linalg.det, S),
        "det_stack": (np.linalg.det, SS),
        "det_singular": (np.linalg.det, np.array([[1.0, 2.0], [2.0, 4.0]])),
        "det_complex": (np.linalg.det, C),
        "slogdet": (np.linalg.slogdet, S),
        "slogdet_named": (lambda x: np.linalg.slogdet(x).logabsdet, SS),
        "slogdet_unpacked": (lambda x: (lambda sign, value: sign * value)(*np.linalg.slogdet(x)), -S),
        "log_det_by_cholesky": (lambda x: 2 * np.sum(np.log(np.diag(np.linalg.cholesky(spd(x))))), S),
        "cholesky": (lambda x: np.linalg.cholesky(spd(x)), S),
        "cholesky_stack": (lambda x: np.linalg.cholesky(spd(x)), SS),
        "cholesky_upper": (lambda x: np.linalg.cholesky(spd(x), upper=True), S),
        "qr": (np.linalg.qr, TALL),
        "qr_named": (lambda x: np.linalg.qr(x).R, S),
        "qr_r_only": (lambda x: np.linalg.qr(x, mode="r"), TALL),
        "qr_stack": (lambda x: np.linalg.qr(x)[1], SS),
        "eigh_values": (lambda x: np.linalg.eigh(x + x.T)[0], S),
        "eigh_vectors": (lambda x: np.abs(np.linalg.eigh(x + x.T).eigenvectors), S),
        "eigh_stack": (lambda x: np.linalg.eigh(spd(x)).eigenvalues, SS),
        "eigvalsh": (lambda x: np.linalg.eigvalsh(x + x.T), S),
        "eigh_lower_only": (lambda x: np.linalg.eigh(x)[0], S),
        "eigh_upper": (lambda x: np.linalg.eigh(x, UPLO="U")[0], S),
        "eigvals": (lambda x: np.abs(np.linalg.eigvals(x)), S),
        "eig_reconstruct": (lambda x: (lambda w, v: ((v * w**2) @ np.linalg.inv(v)).real)(*np.linalg.eig(spd(x))), S),
        "svd_values": (lambda x: np.linalg.svd(x, compute_uv=False), A),
        "svdvals": (lambda x: np.linalg.svdvals(x), STACK),
        "svd_reconstruct": (
            lambda x: (lambda u, s, vh: (u * np.sqrt(s)) @ vh)(*np.linalg.svd(x, full_matrices=False)),
            A,
        ),
        "svd_low_rank": (
            lambda x: (lambda r: (r.U[:, :2] * r.S[:2]) @ r.Vh[:2])(np.linalg.svd(x, full_matrices=False)),
            TALL,
        ),
        "nuclear_norm": (lambda x: np.linalg.norm(x, "nuc"), A),
        "spectral_norm": (lambda x: np.linalg.norm(x, 2), A),
        "norm": (lambda x: np.linalg.norm(x), A),
        "norm_axis": (lambda x: np.linalg.norm(x, axis=1, keepdims=True), A),
        "norm_orders": (lambda x: sum(np.linalg.norm(x, p, axis=0) for p in (1, 2, 3, np.inf, -np.inf)), A),
        "norm_matrix_orders": (lambda x: sum(np.linalg.norm(x, p) for p in (1, -1, np.inf, -np.inf, "fro")), A),
        "norm_of_vector": (lambda v: v / np.linalg.norm(v), V),
        "norm_complex": (lambda z: np.linalg.norm(z), C),
        "vector_norm": (lambda x: np.linalg.vector_norm(x, axis=(0, 2)), STACK),
        "matrix_norm": (lambda x: np.linalg.matrix_norm(x), STACK),
        "cond": (lambda x: np.linalg.cond(x), S),
        "lstsq": (lambda a, b: np.linalg.lstsq(a, b, rcond=None)[0], TALL, TALL[:, 0] + 1),
        "least_squares_by_normal_equations": (lambda a, b: np.linalg.solve(a.T @ a, a.T @ b), TALL, TALL[:, 0] + 1),
        "ridge": (lambda a, b, lam: np.linalg.solve(a.T @ a + lam * np.eye(3), a.T @ b), TALL, TALL[:, 0] + 1, 0.3),
        "tensorsolve": (lambda a, b: np.linalg.tensorsolve(a.reshape(3, 3), b), S, V),
        "tensorinv": (lambda a: np.linalg.tensorinv(a.reshape(3, 3), ind=1), S),
        "matrix_rank": (lambda x: x * np.linalg.matrix_rank(x), S),
        "trace_of_product": (lambda x: np.trace(x @ x.T) + np.linalg.trace(x), S),
        "diag_of_vector": (lambda v: np.diag(v) @ S, V),
        "diag_offset": (lambda v: np.diag(v, k=1) + np.diag(v, -1), V),
        "diagonal_of_matrix": (lambda x: np.diagonal(x) + np.diag(x), S),
        "tril_triu": (lambda x: np.tril(x) @ np.triu(x, 1), S),
        "triangular_from_vector": (
            lambda v: (lambda low: low @ low.T)(np.array([[v[0], 0.0], [v[1], v[2]]], like=v)),
            V,
        ),
        "mT": (lambda x: x.mT @ x, STACK),
        "swapaxes": (lambda x: x.swapaxes(-1, -2) @ x, STACK),
        "block": (lambda x: np.block([[x, np.eye(3)], [np.zeros((3, 3)), x.T]]), S),
        "woodbury": (lambda u, d: np.linalg.inv(np.diag(d) + u @ u.T), A, np.abs(V) + 1),
        "schur_complement": (lambda x: x[1:, 1:] - x[1:, :1] @ np.linalg.inv(x[:1, :1]) @ x[:1, 1:], S),
        "mahalanobis": (lambda x, s: (x - x.mean(0)) @ np.linalg.inv(spd(s)) * (x - x.mean(0)), TALL, S),
        "gram_schmidt": (lambda x: gram_schmidt(x), S),
        "power_iteration": (lambda x: power_iteration(x), S),
        "conjugate_gradient": (lambda a, b: conjugate_gradient(spd(a), b), S, V),
        "matrix_exponential": (lambda x: matrix_exponential(x), S / 4),
        "householder": (lambda v: np.eye(3) - 2 * np.outer(v, v) / (v @ v), V),
        "determinant_by_recursion": (lambda x: determinant(x), S),
        "cayley": (lambda x: np.linalg.solve(np.eye(3) + (x - x.T), np.eye(3) - (x - x.T)), S),
        "fft_power": (lambda x: np.abs(np.fft.fft(x)) ** 2, SIGNAL),
        "fft_real_part": (lambda x: np.fft.fft(x).real + np.fft.fft(x).imag, SIGNAL),
        "fft_padded": (lambda x: np.fft.fft(x, n=12).real, SIGNAL),
        "fft_truncated": (lambda x: np.fft.fft(x, 5).real, SIGNAL),
        "fft_axis_norm": (lambda x: np.fft.fft(x, axis=0, norm="ortho").imag, A),
        "ifft_of_fft": (lambda x: np.fft.ifft(np.fft.fft(x) * np.exp(1j * np.arange(8))).real, SIGNAL),
        "rfft_filter": (lambda x: np.fft.irfft(np.fft.rfft(x) * (np.arange(5) < 3)), SIGNAL),
        "irfft_odd": (lambda x: np.fft.irfft(np.fft.rfft(x[:7]), n=7), SIGNAL),
        "fft_convolution": (lambda x, k: np.fft.irfft(np.fft.rfft(x, 10) * np.fft.rfft(k, 10), 10), SIGNAL, V),
        "fft2": (lambda x: np.abs(np.fft.fft2(x)), A),
        "rfft2_round_trip": (lambda x: np.fft.irfft2(np.fft.rfft2(x) ** 2, s=x.shape), A),
        "fftn": (lambda x: np.fft.fftn(x, axes=(0, 2)).real, STACK),
        "fftshift": (lambda x: np.fft.fftshift(np.fft.fft(x)).real, SIGNAL),
        "spectral_derivative": (lambda x: np.fft.ifft(1j * np.fft.fftfreq(8, 1 / 8) * np.fft.fft(x)).real, SIGNAL),
        "hfft": (lambda z: np.fft.hfft(z), C[0]),
        "ihfft": (lambda x: np.fft.ihfft(x), SIGNAL),
        "complex_fft": (lambda z: np.fft.ifft(np.fft.fft(z) * 2j), C),
        "power_spectrum_loss": (lambda x: np.sum(np.log(np.abs(np.fft.rfft(x * np.hanning(8))) ** 2 + 1e-3)), SIGNAL),
        "polyval": (lambda c, x: np.polyval(c, x), V, W),
        "polyfit": (lambda y: np.polyfit([0.0, 1.0, 2.0, 3.0, 4.0], y, 2), TALL[:, 0]),
        "polynomial_products": (lambda c: np.polymul(c, np.polyder(c)) + np.polyadd(c, 1.0)[0], V),
        "vander": (lambda v: np.vander(v, 4) @ W, V),
        "vander_increasing": (lambda v: np.vander(v, increasing=True), V),
    }
)


def gram_schmidt(x):
    basis = []
    for v in x:
        for b in basis:
            v = v - (v @ b) * b
        basis.append(v / np.sqrt(v @ v))
    return np.stack(basis)


def power_iteration(x):
    v = np.ones(3)
    for _ in range(15):
        v = x @ v
        v /= np.linalg.norm(v)
    return v @ x @ v


def conjugate_gradient(a, b):
    x = np.zeros_like(b)
    r = b - a @ x
    p = r
    for _ in range(3):
        step = (r @ r) / (p @ a @ p)
        x = x + step * p
        new = r - step * a @ p
        p = new + (new @ new) / (r @ r) * p
        r = new
    return x


def matrix_exponential(x):
    total = term = np.eye(len(x))
    for k in range(1, 12):
        term = term @ x / k
        total = total + term
    return total


def determinant(x):
    if len(x) == 1:
        return x[0, 0]
    return sum((-1) ** k * x[0, k] * determinant(np.delete(x[1:], k, axis=1)) for k in range(len(x)))


@pytest.mark.parametrize("name", programs)
def test_program(name):
    check(programs[name])
