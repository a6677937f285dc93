"""Whether this thread builds a graph: ``no_backprop_mode`` and ``force_backprop_mode``.

What is unusual is rare. While :data:`deviations` is empty no thread has to look at its own state, which is all that
an ordinary operation checks.
"""

from __future__ import annotations

import threading
from contextlib import ContextDecorator

deviations: list[object] = []
"""Everything that makes operations of Variables unusual, in all threads."""


class _Thread(threading.local):
    def __init__(self) -> None:
        self.backprop = True
        self.promoting = False


thread = _Thread()
"""This thread's state: whether operations are recorded, and whether Variables of different dtypes may meet."""


class BackpropMode(ContextDecorator):
    """While it is entered, this thread's operations are recorded, or are not.

    Args:
        enabled: whether they are.
    """

    def __init__(self, enabled: bool) -> None:
        self.enabled = enabled
        self.before: list[bool] = []

    def __enter__(self) -> None:
        self.before.append(thread.backprop)
        thread.backprop = self.enabled
        if not self.enabled:
            deviations.append(self)

    def __exit__(self, *_: object) -> None:
        if not self.enabled:
            deviations.remove(self)
        thread.backprop = self.before.pop()


def no_backprop_mode() -> BackpropMode:
    """A context in which Variables are computed but no graph is kept.

    It concerns the thread that enters it, nests with :func:`force_backprop_mode`, and may decorate a function.

    >>> import numpy as np
    >>> from autodiff.facade import Variable
    >>> x = Variable(np.ones(3))
    >>> with no_backprop_mode():
    ...     y = 2 * x
    >>> y.creator is None
    True
    """
    return BackpropMode(False)


def force_backprop_mode() -> BackpropMode:
    """A context in which the graph is kept, also inside of :func:`no_backprop_mode`."""
    return BackpropMode(True)


class Promoting:
    """While it is entered, Variables of different dtypes meet by NumPy's rules: derivative rules need that."""

    __slots__ = ("before",)

    def __enter__(self) -> None:
        self.before = thread.promoting
        thread.promoting = True

    def __exit__(self, *_: object) -> None:
        thread.promoting = self.before
