"""Integers in the graph: what moves or adds them has gradients, which are integers too; all numbers are Chainer's."""

import numpy as np
import pytest

import autodiff.chainer as chainer
import autodiff.chainer.functions as F

MOVES = {
    "identity": (lambda x: F.identity(x) + F.identity(x), [2, 2, 2]),
    "reshape": (lambda x: F.reshape(x, (1, 3)), [1, 1, 1]),
    "concat": (lambda x: F.concat([x, x], axis=0), [2, 2, 2]),
    "stack": (lambda x: F.stack([x, x]), [2, 2, 2]),
    "transpose": (lambda x: F.transpose(F.expand_dims(x, 0)), [1, 1, 1]),
    "slice": (lambda x: x[1:], [0, 1, 1]),
    "get_item": (lambda x: F.get_item(x, [0, 0, 1]), [2, 1, 0]),
    "broadcast_to": (lambda x: F.broadcast_to(x, (2, 3)), [2, 2, 2]),
    "copy": (lambda x: F.copy(x, -1), [1, 1, 1]),
    "flip": (lambda x: F.flip(x, 0), [1, 1, 1]),
    "repeat": (lambda x: F.repeat(x, 2), [2, 2, 2]),
    "split_axis": (lambda x: F.split_axis(x, 3, 0)[1], [0, 1, 0]),
    "squeeze": (lambda x: F.squeeze(F.reshape(x, (3, 1)), 1), [1, 1, 1]),
    "where": (lambda x: F.where(np.array([True, False, True]), x, x), [1, 1, 1]),
    "swapaxes": (lambda x: F.swapaxes(F.reshape(x, (3, 1)), 0, 1), [1, 1, 1]),
    "hstack": (lambda x: F.hstack([x, x]), [2, 2, 2]),
    "separate": (lambda x: F.separate(x)[1], [0, 1, 0]),
    "permutate": (lambda x: F.permutate(x, np.array([2, 0, 1])), [1, 1, 1]),
    "pad_sequence": (lambda x: F.pad_sequence([x, x[:2]]), [2, 2, 1]),
    "scatter_add": (lambda x: F.scatter_add(x, slice(0, 1), x[:1]), [2, 1, 1]),
    "diagonal": (lambda x: F.diagonal(F.reshape(x, (1, 3))), [1, 0, 0]),
    "add": (lambda x: F.add(x, x, x), [3, 3, 3]),
    "negative": (lambda x: -x, [-1, -1, -1]),
    "difference": (lambda x: x - x, [0, 0, 0]),
    "sum_to": (lambda x: F.sum_to(F.broadcast_to(x, (2, 3)), (3,)), [2, 2, 2]),
    "select_item": (lambda x: F.select_item(F.reshape(x, (1, 3)), np.array([1])), [0, 1, 0]),
}


@pytest.mark.parametrize("name", MOVES)
@pytest.mark.parametrize("double", [False, True])
def test_gradients_of_integers_are_integers(name, double):
    function, expected = MOVES[name]
    x = chainer.Variable(np.array([1, 2, 3]))
    y = function(x)
    y.grad = np.ones_like(y.array)
    y.backward(enable_double_backprop=double)
    assert x.grad.tolist() == expected
    assert x.grad.dtype == np.int64


@pytest.mark.parametrize("typ", [np.int64, np.float32])
def test_no_gradient_flows_through_a_cast_of_integers(typ):
    x = chainer.Variable(np.array([1, 2, 3]))
    y = F.cast(x, typ)
    y.grad = np.ones_like(y.array)
    y.backward()
    assert x.grad is None


def test_labels_have_no_gradient():
    t = chainer.Variable(np.array([0, 1]))
    F.softmax_cross_entropy(np.ones((2, 3), np.float32), t).backward()
    assert t.grad is None
