"""Programs in which a constant of any kind meets an array that is traced: functions of the array and the constant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Program = Callable[[Any, Any], Any]

X = np.array([0.7, -1.3, 2.0])
VALUES = np.array([1.0, 2.5, 4.0])
SQUARE = np.array([[1.0, 2.5, -1.0], [0.5, -1.5, 2.0], [2.0, 1.0, 3.0]])
PLACES = np.array([1, 0, 1])


def total(value: Any) -> Any:
    """The sum of a result, as its own class has it."""
    return value.sum() if hasattr(value, "sum") else np.sum(value)


def written(x: Any, write: Callable[[Any], Any]) -> Any:
    """A copy of the array that was written to, times the array."""
    y = x * 2.0
    write(y)
    return y * x


def added(x: Any, k: Any) -> Any:
    y = x * 2.0
    y += k
    return y


def with_vectors() -> dict[str, Program]:
    """The constant has the shape of the array."""
    return {
        "x * k": lambda x, k: total(x * k),
        "k * x": lambda x, k: total(k * x),
        "x + k": lambda x, k: total((x + k) ** 2),
        "k - x": lambda x, k: total((k - x) ** 2),
        "k / x": lambda x, k: total(k / x),
        "x ** k": lambda x, k: total((x * x) ** k),
        "x @ k": lambda x, k: x @ k,
        "k @ x": lambda x, k: k @ x,
        "np.multiply(x, k)": lambda x, k: total(np.multiply(x, k)),
        "np.multiply(k, x)": lambda x, k: total(np.multiply(k, x)),
        "np.hypot(k, x)": lambda x, k: total(np.hypot(k, x)),
        "np.arctan2(x, k)": lambda x, k: total(np.arctan2(x, k)),
        "np.sum(k * x)": lambda x, k: np.sum(k * x),
        "np.dot(k, x)": lambda x, k: np.dot(k, x),
        "np.dot(x, k)": lambda x, k: np.dot(x, k),
        "x.dot(k)": lambda x, k: x.dot(k),
        "np.inner(k, x)": lambda x, k: np.inner(k, x),
        "np.einsum(x, k)": lambda x, k: np.einsum("i,i->", x, k),
        "np.where(k > 2, x, 1)": lambda x, k: np.sum(np.where(k > 2, x, 1.0)),
        "np.where(x > 0, x, k)": lambda x, k: np.sum(np.where(x > 0, x * x, k)),
        "np.sum(x, where=k > 2)": lambda x, k: np.sum(x * x, where=k > 2),
        "np.concatenate([x, k])": lambda x, k: np.sum(np.concatenate([x, k]) ** 2),
        "np.stack([x, k])": lambda x, k: np.sum(np.stack([x, k]) ** 2),
        "np.append(k, x)": lambda x, k: np.sum(np.append(k, x) ** 2),
        "np.maximum(x, k)": lambda x, k: np.sum(np.maximum(x, k)),
        "np.average(x, weights=k)": lambda x, k: np.average(x, weights=k),
        "np.interp(x, k, ...)": lambda x, k: np.sum(np.interp(np.abs(x), k, np.arange(3.0))),
        "np.convolve(x, k)": lambda x, k: np.sum(np.convolve(x, k) ** 2),
        "np.clip(x, 0, k)": lambda x, k: np.sum(np.clip(x * 2.1, 0, k)),
        "np.linalg.norm(x - k)": lambda x, k: np.linalg.norm(x - k),
        "np.mean((x - k) ** 2)": lambda x, k: np.mean((x - k) ** 2),
        "np.array_equal(x, k)": lambda x, k: np.sum(x) if np.array_equal(x, k) else np.sum(x * x),
        "x[...] = k": lambda x, k: np.sum(written(x, lambda y: y.__setitem__(..., k))),
        "np.copyto(x, k)": lambda x, k: np.sum(written(x, lambda y: np.copyto(y, k))),
        "x += k": lambda x, k: np.sum(added(x, k) ** 2),
        "np.multiply(x, k, out=y)": lambda x, k: np.sum(np.multiply(x, k, out=x * 1.0)),
        "np.full_like(x, k)": lambda x, k: np.sum(np.full_like(x, k) * x),
        "np.multiply([k, k], x)": lambda x, k: np.sum(np.multiply([k, k], x)),
    }


def with_matrices() -> dict[str, Program]:
    """The constant is a square matrix."""
    return {
        "K @ x": lambda x, k: total((k @ x) ** 2),
        "x @ K": lambda x, k: total((x @ k) ** 2),
        "K * x": lambda x, k: total((k * x) ** 2),
        "x * K": lambda x, k: total((x * k) ** 2),
        "np.dot(K, x)": lambda x, k: np.sum(np.dot(k, x) ** 2),
        "np.matmul(K, x)": lambda x, k: np.sum(np.matmul(k, x) ** 2),
        "np.linalg.solve(K, x)": lambda x, k: np.sum(np.linalg.solve(k, x) ** 2),
        "np.einsum(K, x)": lambda x, k: np.sum(np.einsum("ij,j->i", k, x) ** 2),
        "K[0] * x": lambda x, k: total(k[0] * x),
        "np.outer(x, K)": lambda x, k: np.sum(np.outer(x, k) ** 2),
    }


def with_places() -> dict[str, Program]:
    """The constant is an index, or becomes a mask."""
    return {
        "x[k]": lambda x, k: np.sum(x[k] ** 2),
        "x[k > 0]": lambda x, k: np.sum(x[k > 0] ** 2),
        "np.take(x, k)": lambda x, k: np.sum(np.take(x, k) ** 2),
        "x.take(k)": lambda x, k: np.sum(x.take(k) ** 2),
        "x[k] = 0": lambda x, k: np.sum(written(x, lambda y: y.__setitem__(k, 0.0))),
        "np.outer(x, x)[:, k]": lambda x, k: np.sum(np.outer(x, x)[:, k]),
    }


def with_numbers() -> dict[str, Program]:
    """The constant is one number."""
    names = ("x * k", "k * x", "x + k", "x ** k", "np.multiply(x, k)", "np.where(x > 0, x, k)")
    return {name: with_vectors()[name] for name in names}


def with_results() -> dict[str, Program]:
    """The constant, or what was computed with it, is the result."""
    return {
        "result k": lambda x, k: k,
        "result k * 2": lambda x, k: k * 2,
        "result k.sum()": lambda x, k: k.sum(),
        "result x * k": lambda x, k: x * k,
        "result total(x * k)": lambda x, k: total(x * k),
        "result k, unless x": lambda x, k: k if x[0] > 0 else x,
    }


PROGRAMS: tuple[tuple[dict[str, Program], Any], ...] = (
    (with_vectors(), VALUES),
    (with_matrices(), SQUARE),
    (with_places(), PLACES),
    (with_results(), VALUES),
)
"""Tables of programs, each with the numbers of its constant."""
