"""Test classes that are written with chainer.testing, run by pytest itself."""

from __future__ import annotations

import unittest

import numpy as np
from scipy import stats

from autodiff.chainer import distributions, initializers, testing
from autodiff.chainer import functions as F
from autodiff.chainer.links.connection.linear import Linear


@testing.parameterize(*testing.product({"shape": [(3, 2), ()], "dtype": [np.float32, np.float64]}))
@testing.inject_backend_tests(None, [{}])
@testing.fix_random()
class TestSine(testing.FunctionTestCase):
    def setUp(self):
        self.check_forward_options = {"atol": 1e-6}

    def generate_inputs(self):
        return (np.random.uniform(-1, 1, self.shape).astype(self.dtype),)  # noqa: NPY002

    def forward(self, inputs, device):
        assert str(device) == "@numpy"
        return (F.sin(inputs[0]),)

    def forward_expected(self, inputs):
        return (np.asarray(np.sin(inputs[0])),)


@testing.inject_backend_tests(None, [{}])
class TestRectifier(testing.FunctionTestCase):
    dodge_nondifferentiable = True
    skip_double_backward_test = True

    def generate_inputs(self):
        return (np.random.choice([0.0, 0.7, 1.3], 2, p=[0.2, 0.4, 0.4]),)  # noqa: NPY002

    def forward(self, inputs, device):
        return (F.relu(inputs[0]),)

    def forward_expected(self, inputs):
        return (np.maximum(inputs[0], 0),)


@testing.inject_backend_tests(["test_forward", "test_backward"], [{}])
class TestLinear(testing.LinkTestCase):
    param_names = ("W", "b")

    def generate_params(self):
        return np.random.rand(2, 3).astype("f"), np.random.rand(2).astype("f")  # noqa: NPY002

    def create_link(self, initializers):
        return Linear(3, 2, initialW=initializers[0], initial_bias=initializers[1])

    def generate_inputs(self):
        return (np.random.rand(4, 3).astype("f"),)  # noqa: NPY002

    def forward_expected(self, link, inputs):
        return (inputs[0] @ link.W.array.T + link.b.array,)


@testing.inject_backend_tests(["test_initializers"], [{}])
@testing.fix_random()
class TestLinearInitializers(testing.LinkInitializersTestCase):
    param_names = ("W", "b")

    def generate_params(self):
        return initializers.Constant(1), initializers.Constant(0)

    def create_link(self, initializers):
        return Linear(3, 2, initialW=initializers[0], initial_bias=initializers[1])

    def generate_inputs(self):
        return (np.random.rand(4, 3).astype("f"),)  # noqa: NPY002

    def get_initializers(self):
        lecun = testing.InitializerArgument(None, initializers.LeCunNormal())
        return [[initializers.Constant(2), 2, lecun], [0.0, initializers.Constant(1)]]


@testing.fix_random()
@testing.unary_math_function_unittest(F.sin, label_expected="sin")
class TestUnary(unittest.TestCase):
    pass


@testing.parameterize(
    *testing.product({"shape": [(2, 3), ()], "is_variable": [True, False], "sample_shape": [(2,), ()]})
)
@testing.fix_random()
@testing.with_requires("scipy")
class TestNormal(testing.distribution_unittest):
    def setUp_configure(self):
        self.dist, self.scipy_dist = distributions.Normal, stats.norm
        functions = {"cdf", "icdf", "log_cdf", "log_prob", "log_survival", "prob", "survival"}
        self.test_targets = functions | {"batch_shape", "entropy", "event_shape", "mean", "sample", "stddev", "support"}
        loc, scale = np.random.uniform(0.5, 1, (2, *self.shape)).astype("f")  # noqa: NPY002
        self.params = self.scipy_params = {"loc": np.asarray(loc), "scale": np.asarray(scale)}

    def sample_for_test(self):
        return np.asarray(np.random.normal(size=self.sample_shape + self.shape)).astype("f")  # noqa: NPY002


def test_the_classes_are_in_this_module():
    names = [name for name in globals() if name.startswith("TestSine_")]
    backend = testing.BackendConfig({}).get_func_str()
    assert f"TestSine_{backend}_param_0_{{dtype=float32, shape=(3, 2)}}" in names
    assert len(names) == len(TestSine.cases) == 4
