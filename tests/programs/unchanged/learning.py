"""Statistics and learning."""

import numpy as np
from scipy import linalg
from scipy.interpolate import CubicSpline
from scipy.linalg import cho_factor, cho_solve, expm
from scipy.optimize import curve_fit, minimize
from scipy.signal import convolve, lfilter
from scipy.spatial.distance import cdist
from scipy.special import expit, logsumexp


def gaussian_process(p):
    x = np.linspace(0, 1, 6)
    y = np.sin(4 * x)
    K = np.zeros((6, 6))
    for i in range(6):
        for j in range(6):
            K[i, j] = p[0] ** 2 * np.exp(-0.5 * (x[i] - x[j]) ** 2 / p[1] ** 2)
    K[np.diag_indices(6)] += p[2] ** 2
    c, low = cho_factor(K, lower=True)
    alpha = cho_solve((c, low), y)
    return 0.5 * y @ alpha + np.log(np.diag(c)).sum()


def gaussian_process_by_cdist(p):
    x = np.linspace(0, 1, 5)[:, None]
    K = np.exp(-0.5 * cdist(x / p[0], x / p[0], "sqeuclidean")) + 0.1 * np.eye(5)
    L = linalg.cholesky(K, lower=True)
    z = linalg.solve_triangular(L, np.cos(3 * x[:, 0]), lower=True)
    return z @ z + 2 * np.sum(np.log(np.diag(L)))


def hmm_forward(p):
    a, b = p
    A = np.array([[1 - a, a], [b, 1 - b]])
    B = np.array([[0.7, 0.3], [0.2, 0.8]])
    observations = [0, 1, 1, 0, 1]
    alpha = np.zeros((5, 2))
    alpha[0] = 0.5 * B[:, observations[0]]
    for t in range(1, 5):
        for j in range(2):
            alpha[t, j] = alpha[t - 1].dot(A[:, j]) * B[j, observations[t]]
    return np.log(alpha[-1].sum())


def viterbi_score(p):
    A = np.log(np.array([[p[0], 1 - p[0]], [1 - p[1], p[1]]]))
    delta = np.zeros((4, 2))
    psi = np.zeros((4, 2), dtype=int)
    for t in range(1, 4):
        for j in range(2):
            scores = delta[t - 1] + A[:, j]
            psi[t, j] = np.argmax(scores)
            delta[t, j] = scores[psi[t, j]] - 0.1 * j
    return np.max(delta[-1])


def perceptron(w):
    W1 = w[:6].reshape(2, 3)
    W2 = w[6:9]
    loss = 0.0
    for x, target in zip([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]):
        hidden = np.tanh(np.array(x) @ W1)
        loss += (float(expit(hidden @ W2)) - target) ** 2
    return loss


def logistic(beta):
    X = np.c_[np.ones(5), np.linspace(-1, 1, 5)]
    y = np.array([0, 0, 1, 0, 1])
    p = 1 / (1 + np.exp(-X @ beta))
    return -np.sum(y * np.log(p) + (1 - y) * np.log(1 - p))


def mixture(p):
    weights = np.r_[p[0], 1 - p[0]]
    means = np.r_[p[1], p[2]]
    data = np.array([-1.0, 0.2, 1.5])
    densities = np.empty((3, 2))
    for k in range(2):
        densities[:, k] = np.log(weights[k]) - 0.5 * (data - means[k]) ** 2
    return logsumexp(densities, axis=1).sum()


def ridge(p):
    X = np.vander(np.linspace(0, 1, 6), 3)
    y = np.array([0.1, 0.4, 0.2, 0.6, 0.9, 1.1])
    G = X.T @ X + np.diag([p[0]] * 3)
    return np.sum((X @ np.linalg.solve(G, X.T @ y) - y) ** 2) * p[1]


def natural_spline(y):
    n = len(y)
    h = 1.0
    A, r = np.eye(n), np.zeros(n)
    for i in range(1, n - 1):
        A[i, i - 1 : i + 2] = [h / 6, 2 * h / 3, h / 6]
        r[i] = (y[i + 1] - 2 * y[i] + y[i - 1]) / h
    m = np.linalg.solve(A, r)
    return m @ m + y.sum()


