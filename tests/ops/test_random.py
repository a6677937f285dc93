"""Random numbers whose state is an argument: Philox's published answers, distributions, and every transformation."""

import re

import numpy as np
import pytest
from scipy import stats

import autodiff
from autodiff import eval_tape, grad, jit, jvp, make_tape, random, scan, value_and_grad, vmap
from autodiff.ops.random import BLOCK, philox, random_numbers

X = np.linspace(-1.0, 1.0, 24).reshape(4, 6)

# Of the authors' library Random123: a counter, a key, four words.
PUBLISHED = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]  # fmt: skip

DRAWS = {
    "bits": lambda state, shape: random.bits(state, shape),
    "uniform": lambda state, shape: random.uniform(state, shape),
    "uniform of float32": lambda state, shape: random.uniform(state, shape, np.float32),
    "normal": lambda state, shape: random.normal(state, shape),
    "normal of float32": lambda state, shape: random.normal(state, shape, np.float32),
    "bernoulli": lambda state, shape: random.bernoulli(state, 0.3, shape),
}


def words(text):
    return [np.array(int(word, 16), np.uint64) for word in text.split()]


@pytest.mark.parametrize(("counter", "key", "answer"), PUBLISHED)
def test_the_published_answers(counter, key, answer):
    assert philox(words(counter), words(key)).tolist() == [int(word) for word in words(answer)]


def test_numbers_are_what_words_of_successive_counters_say():
    found, after = random.bits(np.array([2**63 + 5, 2**32 - 1], np.uint64), (2, 3))
    for place, number in enumerate((2**32 - 1, 2**32)):
        counter = [number & 0xFFFFFFFF, number >> 32, 0, 0]
        expected = philox(
            [np.array(word, np.uint64) for word in counter], [np.array(word, np.uint64) for word in (5, 2**31)]
        )
        own = found.reshape(-1)[4 * place : 4 * place + 4]
        assert own.tolist() == expected.tolist()[: own.size]
    assert after.tolist() == [2**63 + 5, 2**32 + 1]
    assert random.bits(np.array([1, 2**64 - 1], np.uint64), 8)[1].tolist() == [1, 1]


@pytest.mark.parametrize("name", DRAWS)
def test_draws_that_follow_each_other_are_one_long_draw(name):
    state = random.state(3)
    whole, after = DRAWS[name](state, (4 * BLOCK + 24,))
    first, between = DRAWS[name](state, (20,))
    second, behind = DRAWS[name](between, (2, 2 * BLOCK + 2))
    np.testing.assert_array_equal(np.concatenate([first, second.reshape(-1)]), whole)
    assert behind.tolist() == after.tolist()
    assert state.tolist() == [3, 0]


