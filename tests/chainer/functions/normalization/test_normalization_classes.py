"""The class that links of programs for Chainer 2 and 3 call, and of which they read the running values."""

import numpy as np

import autodiff.chainer as chainer
import autodiff.chainer.functions as F
from autodiff.chainer.functions.normalization.batch_normalization import BatchNormalization, BatchNormalizationFunction

X = np.arange(12, dtype=np.float32).reshape(4, 3) ** 2
GAMMA, BETA = np.array([1, 2, 3], np.float32), np.array([0, 1, 0], np.float32)


def test_the_called_function_follows_the_given_running_values():
    mean, var = np.zeros(3, np.float32), np.ones(3, np.float32)
    own_mean, own_var = mean.copy(), var.copy()
    x = chainer.Variable(X)
    function = BatchNormalizationFunction(1e-3, mean, var, 0.25)
    y = function(x, GAMMA, BETA)
    expected = F.batch_normalization(X, GAMMA, BETA, eps=1e-3, running_mean=own_mean, running_var=own_var, decay=0.25)
    assert np.array_equal(y.array, expected.array)
    assert function.running_mean is mean
    assert function.running_var is var
    assert np.array_equal(mean, own_mean)
    assert np.array_equal(var, own_var)
    assert y.creator is function
    assert isinstance(function, BatchNormalization)
    assert np.allclose(function.mean, X.mean(axis=0))
    y.grad = np.ones_like(X)
    y.backward()
    assert np.allclose(x.grad, 0, atol=1e-5)


def test_without_running_values_there_are_none():
    function = BatchNormalizationFunction()
    function(X, GAMMA, BETA)
    assert function.running_mean is function.running_var is None
