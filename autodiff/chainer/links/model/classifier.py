"""A model that classifies, with its loss and accuracy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.chainer.chain import Chain
from autodiff.chainer.functions.evaluation.accuracy import accuracy
from autodiff.chainer.functions.loss.softmax_cross_entropy import softmax_cross_entropy
from autodiff.chainer.link import Link
from autodiff.chainer.reporter import report
from autodiff.facade import Variable
from autodiff.trace.source import at_user_line


class Classifier(Chain):
    """A predictor whose loss and accuracy are computed and reported.

    Args:
        predictor: the link that computes predictions.
        lossfun: the loss of predictions and labels.
        accfun: the accuracy of predictions and labels.
        label_key: which argument holds the labels: a place, or the name of a keyword.

    Attributes:
        predictor: the link.
        y: the last predictions.
        loss: the last loss.
        accuracy: the last accuracy.
        compute_accuracy: whether the accuracy is computed; True by default.

    >>> import numpy as np
    >>> from autodiff.chainer import Sequential
    >>> model = Classifier(Sequential(lambda x: x))
    >>> model(np.zeros((1, 2)), np.array([0]))
    variable(0.69314718)
    """

    compute_accuracy = True

    def __init__(
        self,
        predictor: Link,
        lossfun: Callable[..., Any] = softmax_cross_entropy,
        accfun: Callable[..., Any] | None = accuracy,
        label_key: int | str = -1,
    ) -> None:
        if not isinstance(label_key, (int, str)):
            raise TypeError(f"label_key must be int or str, got {type(label_key).__name__}{at_user_line()}")
        super().__init__()
        self.lossfun, self.accfun, self.label_key = lossfun, accfun, label_key
        self.y: Any = None
        self.loss: Any = None
        self.accuracy: Any = None
        with self.init_scope():
            self.predictor = predictor

    def forward(self, *args: Any, **kwargs: Any) -> Variable:
        """The loss of the predictions for all arguments but the labels.

        Raises:
            ValueError: if there is no argument ``label_key``.
        """
        key = self.label_key
        if isinstance(key, int):
            if not -len(args) <= key < len(args):
                raise ValueError(f"Label key {key} is out of bounds: there are {len(args)} arguments{at_user_line()}")
            place = key % len(args)
            labels, args = args[place], args[:place] + args[place + 1 :]
        elif key in kwargs:
            labels = kwargs.pop(key)
        else:
            raise ValueError(f"Label key {key!r} is not found among the keywords {sorted(kwargs)}{at_user_line()}")
        self.y = self.loss = self.accuracy = None
        self.y = self.predictor(*args, **kwargs)
        self.loss = self.lossfun(self.y, labels)
        report({"loss": self.loss}, self)
        if self.compute_accuracy and self.accfun is not None:
            self.accuracy = self.accfun(self.y, labels)
            report({"accuracy": self.accuracy}, self)
        loss: Variable = self.loss
        return loss
