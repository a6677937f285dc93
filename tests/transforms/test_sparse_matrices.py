"""Sparse Jacobians and Hessians: entries equal to the dense ones, patterns that lose none, few directions, little memory."""

import pickle
import tracemalloc
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings

import autodiff
from autodiff import checkpoint, cond, grad, hessian, jacobian, jit, scan, value_and_jacobian, vmap
from autodiff.scipy import sparse
from autodiff.trace.errors import DifferentiationError
from autodiff.transforms.sparse import matrices, patterns
from autodiff.transforms.sparse.compression import by_symmetry
from tests.ops.test_every_primitive import programs

from .raised import raised

X = np.linspace(0.1, 1.0, 6)
GRID = np.random.default_rng(3).normal(size=(6, 6)) * (np.random.default_rng(4).random((6, 6)) < 0.3)
MATRIX = sparse.csr_array(GRID)


def drifted(x: Any) -> Any:
    """Six steps of a loop."""
    last, steps = scan(lambda c, z: ((np.roll(c, 1) * z + c), c[2] * z), x, x)
    return np.concatenate([last, steps])


STEPS = {
    "sin": np.sin,
    "square": lambda x: x * x,
    "ratio": lambda x: x / (2 + x * x),
    "shifted product": lambda x: x[1:] * x[:-1] if x.size > 1 else x,
    "roll": lambda x: x * np.roll(x, 2),
    "reverse": lambda x: x[::-1],
    "every second": lambda x: x[::2],
    "gather": lambda x: x[np.arange(0, 2 * x.size, 2) % x.size],
    "pad": lambda x: np.pad(x, (1, 2)),
    "join": lambda x: np.concatenate([x[:3], np.cos(x)]),
    "matrix": lambda x: GRID[:, : min(x.size, 6)] @ x[:6],
    "sparse matrix": lambda x: np.concatenate([MATRIX @ np.resize(x, 6), x]),
    "running sum": np.cumsum,
    "sorted": np.sort,
    "first times all": lambda x: x[0] * x,
    "pairs": lambda x: np.sum(x[: x.size // 2 * 2].reshape(-1, 2) ** 2, axis=1) if x.size > 1 else x,
    "where": lambda x: np.where(x > 0.3, x**2, 1 / (2 + x)),
    "convolve": lambda x: np.convolve(x, [1.0, 0.0, -2.0], "same") if x.size > 3 else x,
    "branch": lambda x: cond(np.sum(x) > 0, lambda x: x * x, lambda x: x * x[::-1], x),
    "python branch": lambda x: x * x if np.mean(x) > 0.5 else x * x[::-1],
    "assignment": lambda x: assigned(x),
    "norm": lambda x: x / np.sqrt(1 + np.sum(x**2)),
}
STAGED = [name for name in STEPS if name != "python branch"]


def assigned(x: Any) -> Any:
    y = x.copy()
    y[1:3] = y[:2] * x[-1]
    return y


def composed(names: Any) -> Any:
    def program(x: Any) -> Any:
        for name in names:
            x = STEPS[name](x)
        return x

    return program


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sampled_from(list(STEPS)), min_size=1, max_size=5), st.sampled_from(["auto", "forward", "reverse"]))
def test_programs_drawn_at_random(names: Any, mode: Any) -> None:
    program = composed(names)
    found = jacobian(program, mode=mode, sparse=True)
    for x in (X, -X, X[::-1] * 3, X):  # patterns that are kept, and programs that take another way
        np.testing.assert_allclose(found(x).toarray(), jacobian(program)(x), rtol=1e-9, atol=1e-12)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.sampled_from(list(STEPS)), min_size=1, max_size=4))
def test_hessians_of_programs_drawn_at_random(names: Any) -> None:
    program = composed(names)
    energy = lambda x: np.sum(program(x) ** 2)  # noqa: E731
    found = hessian(energy, sparse=True)
    for x in (X, -X):
        wanted = hessian(energy)(x)
        np.testing.assert_allclose(found(x).toarray(), wanted, rtol=1e-8, atol=1e-10 * (1 + np.abs(wanted).max()))


@settings(deadline=None, max_examples=6)
@given(st.lists(st.sampled_from(STAGED), min_size=1, max_size=3))
def test_compiled_programs_drawn_at_random(names: Any) -> None:
    program = composed(names)
    for fun in (jit(jacobian(program, sparse=True)), jacobian(jit(program), sparse=True)):
        np.testing.assert_allclose(fun(X).toarray(), jacobian(program)(X), rtol=1e-9, atol=1e-12)


