"""Where in the user's own code we are."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FrameType

import numpy as np

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_NUMPY = os.path.dirname(os.path.abspath(np.__file__)) + os.sep
_PYTHON = os.path.dirname(os.path.abspath(os.__file__)) + os.sep

NEVER, PYTHONS, LIBRARY, USERS = range(4)
"""Whose a line of code is: this package's or NumPy's, which no text names; Python's own; a library's; the user's."""

REWRITTEN: dict[int, CodeType] = {}
"""Code of the user's that was compiled with calls of ours in it (:mod:`autodiff.programs`), by its identity."""


@lru_cache(4096)
def owner(filename: str) -> int:
    """Whose code a file holds, by where it lies."""
    if filename.startswith((_PACKAGE, _NUMPY, "<__array_function__", "<autodiff")):
        return NEVER
    folders = filename.split(os.sep)
    if "site-packages" in folders or "dist-packages" in folders:
        return LIBRARY
    return PYTHONS if filename.startswith((_PYTHON, "<frozen ")) else USERS


def _frames() -> Iterator[FrameType]:
    """The frames that texts may name, from the innermost one on."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if owner(frame.f_code.co_filename) is not NEVER:
            yield frame
        frame = frame.f_back


def user_frame() -> FrameType | None:
    """The innermost frame that is the user's own.

    A program that is itself installed as a library has no other: then it is the innermost one of a library.
    """
    best: FrameType | None = None
    for frame in _frames():
        whose = owner(frame.f_code.co_filename)
        if whose is USERS:
            return frame
        if best is None or whose > owner(best.f_code.co_filename):
            best = frame
    return best


def in_user_code(frame: FrameType | None) -> bool:
    """Whether a frame, or one that called it, is the user's own."""
    while frame is not None and owner(frame.f_code.co_filename) is not USERS:
        frame = frame.f_back
    return frame is not None


def is_rewritten() -> bool:
    """Whether the user's line is in code that was rewritten."""
    frame = user_frame()
    return frame is not None and id(frame.f_code) in REWRITTEN


def asking_module() -> str:
    """The module of a library, or of Python's own, that the user called and that asks now; empty where the user did."""
    user, module = user_frame(), ""
    for frame in _frames():
        if frame is user:
            break
        module = str(frame.f_globals.get("__name__") or "")
    return module


def asking_library() -> tuple[str, str, bool]:
    """The innermost library below the user: its package, ``file.py:12``, and whether it is rewritten.

    The names are empty if the user asked, or a module of Python's own.
    """
    user = user_frame()
    for frame in _frames():
        if frame is user:
            break
        if owner(frame.f_code.co_filename) is LIBRARY:
            package = str(frame.f_globals.get("__name__") or "").partition(".")[0]
            place = f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
            return package, place, id(frame.f_code) in REWRITTEN
    return "", "", False


def asked_by(package: str) -> bool:
    """Whether a module of the package has called, on the user's behalf."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and owner(frame.f_code.co_filename) is not USERS:
        module = str(frame.f_globals.get("__name__") or "")
        if module == package or module.startswith(package + "."):
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
