"""Gradient checks, distributions and transformations on GPUs, with a stand-in for CuPy that has two."""

import numpy as np
import pytest

import autodiff
import autodiff.chainer as chainer
from autodiff.chainer import distributions, gradient_check, testing
from autodiff.chainer import functions as F

PARAMETERS = {
    "Bernoulli": (0.3,), "Beta": (1.0, 2.0), "Cauchy": (0.0, 1.0), "Chisquare": (2.0,), "Exponential": (1.5,),
    "Gamma": (1.0, 2.0), "Geometric": (0.3,), "Gumbel": (0.0, 1.0), "Laplace": (0.0, 1.0), "LogNormal": (0.0, 1.0),
    "Normal": (0.0, 1.0), "Pareto": (1.0, 2.0), "Poisson": (2.0,),
}  # fmt: skip


@pytest.fixture(params=[0, 1])
def device(cupy, request):
    return chainer.get_device(request.param)


def test_gradient_checks(device):
    draws = np.random.RandomState(0)
    x, gy, ggx = (device.send(draws.uniform(0.5, 1, (2, 3))) for _ in range(3))
    gradient_check.check_backward(lambda x: F.tanh(x) * x, x, gy, dtype="d")
    gradient_check.check_double_backward(lambda x: F.tanh(x) * x, x, gy, ggx, dtype="d")
    (found,) = gradient_check.numerical_grad(lambda: (F.square(x).array,), (x,), (gy,))
    assert device.is_array_supported(found)
    testing.assert_allclose(found, 2 * x.get() * gy.get())


@pytest.mark.parametrize("name", PARAMETERS)
def test_distributions(device, name):
    values = [device.send(np.full(3, value, np.float32)) for value in PARAMETERS[name]]
    distribution = getattr(distributions, name)(*values)
    with chainer.using_device(device):
        samples = distribution.sample(4)
        there = distribution.log_prob(samples)
    assert samples.shape == (4, 3)
    assert samples.device == device
    host = getattr(distributions, name)(*(value.get() for value in values)).log_prob(samples.array.get())
    assert there.device == device
    np.testing.assert_allclose(there.array.get(), host.array, rtol=1e-5)


def test_functions_inside_of_transformations(cupy):
    x = chainer.get_device(0).send(np.arange(1.0, 4.0))
    found = autodiff.grad(lambda x: F.sum(F.dropout(x, 0.0) * F.softmax(x[None], axis=1)[0]))(x)
    expected = autodiff.grad(lambda x: F.sum(x * F.softmax(x[None], axis=1)[0]))(x.get())
    assert isinstance(found, cupy.ndarray)
    np.testing.assert_allclose(found.get(), expected)
    total = autodiff.value_and_grad(lambda x: F.sum(chainer.Variable(x) ** 2))(x)
    np.testing.assert_allclose(total[1].get(), [2, 4, 6])


def test_the_module_of_a_parameter_that_waits(device):
    p = chainer.Parameter()
    assert p.xp is np
    p.to_device(device)
    assert p.xp is device.xp
