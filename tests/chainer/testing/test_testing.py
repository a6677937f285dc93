"""Comparison, parameters, devices, conditions, random numbers and trainers of tests."""

from __future__ import annotations

import subprocess
import sys
import unittest
import warnings
from unittest import mock

import numpy as np
import pytest

import autodiff.chainer as chainer
from autodiff.chainer import FunctionNode, testing
from autodiff.chainer import functions as F
from autodiff.chainer.links.connection.linear import Linear
from autodiff.chainer.testing import attr, condition
from autodiff.facade import Variable
from autodiff.facade.settings.configuration import config


def run(klass, name):
    result = unittest.TestResult()
    klass(name).run(result)
    return result


def test_arrays_that_agree():
    testing.assert_allclose(np.array([1.0, np.nan, np.inf]), [1.00001, np.nan, np.inf])
    testing.assert_allclose(1, np.array([1.0]))


@pytest.mark.parametrize(
    ("x", "y", "text"),
    [
        (np.ones(2), np.ones(3), r"the arrays differ in shape: \(2,\) arrived, \(3,\) is expected"),
        (np.array([np.nan]), np.ones(1), "the arrays differ"),
        (np.array([np.inf]), np.ones(1), "the arrays differ"),
        (np.ones(1), np.array([np.inf]), "the arrays differ"),
        (np.array([1.0, 2.0]), np.array([1.0, 2.1]), r"the arrays differ in 1 of 2 elements, most at index \(1,\)"),
    ],
)
def test_arrays_that_differ(x, y, text):
    with pytest.raises(AssertionError, match=text):
        testing.assert_allclose(x, y)


def test_variables_are_not_compared():
    with pytest.raises(TypeError, match="assert_allclose compares arrays, and a Variable arrived"):
        testing.assert_allclose(Variable(np.ones(2)), np.ones(2))


def test_products_of_parameters():
    assert testing.product([[{"a": 1}, {"a": 2}], [{"b": 3}]]) == [{"a": 1, "b": 3}, {"a": 2, "b": 3}]
    assert testing.from_pytest_parameterize("a", [1, 2]) == [{"a": 1}, {"a": 2}]


def test_errors_of_parameterized_tests_say_the_parameters():
    class Case(unittest.TestCase):
        def test(self):
            raise ValueError("wrong")

    (made,) = testing.parameterize({"shape": (2, 3), "a": None})(Case).cases
    assert made.__name__ == "Case_param_0_{a=None, shape=(2, 3)}"
    text = run(made, "test").errors[0][1]
    assert "ValueError: wrong\nTest parameters:\n  a: None\n  shape: (2, 3)" in text


def test_backend_configs():
    backend = testing.BackendConfig({"use_cuda": True, "use_cudnn": "always"})
    assert backend.cuda_device == 0
    assert [mark.__name__ for mark in backend.get_pytest_marks()] == ["gpu", "cudnn"]
    assert repr(testing.BackendConfig({})) == (
        "<BackendConfig use_chainerx=False chainerx_device=None use_cuda=False cuda_device=None use_cudnn='never' "
        "cudnn_deterministic=False autotune=False cudnn_fast_batch_normalization=False use_ideep='never'>"
    )
    with pytest.raises(ValueError, match="a BackendConfig has no gpu; it has use_chainerx, "):
        testing.BackendConfig({"gpu": 0})


def test_a_backend_config_sets_the_configuration():
    before = config.use_cudnn
    with testing.BackendConfig({"autotune": True}) as backend:
        assert (config.autotune, config.use_cudnn) == (True, "never")
        assert backend.get_array(None) is None
    assert (config.autotune, config.use_cudnn) == (False, before)


class Trials(unittest.TestCase):
    __test__ = False  # run by the tests below
    results: tuple[bool, ...] = ()

    def setUp(self):
        type(self).results, first = self.results[1:], self.results[:1]
        self.fresh = not hasattr(self, "passes")
        self.passes = bool(first and first[0])

    @condition.retry(3)
    def test_retry(self):
        assert self.fresh, "the test has run on this object"
        assert self.passes, "no luck"

    @condition.retry(2)
    def test_skipped_by_pytest(self):
        pytest.skip("not today")

    @condition.repeat(2)
    def test_repeat(self):
        assert self.passes

    @condition.repeat_with_success_at_least(3, 2)
    def test_most(self):
        assert self.passes

    @condition.retry(2)
    def test_skipped(self):
        self.skipTest("not today")


