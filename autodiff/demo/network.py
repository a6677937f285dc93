"""A small classifier in plain NumPy. Nothing in this file knows that it will be differentiated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

PIXELS = 64
HIDDEN = 64
CLASSES = 10

Parameters = Mapping[str, Any]
Batch = tuple[Any, Any]


def initial(generator: np.random.Generator) -> dict[str, Any]:
    """Small weights: tanh starts nearly linear, and what the first layer shows later has all been learned."""
    return {
        "first weights": 0.1 * generator.normal(size=(PIXELS, HIDDEN)) / PIXELS**0.5,
        "first bias": np.zeros(HIDDEN),
        "second weights": generator.normal(size=(HIDDEN, CLASSES)) / HIDDEN**0.5,
        "second bias": np.zeros(CLASSES),
    }


def scores(parameters: Parameters, images: Any) -> Any:
    """Unnormalised log probabilities, one row an image."""
    hidden = np.tanh(images @ parameters["first weights"] + parameters["first bias"])
    return hidden @ parameters["second weights"] + parameters["second bias"]


def loss(parameters: Parameters, batch: Batch) -> Any:
    """Mean softmax cross-entropy of the batch; the largest score is taken off first to keep exp finite."""
    images, labels = batch
    found = scores(parameters, images)
    found = found - np.max(found, axis=1, keepdims=True)
    log_probabilities = found - np.log(np.sum(np.exp(found), axis=1, keepdims=True))
    return -np.sum(log_probabilities[np.arange(len(labels)), labels]) / len(labels)


def predictions(parameters: Parameters, images: Any) -> Any:
    """The most probable class of every image."""
    return np.argmax(scores(parameters, images), axis=1)
