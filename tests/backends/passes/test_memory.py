"""Where the arrays of a program lie."""

from itertools import product

import numpy as np
import pytest

from autodiff import custom_vjp, make_tape, scan
from autodiff.backends.choice import numba_is_there
from autodiff.backends.passes.fusion.fuse import fuse
from autodiff.backends.passes.memory.placement import Lives, Space, bytes_of, plan_memory
from autodiff.trace.primitive import general
from autodiff.trace.spec import spec

X = spec((4, 16), np.float64)
W = spec((16, 16), np.float64)
needs_numba = pytest.mark.skipif(not numba_is_there(), reason="kernels of rows are printed for Numba")


def plan(fun, *specs, **options):
    return plan_memory(make_tape(fun)(*specs), **options)


def test_it_is_printed():
    def layer(x, w):
        hidden = np.tanh(x @ w)
        return np.sum(hidden * hidden, axis=0), x.T @ hidden

    assert str(plan(layer, X, W)) == (
        "workspace of 1024 bytes for arrays of 1536 bytes\n"
        "c: float64[4,16] of matmul: at 0\n"
        "d: float64[4,16] of tanh: at 0\n"
        "e: float64[4,16] of multiply: at 512"
    )
    assert str(plan(layer, X, W, donated=(1,), large=128)) == (
        "workspace of 1024 bytes for arrays of 1536 bytes\n"
        "c: float64[4,16] of matmul: at 0\n"
        "d: float64[4,16] of tanh: at 0\n"
        "e: float64[4,16] of multiply: at 512\n"
        "f: float64[16] of sum: new\n"
        "h: float64[16,16] of matmul: in the memory of b"
    )


def named(memory):
    """The places by the names of the operations."""
    made = {slot: e.primitive.name for e in memory.tape.equations for slot in e.results}
    return {made[slot]: place for slot, place in memory.places.items()}


def test_what_leaves_the_program_has_no_place():
    assert named(plan(lambda x: (np.exp(x), np.exp(x).T, np.sin(x)[:2]), X)) == {}
    assert named(plan(lambda x: np.exp(x).reshape(8, 8)[1:], X)) == {}
    assert named(plan(lambda x: np.exp(x)[1:] + 1, X)) == {"exp": 0}


def test_a_view_keeps_the_place_of_what_it_shows():
    def fun(x):
        grown = np.exp(x)
        shown = grown.T[2:]
        other = np.sin(x)
        return shown @ other

    assert named(plan(fun, X)) == {"exp": 0, "sin": 512}


def test_a_result_takes_the_place_of_what_its_operation_reads_last():
    assert named(plan(lambda x: -np.sin(np.exp(x)) * 2, X)) == {"exp": 0, "sin": 0, "negative": 0}

    def still_read(x):
        grown = np.exp(x)
        return np.sin(grown) * grown * 2

    assert named(plan(still_read, X)) == {"exp": 0, "sin": 512, "multiply": 512}


def test_another_shape_dtype_or_view_of_the_same_memory_is_not_overwritten():
    square = spec((4, 4), np.float64)
    assert named(plan(lambda x: (np.exp(x) > 1) & True, square)) == {"exp": 0, "greater": 128}
    assert named(plan(lambda x: np.exp(x) + np.ones((3, 4, 4)) * 2, square))["exp"] == 0

    def with_its_transpose(x):
        grown = np.exp(x)
        return np.sin(grown + grown.T) * 2

    assert named(plan(with_its_transpose, square)) == {"exp": 0, "add": 128, "sin": 128}


def test_what_code_from_elsewhere_gets_to_see_has_no_place():
    foreign = general("foreign", ("x",), lambda x: x, lambda x: x, {}, register=False)
    assert named(plan(lambda x: foreign(np.exp(x)) * 2 + np.sin(x), X)) == {"multiply": 0, "sin": 512}

    @custom_vjp
    def ruled(x):
        return x * 2

    ruled.defvjp(lambda x: (x * 2, None), lambda _, g: (g * 2,))
    assert "exp" not in named(plan(lambda x: ruled(np.exp(x)) + 1, X))


def test_what_a_loop_gets_to_see_lives_as_long_as_its_results():
    def fun(x):
        grown = np.exp(x)
        carry, rows = scan(lambda c, row: (c + row, c * row), grown[0], grown)
        return carry * 2, rows + np.sin(rows)

    memory = plan(fun, X)
    assert named(memory)["exp"] == 0
    assert all(place > 0 for name, place in named(memory).items() if name != "exp")


def test_literals_twice_and_results_that_nobody_reads():
    memory = plan(lambda x: (2.0, x, x), X)
    assert (memory.size, memory.places) == (0, {})
    assert named(plan(lambda x: (np.exp(x), np.sin(x) + 1)[0], X)) in ({}, {"sin": 0, "add": 0})
    assert named(plan(lambda x: np.exp(x[:0]) + 1, X)) == {}


