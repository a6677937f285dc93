"""Operations without a form in kernels, in loops: the loop stays one kernel, which calls out for them."""

from __future__ import annotations

import threading
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import autodiff
from autodiff import cond, fori_loop, grad, jit, scan, vmap, while_loop
from autodiff.backends.kernels.programs.program import whole_kernel
from autodiff.backends.verifier.launch import Array, Launch
from autodiff.backends.verifier.proof import faults_of
from autodiff.trace.tape import Tape
from tests.backends.kernels.running import needs_numba

pytestmark = needs_numba

X = np.array([0.3, -0.2, 0.8])
STEPS = np.linspace(0.0, 1.0, 7)


def symmetric(x: Any) -> Any:
    return np.outer(x, x) + np.diag(x + 3.0)


def eigenvalues(x: Any) -> Any:
    return np.sum(
        scan(lambda c, k: (np.tanh(np.linalg.eigvalsh(symmetric(c))) + 0.4 * c * k, None), x, STEPS.astype(x.dtype))[0]
    )


def vectors(x: Any) -> Any:
    def step(c: Any, k: Any) -> Any:
        w, v = np.linalg.eigh(symmetric(c))
        return np.tanh(v @ (w * c)) + k, w[0]

    last, kept = scan(step, x, STEPS.astype(x.dtype))
    return np.sum(last) + np.sum(kept**2)


def orders(x: Any) -> Any:
    def step(c: Any, k: Any) -> Any:
        places = np.argpartition(c, 1)
        return 0.5 * c[places] + np.partition(c, 1) * k, places

    last, places = scan(step, x, STEPS.astype(x.dtype))
    return np.sum(last * places[-1])


def partitioned(x: Any) -> Any:
    return np.sum(scan(lambda c, k: (np.tanh(c[np.argpartition(c, 1)]) * 0.9 + k, None), x, STEPS.astype(x.dtype))[0])


def decided(x: Any) -> Any:
    def step(c: Any) -> Any:
        return cond(np.sum(c) > 1.0, lambda c: np.linalg.qr(symmetric(c))[1][0], lambda c: c * 1.5 + 0.1, c)

    return np.sum(fori_loop(0, 5, lambda _, c: step(c), x))


def repeated(x: Any) -> Any:
    def body(state: Any) -> Any:
        k, c = state
        return k + 1, 0.5 * c + np.linalg.svd(symmetric(c), compute_uv=False) / 7

    return np.sum(while_loop(lambda state: (state[0] < 6) & (np.sum(state[1]) < 40.0), body, (0, x))[1])


def waves(x: Any) -> Any:
    def step(c: Any, k: Any) -> Any:
        z = np.fft.fft(c * (k + 0.5))
        return np.tanh(np.fft.ifft(z * np.exp(1j * k)).real) + 0.1 * abs(z), z[0] * 1j

    last, kept = scan(step, x, STEPS.astype(x.dtype))
    return np.sum(last) + np.sum(abs(kept) ** 2)


def complex_carry(x: Any) -> Any:
    z = scan(lambda c, k: (np.fft.ifft(np.fft.fft(c) * np.exp(1j * k)) + x, None), x + 1j, STEPS)[0]
    return np.sum(abs(z))


def names(tape: Tape) -> list[str]:
    return [equation.primitive.name for equation in tape.equations]


@pytest.mark.parametrize("fun", [eigenvalues, vectors, orders, decided, repeated, waves])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_values(fun: Any, dtype: str) -> None:
    x = X.astype(dtype)
    compiled = jit(fun)
    np.testing.assert_allclose(compiled(x), fun(x), rtol=2e-5 if dtype == "float32" else 1e-12)
    assert names(compiled.schedule(x)) == ["kernel_of_all"]


@pytest.mark.parametrize("fun", [eigenvalues, vectors, orders, decided, waves, complex_carry])
def test_gradients(fun: Any) -> None:
    compiled = jit(grad(fun))
    np.testing.assert_allclose(compiled(X), grad(fun)(X), rtol=1e-10, atol=1e-12)
    assert names(compiled.schedule(X)) == ["kernel_of_all"]


