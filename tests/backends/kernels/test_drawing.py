"""Random numbers in compiled loops: the same numbers, in kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff
from autodiff import cond, grad, jit, random, scan, vmap, while_loop
from autodiff.backends.verifier.launch import Array, Launch
from autodiff.backends.verifier.proof import faults_of
from autodiff.tree import leaves
from tests.backends.kernels.running import needs_numba

pytestmark = needs_numba

FAR = np.array([2**64 - 3, 2**64 - 2], np.uint64)
"""A state whose words have their highest bits, and whose next counters begin at 0 again."""

# fmt: off
DRAWS = {
    "uniform":         (lambda s: random.uniform(s, (3,)), 0),
    "uniform, single": (lambda s: random.uniform(s, (2, 3), np.float32), 0),
    "normal":          (lambda s: random.normal(s, (5,)), 1e-14),
    "normal, single":  (lambda s: random.normal(s, (7,), np.float32), 3e-7),
    "normal, number":  (lambda s: random.normal(s), 1e-14),
    "bernoulli":       (lambda s: random.bernoulli(s, 0.3, (6,)), 0),
    "many":            (lambda s: random.uniform(s, (3, 50)), 0),
}
# fmt: on


def drawn(draw: Any) -> Any:
    """A function whose loop draws in each round."""

    def f(state: Any) -> Any:
        def step(s: Any, _: Any) -> Any:
            x, s = draw(s)
            return s, x

        return scan(step, state, None, length=5)

    return f


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("state", [random.state(0), random.state(2**63 + 11), FAR], ids=["zero", "high", "far"])
def test_numbers(name: str, state: Any) -> None:
    draw, precision = DRAWS[name]
    compiled = jit(drawn(draw))
    for found, right in zip(leaves(compiled(state)), leaves(drawn(draw)(state)), strict=True):
        assert found.dtype == right.dtype
        np.testing.assert_allclose(found.astype(float), right.astype(float), rtol=precision, atol=precision)
    (equation,) = compiled.schedule(state).equations
    assert equation.primitive.name == "kernel_of_all"


def test_extremes_of_normal_numbers() -> None:
    """Words whose first number is 0, and turns of 0, a quarter and a half, come out as they do eagerly."""
    state = random.state(3)
    f = drawn(lambda s: random.normal(s, (400,)))
    found, right = jit(f)(state)[1], f(state)[1]
    np.testing.assert_allclose(found, right, rtol=1e-13)
    assert np.all(np.isfinite(found))


def test_branches_choose_states() -> None:
    def f(x: Any, state: Any) -> Any:
        def step(c: Any, _: Any) -> Any:
            x, s = c
            u, s = random.uniform(s)
            x, s = cond(u < 0.5, lambda x, s: (x + u, s), lambda x, s: (x * random.normal(s)[0], s), x, s)
            return (x, s), x

        return scan(step, (x, state), None, length=9)

    state = random.state(5)
    compiled = jit(f)
    for found, right in zip(leaves(compiled(0.5, state)), leaves(f(0.5, state)), strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-12)


def test_rejection_until_one_fits() -> None:
    def f(state: Any) -> Any:
        def again(c: Any) -> Any:
            return np.sum(c[0] ** 2) > 1.0

        def draw(c: Any) -> Any:
            x, s = random.uniform(c[1], (2,))
            return x * 2.0 - 1.0, s

        return while_loop(again, draw, (np.array([2.0, 2.0]) * (state[0] < 9), state))

    for seed in range(5):
        state = random.state(seed)
        found, right = jit(f)(state), f(state)
        np.testing.assert_allclose(found[0], right[0], rtol=1e-15)
        np.testing.assert_array_equal(found[1], right[1])


def test_batches_have_states_of_their_own() -> None:
    states = np.stack([random.state(seed) for seed in (1, 2**64 - 1, 3)])
    f = drawn(lambda s: random.normal(s, (2, 3)))
    compiled = jit(vmap(f))
    for found, right in zip(leaves(compiled(states)), leaves(vmap(f)(states)), strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-13)


def test_gradients_by_what_is_drawn() -> None:
    def f(scale: Any, state: Any) -> Any:
        def step(c: Any, _: Any) -> Any:
            x, s = c
            noise, s = random.normal(s, (3,))
            return (np.tanh(x + scale * noise), s), None

        return np.sum(scan(step, (np.zeros(3) * scale, state), None, length=20)[0][0])

    state = random.state(8)
    compiled = jit(grad(f))
    assert compiled(0.3, state) == pytest.approx(grad(f)(0.3, state), rel=1e-12)
    (equation,) = compiled.schedule(0.3, state).equations
    assert equation.primitive.name == "kernel_of_all"


@pytest.mark.parametrize(
    "operation",
    [
        lambda s: s + s,
        lambda s: s < s[::-1],
        lambda s: np.sum(s),
        lambda s: np.sort(s),
        lambda s: s * 0.5,
        lambda s: np.concatenate([s, np.array([1.5])]),
        lambda s: np.concatenate([s, np.array([1, 2])]),
        lambda s: np.stack([s, np.array([1.5, 2.0])]),
        lambda s: np.where(np.array([True, False]), s, np.array([1.5, 2.5])),
        lambda s: np.where(s > 5, s, 1.5),
        lambda s: autodiff.numpy.take(np.arange(4.0), s % np.uint64(4)),
    ],
)
def test_no_kernel_computes_with_words(operation: Any) -> None:
    """They are numbers without sign, which kernels do not know: NumPy computes with them."""

    def f(state: Any) -> Any:
        return scan(lambda s, _: (s, operation(s)), state, None, length=2)[1]

    np.testing.assert_array_equal(jit(f)(FAR), f(FAR))


@pytest.mark.parametrize(("place", "right"), [(0, True), (32, True), (40, False), (-8, False)])
def test_words_stay_within_the_memory(place: int, right: bool) -> None:
    text = f"def kernel(block, lo, hi):\n    memory = pointer(block, 0)\n    philox_float64(0, 1, shifted(memory, {place}))"
    launch = Launch({0: Array("memory", 64, None, True, made=True)}, 1, None, False)
    assert (not faults_of(text, launch)) == right
