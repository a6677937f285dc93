"""Operations on a vector of three elements, written once for NumPy and for `jax.numpy`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import autodiff

if TYPE_CHECKING:
    from collections.abc import Callable

    Operation = Callable[[Any, Any, Any], Any]
    """Of a namespace of NumPy's functions, one of SciPy's special functions, and the vector."""


def positive(np: Any, c: Any) -> Any:
    """A regular symmetric matrix."""
    return np.eye(3) + np.outer(c, c)


def turned(np: Any, c: Any) -> Any:
    """A step of a loop inside of the loop."""
    return 0.9 * c + 0.1 * c[::-1] * c


def in_python(np: Any, sp: Any, c: Any) -> Any:
    """Four steps, written out by Python."""
    for _ in range(4):
        c = turned(np, c)
    return c


# fmt: off
OPERATIONS: dict[str, Operation] = {
    "remainder":    lambda np, sp, c: c % 0.7,
    "fmod":         lambda np, sp, c: np.fmod(c, 0.7),
    "floor divide": lambda np, sp, c: c // 0.3 + c,
    "round":        lambda np, sp, c: np.round(c * 3) / 3 + c,
    "round to 2":   lambda np, sp, c: np.round(c, 2) + c,
    "floor":        lambda np, sp, c: np.floor(c) + c,
    "roll":         lambda np, sp, c: np.roll(c, 1),
    "flip":         lambda np, sp, c: c[::-1],
    "diff":         lambda np, sp, c: np.diff(c, append=c[:1]),
    "gradient":     lambda np, sp, c: np.gradient(c),
    "cumsum":       lambda np, sp, c: np.cumsum(c),
    "cumprod":      lambda np, sp, c: np.cumprod(c),
    "sort":         lambda np, sp, c: np.sort(c),
    "argsort":      lambda np, sp, c: c[np.argsort(c, kind="stable")],
    "median":       lambda np, sp, c: c - np.median(c),
    "quantile":     lambda np, sp, c: c - np.quantile(c, 0.3),
    "argmax":       lambda np, sp, c: c * np.argmax(c),
    "max":          lambda np, sp, c: c / np.max(np.abs(c)),
    "searchsorted": lambda np, sp, c: c + np.searchsorted(np.array([-1.0, 0.0, 1.0]), c),
    "interp":       lambda np, sp, c: np.interp(c, np.array([-1.0, 0.0, 1.0, 2.0]), np.array([0.0, 1.0, 0.0, 2.0])),
    "diag":         lambda np, sp, c: np.diag(c) @ c,
    "trace":        lambda np, sp, c: c + np.trace(np.outer(c, c)),
    "tril":         lambda np, sp, c: np.tril(np.outer(c, c)) @ c,
    "kron":         lambda np, sp, c: np.kron(c, c)[:3],
    "cross":        lambda np, sp, c: np.cross(c, np.array([1.0, 2.0, 3.0])),
    "prod":         lambda np, sp, c: c * np.prod(c),
    "outer":        lambda np, sp, c: np.outer(c, c) @ c,
    "convolve":     lambda np, sp, c: np.convolve(c, np.array([0.2, 0.5, 0.2]), "same"),
    "correlate":    lambda np, sp, c: np.correlate(c, np.array([0.2, 0.5, 0.2]), "same"),
    "sum where":    lambda np, sp, c: c + np.sum(c, where=c > 0),
    "take":         lambda np, sp, c: np.take(c, np.array([2, 0, 1])),
    "repeat":       lambda np, sp, c: np.repeat(c, 2)[:3],
    "tile":         lambda np, sp, c: np.tile(c, 2)[1:4],
    "pad":          lambda np, sp, c: np.pad(c, 1)[:3],
    "norm":         lambda np, sp, c: c / np.linalg.norm(c),
    "norm of ones": lambda np, sp, c: c / np.linalg.norm(c, 1),
    "std":          lambda np, sp, c: c + np.std(c),
    "expit":        lambda np, sp, c: sp.expit(c),
    "ndtr":         lambda np, sp, c: sp.ndtr(c),
    "xlogy":        lambda np, sp, c: sp.xlogy(c * c, c * c),
    "entr":         lambda np, sp, c: sp.entr(c * c),
    "logsumexp":    lambda np, sp, c: c - sp.logsumexp(c),
    "logaddexp":    lambda np, sp, c: np.logaddexp(c, 0.0),
    "power":        lambda np, sp, c: np.abs(c) ** 1.7,
    "clip":         lambda np, sp, c: np.clip(c, -1, 1),
    "where":        lambda np, sp, c: np.where(c > 0, c, 0.1 * c),
    "einsum":       lambda np, sp, c: np.einsum("i,j->ij", c, c) @ c,
    "linspace":     lambda np, sp, c: np.linspace(c[0], c[1], 3),
    "polyval":      lambda np, sp, c: np.polyval(np.array([0.1, 0.2, 0.3]), c),
    "concatenate":  lambda np, sp, c: np.concatenate([c[1:], c[:1]]),
    "stack":        lambda np, sp, c: np.stack([c[0], c[2], c[1]]),
    "inv":          lambda np, sp, c: np.linalg.inv(positive(np, c)) @ c,
    "solve":        lambda np, sp, c: np.linalg.solve(positive(np, c), c),
    "det":          lambda np, sp, c: c + np.linalg.det(positive(np, c)),
    "slogdet":      lambda np, sp, c: c + np.linalg.slogdet(positive(np, c))[1],
    "cholesky":     lambda np, sp, c: np.linalg.cholesky(positive(np, c)) @ c,
    "partition":    lambda np, sp, c: np.partition(c, 1),
    "erfinv":       lambda np, sp, c: sp.erfinv(np.tanh(c) * 0.5),
    "sinc":         lambda np, sp, c: np.sinc(c),
    "eigh":         lambda np, sp, c: np.linalg.eigh(positive(np, c))[0],
    "qr":           lambda np, sp, c: np.linalg.qr(positive(np, c))[1] @ c,
    "svd":          lambda np, sp, c: np.linalg.svd(positive(np, c))[1],
    "integers":     lambda np, sp, c: c * (5 * np.argmax(c) % 3 // 2 + (np.argmin(c) >> 1)),
    "set at":       lambda np, sp, c: c.at[np.argmax(c)].set(c[0] * 0.5),
    "add at":       lambda np, sp, c: c.at[np.argmax(c)].add(c[0] * 0.5),
    "complex":      lambda np, sp, c: np.real((c + 1j * c) * (c - 0.5j)),
    "fft":          lambda np, sp, c: np.abs(np.fft.fft(c)),
}

PAIRS: dict[str, tuple[Operation, Operation]] = {
    "diag / times eye":          (OPERATIONS["diag"], lambda np, sp, c: (c * np.eye(3)) @ c),
    "round / floor of half more": (lambda np, sp, c: np.round(c * 3) + c, lambda np, sp, c: np.floor(c * 3 + 0.5) + c),
    "logaddexp.reduce / by hand": (
        lambda np, sp, c: c - np.logaddexp.reduce(c),
        lambda np, sp, c: c - np.max(c) - np.log(np.sum(np.exp(c - np.max(c)))),
    ),
    "square / product":          (lambda np, sp, c: c**2, lambda np, sp, c: c * c),
    "einsum / @":                (lambda np, sp, c: np.einsum("ij,j->i", np.outer(c, c), c), OPERATIONS["outer"]),
    "stack / concatenate":       (
        OPERATIONS["stack"], lambda np, sp, c: np.concatenate([c[:1], c[2:], c[1:2]]),
    ),
    "inv @ / solve":             (OPERATIONS["inv"], OPERATIONS["solve"]),
    "where / times a mask":      (
        lambda np, sp, c: np.where(c > 0, c, 0.0) + 0.1 * c, lambda np, sp, c: c * (c > 0) + 0.1 * c,
    ),
    "roll / concatenate":        (OPERATIONS["roll"], lambda np, sp, c: np.concatenate([c[2:], c[:2]])),
    "cross / by hand":           (
        OPERATIONS["cross"],
        lambda np, sp, c: np.stack([c[1] * 3 - c[2] * 2, c[2] * 1 - c[0] * 3, c[0] * 2 - c[1] * 1]),
    ),
    "norm / root of squares":    (OPERATIONS["norm"], lambda np, sp, c: c / np.sqrt(np.sum(c * c))),
    "mean / sum over three":     (lambda np, sp, c: c - np.mean(c), lambda np, sp, c: c - np.sum(c) / 3),
    "clip / minimum of maximum": (OPERATIONS["clip"], lambda np, sp, c: np.minimum(np.maximum(c, -1), 1)),
    "expit / by hand":           (OPERATIONS["expit"], lambda np, sp, c: 1 / (1 + np.exp(-c))),
    "var / by hand":             (
        lambda np, sp, c: c + np.var(c), lambda np, sp, c: c + np.mean((c - np.mean(c)) ** 2),
    ),
    "trace / sum of diagonal":   (OPERATIONS["trace"], lambda np, sp, c: c + np.sum(np.diag(np.outer(c, c)))),
    "cumsum / matrix of ones":   (OPERATIONS["cumsum"], lambda np, sp, c: np.tril(np.ones((3, 3))) @ c),
    "maximum / where":           (
        lambda np, sp, c: np.maximum(c, 0) + 0.1 * c, lambda np, sp, c: np.where(c > 0, c, 0) + 0.1 * c,
    ),
    "dot / sum of products":     (lambda np, sp, c: c * np.dot(c, c), lambda np, sp, c: c * np.sum(c * c)),
    "outer / broadcast":         (OPERATIONS["outer"], lambda np, sp, c: (c[:, None] * c) @ c),
    "Python loop / fori_loop":   (in_python, lambda np, sp, c: autodiff.fori_loop(0, 4, lambda k, c: turned(np, c), c)),
    "max / last of sorted":      (lambda np, sp, c: c - np.max(c), lambda np, sp, c: c - np.sort(c)[-1]),
    "hypot / root of squares":   (lambda np, sp, c: np.hypot(c, 1.0), lambda np, sp, c: np.sqrt(c * c + 1)),
    "logaddexp / log1p of exp":  (OPERATIONS["logaddexp"], lambda np, sp, c: np.log1p(np.exp(c))),
    "norm squared / dot":        (lambda np, sp, c: c * np.linalg.norm(c) ** 2, lambda np, sp, c: c * (c @ c)),
    "flip / slice":              (lambda np, sp, c: np.flip(c), OPERATIONS["flip"]),
    "take / index":              (OPERATIONS["take"], lambda np, sp, c: c[np.array([2, 0, 1])]),
    "prod / by hand":            (OPERATIONS["prod"], lambda np, sp, c: c * (c[0] * c[1] * c[2])),
    "polyval / Horner":          (OPERATIONS["polyval"], lambda np, sp, c: (0.1 * c + 0.2) * c + 0.3),
    "diff / slices":             (
        OPERATIONS["diff"], lambda np, sp, c: np.concatenate([c[1:] - c[:-1], c[:1] - c[-1:]]),
    ),
}
# fmt: on
