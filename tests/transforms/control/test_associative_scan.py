"""associative_scan: running results, at any length."""

from typing import Any

import numpy as np
import pytest

from autodiff import grad, vmap
from autodiff.transforms.control.associative import associative_scan

from .loops import check_against, close, staged


def running(fn: Any, xs: Any, reverse: bool = False) -> Any:
    xs = xs[::-1] if reverse else xs
    out = [xs[0]]
    for x in xs[1:]:
        out.append(fn(out[-1], x))
    return np.stack(out[::-1] if reverse else out)


@pytest.mark.parametrize("length", [0, 1, 2, 3, 4, 5, 8, 9, 31])
def test_running_sums(length: int) -> None:
    xs = np.arange(length, dtype=np.float32)
    close(associative_scan(np.add, xs), np.cumsum(xs), "values")
    close(associative_scan(np.add, xs, reverse=True), np.cumsum(xs[::-1])[::-1], "reversed")
    close(staged(lambda xs: associative_scan(np.add, xs))(xs), np.cumsum(xs), "staged")


@pytest.mark.parametrize("reverse", [False, True])
def test_products_of_matrices_keep_their_order(reverse: bool) -> None:
    xs = np.random.default_rng(0).normal(size=(6, 2, 2))
    np.testing.assert_allclose(associative_scan(np.matmul, xs, reverse), running(np.matmul, xs, reverse))


def test_linear_recurrences_in_trees() -> None:
    def fun(a: Any, b: Any) -> Any:
        combined = associative_scan(lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), (a, b))
        return np.sum(np.sin(combined[1]))

    def loop(a: Any, b: Any) -> Any:
        y, total = 0.0, 0.0
        for k in range(a.shape[0]):
            y = a[k] * y + b[k]
            total = total + np.sin(y)
        return total

    rng = np.random.default_rng(1)
    check_against(fun, loop, [tuple(rng.normal(size=(2, 5))) for _ in range(2)])


@pytest.mark.parametrize("axis", [0, 1, -1, -2])
def test_any_axis(axis: int) -> None:
    xs = np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(associative_scan(np.add, xs, axis=axis), np.cumsum(xs, axis))
    np.testing.assert_array_equal(vmap(lambda x: associative_scan(np.add, x))(xs), np.cumsum(xs, 1))
    np.testing.assert_array_equal(
        grad(lambda x: np.sum(associative_scan(np.add, x, axis=axis)))(xs),
        grad(lambda x: np.sum(np.cumsum(x, axis)))(xs),
    )


def test_ties_of_running_maxima_are_those_of_maximum() -> None:
    xs = np.array([1.0, 1.0, 0.0])
    wanted = grad(lambda x: np.sum(np.stack([x[0], np.maximum(x[0], x[1]), np.maximum(np.maximum(x[0], x[1]), x[2])])))
    np.testing.assert_array_equal(grad(lambda x: np.sum(associative_scan(np.maximum, x)))(xs), wanted(xs))
