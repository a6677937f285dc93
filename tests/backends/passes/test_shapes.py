"""Moves of elements that cancel."""

import numpy as np
import pytest

from autodiff.backends.passes.rewrite.shapes import SHAPES
from autodiff.ops.creation import copy
from autodiff.ops.index import slice_into
from autodiff.ops.shape import broadcast_to, reshape, sum_axes, transpose
from tests.backends.passes.alone import alone
from tests.backends.passes.tapes import names, simpler, specials

simplify_shapes = alone(SHAPES)

X = specials((2, 3))
COLUMN = specials((2, 1))

CASES = {
    "reshape of reshape": (lambda x: x.reshape(6).reshape(3, 2), X, ["reshape"]),
    "reshape and back": (lambda x: reshape(x.reshape(6), shape=(2, 3)), X, []),
    "reshape to the same shape": (lambda x: reshape(x, shape=(2, 3)), X, []),
    "two transpositions": (lambda x: x.T.T, X, []),
    "three axes round": (lambda x: transpose(transpose(x, axes=(-1, -3, -2)), axes=(-1, -3, -2)), specials((2, 3, 4)), ["transpose"]),
    "three axes back": (lambda x: transpose(transpose(x, axes=(-1, -3, -2)), axes=(-2, -1, -3)), specials((2, 3, 4)), []),
    "no axis moves": (lambda x: transpose(x, axes=(-2, -1)), X, []),
    "axes of length one move": (lambda x: x.T, COLUMN, ["reshape"]),
    "broadcast to the same shape": (lambda x: broadcast_to(x, shape=(2, 3)), X, []),
    "broadcast of broadcast": (lambda x: np.broadcast_to(np.broadcast_to(x, (2, 3)), (4, 2, 3)), COLUMN, ["broadcast_to"]),
    "leading axes by reshape": (lambda x: np.broadcast_to(x.reshape(1, 2, 3), (4, 2, 3)), X, ["broadcast_to"]),
    "other axes by reshape": (lambda x: np.broadcast_to(x.reshape(2, 3, 1), (2, 3, 4)), X, ["reshape", "broadcast_to"]),
    "one number everywhere": (lambda x: np.broadcast_to(x[0, 0], (2, 3)).reshape(6)[1:].reshape(5, 1).T, X, ["slice_of", "broadcast_to"]),
    "new axes": (lambda x: x[None, :, None], X, ["reshape"]),
    "axes of length one taken": (lambda x: x[:, 0], COLUMN, ["reshape"]),
    "whole slices": (lambda x: x[0:2, :], X, []),
    "a part": (lambda x: x[0:1, :], X, ["slice_of"]),
    "reversed": (lambda x: x[::-1], X, ["slice_of"]),
    "put everywhere": (lambda x: slice_into(x[None], key=(None, (None, None, None), (None, None, None)), shape=(2, 3)), X, []),
    "put in a part": (lambda x: slice_into(x, key=((0, 2, None), (None, None, None)), shape=(3, 3)), X, ["slice_into"]),
    "sum along one element": (lambda x: np.sum(x, axis=1), COLUMN, ["reshape", "add"]),
    "sum along nothing": (lambda x: sum_axes(x, axes=()), np.abs(X), []),
    "sum of one truth": (lambda x: np.sum(x > 0, axis=1), COLUMN, ["greater", "cast", "reshape"]),
    "largest of one": (lambda x: np.max(x, axis=1), COLUMN, ["reshape"]),
    "product of one": (lambda x: np.prod(x, axis=1), COLUMN, ["reshape"]),
    "all of one": (lambda x: np.all(x > 0, axis=1), COLUMN, ["greater", "reshape"]),
    "any of one number": (lambda x: np.any(x, axis=1), COLUMN, ["cast", "reshape"]),
    "largest of all, which is one": (lambda x: np.max(x), specials((1,)), ["max"]),
    "one array joined": (lambda x: np.concatenate([x]), X, []),
    "arrays joined to nothing": (lambda x: np.concatenate([x[:0], x, x[2:]]), X, []),
    "nothing put anywhere": (lambda x: slice_into(x[:0], key=((1, 1, None), (None, None, None)), shape=(3, 3)), X, ["broadcast_to"]),
    "copies": (lambda x: copy(copy(x)), X, []),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_moves_that_cancel_are_left_out(name):
    fun, x, left = CASES[name]
    assert names(simpler(simplify_shapes, fun, x)) == left


def test_empty_arrays():
    assert names(simpler(simplify_shapes, lambda x: np.sum(x.reshape(3, 0).T, axis=0), np.zeros((0, 3)))) == [
        "reshape", "transpose", "sum",
    ]  # fmt: skip
