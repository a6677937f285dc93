"""What selects elements sends exactly nothing to those it leaves out, even where their derivative is infinite."""

import numpy as np
import pytest

import autodiff
from autodiff import checkpoint, grad, hessian, jit
from autodiff.testing import assert_close

X = np.array([0.0, 1.0, 4.0])
LOG = np.array([0.0, 1.0, 0.25])
ROOT = np.array([0.0, 0.5, 0.25])
MASK = np.array([False, True, True])
TWICE = np.array([MASK, MASK])
AGAIN = np.array([0, 1, 0, 2, 2])

# fmt: off
SAFE = [
    ("where",               lambda x: np.where(x > 0, np.log(x), 0),                               LOG),
    ("where otherwise",     lambda x: np.where(x == 0, 0, np.log(x)),                              LOG),
    ("nested where",        lambda x: np.where(x > 0, np.where(x > 2, np.sqrt(x), np.log(x)), 0),  [0, 1, 0.25]),
    ("inner where",         lambda x: np.where(x > 2, x, np.where(x > 0, np.log(x), 0)),           [0, 1, 1]),
    ("where of where",      lambda x: np.where(x > 0, 2 * np.where(x >= 0, np.log(x), 0), 0),      2 * LOG),
    ("division",            lambda x: np.where(x > 0, 1 / x, 0),                                   [0, -1, -1 / 16]),
    ("quotient",            lambda x: np.where(x != 0, x / x, 0),                                  [0, 0, 0]),
    ("quotient of sines",   lambda x: np.where(x != 0, np.sin(x) / x, 1),        [0, np.cos(1) - np.sin(1),
                                                                                  np.cos(4) / 4 - np.sin(4) / 16]),
    ("chain",               lambda x: np.where(x > 0, -np.exp(2 * np.log(x) / 4), 0),              -ROOT),
    ("reshape",             lambda x: np.where(x > 0, np.log(x).reshape(3, 1).ravel(), 0),         LOG),
    ("reshape of mask",     lambda x: np.where(x > 0, np.log(x), 0).reshape(3, 1) * 1.0,           LOG),
    ("transpose",           lambda x: np.where((x > 0)[:, None], np.log(x[None]).T, 0),            LOG),
    ("flip",                lambda x: np.where(x[::-1] > 0, np.log(x)[::-1], 0),                   LOG),
    ("np.flip",             lambda x: np.where(np.flip(x) > 0, np.flip(np.log(x)), 0),             LOG),
    ("broadcast_to",        lambda x: np.where(TWICE, np.broadcast_to(np.log(x), (2, 3)), 0),      2 * LOG),
    ("broadcast number",    lambda x: np.where(np.ones(2) < x[0], np.broadcast_to(np.log(x[0]), 2), 0), [0, 0, 0]),
    ("tile",                lambda x: np.where(TWICE.ravel(), np.tile(np.log(x), 2), 0),           2 * LOG),
    ("repeat",              lambda x: np.where(np.repeat(x, 2) > 0, np.repeat(np.log(x), 2), 0),   2 * LOG),
    ("take",                lambda x: np.where(x[AGAIN] > 0, np.take(np.log(x), AGAIN), 0),        [0, 1, 0.5]),
    ("index",               lambda x: np.where(x[AGAIN] > 0, np.log(x)[AGAIN], 0),                 [0, 1, 0.5]),
    ("take_along_axis",     lambda x: np.where(x[AGAIN] > 0, np.take_along_axis(np.log(x), AGAIN, 0), 0), [0, 1, 0.5]),
    ("chain of takes",      lambda x: np.where(x[AGAIN] > 0, np.exp(3 * np.log(x) / 3)[AGAIN] * 2, 0), [0, 2, 4]),
    ("relu of take",        lambda x: relu(relu(np.log(x) + 2)[AGAIN] - 1),                        [0, 1, 0.5]),
    ("sum",                 lambda x: np.where(np.sum(x) > 9, np.sum(np.log(x)), 0),               [0, 0, 0]),
    ("sum(where=)",         lambda x: np.sum(np.log(x), where=MASK),                               LOG),
    ("boolean index",       lambda x: np.log(x)[x > 0],                                            LOG),
    ("boolean index first", lambda x: np.log(x[x > 0]),                                            LOG),
    ("clip",                lambda x: np.clip(np.log(x), -5, 9),                                   LOG),
    ("maximum",             lambda x: np.maximum(np.log(x), -5.0),                                 LOG),
    ("minimum",             lambda x: np.minimum(-np.log(x), 5.0),                                 -LOG),
    ("relu",                lambda x: relu(np.log(x) + 2),                                         LOG),
    ("max",                 lambda x: np.max(np.sqrt(x)),                                          [0, 0, 0.25]),
    ("nan_to_num",          lambda x: np.nan_to_num(np.log(x), neginf=0.0),                        LOG),
    ("complex",             lambda x: np.real(np.where(x > 0, np.log(x + 0j), 0)),                 LOG),
    ("same mask twice",     lambda x: both(x, x > 0),                                              LOG + ROOT),
    ("two masks",           lambda x: np.where(x > 0, np.log(x), 0) + np.where(x > 2, np.log(x), 0), [0, 1, 0.5]),
]
HONEST = [
    ("sqrt(x)**2",          lambda x: np.sqrt(x) ** 2,                                             [np.nan, 1, 1]),
    ("x log x",             lambda x: x * np.log(x),                              [np.nan, 1, np.log(4) + 1]),
    ("0 times",             lambda x: np.where(x > 0, 1, 0) * np.log(x),                           [np.nan, 1, 0.25]),
]
# fmt: on