@pytest.mark.filterwarnings("ignore")  # of values that are not computed for their own sake here
def test_every_operation_hands_on_all_dependence() -> None:
    """One program of twelve of all cases and programs of the tests, over all primitives."""
    looked_at = 0
    for k, (fun, args) in enumerate(programs()):
        real = [np.asarray(a) for a in args if isinstance(a, float | np.ndarray | np.floating)]
        if k % 12 or len(real) != len(args) or any(a.dtype.kind != "f" or not 0 < a.size <= 30 for a in real):
            continue

        def flat(*xs: Any, fun: Any = fun) -> Any:
            outs = autodiff.tree.flatten(fun(*xs))[0]
            return [out for out in outs if out.dtype.kind == "f"]

        every = tuple(range(len(real)))
        for mode in ("forward", "reverse"):
            dense = autodiff.tree.flatten(jacobian(flat, every, mode)(*real))[0]
            found = autodiff.tree.flatten(jacobian(flat, every, mode, sparse=True)(*real))[0]
            for one, other in zip(found, dense, strict=True):
                np.testing.assert_allclose(one.toarray(), np.reshape(other, one.shape), rtol=1e-5, atol=1e-6)
                looked_at += 1
    assert looked_at > 150


def nnz(fun: Any, x: Any = X) -> int:
    return jacobian(fun, sparse=True)(x).nnz  # type: ignore[no-any-return]


def test_patterns_are_as_small_as_the_operations_allow() -> None:
    assert nnz(lambda x: np.roll(x, 1) * x) == 12
    assert nnz(lambda x: np.pad(x, 2)) == 6
    assert nnz(lambda x: GRID @ x) == nnz(lambda x: MATRIX @ x) == np.count_nonzero(GRID)
    assert nnz(lambda x: x.reshape(2, 3).sum(axis=0)) == 6
    assert nnz(lambda x: x[[0, 0, 3]] * 2) == 3
    assert nnz(lambda x: np.convolve(x, [1.0, 2.0], "valid")) == 10
    assert nnz(checkpoint(drifted)) == nnz(jit(drifted)) == nnz(drifted)


def test_zeros_and_infinities_keep_to_their_entries() -> None:
    def steep(x: Any) -> Any:
        return np.concatenate([np.sqrt(x)[::-1], x[:2] * np.log(np.maximum(x[2:4], 0)), 1 / x[1:]])

    at = np.array([1.0, 0.0, 0.0, 3.0, 0.0, 1.0])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(jacobian(steep, sparse=True)(at).toarray(), jacobian(steep)(at))


def test_what_a_pattern_was_derived_from_may_change() -> None:
    now = {"order": np.array([0, 1, 2]), "weights": np.eye(3)}

    def fun(x: Any) -> Any:
        return now["weights"] @ x[now["order"]]

    found = jacobian(fun, sparse=True)
    for change in ({}, {"order": np.array([5, 4, 3])}, {"weights": np.ones((3, 3))}):
        now.update(change)
        np.testing.assert_allclose(found(X).toarray(), jacobian(fun)(X))


def test_patterns_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    derived = []
    original = patterns.derived
    monkeypatch.setattr(patterns, "derived", lambda *args: derived.append(1) or original(*args))
    found = hessian(lambda x, dt: np.sum((x[1:] - dt * x[:-1] ** 2) ** 2) * np.sum(x[:2]), sparse=True)
    for k in range(4):
        found(X * k, 0.1 * k)
    assert len(derived) == 1
    found(X[1:], 0.1)
    assert len(derived) == 2


