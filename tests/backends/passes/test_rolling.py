"""Steps of Python loops that were written out become loops again."""

from dataclasses import replace

import numpy as np
import pytest

import autodiff
import autodiff.numpy as anp
from autodiff import make_tape, value_and_grad
from autodiff.backends.passes.rolling.origins import longest_stretch
from autodiff.backends.passes.rolling.repetitions import LONG, Repetition, repetitions, runs_of
from autodiff.backends.passes.rolling.roll import rolled
from autodiff.backends.passes.rolling.rows import with_rows_read
from autodiff.backends.passes.rolling.stacks import Row, Stretch, stretch_from
from autodiff.backends.passes.schedule import schedule
from autodiff.backends.reference import run_tape
from autodiff.trace.tape import check_tape
from autodiff.transforms.jit.constants import with_known_values
from tests.backends.passes.rolling_programs import drawn

RANDOM = np.random.default_rng(0)
X, W, B = RANDOM.normal(size=(120, 3)), RANDOM.normal(size=(3, 3)) / 3, RANDOM.normal(size=3)
SIGNAL = RANDOM.normal(size=150)
SYMBOLS = RANDOM.integers(0, 4, 120)


def tapes_of(f, args):
    """The tape of a program without constants, the one with loops, and the values of the inputs."""
    tape = with_known_values(make_tape(f)(*args))
    values = [*autodiff.tree.leaves(args), *tape.constants]
    tape = replace(tape, constants=(), arguments=None, results=None)
    found = rolled(tape)
    check_tape(found)
    return tape, found, values


def same_bits(tape, found, values, rtol=0.0):
    """Whether both give the same."""
    with np.errstate(all="ignore"):
        for x, y in zip(run_tape(tape, values), run_tape(found, values), strict=True):
            assert type(x) is type(y)
            np.testing.assert_allclose(y, x, rtol=rtol, atol=0.0)


def loops_of(tape):
    """How many steps the loops of a tape have."""
    return [dict(e.params)["length"] for e in tape.equations if e.primitive.name == "scan"]


def recurrent(x, w, b):
    h, total = b, 0.0
    for row in x:
        h = np.tanh(row + h @ w)
        total = total + np.sum(h * b)
    return total


def runge_kutta(x, w, b):
    def slope(y):
        return np.sin(y @ w) - b * y

    y = x[0]
    for _ in range(40):
        k1 = slope(y)
        k2 = slope(y + 0.05 * k1)
        k3 = slope(y + 0.05 * k2)
        y = y + 0.1 * (k1 + 2 * k2 + 2 * k3 + slope(y + 0.1 * k3)) / 6
    return np.sum(y**2)


def collected(x, w, b):
    rows = [b]
    for row in x:
        rows.append(0.5 * rows[-1] @ w + row)
    return np.sum(np.stack(rows) ** 2) + np.sum(np.stack(rows[::-2]) * b)


def filled(x, w, b):
    u = anp.zeros_like(x)
    u[0] = b
    for k in range(len(x) - 1):
        u[k + 1, 1:] = u[k, 1:] + 0.1 * (u[k, :-1] - 2 * x[k, 1:]) * b[1:]
        u[k + 1, 0] = u[k, 0] * w[0, 0]
    return np.sum(u * x)


def by_columns(x, w, b):
    u = anp.zeros((3, 100)) + b[:, None]
    for k in range(99):
        u[:, k + 1] = w @ u[:, k] + 0.1 * x[k]
    return np.sum(u**2)


def two_steps_back(x, w, b):
    one, two, total = b, 2 * b, 0.0
    for k in range(100):
        one, two = np.cos(one) * w[0] + 0.3 * two + x[k], one
        total = total + one[0] * two[1]
    return total


def picked(x, w, b):
    belief, total = np.exp(b), 0.0
    table = np.exp(x[:4])
    for symbol in SYMBOLS:
        belief = (belief @ (w * w)) * table[symbol]
        scale = np.sum(belief)
        total, belief = total + np.log(scale), belief / scale
    return total


def steps_that_differ(x, w, b):
    y = b
    for k in range(120):
        y = np.sin(y) * (1 + 0.01 * k) + x[k]
        if k % 5 == 0:
            y = y - 0.1 * b
        if k == 50:
            y = y * w[0]
    return np.sum(y)


def nested(x, w, b):
    y, total = b, 0.0
    for k in range(20):
        for _ in range(12):
            y = y - 0.1 * np.sin(y) * w[0]
        total = total + np.sum(y * x[k])
    return total


def newton(x, w, b):
    y = np.exp(b)
    for _ in range(60):
        y = y - (y * y - 2 - b * b) / (2 * y)
        y = np.where(y > 0, y, 1.0)
    return np.sum(y)


ANOTHER_ORDER = {"by_columns": 1e-14, "picked": 1e-13}
"""Programs that add up rows in another order: of an array that lies in memory otherwise, of rows picked at random."""