@pytest.mark.parametrize("name", DRAWS)
def test_shapes_without_axes_and_without_elements(name):
    number, after = DRAWS[name](random.state(3), ())
    assert (number.shape, after.tolist()) == ((), [3, 1])
    assert number == DRAWS[name](random.state(3), 5)[0][0]
    nothing, after = DRAWS[name](random.state(3), (2, 0))
    assert (nothing.shape, after.tolist()) == ((2, 0), [3, 0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_distributions(dtype):
    uniform, state = random.uniform(random.state(11), 20_000, dtype)
    assert (uniform.dtype, uniform.min() >= 0, uniform.max() < 1) == (dtype, True, True)
    assert stats.kstest(uniform, "uniform").pvalue > 0.01
    normal, _ = random.normal(state, 20_000, dtype)
    assert normal.dtype == dtype
    assert stats.kstest(normal, "norm").pvalue > 0.01
    assert abs(np.corrcoef(normal[::2], normal[1::2])[0, 1]) < 0.03
    assert abs(np.corrcoef(uniform[:-1], uniform[1:])[0, 1]) < 0.03


@pytest.mark.parametrize("chance", [0, 0.1, 0.5, 1])
def test_chances(chance):
    values, _ = random.bernoulli(random.state(5), chance, 20_000)
    assert values.dtype == bool
    assert abs(values.mean() - chance) <= 4 * np.sqrt(chance * (1 - chance) / values.size)


@pytest.mark.parametrize("name", DRAWS)
def test_programs_draw_the_same_bits_and_new_ones_in_every_call(name):
    def draw(state):
        return DRAWS[name](state, (5, 7))

    program = jit(draw)
    state = own = random.state(9)
    found = []
    for _ in range(3):
        (numbers, state), (expected, own) = program(state), draw(own)
        np.testing.assert_array_equal(numbers, expected)
        assert (numbers.dtype, state.tolist()) == (expected.dtype, own.tolist())
        found.append(numbers.tobytes())
    assert len(set(found)) == 3
    np.testing.assert_array_equal(program(random.state(9))[0].tobytes(), found[0])


@pytest.mark.parametrize("name", DRAWS)
def test_each_state_of_a_batch_draws_for_itself(name):
    states = np.stack([random.state(k) for k in range(3)])
    for shape in ((), (5,), (2, 3)):
        numbers, after = vmap(lambda state, shape=shape: DRAWS[name](state, shape))(states)
        for k, state in enumerate(states):
            expected, behind = DRAWS[name](state, shape)
            np.testing.assert_array_equal(numbers[k], expected)
            np.testing.assert_array_equal(after[k], behind)
    shared, _ = vmap(lambda x: DRAWS[name](random.state(0), 5))(np.ones(3))
    np.testing.assert_array_equal(shared, np.stack([DRAWS[name](random.state(0), 5)[0]] * 3))


def test_a_tape_draws_what_the_function_draws():
    tape = make_tape(lambda state: random.uniform(state, 3))(random.state(4))
    assert [equation.primitive for equation in tape.equations] == [random_numbers]
    np.testing.assert_array_equal(eval_tape(tape, random.state(4))[0], random.uniform(random.state(4), 3)[0])


def test_loops_hand_the_state_on():
    def body(state, _):
        numbers, state = random.uniform(state, 4)
        return state, numbers

    expected, after = random.uniform(random.state(2), (3, 4))
    for run in (scan, jit(scan, static_argnums=0)):
        state, numbers = run(body, random.state(2), np.zeros(3))
        np.testing.assert_array_equal(numbers, expected)
        np.testing.assert_array_equal(state, after)


def test_dropout_is_its_formula():
    state = random.state(1)
    mask, after = random.bernoulli(state, 0.75, X.shape)
    y, behind = random.dropout(state, X, 0.25)
    np.testing.assert_array_equal(y, np.where(mask, X * (1 / 0.75), 0))
    np.testing.assert_array_equal(behind, after)
    np.testing.assert_array_equal(random.dropout(state, X, 0)[0], X)
    assert random.dropout(state, X.astype(np.float32))[0].dtype == np.float32
    assert not np.isnan(random.dropout(state, np.full(50, np.inf), 0.5)[0]).any()


def test_gradients_flow_through_the_array_alone():
    mask, _ = random.bernoulli(random.state(1), 0.75, X.shape)
    scaled = mask / 0.75

    def loss(x, state):
        y, state = random.dropout(state, x, 0.25)
        return np.sum(y**2), state

    for transformed in (value_and_grad(loss, has_aux=True), jit(value_and_grad(loss, has_aux=True))):
        (_, after), _ = transformed(X, random.state(1))
        np.testing.assert_array_equal(after, [1, 6])
    for derivative in (grad(loss, has_aux=True), grad(jit(loss), has_aux=True), jit(grad(loss, has_aux=True))):
        np.testing.assert_allclose(derivative(X, random.state(1))[0], 2 * X * scaled**2, rtol=1e-14)
    only = lambda x: random.dropout(random.state(1), x, 0.25)[0]  # noqa: E731
    for pushed in (only, jit(only)):
        np.testing.assert_allclose(jvp(pushed, (X,), (X,))[1], X * scaled, rtol=1e-14)
    second = grad(lambda x: np.sum(grad(lambda y: loss(y, random.state(1))[0])(x) ** 2))(X)
    np.testing.assert_allclose(second, 8 * X * scaled**4, rtol=1e-13)


def test_training_draws_a_new_mask_in_every_step():
    @jit
    def step(x, state):
        def loss(x):
            y, after = random.dropout(state, x)
            return np.sum(y), after

        return grad(loss, has_aux=True)(x)

    state, seen = random.state(0), set()
    for _ in range(4):
        found, state = step(X, state)
        seen.add(found.tobytes())
    assert len(seen) == 4
    assert state.tolist() == [0, 24]


def test_variables():
    x = autodiff.Variable(X)
    y, after = random.dropout(random.state(1), x, 0.25)
    np.sum(y).backward()
    np.testing.assert_allclose(x.grad, random.bernoulli(random.state(1), 0.75, X.shape)[0] / 0.75)
    assert after.tolist() == [1, 6]


STATE = (
    "; it must be an array of two uint64 numbers: make it with random.state(seed), or take the second result of an "
    "earlier draw"
)
BAD = {
    "a seed": (lambda: random.state(0.5), TypeError, "random.state: the seed must be an int, not of type float LINE"),
    "a negative seed": (
        lambda: random.state(-1), ValueError, "random.state: the seed must be from 0 to 2**64 - 1, not -1 LINE",
    ),
    "a seed for a state": (lambda: random.uniform(0), TypeError, f"random.uniform: the state is of type int LINE{STATE}"),
    "both results": (
        lambda: random.normal(random.bits(random.state(0))), TypeError, f"random.normal: the state is of type tuple LINE{STATE}",
    ),
    "numbers for a state": (
        lambda: random.bits(np.zeros(2)), TypeError, f"random.bits: the state is float64[2] LINE{STATE}",
    ),
    "many states": (
        lambda: random.dropout(np.zeros((3, 2), np.uint64), X), TypeError,
        f"random.dropout: the state is uint64[3,2] LINE{STATE}",
    ),
    "a dtype": (
        lambda: random.uniform(random.state(0), 3, np.float16), TypeError,
        "random.uniform: numbers are of float32 or float64, not float16 LINE",
    ),
    "a length": (
        lambda: random.uniform(random.state(0), (2, -1)), ValueError,
        "random.uniform: no length is negative, as in the shape (2, -1) LINE",
    ),
    "a chance": (
        lambda: random.bernoulli(random.state(0), 1.5), ValueError,
        "random.bernoulli: a chance is from 0 to 1, not 1.5 LINE",
    ),
    "a traced chance": (
        lambda: jit(lambda c: random.bernoulli(random.state(0), c)[0])(0.5), TypeError,
        "random.bernoulli: the chance must be a plain number, not float LINE; under jit make it a static argument",
    ),
    "a ratio": (
        lambda: random.dropout(random.state(0), X, 1), ValueError,
        "random.dropout: a ratio is from 0 up to, and without, 1, not 1.0 LINE",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name):
    call, error, text = BAD[name]
    with pytest.raises(error) as caught:
        call()
    assert re.sub(r"\(test_random\.py:\d+\)", "LINE", str(caught.value)) == text


def test_traced_seeds():
    def draw(seed):
        return random.normal(random.state(seed), 2)[0]

    wanted = np.stack([draw(seed) for seed in range(3)])
    for found in (
        vmap(draw)(np.arange(3)),
        jit(vmap(draw))(np.arange(3)),
        scan(lambda c, k: (c, draw(c + k)), 0, np.arange(3))[1],
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-14)
    assert jit(random.state)(np.uint64(2**64 - 1)).tolist() == [2**64 - 1, 0]
    with pytest.raises(TypeError, match=r"random.state: the seed must be an int, not float \(test_random.py:"):
        jit(random.state)(2.0)
