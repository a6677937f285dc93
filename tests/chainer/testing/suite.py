"""A suite as libraries over Chainer write theirs, with every helper of `chainer.testing`: some of its tests fail.

It is run by Chainer 7.8.1, which records what becomes of each test, and by autodiff.chainer.
"""

from __future__ import annotations

import random
import unittest
import warnings
from importlib import import_module
from typing import Any

import numpy as np

from tests.chainer.recorded.names import namespace as chainer

MODULES = ("testing", "gradient_check", "testing.attr", "testing.condition")
testing, gradient_check, attr, condition = (import_module(f"{chainer.__name__}.{name}") for name in MODULES)
F, L, I = chainer.functions, chainer.links, chainer.initializers  # noqa: E741 - the customary letter
NUMPY: list[dict[str, Any]] = [{}]


def uniform(*shape):
    return np.random.uniform(0.5, 1, shape)  # noqa: NPY002 - what fix_random seeds


@testing.parameterize(*testing.product({"shape": [(3, 2), ()], "dtype": [np.float16, np.float32, np.float64]}))
@testing.fix_random()
@testing.inject_backend_tests(None, NUMPY)
class Doubled(testing.FunctionTestCase):
    def setUp(self):
        bound = 5e-2 if self.dtype == np.float16 else 1e-2
        self.check_forward_options = self.check_backward_options = {"atol": bound, "rtol": bound}
        self.check_double_backward_options = self.check_backward_options

    def generate_inputs(self):
        return (np.asarray(uniform(*self.shape)).astype(self.dtype),)

    def forward(self, inputs, device):
        return (F.exp(inputs[0]) * 2,)

    def forward_expected(self, inputs):
        return (chainer.utils.force_array(np.exp(inputs[0]) * 2, self.dtype),)


@testing.inject_backend_tests(None, NUMPY)
class WrongValues(testing.FunctionTestCase):
    skip_double_backward_test = True

    def generate_inputs(self):
        return (np.ones(2, np.float32),)

    def forward(self, inputs, device):
        return (F.exp(inputs[0]),)

    def forward_expected(self, inputs):
        return (np.exp(inputs[0]) + 1,)


@testing.inject_backend_tests(None, NUMPY)
@testing.parameterize({"units": 2, "nobias": True}, {"units": 3, "nobias": False})
class Links(testing.LinkTestCase):
    def before_test(self, test_name):
        self.param_names = ("W",) if self.nobias else ("W", "b")

    def generate_params(self):
        W, b = uniform(self.units, 2).astype("f"), uniform(self.units).astype("f")
        return (W,) if self.nobias else (W, b)

    def create_link(self, initializers):
        names = ("initialW",) if self.nobias else ("initialW", "initial_bias")
        return L.Linear(2, self.units, nobias=self.nobias, **dict(zip(names, initializers)))

    def generate_inputs(self):
        return (uniform(3, 2).astype("f"),)

    def forward_expected(self, link, inputs):
        y = inputs[0].dot(link.W.array.T)
        return (y if self.nobias else y + link.b.array,)

    def get_initializers(self):
        W = [I.Constant(2), 2, testing.InitializerArgument(None, I.LeCunNormal())]
        return [W] if self.nobias else [W, [0, testing.InitializerArgument(None, 0)]]


@testing.inject_backend_tests(None, NUMPY)
class Initializers(testing.LinkInitializersTestCase):
    param_names = ("W",)

    def generate_params(self):
        return (I.Normal(),)

    def create_link(self, initializers):
        return L.Linear(2, 3, nobias=True, initialW=initializers[0])

    def generate_inputs(self):
        return (np.ones((1, 2), "f"),)

    def forward(self, link, inputs, device):
        return (link(inputs[0]),)

    def get_initializers(self):
        return ([I.Constant(2), 2.0],)


@testing.unary_math_function_unittest(F.sin)
class Sine(unittest.TestCase):
    pass