PROGRAMS = {f.__name__: f for f in (
    recurrent, runge_kutta, collected, filled, by_columns, two_steps_back, picked, steps_that_differ, nested, newton,
)}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_steps_become_loops(name):
    f = PROGRAMS[name]
    tape, found, values = tapes_of(f, (X, W, B))
    same_bits(tape, found, values, ANOTHER_ORDER.get(name, 0.0))
    tape, found, values = tapes_of(value_and_grad(f, argnums=(0, 1, 2)), (X, W, B))
    same_bits(tape, found, values, ANOTHER_ORDER.get(name, 0.0))
    assert len(loops_of(found)) >= 2
    assert len(found.equations) < len(tape.equations) / 4


@pytest.mark.parametrize("name", PROGRAMS)
def test_they_are_one_kernel(name):
    g = value_and_grad(PROGRAMS[name], argnums=(0, 1, 2))
    value, grads = autodiff.jit(g)(X, W, B)
    expected, wanted = g(X, W, B)
    np.testing.assert_allclose(value, expected, rtol=1e-9)
    for one, other in zip(grads, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-9 * np.abs(other).max())


def test_the_length_of_the_text_does_not_grow_with_the_steps():
    def total(x):
        y = x
        for k in range(800):
            y = np.sin(y) + 0.1 * y * k
        return np.sum(y)

    tape, found, values = tapes_of(autodiff.grad(total), (B,))
    assert len(tape.equations) > 3000
    assert len(found.equations) < 100
    same_bits(tape, found, values)
    assert len(schedule(tape).tape.equations) == 1


@pytest.mark.parametrize("seed", range(6))
def test_random_programs_keep_their_bits(seed):
    f, args = drawn(np.random.default_rng(seed))
    same_bits(*tapes_of(f, args))
    same_bits(*tapes_of(value_and_grad(f, argnums=(0, 1, 2)), args))


def test_second_order():
    def total(b):
        y = b
        for k in range(60):
            y = np.sin(y) * b + X[k]
        return np.sum(y)

    tape, found, values = tapes_of(autodiff.hessian(total), (B,))
    same_bits(tape, found, values)
    assert len(found.equations) < len(tape.equations) / 4
    np.testing.assert_allclose(autodiff.jit(autodiff.hessian(total))(B), autodiff.hessian(total)(B), rtol=1e-9)


def test_in_the_bodies_of_loops():
    def step(y, x):
        for k in range(80):
            y = np.sin(y) * x + 0.1 * k * x
        return y, np.sum(y)

    def total(x, b):
        return np.sum(autodiff.scan(step, b, x)[1])

    tape, found, values = tapes_of(value_and_grad(total, argnums=(0, 1)), (X[:5], B))
    same_bits(tape, found, values)
    inner = [dict(e.params)["tape"] for e in found.equations if e.primitive.name == "scan"]
    assert [loops_of(body) != [] for body in inner] == [True, True]


def test_complex_numbers_and_integers():
    def total(z, n):
        for k in range(80):
            z, n = z * z * 0.5j + 0.1 * k, n * 3 % 17 + k
            z = np.where(n > 8, z * 0.5, z / (1 + abs(z)))
        return np.real(z), n

    z, n = np.array([0.3 + 0.1j, -0.2j]), np.array([3, 5])
    tape, found, values = tapes_of(total, (z, n))
    same_bits(tape, found, values)
    assert loops_of(found)
    for one, other in zip(autodiff.jit(total)(z, n), total(z, n), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10)


@pytest.mark.parametrize("odd", [0, 1, 2, 5, 20, 70, 117, 119])
@pytest.mark.parametrize("far", [1, 2, 3, 5])
def test_a_step_that_reads_something_else(odd, far):
    def every(x, b):
        seen = [b * (k + 1) for k in range(far)]
        for t in range(120):
            before = b if t == odd else seen[-1]
            seen.append(np.sin(before) * b + 0.5 * seen[-far] + 0.1 * seen[-1] + x[t])
        return np.stack(seen)

    tape, found, values = tapes_of(every, (X, B))
    same_bits(tape, found, values)
    assert loops_of(found)


def truths(b):
    y = b
    for k in range(120):
        y = np.sin(y) * (k % 2 == 0) + b * (k % 3 > 0)
    return y


def large_integers(b):
    y = b
    for k in range(100):
        y = np.sin(y) + (y * 10**k) / 10**k
    return y


def every_step_returned(b):
    y, found = b, {}
    for k in range(90):
        y = np.sin(y) * b + 1
        found[k] = y[0], np.sum(y), y
    return found


def growing(b):
    y = b
    for _ in range(110):
        y = np.concatenate([y, y[-1:] * 0.9])
    return y


def shuffled(b):
    rows, total = [b * (k + 1) for k in range(100)], 0.0
    for k in np.random.default_rng(0).permutation(100):
        total = np.sin(total) + np.sum(rows[k] * b)
    return total


