"""Losses and cells inside of transformations: a batch is a loop, and shapes are enough."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autodiff import as_array, eval_tape, make_tape, vmap
from autodiff.chainer.functions.evaluation.accuracy import accuracy
from autodiff.chainer.functions.loss.hinge import hinge
from autodiff.chainer.functions.loss.sigmoid_cross_entropy import sigmoid_cross_entropy
from autodiff.chainer.functions.loss.softmax_cross_entropy import softmax_cross_entropy
from autodiff.chainer.functions.rnn.lstm import lstm
from tests.chainer.functions.function_laws import draw

X, T = draw(5, 4, 3), np.arange(20).reshape(5, 4) % 4 - 1
FUNCTIONS: dict[str, tuple[Callable[..., Any], Any]] = {
    "softmax_cross_entropy": (softmax_cross_entropy, T),
    "weighted": (lambda x, t: softmax_cross_entropy(x, t, class_weight=np.array([1.0, 2, 3])), T),
    "sum": (lambda x, t: softmax_cross_entropy(x, t, normalize=False), T),
    "sigmoid_cross_entropy": (lambda x, t: sigmoid_cross_entropy(x[:, 0], t), np.minimum(T, 1)),
    "hinge": (hinge, abs(T)),
    "accuracy": (lambda x, t: accuracy(x, t, ignore_label=-1), T),
    "lstm": (lambda c, x: lstm(c, x)[1], draw(5, 4, 12, seed=1)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_batch_is_a_loop(name: str) -> None:
    function, second = FUNCTIONS[name]
    loop = np.stack([as_array(function(x, t)) for x, t in zip(X, second, strict=True)])
    np.testing.assert_allclose(vmap(function)(X, second), loop, rtol=1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_shapes_are_enough_to_record_it(name: str) -> None:
    function, second = FUNCTIONS[name]
    tape = make_tape(function)(X[0], second[0])
    found = eval_tape(tape, X[0], second[0])
    np.testing.assert_allclose(found, function(X[0], second[0]).array, rtol=1e-12)
