"""scikit-learn's 1797 handwritten digits, 8x8 pixels each, some to learn from and some to be tested on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff.demo.extras import module

TESTED = 360


@dataclass(frozen=True)
class Digits:
    """Images as rows of 64 grey values from 0 to 1, with their labels."""

    images: Any
    labels: Any
    test_images: Any
    test_labels: Any

    def batches(self, steps: int, size: int, generator: np.random.Generator) -> Iterator[tuple[Any, Any]]:
        """`steps` random batches; the same generator state gives the same batches."""
        for _ in range(steps):
            chosen = generator.choice(len(self.labels), size, replace=False)
            yield self.images[chosen], self.labels[chosen]


def load(generator: np.random.Generator) -> Digits:
    """All digits, shuffled, 360 of them kept for the test."""
    images, labels = module("sklearn.datasets").load_digits(return_X_y=True)
    order = generator.permutation(len(labels))
    images, labels = images[order] / 16.0, labels[order]
    return Digits(images[TESTED:], labels[TESTED:], images[:TESTED], labels[:TESTED])
