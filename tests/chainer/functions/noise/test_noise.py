"""Random functions: the numbers of NumPy's global generator as Chainer draws them, derivatives, and modes."""

# ruff: noqa: NPY002 - this is the generator that the functions draw from

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import autodiff
import autodiff.chainer.functions as F
from autodiff import InvalidType, Variable
from autodiff.facade.settings.configuration import using_config
from tests.chainer.functions.function_laws import Row, check_row, draw

ONE = np.ones((2, 3), np.float32)
EYE = np.eye(3, dtype=np.float32)
MASK = np.array([[2.0, 0, 0], [0, 2, 2]])
WEIGHTS = np.arange(30).reshape(2, 5, 3) % 3 > 0
T = np.float32(1 / 0.6)


@pytest.fixture(autouse=True)
def _seeded() -> Iterator[None]:
    state = np.random.get_state()
    np.random.seed(1)
    yield
    np.random.set_state(state)


def seeded(function: Any) -> Any:
    """The function that draws the same numbers each time."""

    def call(*args: Any) -> Any:
        np.random.seed(3)
        return function(*args)

    return call


# fmt: off
ROWS = [
    Row("dropout", lambda x: F.dropout(x, mask=MASK.astype(x.dtype)), (draw(2, 3),), "Dropout"),
    Row("dropout, drawn", seeded(F.dropout), (draw(2, 3),), "Dropout"),
    Row("gaussian", seeded(F.gaussian), (draw(2, 3), draw(2, 3, seed=1)), "Gaussian"),
    Row("gumbel_softmax", seeded(lambda x: F.gumbel_softmax(x, 0.7)), (draw(2, 3),), "Softmax"),
    Row("zoneout", seeded(F.zoneout), (draw(2, 3), draw(2, 3, seed=1)), "Zoneout"),
    Row("dropconnect", lambda *a: F.simplified_dropconnect(*a, mask=WEIGHTS), (draw(2, 3), draw(5, 3, seed=1), draw(5)),
        "SimplifiedDropconnect"),
    Row("dropconnect, one mask", lambda *a: F.simplified_dropconnect(*a, mask=WEIGHTS[0], use_batchwise_mask=False),
        (draw(2, 3, 1), draw(5, 3, seed=1)), "SimplifiedDropconnect"),
]

DRAWN = {
    "dropout": (lambda: F.dropout(ONE, 0.4), [[T, T, 0], [0, 0, 0]]),
    "zoneout": (lambda: F.zoneout(0 * ONE, ONE, 0.4), [[1, 1, 0], [0, 0, 0]]),
    "gaussian": (lambda: F.gaussian(ONE, 0 * ONE), [[2.62435, 0.38824, 0.47183], [-0.07297, 1.86541, -1.30154]]),
    "gumbel": (lambda: F.gumbel_softmax(0 * ONE, 1.0), [[0.00021, 9e-05, 0.9997], [0.14318, 0.32478, 0.53204]]),
    "dropconnect": (lambda: F.simplified_dropconnect(ONE, EYE, ratio=0.4), [[T, 0, 0], [T, T, T]]),
    "dropconnect, one mask": (
        lambda: F.simplified_dropconnect(ONE, EYE, ratio=0.4, use_batchwise_mask=False), [[T, 0, 0], [T, 0, 0]]
    ),
}
# fmt: on


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_derivatives_labels_and_dtypes(row: Row) -> None:
    check_row(row)


@pytest.mark.parametrize("name", DRAWN)
def test_a_seed_gives_the_numbers_that_it_gives_in_chainer(name: str) -> None:
    call, values = DRAWN[name]
    y = call()
    assert y.dtype == np.float32
    np.testing.assert_allclose(y.array, values, atol=6e-6)


def test_the_generator_goes_on_as_far_as_in_chainer() -> None:
    F.simplified_dropconnect(ONE, EYE, ratio=0.4)
    assert np.random.rand() == 0.14038693859523377
    np.random.seed(0)
    F.simplified_dropconnect(ONE, EYE, train=False)
    assert np.random.rand() == 0.7781567509498505
    np.random.seed(0)
    F.gaussian(ONE.astype(np.float16), ONE.astype(np.float16))
    assert np.random.rand() == 0.4375872112626925


