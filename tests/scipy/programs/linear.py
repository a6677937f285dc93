"""Programs of scipy.linalg and scipy.sparse."""

import numpy as np
import scipy.sparse
import scipy.sparse as ss

from autodiff.scipy import linalg, sparse
from tests.scipy.programs.check import Program

rng = np.random.default_rng(0)
a = rng.normal(size=(3, 3)) + 3 * np.eye(3)
b = rng.normal(size=(3, 3)) + 2 * np.eye(3)
m, v = rng.normal(size=(3, 2)), rng.normal(size=3)
small = rng.normal(size=(3, 3)) / 4
bands = np.array([[0.4, -0.7, 0.6], [5.0, 6.0, 7.0], [0.3, 0.8, -0.5]])
rows, columns = np.array([0, 1, 2, 0, 2, 1, 1]), np.array([0, 1, 2, 2, 0, 0, 2])
d = np.concatenate([rng.normal(size=3) + 6, rng.normal(size=4) / 2])
long, eye = np.cumsum(rng.uniform(0.5, 2, 7)), ss.eye_array(3)
symmetric = np.array([0, 1, 2, 0, 2, 0, 1]), np.array([0, 1, 2, 2, 0, 1, 0])
e = np.concatenate([d[:3], [0.1, 0.1, 0.05, 0.05]])


def spd(x):
    return x @ x.T + np.eye(3)


def matrix(d, form="csc_array"):
    return getattr(sparse.coo_array((d, (rows, columns)), shape=(3, 3)), "to" + form[:3])()


def constant(form):
    """A constant matrix of a format."""
    own = getattr(sparse, form)(ss.coo_array((d, (rows, columns)), shape=(3, 3)))
    return Program(lambda x: own @ np.sin(x), (m,))


def lowest(a):
    """The eigenvectors of the two least eigenvalues."""
    return sparse.linalg.eigsh(a, 2, which="SA", v0=np.ones(7))[1]


def iteration(name):
    solve = getattr(sparse.linalg, name)
    return Program(
        lambda e, x: solve(sparse.coo_array((e, symmetric), shape=(3, 3)).tocsr(), x, rtol=1e-13)[0], (e, v), 1e-4
    )


INCOMPLETE = scipy.sparse.csc_array(np.outer(v, v) + 4 * np.eye(v.size))

