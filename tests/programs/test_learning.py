"""Regressions, networks, attention, recurrences, clustering, embeddings and their losses, in plain NumPy."""

from __future__ import annotations

from collections import namedtuple

import numpy as np
import pytest

from tests.programs.programs import Programs, check

programs = Programs()

rng = np.random.default_rng(1)
X = rng.normal(size=(5, 3))
LABELS = np.array([0, 1, 2, 1, 0])
TARGET = np.array([0.0, 1.0, 1.0, 0.0, 1.0])
W = rng.normal(size=(3, 3))
B = rng.normal(size=3)
SEQUENCE = rng.normal(size=(4, 3))
IMAGE = rng.normal(size=(2, 1, 5, 5))
KERNEL = rng.normal(size=(2, 1, 3, 3))
LSTM = namedtuple("LSTM", "w u b")


def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def layer_norm(x, gain, bias, eps=1e-5):
    mean = x.mean(-1, keepdims=True)
    var = ((x - mean) ** 2).mean(-1, keepdims=True)
    return gain * (x - mean) / np.sqrt(var + eps) + bias


programs.table(
    {
        "linear_regression": (lambda w, b: np.mean((X @ w + b - TARGET) ** 2), B, 0.3),
        "logistic_regression": (
            lambda w, b: -np.mean(TARGET * np.log(sigmoid(X @ w + b)) + (1 - TARGET) * np.log(1 - sigmoid(X @ w + b))),
            B,
            0.3,
        ),
        "logistic_regression_stable": (lambda w: np.mean(np.logaddexp(0, X @ w) - TARGET * (X @ w)), B),
        "softmax_regression_picked": (lambda w: -np.mean(np.log(softmax(X @ w))[np.arange(5), LABELS]), W),
        "softmax_regression_one_hot": (lambda w: -np.sum(np.eye(3)[LABELS] * np.log(softmax(X @ w))), W),
        "hinge_loss": (lambda w: np.mean(np.maximum(0, 1 - (2 * TARGET - 1) * (X @ w))), B),
        "ridge_penalty": (lambda w, lam: np.sum((X @ w - TARGET) ** 2) + lam * np.sum(w**2), B, 0.1),
        "lasso_penalty": (lambda w, lam: np.sum((X @ w - TARGET) ** 2) + lam * np.abs(w).sum(), B, 0.1),
        "elastic_net": (lambda w: 0.5 * np.linalg.norm(w) ** 2 + np.linalg.norm(w, 1), B),
        "huber_loss": (
            lambda w: np.mean(
                np.where(np.abs(X @ w - TARGET) < 1, 0.5 * (X @ w - TARGET) ** 2, np.abs(X @ w - TARGET) - 0.5)
            ),
            B,
        ),
        "focal_loss": (lambda w: -np.mean((1 - sigmoid(X @ w)) ** 2 * np.log(sigmoid(X @ w))), B),
        "cosine_similarity": (lambda a, b: a @ b / (np.linalg.norm(a) * np.linalg.norm(b)), B, W[0]),
        "contrastive": (
            lambda x: -np.mean(np.diag(np.log(softmax(x / np.linalg.norm(x, axis=1, keepdims=True) @ W)))),
            W,
        ),
        "triplet_loss": (
            lambda a, p, n: np.maximum(0, np.sum((a - p) ** 2) - np.sum((a - n) ** 2) + 9.0),
            B,
            W[0],
            W[1],
        ),
        "layer_norm": (lambda x, g, b: layer_norm(x, g, b), X, B, W[0]),
        "batch_norm": (lambda x, g, b: g * (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5) + b, X, B, W[0]),
        "rms_norm": (lambda x, g: x / np.sqrt(np.mean(x**2, axis=-1, keepdims=True) + 1e-6) * g, X, B),
        "gelu_and_silu": (lambda x: 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3))) + x * sigmoid(x), X),
        "leaky_relu_elu": (lambda x: np.where(x > 0, x, 0.1 * x) + np.where(x > 0, x, np.exp(np.minimum(x, 0)) - 1), X),
        "relu_by_mask": (lambda x: x * (x > 0), X),
        "maxout": (lambda x: np.maximum(x @ W, x @ W.T).max(axis=1), X),
        "dropout_mask": (lambda x: x * (np.random.default_rng(0).random(x.shape) > 0.3) / 0.7, X),
        "polynomial_features": (
            lambda w: np.concatenate([X, X**2, X[:, :1] * X[:, 1:]], axis=1) @ np.concatenate([w, w, w[:2]]),
            B,
        ),
        "principal_components_eigh": (lambda x: np.linalg.eigh(np.cov(x.T))[0][::-1], X),
        "principal_components_svd": (lambda x: np.linalg.svd(x - x.mean(0), full_matrices=False)[1] ** 2, X),
        "pca_reconstruction": (lambda x: pca_reconstruction(x), X),
        "whitening": (lambda x: (x - x.mean(0)) @ np.linalg.inv(np.linalg.cholesky(np.cov(x.T))).T, X),
        "soft_k_means": (lambda c: soft_k_means(c), W[:2]),
        "hard_k_means_loss": (lambda c: np.mean(np.min(np.sum((X[:, None] - c) ** 2, axis=-1), axis=1)), W[:2]),
        "hard_k_means_assigned": (
            lambda c: np.mean((X - c[np.argmin(((X[:, None] - c) ** 2).sum(-1), axis=1)]) ** 2),
            W[:2],
        ),
        "attention": (
            lambda q, k, v: softmax(q @ k.T / np.sqrt(q.shape[-1])) @ v,
            SEQUENCE,
            SEQUENCE[::-1],
            SEQUENCE**2,
        ),
        "causal_attention": (lambda x: softmax(np.where(np.tril(np.ones((4, 4))) > 0, x @ x.T, -1e9)) @ x, SEQUENCE),
        "causal_attention_inf": (
            lambda x: softmax(np.where(np.tril(np.ones((4, 4), bool)), x @ x.T, -np.inf)) @ x,
            SEQUENCE,
        ),
        "multi_head_attention": (
            lambda x, w: multi_head(x, w),
            np.concatenate([SEQUENCE, SEQUENCE[:, :1]], axis=1),
            rng.normal(size=(3, 4, 4)),
        ),
        "embedding_lookup": (lambda e: np.tanh(e[np.array([0, 2, 2, 1])]).sum(axis=0), W),
        "positional_rotation": (lambda x: rotary(x), SEQUENCE[:, :2]),
        "recurrent_network": (lambda w, u, b: recurrent(w, u, b), W, W.T, B),
        "lstm": (
            lambda p, h: lstm(p, h),
            LSTM(rng.normal(size=(3, 8)), rng.normal(size=(2, 8)), rng.normal(size=8)),
            np.zeros(2),
        ),
        "gru": (lambda w, u: gru(w, u), rng.normal(size=(3, 3, 2)), rng.normal(size=(3, 2, 2))),
        "convolution_by_windows": (lambda x, k: conv_windows(x, k), IMAGE, KERNEL),
        "convolution_by_strided_einsum": (lambda x, k: conv_shifts(x, k), IMAGE, KERNEL),
        "average_pooling": (lambda x: x[:, :, :4, :4].reshape(2, 1, 2, 2, 2, 2).mean(axis=(3, 5)), IMAGE),
        "global_max_pooling": (lambda x: x.max(axis=(2, 3)), IMAGE),
        "graph_convolution": (
            lambda x, w: np.tanh((ADJACENCY / np.sqrt(np.outer(ADJACENCY.sum(0), ADJACENCY.sum(1)))) @ x @ w),
            X,
            W,
        ),
        "page_rank": (lambda w: page_rank(w), np.abs(W)),
        "neural_ode": (lambda w, h: neural_ode(w, h), W, B),
        "normalizing_flow": (lambda w, b, u: planar_flow(w, b, u), B, 0.3, W[0]),
        "variational_autoencoder": (lambda p: vae(p), {"enc": rng.normal(size=(3, 4)), "dec": rng.normal(size=(2, 3))}),
        "adam_unrolled": (lambda w: adam(w), B),
        "meta_gradient_step": (
            lambda w, lr: np.sum((X @ (w - lr * 2 * X.T @ (X @ w - TARGET) / 5) - TARGET) ** 2),
            B,
            0.1,
        ),
        "radial_basis_network": (lambda c, s, w: np.exp(-np.sum((X[:, None] - c) ** 2, -1) / s**2) @ w, W, 1.3, B),
        "factorisation_machine": (lambda v: 0.5 * np.sum((X @ v) ** 2 - X**2 @ v**2, axis=1), W),
        "matrix_factorisation": (
            lambda u, v: np.sum((np.array([[1, 0, 3], [0, 2, 1], [4, 0, 0]]) > 0) * (u @ v.T - 1) ** 2),
            W,
            W.T,
        ),
        "soft_decision_tree": (lambda w: soft_tree(w), W),
        "sinkhorn": (lambda c: sinkhorn(c), np.abs(W)),
        "soft_sort": (lambda s: softmax(-np.abs(np.sort(s)[:, None] - s[None]) / 0.3) @ s, np.array([0.9, -0.4, 1.3])),
        "ranking_loss": (
            lambda s: np.sum(np.log1p(np.exp(-(s[:, None] - s)))[TARGET[:, None] > TARGET]),
            TARGET + 0.1 * np.arange(5),
        ),
        "ctc_like_forward": (lambda p: ctc(np.log(softmax(p))), SEQUENCE),
        "straight_lines_of_classes": (lambda p: Network(p)(X).sum(axis=0), [W, B, W.T, B]),
        "spectral_normalisation": (lambda w: w / np.linalg.norm(w, 2), W),
        "orthogonal_penalty": (lambda w: np.linalg.norm(w.T @ w - np.eye(3), "fro") ** 2, W),
        "low_rank_adapter": (lambda a, b: X @ (W + a @ b), W[:, :1], W[:1]),
        "hopfield_energy": (lambda s: -0.5 * np.einsum("i,ij,j->", s, W, s), B),
        "policy_gradient": (lambda t: np.sum(np.log(softmax(X @ t))[np.arange(5), LABELS] * TARGET), W),
        "temporal_difference": (
            lambda v: np.sum((TARGET[:-1] + 0.9 * v[1:] - v[:-1]) ** 2),
            SEQUENCE[:, 0].repeat(2)[:5],
        ),
        "value_iteration": (lambda r: value_iteration(r), W),
    }
)

