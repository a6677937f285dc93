import pickle
import re

import numpy as np
import pytest

from autodiff.chainer.backend import get_device
from autodiff.chainer.dataset import ConcatWithAsyncTransfer, Converter, concat_examples, converter, to_device
from autodiff.chainer.dataset.convert import Conveyor, concat_examples_func

A = np.arange(3, dtype=np.float32)


@pytest.mark.parametrize(
    ("batch", "dtype"),
    [([A, A], "float32"), ([1, 2], "int64"), ([1.0, 2], "float64"), ([np.float32(1)], "float32"), ([True], "bool"), ([1j], "complex128"), ([np.int32(1), 2], "int64")],
)  # fmt: skip
def test_arrays_and_numbers_are_stacked(batch, dtype):
    result = concat_examples(batch)
    np.testing.assert_array_equal(result, np.stack(batch))
    assert result.dtype == dtype


def test_tuples_and_dicts_are_kept():
    images, labels = concat_examples([(A, 1), (A, 2)])
    assert (images.shape, labels.tolist()) == ((2, 3), [1, 2])
    result = concat_examples([{"x": A, "y": 1}, {"x": A, "y": 2}])
    assert (result["x"].shape, result["y"].tolist()) == ((2, 3), [1, 2])
    assert isinstance(concat_examples([(A,), (A,)]), tuple)


@pytest.mark.parametrize("padding", [9, (0, 9)])
def test_padding_of_tuples(padding):
    first, second = concat_examples([(A, A), (A[:2], A[:1])], padding=padding)
    assert first.tolist() == [[0, 1, 2], [0, 1, 9 if padding == 9 else 0]]
    assert second.tolist() == [[0, 1, 2], [0, 9, 9]]


def test_padding_of_dicts_and_of_several_axes():
    assert concat_examples([{"x": A}, {"x": A[:1]}], padding={"x": 5})["x"].tolist() == [[0, 1, 2], [0, 5, 5]]
    result = concat_examples([np.ones((2, 3), np.int32), np.ones((3, 2))], padding=0.5)
    assert result.dtype == np.int32
    assert result.tolist() == [[[1, 1, 1], [1, 1, 1], [0, 0, 0]], [[1, 1, 0], [1, 1, 0], [1, 1, 0]]]


@pytest.mark.parametrize(
    ("batch", "more", "error", "text"),
    [
        ([], {}, ValueError, "a batch without examples makes no arrays"),
        ([A, A[:2]], {}, ValueError, "the examples have different shapes: [(2,), (3,)]"),
        ([A, A[np.newaxis]], {"padding": 0}, ValueError, "the examples have different numbers of axes: [(3,), (1, 3)]"),
        (["a"], {}, TypeError, "a batch is made of arrays and numbers, got str"),
        ([(1, None)], {}, TypeError, "a batch is made of arrays and numbers, got NoneType"),
        ([[A, 1], [A, 2]], {}, ValueError, "the examples do not make one array"),
        ([(A, 1), (A,)], {}, IndexError, "tuple index out of range"),
    ],
)
def test_what_makes_no_batch_is_an_error(batch, more, error, text):
    with pytest.raises(error, match=re.escape(text)):
        concat_examples(batch, **more)


@pytest.mark.parametrize("device", [None, -1, -2, "@numpy", get_device("@numpy")])
def test_devices(device):
    assert concat_examples([A], device).tolist() == [[0, 1, 2]]
    assert concat_examples([A], device=device).tolist() == [[0, 1, 2]]
    assert to_device(device, A) is A
    assert ConcatWithAsyncTransfer()([A], device).tolist() == [[0, 1, 2]]


def test_functions_become_converters():
    @converter()
    def convert(batch, device, extra=None):
        return batch, device, extra

    cpu = get_device("@numpy")
    assert isinstance(convert, Converter)
    assert convert([1], None) == ([1], None, None)
    assert convert([1], -1) == ([1], cpu, None)
    assert convert([1], device="@numpy", extra=2) == ([1], cpu, 2)


def test_converters_can_be_pickled():
    assert pickle.loads(pickle.dumps(concat_examples))([1]).tolist() == [1]


def test_the_base_class_converts_nothing():
    with pytest.raises(NotImplementedError, match=r"Converter must define __call__\(batch, device\)"):
        Converter()([1], None)


@pytest.mark.parametrize("device", [None, -1, "@numpy"])
def test_arrays_arrive_in_the_order_in_which_they_were_sent(device):
    conveyor = Conveyor(device)
    arrays = [np.full(2, k) for k in range(3)]
    for array in arrays:
        conveyor.put(array)
    assert [conveyor.get() is array for array in arrays] == [True] * 3
    with pytest.raises(IndexError):
        conveyor.get()


def test_concat_examples_as_a_plain_function():
    np.testing.assert_array_equal(concat_examples_func([1, 2]), [1, 2])