@testing.parameterize(*testing.product({"shape": [(2, 3), ()], "is_variable": [True, False], "sample_shape": [(3,)]}))
@testing.fix_random()
@testing.with_requires("scipy")
class Laplace(testing.distribution_unittest):
    scipy_onebyone = True

    def setUp_configure(self):
        self.dist, self.scipy_dist = chainer.distributions.Laplace, import_module("scipy.stats").laplace
        self.test_targets = {
            "batch_shape",
            "cdf",
            "entropy",
            "event_shape",
            "icdf",
            "log_prob",
            "mean",
            "sample",
            "support",
        }
        loc, scale = (np.asarray(uniform(*self.shape), np.float32) for _ in range(2))
        self.params = self.scipy_params = {"loc": loc, "scale": scale}

    def sample_for_test(self):
        return np.random.normal(size=self.sample_shape + self.shape).astype(np.float32)  # noqa: NPY002


@testing.parameterize({"targets": ["log_prob", "mean", "sample"]}, {"targets": ["log_probability"]})
class Bernoulli(testing.distribution_unittest):
    """Keywords of the distribution, checks that are replaced, and a target that does not exist."""

    is_variable, shape, sample_shape = True, (2,), ()
    checked = False

    def setUp_configure(self):
        self.dist, self.scipy_dist = chainer.distributions.Bernoulli, import_module("scipy.stats").bernoulli
        self.options, self.continuous, self.test_targets = {"binary_check": True}, False, set(self.targets)
        self.params = self.scipy_params = {"p": np.array([0.3, 0.6], np.float32)}

    def sample_for_test(self):
        return np.array([0, 1], np.float32)

    def check_log_prob(self, is_gpu):
        assert self.cpu_dist.log_prob(np.full(2, 0.5, np.float32)).array[0] == -np.inf
        assert isinstance(self.params["p"], chainer.Variable)
        self.checked = True

    def check_mean(self, is_gpu):
        raise ValueError("replaced")

    def tearDown(self):
        assert self.checked == ("log_prob_cpu" in self.id())


class Exponential(testing.distribution_unittest):
    """Draws of another distribution."""

    shape, sample_shape, is_variable, scipy_onebyone = (2,), (), False, True

    def setUp_configure(self):
        self.dist, self.scipy_dist = chainer.distributions.Exponential, import_module("scipy.stats").expon
        self.test_targets, self.support = {"sample", "support"}, "positive"
        self.params = {"lam": np.array([0.5, 2], np.float32)}
        self.scipy_params = {"scale": np.array([2, 0.6])}


class Conditions(unittest.TestCase):
    runs = 0

    @condition.retry(3)
    def test_passes_at_last(self):
        type(self).runs += 1
        assert type(self).runs == 3

    @condition.retry(2)
    def test_never_passes(self):
        self.fail("never")

    @condition.repeat(2)
    def test_passes_always(self):
        pass

    @condition.repeat_with_success_at_least(3, 2)
    def test_passes_often_enough(self):
        pass


class Seeds(unittest.TestCase):
    @testing.fix_random()
    def test_one_test(self):
        assert abs(uniform() - 0.7717) < 1e-3
        assert isinstance(testing.generate_seed(), int)


@testing.fix_random()
class SeedsOfAClass(unittest.TestCase):
    def setUp(self):
        self.first = uniform()

    @testing.fix_random()
    def test_nested(self):
        assert abs(self.first - 0.7717) < 1e-3
        assert uniform() != self.first
        random.random()


@testing.parameterize(
    {"a": 1},
    {"a": abs},
    {"a": np.array([1, 2])},
    {"a": "x" * 150},
    {"a": [1, (2, 3)], "b": None},
    {"a": np.float32, "c": np.float32(0.5)},
)
class Names(unittest.TestCase):
    def test_there(self):
        assert self.a is not None

    def test_one(self):
        assert self.a == 1


@testing.parameterize_pytest("a,b", [(1, 2), (3, 4)])
class Pairs(unittest.TestCase):
    def test_next(self):
        assert self.b - self.a == 1


@testing.parameterize(*testing.product({"a,b": [(1, 2), (3, 5)], "c": [5]}))
class Products(unittest.TestCase):
    def test_next(self):
        assert self.a + 1 == self.b


@testing.parameterize(*testing.product_dict([{"a": 1}, {"a": 2}], testing.from_pytest_parameterize("b,c", [(1, 2)])))
class Dicts(unittest.TestCase):
    def test_sum(self):
        assert self.a + self.b < self.c + 1


