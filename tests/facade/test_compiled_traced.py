"""Compositions that `grad` traces run as programs too, and operations that have a kernel of their own."""

import numpy as np
import pytest

import autodiff
import autodiff.chainer.functions as F
from autodiff.backends.choice import numba_is_there
from autodiff.facade import Variable
from autodiff.facade.compiled import costs
from autodiff.facade.compiled.kinds import kinds
from autodiff.facade.settings.configuration import using_config
from autodiff.trace.live import Differentiation
from autodiff.transforms.jit.program import jit_call
from tests.facade.test_compiled_compositions import afresh, numbers  # noqa: F401 - the fixture is for all tests here

pytestmark = pytest.mark.skipif(not numba_is_there(), reason="compositions run as kernels where Numba is")


def compiled(label):
    return [kind for key, kind in kinds.items() if key[0] == label and kind.program is not None]


def network(w, b, gamma, beta, x):
    """The loss of a small network of convolution, normalization, pooling and classification."""
    h = F.convolution_2d(x, w, b, pad=1)
    h = F.batch_normalization(h, gamma, beta)
    h = F.max_pooling_2d(F.elu(h), 2)
    return F.softmax_cross_entropy(F.mean(h, axis=(2, 3)), np.arange(len(x)) % h.shape[1])


ARGUMENTS = numbers(4, 3, 3, 3), numbers(4), numbers(4), numbers(4), numbers(6, 3, 20, 20)


def test_gradients_are_equal():
    gradient = autodiff.value_and_grad(lambda *args: F.sum(network(*args)), argnums=(0, 1, 2, 3, 4))
    with using_config("compile_eager", False):
        value, cotangents = gradient(*ARGUMENTS)
    found, pulled = gradient(*ARGUMENTS)
    np.testing.assert_allclose(found, value, rtol=1e-5)
    for before, now in zip(cotangents, pulled, strict=True):
        assert (before.dtype, before.shape) == (now.dtype, now.shape)
        np.testing.assert_allclose(now, before, rtol=1e-4, atol=2e-6)
    assert all(map(compiled, ("Convolution2DFunction", "BatchNormalization", "ELU", "MaxPoolingND")))


def test_a_call_is_one_operation():
    recording = Differentiation()
    y = F.softplus(recording.input(numbers(5)))
    recording.close()
    assert y.slot.operands.link.primitive is jit_call


def test_variables_and_traced_values_share_a_program():
    x = Variable(numbers(5))
    F.softplus(x)
    autodiff.grad(lambda x: F.sum(F.softplus(x)))(x.array)
    assert len(compiled("Softplus")) == 1


def test_second_order_and_forward_mode_run_the_function():
    x = numbers(5, dtype="d")
    softplus = lambda x: F.sum(F.softplus(x))  # noqa: E731
    logistic = 1 / (1 + np.exp(-x))
    found = autodiff.hessian(softplus)(x)
    np.testing.assert_allclose(found, np.diag(logistic * (1 - logistic)), rtol=1e-12, atol=1e-15)
    _, tangent = autodiff.jvp(softplus, (x,), (np.ones(5),))
    np.testing.assert_allclose(tangent, logistic.sum(), rtol=1e-12)
    np.testing.assert_allclose(autodiff.grad(lambda x: F.sum(autodiff.grad(softplus)(x)))(x), np.diag(found))


def test_closed_over_tracers_are_not_compiled():
    x = numbers(5, dtype="d")

    def total(x):
        square = x * x
        return F.sum(F.forget(lambda y: y * square, x))

    np.testing.assert_allclose(autodiff.grad(total)(x), 3 * x**2)


def test_recorded_on_specs_nothing_is_called():
    tape = autodiff.make_tape(F.softplus)(numbers(5))
    assert all(equation.primitive is not jit_call for equation in tape.equations)


def test_errors_are_those_of_the_function():
    with pytest.raises(IndexError, match="class"):
        autodiff.grad(lambda x: F.softmax_cross_entropy(x, np.array([7, 0])))(numbers(2, 3))


@pytest.mark.parametrize(
    ("label", "call"),
    [
        ("Convolution2DFunction", lambda x: F.convolution_2d(x, numbers(4, 3, 3, 3))),
        ("MaxPoolingND", lambda x: F.max_pooling_2d(x, 2)),
        ("AveragePooling2D", lambda x: F.average_pooling_2d(x, 2)),
    ],
)
def test_operations_with_a_kernel_of_their_own_are_worth_a_program(label, call, monkeypatch):
    for name in ("RECORDING", "COMPILING", "OPERATION", "FIRST"):
        monkeypatch.setattr(costs, name, 0.0)
    x = numbers(6, 3, 32, 32)
    with using_config("compile_eager", "auto"):
        for _ in range(20):
            call(Variable(x))
        assert compiled(label)


def test_a_small_convolution_is_left_to_numpy(monkeypatch):
    for name in ("RECORDING", "COMPILING", "OPERATION", "FIRST"):
        monkeypatch.setattr(costs, name, 0.0)
    with using_config("compile_eager", "auto"):
        for _ in range(20):
            F.convolution_2d(Variable(numbers(1, 1, 4, 4)), numbers(1, 1, 3, 3))
    assert not compiled("Convolution2DFunction")
