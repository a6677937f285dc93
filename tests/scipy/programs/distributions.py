"""Programs of distributions of vectors, counts and matrices, and of densities estimated by kernels."""

import numpy as np

from autodiff.scipy import special, stats
from tests.scipy.programs.check import Program

some, wide, unit = np.array([0.4, 1.1, 2.3]), np.array([-1.3, 0.2, 0.9]), np.array([0.2, 0.5, 0.8])
square, other = np.outer(unit, wide) + np.diag(some), np.outer(some, unit) - np.eye(3)
columns = np.array([[0.1, 1.3, -0.4, 2.2, 0.7], [1.0, -0.3, 0.5, 0.9, -1.4]])


def spd(x):
    return x @ x.T + np.eye(x.shape[0])


def estimate(x, data, weights):
    """Three uses of one estimate."""
    density = stats.gaussian_kde(data, weights=special.softmax(weights))
    return density.logpdf(x), density(x), density.integrate_gaussian(np.zeros(2), np.eye(2))


# fmt: off
MULTIVARIATE = {
    "multivariate_normal": Program(lambda x, m, c: stats.multivariate_normal.logpdf(x, m, spd(c)), (wide, some, square)),
    "multivariate_t": Program(lambda x, m, c, df: stats.multivariate_t.logpdf(x, m, spd(c), df), (np.stack([wide, unit]), some, square, 3.5)),
    "dirichlet": Program(lambda x, a: stats.dirichlet.logpdf(special.softmax(x), a), (wide, some)),
    "multinomial": Program(lambda p: stats.multinomial.logpmf([2, 0, 3], 5, special.softmax(p)), (wide,)),
    "dirichlet_multinomial": Program(lambda a: stats.dirichlet_multinomial.logpmf([2, 0, 3], a, 5), (some,)),
    "wishart": Program(lambda x, df, s: stats.wishart.logpdf(spd(x), df, spd(s)), (square, 4.5, other)),
    "invwishart": Program(lambda x, df, s: stats.invwishart.logpdf(spd(x), df, spd(s)), (square, 4.5, other)),
    "matrix_normal": Program(lambda x, m, r, c: stats.matrix_normal.logpdf(x, m, spd(r), spd(c)), (columns, columns**2, other[:2, :2], columns.T @ columns)),
    "matrix_t": Program(lambda x, m, r, c, df: stats.matrix_t.logpdf(x, m, spd(r), spd(c), df), (columns, columns**2, other[:2, :2], columns.T @ columns, 3.5)),
    "vonmises_fisher": Program(lambda x, m, k: stats.vonmises_fisher.logpdf(x / np.linalg.norm(x), m / np.linalg.norm(m), k), (wide, some, 1.7)),
    "normal_inverse_gamma": Program(stats.normal_inverse_gamma.logpdf, (0.3, 1.2, 0.1, 0.8, 2.1, 1.4)),
    "gaussian_kde": Program(estimate, (columns[:, :2] + 0.1, columns, np.arange(5.0) / 3)),
}
