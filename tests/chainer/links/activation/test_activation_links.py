"""The links PReLU, Swish, Maxout and SimplifiedDropconnect."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff.chainer.links as L
from autodiff.chainer.serializers import DictionarySerializer

X = np.array([[-1, 2, -3], [4, -5, 6]], "f")


def test_prelu():
    assert L.PReLU().W.shape == ()
    np.testing.assert_array_equal(L.PReLU()(X).array, [[-0.25, 2, -0.75], [4, -1.25, 6]])
    link = L.PReLU((3,), np.array([1, 2, 3]))
    np.testing.assert_array_equal(link(X).array, [[-1, 2, -9], [4, -10, 6]])


def test_swish_learns_the_shape_of_beta():
    link = L.Swish(None, 0.5)
    assert link.beta.array is None
    np.testing.assert_allclose(link(X).array, X / (1 + np.exp(-0.5 * X)), rtol=1e-6)
    assert link.beta.shape == (3,)
    assert L.Swish(()).beta.shape == ()


def test_maxout_takes_arrays():
    W = np.arange(12.0).reshape(2, 2, 3)
    link = L.Maxout(3, 2, 2, initialW=W, initial_bias=np.arange(4.0).reshape(2, 2))
    wanted = (np.einsum("ni,opi->nop", X, W) + np.arange(4.0).reshape(2, 2)).max(2)
    np.testing.assert_allclose(link(X).array, wanted, rtol=1e-6)
    assert L.Maxout(3, 2, 2, initial_bias=None).linear.b is None
    assert L.Maxout(None, 2, 2)(X).shape == (2, 2)
    assert L.Maxout(None, 2, 2, initialW=W)(X).shape == (2, 2)
    shapes = []

    def fill(array):
        shapes.append(array.shape)
        array[:, 1] = 3

    link = L.Maxout(3, 2, 2, initialW=fill, initial_bias=fill)
    assert shapes == [(2, 2, 3), (2, 2)]
    assert link.linear.W.array[1::2].tolist() == [[3, 3, 3], [3, 3, 3]]


def test_maxout_refuses_arrays_with_other_axes():
    text = r"^initialW.ndim should be 3, got an array of shape \(12,\) \(test_activation_links.py:\d+\)$"
    with pytest.raises(ValueError, match=text):
        L.Maxout(3, 2, 2, initialW=np.arange(12.0))
    with pytest.raises(ValueError, match=r"^initial_bias.ndim should be 2, got an array of shape \(4,\) "):
        L.Maxout(3, 2, 2, initial_bias=np.arange(4.0))


def test_simplified_dropconnect():
    link = L.SimplifiedDropconnect(None, 2, 0.25, initialW=1.0, initial_bias=1)
    np.testing.assert_array_equal(link(X, train=False).array, [[-1, -1], [6, 6]])
    mask = np.array([[True, True, True], [False, False, False]])
    np.testing.assert_allclose(
        link(X, mask=mask, use_batchwise_mask=False).array, [[-5 / 3, 1], [23 / 3, 1]], rtol=1e-6
    )
    assert L.SimplifiedDropconnect(3, 2, nobias=True).b is None


def test_simplified_dropconnect_keeps_the_first_mask():
    link = L.SimplifiedDropconnect(3, 2)
    link(X)
    assert not hasattr(link, "mask")
    masks = np.ones((2, 2, 3), bool), np.zeros((2, 2, 3), bool)
    for mask in masks:
        link(X, mask=mask)
    assert link.mask is masks[0]
    saved = DictionarySerializer()
    saved.save(link)
    assert sorted(saved.target) == ["W", "b", "mask"]