ADJACENCY = np.array([[1, 1, 0, 0, 1], [1, 1, 1, 0, 0], [0, 1, 1, 1, 0], [0, 0, 1, 1, 1], [1, 0, 0, 1, 1.0]])


class Network:
    """Layers from a flat list of weights and biases."""

    def __init__(self, parameters):
        self.layers = list(zip(parameters[::2], parameters[1::2]))

    def __call__(self, x):
        *hidden, (w, b) = self.layers
        for wh, bh in hidden:
            x = np.tanh(x @ wh + bh)
        return x @ w + b


def pca_reconstruction(x):
    centred = x - x.mean(axis=0)
    _, _, vt = np.linalg.svd(centred, full_matrices=False)
    return np.sum((centred - centred @ vt[:2].T @ vt[:2]) ** 2)


def soft_k_means(centers):
    for _ in range(3):
        d = np.sum((X[:, None, :] - centers[None]) ** 2, axis=2)
        a = softmax(-d, axis=1)
        centers = (a.T @ X) / a.sum(axis=0)[:, np.newaxis]
    return centers


def multi_head(x, w):
    q, k, v = (np.reshape(x @ m, (4, 2, 2)).transpose(1, 0, 2) for m in w)
    scores = softmax(q @ k.transpose(0, 2, 1) / np.sqrt(2))
    return (scores @ v).transpose(1, 0, 2).reshape(4, 4)


