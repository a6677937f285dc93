"""Results in the memory of donated arguments."""

import numpy as np
import pytest

from autodiff import jit, value_and_grad
from autodiff.backends.choice import numba_is_there
from autodiff.trace.memory.recycling import Block, counts_references

BACKENDS = ["numpy", pytest.param("numba", marks=pytest.mark.skipif(not numba_is_there(), reason="without Numba"))]
RNG = np.random.default_rng(7)
X, Y = RNG.normal(size=(64, 400)), RNG.normal(size=(64, 50))


def network():
    rng = np.random.default_rng(1)
    return [(rng.normal(size=(400, 200)) / 20, np.zeros(200)), (rng.normal(size=(200, 50)) / 15, np.zeros(50))]


def step(layers, x, y):
    def loss(layers):
        hidden = x
        for weights, bias in layers:
            hidden = np.tanh(hidden @ weights + bias)
        return np.mean((hidden - y) ** 2)

    value, slopes = value_and_grad(loss)(layers)
    return value, [(w - 0.1 * dw, b - 0.1 * db) for (w, b), (dw, db) in zip(layers, slopes, strict=True)]


def leaves(layers):
    return [array for pair in layers for array in pair]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_training_step_writes_to_the_parameters(backend):
    plain, donating = jit(step, backend=backend), jit(step, donate_argnums=0, backend=backend)
    wanted = given = network()
    for _ in range(4):
        value, wanted = plain(wanted, X, Y)
        before = leaves(given)
        found, given = donating(given, X, Y)
        assert found == value
        assert [one is other for one, other in zip(leaves(given), before, strict=True)] == [True] * 4
        for one, other in zip(leaves(given), leaves(wanted), strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("backend", BACKENDS)
def test_without_donation_arguments_stay_as_they_are(backend):
    layers = network()
    jit(step, backend=backend)(layers, X, Y)
    for one, other in zip(leaves(layers), leaves(network()), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.skipif(not counts_references(), reason="there is no pool where references are not counted")
def test_results_on_blocks_can_be_donated():
    move = jit(lambda x, dx: x + dx * 2, backend="numpy")
    donating = jit(lambda x, dx: x + dx * 2, donate_argnums=0, backend="numpy")
    first = move(np.ones(50_000), np.ones(50_000))
    assert type(first.base) is Block
    assert donating.donated(first, np.ones(50_000)) == ["args[0]"]
    assert donating.donated(first, first) == []
    assert donating.donated(first, first[::-1]) == []
    assert donating.donated(first[::-1], first) == []
    second = donating(first, np.ones(50_000))
    assert second is first
    assert (second == 5).all()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("layout", ["fortran", "strided", "swapped", "read-only"])
def test_arrays_that_kernels_cannot_write_to_are_left_alone(backend, layout):
    x = {
        "fortran": lambda: np.asfortranarray(X),
        "strided": lambda: np.repeat(X, 2, axis=1)[:, ::2],
        "swapped": lambda: X.astype(X.dtype.newbyteorder()),
        "read-only": lambda: X.copy(),
    }[layout]()
    x.flags.writeable = layout != "read-only"
    before = x.copy()
    donating = jit(lambda x, y: np.tanh(x) * 2 + np.exp(x) * np.sum(y), donate_argnums=0, backend=backend)
    for _ in range(2):
        np.testing.assert_allclose(donating(x, Y), np.tanh(X) * 2 + np.exp(X) * np.sum(Y), rtol=1e-12)
        np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_array_that_is_closed_over_too(backend):
    weights = RNG.normal(size=40_000)
    donating = jit(lambda x: np.exp(-x) * weights + x, donate_argnums=0, backend=backend)
    wanted = np.exp(-weights) * weights + weights
    np.testing.assert_allclose(donating(weights.copy()), wanted)
    kept = weights.copy()
    np.testing.assert_allclose(donating(weights), wanted)
    np.testing.assert_allclose(donating(kept), wanted)


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_returned_as_well_is_not_written_to(backend):
    donating = jit(lambda x: (x, x + 1, x[::2], np.sum(x * x)), donate_argnums=0, backend=backend)
    for _ in range(2):
        same, more, every, total = donating(np.arange(30_000.0))
        np.testing.assert_array_equal(same, np.arange(30_000.0))
        np.testing.assert_array_equal(more, same + 1)
        np.testing.assert_array_equal(every, same[::2])
        np.testing.assert_allclose(total, np.sum(same * same))