@pytest.mark.parametrize(
    ("name", "results", "passes"),
    [
        ("test_retry", (False, False, True), True),
        ("test_retry", (False, False, False, True), False),
        ("test_repeat", (True, True), True),
        ("test_repeat", (True, False), False),
        ("test_most", (True, False, True), True),
        ("test_most", (True, False, False), False),
    ],
)
def test_tests_that_may_fail(monkeypatch, name, results, passes):
    monkeypatch.setattr(Trials, "results", (True, *results))  # the first setUp is that of the whole
    assert run(Trials, name).wasSuccessful() is passes


def test_the_first_failure_is_shown(monkeypatch):
    monkeypatch.setattr(Trials, "results", ())
    text = run(Trials, "test_retry").failures[0][1]
    assert "Fail: 3, Success: 0; the first error message:\n" in text
    assert "AssertionError: no luck" in text


def test_skipped_trials_are_skipped():
    assert run(Trials, "test_skipped").skipped[0][1] == "not today"


def test_trials_are_methods_of_test_cases():
    with pytest.raises(AssertionError, match=r"the test must be a method of a unittest.TestCase, got int"):
        condition.retry(2)(lambda self: None)(3)
    with pytest.raises(ValueError, match="min_success must be from 0 to 2, got 3"):
        condition.repeat_with_success_at_least(2, 3)


def test_random_numbers_are_fixed_within_tests():
    drawn = []

    @testing.fix_random()
    class Case(unittest.TestCase):
        def setUp(self):
            drawn.append(np.random.rand())  # noqa: NPY002

        def test(self):
            drawn.extend([np.random.rand(), testing.generate_seed(), testing.generate_seed()])  # noqa: NPY002

    np.random.seed(5)  # noqa: NPY002
    assert run(Case, "test").wasSuccessful()
    assert drawn == [0.5434049417909654, 0.27836938509379616, 1823289175, 2260795471]
    assert np.random.rand() == 0.22199317108973948  # noqa: NPY002
    with pytest.raises(AssertionError, match="fix_random"):
        testing.generate_seed()


def test_matrices_with_given_singular_values():
    matrix = testing.generate_matrix((3, 2, 4), np.complex64, singular_values=[[1.0, 2.0]])
    assert matrix.dtype == np.complex64
    np.testing.assert_allclose(np.linalg.svd(matrix).S, np.tile([2.0, 1.0], (3, 1)), rtol=1e-5)


@pytest.mark.parametrize(
    ("arguments", "values", "error", "text"),
    [
        (((2,),), [1.0], ValueError, "a matrix has two axes, got the shape"),
        (((2, 2), int), [1.0], TypeError, "dtype must be floating or complex, got int64"),
        (((2, 2),), None, TypeError, "singular_values is needed"),
        (((2, 2),), [-1.0, 1.0], ValueError, "singular values are not negative"),
    ],
)
def test_matrices_that_cannot_be(arguments, values, error, text):
    with pytest.raises(error, match=text):
        testing.generate_matrix(*arguments, singular_values=values)


def test_warnings_are_demanded():
    with testing.assert_warns(UserWarning):
        warnings.warn("careful", UserWarning, stacklevel=1)
    with pytest.raises(AssertionError, match="UserWarning was not given"), testing.assert_warns(UserWarning):
        warnings.warn("old", DeprecationWarning, stacklevel=1)


def test_patched_objects_do_their_work():
    with testing.patch("numpy.sum", autospec=True) as spy:
        assert np.sum([1, 2]) == 3
    assert spy.call_count == 1
    with testing.patch("numpy.sum", return_value=5):
        assert np.sum([1, 2]) == 5


def test_requirements():
    assert testing.with_requires("numpy>=1.0")(lambda: 5)() == 5
    assert testing.without_requires("numpy>=99")(lambda: 5)() == 5
    for decorator in (testing.with_requires("numpy>=99"), testing.without_requires("numpy")):
        with pytest.raises(unittest.SkipTest, match="requires: numpy"):
            decorator(lambda: 5)()
    with pytest.raises(unittest.SkipTest, match="requires: no-such-package"):
        testing.with_requires("no-such-package")(lambda: 5)()


