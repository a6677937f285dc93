"""Logarithms of what has overflowed or vanished: what docs/conventions.md says of each formula."""

from functools import partial

import numpy as np
import pytest
import scipy.special as sp

import autodiff
import autodiff.chainer.functions as F
from autodiff import Variable, checkpoint, grad, jacfwd, jit, jvp, make_tape, vmap
from autodiff.scipy.special import softmax
from autodiff.testing import assert_close

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
quick_jit = partial(jit, backend="numpy")
inf, nan = np.inf, np.nan

# fmt: off
VALUES = [  # name, function, at, value, value under jit
    ("log(exp(x))",        lambda x: np.log(np.exp(x)),            800.0,   inf,  inf),
    ("log(1+exp(x))",      lambda x: np.log(1 + np.exp(x)),        800.0,   inf,  800.0),
    ("log1p(exp(x))",      lambda x: np.log1p(np.exp(x)),          800.0,   inf,  800.0),
    ("log(2+exp(x))",      lambda x: np.log(2 + np.exp(x)),        800.0,   inf,  inf),
    ("log(1/(1+exp(-x)))", lambda x: np.log(1 / (1 + np.exp(-x))), -1000.0, -inf, -1000.0),
    ("log(expit(x))",      lambda x: np.log(sp.expit(x)),          -1000.0, -inf, -1000.0),
    ("log(1-expit(x))",    lambda x: np.log(1 - sp.expit(x)),      1000.0,  -inf, -inf),
    ("sqrt(x*x)",          lambda x: np.sqrt(x * x),               1e200,   inf,  1e200),
]
HONEST = [  # derivatives of formulas that have lost what they need
    ("log(sum(exp(x)))",   lambda x: np.log(np.sum(np.exp(x))),            [nan, nan]),
    ("log(exp(x)+exp(y))", lambda x: np.log(np.exp(x[0]) + np.exp(x[1])),  [nan, nan]),
    ("log of shares",      lambda x: np.log(np.exp(x) / np.sum(np.exp(x)))[1], [nan, nan]),
    ("huge summand",       lambda x: np.log(np.exp(x[0]) + 1e300),         [nan, 0]),
]
# fmt: on


@pytest.mark.parametrize(("name", "fun", "at", "value", "compiled"), VALUES)
def test_values_are_those_of_numpy_and_jit_has_better_ones(name, fun, at, value, compiled):
    x = np.array([at])
    assert fun(x)[0] == value
    assert autodiff.value_and_grad(lambda x: np.sum(fun(x)))(x)[0] == value
    assert_close(jit(fun)(x), np.array([compiled]))


@pytest.mark.parametrize("transform", [grad, jacfwd])
@pytest.mark.parametrize(("name", "fun", "slope"), HONEST)
def test_what_was_lost_is_not_made_up(name, fun, slope, transform):
    assert_close(transform(fun)(np.array([800.0, 799.0])), np.array(slope))


def test_kernels_see_the_whole_formula():
    x = np.array([800.0, 799.0])
    fun = lambda x: np.log(np.sum(np.exp(x)))  # noqa: E731
    assert_close(jit(fun)(x), 800.3132616875182)
    assert_close(jit(grad(fun))(x), softmax(x))
    assert_close(jit(grad(lambda x: np.sum(np.sqrt(x * x))))(np.array([1e200])), np.ones(1))


def test_the_root_of_a_square_that_overflows_has_no_slope():
    assert_close(grad(lambda x: np.sqrt(x * x))(1e200), 0.0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("x", [-900.0, -90.0, -40.0, -3.0, 0.0, 0.5, 30.0, 95.0, 900.0])
def test_the_derivatives_are_right_everywhere(x, dtype):
    x = dtype(x)
    share, rest = sp.expit(np.float64(x)), sp.expit(-np.float64(x))
    tolerance = 8 * np.finfo(dtype).eps
    for fun, slope, bend in (
        (lambda x: np.log(1 + np.exp(x)), share, share * rest),
        (lambda x: np.log1p(np.exp(x)), share, share * rest),
        (lambda x: np.log(sp.expit(x)), rest, -share * rest),
        (lambda x: np.log(1 / (1 + np.exp(-x))), rest, -share * rest),
    ):
        for found in (
            grad(fun)(x),
            jvp(fun, (x,), (dtype(1),))[1],
            quick_jit(grad(fun))(x),
            vmap(grad(fun))(x[None])[0],
        ):
            np.testing.assert_allclose(found, slope, rtol=tolerance, atol=tolerance)
        for found in (grad(grad(fun))(x), jvp(grad(fun), (x,), (dtype(1),))[1], grad(jacfwd(fun))(x)):
            np.testing.assert_allclose(found, bend, rtol=64 * tolerance, atol=tolerance)


@pytest.mark.parametrize("x", [-1000.0, 0.3, 1000.0])
def test_variables(x):
    for fun, slope in (
        (lambda v: F.log(F.sigmoid(v)), sp.expit(-x)),
        (lambda v: F.log(1 + F.exp(v)), sp.expit(x)),
        (lambda v: F.log1p(F.exp(v)), sp.expit(x)),
        (lambda v: F.log(1.0 / (1.0 + F.exp(-v))), sp.expit(-x)),
    ):
        v = Variable(np.array([x, 0.0]))
        out = F.sum(fun(v))
        out.backward(enable_double_backprop=True)
        assert_close(v.grad[0], slope)
        first = v.grad_var
        v.cleargrad()
        F.sum(first).backward()
        assert np.isfinite(v.grad).all()


@pytest.mark.parametrize("called", [lambda f: f, checkpoint, quick_jit])
def test_they_pass_what_selects_and_what_is_called(called):
    x = np.array([-1000.0, 2.0])
    chosen = called(lambda x: np.where(x < 0, np.log(sp.expit(x)), 0.0))
    assert_close(grad(lambda x: np.sum(chosen(x)))(x), np.array([1.0, 0.0]))
    assert_close(jacfwd(chosen)(x), np.diag([1.0, 0.0]))


def test_a_logarithm_of_anything_else_divides_once():
    tape = make_tape(grad(lambda x: np.sum(np.log(x * x))))(np.ones(3))
    names = [equation.primitive.name for equation in tape.equations]
    assert names.count("divide") == 1
    assert "equal" not in names
