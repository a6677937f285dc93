"""Normalizations and their running statistics."""

import numpy as np

from tests.chainer.recorded.arrays import literal, normal, positive
from tests.chainer.recorded.case import ScriptCase
from tests.chainer.recorded.differentiation import case, row
from tests.chainer.recorded.names import F

BATCH = (normal(4, 3), positive(3), normal(3))
IMAGES = (normal(2, 3, 2, 2), positive(3), normal(3))


def running(name, axis=None, **keywords):
    """The running mean and variance after two batches."""

    def script(x, gamma, beta):
        mean, variance = np.array([0.5, 0, -1], x.dtype), np.array([1, 2, 0.5], x.dtype)
        for _ in range(2):
            y = F.batch_normalization(x, gamma, beta, running_mean=mean, running_var=variance, axis=axis, **keywords)
        return {"y": y, "mean": mean, "variance": variance}

    return ScriptCase(f"batch_normalization running {name}", script, IMAGES)


def renormalized(x, gamma, beta):
    mean, variance = np.array([0.5, 0, -1], x.dtype), np.array([1, 2, 0.5], x.dtype)
    y = F.batch_renormalization(
        x, gamma, beta, 1.5, 0.5, running_mean=mean, running_var=variance, update_statistics=True
    )
    return {"y": y, "mean": mean, "variance": variance}


CASES = [
    row(F.batch_normalization, *BATCH, dtypes="fde"),
    row(F.batch_normalization, *BATCH, eps=0.1),
    row(F.batch_normalization, *IMAGES, note="images", tolerance=4),
    row(F.batch_normalization, *IMAGES, axis=(0, 2, 3), tolerance=4),
    row(F.batch_normalization, normal(4, 2, 3), positive(2, 3), normal(2, 3), axis=0),
    row(F.batch_normalization, normal(4, 2, 3), positive(2, 3), normal(2, 3), note="3d"),
    running("default"),
    running("decay", decay=0.5, eps=1e-3),
    running("axis", axis=(0, 2, 3)),
    row(F.fixed_batch_normalization, *BATCH, normal(3), positive(3), dtypes="fde"),
    row(F.fixed_batch_normalization, *IMAGES, normal(3), positive(3), eps=0.01, axis=(0, 2, 3)),
    ScriptCase("batch_renormalization running", renormalized, IMAGES),
    row(F.fixed_batch_renormalization, *BATCH, normal(3), positive(3)),
    row(F.layer_normalization, normal(3, 4), positive(4), normal(4), dtypes="fde"),
    row(F.layer_normalization, normal(3, 4), positive(4), normal(4), eps=0.1),
    case("group_normalization", lambda x, g, b: F.group_normalization(x, 2, g, b), normal(2, 4, 3), positive(4), normal(4)),
    case("group_normalization eps", lambda x, g, b: F.group_normalization(x, 1, g, b, eps=0.1), normal(2, 4, 2, 2), positive(4), normal(4)),
    row(F.normalize, normal(3, 4), dtypes="fde"),
    row(F.normalize, normal(2, 3, 4), axis=2),
    row(F.normalize, normal(2, 3, 4), axis=(1, 2), eps=0.1),
    row(F.local_response_normalization, normal(2, 6, 2), dtypes="fde"),
    row(F.local_response_normalization, normal(2, 6, 2, 2), n=3, k=1, alpha=0.5, beta=0.5),
    row(F.local_response_normalization, normal(2, 4), n=2, alpha=0.1),
    row(F.decorrelated_batch_normalization, normal(8, 4), groups=2, tolerance=10),
    row(F.decorrelated_batch_normalization, normal(5, 4, 2), groups=1, eps=0.1, tolerance=10),
    case("fixed_decorrelated_batch_normalization", lambda x: F.fixed_decorrelated_batch_normalization(x, *_whitening(x), groups=2), normal(3, 4)),
    case("fixed_decorrelated_batch_normalization variables", lambda x, m, p: F.fixed_decorrelated_batch_normalization(x, m, p, groups=2), normal(3, 4), normal(2, 2), normal(2, 2, 2)),
    case("batch_normalization literal", lambda x, g, b: F.batch_normalization(x, g, b), literal([[1.0], [3.0]]), literal([2.0]), literal([1.0])),
]  # fmt: skip


def _whitening(x):
    """A mean and a projection for two groups of two channels."""
    return np.array([[0.5, -1], [2, 0]], x.dtype), np.array([[[1, 0.5], [0.5, 2]], [[1, 0], [-1, 1]]], x.dtype)
