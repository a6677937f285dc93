"""The links LayerNormalization, GroupNormalization and DecorrelatedBatchNormalization."""

from __future__ import annotations

import io

import numpy as np
import pytest

import autodiff.chainer.links as L
from autodiff.chainer.serializers import load_npz, save_npz
from autodiff.facade import InvalidType
from autodiff.facade.settings.configuration import mixed16, using_config

X = np.random.RandomState(0).rand(9, 4).astype("f")


def test_layer_normalization():
    for link in (L.LayerNormalization(4), L.LayerNormalization()):
        y = link(X).array
        np.testing.assert_allclose(y.mean(1), 0, atol=1e-6)
        np.testing.assert_allclose(y.std(1), 1, rtol=1e-3)
        assert [(name, param.shape) for name, param in link.namedparams()] == [("/beta", (4,)), ("/gamma", (4,))]
    assert L.LayerNormalization(4, initial_gamma=2, initial_beta=3)(X).array.mean() == pytest.approx(3, rel=1e-5)
    with pytest.raises(InvalidType, match=r"in_types\[0\].ndim == 2"):
        L.LayerNormalization()(X[:, :, np.newaxis])


def test_group_normalization():
    for link in (L.GroupNormalization(2, 4), L.GroupNormalization(2)):
        y = link(X).array.reshape(9, 2, 2)
        np.testing.assert_allclose(y.mean(2), 0, atol=1e-6)
        assert link.gamma.shape == (4,)
    with pytest.raises(
        ValueError, match=r"^groups=3 does not divide the 4 channels \(test_other_normalizations.py:\d+\)$"
    ):
        L.GroupNormalization(3)(X)
    with pytest.raises(
        ValueError,
        match=r"^x must have the axes of examples and channels, \(N, C, ...\), got \(4,\) \(test_\w+.py:\d+\)$",
    ):
        L.GroupNormalization(2)(X[0])


def test_dtypes_of_mixed_precision():
    with using_config("dtype", mixed16):
        assert L.GroupNormalization(2, 4).gamma.dtype == np.float32
        assert L.LayerNormalization(4).gamma.dtype == np.float16


def test_decorrelated_batch_normalization():
    link = L.DecorrelatedBatchNormalization(4, groups=2)
    y = link(X).array
    np.testing.assert_allclose(y[:, :2].T @ y[:, :2] / 9, np.eye(2), atol=1e-3)
    np.testing.assert_allclose(link.avg_mean.ravel(), 0.1 * X.mean(0), rtol=1e-5)
    for _ in range(2):
        link(X, finetune=True)
    np.testing.assert_allclose(link.avg_mean.ravel(), X.mean(0), rtol=1e-5)
    with using_config("train", False):
        np.testing.assert_allclose(link(X).array[0], [0.17636731, 0.40317494, 0.9205552, -0.6779396], rtol=1e-4)
    assert link.N == 2
    link.start_finetuning()
    assert link.N == 0


def test_decorrelated_batch_normalization_is_saved():
    link, file = L.DecorrelatedBatchNormalization(4, groups=2), io.BytesIO()
    link(X)
    save_npz(file, link)
    assert sorted(np.load(io.BytesIO(file.getvalue()))) == ["N", "avg_mean", "avg_projection"]
    other = L.DecorrelatedBatchNormalization(4, groups=2)
    load_npz(io.BytesIO(file.getvalue()), other)
    np.testing.assert_array_equal(other.avg_projection, link.avg_projection)


def test_decorrelated_batch_normalization_refuses_unknown_keywords():
    with pytest.raises(TypeError, match=r"^forward\(\) got unexpected keyword argument\(s\) 'foo' \(.*:\d+\)$"):
        L.DecorrelatedBatchNormalization(4, 2)(X, foo=1)