def relu(x):
    return np.where(x > 0, x, 0)


def both(x, mask):
    return np.where(mask, np.log(x), 0) + np.where(mask, np.sqrt(x), 0)


def reverse(fun, x):
    value, pullback = autodiff.vjp(fun, x)
    return pullback(np.ones_like(value))[0]


def forward(fun, x):
    """The diagonal of the Jacobian, one element after another: no direction mixes elements."""
    return np.array([np.sum(autodiff.jvp(fun, (x,), (e,))[1]) for e in np.eye(len(x))])


def named(value):
    return value if isinstance(value, str) else ""


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("mode", [forward, reverse])
@pytest.mark.parametrize(("name", "fun", "expected"), SAFE, ids=named)
def test_nothing_comes_from_what_is_left_out(name, fun, expected, mode):
    assert_close(mode(fun, X), np.array(expected, float))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("name", "fun", "expected"), SAFE, ids=named)
def test_second_derivatives_are_finite(name, fun, expected):
    def total(x):
        return np.sum(reverse(fun, x))

    for mode in (forward, reverse):
        assert np.isfinite(mode(total, X)).all()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("name", "fun", "expected"), HONEST, ids=named)
def test_an_infinite_derivative_that_counts_is_not_hidden(name, fun, expected):
    assert_close(reverse(fun, X), np.array(expected, float))
    assert_close(autodiff.jvp(fun, (X,), (np.ones(3),))[1], np.array(expected, float))


@pytest.mark.parametrize("called", [checkpoint, jit])
@pytest.mark.parametrize("function", [np.log, np.sqrt, lambda x: np.stack([np.log(x), x])[0]])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_masks_pass_the_boundaries_of_calls(called, function):
    x = np.array([0.0, 4.0])

    def masked(f):
        return lambda x: np.sum(np.where(x > 0, f(x), 0.0))

    for transform in (grad, hessian, lambda f: grad(lambda x: np.sum(grad(f)(x) ** 2))):
        expected = transform(masked(function))(x)
        assert np.isfinite(expected).all()
        np.testing.assert_allclose(transform(masked(called(function)))(x), expected, rtol=1e-12)
