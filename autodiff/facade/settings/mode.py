"""Whether this thread builds a graph, and how strict it is about dtypes."""

from __future__ import annotations

import threading
from typing import Any

from autodiff.facade.settings.configuration import config, deviations, using_config
from autodiff.trace.tracer import Tracer
from autodiff.transforms.stop_gradient import stop_gradient


class _Thread(threading.local):
    def __init__(self) -> None:
        self.promoting = False
        self.cutting = False


thread = _Thread()


def promoting() -> bool:
    """Whether Variables of different dtypes may meet now, in this thread."""
    return thread.promoting or (bool(deviations) and not config.type_check)


def no_backprop_mode() -> using_config:
    """A context in which Variables are computed but no graph is kept.

    It concerns the thread that enters it, nests with :func:`force_backprop_mode`, and may decorate a function.

    >>> import numpy as np
    >>> from autodiff import Variable
    >>> x = Variable(np.ones(3))
    >>> with no_backprop_mode():
    ...     y = 2 * x
    >>> y.creator is None
    True
    """
    return using_config("enable_backprop", False)


def force_backprop_mode() -> using_config:
    """A context in which the graph is kept, also inside of :func:`no_backprop_mode`.

    >>> import numpy as np
    >>> from autodiff import Variable
    >>> x = Variable(np.ones(3))
    >>> with no_backprop_mode(), force_backprop_mode():
    ...     y = 2 * x
    >>> y.creator is None
    False
    """
    return using_config("enable_backprop", True)


class Promoting:
    """While it is entered, Variables of different dtypes meet by NumPy's rules: derivative rules need that."""

    __slots__ = ("before",)

    def __enter__(self) -> None:
        self.before = thread.promoting
        thread.promoting = True

    def __exit__(self, *_: object) -> None:
        thread.promoting = self.before


class Cutting:
    """While it is entered, arrays that are taken out of Variables are constants, as in a graph of Variables they are.

    Where Variables hold traced values, those would otherwise carry on derivatives.
    """

    __slots__ = ("before",)

    def __enter__(self) -> None:
        self.before = thread.cutting
        thread.cutting = True

    def __exit__(self, *_: object) -> None:
        thread.cutting = self.before


def taken_out(array: Any) -> Any:
    """An array of a Variable as the user gets it."""
    return stop_gradient(array) if thread.cutting and isinstance(array, Tracer) else array
