"""Networks, attention, densities: what is learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.ways.library import Program

if TYPE_CHECKING:
    from benchmarks.ways.library import Function, Library

RNG = np.random.default_rng(3)


def layers_by_operator(lib: Library) -> Function:
    def loss(weights: Any, x: Any, y: Any) -> Any:
        hidden = lib.np.tanh(x @ weights[:, :32])
        return lib.np.mean((hidden @ weights[:, 32:].T[:, : weights.shape[0]] - y) ** 2)

    return loss


def layers_by_einsum(lib: Library) -> Function:
    def loss(weights: Any, x: Any, y: Any) -> Any:
        hidden = lib.np.tanh(lib.np.einsum("bi,ih->bh", x, weights[:, :32]))
        found = lib.np.einsum("bh,ih->bi", hidden, weights[:, 32:])
        return lib.np.sum((found - y) ** 2) / found.size

    return loss


def attention_by_matmul(lib: Library) -> Function:
    def loss(queries: Any, keys: Any, values: Any) -> Any:
        scores = queries @ lib.np.swapaxes(keys, -1, -2) / 4.0
        grown = lib.np.exp(scores - lib.np.max(scores, axis=-1, keepdims=True))
        return lib.np.sum((grown / lib.np.sum(grown, axis=-1, keepdims=True)) @ values**2)

    return loss


def attention_by_einsum(lib: Library) -> Function:
    def loss(queries: Any, keys: Any, values: Any) -> Any:
        scores = lib.np.einsum("hqd,hkd->hqk", queries, keys) * 0.25
        shares = lib.np.exp(scores - lib.special.logsumexp(scores, axis=-1, keepdims=True))
        return lib.np.sum(lib.np.einsum("hqk,hkd->hqd", shares, values * values))

    return loss


def norm_by_var(lib: Library) -> Function:
    def loss(x: Any, gain: Any) -> Any:
        mean, var = lib.np.mean(x, axis=-1, keepdims=True), lib.np.var(x, axis=-1, keepdims=True)
        return lib.np.sum(lib.np.tanh((x - mean) / lib.np.sqrt(var + 1e-5) * gain))

    return loss


def norm_by_squares(lib: Library) -> Function:
    def loss(x: Any, gain: Any) -> Any:
        centred = x - lib.np.sum(x, axis=-1, keepdims=True) / x.shape[-1]
        scale = (lib.np.mean(centred * centred, axis=-1, keepdims=True) + 1e-5) ** -0.5
        return lib.np.sum(lib.np.tanh(centred * scale * gain))

    return loss


def entropy_by_picking(lib: Library) -> Function:
    def loss(logits: Any, labels: Any) -> Any:
        shares = logits - lib.special.logsumexp(logits, axis=1, keepdims=True)
        return -lib.np.mean(shares[np.arange(len(labels)), labels])

    return loss


def entropy_by_mask(lib: Library) -> Function:
    def loss(logits: Any, labels: Any) -> Any:
        grown = lib.np.exp(logits - lib.np.max(logits, axis=1, keepdims=True))
        shares = grown / lib.np.sum(grown, axis=1, keepdims=True)
        return -lib.np.mean(lib.np.sum(lib.np.where(labels[:, None] == np.arange(10), lib.np.log(shares), 0), axis=1))

    return loss


def logistic_by_logaddexp(lib: Library) -> Function:
    return lambda w, x, y: lib.np.mean(lib.np.logaddexp(0, -y * (x @ w)))


def logistic_by_log1p(lib: Library) -> Function:
    def loss(w: Any, x: Any, y: Any) -> Any:
        z = y * lib.np.dot(x, w)
        return lib.np.mean(lib.np.where(z > 0, 0, -z) + lib.np.log1p(lib.np.exp(-lib.np.abs(z))))

    return loss


def slopes_by_vmap(lib: Library) -> Function:
    def loss(w: Any, x: Any, y: Any) -> Any:
        def norm(x: Any, y: Any) -> Any:
            return lib.np.sum(lib.grad(lambda w: lib.np.sum((lib.np.tanh(x @ w) - y) ** 2))(w) ** 2)

        return lib.np.sum(lib.vmap(norm)(x, y))

    return loss


def slopes_by_formula(lib: Library) -> Function:
    def loss(w: Any, x: Any, y: Any) -> Any:
        hidden = lib.np.tanh(x @ w)
        back = 2 * (hidden - y) * (1 - hidden * hidden)
        return lib.np.sum(lib.np.sum(x * x, axis=1) * lib.np.sum(back * back, axis=1))

    return loss


def density_by_factor(lib: Library) -> Function:
    def loss(points: Any, cover: Any) -> Any:
        factor = lib.np.linalg.cholesky(cover)
        half = lib.np.linalg.solve(factor, points.T)
        return 0.5 * lib.np.sum(half**2) + len(points) * lib.np.sum(lib.np.log(lib.np.diag(factor)))

    return loss


def density_by_inverse(lib: Library) -> Function:
    def loss(points: Any, cover: Any) -> Any:
        distances = lib.np.einsum("ni,ij,nj->n", points, lib.np.linalg.inv(cover), points)
        return 0.5 * lib.np.sum(distances) + 0.5 * len(points) * lib.np.linalg.slogdet(cover)[1]

    return loss


SPREAD = RNG.normal(size=(20, 40))
# fmt: off
PROGRAMS = {
    "two layers": Program((RNG.normal(size=(16, 64)) / 4, RNG.normal(size=(256, 16)), RNG.normal(size=(256, 16))),
                          {"@": layers_by_operator, "einsum": layers_by_einsum}),
    "attention": Program(tuple(RNG.normal(size=(4, 64, 16)) for _ in range(3)),
                         {"matmul": attention_by_matmul, "einsum": attention_by_einsum}),
    "layer norm": Program((RNG.normal(size=(256, 128)), RNG.normal(size=128)),
                          {"np.var": norm_by_var, "squares": norm_by_squares}),
    "cross-entropy": Program((RNG.normal(size=(512, 10)), RNG.integers(0, 10, 512)),
                             {"logsumexp, picked": entropy_by_picking, "softmax, mask": entropy_by_mask}),
    "logistic regression": Program((RNG.normal(size=30) / 5, RNG.normal(size=(569, 30)), RNG.choice([-1.0, 1.0], 569)),
                                   {"logaddexp": logistic_by_logaddexp, "log1p": logistic_by_log1p}),
    "slopes of each example": Program((RNG.normal(size=(8, 16)), RNG.normal(size=(200, 8)), RNG.normal(size=(200, 16))),
                                      {"grad, vmap": slopes_by_vmap, "formula": slopes_by_formula}),
    "normal density": Program((RNG.normal(size=(200, 20)), SPREAD @ SPREAD.T),
                              {"Cholesky": density_by_factor, "inverse": density_by_inverse}),
}
# fmt: on
