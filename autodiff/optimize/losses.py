"""Losses, one number for each example."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.numpy.statistics.softmax import log_softmax
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of


def softmax_cross_entropy(logits: Any, labels: Any, axis: int = -1) -> Any:
    """``-sum(labels * log_softmax(logits))``: how unlikely labels are that are probabilities themselves.

    Args:
        logits: numbers, of which the exponentials are proportional to probabilities along the axis.
        labels: probabilities of the same shape. A class of probability 0 contributes nothing, even if its logit is
            minus infinity.
        axis: the axis of the classes.

    Returns:
        an array without this axis.

    Raises:
        ValueError: if the shapes differ.

    >>> softmax_cross_entropy(np.array([[0.0, 0.0], [0.0, -1.0]]), np.array([[0.5, 0.5], [1.0, 0.0]]))
    array([0.69314718, 0.31326169])
    """
    if np.shape(labels) != np.shape(logits):
        raise ValueError(
            f"softmax_cross_entropy: logits of shape {np.shape(logits)} and labels of shape {np.shape(labels)}"
            f"{at_user_line()}; labels are probabilities of all classes, and "
            "softmax_cross_entropy_with_integer_labels takes the numbers of the right ones"
        )
    chosen = labels != 0
    return -np.sum(np.where(chosen, labels * np.where(chosen, log_softmax(logits, axis=axis), 0), 0), axis=axis)


def softmax_cross_entropy_with_integer_labels(logits: Any, labels: Any, axis: int = -1) -> Any:
    """``-log_softmax(logits)[label]``: how unlikely the class of each example is.

    Args:
        logits: numbers, of which the exponentials are proportional to probabilities along the axis.
        labels: the numbers of the classes, integers, of the shape without this axis.
        axis: the axis of the classes.

    Returns:
        an array of the shape of the labels.

    Raises:
        TypeError: if the labels are no integers.
        ValueError: if they have another shape.
        IndexError: if there is no class of such a number; counted from the end where it is negative.

    >>> softmax_cross_entropy_with_integer_labels(np.array([[0.0, 0.0], [0.0, -1.0]]), np.array([1, 0]))
    array([0.69314718, 0.31326169])
    """
    if (dtype := spec_of(labels).dtype).kind not in "iu":
        raise TypeError(
            f"softmax_cross_entropy_with_integer_labels needs integers for labels, got {dtype}{at_user_line()}; "
            "softmax_cross_entropy takes probabilities"
        )
    examples = tuple(np.delete(np.shape(logits), axis).tolist())
    if np.shape(labels) != examples:
        raise ValueError(
            f"softmax_cross_entropy_with_integer_labels: logits of shape {np.shape(logits)} need labels of shape "
            f"{examples}, got {np.shape(labels)}{at_user_line()}"
        )
    picked = np.take_along_axis(log_softmax(logits, axis=axis), np.expand_dims(labels, axis), axis=axis)
    return -np.squeeze(picked, axis=axis)


def sigmoid_binary_cross_entropy(logits: Any, labels: Any) -> Any:
    """``-y log(s) - (1 - y) log(1 - s)`` of ``s = 1 / (1 + exp(-x))``, element by element.

    It is precise for logits of any size.

    Args:
        logits: numbers x.
        labels: probabilities y, of a shape that broadcasts with it; booleans are 1 and 0.

    >>> sigmoid_binary_cross_entropy(np.array([0.0, 40.0, -40.0]), np.array([1.0, 1.0, 1.0]))
    array([6.93147181e-01, 4.24835426e-18, 4.00000000e+01])
    """
    check_shapes("sigmoid_binary_cross_entropy", logits, labels)
    return labels * np.logaddexp(0, -logits) + (1 - labels * 1) * np.logaddexp(0, logits)


def squared_error(predictions: Any, targets: Any = None) -> Any:
    """``(prediction - target)**2``, element by element; without targets the predictions are the errors.

    >>> squared_error(np.array([1.0, 4.0]), np.array([1.0, 1.0]))
    array([0., 9.])
    """
    return errors("squared_error", predictions, targets) ** 2


def l2_loss(predictions: Any, targets: Any = None) -> Any:
    """``(prediction - target)**2 / 2``, element by element, whose derivative is the difference.

    Without targets the predictions are the errors.

    >>> l2_loss(np.array([1.0, 4.0]), np.array([1.0, 1.0]))
    array([0. , 4.5])
    """
    return 0.5 * errors("l2_loss", predictions, targets) ** 2


def huber_loss(predictions: Any, targets: Any = None, delta: float = 1.0) -> Any:
    """``e**2 / 2`` of errors up to delta, ``delta (|e| - delta / 2)`` of larger ones, element by element.

    Args:
        predictions: numbers.
        targets: numbers of a shape that broadcasts with it; where they are left out the predictions are the errors.
        delta: where the parabola goes over into lines; the derivative has no jump there.

    P. Huber, Robust Estimation of a Location Parameter, 1964.

    >>> huber_loss(np.array([0.5, 3.0]), np.array([0.0, 0.0]))
    array([0.125, 2.5  ])
    """
    error = np.abs(errors("huber_loss", predictions, targets))
    return np.where(error <= delta, 0.5 * error**2, delta * (error - 0.5 * delta))


def errors(name: str, predictions: Any, targets: Any) -> Any:
    """Predictions minus targets, or the predictions where there are no targets."""
    if targets is None:
        return predictions
    check_shapes(name, predictions, targets)
    return predictions - targets


def check_shapes(name: str, predictions: Any, targets: Any) -> None:
    """Refuse a column beside a row without a second axis: both would be repeated, and every error be that of a pair.

    Raises:
        ValueError: naming the shapes.
    """
    one, other = np.shape(predictions), np.shape(targets)
    if len(one) != len(other) and np.broadcast_shapes(one, other) not in (one, other):
        raise ValueError(
            f"{name}: predictions of shape {one} and targets of shape {other}{at_user_line()} would be compared each "
            f"with each; give both the same axes, with reshape"
        )
