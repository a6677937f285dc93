"""Accuracy and its relatives: values of Chainer 7.8.1, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autodiff import InvalidType, Variable
from autodiff.chainer.functions.evaluation.accuracy import accuracy
from autodiff.chainer.functions.evaluation.binary_accuracy import binary_accuracy
from autodiff.chainer.functions.evaluation.classification_summary import (
    classification_summary,
    f1_score,
    precision,
    recall,
)
from autodiff.chainer.functions.evaluation.r2_score import r2_score

Y = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0]], "f")
T = np.array([0, 1, 2, 1, 1], "i")
NAN = np.nan


def test_accuracy() -> None:
    assert accuracy(Y, T).array == np.float32(0.8)
    assert accuracy(Y, np.array([0, 1, 1, 1, 1]), ignore_label=1).array == 1
    assert accuracy(Y, T * 0 + 5, ignore_label=5).array == 0


def test_of_equal_scores_the_first_is_the_largest() -> None:
    assert accuracy(np.zeros((4, 3), "f"), np.array([0, 2, 1, -1])).array == 0.25


def test_accuracy_of_images_and_of_axes_of_length_one() -> None:
    image = np.zeros((2, 3, 1, 2))
    image[:, 1] = 1
    assert accuracy(image, np.array([[[1, 1]], [[0, 1]]])).array == 0.75
    assert accuracy(image[..., :1], np.array([1, 2])).array == 0.5


@pytest.mark.parametrize("dtype", ["e", "f", "d"])
@pytest.mark.parametrize("function", [accuracy, binary_accuracy])
def test_dtypes_are_kept_and_there_is_no_gradient(dtype: str, function: Callable[..., Any]) -> None:
    y = Variable((Y if function is accuracy else Y[:, 0]).astype(dtype))
    out = function(y, T)
    assert out.dtype == dtype
    out.backward()
    assert y.grad is None


def test_binary_accuracy() -> None:
    assert binary_accuracy(np.array([-1.0, 2, 3, -4]), np.array([0, 1, 0, -1])).array == 2 / 3
    assert binary_accuracy(np.zeros(2), np.array([0, 1])).array == 0.5
    assert binary_accuracy(np.zeros(2), np.array([-1, -1])).array == 0


@pytest.mark.parametrize(
    ("t", "keywords", "wanted"),
    [
        (T, {}, ([0.5, 1, 1], [1, 2 / 3, 1], [2 / 3, 0.8, 1], [1, 3, 1])),
        (T * 1 - 0, {"beta": 0.5}, ([0.5, 1, 1], [1, 2 / 3, 1], [5 / 9, 10 / 11, 1], [1, 3, 1])),
        ([0, 1, 2, 1, -1], {}, ([0.5, 1, 1], [1, 0.5, 1], [2 / 3, 2 / 3, 1], [1, 2, 1])),
        ([0, 1, 1, 1, 0], {"label_num": 2}, ([0.5, 0.5], [0.5, 1 / 3], [0.5, 0.4], [2, 3])),
        ([0, 1, 2, 1, 0], {"ignore_label": 0}, ([0, 1, 1], [NAN, 0.5, 1], [NAN, 2 / 3, 1], [0, 2, 1])),
        ([0, 1, 1, 1, 1], {"label_num": 4}, ([0.5, 1, 0, NAN], [1, 0.5, NAN, NAN], [2 / 3, 2 / 3, NAN, NAN], [1, 4, 0, 0])),
    ],
)  # fmt: skip
def test_classification_summary(t: Any, keywords: dict[str, Any], wanted: Any) -> None:
    found = classification_summary(Y, np.array(t), **keywords)
    for one, expected in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one.array, expected)
    assert [one.dtype for one in found] == [np.float64] * 3 + [np.int64]


def test_parts_of_the_summary() -> None:
    parts = [function(Y, T) for function in (precision, recall, f1_score)]
    assert [support.array.tolist() for _, support in parts] == [[1, 3, 1]] * 3
    np.testing.assert_allclose([part.array for part, _ in parts], [[0.5, 1, 1], [1, 2 / 3, 1], [2 / 3, 0.8, 1]])


def test_r2_score() -> None:
    true = np.array([[1.0, 2], [2, 2], [3, 2]])
    predicted = true + np.array([[0, 1], [0, 0], [1, 0]])
    assert r2_score(predicted, true, multioutput="raw_values").array.tolist() == [0.5, 0]
    assert r2_score(predicted, true).array == 0.25
    assert r2_score(predicted[:, 0], true[:, 0]).array == 0.5


REFUSED = {
    "scores": (lambda: accuracy(Y.astype("i"), T), "Accuracy", "x.dtype.kind == f", "i != f"),
    "labels": (lambda: accuracy(Y, T.astype("f")), "Accuracy", "t.dtype.kind == i", "f != i"),
    "unsigned": (lambda: accuracy(Y, T.astype("u1")), "Accuracy", "t.dtype.kind == i", "u != i"),
    "lengths": (lambda: accuracy(Y, T[:4]), "Accuracy", "x.shape[0] == t.shape[0]", "5 != 4"),
    "places": (lambda: accuracy(Y, T[:, None]), "Accuracy", "x.shape[2:3] == t.shape[1:]", "() != (1,)"),
    "axes": (lambda: accuracy(np.ones((5, 3, 2)), T), "Accuracy", "x.shape[2] == 1", "2 != 1"),
    "binary": (lambda: binary_accuracy(Y, T), "BinaryAccuracy", "t.shape == x.shape", "(5,) != (5, 3)"),
    "summary": (lambda: classification_summary(Y, T[:4]), "ClassificationSummary", "x.shape[0] == t.shape[0]", "5 != 4"),
    "r2": (lambda: r2_score(Y, Y[:1]), "R2_score", "pred.shape == true.shape", "(5, 3) != (1, 3)"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_types(name: str) -> None:
    function, label, expect, actual = REFUSED[name]
    with pytest.raises(InvalidType) as caught:
        function()
    text = str(caught.value)
    assert text.startswith(f"\nInvalid operation is performed in: {label} (Forward)")
    assert text.endswith(f"\n\nExpect: {expect}\nActual: {actual}")


def test_wrong_arguments() -> None:
    with pytest.raises(NotImplementedError, match=r"^r2_score\(sample_weight=...\) \(.*\) is not there; leave it out$"):
        r2_score(Y, Y, sample_weight=Y)
    with pytest.raises(ValueError, match=r"^multioutput must be 'uniform_average' or 'raw_values', got 'sum' \(.*\)$"):
        r2_score(Y, Y, multioutput="sum")
