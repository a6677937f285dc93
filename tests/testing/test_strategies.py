"""Strategies: what they promise to draw really occurs, and shrinks to something small."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from autodiff.testing import (
    LAYOUTS,
    Operands,
    arrays,
    broadcastable_shapes,
    domains,
    dtypes,
    operands,
    shapes,
    square_shapes,
)

KINDS = ("float64", "float32", "complex128", "complex64")


def two_operands(**options: Any) -> st.SearchStrategy[Operands]:
    domain = [domains.unit, domains.kinked_at_zero]
    return operands(domain, broadcastable_shapes(2), [KINDS, KINDS], **options)


def found(strategy: st.SearchStrategy[Any], condition: Callable[[Any], bool]) -> Any:
    return find(strategy, condition, settings=settings(max_examples=1000, derandomize=True, database=None))


@given(broadcastable_shapes(3))
def test_shapes_broadcast_together(each: tuple[tuple[int, ...], ...]) -> None:
    np.broadcast_shapes(*each)


@given(broadcastable_shapes(2, min_dims=1, max_dims=2, min_side=1, max_side=3))
def test_shapes_keep_their_bounds(each: tuple[tuple[int, ...], ...]) -> None:
    for shape in each:
        assert 1 <= len(shape) <= 2
        assert all(1 <= side <= 3 for side in shape)


@pytest.mark.parametrize(
    "condition",
    [
        lambda a, b: a == b == (),
        lambda a, b: a == b and len(a) == 3,
        lambda a, b: len(a) < len(b),
        lambda a, b: len(a) > len(b),
        lambda a, b: len(a) == len(b) == 2 and a != b,
        lambda a, b: 0 in a,
        lambda a, b: len(a) == len(b) == 2 and a[0] == b[1] == 1 < min(a[1], b[0]),
    ],
    ids=["0-d", "equal", "fewer axes", "more axes", "stretched", "empty", "both stretched"],
)
def test_each_way_to_broadcast_occurs(condition: Callable[[Any, Any], bool]) -> None:
    found(broadcastable_shapes(2), lambda pair: condition(*pair))


@given(square_shapes())
def test_square_shapes_are_square(shape: tuple[int, ...]) -> None:
    assert shape[-1] == shape[-2] >= 1


def test_shapes_of_all_ranks_occur() -> None:
    for ndim in range(4):
        found(shapes(), lambda shape, ndim=ndim: len(shape) == ndim)


def test_dtypes_are_drawn_when_asked_for() -> None:
    for name in ("float32", "float64"):
        found(dtypes(), lambda dtype, name=name: dtype == name)
    for name in ("complex64", "int32", "uint8", "bool"):
        everything = dtypes(complex_numbers=True, integers=True, bools=True)
        found(everything, lambda dtype, name=name: dtype == name)


@given(dtypes())
def test_dtypes_are_floating_otherwise(dtype: np.dtype[Any]) -> None:
    assert dtype.kind == "f"


@pytest.mark.parametrize(
    ("layout", "is_there"),
    [
        ("contiguous", lambda x: x.flags.c_contiguous and x.flags.writeable),
        ("fortran", lambda x: x.flags.f_contiguous and not x.flags.c_contiguous),
        (
            "transposed",
            lambda x: x.ndim == 3 and x.swapaxes(-1, -2).flags.c_contiguous and not x.flags.c_contiguous,
        ),
        ("strided", lambda x: x.strides[-1] == 2 * x.itemsize),
        ("reversed", lambda x: min(x.strides) < 0),
        ("read-only", lambda x: not x.flags.writeable and x.flags.c_contiguous),
        ("broadcast", lambda x: 0 in x.strides),
    ],
)
def test_each_layout_occurs(layout: str, is_there: Callable[[Any], bool]) -> None:
    assert layout in LAYOUTS
    some = arrays(shape=shapes(min_dims=1, min_side=2))
    assert is_there(found(some, lambda x: x.size > 0 and is_there(x)))


@pytest.mark.parametrize("kind", [np.ndarray, np.float64, np.float32, np.complex64, float, complex])
def test_each_form_of_a_scalar_occurs(kind: type) -> None:
    found(two_operands(), lambda sample: type(sample.args[0]) is kind and np.ndim(sample.args[0]) == 0)


@given(two_operands(scalars=False))
def test_scalars_can_be_left_out(sample: Operands) -> None:
    assert all(isinstance(x, np.ndarray) for x in sample.args)


def test_dtypes_are_mixed() -> None:
    found(
        two_operands(),
        lambda sample: {np.asarray(x).dtype.name for x in sample.args} == {"float32", "complex128"},
    )


def test_smooth_hits_are_drawn() -> None:
    found(two_operands(), lambda sample: sample.smooth and 0.0 in np.asarray(sample.args[0]))


def test_kinks_are_drawn_and_said_to_be() -> None:
    assert not found(two_operands(), lambda sample: 0.0 in np.asarray(sample.args[1])).smooth


@given(two_operands())
def test_smooth_operands_stay_away_from_kinks(sample: Operands) -> None:
    if sample.smooth:
        assert (abs(np.asarray(sample.args[1]).real) > 0.04).all() or np.iscomplexobj(sample.args[1])


@given(operands([domains.distinct], shapes().map(lambda shape: (shape,)), [("float64",)]))
def test_equal_elements_are_a_kink_where_they_must_differ(sample: Operands) -> None:
    (x,) = sample.args
    assert not sample.smooth or np.unique(x).size == np.size(x)


def test_one_dtype_list_for_each_operand() -> None:
    drawn = operands([domains.real] * 2, broadcastable_shapes(2), [("float64",), ("int64",)], scalars=False)
    sample = found(drawn, lambda sample: True)
    assert [x.dtype.name for x in sample.args] == ["float64", "int64"]


def test_examples_shrink_to_something_small() -> None:
    sample = found(two_operands(), lambda sample: True)
    assert [np.size(x) for x in sample.args] == [1, 1]