def test_masks_and_noise_can_be_had_and_given() -> None:
    y, mask = F.dropout(ONE, 0.4, return_mask=True)
    assert (mask.dtype, mask.tolist()) == (np.float32, y.array.tolist())
    assert F.dropout(ONE, mask=3 * mask).array.tolist() == (3 * mask).tolist()
    z, eps = F.gaussian(ONE, 0 * ONE, return_eps=True)
    np.testing.assert_allclose(z.array, 1 + eps)
    assert F.gaussian(ONE, 0 * ONE, eps=eps).array.tolist() == z.array.tolist()


def test_to_evaluate_is_to_change_nothing() -> None:
    x, h = Variable(ONE), Variable(0 * ONE)
    with using_config("train", False):
        assert F.dropout(x) is x
        y, mask = F.dropout(x, return_mask=True)
        assert y is x
        assert mask is None
        assert F.dropout(ONE).array is ONE
        assert F.zoneout(h, x) is x
        assert F.gaussian(ONE, 0 * ONE).array.tolist() != ONE.tolist()
    np.testing.assert_array_equal(F.simplified_dropconnect(x, EYE, train=False).array, ONE)


def test_the_mask_stays_the_same_where_gradients_are_differentiated() -> None:
    x = Variable(draw(50))
    y = F.dropout(x)
    np.sum(y * y * y).backward(enable_double_backprop=True)
    first = x.grad_var
    x.cleargrad()
    np.sum(first).backward()
    kept = y.array != 0
    np.testing.assert_allclose(x.grad[kept], 48 * x.array[kept])
    assert not x.grad[~kept].any()


def test_they_are_functions_of_traced_values() -> None:
    found = autodiff.grad(lambda x: np.sum(F.dropout(x, 0.4)))(draw(2, 3))
    np.testing.assert_allclose(found, [[T, T, 0], [0, 0, 0]])


# fmt: off
REFUSED = [
    (lambda: F.dropout(ONE.astype(int)), "Dropout", "x.dtype.kind == f", "i != f"),
    (lambda: F.gaussian(ONE, ONE[:1]), "Gaussian", "mean.shape == ln_var.shape", "(2, 3) != (1, 3)"),
    (lambda: F.gaussian(ONE, ONE.astype(float)), "Gaussian", "mean.dtype == ln_var.dtype", "float32 != float64"),
    (lambda: F.zoneout(ONE, ONE[:1]), "Zoneout", "h.shape == x.shape", "(2, 3) != (1, 3)"),
    (lambda: F.simplified_dropconnect(ONE, ONE[:, :2]), "SimplifiedDropconnect", "prod(x.shape[1:]) == W.shape[1]",
        "3 != 2"),
    (lambda: F.simplified_dropconnect(ONE, ONE, mask=ONE[:1]), "SimplifiedDropconnect", "x.shape[0] == 1", "2 != 1"),
]

ERRORS = [
    (ValueError, lambda: F.dropout(ONE, 1.0), "ratio must be at least 0 and less than 1, got 1.0"),
    (ValueError, lambda: F.dropout(ONE, train=True), "train= is gone; use chainer.using_config('train', value), or run the program with python -m autodiff.chainer --compat v1"),
    (ValueError, lambda: F.zoneout(ONE, ONE, train=True), "train= is gone; use chainer.using_config('train', value), or run the program with python -m autodiff.chainer --compat v1"),
    (TypeError,  lambda: F.gaussian(ONE, ONE, foo=1), "gaussian() got unexpected keyword argument(s) 'foo'"),
]
# fmt: on


def without_line(error: Any) -> str:
    return re.sub(r" \(\w+\.py:\d+\)", "", str(error.value))


@pytest.mark.parametrize(("call", "label", "expect", "actual"), REFUSED)
def test_what_they_refuse(call: Any, label: str, expect: str, actual: str) -> None:
    with pytest.raises(InvalidType) as caught:
        call()
    assert without_line(caught) == (
        f"\nInvalid operation is performed in: {label} (Forward)\n\nExpect: {expect}\nActual: {actual}"
    )


@pytest.mark.parametrize(("error", "call", "text"), ERRORS)
def test_errors_of_arguments(error: Any, call: Any, text: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert without_line(caught) == text