def tables(b):
    u = anp.zeros((40, 3)) + b
    for k in range(1, 40):
        for j in range(1, 3):
            u[k, j] = u[k - 1, j] * 0.5 + u[k, j - 1] * 0.25
    return u


def windows(b):
    total = 0.0
    for k in range(1, 119):
        total = total + np.sum(X[k - 1 : k + 2] * b) ** 2
    return total


@pytest.mark.parametrize("f", [truths, large_integers, every_step_returned, growing, shuffled, tables, windows])
def test_other_ways_to_write_loops(f):
    tape, found, values = tapes_of(f, (B,))
    same_bits(tape, found, values)
    for one, other in zip(autodiff.tree.leaves(autodiff.jit(f)(B)), autodiff.tree.leaves(f(B)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10)


def test_numbers_of_python_stay_weak():
    def total(x):
        y, t = x, 0.0
        for _ in range(100):
            t = t + 0.1
            y = np.sin(y) + t * y + 1
        return y

    x = np.float32([0.1, 0.2])
    tape, found, values = tapes_of(total, (x,))
    same_bits(tape, found, values)
    assert loops_of(found)
    assert found.output_specs[0].dtype == np.float32


def of_large_values(x, w, b):
    y = np.outer(x, x[:, 0])
    for _ in range(100):
        y = np.sin(y) * b[0] + 1
    return np.sum(y)


def of_a_large_matrix(x, w, b):
    y, large = x[:40, 0], np.outer(SIGNAL, x[:40, 1])
    for _ in range(100):
        y = np.tanh(large.T @ (large @ y)) * b[0] + 1
    return np.sum(y)


def test_rows_of_a_large_array_are_taken_and_given_back_by_loops():
    def total(x, b):
        y = b
        for k in range(100):
            y = np.sin(x[3 * k]) * y + 0.5 * y
        return np.sum(y)

    large = np.random.default_rng(5).normal(size=(3000, 3))
    tape, found, values = tapes_of(autodiff.grad(total, argnums=(0, 1)), (large, B))
    same_bits(tape, found, values)
    assert len(found.equations) < len(tape.equations) / 4


STAY = {
    "short": lambda x, w, b: np.sum(np.tanh(np.tanh(x @ w) @ w) @ w),
    "few steps": lambda x, w, b: sum(np.sum(np.tanh(x * k) @ w) for k in range(7)),
    "large values": of_large_values,
    "a large matrix": of_a_large_matrix,
}


@pytest.mark.parametrize("name", STAY)
def test_others_stay_as_they_are(name):
    tape, found, _ = tapes_of(STAY[name], (X, W, B))
    assert found is tape


def test_what_is_done_in_its_turn_stays_in_its_place(capsys):
    def total(x):
        y = x
        for k in range(100):
            y = np.sin(y) * x + k
            y = autodiff.debug.print("{}", y)
        return np.sum(y)

    tape, found, values = tapes_of(total, (B,))
    run_tape(tape, values)
    before = capsys.readouterr().out
    run_tape(found, values)
    assert capsys.readouterr().out == before
    assert before.count("\n") == 100


def test_arrays_that_were_filled_from_several_sides():
    def total(x, b):
        u = x * 1.0
        for k in range(1, 60):
            u[k] = u[k - 1] * b + u[-k]
            u[k, 0] = u[k, 1]
        v = u * 2
        v[5] = b
        return np.sum(u[3:50] * v[3:50]) + np.sum(u[7]) + np.sum(v[5])

    for f in (total, value_and_grad(total, argnums=(0, 1))):
        tape = with_known_values(make_tape(f)(X, B))
        values = [X, B, *tape.constants]
        tape = replace(tape, constants=(), arguments=None, results=None)
        read = with_rows_read(tape)
        check_tape(read)
        same_bits(tape, read, values)


def test_repetitions():
    labels = np.array([9, 8, *[1, 2, 3, 2] * 40, 7, *[5, 6] * 50])
    assert repetitions(labels)[0] == [Repetition(2, 162, 4)]
    assert [Repetition(163, 263, 2)] in repetitions(labels)
    assert list(runs_of(labels, 2))[-1] == Repetition(163, 263, 2)
    assert repetitions(np.arange(LONG)) == [] == repetitions(np.zeros(5, np.int64))


def test_stretches():
    rows = [Row(3, -1, 4), Row(3, -1, 2), Row(3, -1, 0), Row(4, -1, 0), None]
    assert stretch_from(rows, 0) == Stretch(3, -1, 4, -2, 3)
    assert stretch_from(rows, 3) is None is stretch_from(rows, 4)
    yes, no = [True], [False]
    assert longest_stretch({0: np.array(no + yes * 5 + no + yes * 3)}, 10) == (1, 6)
    assert longest_stretch({2: np.array(no * 2 + yes * 4 + no * 3)}, 9) == (0, 6)
    assert longest_stretch({1: np.array(yes * 3 + no + yes * 6), 3: np.array(no * 5 + yes * 5)}, 10) == (3, 10)
    assert longest_stretch({}, 4) == (0, 4)
