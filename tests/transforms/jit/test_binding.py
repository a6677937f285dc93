"""Programs bound to memory: ``jit(fun).bind(x)``."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import autodiff
from autodiff import Binding, grad, jit, value_and_grad, vmap


def energy(x: Any) -> Any:
    return np.sum(np.sin(x) * x + np.exp(-x * x))


def test_reads_and_writes_the_same_memory() -> None:
    x = np.linspace(0.0, 1.0, 7)
    compiled = jit(value_and_grad(energy))
    bound = compiled.bind(x)
    value, slope = bound.results
    for scale in (1.0, -2.0, 0.5):
        x *= scale
        assert bound() is bound.results
        expected = compiled(x)
        assert value == expected[0]
        assert slope.tobytes() == expected[1].tobytes()


def test_one_kernel_allocates_nothing_and_is_no_copy() -> None:
    x = np.ones(5)
    bound = jit(grad(energy)).bind(x)
    address = bound.results.ctypes.data
    bound()
    assert bound.results.ctypes.data == address
    assert isinstance(bound, Binding)
    assert repr(bound).startswith("<binding of ")
    assert bound.arguments[0][0] is x


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "bool"])
def test_numbers_and_dtypes(dtype: str) -> None:
    x = np.array([1, 0, 1, 1]).astype(dtype)

    def f(x: Any, s: Any) -> Any:
        return {"sum": np.sum(x), "most": np.max(x), "any": np.any(x > 0), "place": np.argmax(x), "scaled": x * s}

    compiled = jit(f)
    bound = compiled.bind(x, 2)
    for flip in range(3):
        x[flip] = x.dtype.type(flip % 2)
        expected, found = compiled(x, 2), bound()
        for name, one in expected.items():
            assert found[name].dtype == np.asarray(one).dtype, name
            np.testing.assert_array_equal(found[name], one)


def test_numbers_stay_and_arrays_without_axes_change() -> None:
    fixed, changing = jit(np.multiply).bind(2.0, 3.0), np.array(3.0)
    assert fixed() == 6.0
    bound = jit(np.multiply).bind(2.0, changing)
    changing[()] = 5.0
    assert bound() == 10.0


def test_long_rows_are_shared_by_threads() -> None:
    x = np.linspace(0, 1, 100_000)

    def f(x: Any) -> Any:
        return np.sum(autodiff.scan(lambda c, one: (0.5 * c + one, c), 0.0, x)[1]), np.sum(np.exp(x) * x)

    compiled = jit(f)
    bound = compiled.bind(x)
    x[10] = 4.0
    for found, expected in zip(bound(), compiled(x), strict=True):
        assert found == expected


def test_several_kernels() -> None:
    a = np.random.default_rng(0).normal(size=(80, 80)) + 9 * np.eye(80)
    compiled = jit(lambda a: np.sum(np.linalg.eigh(a @ a.T)[0] ** 2) + np.linalg.det(np.tanh(a)))
    bound = compiled.bind(a)
    results = bound.results
    a[0, 0] = 3.0
    assert bound() is results
    assert results == compiled(a)


def test_captured_arrays_and_constant_results() -> None:
    w = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    bound = jit(lambda x: (w * x, w)).bind(np.array(2.0))
    np.testing.assert_array_equal(bound()[0], 2 * w)
    bound.results[1][:] = 0.0  # theirs, not the function's
    np.testing.assert_array_equal(jit(lambda x: w * x)(1.0), w)


def test_static_and_named_arguments() -> None:
    bound = jit(lambda x, n, *, y: x**n + y, static_argnums=1).bind(np.array([2.0]), 3, y=np.array([1.0]))
    assert bound() == [9.0]


def test_in_threads() -> None:
    compiled, count = jit(vmap(grad(lambda x: np.sin(x) ** 2))), 4
    xs = [np.linspace(k, k + 1, 300) for k in range(count)]
    bindings = [compiled.bind(x) for x in xs]

    def run(bound: Binding) -> None:
        for _ in range(2000):
            bound()

    threads = [threading.Thread(target=run, args=(bound,)) for bound in bindings]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for x, bound in zip(xs, bindings, strict=True):
        np.testing.assert_array_equal(bound.results, compiled(x))


def test_errors_are_raised_and_forgotten() -> None:
    matrix = np.eye(2)
    bound = jit(lambda a: np.linalg.inv(a) * 2).bind(matrix)
    matrix[1] = 0.0
    with pytest.raises(np.linalg.LinAlgError):
        bound()
    matrix[1] = 0.0, 2.0
    np.testing.assert_array_equal(bound(), [[2.0, 0.0], [0.0, 1.0]])


def test_what_has_no_memory() -> None:
    told = (
        r"bind: args\[0\] of energy \(test_binding.py:\d+\) has the shape \(4,\) and the strides \(32,\) "
        r"\(test_binding.py:\d+\). A program is bound to arrays in C order, without gaps: bind np.ascontiguousarray\(x\), "
        r"and write to that.$"
    )
    with pytest.raises(ValueError, match=told):
        jit(energy).bind(np.ones((4, 4))[:, 1])
    told = (
        r"bind: energy \(test_binding.py:\d+\) got a traced argument \(test_binding.py:\d+\). Traced values have no "
        r"memory: bind it outside of grad, vmap and jit, to plain arrays, or call the function itself.$"
    )
    with pytest.raises(TypeError, match=told):
        grad(lambda x: jit(energy).bind(x)())(np.ones(2))


def test_without_kernels() -> None:
    x = np.ones(3)
    bound = jit(energy, backend="numpy").bind(x)
    x[0] = 2.0
    assert bound() == jit(energy, backend="numpy")(x)


@pytest.mark.parametrize("backend", ["auto", "numpy"])
def test_nothing_is_donated(backend: str) -> None:
    x = np.linspace(0.0, 1.0, 300_000)
    before = x.copy()
    bound = jit(lambda x: x * 2 + np.sin(x), donate_argnums=0, backend=backend).bind(x)
    first = bound().copy()
    np.testing.assert_array_equal(x, before)
    np.testing.assert_array_equal(bound(), first)
