"""Parameters of links, from what users give to initialise them."""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

from autodiff.chainer.initializer import Initializer
from autodiff.chainer.initializers import _get_initializer
from autodiff.facade import Parameter


def weight(initialW: Any, shape: Any = None) -> Parameter:
    """A Parameter that an initializer, a number or an array fills; LeCunNormal if None.

    Args:
        initialW: what fills it.
        shape: its shape; None if it is known later.
    """
    return Parameter(_get_initializer(initialW), shape)


def bias(initial_bias: Any, shape: Any = None) -> Parameter:
    """The same, but zeros if None."""
    return weight(0 if initial_bias is None else initial_bias, shape)


def typed(initializer: Any, dtype: Any) -> Any:
    """An initializer for arrays of a dtype that fills them as the given one does."""
    found = _get_initializer(initializer)
    own: Any = copy.copy(found) if isinstance(found, Initializer) else partial(found)
    own.dtype = dtype
    return own
