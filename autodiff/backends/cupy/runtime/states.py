"""Whether indices were in range: words in memory of the host that kernels write to, and that nobody waits for.

A kernel that meets an index which is out of range takes another one and leaves a mark. The mark arrives with the
kernel, which runs behind the program; so it is read when the program is called again, or when somebody asks. Only the
first call of a program waits for its marks: it has compiled kernels before, and most wrong indices are wrong from the
beginning.
"""

from __future__ import annotations

import atexit
import os
import warnings
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.backends.cupy.runtime.errors import out_of_range
from autodiff.backends.gpu import mapped_zeros, require
from autodiff.backends.kernels.call import IndexRangeError
from autodiff.trace.tape import Equation

VARIABLE = "AUTODIFF_CHECK_INDICES"
"""The variable of the environment that is 1 where each call is to wait for its marks."""

LATE = (
    f"; this was a call before, which nobody has waited for: {VARIABLE}=1 in the environment makes each call wait, "
    "and autodiff.check_indices() asks for all of them"
)


def always_waits() -> bool:
    """Whether each call waits for its marks."""
    return os.environ.get(VARIABLE, "0") == "1"


class StatusWords:
    """Words that become 1 where an index is out of range.

    Args:
        watched: for each word the operation, if it is known.
        device: the number of the GPU whose kernels write to them.

    Attributes:
        words: in pinned memory, which GPUs reach by the same address.
    """

    def __init__(self, watched: Sequence[Equation | None], device: int) -> None:
        self.watched, self.device = tuple(watched), device
        self.words = mapped_zeros(len(self.watched), np.int32)
        if not _alive:
            atexit.register(tell_at_exit)
        _alive.add(self)
        weakref.finalize(self, _retired.append, self.words)  # kernels that still run may write there

    def places(self) -> list[np.uintp]:
        """Where each word lies, as kernels are told by value."""
        begin = self.words.ctypes.data
        return [np.uintp(begin + k * self.words.itemsize) for k in range(len(self.watched))]

    def marked(self, late: bool) -> str:
        """What the first word says that is 1; empty if all are 0. They are 0 afterwards.

        Args:
            late: whether it was a call before.
        """
        if not self.words.any():
            return ""
        operation = self.watched[int(self.words.argmax())]
        self.words.fill(0)
        return out_of_range(operation) + (LATE if late else "")

    def check(self, late: bool) -> None:
        """Look at the words as they are now.

        Args:
            late: whether it is what a call before has left.

        Raises:
            IndexRangeError: naming the first operation that met an index which was out of range.
        """
        if text := self.marked(late):
            raise IndexRangeError(text)


_alive: weakref.WeakSet[StatusWords] = weakref.WeakSet()

_retired: list[Any] = []
"""The words of programs that are gone: pinned memory does not wait for kernels before it is used for something else."""


def check_indices() -> None:
    """Wait for the GPUs, and raise if a program of :func:`jit` has met an index there that was out of range.

    Programs do not wait for their kernels. They look in the first call, and in later ones at what those before have
    left. On CPUs a program raises at once, and there is nothing to ask for.

    Raises:
        IndexRangeError: an ``IndexError`` that names the operation and its line. Results of that call, and what was
            computed of them, are those of other indices.

    >>> import autodiff
    >>> autodiff.check_indices()
    """
    alive = list(_alive)
    for device in sorted({words.device for words in alive}):
        require().cuda.Device(device).synchronize()
    for words in alive:
        words.check(late=True)


def tell_at_exit() -> None:
    """Warn of marks that nobody has read when Python ends."""
    for words in list(_alive):
        if text := words.marked(late=True):
            warnings.warn(text, RuntimeWarning, stacklevel=1)
