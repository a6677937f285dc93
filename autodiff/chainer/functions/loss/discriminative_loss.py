"""Embeddings of pixels that come together where they belong to one thing, and keep apart where they do not."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.functions.beside import beside
from autodiff.facade import Variable, as_array
from autodiff.facade.graph.applying import apply
from autodiff.trace.source import at_user_line


def discriminative_margin_based_clustering_loss(
    embeddings: Any,
    labels: Any,
    delta_v: float,
    delta_d: float,
    max_embedding_dim: int,
    norm: int = 1,
    alpha: float = 1.0,
    beta: float = 1.0,
    gamma: float = 0.001,
) -> tuple[Variable, Variable, Variable]:
    """Three losses of the clusters 1, 2, ...: how far pixels are from their mean, how near means are, how far from 0.

    The first is the mean of max(0, d - delta_v)**2 over a cluster's pixels, where d is the distance from their mean,
    averaged over all clusters, empty ones too; the second is max(0, 2 delta_d - d)**2 averaged over all pairs of means;
    the third is the distance of the means from 0, averaged.

    Args:
        embeddings: ``(n, dimensions, height, width)``, floats.
        labels: the cluster of each pixel, ``(n, height, width)``, integers; 0 belongs to none.
        delta_v: how far pixels may be from their mean.
        delta_d: half of how far means should be apart.
        max_embedding_dim: the number of dimensions, and of clusters.
        norm: 1 for the sum of absolute values as the distance, 2 for the Euclidean one.
        alpha: the factor of the first loss.
        beta: the factor of the second.
        gamma: the factor of the third.

    Returns:
        three numbers. Where a pixel is its cluster's mean the derivative is 0.

    Raises:
        InvalidType: if shapes or dtypes are others.
        ValueError: for another ``norm``.

    Source: De Brabandere et al., Semantic Instance Segmentation with a Discriminative Loss Function, 2017.

    >>> embeddings, labels = np.array([[[[0.0, 2.0, 8.0]], [[0.0, 0.0, 0.0]]]]), np.array([[[1, 1, 2]]])
    >>> discriminative_margin_based_clustering_loss(embeddings, labels, 0.5, 4.0, 2)
    (variable(0.125), variable(1.), variable(0.0045))
    """
    if norm not in (1, 2):
        raise ValueError(f"norm must be 1 or 2, got {norm!r}{at_user_line()}")

    xp = get_array_module(embeddings)

    def losses(x: Any, t: Any) -> tuple[Any, Any, Any]:
        clusters = xp.arange(1, max_embedding_dim + 1)
        inside = (t == clusters[:, None, None, None])[:, :, None]
        counts = np.maximum(np.sum(inside, axis=(3, 4), keepdims=True), 1).astype(x.dtype)
        means = np.sum(np.where(inside, x, 0), axis=(3, 4), keepdims=True) / counts
        spread = np.linalg.norm(np.where(inside, x - means, 0), norm, axis=2) - delta_v
        far = np.square(np.where(inside[:, :, 0] & (spread > 0), spread, 0))
        centers = means[..., 0, 0]
        return (
            alpha * np.mean(np.sum(far / counts[:, :, 0], axis=(2, 3))),
            beta * nearness(centers, 2 * delta_d, norm),
            gamma * np.mean(np.linalg.norm(centers, norm, axis=2)),
        )

    out: tuple[Variable, Variable, Variable] = apply(
        "DiscriminativeMarginBasedClusteringLoss",
        losses,
        (embeddings, as_array(labels)),
        check=lambda embeddings, labels: (
            embeddings.dtype.kind == "f", labels.dtype.kind == "i", embeddings.ndim == 4, labels.ndim == 3,
            embeddings.shape[0] == labels.shape[0], embeddings.shape[1] == max_embedding_dim,
            embeddings.shape[2:] == labels.shape[1:],
        ),
    )  # fmt: skip
    return out


def nearness(centers: Any, distance: float, norm: int) -> Any:
    """max(0, distance - d)**2 averaged over all pairs of ``(clusters, n, dimensions)``; 0 if there are none."""
    pairs = list(combinations(range(centers.shape[0]), 2))
    if not pairs:
        return 0 * np.sum(centers)
    first, second = (beside(centers, np.array(places)) for places in zip(*pairs))
    near = distance - np.linalg.norm(centers[first] - centers[second], norm, axis=2)
    return np.mean(np.square(np.where(near > 0, near, 0)))
