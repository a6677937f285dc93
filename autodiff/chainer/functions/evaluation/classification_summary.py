"""Precision, recall and F score of each class."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade import Variable, as_array
from autodiff.facade.graph.applying import apply


def classification_summary(
    y: Any, t: Any, label_num: int | None = None, beta: float = 1.0, ignore_label: int = -1
) -> tuple[Variable, Variable, Variable, Variable]:
    """Precision, recall, F score and number of examples of each class.

    Precision is the share of right ones among those said to be of the class, recall the share of right ones among those
    that are of the class, and F their harmonic mean, in which recall counts ``beta`` times as much.

    Args:
        y: scores, ``(n, classes, ...)``, floats.
        t: true classes, ``(n, ...)``, integers.
        label_num: how many classes to report; up to the largest in ``t`` if None.
        beta: the weight of recall in F.
        ignore_label: the label of examples that do not count.

    Returns:
        four arrays ``(classes,)``, without derivatives. What is undefined (0 / 0) is NaN.

    Raises:
        InvalidType: if shapes or dtypes are others.

    >>> y = np.array([[1.0, 0], [0, 1], [0, 1]])
    >>> precision, recall, f, support = classification_summary(y, np.array([0, 1, 0]))
    >>> precision, recall, support
    (variable([1. , 0.5]), variable([0.5, 1. ]), variable([2, 1]))
    """
    axes, places = getattr(y, "ndim", 0), getattr(t, "ndim", 0) + 1
    summary: tuple[Variable, Variable, Variable, Variable] = apply(
        "ClassificationSummary",
        lambda y, t: summarise(np.argmax(y, axis=1).reshape(t.shape), t, label_num, beta, ignore_label),
        (as_array(y), as_array(t)),
        check=lambda x, t: (
            x.dtype.kind == "f", t.dtype.kind == "i", x.shape[0] == t.shape[0], x.shape[2:places] == t.shape[1:],
            *(x.shape[axis] == 1 for axis in range(places, axes)),
        ),
    )  # fmt: skip
    return summary


def labels_in(t: Any) -> int:
    """One more than the largest label; 0 where there are none."""
    return int(t.max()) + 1 if t.size else 0


def summarise(said: Any, t: Any, label_num: int | None, beta: float, ignore_label: int) -> tuple[Any, ...]:
    """The four arrays, from the classes said and the true ones."""
    counts = t != ignore_label
    said, t = said[counts], t[counts]
    classes = get_array_module(t).arange(label_num if label_num is not None else labels_in(t))
    support, relevant = ((given.ravel()[:, None] == classes).sum(axis=0) for given in (t, said))
    right = ((said == t).ravel()[:, None] & (t.ravel()[:, None] == classes)).sum(axis=0)
    with np.errstate(invalid="ignore"):
        precision, recall = right / relevant, right / support
        harmonic = (1 + beta * beta) * precision * recall / (beta * beta * precision + recall)
    return precision, recall, harmonic, support


def precision(y: Any, t: Any, label_num: int | None = None, ignore_label: int = -1) -> tuple[Variable, Variable]:
    """The precision of each class, and its number of examples; see :func:`classification_summary`."""
    found = classification_summary(y, t, label_num, ignore_label=ignore_label)
    return found[0], found[3]


def recall(y: Any, t: Any, label_num: int | None = None, ignore_label: int = -1) -> tuple[Variable, Variable]:
    """The recall of each class, and its number of examples; see :func:`classification_summary`."""
    found = classification_summary(y, t, label_num, ignore_label=ignore_label)
    return found[1], found[3]


def fbeta_score(
    y: Any, t: Any, label_num: int | None = None, beta: float = 1.0, ignore_label: int = -1
) -> tuple[Variable, Variable]:
    """The F score of each class, in which recall counts ``beta`` times as much, and its number of examples.

    The arguments are those of :func:`classification_summary`.

    >>> y = np.array([[1.0, 0], [0, 1], [0, 1]])
    >>> fbeta_score(y, np.array([0, 1, 0]), beta=2.0)[0].array.round(4)
    array([0.5556, 0.8333])
    """
    found = classification_summary(y, t, label_num, beta, ignore_label)
    return found[2], found[3]


def f1_score(y: Any, t: Any, label_num: int | None = None, ignore_label: int = -1) -> tuple[Variable, Variable]:
    """The F score of each class, and its number of examples; see :func:`classification_summary`."""
    return fbeta_score(y, t, label_num, ignore_label=ignore_label)


ClassificationSummary = function_class(
    "ClassificationSummary", classification_summary, "label_num, beta, ignore_label", called=True
)
