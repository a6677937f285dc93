"""Texts of traced numbers."""

from __future__ import annotations

from autodiff.trace.errors import ConcretizationError
from autodiff.trace.recording import is_recording
from autodiff.trace.source import at_user_line


class NumberText(str):
    """The text of a traced number, which does not become a number again while it is traced.

    Raises:
        ConcretizationError: by ``float``.
    """

    __slots__ = ()

    def __float__(self) -> float:
        if not is_recording():
            return float(str(self))
        raise ConcretizationError(
            f"the text {str(self)!r} of a traced number would become float{at_user_line()} and its derivative would be "
            "lost silently. Take the number itself, np.round(x, digits) of it to round. Where no derivative is wanted, "
            "write autodiff.stop_gradient(x)."
        )
