"""Losses against their formulas, at infinite logits, and their derivatives."""

import numpy as np
import pytest

from autodiff import grad, jit, optimize, vmap
from autodiff.testing import check_grads

LOGITS = np.array([[0.3, -1.2, 2.0], [50.0, -50.0, 0.0]])


def test_cross_entropies_agree_with_their_formula_and_each_other():
    probabilities = np.exp(LOGITS) / np.sum(np.exp(LOGITS), axis=1, keepdims=True)
    labels = np.array([2, 0])
    wanted = -np.log(probabilities[[0, 1], labels])
    np.testing.assert_allclose(optimize.softmax_cross_entropy_with_integer_labels(LOGITS, labels), wanted, atol=1e-15)
    np.testing.assert_allclose(optimize.softmax_cross_entropy(LOGITS, np.eye(3)[labels]), wanted, atol=1e-15)
    by_columns = optimize.softmax_cross_entropy_with_integer_labels(LOGITS.T, labels, axis=0)
    np.testing.assert_allclose(by_columns, wanted, atol=1e-15)
    each = vmap(optimize.softmax_cross_entropy_with_integer_labels)(LOGITS, labels)
    np.testing.assert_allclose(each, wanted, atol=1e-15)
    slope = grad(lambda z: np.sum(optimize.softmax_cross_entropy_with_integer_labels(z, labels)))(LOGITS)
    np.testing.assert_allclose(slope, probabilities - np.eye(3)[labels], atol=1e-15)


def test_what_has_no_probability_contributes_nothing():
    logits, labels = np.array([0.0, -np.inf]), np.array([1.0, 0.0])
    assert optimize.softmax_cross_entropy(logits, labels) == 0
    assert grad(lambda z: optimize.softmax_cross_entropy(z, labels))(logits).tolist() == [0, 0]


@pytest.mark.parametrize("label", [0.0, 0.3, 1.0, True])
def test_binary_cross_entropy(label):
    x = np.array([-3.0, 0.0, 2.5])
    s = 1 / (1 + np.exp(-x))
    found = optimize.sigmoid_binary_cross_entropy(x, label)
    np.testing.assert_allclose(found, -label * np.log(s) - (1 - label) * np.log(1 - s), rtol=1e-14)
    slope = grad(lambda x: np.sum(optimize.sigmoid_binary_cross_entropy(x, label)))(x)
    np.testing.assert_allclose(slope, s - label, rtol=1e-14)
    assert optimize.sigmoid_binary_cross_entropy(800.0, 0.0) == 800
    labels = np.array([True, False, True])
    np.testing.assert_array_equal(
        optimize.sigmoid_binary_cross_entropy(x, labels), optimize.sigmoid_binary_cross_entropy(x, labels * 1.0)
    )


def test_errors_of_predictions():
    p, t = np.array([0.0, 0.5, 4.0]), np.array([0.0, 1.0, 1.0])
    assert optimize.squared_error(p, t).tolist() == [0, 0.25, 9]
    assert optimize.l2_loss(p, t).tolist() == [0, 0.125, 4.5]
    assert optimize.huber_loss(p, t, delta=2.0).tolist() == [0, 0.125, 4]
    assert grad(lambda p: np.sum(optimize.huber_loss(p, t, delta=2.0)))(p).tolist() == [0, -0.5, 2]
    for loss in (optimize.squared_error, optimize.l2_loss, optimize.huber_loss):  # as in optax
        np.testing.assert_array_equal(loss(p - t), loss(p, t))
    for loss in (optimize.squared_error, optimize.l2_loss, optimize.huber_loss, optimize.sigmoid_binary_cross_entropy):
        check_grads(loss, (p + 0.1, np.array([0.2, 0.7, 0.9])))


def test_losses_keep_float32_under_jit():
    logits = LOGITS.astype(np.float32)
    labels = np.array([2, 0])
    for loss, target in (
        (optimize.softmax_cross_entropy_with_integer_labels, labels),
        (optimize.softmax_cross_entropy, np.eye(3, dtype=np.float32)[labels]),
        (optimize.sigmoid_binary_cross_entropy, np.eye(3, dtype=np.float32)[labels]),
        (optimize.huber_loss, np.zeros((2, 3), np.float32)),
    ):
        compiled = jit(loss, backend="numpy")(logits, target)
        assert compiled.dtype == np.float32
        np.testing.assert_allclose(compiled, loss(logits, target), rtol=1e-6)


def test_labels_that_are_no_integers_are_refused():
    with pytest.raises(
        TypeError,
        match=r"^softmax_cross_entropy_with_integer_labels needs integers for labels, got float64 \(test_losses.py:\d+\); "
        r"softmax_cross_entropy takes probabilities$",
    ):
        optimize.softmax_cross_entropy_with_integer_labels(LOGITS, np.array([1.0, 0.0]))
    with pytest.raises(IndexError):
        optimize.softmax_cross_entropy_with_integer_labels(LOGITS, np.array([3, 0]))


@pytest.mark.parametrize("name", ["sigmoid_binary_cross_entropy", "squared_error", "l2_loss", "huber_loss"])
def test_a_column_is_not_compared_with_a_line(name):
    loss = getattr(optimize, name)
    column, line = np.zeros((4, 1)), np.ones(4)
    for one, other in ((column, line), (line, column)):
        with pytest.raises(
            ValueError, match=r"would be compared each with each; give both the same axes, with reshape"
        ):
            loss(one, other)
    assert loss(column, line[None]).shape == (4, 4)
    assert loss(np.zeros((3, 4)), line).shape == (3, 4)
    assert loss(column, 1.0).shape == (4, 1)
    assert jit(vmap(loss))(line, line).shape == (4,)


def test_labels_of_other_shapes_are_refused():
    with pytest.raises(ValueError, match="softmax_cross_entropy_with_integer_labels takes the numbers"):
        optimize.softmax_cross_entropy(np.zeros((3, 3)), np.array([0, 1, 2]))
    for labels in (np.array([0, 1, 2]), np.array([0]), np.array([[0], [1]])):
        with pytest.raises(ValueError, match=r"logits of shape \(2, 3\) need labels of shape \(2,\)"):
            optimize.softmax_cross_entropy_with_integer_labels(LOGITS, labels)
