"""Decompositions and transforms in loops: kernels call NumPy's own loops, and have its results to the bit."""

from __future__ import annotations

import ctypes
import threading
import warnings
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import autodiff
from autodiff import GaugeWarning, grad, jit, scan
from autodiff.backends.language.numpy_loops import LOOPS
from autodiff.backends.native import numpy_loops
from autodiff.backends.verifier.launch import Array, Launch
from autodiff.backends.verifier.proof import faults_of
from autodiff.tree import leaves
from tests.backends.kernels.running import needs_numba

pytestmark = [
    needs_numba,
    pytest.mark.skipif(
        np.lib.NumpyVersion(np.__version__) < "2.1.0",
        reason="qr and svd are other ufuncs in NumPy 2.0, for which kernels call out",
    ),
]

X = np.array([[2.0, -0.5, 0.3], [-0.5, 1.0, 0.7], [0.3, 0.7, -1.5]])
WEIGHTS = np.array([[0.3, -1.2, 0.8], [0.5, 0.1, -0.7], [1.1, 0.4, 0.9]])

# fmt: off
MATRICES = {
    "eigh":          lambda a: tuple(np.linalg.eigh(a)),
    "eigh, upper":   lambda a: tuple(np.linalg.eigh(a, "U")),
    "eigvalsh":      lambda a: np.linalg.eigvalsh(a),
    "svd":           lambda a: tuple(np.linalg.svd(a)),
    "svd, reduced":  lambda a: tuple(np.linalg.svd(a, full_matrices=False)),
    "svdvals":       lambda a: np.linalg.svd(a, compute_uv=False),
    "qr":            lambda a: tuple(np.linalg.qr(a)),
    "qr, complete":  lambda a: tuple(np.linalg.qr(a, mode="complete")),
}
TRANSFORMS = {
    "fft":   lambda x, **keywords: np.fft.fft(x, **keywords),
    "ifft":  lambda x, **keywords: np.fft.ifft(x * (1 - 2j), **keywords),
    "rfft":  lambda x, **keywords: np.fft.rfft(x, **keywords),
    "irfft": lambda x, **keywords: np.fft.irfft(np.fft.rfft(x, axis=keywords["axis"]) * 2, x.shape[keywords["axis"]], **keywords),
}
# fmt: on


def looped(operation: Any) -> Any:
    """A function whose loop does something with an array in each round."""

    def f(x: Any) -> Any:
        return scan(lambda c, _: (c * 0.75 + 0.125, operation(c)), x, None, length=2)[1]  # exact, whatever is fused

    return f


def parts(z: Any) -> Any:
    return (z.real, z.imag) if np.iscomplexobj(z) else z


def assert_same_bits(function: Any, x: Any) -> None:
    compiled = jit(function)
    found, right = compiled(x), function(x)
    for own, other in zip(leaves(found), leaves(right), strict=True):
        assert own.dtype == other.dtype
        np.testing.assert_array_equal(own, other)
    assert "calls out" not in str(compiled.explain(x))
    (equation,) = compiled.schedule(x).equations
    assert equation.primitive.name == "kernel_of_all"


def has_derivative(name: str, rows: int, columns: int) -> bool:
    return rows == columns or not (name.startswith("eig") or (name == "qr, complete" and rows > columns))


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        (name, shape)
        for name in MATRICES
        for shape in [(3, 3), (2, 1, 3, 3), (3, 5), (2, 5, 3), (30, 30)]
        if has_derivative(name, *shape[-2:])
    ],
    ids=str,
)
def test_matrices(name: str, shape: tuple[int, ...]) -> None:
    dtype = np.float32 if len(shape) > 2 else np.float64
    x = np.random.default_rng(1).normal(size=shape).astype(dtype)
    assert_same_bits(looped(MATRICES[name]), x)


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize(
    ("shape", "axis", "norm", "dtype"),
    [
        ((7,), -1, None, "float64"),
        ((8,), -1, "ortho", "float32"),
        ((1,), -1, "forward", "float64"),
        ((2, 2), 0, None, "float64"),
        ((3,), -1, "ortho", "float64"),
        ((2, 4), -1, "forward", "float64"),
        ((4, 6), 0, "forward", "float64"),
        ((4, 5), 1, "ortho", "float64"),
        ((2, 5, 3), -2, "backward", "float32"),
        ((2, 97, 2), 1, "ortho", "float64"),
    ],
)
def test_transforms(name: str, shape: tuple[int, ...], axis: int, norm: Any, dtype: str) -> None:
    x = np.random.default_rng(2).normal(size=shape).astype(dtype)
    assert_same_bits(looped(lambda c: parts(TRANSFORMS[name](c, axis=axis, norm=norm))), x)


