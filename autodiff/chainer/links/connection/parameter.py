"""The link that is one parameter."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.math.identity import identity
from autodiff.chainer.link import Link
from autodiff.facade import Parameter as Trained


class Parameter(Link):
    """A trained array.

    Args:
        array: its first value, which is held as it is.

    Attributes:
        W: the parameter.

    >>> import numpy as np
    >>> Parameter(np.array([1.0, 2.0]))()
    variable([1., 2.])
    """

    W: Trained

    def __init__(self, array: Any) -> None:
        super().__init__()
        self.add_param("W", array.shape, dtype=array.dtype)
        self.W.array = array

    def forward(self, volatile: Any = "off") -> Any:
        """The parameter.

        Args:
            volatile: is ignored.
        """
        return identity(self.W)
