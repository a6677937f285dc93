"""Parameters that stand beside the first axes of an array after its batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.facade.functions.type_check import evaluated


def beside_the_batch(parameter: Any, x: Any) -> Any:
    """A parameter of the shape ``x.shape[1:k]``, with axes of length one behind, so that it broadcasts."""
    return np.reshape(parameter, (*parameter.shape, *(1,) * (x.ndim - 1 - parameter.ndim)))


def alike_but_the_batch(x: Any, parameter: Any) -> Any:
    """The lengths of ``x`` beside which the parameter stands, for checks."""
    return x.shape[1 : 1 + evaluated(parameter.ndim)]
