"""Softmax cross entropy: values of Chainer 7.8.1, labels to ignore, weights, soft targets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodiff import InvalidType, Variable
from autodiff.chainer.functions.loss.softmax_cross_entropy import softmax_cross_entropy
from tests.chainer.functions.function_laws import Row, check_row, draw
from tests.chainer.functions.loss.test_losses import wave

X = wave(4, 3)
T = np.array([0, 2, 1, -1], "i")
WEIGHT = np.array([1, 2, 0.5], "f")
IMAGE, PIXELS = wave(2, 3, 2, 2), np.arange(8).reshape(2, 2, 2) % 3
SOFT = np.abs(X) / np.abs(X).sum(axis=1, keepdims=True)


def row(name: str, t: Any, x: Any, **keywords: Any) -> Row:
    return Row(name, lambda x: softmax_cross_entropy(x, t, **keywords), (x,), "SoftmaxCrossEntropy")


ROWS = [
    row("mean", T, draw(4, 3)),
    row("no", T, draw(4, 3), reduce="no"),
    row("weighted", T, draw(4, 3), class_weight=WEIGHT),
    row("images", PIXELS, draw(2, 3, 2, 2), normalize=False),
    row("soft", SOFT, draw(4, 3)),
    row("kl", SOFT, draw(4, 3), soft_target_loss="kl-divergence", reduce="no"),
]


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_derivatives_labels_and_dtypes(row: Row) -> None:
    check_row(row)


CHAINER: dict[str, tuple[Any, Any, dict[str, Any], Any]] = {
    "mean": (X, T, {}, 1.7178059),
    "sum": (X, T, {"normalize": False}, 1.2883544),
    "no": (X, T, {"reduce": "no"}, [1.5270963, 0.87550044, 2.750821, 0]),
    "weighted": (X, T, {"class_weight": WEIGHT}, 2.4888296),
    "weighted in double": (X, T, {"class_weight": WEIGHT.astype("d")}, 2.4888296),
    "weighted no": (X, T, {"class_weight": WEIGHT, "reduce": "no"}, [1.5270963, 0.43775022, 5.501642, 0]),
    "double backprop": (X, T, {"enable_double_backprop": True}, 1.7178061),
    "another label": (X, np.array([0, 2, 1, 0]), {"ignore_label": 2}, 1.6883435),
    "no label": (X, np.array([0, 2, 1, 0]), {"ignore_label": None}, 1.4851327),
    "all ignored": (X, T * 0 - 1, {}, 0),
    "nothing": (X[:0], T[:0], {}, 0),
    "images": (IMAGE, PIXELS, {}, 1.6298015),
    "images sum": (IMAGE, PIXELS, {"normalize": False}, 6.519206),
    "soft": (X, SOFT, {}, 1.9255886),
    "soft no": (X, SOFT, {"reduce": "no"}, [1.387815, 1.7804519, 1.9958041, 2.538283]),
    "kl": (X, SOFT, {"soft_target_loss": "kl-divergence"}, 0.9847417),
    "kl with zeros": (X, np.eye(4, 3, dtype="f"), {"soft_target_loss": "kl-divergence", "reduce": "no"}, [1.5270964, 0.58739686, 0.09034765, 0]),
    "soft images": (IMAGE, np.abs(IMAGE), {"normalize": False}, 4.772898),
}  # fmt: skip


@pytest.mark.parametrize("name", CHAINER)
def test_values_are_those_of_chainer(name: str) -> None:
    x, t, keywords, value = CHAINER[name]
    loss = softmax_cross_entropy(x, t, **keywords)
    np.testing.assert_allclose(loss.array, value, rtol=1e-6)
    assert loss.dtype == np.float32


def test_the_gradient_is_that_of_chainer() -> None:
    x = Variable(X)
    softmax_cross_entropy(x, T).backward()
    np.testing.assert_allclose(
        x.grad,
        [
            [-0.2609449, 0.24705258, 0.01389229],
            [0.0091915, 0.1852574, -0.19444886],
            [0.00750364, -0.31204155, 0.30453786],
            [0, 0, 0],
        ],
        rtol=2e-6,
    )


def test_ignored_rows_may_hold_anything() -> None:
    x = Variable(np.array([[1.0, 2.0], [np.nan, np.inf]]))
    loss = softmax_cross_entropy(x, np.array([0, -1]))
    loss.backward()
    np.testing.assert_allclose(loss.array, 1.3132616875182228)
    assert x.grad[1].tolist() == [0, 0]


def test_impossible_classes_are_minus_infinity_apart() -> None:
    x = Variable(np.array([[1000.0, 0.0, -1000.0]]))
    loss = softmax_cross_entropy(x, np.array([2]))
    loss.backward()
    assert loss.array == 2000
    assert x.grad.tolist() == [[1, 0, -1]]


def test_soft_targets_get_no_gradient() -> None:
    x, t = Variable(X), Variable(SOFT)
    softmax_cross_entropy(x, t).backward()
    assert t.grad is None
    assert x.grad is not None


def test_it_can_always_be_differentiated_twice() -> None:
    x = Variable(X)
    softmax_cross_entropy(x, T).backward(enable_double_backprop=True)
    first = x.grad_var
    x.cleargrad()
    np.sum(first * first).backward()
    np.testing.assert_allclose(x.grad[0], [-0.05616774, 0.05931083, -0.00314309], rtol=1e-4)


@pytest.mark.parametrize(
    ("x", "t", "expect", "actual"),
    [
        (X.astype("i"), T, "x.dtype.kind == f", "i != f"),
        (X, X[:, 0], "t.dtype.kind == i", "f != i"),
        (X, T[:, None], "t.ndim == x.ndim - 1", "2 != 1"),
        (X, T[:3], "x.shape[0] == t.shape[0]", "4 != 3"),
        (IMAGE, PIXELS[:, :1], "x.shape[2:] == t.shape[1:]", "(2, 2) != (1, 2)"),
        (X, SOFT[:3], "x.shape == t.shape", "(4, 3) != (3, 3)"),
    ],
)
def test_refused_types(x: Any, t: Any, expect: str, actual: str) -> None:
    with pytest.raises(InvalidType) as caught:
        softmax_cross_entropy(x, t)
    text = str(caught.value)
    assert text.startswith("\nInvalid operation is performed in: SoftmaxCrossEntropy (Forward)")
    assert text.endswith(f"\n\nExpect: {expect}\nActual: {actual}")


@pytest.mark.parametrize(
    ("keywords", "kind", "text"),
    [
        ({"reduce": "sum"}, ValueError, "reduce must be 'mean' or 'no', got 'sum'"),
        ({"class_weight": Variable(WEIGHT)}, ValueError, "class_weight must be an array, got a Variable"),
        ({"class_weight": [1, 2, 3]}, TypeError, "class_weight must be an array, got list"),
        ({"class_weight": WEIGHT[None]}, ValueError, "class_weight must be one float for each class, got float32 of shape (1, 3)"),
        ({"class_weight": WEIGHT[:2]}, ValueError, "class_weight has 2 factors for 3 classes"),
        ({"t": np.array([0, 1, 5, 1])}, IndexError, "the label 5 is none of the 3 classes 0 to 2"),
        ({"t": np.array([0, 1, -2, 1])}, IndexError, "the label -2 is none of the 3 classes 0 to 2"),
        ({"t": SOFT, "soft_target_loss": "l2"}, ValueError, "soft_target_loss must be 'cross-entropy' or 'kl-divergence', got 'l2'"),
        ({"t": SOFT, "class_weight": WEIGHT}, ValueError, "class_weight is not for soft targets"),
    ],
)  # fmt: skip
def test_wrong_arguments(keywords: dict[str, Any], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind) as caught:
        softmax_cross_entropy(X, **{"t": T, **keywords})
    assert str(caught.value).startswith(f"{text} (test_softmax_cross_entropy.py:") or str(caught.value) == text
