"""Classes of pooling functions that programs of Chainer 2 to 6 apply, or derive their own from."""

import numpy as np
import pytest

import autodiff.chainer as chainer
import autodiff.chainer.functions as F
from autodiff.chainer.functions.pooling.max_pooling_2d import MaxPooling2D
from autodiff.chainer.functions.pooling.max_pooling_nd import MaxPoolingND
from autodiff.chainer.functions.pooling.pooling_2d import Pooling2D

rng = np.random.default_rng(0)
IMAGES = rng.permutation(50).astype(np.float32).reshape(1, 2, 5, 5)
GEOMETRIES = [(2,), (2, 2), (3, 1), ((2, 3), (1, 2), (1, 0)), (3, 2, 1, False)]


@pytest.mark.parametrize("geometry", GEOMETRIES)
@pytest.mark.parametrize("backprop", [True, False])
@pytest.mark.parametrize("wrap", [np.asarray, chainer.Variable])
def test_an_applied_object_knows_the_places_of_the_largest(geometry, backprop, wrap):
    with chainer.using_config("enable_backprop", backprop):
        y, places = F.max_pooling_2d(IMAGES, *geometry, return_indices=True)
        for pooling in (MaxPooling2D(*geometry), MaxPoolingND(2, *geometry)):
            (own,) = pooling.apply((wrap(IMAGES),))
            assert np.array_equal(own.array, y.array)
            assert np.array_equal(pooling.indexes, places)
        pooling = MaxPooling2D(*geometry)
        (y,) = pooling.apply((wrap(IMAGES),))
        window = {
            "ksize": (pooling.kh, pooling.kw),
            "stride": (pooling.sy, pooling.sx),
            "pad": (pooling.ph, pooling.pw),
        }
        assert np.array_equal(F.max_pooling_2d(IMAGES, **window, cover_all=pooling.cover_all).array, y.array)
        spread = F.upsampling_2d(y, pooling.indexes, **window, outsize=(5, 5), cover_all=pooling.cover_all)
        assert spread.shape == IMAGES.shape


def test_places_that_a_program_has_cut_are_those_of_the_next_application_afterwards():
    pooling = MaxPooling2D(2)
    pooling.apply((IMAGES,))
    pooling.indexes = pooling.indexes[:, :, :2, :2]
    assert pooling.indexes.shape == (1, 2, 2, 2)
    pooling.apply((IMAGES,))
    assert pooling.indexes.shape == (1, 2, 3, 3)


def test_return_indices_adds_no_output():
    assert len(MaxPooling2D(2, return_indices=True).apply((IMAGES,))) == 1
    assert len(MaxPoolingND(2, 2, return_indices=True).apply((IMAGES,))) == 1


def test_the_creator_is_the_object():
    x = chainer.Variable(IMAGES)
    pooling = MaxPooling2D(2)
    y = pooling(x)
    assert y.creator is pooling
    assert isinstance(pooling, MaxPoolingND)
    y.grad = np.ones_like(y.array)
    y.backward()
    assert x.grad.sum() == y.size


class SumOfLargest(Pooling2D):
    """The sum of the windows' pixels, with a gradient of its own."""

    def forward(self, inputs):
        windows = F.im2col(inputs[0], (self.kh, self.kw), (self.sy, self.sx), (self.ph, self.pw), self.cover_all).array
        self.shape = inputs[0].shape
        n, c = self.shape[:2]
        return (windows.reshape(n, c, self.kh * self.kw, *windows.shape[2:]).sum(axis=2),)

    def backward(self, indexes, grad_outputs):
        return (F.unpooling_2d(grad_outputs[0], (self.kh, self.kw), (self.sy, self.sx), 0, self.shape[2:]),)


def test_a_derived_function_has_the_window_and_the_check():
    function = SumOfLargest((1, 5), cover_all=False)
    assert (function.kh, function.kw, function.sy, function.sx, function.ph, function.pw) == (1, 5, 1, 5, 0, 0)
    assert (function.cover_all, function.return_indices) == (False, False)
    x = chainer.Variable(IMAGES)
    (y,) = function.apply((x,))
    assert y.creator is function
    assert np.allclose(y.array, IMAGES.sum(axis=3, keepdims=True))
    y.grad = np.ones_like(y.array)
    y.backward()
    assert np.array_equal(x.grad, np.ones_like(IMAGES))
    for wrong, text in ((IMAGES[0], r"in_types\[0\]\.ndim == 4"), (IMAGES.astype(int), r"dtype\.kind == f")):
        with pytest.raises(chainer.utils.type_check.InvalidType, match=text):
            SumOfLargest(2).apply((wrong,))