@testing.inject_backend_tests(["test_device"], NUMPY)
class Devices(unittest.TestCase):
    def test_device(self, backend_config):
        with backend_config:
            assert backend_config.xp is np
        assert str(backend_config.device) == "@numpy"
        assert backend_config.get_array(np.ones(2)).shape == (2,)


@testing.inject_backend_tests(None, NUMPY)
@testing.inject_backend_tests(None, NUMPY)
class TwoDevices(unittest.TestCase):
    def test_both(self, one, other):
        assert isinstance(one, testing.BackendConfig)
        assert one.use_cuda is other.use_cuda is False


class Others(unittest.TestCase):
    def test_a_warning(self):
        with testing.assert_warns(UserWarning):
            warnings.warn("x", UserWarning, stacklevel=1)

    def test_no_warning(self):
        with testing.assert_warns(UserWarning):
            pass

    def test_close(self):
        testing.assert_allclose(chainer.Variable(np.ones(2)), np.ones(2) + 1e-6)

    def test_not_close(self):
        testing.assert_allclose(np.ones(2), np.ones(2) + 1e-2)

    def test_singular_values(self):
        a = testing.generate_matrix((2, 3, 3), singular_values=np.array([[1.0, 2, 3], [4, 5, 6]]))
        assert np.allclose(np.linalg.svd(a)[1], [[3, 2, 1], [6, 5, 4]])

    @testing.with_requires("numpy>=100")
    def test_of_another_time(self):
        self.fail("never run")

    @testing.with_requires("numpy<100")
    def test_of_this_time(self):
        pass

    @attr.slow
    def test_slow(self):
        pass

    def test_patch(self):
        with testing.patch("numpy.ones", wraps=np.ones) as patched:
            np.ones(2)
        assert patched.call_count == 1

    def test_iterations(self):
        trainer, seen = testing.get_trainer_with_mock_updater((3, "iteration")), []
        trainer.extend(lambda trainer: seen.append(trainer.updater.iteration), trigger=(1, "iteration"), name="x")
        trainer.run()
        assert seen == [1, 2, 3]

    def test_epochs(self):
        trainer = testing.get_trainer_with_mock_updater((2, "epoch"), iter_per_epoch=4, extensions=[])
        trainer.run()
        updater = trainer.updater
        assert (updater.iteration, updater.epoch, updater.is_new_epoch) == (8, 2, True)

    def test_inputs_without_effect(self):
        ones = np.ones((2, 2))
        gradient_check.check_double_backward(lambda a, b: a * a + b * 0, (ones, ones), ones, (ones, ones))
        gradient_check.check_double_backward(lambda a: a * 2, ones, ones, ones)

    def test_a_kink(self):
        gradient_check.check_backward(F.relu, np.array([1.0, 0.0]), np.ones(2), detect_nondifferentiable=True)

    def test_inputs_without_gradient(self):
        x, k = np.ones(2), np.array([1, 2])
        gradient_check.check_backward(lambda a, i: a * i.array, (x, k), np.ones(2), no_grads=[False, True])

    def test_numerical_gradients(self):
        x = np.array([1.0, 2.0])
        (gx,) = gradient_check.numerical_grad(lambda: (x**3,), (x,), (np.ones(2),))
        np.testing.assert_allclose(gx, [3, 12], atol=1e-4)


class Outcomes(unittest.TestResult):
    """What became of each test, by its name."""

    def __init__(self):
        super().__init__()
        self.found: dict[str, str] = {}

    def note(self, test, outcome):
        self.found[f"{type(test).__name__}.{test._testMethodName}"] = outcome

    def addSuccess(self, test):
        self.note(test, "passed")

    def addFailure(self, test, err):
        self.note(test, "failed")

    def addError(self, test, err):
        self.note(test, "failed")

    def addSkip(self, test, reason):
        self.note(test, "skipped")


def classes():
    """The classes of the suite, and those that decorators have made."""
    for value in list(globals().values()):
        if isinstance(value, type) and issubclass(value, unittest.TestCase) and value.__module__ == __name__:
            yield value
        for case in getattr(value, "cases", ()):
            yield case[0] if isinstance(case, tuple) else case


def outcomes():
    """What becomes of each test of the suite."""
    result = Outcomes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for each in classes():
            unittest.defaultTestLoader.loadTestsFromTestCase(each).run(result)
    return {name: outcome for name, outcome in result.found.items() if not name.endswith("_gpu")}
