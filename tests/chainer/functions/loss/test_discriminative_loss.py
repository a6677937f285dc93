"""The discriminative loss: values of Chainer 7.8.1, derivatives, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodiff import InvalidType
from autodiff.chainer.functions.loss.discriminative_loss import discriminative_margin_based_clustering_loss
from tests.chainer.functions.function_laws import Row, check_row, draw
from tests.chainer.functions.loss.test_losses import wave

LABEL = "DiscriminativeMarginBasedClusteringLoss"
PIXELS = np.array([[[0, 0, 1], [1, 0, 1]]], "i")
X = wave(1, 2, 2, 3, dtype="d")


def losses(x: Any, t: Any = PIXELS, norm: int = 1, delta_v: float = 0.5, delta_d: float = 1.5) -> Any:
    return discriminative_margin_based_clustering_loss(x, t, delta_v, delta_d, x.shape[1], norm, gamma=1.0)


@pytest.mark.parametrize("norm", [1, 2])
def test_derivatives_labels_and_dtypes(norm: int) -> None:
    labels = np.array([[[1, 2, 1, 0], [2, 2, 1, 1]]] * 2)
    check_row(Row("discriminative", lambda x: losses(x, labels, norm, 0.2, 2.5), (draw(2, 2, 2, 4),), LABEL))


@pytest.mark.parametrize(
    ("norm", "deltas", "wanted"),
    [
        (1, (0.5, 1.5), [0.9347288738813265, 2.896073776985557, 0.6491072663100306]),
        (1, (0.3, 3.0), [1.2244016876658206, 22.106786581265187, 0.6491072663100306]),
        (2, (0.0, 1.5), [1.0154657885759717, 4.20590203882118, 0.4745852011477039]),
        (2, (0.5, 1.5), [0.4370891098085279, 4.20590203882118, 0.4745852011477039]),
    ],
)
def test_values_are_those_of_chainer(norm: int, deltas: tuple[float, float], wanted: list[float]) -> None:
    np.testing.assert_allclose([loss.array for loss in losses(X, PIXELS, norm, *deltas)], wanted, rtol=1e-12)


def test_every_image_of_a_batch_counts_alike() -> None:
    alone = [loss.array for loss in losses(X)]
    both = [loss.array for loss in losses(np.concatenate((X, X, X)), np.concatenate((PIXELS,) * 3))]
    np.testing.assert_allclose(both, alone, rtol=1e-14)


def test_one_cluster_has_no_pairs() -> None:
    assert losses(X[:, :1])[1].array == 0


def test_pixels_of_no_cluster_do_not_count() -> None:
    assert [loss.array for loss in losses(X, PIXELS * 0)] == [0, 9, 0]


def test_refused() -> None:
    with pytest.raises(InvalidType) as caught:
        discriminative_margin_based_clustering_loss(X, PIXELS, 0.5, 1.5, 3)
    assert str(caught.value).endswith("\n\nExpect: embeddings.shape[1] == 3\nActual: 2 != 3")
    with pytest.raises(ValueError, match=r"^norm must be 1 or 2, got 3 \(.*\)$"):
        losses(X, norm=3)