def rotary(x):
    angles = np.arange(len(x))[:, None] * 0.3
    a, b = x[:, ::2], x[:, 1::2]
    return np.concatenate([a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)], axis=-1)


def recurrent(w, u, b):
    h = np.zeros(3)
    states = []
    for x in SEQUENCE:
        h = np.tanh(x @ w + h @ u + b)
        states.append(h)
    return np.mean(np.asarray(states, like=h) ** 2, axis=0)


def lstm(p, h):
    c = np.zeros_like(h)
    for x in SEQUENCE:
        i, f, g, o = np.split(x @ p.w + h @ p.u + p.b, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
    return h, c


def gru(w, u):
    h = np.zeros(2)
    for x in SEQUENCE:
        z, r = (sigmoid(x @ w[k] + h @ u[k]) for k in (0, 1))
        h = (1 - z) * h + z * np.tanh(x @ w[2] + (r * h) @ u[2])
    return h


def conv_windows(x, k):
    rows = [[np.sum(x[:, None, :, i : i + 3, j : j + 3] * k[None], axis=(2, 3, 4)) for j in range(3)] for i in range(3)]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def conv_shifts(x, k):
    return sum(
        np.einsum("nchw,fc->nfhw", x[:, :, a : a + 3, b : b + 3], k[:, :, a, b]) for a in range(3) for b in range(3)
    )


def page_rank(w):
    p = w / w.sum(axis=0, keepdims=True)
    r = np.ones(3) / 3
    for _ in range(8):
        r = 0.85 * p @ r + 0.05
    return r


def neural_ode(w, h):
    for _ in range(4):
        k1 = np.tanh(w @ h)
        k2 = np.tanh(w @ (h + 0.05 * k1))
        h = h + 0.1 * k2
    return h


def planar_flow(w, b, u):
    f = np.tanh(X @ w + b)
    psi = (1 - f**2)[:, None] * w
    return np.sum(np.log(np.abs(1 + psi @ u)) - 0.5 * np.sum((X + np.outer(f, u)) ** 2, axis=1))


def vae(p):
    mean, log_var = np.split(X @ p["enc"], 2, axis=1)
    z = mean + np.exp(log_var / 2) * np.random.default_rng(0).standard_normal(mean.shape)
    error = np.sum((np.tanh(z @ p["dec"]) - X) ** 2, axis=1)
    kl = -0.5 * np.sum(1 + log_var - mean**2 - np.exp(log_var), axis=1)
    return np.mean(error + kl)


def adam(w):
    m = v = np.zeros(3)
    for t in range(1, 5):
        g = 2 * X.T @ (X @ w - TARGET) / 5
        m = 0.9 * m + 0.1 * g
        v = 0.99 * v + 0.01 * g**2
        w = w - 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.99**t)) + 1e-8)
    return w