DONATED = spec((8,), np.float32)


def test_outputs_take_the_memory_of_donated_inputs():
    memory = plan(lambda x, y: (x - 2 * y, np.exp(y)), DONATED, DONATED, donated=(0, 1))
    outs = memory.tape.outputs
    assert memory.reused == {outs[0]: 0, outs[1]: 1}
    assert memory.shared == {}


def test_donated_inputs_that_are_still_read_stay_as_they_are():
    def read_later(x):
        y = x + 1
        return y, np.sum(y * x)

    assert plan(read_later, DONATED, donated=(0,)).reused == {}
    assert plan(lambda x: (x + 1, x), DONATED, donated=(0,)).reused == {}
    assert plan(lambda x: (np.sin(x) + 1, x[::-1]), DONATED, donated=(0,)).reused == {}
    assert plan(lambda x: x + x[::-1], DONATED, donated=(0,)).reused == {}
    assert plan(lambda x: x.astype(np.float64) + 1, DONATED, donated=(0,)).reused == {}
    assert plan(lambda x: np.sum(x), DONATED, donated=(0,)).reused == {}


@needs_numba
def test_kernels_of_rows_write_over_what_they_read():
    def adam(p, m, g):
        m = 0.9 * m + 0.1 * g
        return p - 0.01 * m / (np.abs(m) + 1e-8), m

    big = spec((5000,), np.float32)
    memory = plan_memory(fuse(make_tape(adam)(big, big, big)), (0, 1))
    assert [equation.primitive.name for equation in memory.tape.equations] == ["kernel_of_rows"]
    assert sorted(memory.reused.values()) == [0, 1]
    assert len(memory.shared[0]) == 2


@needs_numba
def test_kernels_of_rows_never_share_places_with_what_they_read():
    def fun(x):
        first = np.tanh(np.exp(x) + x) * x
        product = first @ first.T
        return np.sum(np.exp(product - 1) * 2) * np.cos(product)

    memory = plan_memory(fuse(make_tape(fun)(spec((64, 64), np.float64))))
    disjoint_while_alive(memory)
    assert memory.working


def disjoint_while_alive(memory):
    """Assert that no two arrays that are needed at once overlap, but for what is overwritten as it is read."""
    tape, lives = memory.tape, Lives(memory.tape, memory.all_effects)
    specs = tape.specs
    made = {slot: number for number, e in enumerate(tape.equations) for slot in e.results}
    spans = [(made[slot], lives.last[slot], at, at + bytes_of(specs[slot]), slot) for slot, at in memory.places.items()]
    spans += [
        (number, number, at, at + bytes_of(own), None) for number, all in memory.working.items() for at, own in all
    ]
    for one, other in product(spans, spans):
        if one is other or one[0] > other[0] or max(one[2], other[2]) >= min(one[3], other[3]):
            continue
        in_place = one[4] is not None and one[1] == other[0] and one[2:4] == other[2:4]
        elementwise = tape.equations[other[0]].primitive.family == "elementwise"
        assert one[1] < other[0] or (in_place and elementwise), (one, other)


@pytest.mark.parametrize("seed", range(20))
def test_random_programs_never_lose_what_they_need(seed):
    rng = np.random.default_rng(seed)

    def fun(*values):
        values = list(values)
        for _ in range(40):
            x, y = (values[k] for k in rng.integers(len(values), size=2))
            kind = rng.integers(6)
            made = (
                np.exp(x), x + y, (x.T + 1).T, x @ y.T @ y, np.concatenate([x[:2], y[2:]]), np.maximum(x, y)[::-1]
            )[kind]  # fmt: skip
            values.append(made)
            if len(values) > 8:
                values.pop(int(rng.integers(len(values) - 1)))
        return values[-1], values[-2].T

    memory = plan(fun, X, X)
    disjoint_while_alive(memory)
    assert memory.size <= memory.total
    leaving = {slot for out in memory.tape.outputs for slot in Lives(memory.tape, memory.all_effects).roots[out]}
    assert not leaving & memory.places.keys()


def test_space():
    space = Space()
    a, b, c = space.take(10), space.take(100), space.take(64)
    assert (a, b, c, space.size) == (0, 64, 192, 256)
    space.give(b, 100)
    assert space.take(1) == 64
    assert space.take(64) == 128
    space.give(a, 10)
    space.give(64, 1)
    assert space.holes == [(0, 128)]
    space.give(c, 64)
    assert space.take(65) == 0
    assert space.take(200) == 192
    assert space.size == 192 + 256


def test_results_that_may_show_an_operand_keep_its_place():
    memory = plan(lambda x: np.round(np.exp(x), 2) * np.sin(x) + 1, X)
    assert named(memory) == {"exp": 0, "sin": 512, "multiply": 512}
    assert named(plan(lambda x: np.round(np.exp(x), 2), X)) == {}
