"""Random numbers on GPU arrays: those of the CPU, and new ones in every call, also of programs replayed as graphs."""

import numpy as np
import pytest

from autodiff import grad, jit, random, vmap
from autodiff.backends.cupy.runtime import capturing, graphs, replay
from tests.backends.cupy.hosting import needs_compiler

pytestmark = needs_compiler
X = np.linspace(-1, 1, 35, dtype=np.float32).reshape(5, 7)

EXACT = {
    "bits": lambda state: random.bits(state, (5, 7)),
    "uniform": lambda state: random.uniform(state, (5, 7)),
    "uniform of float32": lambda state: random.uniform(state, (5, 7), np.float32),
    "bernoulli": lambda state: random.bernoulli(state, 0.3, (5, 7)),
}
DRAWS = {
    **EXACT,
    "normal": lambda state: random.normal(state, (5, 7)),
    "normal of float32": lambda state: random.normal(state, (5, 7), np.float32),
}


def same(name, found, expected):
    found = found.get()
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    if name in EXACT:
        np.testing.assert_array_equal(found, expected)
    else:
        eps = np.finfo(expected.dtype).eps
        np.testing.assert_allclose(found, expected, rtol=8 * eps, atol=32 * eps)


def dropped(x, state):
    y, state = random.dropout(state, x, 0.25)
    return np.exp(y), state


def stepped(x, state):
    def loss(x):
        y, after = random.dropout(state, np.tanh(x), 0.25)
        return np.sum(y * y), after

    return grad(loss, has_aux=True)(x)


def all_of_them(state):
    found = {}
    for name, draw in DRAWS.items():
        found[name], state = draw(state)
    return found, state


def test_programs_draw_what_the_cpu_draws(cupy):
    start = np.array([2**63 + 7, 2**32 - 3], np.uint64)
    expected, after = all_of_them(start)
    found, behind = jit(all_of_them)(cupy.asarray(start))
    for name in DRAWS:
        same(name, found[name], expected[name])
    assert behind.get().tolist() == after.tolist()


def test_so_do_single_calls(cupy):
    start = np.array([2**63 + 7, 2**32 - 3], np.uint64)
    found, behind = random.uniform(cupy.asarray(start)[::-1][::-1], (5, 7))
    expected, after = random.uniform(start, (5, 7))
    same("uniform", found, expected)
    assert behind.get().tolist() == after.tolist()
    state = random.state(5, like=found)
    y, behind = random.dropout(state, cupy.asarray(X))
    np.testing.assert_array_equal(y.get(), random.dropout(random.state(5), X)[0])
    assert (behind.get().tolist(), state.get().tolist()) == ([5, 9], [5, 0])
    z = grad(lambda x: np.sum(random.dropout(state, x)[0]))(cupy.asarray(X))
    np.testing.assert_array_equal(z.get(), 2.0 * random.bernoulli(random.state(5), 0.5, X.shape)[0])


def test_a_state_lies_beside_an_array(cupy):
    with cupy.cuda.Device(1):
        x = cupy.asarray(X)
    state = random.state(5, like=x)
    assert (state.device.id, state.get().tolist()) == (1, [5, 0])
    found, after = jit(dropped)(x, state)
    assert (found.device.id, after.device.id) == (1, 1)
    np.testing.assert_allclose(found.get(), dropped(X, random.state(5))[0], rtol=1e-6)


def test_each_state_of_a_batch_draws_for_itself(cupy):
    states = np.stack([random.state(k) for k in range(3)])
    expected, after = vmap(EXACT["uniform"])(states)
    for draw in (vmap(EXACT["uniform"]), jit(vmap(EXACT["uniform"]))):
        found, behind = draw(cupy.asarray(states))
        np.testing.assert_array_equal(found.get(), expected)
        np.testing.assert_array_equal(behind.get(), after)


def test_the_draw_is_a_kernel_of_the_program(cupy):
    program = jit(dropped)
    schedule = program.schedule(cupy.asarray(X), random.state(0, like=cupy.asarray(X)))
    kinds = [(e.primitive.name, dict(e.params).get("kind")) for e in schedule.equations]
    assert kinds == [("device_kernel", "random_numbers"), ("device_kernel", "grid")]


@pytest.mark.parametrize("fun", [dropped, stepped])
def test_replayed_programs_draw_new_numbers(cupy, monkeypatch, fun):
    monkeypatch.setattr(capturing, "REPLAY", 0)
    monkeypatch.setattr(capturing, "COPY", 0)
    monkeypatch.setattr(replay, "LOOKED_AT", 3)
    made, capture = [], graphs.Captured.__init__

    def noting(self, *args):
        made.append(self)
        capture(self, *args)

    monkeypatch.setattr(graphs.Captured, "__init__", noting)
    program = jit(fun)
    x, own = cupy.asarray(X), random.state(1)
    state, seen = random.state(1, like=x), []
    for _ in range(8):
        found, state = program(x, state)
        expected, own = fun(X, own)
        np.testing.assert_allclose(found.get(), expected, rtol=1e-5, atol=1e-6)
        assert state.get().tolist() == own.tolist()
        seen.append(found.get().tobytes())
    assert made
    assert len(set(seen)) == 8
    assert program(x, random.state(1, like=x))[0].get().tobytes() == seen[0]


def test_a_state_that_lies_elsewhere(cupy):
    with pytest.raises(TypeError) as caught:
        random.dropout(random.state(0), cupy.asarray(X))
    where = f" (test_random.py:{caught.traceback[0].lineno + 1})"
    assert str(caught.value) == (
        "random.dropout: its operands lie in different places, uint64[2] in host memory (NumPy) and float32[5,7] on GPU "
        f"0{where}; nothing is moved unasked: bring them together with cupy.asarray(x), or with x.get() in host memory"
    )
