"""Joining and splitting, diagonals and new arrays: the primitives, by all laws."""

import numpy as np
import pytest

import autodiff
from autodiff.ops import creation, join
from autodiff.ops.matrices import diagonal
from autodiff.testing import Case, check_case
from autodiff.trace.spec import spec

FLOATS = ("float64", "float32", "complex128")


def ends(*lengths):
    return tuple(np.cumsum(lengths).tolist())


CASES = [
    Case(
        "concatenate",
        lambda x, y, z: join.concatenate(x, y, z, axis=-2, ends=ends(*(np.shape(a)[-2] for a in (x, y, z)))),
        arity=3,
        dtypes=FLOATS,
        shapes=[((2, 3), (1, 3), (4, 3)), ((0, 2), (3, 2), (0, 2)), ((2, 1, 2), (2, 2, 2), (2, 1, 2))],
    ),
    Case("joined", lambda x, y: join.joined(x, y, axis=-1), arity=2, shapes=[((2,), (3,)), ((2, 1), (2, 0))]),
    Case(
        "split",
        lambda x: join.split(x, axis=-1, ends=(1, 1, 4)),
        dtypes=FLOATS,
        shapes=[(4,), (2, 4), (0, 4)],
    ),
    Case("part of a split", lambda x: join.split(x, axis=-2, ends=(1, 3))[1], shapes=[(3, 2), (2, 3, 1)]),
    Case(
        "stack",
        lambda x, y: join.stack(x, y, x, axis=-2),
        arity=2,
        dtypes=FLOATS,
        shapes=[((3,), (3,)), ((2, 3), (2, 3)), ((2, 0), (2, 0))],
    ),
    Case("stack of numbers", lambda x, y: join.stack(x, y, axis=-1), arity=2, shapes=[((), ())]),
    Case("unstack", lambda x: join.unstack(x, axis=-2), dtypes=FLOATS, shapes=[(2, 3), (3, 2, 2), (1, 0)]),
    Case("unstack to numbers", lambda x: join.unstack(x, axis=-1), shapes=[(3,)]),
    Case("piece", lambda x: join.piece(x, -2, 1, 3), shapes=[(3, 2), (2, 4, 1)]),
    Case("roll", lambda x: join.roll(x, shifts=(1, -2), axes=(-1, -2)), shapes=[(3, 4), (0, 2), (2, 3, 2)]),
    Case("diagonal", lambda x: diagonal.diagonal(x, offset=1), dtypes=FLOATS, shapes=[(3, 3), (2, 3, 4), (1, 1)]),
    Case("diagonal below", lambda x: diagonal.diagonal(x, offset=-2), shapes=[(3, 2), (2, 4, 3), (0, 2)]),
    Case(
        "from_diagonal",
        lambda d: diagonal.from_diagonal(d, offset=-1, rows=4, columns=5),
        dtypes=FLOATS,
        shapes=[(3,), (2, 3)],
    ),
    Case("square_from_diagonal", lambda d: diagonal.square_from_diagonal(d, 2), shapes=[(3,), (2, 1), (0,)]),
    Case(
        "full",
        lambda x, v: creation.full(x, v, shape=(2, 3), dtype=np.dtype(float)),
        arity=2,
        dtypes=[("float64",), ("float64", "float32")],
        shapes=[((2,), ()), ((2, 3), (3,)), ((), (2, 1))],
    ),
    Case("copy", creation.copy, dtypes=FLOATS, shapes=[(), (2, 3), (0,)]),
    Case("in_c_order", creation.in_c_order, dtypes=FLOATS, shapes=[(), (2, 3), (0,)]),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_laws(case):
    check_case(case)


def test_full_keeps_nothing_but_stays_traced():
    def fun(x):
        zeros = creation.full(x, 0, shape=(2,), dtype=np.dtype(float))
        assert type(zeros).__name__ == "Tracer"
        return np.sum(zeros) + 0 * x

    assert autodiff.grad(fun)(3.0) == 0.0
    assert autodiff.jvp(fun, (3.0,), (1.0,)) == (0.0, 0.0)


def test_the_cotangents_of_all_pieces_are_joined_once():
    def fun(x):
        return sum(k * np.sum(part**2) for k, part in enumerate(np.split(x, 4)))

    tape = autodiff.make_tape(autodiff.grad(fun))(np.ones(8))
    names = [equation.primitive.name for equation in tape.equations]
    assert names.count("concatenate") == 1
    assert "slice_into" not in names


def test_unequal_lengths_are_refused_where_only_shapes_are_known():
    with pytest.raises(ValueError, match="joined") as caught:
        join.concatenate.spec(spec((2, 3), float), spec((2, 4), float), axis=-2, ends=(2, 4))
    assert str(caught.value) == (
        "arrays of shapes (2, 3) and (2, 4) cannot be joined along axis -2: all other lengths must be equal"
    )
    with pytest.raises(ValueError, match="stacked") as caught:
        join.stack.spec(spec((2,), float), spec((3,), float), axis=-1)
    assert str(caught.value) == "arrays of shapes (2,) and (3,) cannot be stacked: they must be equal"
