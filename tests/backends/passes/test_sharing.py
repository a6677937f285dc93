"""Whoever writes to a result changes what the function itself would have changed."""

import numpy as np
import pytest

from autodiff import make_tape
from autodiff.backends.passes import simplify
from autodiff.backends.passes.memory.sharing import keep_apart
from autodiff.trace.tape import check_tape
from tests.backends.passes.tapes import names, run

X = np.arange(6.0).reshape(2, 3)

CASES = {
    "nothing done": (lambda x: x * 1, ["copy"]),
    "the argument": (lambda x: x, []),
    "a view": (lambda x: x[1:], ["slice_of"]),
    "a view of a view": (lambda x: x.T.T, []),
    "the same twice": (lambda x: (x + 1, x + 1), ["add", "copy"]),
    "one object twice": (lambda x: (lambda y: (y, y))(x + 1), ["add"]),
    "a copy, once and twice": (lambda x: (lambda y: (y, y, x))(x * 1), ["copy"]),
    "parts": (lambda x: tuple(np.split(x + 1, 2)), ["add", "split"]),
    "one number everywhere": (lambda x: np.sin(np.broadcast_to(x[0, 0], (2, 2))), ["slice_of", "sin", "broadcast_to", "copy"]),
    "a view that repeats": (lambda x: np.broadcast_to(x[0, 0], (2, 2)), ["slice_of", "broadcast_to"]),
    "scalars": (lambda x: (np.sum(x) * 1, np.sum(x)), ["sum"]),
    "numbers": (lambda x: (np.float64(1.0) * 1, 2), []),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_results_have_memory_of_their_own(name):
    fun, left = CASES[name]
    tape = make_tape(fun)(X)
    after = simplify(tape)
    check_tape(after)
    assert names(after) == left
    old, new = run(tape, (X,)), run(after, (X,))
    for k, (one, other) in enumerate(zip(old, new, strict=True)):
        if isinstance(other, np.ndarray):
            assert one.flags.writeable == other.flags.writeable
            assert np.may_share_memory(other, X) == np.may_share_memory(one, X)
            assert [np.may_share_memory(other, o) for o in new[:k]] == [np.may_share_memory(one, o) for o in old[:k]]


def test_a_tape_that_shares_nothing_new_stays():
    tape = make_tape(lambda x: (x + 1, x.T))(X)
    assert keep_apart(tape, tape) is tape