@pytest.mark.parametrize("name", MATRICES)
def test_what_has_no_result(name: str) -> None:
    x = X.copy()
    x[0, 1] = x[1, 0] = np.nan  # infinities can keep LAPACK's svd busy for ever, NumPy's own call too
    function = looped(MATRICES[name])
    try:
        right = function(x)
    except np.linalg.LinAlgError as error:
        with pytest.raises(np.linalg.LinAlgError, match=str(error).rpartition(": ")[2]):
            jit(function)(x)
    else:
        np.testing.assert_equal(jit(function)(x), right)


def warned(function: Any, x: Any) -> tuple[Any, list[str]]:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        found = function(x)
    return found, sorted({str(each.message) for each in seen if each.category is GaugeWarning})


@pytest.mark.parametrize(
    ("operation", "x", "count"),
    [
        (lambda a: np.linalg.eigh(a)[1] ** 2 * WEIGHTS, X, 0),
        (lambda a: np.linalg.eigh(a)[1] * WEIGHTS, X, 0),
        (lambda a: np.linalg.eigh(a)[1] ** 2 * WEIGHTS, np.eye(3), 1),
        (lambda a: np.linalg.svd(a)[0] ** 2 * WEIGHTS + np.linalg.svd(a)[2] ** 2, X, 0),
        (lambda a: np.linalg.svd(a, full_matrices=False)[2] ** 2, X[:2], 0),
        (lambda a: np.linalg.svd(a)[0] ** 2 * WEIGHTS, np.eye(3), 2),
        (lambda a: np.linalg.qr(a)[0] * WEIGHTS, X, 0),
    ],
)
def test_gradients_and_their_warnings(operation: Any, x: Any, count: int) -> None:
    function = looped(operation)

    def total(x: Any) -> Any:
        return np.sum(function(x))

    right, messages = warned(grad(total), x)
    found, seen = warned(jit(grad(total)), x)
    np.testing.assert_allclose(found, right, rtol=1e-12, atol=1e-13)
    assert bool(seen) == bool(messages) == bool(count)
    assert "calls out" not in str(jit(grad(total)).explain(x))


def test_small_matrices_need_no_loop_around_them() -> None:
    compiled = jit(lambda a: np.sum(np.linalg.eigh(a)[1] ** 2 * WEIGHTS))
    assert compiled(X) == pytest.approx(np.sum(np.linalg.eigh(X)[1] ** 2 * WEIGHTS), rel=1e-15)
    (equation,) = compiled.schedule(X).equations
    assert equation.primitive.name == "kernel_of_all"


def test_threads_run_side_by_side() -> None:
    compiled, found = jit(looped(MATRICES["svd"])), {}
    compiled(X)

    def run(k: int) -> None:
        for _ in range(50):
            found[k] = compiled(X * k)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, own in found.items():
        np.testing.assert_equal(own, compiled(X * k))


def test_all_loops_are_found_that_numpy_has() -> None:
    there = {name for name, loop in LOOPS.items() if hasattr(import_module(loop.module), loop.name)}
    assert {name for name in LOOPS if numpy_loops.addresses(name) is not None} == there
    assert {name.removeprefix("numpy_").partition("_")[0] for name in there} >= {"eigh", "fft", "irfft"}


def test_another_numpy_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A structure that does not say what Python sees has no addresses; operations are called out for then."""
    fields = {"_fields_": (("more", ctypes.c_int), *numpy_loops._Head._fields_)}
    monkeypatch.setattr(numpy_loops, "_Head", type("Shifted", (ctypes.Structure,), fields))
    numpy_loops.addresses.cache_clear()
    try:
        assert {numpy_loops.addresses(name) for name in LOOPS} == {None}
        function = looped(lambda a: np.linalg.eigvalsh(a * 0.5))
        compiled = jit(function)
        np.testing.assert_array_equal(compiled(X), function(X))
        assert "calls out to NumPy in every round: eigvalsh" in str(compiled.explain(X))
    finally:
        numpy_loops.addresses.cache_clear()


# What a loop reads and writes: one matrix of 3 x 3, its values and its vectors.
CALL = "numpy_eigh_lo_d_dd({count}, 3, shifted(memory, {a}), 72, 24, 8, shifted(memory, {w}), 24, 8, shifted(memory, {v}), 72, 24, 8)"


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ({}, True),
        ({"v": 120}, True),
        ({"v": 128}, False),
        ({"a": -8}, False),
        ({"count": 2}, False),
        ({"w": 180}, False),
    ],
    ids=str,
)
def test_loops_stay_within_the_memory(given: dict[str, int], right: bool) -> None:
    call = CALL.format(**{"count": 1, "a": 0, "w": 72, "v": 96, **given})
    text = f"def kernel(block, lo, hi):\n    memory = pointer(block, 0)\n    {call}"
    launch = Launch({0: Array("memory", 192, None, True, made=True)}, 1, None, False)
    assert (not faults_of(text, launch)) == right


def test_c_libraries_refuse_them(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"eigvalsh \(test_numpy_loops.py:\d+\): its kernel calls a loop of NumPy's"):
        autodiff.export(looped(MATRICES["eigvalsh"]), (X,), "eigenvalues")