# fmt: off
LINALG = {
    "convolution_matrix": Program(lambda v: linalg.convolution_matrix(v, 4, "same"), (v,)),
    "eig_banded": Program(lambda u: linalg.eig_banded(u, lower=True)[1] ** 2, (bands[1:],)),
    "eigh_tridiagonal": Program(lambda x, y: linalg.eigh_tridiagonal(x, y)[1] ** 2, (v, v[:2])),
    "eigvals_banded": Program(lambda u: linalg.eigvals_banded(u), (bands[:2],)),
    "eigvalsh_tridiagonal": Program(linalg.eigvalsh_tridiagonal, (v, v[:2])),
    "fractional_matrix_power": Program(lambda x, t: linalg.fractional_matrix_power(spd(x), t), (a, 0.4)),
    "khatri_rao": Program(linalg.khatri_rao, (a, b)),
    "orthogonal_procrustes": Program(linalg.orthogonal_procrustes, (a, b)),
    "pinvh": Program(lambda x: linalg.pinvh(spd(x)), (a,)),
    "solve_banded": Program(lambda u, x: linalg.solve_banded((1, 1), u, x), (bands, v)),
    "solve_circulant": Program(lambda c, x: linalg.solve_circulant(c + np.array([5.0, 0, 0]), x), (v, m)),
    "solve_continuous_are": Program(lambda a, b, q: linalg.solve_continuous_are(a, b, spd(q), np.eye(2)), (a, m, b)),
    "solve_discrete_are": Program(lambda a, q, r: linalg.solve_discrete_are(a, m, spd(q), spd(r)[:2, :2]), (a, b, a)),
    "solveh_banded": Program(lambda u, x: linalg.solveh_banded(u, x), (bands[:2], m)),
    "block_diag": Program(linalg.block_diag, (a, m)),
    "cho_factor": Program(lambda x: np.triu(linalg.cho_factor(spd(x))[0]), (a,)),
    "cho_solve": Program(lambda x, y: linalg.cho_solve(linalg.cho_factor(spd(x)), y), (a, v)),
    "cholesky": Program(lambda x: linalg.cholesky(spd(x), lower=True), (a,)),
    "circulant": Program(linalg.circulant, (v,)),
    "companion": Program(linalg.companion, (v,)),
    "coshm": Program(linalg.coshm, (small,)),
    "cosm": Program(linalg.cosm, (small,)),
    "det": Program(linalg.det, (a,)),
    "eig": Program(lambda x: np.sort(linalg.eig(spd(x))[0].real), (a,)),
    "eigh": Program(lambda x: linalg.eigh(spd(x))[1] ** 2, (a,)),
    "eigvals": Program(lambda x: np.sort(linalg.eigvals(spd(x)).real), (a,)),
    "eigvalsh": Program(lambda x: linalg.eigvalsh(spd(x)), (a,)),
    "expm": Program(linalg.expm, (a,)),
    "expm_frechet": Program(linalg.expm_frechet, (small, b)),
    "hankel": Program(linalg.hankel, (v, np.append(v[-1], m[:, 0]))),
    "inv": Program(linalg.inv, (a,)),
    "logm": Program(lambda x: linalg.logm(spd(x)), (a,)),
    "lstsq": Program(lambda x, y: linalg.lstsq(x, y)[0], (m, v)),
    "lu": Program(lambda x: linalg.lu(x)[1:], (a,)),
    "lu_factor": Program(lambda x: linalg.lu_factor(x)[0], (a,)),
    "lu_solve": Program(lambda x, y: linalg.lu_solve(linalg.lu_factor(x), y), (a, m)),
    "matmul_toeplitz": Program(linalg.matmul_toeplitz, (v, m)),
    "norm": Program(linalg.norm, (a,)),
    "pinv": Program(linalg.pinv, (m,)),
    "polar": Program(linalg.polar, (a,)),
    "qr": Program(lambda x: linalg.qr(x, mode="economic"), (m,)),
    "signm": Program(lambda x: linalg.signm(np.diag([3.0, -3.0, 3.0]) + np.tanh(x) / 4), (small,)),
    "sinhm": Program(linalg.sinhm, (small,)),
    "sinm": Program(linalg.sinm, (small,)),
    "solve": Program(linalg.solve, (a, m)),
    "solve_continuous_lyapunov": Program(linalg.solve_continuous_lyapunov, (a, b)),
    "solve_discrete_lyapunov": Program(linalg.solve_discrete_lyapunov, (small, b)),
    "solve_lyapunov": Program(linalg.solve_lyapunov, (a, b)),
    "solve_sylvester": Program(linalg.solve_sylvester, (a, np.eye(2) + 0.1, m)),
    "solve_toeplitz": Program(lambda c, y: linalg.solve_toeplitz(c + np.array([5.0, 0, 0]), y), (v, m)),
    "solve_triangular": Program(linalg.solve_triangular, (a, v)),
    "sqrtm": Program(lambda x: linalg.sqrtm(spd(x)), (a,)),
    "svd": Program(lambda x: linalg.svd(x)[0] ** 2, (a,)),
    "svdvals": Program(linalg.svdvals, (a,)),
    "tanhm": Program(lambda x: linalg.tanhm(np.tanh(x) / 2), (small,)),
    "tanm": Program(lambda x: linalg.tanm(np.tanh(x) / 2), (small,)),
    "toeplitz": Program(linalg.toeplitz, (v, np.append(v[0], m[:, 0]))),
}
SPARSE = {
    "block_array": Program(lambda d: sparse.block_array([[matrix(d), None], [eye, matrix(d)]]) @ np.arange(6.0), (d,)),
    "block_diag": Program(lambda d: sparse.block_diag([matrix(d), eye]) @ np.arange(6.0), (d,)),
    "bmat": Program(lambda d: sparse.bmat([[matrix(d), eye]]) @ np.arange(6.0), (d,)),
    "hstack": Program(lambda d: sparse.hstack([eye, matrix(d)]) @ np.arange(6.0), (d,)),
    "kron": Program(lambda d: sparse.kron(matrix(d), matrix(d)) @ np.arange(9.0), (d,)),
    "tril": Program(lambda d: sparse.tril(matrix(d)) @ np.arange(3.0), (d,)),
    "triu": Program(lambda d: sparse.triu(matrix(d), 1) @ np.arange(3.0), (d,)),
    "vstack": Program(lambda d: sparse.vstack([eye, matrix(d)]) @ np.arange(3.0), (d,)),
    **{form: constant(form) for form in ("bsr_array", "bsr_matrix", "dia_array", "dia_matrix", "csr_matrix", "csc_matrix", "coo_matrix")},
    "coo_array": Program(lambda d, x: sparse.coo_array((d, (rows, columns)), shape=(3, 3)) @ x, (d, v)),
    "csr_array": Program(lambda d, x: sparse.csr_array((d, [0, 2, 1, 0], [0, 2, 3, 4])) @ x, (d[:4], v)),
    "csc_array": Program(lambda d, x: sparse.csc_array((d, [0, 2, 1, 0], [0, 2, 3, 4])) @ x, (d[:4], v)),
    "diags": Program(lambda x, y: sparse.diags([x, y], [0, 1]).toarray(), (v, v[:2])),
    "diags_array": Program(lambda x, y: sparse.diags_array([x, y], offsets=[0, -1]) @ np.arange(3.0), (v, v[:2])),
}
SPARSE_LINALG = {
    **{name: iteration(name) for name in sparse.linalg.NAMES},
    "eigsh": Program(lambda d, e: lowest(sparse.diags_array([d, e, e], offsets=[0, 1, -1])) ** 2, (long, long[:6] + 1)),
    "svds": Program(lambda x: sparse.linalg.svds(x, 2, v0=np.ones(4))[1], (rng.normal(size=(5, 4)),)),
    "spsolve_triangular": Program(lambda d, x: sparse.linalg.spsolve_triangular(sparse.tril(matrix(d)).tocsr(), x), (d, v)),
    "lsqr": Program(lambda d, x, s: [sparse.linalg.lsqr(matrix(d), x, s, 1e-15, 1e-15)[k] for k in (0, 3, 4, 8)], (d, v, 0.4)),
    "lsmr": Program(lambda d, x, s: [sparse.linalg.lsmr(matrix(d), x, s, 1e-15, 1e-15)[k] for k in (0, 3, 7)], (d, v, 0.4)),
    "factorized": Program(lambda d, x: sparse.linalg.factorized(matrix(d))(x), (d, v)),
    "splu": Program(lambda d, x: sparse.linalg.splu(matrix(d)).solve(x, "T"), (d, v)),
    "spilu": Program(lambda x: sparse.linalg.spilu(INCOMPLETE, drop_tol=0.2).solve(x), (v,)),
    "spsolve": Program(lambda d, x: sparse.linalg.spsolve(matrix(d), x), (d, v)),
}