def test_a_trainer_that_counts(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # where the trainer makes its folder
    seen = []
    extension = mock.Mock(trigger=(1, "iteration"), priority=0, spec=["trigger", "priority", "__call__"])
    extension.side_effect = lambda trainer: seen.append(
        (trainer.updater.iteration, trainer.updater.epoch, trainer.updater.is_new_epoch)
    )
    for per_epoch, expected in (
        (2, [(1, 0, False), (2, 1, True), (3, 1, False), (4, 2, True)]),
        (1.5, [(1, 0, False), (2, 1, True), (3, 2, True), (4, 2, False)]),
    ):
        seen.clear()
        trainer = testing.get_trainer_with_mock_updater((4, "iteration"), iter_per_epoch=per_epoch)
        trainer.extend(extension, name="seen")
        trainer.run()
        assert seen == expected


def test_functions_that_are_wrong_are_found():
    class Wrong(testing.FunctionTestCase):
        def generate_inputs(self):
            return (np.ones(2),)

        def forward(self, inputs, device):
            return (F.sin(inputs[0]),)

        def forward_expected(self, inputs):
            return (np.cos(inputs[0]),)

        def runTest(self):
            self.run_test_forward(testing.BackendConfig({}))

    text = run(Wrong, "runTest").failures[0][1]
    assert "FunctionTestError: output 0: the arrays differ" in text


class WrongGradient(chainer.FunctionNode):
    """x^2, and 3 x^2 in place of its gradient."""

    def forward(self, inputs):
        self.retain_inputs((0,))
        return (inputs[0] ** 2,)

    def backward(self, indexes, grads):
        (x,) = self.get_retained_inputs()
        return (grads[0] * x * x * 3,)


class WrongSecondGradient(chainer.FunctionNode):
    """x^2 and its gradient, which is not differentiated."""

    def forward(self, inputs):
        self.retain_inputs((0,))
        return (inputs[0] ** 2,)

    def backward(self, indexes, grads):
        (x,) = self.get_retained_inputs()
        return (grads[0] * 2 * x.array,)


@pytest.mark.parametrize(
    ("function", "method", "text"),
    [
        (WrongGradient, "run_test_backward", "backward is not implemented correctly"),
        (WrongSecondGradient, "run_test_double_backward", "double backward is not implemented correctly"),
    ],
)
def test_gradients_of_functions_that_are_wrong_are_found(function, method, text):
    class Wrong(testing.FunctionTestCase):
        def generate_inputs(self):
            return (np.array([2.0, 3.0]),)

        def forward(self, inputs, device):
            return function().apply(inputs)

        def forward_expected(self, inputs):
            return (inputs[0] ** 2,)

    with pytest.raises(testing.FunctionTestError, match=f"^{text}$") as caught:
        getattr(Wrong("test_forward"), method)(testing.BackendConfig({}))
    assert type(caught.value.__cause__) is AssertionError


def test_gradients_of_links_that_are_wrong_are_found():
    class Square(chainer.Link):
        def forward(self, x):
            return WrongGradient().apply((x,))[0]

    class Wrong(testing.LinkTestCase):
        def create_link(self, initializers):
            return Square()

        def generate_params(self):
            return ()

        def generate_inputs(self):
            return (np.array([2.0, 3.0]),)

        def forward_expected(self, link, inputs):
            return (inputs[0] ** 2,)

    with pytest.raises(testing.LinkTestError, match=r"^backward is not implemented correctly$"):
        Wrong("test_backward").test_backward(testing.BackendConfig({}))


def test_incomplete_test_cases_say_what_is_missing():
    class Incomplete(testing.FunctionTestCase):
        def runTest(self):
            self.run_test_forward(testing.BackendConfig({}))

    assert "Incomplete must implement generate_inputs" in run(Incomplete, "runTest").failures[0][1]


def test_marks_skip_where_there_is_no_gpu():
    def test():
        return 1

    assert attr.slow(test)() == 1
    with pytest.raises(unittest.SkipTest, match="GPUs needed: 1000, found: "):
        attr.multi_gpu(1000)(test)()
    with pytest.raises(unittest.SkipTest, match="ChainerX is not available"):
        attr.chainerx(test)()


def test_neither_pytest_nor_hypothesis_is_needed():
    program = (
        "import sys; sys.modules.update(pytest=None, hypothesis=None)\n"
        "from autodiff.chainer import testing, gradient_check\n"
        "testing.run_module('module', 'file')\n"
        "import unittest\n"
        "@testing.attr.slow\n"
        "def test(): print('ran')\n"
        "test()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("ran\n", "")


def test_a_test_may_be_skipped_in_pytests_way():
    result = run(Trials, "test_skipped_by_pytest")
    assert result.wasSuccessful()
    assert [reason for _, reason in result.skipped] == ["not today"]


def test_every_test_gets_the_backend_whatever_it_calls_it():
    class Case(unittest.TestCase):
        def test_one(self, where):
            assert where.device.name == "@numpy"

        def test_two(self, device):
            pass

    (made,) = testing.inject_backend_tests(None, [{}])(Case).cases
    assert run(made, "test_one").wasSuccessful()
    assert run(made, "test_two").wasSuccessful()


def test_tests_without_a_backend_run_once():
    class Case(unittest.TestCase):
        def test_with(self, backend_config):
            pass

        def test_without(self):
            pass

    made = testing.inject_backend_tests(["test_with"], [{}, {"use_cuda": True}])(Case).cases
    names = unittest.TestLoader().getTestCaseNames
    found = {case.__name__: [name for name in names(case) if getattr(case, name)] for case in made}
    assert list(found.values()) == [["test_without"], ["test_with"], ["test_with"]]
    assert next(iter(found)) == "Case_without_backend"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("test", [{}]), "^method_names must be either None or a list, got str$"),
        ((None, {}), "^params must be a list of dicts, got {}$"),
        ((None, [1]), r"^params must be a list of dicts, got \[1\]$"),
    ],
)
def test_what_cannot_be_injected(arguments, text):
    with pytest.raises(TypeError, match=text):
        testing.inject_backend_tests(*arguments)


