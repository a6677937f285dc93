"""scipy.linalg for plain and traced values alike; every other name is SciPy's own, and refuses traced values."""

from autodiff.scipy.linalg.banded import (
    eig_banded,
    eigh_tridiagonal,
    eigvals_banded,
    eigvalsh_tridiagonal,
    solve_banded,
    solveh_banded,
)
from autodiff.scipy.linalg.compositions import (
    convolution_matrix,
    fractional_matrix_power,
    khatri_rao,
    orthogonal_procrustes,
    pinvh,
    solve_circulant,
)
from autodiff.scipy.linalg.decompositions import (
    det,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    inv,
    lstsq,
    norm,
    pinv,
    polar,
    qr,
    svd,
    svdvals,
)
from autodiff.scipy.linalg.matrix_functions import (
    coshm,
    cosm,
    expm,
    expm_frechet,
    logm,
    signm,
    sinhm,
    sinm,
    solve_continuous_lyapunov,
    solve_discrete_lyapunov,
    solve_lyapunov,
    solve_sylvester,
    sqrtm,
    tanhm,
    tanm,
)
from autodiff.scipy.linalg.patterns import (
    block_diag,
    circulant,
    companion,
    hankel,
    matmul_toeplitz,
    solve_toeplitz,
    toeplitz,
)
from autodiff.scipy.linalg.riccati import solve_continuous_are, solve_discrete_are
from autodiff.scipy.linalg.solving import (
    cho_factor,
    cho_solve,
    cholesky,
    lu,
    lu_factor,
    lu_solve,
    solve,
    solve_triangular,
)
from autodiff.scipy.mirror import mirrored
from autodiff.scipy.python_code import with_formulas

UNITARY = (
    "its vectors may be turned, and eigenvalues be in another order, so that it has no derivative; eigh, eig, svd, "
)
UNITARY += "expm, logm, sqrtm and solve_sylvester have one"
BASIS = "any other basis of the space is as good, so that it has no derivative; the projector on it has one: "
REASONS = {
    "schur": UNITARY,
    "rsf2csf": UNITARY,
    "cdf2rdf": UNITARY,
    "qz": UNITARY,
    "ordqz": UNITARY,
    "null_space": BASIS + "np.eye(n) - pinv(a) @ a",
    "orth": BASIS + "a @ pinv(a)",
}
"""Why functions have no derivative."""

__getattr__ = with_formulas(
    "scipy.linalg",
    "diagsvd fiedler fiedler_companion leslie",
    mirrored("scipy.linalg", REASONS, "bandwidth issymmetric ishermitian"),
)

__all__ = [
    "block_diag",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "circulant",
    "companion",
    "convolution_matrix",
    "coshm",
    "cosm",
    "det",
    "eig",
    "eig_banded",
    "eigh",
    "eigh_tridiagonal",
    "eigvals",
    "eigvals_banded",
    "eigvalsh",
    "eigvalsh_tridiagonal",
    "expm",
    "expm_frechet",
    "fractional_matrix_power",
    "hankel",
    "inv",
    "khatri_rao",
    "logm",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "matmul_toeplitz",
    "norm",
    "orthogonal_procrustes",
    "pinv",
    "pinvh",
    "polar",
    "qr",
    "signm",
    "sinhm",
    "sinm",
    "solve",
    "solve_banded",
    "solve_circulant",
    "solve_continuous_are",
    "solve_continuous_lyapunov",
    "solve_discrete_are",
    "solve_discrete_lyapunov",
    "solve_lyapunov",
    "solve_sylvester",
    "solve_toeplitz",
    "solve_triangular",
    "solveh_banded",
    "sqrtm",
    "svd",
    "svdvals",
    "tanhm",
    "tanm",
    "toeplitz",
]
