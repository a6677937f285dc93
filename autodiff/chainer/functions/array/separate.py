"""An array cut into all its slices."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.conditions import has_axis
from autodiff.chainer.functions.function_class import function_class, inputs_of
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable
from autodiff.numpy.arrays.splitting import unstack


def separate(x: Any, axis: int = 0) -> tuple[Variable, ...]:
    """All slices along an axis, without that axis.

    Args:
        x: any array.
        axis: the axis.

    Returns:
        as many Variables as the axis is long.

    Raises:
        InvalidType: if there is no such axis.

    >>> import numpy as np
    >>> separate(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=1)
    (variable([1., 3.]), variable([2., 4.]))
    """
    return apply("Separate", lambda x: unstack(x, axis=axis), (x,), lambda x: has_axis(x, axis))


def shape_of_part(self: Any) -> tuple[int, ...]:
    """The shape of each part."""
    shape = list(inputs_of(self)[0].shape)
    del shape[self.axis]
    return tuple(shape)


Separate = function_class("Separate", separate, "axis", computed={"_shape": shape_of_part})