def scipy_spline(y):
    spline = CubicSpline(np.arange(len(y)), y)
    return spline(1.5) + np.sum(spline(np.array([0.2, 2.7])) ** 2)


def autocorrelation(x):
    r = np.zeros(3)
    for lag in range(3):
        r[lag] = np.sum(x[lag:] * x[: len(x) - lag]) / len(x)
    R = np.array([[r[0], r[1]], [r[1], r[0]]])
    return np.linalg.solve(R + 0.1 * np.eye(2), r[1:]).sum()


def filters(p):
    signal = np.sin(np.arange(10.0))
    out = np.zeros(10)
    out[0] = p[0] * signal[0]
    for n in range(1, 10):
        out[n] = p[0] * signal[n] + p[1] * out[n - 1]
    return (out**2).mean() + convolve([p[0], p[1]], signal)[3] + lfilter([1.0, 0.5], [1.0], out)[-1]


def markov_generator(rates):
    Q = np.array([[-rates[0], rates[0], 0], [rates[1], -rates[1] - rates[2], rates[2]], [0, 0, 0]], dtype=np.float64)
    return expm(Q * 0.7)[0, 2]


def page_rank(p):
    links = np.array([[0, 1, 1], [1, 0, 0], [1, 1, 0]], float)
    M = links / links.sum(axis=0)
    v = np.ones(3) / 3
    for _ in range(8):
        v = p[0] * M @ v + (1 - p[0]) * np.array([p[1], 1 - p[1], 0.0])
    return v[0] * v[1]


def dynamic_time_warping(x):
    y = np.array([0.0, 1.0, 0.5])
    D = np.full((len(x) + 1, len(y) + 1), np.inf)
    D[0, 0] = 0
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            cost = (x[i - 1] - y[j - 1]) ** 2
            D[i, j] = cost + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
    return D[-1, -1]


def inner_fit(p):
    result = minimize(lambda z: (z[0] - p[0]) ** 2 + (z[1] - p[0] * p[1]) ** 2, np.zeros(2), method="BFGS")
    x = np.linspace(0, 1, 8)
    fitted, _ = curve_fit(lambda t, a, b: a * t + b, x, p[0] * x + p[1], p0=[1.0, 1.0])
    return result.x @ np.array([1.0, 2.0]) + fitted[0] * fitted[1]


def image_gradient(pixels):
    image = pixels.reshape(4, 4)
    out = np.zeros((2, 2))
    kernel = np.array([[1, 0, -1], [2, 0, -2], [1, 0, -1]])
    for i in range(2):
        for j in range(2):
            out[i, j] = np.sum(image[i : i + 3, j : j + 3] * kernel)
    return np.linalg.norm(out)


def power_iteration(p):
    A = np.array([[2.0, p[0]], [p[0], p[1]]])
    b = np.ones(2)
    for _ in range(20):
        b = A @ b
        b /= np.linalg.norm(b)
    return b @ A @ b


def gram_schmidt(x):
    A = x.reshape(3, 3)
    Q = np.zeros((3, 3))
    for i in range(3):
        v = A[:, i].copy()
        for j in range(i):
            v -= (Q[:, j] @ A[:, i]) * Q[:, j]
        Q[:, i] = v / np.linalg.norm(v)
    return np.sum(Q * np.arange(9.0).reshape(3, 3))


def cholesky_by_hand(x):
    B = x.reshape(3, 3)
    A = B @ B.T + np.eye(3)
    L = np.zeros_like(A)
    for i in range(3):
        for j in range(i + 1):
            s = sum(L[i, k] * L[j, k] for k in range(j))
            L[i, j] = np.sqrt(A[i, i] - s) if i == j else (A[i, j] - s) / L[j, j]
    return np.log(np.diagonal(L)).sum() * 2


def polynomial_roots_by_newton(p):
    x = 2.0
    for _ in range(15):
        f = np.polyval([1.0, 0.0, -p[0], -p[1]], x)
        x = x - f / np.polyval([3.0, 0.0, -p[0]], x)
    return x
