"""Operations without a form in kernels cost themselves: what lies around them stays kernels, loops included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff
from autodiff import grad, jit, scan
from autodiff.trace.tape import Tape
from tests.backends.kernels.running import needs_numba

pytestmark = needs_numba

STEPS = np.linspace(0.0, 1.0, 50)


def looped(x: Any) -> Any:
    return np.sum(scan(lambda c, k: (0.5 * np.tanh(c * 1.1) + 0.4 * c + k, None), x, STEPS)[0])


def symmetric(x: Any) -> Any:
    return np.outer(x, x) + np.eye(3)


def eigenvalues(a: Any) -> Any:
    """Of so large a matrix that LAPACK is called from Python."""
    return np.linalg.eigvalsh(np.kron(np.diag(np.arange(1.0, 10.0)), a))[:3]


def before(x: Any) -> Any:
    return looped(eigenvalues(symmetric(x)))


def after(x: Any) -> Any:
    _, done = autodiff.scan(lambda c, k: (c * 0.9 + k, np.sin(c)), x, STEPS)
    return np.sum(eigenvalues(symmetric(done[-1])))


def picked(x):
    """The elements in the order of NumPy's ``argpartition``, which has no kernel."""
    return x[np.argpartition(x, 1)]


def between(x: Any) -> Any:
    y = eigenvalues(symmetric(np.tanh(x) * x + 1.0))
    z = picked(np.exp(y) * x)
    return looped(z) + looped(y) + np.sum(x * y)


def twice(x: Any) -> Any:
    return looped(eigenvalues(symmetric(np.sort(picked(x)) + symmetric(x) @ x)))


def names(tape: Tape) -> list[str]:
    return [equation.primitive.name for equation in tape.equations]


@pytest.mark.parametrize("fun", [before, after, between, twice])
@pytest.mark.parametrize("derived", [lambda f: f, grad, lambda f: grad(lambda x: np.sum(grad(f)(x) ** 2))])
def test_loops_around_islands_are_kernels(fun: Any, derived: Any) -> None:
    x = np.array([0.3, -0.2, 0.8])
    compiled = jit(derived(fun))
    np.testing.assert_allclose(compiled(x), derived(fun)(x), rtol=1e-11, atol=1e-12)
    found = names(compiled.schedule(x))
    assert "scan" not in found
    assert "kernel_of_all" in found


def test_what_islands_need_is_computed_before_them() -> None:
    x = np.array([0.3, -0.2, 0.8])
    found = names(jit(between).schedule(x))
    assert [name for name in found if name in ("eigvalsh", "argpartition")] == ["eigvalsh", "argpartition"]
    assert found[0] == found[2] == "kernel_of_all"


def test_effects_keep_their_turn() -> None:
    seen: list[float] = []
    x = np.array([0.3, -0.2, 0.8])

    def f(x: Any) -> Any:
        y = looped(eigenvalues(symmetric(x)))
        y = autodiff.debug.callback(lambda value: seen.append(float(value)), y)
        return looped(x * y)

    np.testing.assert_allclose(jit(f)(x), f(x), rtol=1e-12)
    assert len(seen) == 2
    assert abs(seen[0] - seen[1]) < 1e-11


def test_large_arrays_stay_kernels_of_rows() -> None:
    x = np.linspace(0, 1, 300_000)
    found = names(jit(lambda x: picked(np.exp(x) * x) * np.sin(x) + 1.0).schedule(x))
    assert "kernel_of_rows" in found


def test_errors_name_the_lines_of_their_own_program() -> None:
    def first(a: Any) -> Any:
        return np.linalg.inv(a) * 2

    def second(a: Any) -> Any:
        return np.linalg.inv(a) * 2

    for fun in (first, second):
        line = fun.__code__.co_firstlineno + 1
        with pytest.raises(np.linalg.LinAlgError, match=rf"^inv \(test_islands.py:{line}\): Singular matrix$"):
            jit(fun)(np.zeros((2, 2)))
