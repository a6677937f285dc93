"""Literals: evaluating one gives the array back, in values, dtype, strides and permission to write."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from autodiff.testing import Operands, broadcastable_shapes, domains, lay_out, literal, operands

KINDS = ("float64", "float32", "complex128", "complex64", "int64", "bool")


def evaluated(text: str) -> Any:
    return eval(text, {"np": np})


@given(operands([domains.real] * 2, broadcastable_shapes(2), [KINDS, KINDS]))
def test_any_operand_is_made_again(sample: Operands) -> None:
    for x, y in zip(sample.args, evaluated(literal(sample.args)), strict=True):
        assert type(x) is type(y)
        assert np.asarray(x).dtype == np.asarray(y).dtype
        assert np.array_equal(x, y)
        if isinstance(x, np.ndarray):
            assert x.flags.writeable == y.flags.writeable
            longer = [axis for axis, side in enumerate(x.shape) if side > 1 and x.size]
            assert [np.sign(x.strides[axis]) for axis in longer] == [np.sign(y.strides[axis]) for axis in longer]
            assert x.flags.c_contiguous == y.flags.c_contiguous


@pytest.mark.parametrize(
    ("layout", "text"),
    [
        ("contiguous", "np.array([[1.0, 2.0], [3.0, 4.0]], dtype='float64')"),
        ("fortran", "np.asfortranarray(np.array([[1.0, 2.0], [3.0, 4.0]], dtype='float64'))"),
        ("strided", "np.repeat(np.array([[1.0, 2.0], [3.0, 4.0]], dtype='float64'), 2, axis=-1)[..., ::2]"),
        ("reversed", "np.array([[4.0, 3.0], [2.0, 1.0]], dtype='float64')[::-1, ::-1]"),
        ("read-only", "np.broadcast_to(np.array([[1.0, 2.0], [3.0, 4.0]], dtype='float64'), (2, 2))"),
        ("broadcast", "np.broadcast_to(np.array([[1.0, 2.0]], dtype='float64'), (2, 2))"),
    ],
)
def test_layouts_can_be_read(layout: str, text: str) -> None:
    assert literal(lay_out(np.array([[1.0, 2.0], [3.0, 4.0]]), layout)) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.5"),
        (3, "3"),
        (float("nan"), "np.nan"),
        (-float("inf"), "-np.inf"),
        (complex("nan+2j"), "complex(np.nan, 2.0)"),
        (np.float32(0.1), "np.float32(0.1)"),
        (np.complex64(0.1 + 0.2j), "np.complex64((0.1+0.2j))"),
        (np.bool(True), "np.bool(True)"),
        (np.array([0.1], "float32"), "np.array([0.1], dtype='float32')"),
        (np.zeros((0, 3), "int32"), "np.zeros((0, 3), dtype='int32')"),
        ({"w": [1.0, (2.0,)], "b": None}, "{'w': [1.0, (2.0,)], 'b': None}"),
    ],
)
def test_numbers_and_trees(value: Any, text: str) -> None:
    assert literal(value) == text
