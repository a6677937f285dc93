"""Functions that arrange elements: derivatives, labels, values, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff.chainer.functions as F
from autodiff import InvalidType, Variable
from autodiff.facade.settings.configuration import using_config
from tests.chainer.functions.function_laws import Row, check_row, draw, gradient

X = draw(2, 3)
Y = draw(2, 3, seed=1)
CUBE = draw(2, 3, 4)
IMAGES = draw(2, 4, 4, 4)
PLACES = draw(1, 2, 2, 3, low=-0.9, high=0.9)
MASK = np.array([[True, False, True], [False, False, True]])

ROWS = [
    Row("as_strided", lambda x: F.as_strided(x, (2, 2), (1, 1), 1), (X,), "AsStrided"),
    Row("broadcast", F.broadcast, (X, draw(3)), "Broadcast"),
    Row("broadcast_to", lambda x: F.broadcast_to(x, (4, 2, 3)), (X,), "BroadcastTo"),
    Row("concat", lambda *xs: F.concat(xs), (X, Y), "Concat"),
    Row("concat_first", lambda *xs: F.concat(xs, axis=-2), (X, Y, X), "Concat"),
    Row("copy", lambda x: F.copy(x, -1), (X,), "Copy"),
    Row("depth2space", lambda x: F.depth2space(x, 2), (IMAGES,), "Depth2Space"),
    Row("space2depth", lambda x: F.space2depth(x, 2), (IMAGES,), "Space2Depth"),
    Row("diagonal", lambda x: F.diagonal(x, 1, 0, 2), (CUBE,), "Diagonal"),
    Row("dstack", lambda *xs: F.dstack(xs), (X, Y), "Dstack"),
    Row("hstack", lambda *xs: F.hstack(xs), (X, Y), "Hstack"),
    Row("vstack", lambda *xs: F.vstack(xs), (draw(3), draw(3, seed=2)), "Vstack"),
    Row("stack", lambda *xs: F.stack(xs, axis=-1), (X, Y), "Stack"),
    Row("expand_dims", lambda x: F.expand_dims(x, -3), (X,), "ExpandDims"),
    Row("flatten", F.flatten, (X,), "Reshape"),
    Row("flip", lambda x: F.flip(x, -1), (X,), "Flip"),
    Row("fliplr", F.fliplr, (X,), "FlipLR"),
    Row("flipud", F.flipud, (X,), "FlipUD"),
    Row("get_item", lambda x: F.get_item(x, (slice(None), 1)), (X,), "GetItem"),
    Row("get_item_repeated", lambda x: F.get_item(x, [0, 0, 1]), (X,), "GetItem"),
    Row("im2col", lambda x: F.im2col(x, (3, 2), (2, 1), (1, 0), True, (1, 2)), (IMAGES,), "Im2Col"),
    Row("moveaxis", lambda x: F.moveaxis(x, (0, 1), (1, 2)), (CUBE,), "Moveaxis"),
    Row("pad", lambda x: F.pad(x, ((1, 0), (0, 2)), "constant", constant_values=3), (X,), "Pad"),
    Row("pad_reflected", lambda x: F.pad(x, 1, "reflect"), (X,), "Pad"),
    Row("pad_sequence", lambda *xs: F.pad_sequence(xs, 4, 7), (X, draw(1, 3)), "PadSequence"),
    Row("permutate", lambda x: F.permutate(x, np.array([1, 2, 0]), axis=1, inv=True), (CUBE,), "Permutate"),
    Row("repeat", lambda x: F.repeat(x, (1, 3), axis=0), (X,), "Repeat"),
    Row("reshape", lambda x: F.reshape(x, (3, -1)), (X,), "Reshape"),
    Row("resize_images", lambda x: F.resize_images(x, (3, 5)), (IMAGES,), "ResizeImages"),
    Row("resize_by_corners", lambda x: F.resize_images(x, (6, 3), align_corners=False), (IMAGES,), "ResizeImages"),
    Row("resize_nearest", lambda x: F.resize_images(x, (6, 3), mode="nearest"), (IMAGES,), "ResizeImages"),
    Row("rollaxis", lambda x: F.rollaxis(x, 2), (CUBE,), "Rollaxis"),
    Row("scatter_add", lambda a, b: F.scatter_add(a, ([0, 0, 1],), b), (X, draw(3, 3)), "ScatterAdd"),
    Row("select_item", lambda x: F.select_item(x, np.array([0, 2])), (X,), "SelectItem"),
    Row("separate", lambda x: F.separate(x, axis=-1), (X,), "Separate"),
    Row("grid", lambda x: F.spatial_transformer_grid(x, (2, 3)), (draw(2, 2, 3),), "SpatialTransformerGrid"),
    Row("sampler", F.spatial_transformer_sampler, (draw(1, 2, 4, 5), PLACES), "SpatialTransformerSampler"),
    Row("split_axis", lambda x: F.split_axis(x, [1], 1), (X,), "SplitAxis"),
    Row("squeeze", lambda x: F.squeeze(x, axis=(0, -1)), (draw(1, 3, 1),), "Squeeze"),
    Row("swapaxes", lambda x: F.swapaxes(x, 0, 2), (CUBE,), "Swapaxes"),
    Row("tile", lambda x: F.tile(x, (2, 1, 2)), (X,), "Tile"),
    Row("transpose", lambda x: F.transpose(x, (-1, 0, 1)), (CUBE,), "Transpose"),
    Row("transpose_sequence", lambda *xs: F.transpose_sequence(xs), (X, draw(1, 3)), "TransposeSequence"),
    Row("where", lambda x, y: F.where(MASK, x, y), (X, Y), "Where"),
]


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_derivatives_labels_and_dtypes(row: Row) -> None:
    check_row(row)


INTEGERS = np.arange(6).reshape(2, 3)
VALUES = {
    "as_strided of a transposed array": (lambda: F.as_strided(INTEGERS.T, (2, 2), (1, 1)), [[0, 1], [1, 2]]),
    "as_strided backwards": (lambda: F.as_strided(INTEGERS, (2, 2), (-1, 1), 3), [[3, 4], [2, 3]]),
    "broadcast of one": (lambda: F.broadcast(INTEGERS), INTEGERS),
    "concat": (lambda: F.concat((INTEGERS, Variable(INTEGERS))), np.hstack((INTEGERS, INTEGERS))),
    "depth2space": (lambda: F.depth2space(np.arange(8.0).reshape(1, 8, 1, 1), 2),
                    [[[[0, 2], [4, 6]], [[1, 3], [5, 7]]]]),
    "space2depth": (lambda: F.space2depth(np.arange(8.0).reshape(1, 2, 2, 2), 2),
                    np.array([0, 4, 1, 5, 2, 6, 3, 7]).reshape(1, 8, 1, 1)),
    "hstack of vectors": (lambda: F.hstack((np.arange(2), np.arange(3))), [0, 1, 0, 1, 2]),
    "pad_sequence": (lambda: F.pad_sequence((np.array([1, 2]), np.array([3])), padding=-1), [[1, 2], [3, -1]]),
    "permutate": (lambda: F.permutate(INTEGERS, Variable(np.array([1, 0]))), INTEGERS[::-1]),
    "permutate inverted": (lambda: F.permutate(np.arange(3), np.array([1, 2, 0]), inv=True), [2, 0, 1]),
    "resize": (lambda: F.resize_images(np.arange(16.0, dtype="f").reshape(1, 1, 4, 4), (2, 3)),
               [[[[0, 1.5, 3], [12, 13.5, 15]]]]),
    "resize to one": (lambda: F.resize_images(np.arange(16.0).reshape(1, 1, 4, 4), (1, 3)), [[[[0, 1.5, 3]]]]),
    "resize nearest": (lambda: F.resize_images(np.arange(4.0).reshape(1, 1, 2, 2), (3, 3), mode="nearest"),
                       [[[[0, 0, 1], [0, 0, 1], [2, 2, 3]]]]),
    "scatter_add": (lambda: F.scatter_add(np.zeros((2, 2)), 0, np.ones(2)), [[1, 1], [0, 0]]),
    "select_item from the end": (lambda: F.select_item(INTEGERS, np.array([0, -1])), [0, 5]),
    "sampler outside": (lambda: F.spatial_transformer_sampler(
        np.arange(12.0).reshape(1, 1, 3, 4), np.array([-1.5, 1.5, 2.0, -3, -1.2, 0]).reshape(1, 2, 1, 3)),
        [[[[0, 0.6, 0]]]]),
    "where with a Variable": (lambda: F.where(Variable(np.array([True, False])), np.ones(2), np.zeros(2)), [1, 0]),
    "tile": (lambda: F.tile(INTEGERS, (2, 1)), np.tile(INTEGERS, (2, 1))),
    "grid": (lambda: F.spatial_transformer_grid(np.array([[[1.0, 0, 0.1], [0.2, 1, 0]]]), (2, 3)),
             [[[[-0.9, 0.1, 1.1], [-0.9, 0.1, 1.1]], [[-1.2, -1, -0.8], [0.8, 1, 1.2]]]]),
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_values(name: str) -> None:
    call, values = VALUES[name]
    np.testing.assert_allclose(call().array, values, rtol=1e-7, atol=1e-7)


def test_resize_by_corners_of_images() -> None:
    y = F.resize_images(np.arange(16.0).reshape(1, 1, 4, 4), (2, 3), align_corners=False)
    np.testing.assert_allclose(y.array[0, 0], [[13 / 6, 3.5, 29 / 6], [61 / 6, 11.5, 77 / 6]])


def test_sampling_a_grid_of_an_image() -> None:
    grid = F.spatial_transformer_grid(np.array([[[1.0, 0, 0.1], [0.2, 1, 0]]]), (2, 3))
    y = F.spatial_transformer_sampler(np.arange(12.0).reshape(1, 1, 3, 4), grid)
    np.testing.assert_allclose(y.array, [[[[0.12, 1.65, 3.23], [7.35, 9.65, 7.48]]]])


def test_the_same_shape_is_the_same_variable() -> None:
    x = Variable(X)
    assert F.reshape(x, (2, 3)) is x
    assert F.broadcast_to(x, (2, 3)) is x
    assert F.flatten(F.flatten(x)).rank == 1
    assert F.copy(x, -1).array is X
    assert F.broadcast(x) is x


def test_cast_brings_the_gradient_back() -> None:
    x = Variable(np.ones(2, np.float32))
    y = F.cast(x, "d")
    assert (y.dtype, y.creator.label) == (np.float64, "Cast")
    y.grad = np.full(2, 3.0)
    y.backward()
    assert (x.grad.dtype, x.grad.tolist()) == (np.float32, [3.0, 3.0])
    assert F.cast(x, np.int32).dtype == np.int32


def test_a_single_part_is_a_tuple_unless_refused() -> None:
    assert [part.shape for part in F.split_axis(X, 1, 1)] == [(2, 3)]
    assert F.split_axis(X, 1, 1, force_tuple=False).shape == (2, 3)
    assert F.split_axis(X, [], 1, force_tuple=False).shape == (2, 3)
    assert [part.shape for part in F.split_axis(X, np.array([1, 2]), -1)] == [(2, 1)] * 3
    assert [part.shape for part in F.separate(np.zeros((1, 3)))] == [(3,)]


def test_one_part_alone_gives_zeros_to_the_others() -> None:
    x = Variable(X.copy())
    part = F.split_axis(x, 3, 1)[1]
    part.grad = np.ones((2, 1))
    part.backward()
    assert x.grad.tolist() == [[0, 1, 0], [0, 1, 0]]


def test_sequences() -> None:
    assert F.transpose_sequence([]) == ()
    assert F.transpose_sequence([np.zeros((0, 2))]) == ()
    columns = F.transpose_sequence([np.arange(3), np.arange(2), np.arange(1)])
    assert [column.array.tolist() for column in columns] == [[0, 0, 0], [1, 1], [2]]


def test_what_where_does_not_choose_gets_no_gradient() -> None:
    x = Variable(np.array([0.0, 4.0]))
    y = F.where(np.array([False, True]), F.sqrt(x), x)
    assert y.array.tolist() == [0.0, 2.0]
    assert gradient(lambda x: F.where(np.array([False, True]), x, 2 * x), [1.0, 1.0]) == [[2.0, 1.0]]


REFUSED = [
    (lambda: F.reshape(X, (4,)), "Reshape", "prod(x.shape) == prod((4,))", "6 != 4"),
    (lambda: F.reshape(Variable(X), (4, -1)), "Reshape", "prod(x.shape) % known_size(=4) == 0", "2 != 0"),
    (lambda: F.broadcast_to(X, (3,)), "BroadcastTo", "x.ndim <= len(shape)", "2 > 1"),
    (lambda: F.broadcast_to(Variable(X), (4, 3)), "BroadcastTo",
     "in_type[0].shape[-2] == 4 or in_type[0].shape[-2] == 1", "in_type[0].shape: (2, 3)"),
    (lambda: F.broadcast(), "Broadcast", "in_types.size > 0", "0 <= 0"),
    (lambda: F.concat([]), "Concat", "in_types.size > 0", "0 <= 0"),
    (lambda: F.concat([X, Y], axis=2), "Concat", "in_types[0].ndim > axis", "2 <= 2"),
    (lambda: F.concat([X, Y], axis=-3), "Concat", "-in_types[0].ndim <= -3", "-2 > -3"),
    (lambda: F.concat([X, CUBE]), "Concat", "in_types[0].ndim == in_types[1].ndim", "2 != 3"),
    (lambda: F.concat([X, np.ones((4, 3))]), "Concat", "in_types[0].shape[0] == in_types[1].shape[0]", "2 != 4"),
    (lambda: F.concat([X, Y.astype("f")]), "Concat", "in_types[0].dtype == in_types[1].dtype", "float64 != float32"),
    (lambda: F.stack([X, Y], axis=3), "Stack", "in_types[0].ndim >= 3", "2 < 3"),
    (lambda: F.stack([X, Y], axis=-4), "Stack", "-in_types[0].ndim - 1 <= -4", "-3 > -4"),
    (lambda: F.stack([X, CUBE]), "Stack", "in_types[1].shape == in_types[0].shape", "(2, 3, 4) != (2, 3)"),
    (lambda: F.vstack([np.zeros(3), np.zeros(4)]), "Vstack", "in_types[0].shape == in_types[1].shape", "(3,) != (4,)"),
    (lambda: F.vstack([X, np.zeros((2, 4))]), "Vstack", "in_types[0].shape[1] == in_types[1].shape[1]", "3 != 4"),
    (lambda: F.hstack([X, np.zeros((4, 3))]), "Hstack", "x0.shape[0] == x1.shape[0]", "2 != 4"),
    (lambda: F.dstack([X, np.zeros((4, 3))]), "Dstack", "x0.shape == x1.shape", "(2, 3) != (4, 3)"),
    (lambda: F.dstack([CUBE, np.zeros((2, 4, 4))]), "Dstack", "x0.shape[1] == x1.shape[1]", "3 != 4"),
    (lambda: F.split_axis(X, 2, 1), "SplitAxis", "in_types[0].shape[1] % sections == 0", "1 != 0"),
    (lambda: F.split_axis(X, [5], 1), "SplitAxis", "in_types[0].shape[1] >= max_index", "3 < 5"),
    (lambda: F.split_axis(X, 2, 5), "SplitAxis", "in_types[0].ndim > 5", "2 <= 5"),
    (lambda: F.separate(X, 2), "Separate", "x.ndim > 2", "2 <= 2"),
    (lambda: F.squeeze(X, 3), "Squeeze", "in_types[0].ndim > 3", "2 <= 3"),
    (lambda: F.squeeze(X, -3), "Squeeze", "-in_types[0].ndim <= -3", "-2 > -3"),
    (lambda: F.expand_dims(X, 3), "ExpandDims", "x.ndim >= 3", "2 < 3"),
    (lambda: F.rollaxis(X, 2), "Rollaxis", "x.ndim > 2", "2 <= 2"),
    (lambda: F.rollaxis(X, 0, 3), "Rollaxis", "x.ndim >= 3", "2 < 3"),
    (lambda: F.moveaxis(X, 2, 0), "Moveaxis", "x.ndim > 2", "2 <= 2"),
    (lambda: F.flip(X, 2), "Flip", "x.ndim > 2", "2 <= 2"),
    (lambda: F.flip(X, -3), "Flip", "x.ndim >= 3", "2 < 3"),
    (lambda: F.fliplr(np.zeros(3)), "FlipLR", "a.ndim >= 2", "1 < 2"),
    (lambda: F.diagonal(np.zeros(3)), "Diagonal", "x.ndim > 1", "1 <= 1"),
    (lambda: F.depth2space(np.zeros(3), 2), "Depth2Space", "x.ndim == 4", "1 != 4"),
    (lambda: F.im2col(np.zeros(3), 2), "Im2Col", "x.ndim == 4", "1 != 4"),
    (lambda: F.scatter_add(np.zeros(()), 0, np.zeros(())), "ScatterAdd", "a.ndim >= 1", "0 < 1"),
    (lambda: F.select_item(X, np.array([0.0, 1.0])), "SelectItem", "t.dtype.kind == i", "f != i"),
    (lambda: F.select_item(X, np.array([0, 1, 1])), "SelectItem", "x.shape[0] == t.shape[0]", "2 != 3"),
    (lambda: F.select_item(X, np.array([[0, 1]])), "SelectItem", "t.ndim == 1", "2 != 1"),
    (lambda: F.where(np.ones(3), X, Y), "Where", "condition.dtype == <class 'numpy.bool_'>",
     "float64 != <class 'numpy.bool_'>\n\nCompare it: condition != 0."),
    (lambda: F.where(MASK, X, Y.astype("f")), "Where", "x.dtype == y.dtype", "float64 != float32"),
    (lambda: F.pad_sequence([X, np.zeros((3, 2))]), "PadSequence", "x1.shape[1:] == x0.shape[1:]", "(2,) != (3,)"),
    (lambda: F.pad_sequence([X, np.zeros((3, 3))], length=2), "PadSequence", "x1.shape[0] <= 2", "3 > 2"),
    (lambda: F.transpose_sequence([X, np.zeros((3, 3))]), "TransposeSequence",
     "in_types[0].shape[0] >= in_types[1].shape[0]", "2 < 3"),
    (lambda: F.spatial_transformer_grid(np.zeros((1, 3, 3)), (2, 3)), "SpatialTransformerGrid",
     "theta.shape[1] == 2", "3 != 2"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "label", "expect", "actual"), REFUSED)
def test_operands_that_do_not_fit(call: Any, label: str, expect: str, actual: str) -> None:
    with pytest.raises(InvalidType) as raised:
        call()
    assert str(raised.value).startswith(f"\nInvalid operation is performed in: {label} (Forward)")
    assert f"\n\nExpect: {expect}\nActual: {actual}" in str(raised.value)


def test_shapes_that_do_not_broadcast() -> None:
    with pytest.raises(InvalidType, match=r"x\.shape = \(2, 3\)\ny\.shape = \(4, 3\)"):
        F.where(MASK, X, np.zeros((4, 3)))
    with pytest.raises(InvalidType, match=r"in_types\[0\]\.shape = \(2, 3\)\nin_types\[1\]\.shape = \(4,\)"):
        F.broadcast(X, np.zeros(4))


def debugged(function: Any, *arguments: Any) -> Any:
    """The function in debug mode."""
    with using_config("debug", True):
        return function(*arguments)


WRONG = [
    (lambda: F.reshape(X, (-1, -1)), ValueError, "at most one length can be -1, got (-1, -1)"),
    (lambda: F.concat([X, X], axis=1.0), TypeError, "axis must be int, got 1.0"),
    (lambda: F.flip(X, (0, 1)), TypeError, "axis must be int, got (0, 1)"),
    (lambda: F.squeeze(X, "a"), TypeError, "None, int or tuple of int are required, got 'a' as an axis"),
    (lambda: F.repeat(X, [1, 2], axis=0), TypeError, "repeats must be int or tuple of ints, got [1, 2]"),
    (lambda: F.repeat(X, -1), ValueError, "all elements in repeats must be zero or larger, got -1"),
    (lambda: F.repeat(X, 2, axis="a"), TypeError, "axis must be int or None, got 'a'"),
    (lambda: F.repeat(X, 2, axis=True), TypeError, "axis must be int or None, got True"),
    (lambda: debugged(F.permutate, X, np.array([0, 0])), ValueError, "indices must contain each of 0 to 1 once, got [0, 0]"),
    (lambda: debugged(F.select_item, X, np.array([0, -1])), ValueError,
     "t must satisfy 0 <= t < 3, the length of rows of x; it goes from -1 to 0"),
    (lambda: debugged(F.split_axis, X, [2, 1], 1), ValueError, "indices_or_sections must be sorted, got (2, 1)"),
    (lambda: F.tile(X, [2]), TypeError, "reps must be int or tuple of ints, got [2]"),
    (lambda: F.tile(X, (1, -1)), ValueError, "all elements in reps must be zero or larger, got (1, -1)"),
    (lambda: F.split_axis(X, 2.0, 1), TypeError, "indices_or_sections must be integer or 1-D array.\nActual: <class"),
    (lambda: F.split_axis(X, 0, 1), ValueError, "there must be at least one part, got 0"),
    (lambda: F.permutate(X, np.array([1.0, 0.0])), ValueError,
     "indices should be a one-dimensional int array, got float64 of shape (2,)"),
    (lambda: F.as_strided(X, (2, 2), (3, 4)), ValueError, "Out of buffer: too large index was specified"),
    (lambda: F.as_strided(X, (2, 2), (1,)), ValueError, "strides, if given, must be the same length as shape"),
    (lambda: F.scatter_add(X, 0, np.ones(())), ValueError, "the places have shape (3,) and what is added has shape ()"),
    (lambda: F.get_item(X, Variable(np.array(1))), IndexError, "a Variable cannot be an index"),
    (lambda: F.get_item(X, (np.ones(2, bool), np.ones(3, bool))), ValueError,
     "only one boolean array is supported as an index"),
    (lambda: F.resize_images(np.zeros((1, 1, 2, 2)), (3, 3), mode="x"), ValueError,
     "mode must be 'bilinear' or 'nearest', got 'x'"),
    (lambda: F.spatial_transformer_grid(np.zeros((1, 2, 3)), (2, 3), foo=1), TypeError,
     "spatial_transformer_grid() got unexpected keyword argument(s) 'foo'"),
    (lambda: F.spatial_transformer_grid(np.zeros((1, 2, 3)), (2, 3), use_cudnn=True), ValueError,
     "use_cudnn= is gone; use chainer.using_config('use_cudnn', value)"),
    (lambda: F.concat([1.0, X]), TypeError, "incompatible array types are mixed in the forward input (Concat)."),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "text"), WRONG)
def test_arguments_that_are_wrong(call: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind) as raised:
        call()
    assert str(raised.value).startswith(text)


def test_indices_as_numpy_takes_them() -> None:
    x = Variable(CUBE)
    for index in (0, -1, slice(None, None, -1), (..., 0), None, (0, [1, 1]), np.array([True, False]), (None, 1, ...)):
        np.testing.assert_array_equal(F.get_item(x, index).array, CUBE[index])
    with pytest.raises(IndexError, match=r"^index 5 is out of bounds for axis 0 with size 2"):
        F.get_item(x, 5)


@pytest.mark.parametrize(
    ("mode", "wanted"), [("edge", [2, 1, 2]), ("reflect", [1, 3, 1]), ("wrap", [2, 1, 2]), ("maximum", [1, 1, 3])]
)
def test_the_margin_of_pad_has_a_gradient(mode: str, wanted: list[int]) -> None:
    x = Variable(np.array([1.0, 2.0, 3.0]))
    F.sum(F.pad(x, 1, mode)).backward()
    np.testing.assert_array_equal(x.grad, wanted)


def test_an_empty_margin_is_zeros() -> None:
    x = Variable(np.array([1.0, 2.0]))
    y = F.pad(x, (1, 2), "empty")
    assert (y.array.tolist(), y.creator.label, y.creator.mode) == ([0, 1, 2, 0, 0], "Pad", "empty")
    F.sum(y * y).backward()
    np.testing.assert_array_equal(x.grad, [2, 4])
