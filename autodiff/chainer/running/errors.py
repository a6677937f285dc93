"""Errors of programs that were written for Chainer, as they are shown."""

from __future__ import annotations

import re
import sys
import warnings
from pathlib import Path
from types import TracebackType
from typing import Any

from autodiff.facade.functions.invalid import InvalidType
from autodiff.running.script import from_first_line
from autodiff.trace import syntax

AGAIN, SCRIPT = "autodiff.chainer.running.again", "AUTODIFF_CHAINER_SCRIPT"

BROUGHT_ALONG = ("filelock", "mock", "nose", "protobuf", "six", "typing_extensions")
"""What was installed together with Chainer, so that programs import it without a thought."""


RUNNERS = ("setting.py", "single_elements.py")
"""The files in this folder that stand between the command and the program's first line."""


PROMOTED = """Since NumPy 2, a float32 array times a number of NumPy's own, such as np.sqrt(2), is a float64 array.
If that is the cause, make it a number of Python's: float(np.sqrt(2))"""


OVERFLOWED = """Since NumPy 2, an element of an array of small integers or float16 keeps its dtype in arithmetic with
Python's numbers: img[0, 0] * 2 is of uint8. If that is the cause, make it a number of Python's: int(img[0, 0]) * 2
"""

TOLD: set[str] = set()
"""The hints that have been printed."""

SHOW = warnings.showwarning


def show_warning(message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None) -> None:
    """Print a warning as Python does; with the first overflow of a single number, what may have caused it."""
    SHOW(message, category, filename, lineno, file, line)
    if str(message).startswith("overflow encountered in scalar") and OVERFLOWED not in TOLD:
        TOLD.add(OVERFLOWED)
        print(OVERFLOWED, end="", file=file or sys.stderr)


def show_error(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print an error that the program did not catch, from the program's own first line on, as Python does.

    Args:
        kind: its class.
        error: the error.
        trace: where it came by.
    """
    if isinstance(error, ModuleNotFoundError) and error.name in BROUGHT_ALONG:
        error.add_note(f"Chainer brought {error.name} along and autodiff does not: pip install {error.name}")
    if isinstance(error, InvalidType) and {"float32", "float64"} <= set(re.findall(r"float\d+", str(error))):
        error.add_note(PROMOTED)
    here = Path(__file__).parent
    between = [str(here.parent / "__main__.py"), *(str(here / name) for name in RUNNERS), syntax.__file__]
    trace = from_first_line(trace, between)
    sys.__excepthook__(kind, error.with_traceback(trace), trace)