@pytest.mark.parametrize("fun", [eigenvalues, orders, repeated, waves, complex_carry])
def test_batches(fun: Any) -> None:
    xs = np.stack([X, X * 2, -X])
    np.testing.assert_allclose(jit(vmap(fun))(xs), [fun(x) for x in xs], rtol=1e-11)


def test_bound() -> None:
    x = X.copy()
    bound = jit(partitioned).bind(x)
    x *= 2
    assert bound() == jit(partitioned)(x)


def test_errors_end_the_program_and_are_forgotten() -> None:
    def f(a: Any) -> Any:
        return while_loop(lambda c: np.sum(c) != 0.5, lambda c: np.linalg.eigvalsh(symmetric(c)) * 0.3, a)

    line = f.__code__.co_firstlineno + 1
    compiled = jit(f)
    with pytest.raises(np.linalg.LinAlgError, match=rf"^eigvalsh \(test_calling_out.py:{line}\): Eigenvalues did not"):
        compiled(np.full(3, np.nan))
    np.testing.assert_array_equal(compiled(np.array([0.5, 0.0, 0.0])), [0.5, 0.0, 0.0])


def test_threads_have_memory_of_their_own() -> None:
    compiled, found = jit(partitioned), {}
    compiled(X)

    def run(k: int) -> None:
        for _ in range(50):
            found[k] = compiled(X * k)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {k: compiled(X * k) for k in range(1, 5)}


def test_what_is_said() -> None:
    compiled = jit(partitioned)
    assert "calls out to NumPy: argpartition (test_calling_out.py:" in str(compiled.kernels(X))
    assert "calls out to NumPy in every round: argpartition (test_calling_out.py:" in str(compiled.explain(X))


def test_c_libraries_refuse_them(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"argpartition \(test_calling_out.py:\d+\): it has no form in kernels"):
        autodiff.export(partitioned, (X,), "partitioned")


def test_what_lies_where() -> None:
    tape = jit(partitioned).schedule(X)
    kernel = whole_kernel(**dict(tape.equations[0].params))
    (call,) = kernel.called_out
    places = [(place, own.size * own.dtype.itemsize) for place, own in (*call.operands, *call.results)]  # type: ignore[misc]
    for (first, size), (second, _) in pairwise(places):
        assert first + size <= second
    assert places[-1][0] + places[-1][1] <= kernel.memory


@pytest.mark.parametrize(
    ("begin", "size", "right"), [(64, 128, True), (64, 129, False), (-8, 8, False), (192, 1, False)]
)
def test_calls_out_stay_within_the_memory(begin: int, size: int, right: bool) -> None:
    text = f"def kernel(block, lo, hi):\n    memory = pointer(block, 0)\n    call_out(word(block, 1), memory, {begin}, {size}, 0)"
    launch = Launch({0: Array("memory", 192, None, True, made=True), 1: "i8"}, 1, None, False)
    assert (not faults_of(text, launch)) == right


def test_places_that_a_call_out_has_written_are_not_taken_for_known() -> None:
    lines = [
        "def kernel(block, lo, hi):",
        "    memory = pointer(block, 0)",
        "    store_int64(memory, 8, i8(3))",
        "    call_out(word(block, 1), memory, 64, 64, 0)",
        "    k = load_int64(memory, 8)",
        "    store_float64(memory, k, f8(1.0))",
    ]
    launch = Launch({0: Array("memory", 192, None, True, made=True), 1: "i8"}, 1, None, False)
    assert faults_of("\n".join(lines), launch)
    assert not faults_of("\n".join(line for line in lines if "call_out" not in line), launch)


def test_functions_of_users_may_keep_what_they_are_given() -> None:
    seen: list[Any] = []

    def f(x: Any) -> Any:
        def step(c: Any, k: Any) -> Any:
            return autodiff.debug.callback(seen.append, c * 0.5 + k), None

        return scan(step, x, STEPS)[0]

    compiled = jit(f)
    assert names(compiled.schedule(X)) == ["kernel_of_all"]
    compiled(X)
    found, c = list(seen), X
    for k, one in zip(STEPS, found, strict=True):
        c = c * 0.5 + k
        np.testing.assert_allclose(one, c, rtol=1e-15)
