"""scipy.cluster.vq for plain and traced values alike: distances from codes, and features of variance one."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.cluster.vq

from autodiff.numpy.dispatch import FUNCTIONS, as_operand
from autodiff.ops import elementwise as ew
from autodiff.scipy.mirror import counterpart, mirrored
from autodiff.scipy.spatial.distance import cdist
from autodiff.trace.spec import spec_of


@counterpart(scipy.cluster.vq.whiten)
def whiten(obs: Any, check_finite: bool = True) -> Any:
    """Features over their standard deviations; those that do not vary as they are."""
    x = as_operand(obs) * 1.0
    deviation = FUNCTIONS[np.std](x, 0)
    return x / ew.where(ew.equal(deviation, 0), 1.0, deviation)


@counterpart(scipy.cluster.vq.vq)
def vq(obs: Any, code_book: Any, check_finite: bool = True) -> tuple[Any, Any]:
    """The nearest code of each observation, which is constant, and the distance from it."""
    x, codes = as_operand(obs) * 1.0, as_operand(code_book) * 1.0
    if spec_of(x).ndim == 1:
        x, codes = x[:, None], codes[:, None]
    distances = cdist(x, codes)
    return FUNCTIONS[np.argmin](distances, 1), FUNCTIONS[np.min](distances, 1)


__getattr__ = mirrored("scipy.cluster.vq")
