"""How many yes-or-no answers are right."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class
from autodiff.facade import Variable, as_array
from autodiff.facade.graph.applying import apply


def binary_accuracy(y: Any, t: Any) -> Variable:
    """The share of scores whose sign is that of the answer.

    Args:
        y: scores, floats; 0 and more says yes.
        t: answers of the same shape, integers: 1 for yes, 0 for no; where it is -1 the score does not count.

    Returns:
        a number of y's dtype, without a derivative; 0 if nothing counts.

    Raises:
        InvalidType: if the shapes differ, or the dtypes are others.

    >>> binary_accuracy(np.array([-1.0, 2.0, 3.0, -4.0]), np.array([0, 1, 0, -1]))
    variable(0.66666667)
    """

    def share(y: Any, t: Any) -> Any:
        right = (y >= 0) == t
        return (np.sum(right) / np.maximum(np.sum(t != -1), 1)).astype(y.dtype)

    return apply(
        "BinaryAccuracy",
        share,
        (as_array(y), as_array(t)),
        check=lambda x, t: (x.dtype.kind == "f", t.dtype.kind == "i", t.shape == x.shape),
    )


BinaryAccuracy = function_class(
    "BinaryAccuracy", binary_accuracy, called=True, computed={"ignore_label": lambda self: -1}
)
