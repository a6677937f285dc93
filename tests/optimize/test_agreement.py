"""Optimizers and schedules give what optax and PyTorch give, over fifty steps, to rounding."""

import zipfile
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import autodiff
from autodiff import optimize, tree

from .problem import CASES, MASK, SCHEDULES, START, STEPS, TORCH, gradient
from .record import FILE, vector

AT = [0, 1, 4, 9, 19, 29, 39, 49]
LARGER = {"muon": 1e-7, "lbfgs fixed rate": 1e-6}
"""Where more is allowed after some 20 steps: the polynomial of Muon is chaotic, and differences of gradients at a minimum are
rounding errors by then."""
NAMES = vars(optimize) | {"MASK": MASK, "contrib": SimpleNamespace(muon=optimize.muon)}


@pytest.fixture(scope="module")
def recorded() -> Any:
    with np.load(FILE) as archive:
        return dict(archive)


def run(expression: str, update: Any = None) -> Any:
    optimizer = eval(expression, dict(NAMES))
    params, state = dict(START), optimizer.init(START)
    update = update or optimizer.update
    found = []
    for step in range(STEPS):
        updates, state = update(gradient(params, step), state, params)
        params = optimize.apply_updates(params, updates)
        found.append(vector(params))
    return np.stack(found)[AT]


@pytest.mark.parametrize("name", CASES)
def test_optax(name: str, recorded: Any) -> None:
    found, wanted = run(CASES[name]), recorded[f"optax/{name}"]
    np.testing.assert_allclose(found, wanted, rtol=LARGER.get(name, 1e-10), atol=1e-12)
    np.testing.assert_allclose(found[:5], wanted[:5], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", TORCH)
def test_pytorch(name: str, recorded: Any) -> None:
    np.testing.assert_allclose(run(TORCH[name][2]), recorded[f"torch/{name}"], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedules(name: str, recorded: Any) -> None:
    schedule = eval(SCHEDULES[name], dict(NAMES))
    wanted = recorded[f"schedule/{name}"]
    rtol, atol = 1e-10, 1e-12
    np.testing.assert_allclose([float(schedule(n)) for n in range(STEPS)], wanted, rtol, atol)
    compiled = autodiff.jit(schedule, backend="numpy")
    np.testing.assert_allclose(
        [float(compiled(np.int64(n))) for n in (0, 3, 11, 45)], wanted[[0, 3, 11, 45]], rtol, atol
    )
    assert repr(schedule).startswith(SCHEDULES[name].partition("(")[0])


def test_all_recorded_cases_are_compared() -> None:
    with zipfile.ZipFile(FILE) as archive:
        names = {name.removesuffix(".npy") for name in archive.namelist()}
    assert names == {
        *(f"optax/{name}" for name in CASES),
        *(f"torch/{name}" for name in TORCH),
        *(f"schedule/{name}" for name in SCHEDULES),
    }


@pytest.mark.parametrize("name", CASES)
def test_compiled_updates_are_the_same(name: str) -> None:
    optimizer = eval(CASES[name], dict(NAMES))
    compiled = autodiff.jit(optimizer.update, backend="numpy")
    found, wanted = run(CASES[name], compiled), run(CASES[name])
    np.testing.assert_allclose(found, wanted, rtol=LARGER.get(name, 1e-10), atol=1e-12)
    state = optimizer.init(START)
    following = optimizer.update(gradient(START, 0), state, START)[1]
    assert tree.structure(state) == tree.structure(following)
    for before, after in zip(tree.leaves(state), tree.leaves(following), strict=True):
        assert (np.shape(before), np.asarray(before).dtype) == (np.shape(after), np.asarray(after).dtype)


@pytest.mark.parametrize("name", CASES)
def test_updates_run_in_a_scan(name: str) -> None:
    optimizer = eval(CASES[name], dict(NAMES))

    def step(carry: Any, number: Any) -> Any:
        params, state = carry
        gradients = {name: 1.5 * p + np.sin(3 * p) + 0.1 * number for name, p in params.items()}
        updates, state = optimizer.update(gradients, state, params)
        return (optimize.apply_updates(params, updates), state), None

    numbers = np.linspace(0.0, 1.0, 6)
    start = (START, optimizer.init(START))
    plain = start
    for number in numbers:
        plain, _ = step(plain, number)
    compiled = autodiff.jit(lambda start: autodiff.scan(step, start, numbers)[0], backend="numpy")
    np.testing.assert_allclose(vector(compiled(start)[0]), vector(plain[0]), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_dtypes_are_kept(name: str) -> None:
    optimizer = eval(CASES[name], dict(NAMES))
    params: Any = tree.map(lambda p: p.astype(np.float32), START)
    state = optimizer.init(params)
    kinds = [np.asarray(leaf).dtype for leaf in tree.leaves(state)]
    for _ in range(3):
        updates, state = optimizer.update(tree.map(lambda p: np.sin(p), params), state, params)
        kept = np.float64 if "float64" in CASES[name] else np.float32
        assert {np.asarray(u).dtype for u in tree.leaves(updates)} == {np.dtype(kept)}
        params = optimize.apply_updates(params, updates)
        assert [np.asarray(leaf).dtype for leaf in tree.leaves(state)] == kinds
    assert {p.dtype for p in params.values()} == {np.dtype(np.float32)}