def test_trees_aux_and_options() -> None:
    tree = {"a": X[:2], "b": X[:3]}
    value, found = value_and_jacobian(lambda p: (p["a"] * p["b"][1:], p["b"]), sparse=True)(tree)
    np.testing.assert_array_equal(value[1], X[:3])
    np.testing.assert_allclose(found[0]["a"].toarray(), np.diag(X[1:3]))
    assert found[1]["a"].nnz == 0
    assert found[1]["b"].shape == (3, 3)
    second, aux = hessian(lambda x, y: (np.sum(x**2 * y[1:]), "aux"), (0, 1), has_aux=True, sparse=True)(X[1:], X)
    assert aux == "aux"
    np.testing.assert_allclose(second[0][1].toarray(), np.eye(5, 6, 1) * 2 * X[1:, None])

    @jacobian(argnums=1, sparse=True)
    def decorated(a: float, x: Any) -> Any:
        return a * x

    assert decorated(2.0, X).nnz == 6
    assert pickle.loads(pickle.dumps(jacobian(np.sin, sparse=True)))(X).nnz == 6
    assert jacobian(np.sum, sparse=True)(np.zeros((0, 2))).shape == (1, 0)
    assert jacobian(np.sin, sparse=True)(np.float32(1.0)).dtype == np.float32
    np.testing.assert_array_equal(
        jacobian(lambda z: z[:2] * z[1:], holomorphic=True, sparse=True)(X[:3] + 1j).toarray(),
        jacobian(lambda z: z[:2] * z[1:], holomorphic=True)(X[:3] + 1j),
    )


def test_with_traced_entries() -> None:
    def fun(x: Any) -> Any:
        return np.diff(x**2) * x[0]

    batch = vmap(jacobian(fun, sparse=True))(np.stack([X, 2 * X]))
    assert batch.data.shape == (2, 14)
    dense = grad(lambda x: np.sum(jacobian(fun)(x) ** 2))(X)
    np.testing.assert_allclose(grad(lambda x: np.sum(jacobian(fun, sparse=True)(x).data ** 2))(X), dense)
    step = jit(lambda x: jacobian(fun, sparse=True)(x) @ x)
    np.testing.assert_allclose(step(X), jacobian(fun)(X) @ X)


def test_a_mesh_of_many_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two dozen directions and memory like the entries, where the dense matrix would take 80 GB."""
    side = 316

    def area(u: Any) -> Any:
        u = u.reshape(side, side)
        return np.sum(np.sqrt(1 + np.diff(u, axis=0)[:, :-1] ** 2 + np.diff(u, axis=1)[:-1] ** 2))

    chosen: list[Any] = []
    monkeypatch.setitem(matrices.COMPRESS, "symmetric", lambda p: chosen.append(by_symmetry(p)) or chosen[0])
    find = hessian(area, sparse=True)
    at = np.random.default_rng(0).normal(size=side * side)
    find(at)
    assert chosen[0].count < 24
    tracemalloc.start()
    found = find(at)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.nnz < 8 * side * side
    assert peak < 1000 * found.nnz
    direction = np.random.default_rng(1).normal(size=side * side)
    product = autodiff.hvp(area, (at,), (direction,))
    np.testing.assert_allclose(found @ direction, product, rtol=1e-9, atol=1e-9)


def test_many_directions_are_taken_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrices, "ELEMENTS", 13)
    fun = composed(["running sum", "roll"])
    np.testing.assert_allclose(jacobian(fun, sparse=True)(X).toarray(), jacobian(fun)(X))
    np.testing.assert_allclose(jit(jacobian(fun, sparse=True))(X).toarray(), jacobian(fun)(X))


def test_what_is_not_sparse_is_refused() -> None:
    many = np.ones(100_000)
    last = (
        "entries, more than 134217728: the derivative is not sparse. Leave sparse=True away, or ask for products alone"
    )
    text, line = raised(
        DifferentiationError, lambda: jacobian(lambda x: x - np.log(np.sum(np.exp(x))), sparse=True)(many)
    )
    assert text == (f"add (test_sparse_matrices.py:{line}) gives a pattern of 10000100000 {last}, by jvp, vjp or hvp")
    text, line = raised(DifferentiationError, lambda: jacobian(lambda x: np.sum(x) * many, sparse=True)(many))
    assert text == (
        f"the function (test_sparse_matrices.py:{line}) gives a pattern of 10000000000 {last}, by jvp, vjp or hvp"
    )
    text, line = raised(DifferentiationError, lambda: hessian(np.sin, sparse=True)(X))
    assert text == (
        f"hessian needs a function that returns one real number, but sin returned float64[6] "
        f"(test_sparse_matrices.py:{line}). Sum the result, take its real part, or use vjp or jacobian; with "
        "has_aux=True a second result is passed on."
    )


def test_entries_are_those_of_scipy() -> None:
    found = jacobian(lambda x: x[::-1] ** 2, sparse=True)(X)
    assert type(found) is scipy.sparse.csr_array
    assert found.has_canonical_format
