"""Kernels of rows whose results lie in the memory of what they read."""

import numpy as np
import pytest

from autodiff.backends.kernels.rows.in_place import replaceable, rows_accesses
from autodiff.backends.kernels.rows.memory import row_kernel_of
from autodiff.backends.passes.fusion.fuse import fuse
from autodiff.backends.straight import Straight
from autodiff.trace.spec import spec_of
from tests.backends.kernels.running import alike, needs_numba, simple

RNG = np.random.default_rng(3)
X, Y = RNG.normal(size=(200, 300)).astype(np.float32), RNG.normal(size=(200, 300)).astype(np.float32)
V = RNG.normal(size=50_000)


def adam(p, m, v, g):
    m = 0.9 * m + 0.1 * g
    v = 0.99 * v + 0.01 * g * g
    return p - 0.01 * m / (np.sqrt(v) + 1e-8), m, v


def normalised(x):
    centred = x - np.mean(x, axis=1, keepdims=True)
    return centred / np.sqrt(np.mean(centred * centred, axis=1, keepdims=True) + 1e-5)


def softmax(x):
    shares = np.exp(x - np.max(x, axis=1, keepdims=True))
    return shares / np.sum(shares, axis=1, keepdims=True)


def read_again(x):
    doubled = np.tanh(x * 2)
    return doubled, x * np.sum(doubled, axis=1, keepdims=True)


def with_total(x, y):
    return x * y + 1, np.sum(x * x), np.sum(y, axis=0)


def two_in_one_loop(x, y):
    return np.sin(x) + y, np.cos(x) * y


def of_rows_and_columns(x, row):
    return x * row[:, None] + row.sum(), np.exp(row)


# fmt: off
PROGRAMS = {
    # the function, its arguments, how many results may lie in their memory
    "a step of Adam":        (adam,                (np.abs(V), V * 2, V * V, V + 1), 3),
    "a normalised row":      (normalised,          (X,), 1),
    "softmax":               (softmax,             (X,), 1),
    "two results":           (read_again,          (X,), 1),
    "totals beside it":      (with_total,          (X, Y), 1),
    "what both read":        (two_in_one_loop,     (X, Y), 1),
    "rows and columns":      (of_rows_and_columns, (X, Y[:, 0].copy()), 1),
}
# fmt: on


@needs_numba
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_are_the_same(name):
    function, args, count = PROGRAMS[name]
    tape = fuse(simple(function, *args))
    assert "kernel_of_rows" in [equation.primitive.name for equation in tape.equations]
    wanted = Straight(tape).run(*(array.copy() for array in args))
    straight = Straight(tape, donated=range(len(args)))
    assert len(straight.memory.reused) >= count
    for _ in range(2):
        given = [array.copy() for array in args]
        found = straight.run(*given)
        alike(found, wanted, 0)
        inside = [k for k, out in enumerate(found) if any(out is array for array in given)]
        assert len(inside) == len(straight.memory.reused)


def kernel_of(function, *args):
    tape = fuse(simple(function, *args))
    (equation,) = [e for e in tape.equations if e.primitive.name == "kernel_of_rows"]
    params = dict(equation.params)
    return row_kernel_of(params["tape"], params["shape"])


def possible(function, *args):
    """For each result that fills the grid how many inputs it may replace."""
    return [len(found) for found in replaceable(kernel_of(function, *map(spec_of, args))).values()]


def test_a_result_replaces_what_was_read_before():
    assert possible(adam, *PROGRAMS["a step of Adam"][1]) != []
    assert possible(normalised, X) == [1]
    assert sorted(possible(read_again, X)) == [0, 1]


def test_what_is_read_elsewhere_is_not_replaced():
    def other_rows(x):
        return np.exp(x) * x[:1] + 1  # every row reads the first one

    (found,) = [replaceable(kernel_of(other_rows, spec_of(X)))]
    assert all(len(inputs) <= 1 for inputs in found.values())


TEXT = """\
def kernel(block, lo, hi):
    in0 = pointer(block, 0)
    out1 = pointer(block, 1)
    out3, part, columns, v4, total3 = pointer(block, 2), lo, word(block, 3), 1, 0.0
    for r in range(lo, hi):
        at = r * columns
        sum3 = 0.0
        for j in range(columns):
            v0 = load_float32(in0, at + j)
        v5 = load_float32(in0, at + v4)
        for j in range(columns):
            v0 = load_float32(in0, at + j)
            store_float32(out1, at + j, v0)
    store_float64(out3, part, total3)
"""


def test_where_a_text_loads_and_stores():
    loads, stores = rows_accesses(TEXT)
    assert loads == {"in0": [(1, 9, "at + j"), (2, 10, "at + v4"), (3, 12, "at + j")]}
    assert stores == {"out1": [(3, 13, "at + j")], "out3": [(0, 14, "outside")]}


def test_the_text_names_one_word_for_both():
    kernel = kernel_of(normalised, spec_of(X))
    (slot,) = kernel.outputs
    shared = row_kernel_of(kernel.tape, kernel.grid.shape, ((slot, 0),))
    assert f"    out{slot} = in0\n" in shared.text
    assert [a.name for a in shared.arguments if a.role in ("input", "output")] == ["in0"]


def test_places_are_read_to_their_end():
    loads, stores = rows_accesses(
        "def kernel(block, lo, hi):\n"
        "    in0, in1, out2, at, j, columns = pointer(block, 0), pointer(block, 1), pointer(block, 2), lo, hi, 4\n"
        "    for r in range(lo, hi):\n"
        "        x = load_int64(in0, at + min(j, max(r, 1))) + load_int64(in1, (r % 3) * columns + j)\n"
        "        store_int64(out2, at + (j + 1), min(x, 4))\n"
    )
    assert loads == {"in0": [(0, 4, "at + min(j, max(r, 1))")], "in1": [(0, 4, "r % 3 * columns + j")]}
    assert stores == {"out2": [(0, 5, "at + (j + 1)")]}
