"""Where in the user's own code we are."""

from __future__ import annotations

import os
import sys
from types import FrameType

import numpy as np

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_NUMPY = os.path.dirname(os.path.abspath(np.__file__)) + os.sep


def _foreign(frame: FrameType) -> bool:
    """Whether the frame runs code of this package, of NumPy or SciPy, or generated code."""
    name = frame.f_code.co_filename
    return name.startswith((_PACKAGE, _NUMPY, "<__array_function__", "<autodiff")) or _of(frame, "scipy")


def _of(frame: FrameType, package: str) -> bool:
    """Whether the frame runs code of a package."""
    module = frame.f_globals.get("__name__") or ""
    return bool(module == package or module.startswith(package + "."))


def user_frame() -> FrameType | None:
    """The innermost frame that is the user's own."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _foreign(frame):
        frame = frame.f_back
    return frame


def asked_by(package: str) -> bool:
    """Whether a module of the package has called, on the user's behalf."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _foreign(frame):
        if _of(frame, package):
            return True
        frame = frame.f_back
    return False


def user_line() -> str:
    """``file.py:12`` of the innermost line that is the user's own, or ``""`` where there is none."""
    frame = user_frame()
    if frame is None:
        return ""
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"


def at_user_line() -> str:
    """``" (file.py:12)"``: the user's line as error texts append it."""
    line = user_line()
    return f" ({line})" if line else ""