def test_products_of_names_that_belong_together():
    expected = [{"a": 1, "b": 2, "c": 5}, {"a": 1, "b": 2, "c": 6}, {"a": 3, "b": 4, "c": 5}, {"a": 3, "b": 4, "c": 6}]
    assert testing.product({"c": [5, 6], "a,b": [(1, 2), (3, 4)]}) == expected
    with pytest.raises(TypeError, match=r"^parameter must be either a dict or a list, got tuple$"):
        testing.product(())
    with pytest.raises(TypeError, match=r"^parameter must be a list of lists of dicts, got \[\[1\]\]$"):
        testing.product([[1]])


def test_functions_are_no_methods_as_parameters():
    class Case(unittest.TestCase):
        def test(self):
            assert self.f(2) == 4
            assert self.kind is float

    (made,) = testing.parameterize({"f": lambda x: x * x, "kind": float, "name": "n"})(Case).cases
    assert run(made, "test").wasSuccessful()
    assert made.__name__ == "Case_param_0_{f=<lambda>, kind=float, name='n'}"


def test_long_parameters_have_short_names():
    (made,) = testing.parameterize({"text": "x" * 300})(type("Case", (unittest.TestCase,), {})).cases
    assert made.__name__ == f"Case_param_0_{{text='{'x' * 47}...{'x' * 48}'}}"


def test_numbers_in_names_are_without_their_types():
    (made,) = testing.parameterize({"mean": np.float32(0.5)})(type("Case", (unittest.TestCase,), {})).cases
    assert made.__name__ == "Case_param_0_{mean=0.5}"


def test_options_are_of_each_test_its_own():
    class Case(testing.FunctionTestCase):
        check_forward_options = {"atol": 1.0}  # noqa: RUF012

        def test_nothing(self):
            pass

    one, two = Case("test_nothing"), Case("test_nothing")
    one.check_backward_options["atol"] = 2.0
    one.check_forward_options.update(rtol=3.0)
    assert (two.check_backward_options, two.check_double_backward_options) == ({}, {})
    assert two.check_forward_options == {"atol": 1.0}


def test_expected_values_may_take_a_dtype():
    @testing.unary_math_function_unittest(F.square, func_expected=lambda x, dtype: np.asarray(x * x, dtype))
    class TestSquare(unittest.TestCase):
        pass

    for made in TestSquare.cases:
        for name in ("test_forward_cpu", "test_backward_cpu", "test_double_backward_cpu"):
            assert run(made, name).wasSuccessful()


@pytest.mark.parametrize("contiguous", [None, "C"])
def test_arrays_of_backward_tests_have_gaps_unless_they_shall_not(contiguous):
    """Those of functions and links; the first backward pass is the one that is looked at."""
    seen = []

    class Noting(FunctionNode):
        def forward(self, inputs):
            self.retain_inputs((0,))
            seen.append(inputs[0].flags.c_contiguous)
            return (inputs[0] * 2,)

        def backward(self, indexes, grad_outputs):
            return (grad_outputs[0] * 2,)

    class Function(testing.FunctionTestCase):
        def generate_inputs(self):
            return (np.ones((2, 3)),)

        def forward(self, inputs, device):
            return Noting().apply(inputs)

        def forward_expected(self, inputs):
            return (inputs[0] * 2,)

    Function.contiguous = contiguous
    Function("test_backward").run_test_backward(testing.BackendConfig({}))
    assert seen[0] is (contiguous == "C")


def test_a_link_that_ignores_its_initializer_is_found():
    class Ignoring(testing.LinkInitializersTestCase):
        param_names = ("W",)

        def generate_params(self):
            return (2,)

        def create_link(self, initializers):
            return Linear(3, 2, nobias=True, initialW=0)

        def generate_inputs(self):
            return (np.ones((1, 3), np.float32),)

        def get_initializers(self):
            return [[2]]

    with pytest.raises(testing.LinkTestError, match=r"^parameter 0 is not initialized as 2 says"):
        Ignoring("test_initializers").test_initializers(testing.BackendConfig({}))