def soft_tree(w):
    p = sigmoid(X @ w)
    leaves = [p[:, 0] * p[:, 1], p[:, 0] * (1 - p[:, 1]), (1 - p[:, 0]) * p[:, 2], (1 - p[:, 0]) * (1 - p[:, 2])]
    return np.stack(leaves, axis=1) @ np.array([0.1, 0.5, -0.3, 0.9])


def sinkhorn(cost):
    k = np.exp(-cost / 0.5)
    u = v = np.ones(3)
    for _ in range(6):
        u = 1 / (3 * (k @ v))
        v = 1 / (3 * (k.T @ u))
    return np.sum(u[:, None] * k * v * cost)


def ctc(log_p):
    states = [0, 1, 0, 2, 0]
    alpha = np.full(5, -np.inf, like=log_p)
    alpha[:2] = log_p[0, states[:2]]
    for t in range(1, len(log_p)):
        new = np.full(5, -np.inf, like=log_p)
        for s in range(5):
            value = alpha[s]
            if s > 0:
                value = np.logaddexp(value, alpha[s - 1])
            if s > 1 and states[s] and states[s] != states[s - 2]:
                value = np.logaddexp(value, alpha[s - 2])
            new[s] = value + log_p[t, states[s]]
        alpha = new
    return np.logaddexp(alpha[-1], alpha[-2])


def value_iteration(rewards):
    v = np.zeros(3)
    for _ in range(6):
        v = np.max(rewards + 0.7 * v[None], axis=1)
    return v


@pytest.mark.parametrize("name", programs)
def test_program(name):
    check(programs[name])
