"""The classifier: which argument holds the labels, what it keeps and reports."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodiff.chainer.chain import Chain
from autodiff.chainer.functions.loss.mean_squared_error import mean_squared_error
from autodiff.chainer.links.model.classifier import Classifier
from autodiff.chainer.reporter import Reporter
from autodiff.facade import Parameter, as_variable
from tests.chainer.functions.loss.test_losses import wave

X, T = wave(4, 3), np.array([0, 2, 1, 1], "i")


class Model(Chain):
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.W = Parameter(wave(3, 3))

    def forward(self, x: Any, shift: float = 0.0) -> Any:
        return as_variable(x) @ self.W.T + shift


LOSS = 2.52655363


def test_loss_and_accuracy_are_kept_and_reported() -> None:
    link = Classifier(Model())
    assert (link.y, link.loss, link.accuracy, link.compute_accuracy) == (None, None, None, True)
    assert [name for name, _ in link.namedparams()] == ["/predictor/W"]
    reporter, observation = Reporter(), {}
    reporter.add_observer("main", link)
    with reporter.scope(observation):
        loss = link(X, T)
    assert loss is link.loss
    np.testing.assert_allclose(loss.array, LOSS, rtol=1e-6)
    assert link.accuracy.array == 0.25
    np.testing.assert_allclose(link.y.array[0], [4.77952, 0.49829, -4.40284], rtol=1e-5)
    assert {name: float(value.array) for name, value in observation.items()} == {
        "main/loss": float(loss.array),
        "main/accuracy": 0.25,
    }


@pytest.mark.parametrize(
    ("key", "args", "kwargs"),
    [
        (-1, (X, T), {}),
        (1, (X, T), {}),
        (0, (T, X), {}),
        (-2, (T, X), {}),
        ("t", (), {"x": X, "t": T}),
        ("t", (X,), {"t": T, "shift": 0.0}),
    ],
)
def test_the_place_of_the_labels(key: Any, args: Any, kwargs: Any) -> None:
    np.testing.assert_allclose(Classifier(Model(), label_key=key)(*args, **kwargs).array, LOSS, rtol=1e-6)


@pytest.mark.parametrize(
    "link", [Classifier(Model(), mean_squared_error, None), Classifier(Model(), mean_squared_error)]
)
def test_without_accuracy(link: Classifier) -> None:
    link.compute_accuracy = False
    np.testing.assert_allclose(link(X, wave(4, 3) * np.float32(0.5)).array, 14.015520095825195, rtol=1e-6)
    assert link.accuracy is None


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (5, "Label key 5 is out of bounds: there are 2 arguments"),
        (-3, "Label key -3 is out of bounds: there are 2 arguments"),
        ("t", "Label key 't' is not found among the keywords []"),
    ],
)
def test_no_labels(key: Any, text: str) -> None:
    with pytest.raises(ValueError, match=r" \(test_classifier.py:\d+\)$") as caught:
        Classifier(Model(), label_key=key)(X, T)
    assert str(caught.value).startswith(f"{text} (")


def test_a_wrong_key() -> None:
    with pytest.raises(TypeError, match=r"^label_key must be int or str, got float \(test_classifier.py:\d+\)$"):
        Classifier(Model(), label_key=1.5)  # type: ignore[arg-type]
