"""Sums of parts as arrays that are put together."""

import numpy as np
import pytest

from autodiff import make_tape
from autodiff.backends.passes.preparation import pieces
from autodiff.backends.passes.preparation.pieces import PIECES
from autodiff.backends.passes.rewrite.rewriting import rewrite
from autodiff.backends.passes.rewrite.simplify import simplify
from autodiff.ops.index import slice_into
from autodiff.trace.tape import check_tape
from tests.backends.passes.tapes import names, run

A, B, C = (np.random.default_rng(seed).normal(size=(3, length)) for seed, length in enumerate((2, 4, 2)))
WHOLE = (None, None, None)


def part(x, start, stop, axis=-1):
    """Zeros of six columns, or rows, with an array in some of them."""
    shape = (3, 6) if axis == -1 else (6, 3)
    key = ((start, stop, None),) if axis == -1 else ((start, stop, None), WHOLE)
    return slice_into(x, key=key, shape=shape)


def after(fun, *args):
    tape = make_tape(fun)(*args)
    found = simplify(rewrite(tape, PIECES))
    check_tape(found)
    np.testing.assert_array_equal(run(found, args)[0], run(tape, args)[0])
    return names(found)


def test_parts_side_by_side_are_put_together():
    assert after(lambda a, b: part(a, 0, 2) + part(b, 2, 6), A, B) == ["concatenate"]


@pytest.mark.parametrize("first", [False, True])
def test_another_part_is_added_to_the_piece_that_it_fills(first):
    def fun(a, b, c):
        whole, other = part(a, 0, 2) + part(b, 2, 6), part(c, 0, 2)
        return other + whole if first else whole + other

    assert after(fun, A, B, C) == ["add", "concatenate"]
    assert after(lambda a, b: part(a, 0, 2) + part(b, 2, 6) + part(b, 2, 6), A, B) == ["add", "concatenate"]


def test_rows_are_pieces_too():
    def fun(a, b, c):
        return part(a.T, 0, 2, 0) + part(b.T, 2, 6, 0) + part(c.T, 0, 2, 0)

    assert after(fun, A, B, C).count("add") == 1


def test_a_part_that_fills_no_piece_stays():
    assert "slice_into" in after(lambda a, b, c: part(a, 0, 2) + part(b, 2, 6) + part(c, 1, 3), A, B, C)
    assert "slice_into" in after(lambda a, b, c: part(a, 0, 2) + part(b, 2, 6) + part(c, 2, 4), A, B, C)


def test_an_array_that_is_needed_itself_stays():
    def fun(a, b, c):
        whole = part(a, 0, 2) + part(b, 2, 6)
        return whole + part(c, 0, 2), whole

    assert "slice_into" in after(fun, A, B, C)


@pytest.mark.parametrize("full", [True, False])
def test_each_part_of_a_long_sum_is_looked_at_a_few_times(monkeypatch, full):
    looked = []

    def counted(builder, operand):
        looked.append(operand)
        return within(builder, operand)

    within = pieces.made_of_parts
    monkeypatch.setattr(pieces, "made_of_parts", counted)
    count = 200

    def fun(x):
        total = slice_into(x[0], key=(0,), shape=(count,))
        for k in range(1, count if full else count - 1):
            total = total + slice_into(x[k], key=(k,), shape=(count,))
        return total

    found = after(fun, np.random.default_rng(0).normal(size=count))
    assert ("stack" in found) == full
    assert len(looked) < 8 * count
