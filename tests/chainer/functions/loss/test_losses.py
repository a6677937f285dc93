"""Losses: values of Chainer 7.8.1, derivatives, kinks, labels, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autodiff import InvalidType, Variable
from autodiff.chainer.functions.loss.absolute_error import absolute_error
from autodiff.chainer.functions.loss.contrastive import contrastive
from autodiff.chainer.functions.loss.cross_covariance import cross_covariance
from autodiff.chainer.functions.loss.decov import decov
from autodiff.chainer.functions.loss.hinge import hinge
from autodiff.chainer.functions.loss.huber_loss import huber_loss
from autodiff.chainer.functions.loss.mean_absolute_error import mean_absolute_error
from autodiff.chainer.functions.loss.mean_squared_error import mean_squared_error
from autodiff.chainer.functions.loss.sigmoid_cross_entropy import sigmoid_cross_entropy
from autodiff.chainer.functions.loss.squared_error import squared_difference, squared_error
from autodiff.chainer.functions.loss.triplet import triplet
from autodiff.chainer.functions.loss.vae import bernoulli_nll, gaussian_kl_divergence, gaussian_nll
from tests.chainer.functions.function_laws import Row, check_row, draw, gradient

CLASSES = np.array([0, 1, 2, 0], "i")
SAME = np.array([0, 1, 0, 1], "i")
ANSWERS = np.array([[0, 1, -1], [1, 1, 0]], "i")
X, Y, Z = draw(4, 3), draw(4, 3, seed=1), draw(4, 3, seed=2)

ROWS = [
    Row("mean_squared_error", mean_squared_error, (X, Y), "MeanSquaredError"),
    Row("mean_absolute_error", mean_absolute_error, (X, Y), "MeanAbsoluteError"),
    Row("squared_error", squared_error, (X, Y), "SquaredError"),
    Row("absolute_error", absolute_error, (X, Y), "AbsoluteError"),
    Row("huber_loss", lambda x, t: huber_loss(x, t, 0.5), (X, Y), "HuberLoss"),
    Row("huber_loss_no", lambda x, t: huber_loss(x, t, 0.5, reduce="no"), (X, Y), "HuberLoss"),
    Row("hinge", lambda x: hinge(x, CLASSES), (X,), "Hinge"),
    Row("hinge_l2_no", lambda x: hinge(x, CLASSES, "L2", "no"), (X,), "Hinge"),
    Row("contrastive", lambda x, y: contrastive(x, y, SAME, 2.0), (X, Y), "Contrastive"),
    Row("contrastive_no", lambda x, y: contrastive(x, y, SAME, 2.0, "no"), (X, Y), "Contrastive"),
    Row("triplet", lambda x, y, z: triplet(x, y, z, 1.5), (X, Y, Z), "Triplet"),
    Row("triplet_no", lambda x, y, z: triplet(x, y, z, 1.5, "no"), (X, Y, Z), "Triplet"),
    Row("sigmoid_cross_entropy", lambda x: sigmoid_cross_entropy(x, ANSWERS), (X[:2],), "SigmoidCrossEntropy"),
    Row("sigmoid_cross_entropy_no", lambda x: sigmoid_cross_entropy(x, ANSWERS, reduce="no"), (X[:2],), "SigmoidCrossEntropy"),
    Row("bernoulli_nll", bernoulli_nll, (X, Y), "Sum"),
    Row("bernoulli_nll_mean", lambda x, y: bernoulli_nll(x, y, "mean"), (X, Y), "Mean"),
    Row("gaussian_nll", lambda x, y, z: gaussian_nll(x, y, z, "no"), (X, Y, Z), "_ - _"),
    Row("gaussian_kl_divergence", lambda x, y: gaussian_kl_divergence(x, y, "no"), (X, Y), "_ * 0.5"),
    Row("decov", decov, (X,), "DeCov"),
    Row("decov_no", lambda h: decov(h, "no"), (X,), "DeCov"),
    Row("cross_covariance", cross_covariance, (X, Y[:, :2]), "CrossCovariance"),
    Row("cross_covariance_no", lambda y, z: cross_covariance(y, z, "no"), (X, Y[:, :2]), "CrossCovariance"),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_derivatives_labels_and_dtypes(row: Row) -> None:
    check_row(row)


def wave(*shape: int, dtype: Any = "f") -> Any:
    return (np.sin(np.arange(np.prod(shape)) * 1.7 + 0.3) * 2).reshape(shape).astype(dtype)


A = wave(2, 3)
CHAINER = {  # what Chainer 7.8.1 computes
    "mean_squared_error": (lambda: mean_squared_error(A, A * 0.5), 0.44426152),
    "mean_absolute_error": (lambda: mean_absolute_error(A, A * 0.5), 0.63688403),
    "squared_error": (lambda: squared_error(A, A * 0.5), [[0.0873322, 0.82682174, 0.2807263], [0.597165, 0.53139585, 0.34212813]]),
    "huber_loss": (lambda: huber_loss(A, A * -0.5, 1), [3.7103953, 4.759952]),
    "huber_loss 3d": (lambda: huber_loss(wave(2, 3, 2), wave(2, 3, 2) * -0.5, delta=1), [[3.1694102, 5.300937], [7.0544333, 0.72802097]]),
    "hinge L1": (lambda: hinge(wave(4, 3), CLASSES), 1.9412942),
    "hinge L2": (lambda: hinge(wave(4, 3), CLASSES, norm="L2"), 3.8012733),
    "contrastive": (lambda: contrastive(wave(4, 3), wave(4, 3) * 0.5, SAME, 1.5, "no"), [0.08278145, 0.73534447, 0.00993477, 0.5168115]),
    "triplet 3d": (lambda: triplet(wave(4, 3, 2), wave(4, 3, 2) * 0.5, wave(4, 3, 2)), 3.4021387),
    "sigmoid_cross_entropy": (lambda: sigmoid_cross_entropy(A, ANSWERS), 0.91405267),
    "sigmoid_cross_entropy sum": (lambda: sigmoid_cross_entropy(A, ANSWERS, normalize=False), 2.2851317),
    "sigmoid_cross_entropy all ignored": (lambda: sigmoid_cross_entropy(A, ANSWERS * 0 - 1), 0),
    "sigmoid_cross_entropy of a number": (lambda: sigmoid_cross_entropy(wave(), np.array(0)), 1.0317124),
    "bernoulli_nll": (lambda: bernoulli_nll(A * np.float32(0.2) + np.float32(0.5), A, "no"), [[0.6663264, 0.39820075, 0.6028153], [0.48829323, 0.513072, 0.5815611]]),
    "bernoulli_nll ints": (lambda: bernoulli_nll(np.array([[0, 1, 2], [0, 1, 2]]), A), 3.1019702),
    "gaussian_nll": (lambda: gaussian_nll(A, A * 0.5, A * 0.3), 7.114211),
    "gaussian_nll broadcast": (lambda: gaussian_nll(A, A[:1], A[:1]), 15.309353),
    "gaussian_kl_divergence": (lambda: gaussian_kl_divergence(A, A * 0.5, "mean"), 1.0158998),
    "decov": (lambda: decov(wave(4, 3)), 1.5706403),
    "cross_covariance": (lambda: cross_covariance(wave(4, 3), wave(4, 2) * 0.4), 0.08523348),
}  # fmt: skip


@pytest.mark.parametrize("name", CHAINER)
def test_values_are_those_of_chainer(name: str) -> None:
    loss, value = CHAINER[name]
    np.testing.assert_allclose(loss().array, value, rtol=2e-6)


def test_of_nothing_the_mean_is_nan_and_the_rest_zero() -> None:
    nothing = np.zeros((0, 3), "f")
    with pytest.warns(RuntimeWarning):
        assert np.isnan(mean_squared_error(nothing, nothing).array)
    assert sigmoid_cross_entropy(nothing, nothing.astype("i")).array == 0


def test_both_names_of_squared_error() -> None:
    assert squared_difference(A, A + 2).array.tolist() == squared_error(A, A + 2).array.tolist()


KINKS: dict[str, tuple[Callable[..., Any], list[Any], list[Any]]] = {
    "mean_absolute_error": (mean_absolute_error, [[1, 2, 3], [1, 1, 4]], [[0, 1 / 3, -1 / 3], [0, -1 / 3, 1 / 3]]),
    "absolute_error": (absolute_error, [[1, 2, 3], [1, 1, 4]], [[0, 1, -1], [0, -1, 1]]),
    "huber_loss": (lambda x, t: huber_loss(x, t, 1.0), [[[1, -1, 0, 2, 0.5]], [[0] * 5]], [[[1, -1, 0, 1, 0.5]], [[-1, 1, 0, -1, -0.5]]]),
    "hinge": (lambda x: hinge(x, np.array([0, 1])), [[[1, -1, 0, 2], [-1, 1, 0, 5]]], [[[0, 0, 0.5, 0.5], [0, 0, 0.5, 0.5]]]),
    "hinge L2": (lambda x: hinge(x, np.array([0, 1]), "L2"), [[[1, -1, 0, 2], [-1, 1, 0, 5]]], [[[0, 0, 1, 3], [0, 0, 1, 6]]]),
    "contrastive": (
        lambda x, y: contrastive(x, y, np.array([0, 1, 0, 0]), 1.0, "no"),
        [[[1, 2], [1, 2], [1, 0], [1, 0.5]], [[1, 2], [1, 2], [0, 0], [1, 1]]],
        [[[0, 0], [0, 0], [0, 0], [0, 0.5]], [[0, 0], [0, 0], [0, 0], [0, -0.5]]],
    ),
    "triplet": (
        lambda x, y, z: triplet(x, y, z, 1.0, "no"),
        [[[1, 0], [0, 0]], [[1, 0], [1, 0]], [[0, 0], [0, 1]]],
        [[[0, 0], [-2, 2]], [[0, 0], [2, 0]], [[0, 0], [0, -2]]],
    ),
    "sigmoid_cross_entropy": (
        lambda x: sigmoid_cross_entropy(x, np.array([0, 1, 0, 1, -1]), reduce="no"),
        [[0, 0, 1000, -1000, np.inf]],
        [[0.5, -0.5, 1, -1, 0]],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", KINKS)
def test_derivatives_at_kinks_are_those_of_chainer(name: str) -> None:
    function, points, wanted = KINKS[name]
    for found, expected in zip(gradient(function, *points), wanted, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-15)


F, D, INTS = np.zeros((2, 3), "f"), np.zeros((2, 3), "d"), np.zeros((2, 3), "i")
T = np.zeros(2, "i")
REFUSED = {
    "mean_squared_error ints": (lambda: mean_squared_error(INTS, INTS), "MeanSquaredError", "x0.dtype.kind == f", "i != f"),
    "mean_squared_error dtypes": (lambda: mean_squared_error(F, D), "MeanSquaredError", "x0.dtype == x1.dtype", "float32 != float64"),
    "mean_squared_error shapes": (lambda: mean_squared_error(F, F[:1]), "MeanSquaredError", "x0.shape == x1.shape", "(2, 3) != (1, 3)"),
    "mean_absolute_error": (lambda: mean_absolute_error(F, F[:1]), "MeanAbsoluteError", "x0.shape == x1.shape", "(2, 3) != (1, 3)"),
    "squared_error": (lambda: squared_error(INTS, INTS), "SquaredError", "x0.dtype.kind == f", "i != f"),
    "absolute_error": (lambda: absolute_error(F, D), "AbsoluteError", "x0.dtype == x1.dtype", "float32 != float64"),
    "huber_loss": (lambda: huber_loss(F, D, 1), "HuberLoss", "x.dtype == t.dtype", "float32 != float64"),
    "hinge scores": (lambda: hinge(INTS, T), "Hinge", "x.dtype.kind == f", "i != f"),
    "hinge labels": (lambda: hinge(F, F[:, 0]), "Hinge", "t.dtype.kind == i", "f != i"),
    "hinge axes": (lambda: hinge(F, INTS), "Hinge", "t.ndim == 1", "2 != 1"),
    "hinge lengths": (lambda: hinge(F, np.zeros(5, "i")), "Hinge", "x.shape[0] == t.shape[0]", "2 != 5"),
    "contrastive": (lambda: contrastive(F, F, F[:, 0]), "Contrastive", "y.dtype.kind == i", "f != i"),
    "contrastive lengths": (lambda: contrastive(F, F, T[:1]), "Contrastive", "x1.shape[0] == y.shape[0]", "2 != 1"),
    "contrastive empty": (lambda: contrastive(F[:0], F[:0], T[:0]), "Contrastive", "x1.shape[0] > 0", "0 <= 0"),
    "triplet": (lambda: triplet(F, F, F[:1]), "Triplet", "anchor.shape == negative.shape", "(2, 3) != (1, 3)"),
    "triplet empty": (lambda: triplet(F[:0], F[:0], F[:0]), "Triplet", "anchor.shape[0] > 0", "0 <= 0"),
    "sigmoid_cross_entropy": (lambda: sigmoid_cross_entropy(F, F), "SigmoidCrossEntropy", "t.dtype.kind == i", "f != i"),
    "sigmoid_cross_entropy bools": (lambda: sigmoid_cross_entropy(F, F > 0), "SigmoidCrossEntropy", "t.dtype.kind == i", "b != i"),
    "decov": (lambda: decov(F[None]), "DeCov", "h.ndim == 2", "3 != 2"),
    "cross_covariance": (lambda: cross_covariance(F, F[:1]), "CrossCovariance", "y.shape[0] == z.shape[0]", "2 != 1"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_types(name: str) -> None:
    loss, label, expect, actual = REFUSED[name]
    with pytest.raises(InvalidType) as caught:
        loss()
    first, blank, *rest = str(caught.value).strip().split("\n")
    assert first.startswith(f"Invalid operation is performed in: {label} (Forward)")
    assert blank == ""
    assert rest == [f"Expect: {expect}", f"Actual: {actual}"]


WRONG = {
    "huber_loss": (lambda: huber_loss(F, F, 1, "mean"), "reduce must be 'sum_along_second_axis' or 'no', got 'mean'"),
    "hinge": (lambda: hinge(F, T, reduce="sum"), "reduce must be 'mean' or 'no', got 'sum'"),
    "contrastive": (lambda: contrastive(F, F, T, 0), "margin must be positive, got 0"),
    "triplet": (lambda: triplet(F, F, F, -1), "margin must be positive, got -1"),
    "bernoulli_nll": (lambda: bernoulli_nll(F, F, "all"), "reduce must be 'sum', 'mean' or 'no', got 'all'"),
    "decov": (lambda: decov(F, "mean"), "reduce must be 'half_squared_sum' or 'no', got 'mean'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(name: str) -> None:
    loss, text = WRONG[name]
    with pytest.raises(ValueError, match=r" \(test_losses.py:\d+\)$") as caught:
        loss()
    assert str(caught.value).split(" (")[0] == text


def test_an_unknown_norm() -> None:
    with pytest.raises(NotImplementedError, match=r"^hinge\(norm='L3'\) \(.*\): norm must be 'L1' or 'L2'$"):
        hinge(F, T, "L3")


def test_lists_are_no_arrays() -> None:
    with pytest.raises(
        TypeError, match=r"incompatible array types are mixed in the forward input \(MeanSquaredError\)"
    ):
        mean_squared_error(F, [1, 2, 3])


def test_targets_get_a_gradient_only_where_they_are_variables() -> None:
    x = Variable(wave(2, 3))
    mean_squared_error(x, wave(2, 3) * 0.5).backward()
    np.testing.assert_allclose(x.grad, wave(2, 3) / 6, rtol=1e-6)
