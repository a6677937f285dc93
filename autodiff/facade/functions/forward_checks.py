"""What a function that a user writes may return, and ask to be kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autodiff.facade.variables.variable import is_array
from autodiff.trace.source import at_user_line
from autodiff.trace.values.arrays import check_places


def check_outputs(label: str, outs: Any) -> None:
    """See that ``forward`` returned a tuple of arrays, in which None stands for no array.

    Raises:
        TypeError: if it did not.
    """
    if type(outs) is not tuple:
        raise TypeError(f"forward output must be a tuple ({label})\nActual: {type(outs)}{at_user_line()}")
    if not all(out is None or is_array(out) for out in outs):
        kinds = tuple(map(type, outs))
        raise TypeError(
            f"forward output must be a tuple of ndarrays.\nFunction: {label}\nActual output types: {kinds}"
            f"{at_user_line()}\nNumPy gives numbers where arrays have no axes; np.asarray makes arrays of them."
        )
    check_places(f"the forward output of {label}", outs)


def check_retained(label: str, kind: str, indexes: Sequence[int] | None, count: int) -> None:
    """See that what ``forward`` asked to keep is there.

    Raises:
        IndexError: if it is not.
    """
    if indexes and not all(-count <= index < count for index in indexes):
        raise IndexError(
            f"retain_{kind}({tuple(indexes)}) was called in the forward of {label}{at_user_line()}, but the number of "
            f"its {kind} is {count}; they are counted from 0"
        )
