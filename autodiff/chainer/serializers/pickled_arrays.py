"""Arrays and dtypes as pickles write them down: made at once, of facts that were checked."""

from __future__ import annotations

import pickle
import re
from math import prod
from typing import Any, NamedTuple

import numpy as np

from autodiff.saving.npy import check_characters, in_order
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import sound_shape

CODE = re.compile(r"[biufcSUO][0-9]{1,9}")
"""The dtypes of numbers, texts and objects."""


class Name(NamedTuple):
    """A name that a pickle may use. It stands for itself."""

    module: str
    name: str


NDARRAY = Name("numpy", "ndarray")
DTYPE = Name("numpy", "dtype")
RECONSTRUCT = Name("numpy.core.multiarray", "_reconstruct")
ENCODE = Name("_codecs", "encode")
NAMES = {name: name for name in (NDARRAY, DTYPE, RECONSTRUCT, ENCODE)}
NAMES[Name("numpy._core.multiarray", "_reconstruct")] = RECONSTRUCT


class Unfinished:
    """An array or dtype whose facts have not come yet.

    Attributes:
        code: of a dtype; None for an array.
        places: where it stands in the memo.
    """

    def __init__(self, code: str | None = None) -> None:
        self.code = code
        self.places: list[int] = []


def refusal(reason: str) -> pickle.UnpicklingError:
    """The error about a pickle that is not read."""
    return pickle.UnpicklingError(f"the pickle is damaged, or no plain data{at_user_line()}: {reason}")


def as_text(value: Any) -> str:
    """A text, which Python 2 has written as bytes."""
    if type(value) is bytes:
        return value.decode("ascii")
    if type(value) is not str:
        raise refusal(f"a {type(value).__name__} is no text")
    return value


def dtype_of(code: str, state: tuple[Any, ...]) -> np.dtype[Any]:
    """The dtype that NumPy has written down as a code, such as f4, and a state: version, byte order, what it is not.

    Dtypes with fields or of subarrays are refused.
    """
    if not CODE.fullmatch(code) or len(state) < 7 or any(part is not None for part in state[2:5]):
        raise refusal(f"{code} is no dtype of numbers, texts or objects")
    order = as_text(state[1])
    if order not in ("<", ">", "|", "=") or (code[0] == "O" and code[1:] not in ("4", "8")):
        raise refusal(f"{order}{code} is no dtype")
    if not int(code[1:]):
        raise refusal(f"{code} is the dtype of nothing")
    return np.dtype(object) if code[0] == "O" else in_order(np.dtype(code), order)


def array_of(state: tuple[Any, ...]) -> Any:
    """The array that NumPy has written down as version, shape, dtype, whether columns come first, and its data."""
    if len(state) != 5:
        raise refusal("an array is written down in five parts")
    _, shape, dtype, columns_first, data = state
    if not isinstance(dtype, np.dtype) or not sound_shape(shape, max(dtype.itemsize, 1)):
        raise refusal("an array without a shape or dtype")
    if type(columns_first) not in (bool, int):
        raise refusal("an array in no order")
    if dtype.hasobject:
        if type(data) is not list or len(data) != prod(shape):
            raise refusal(f"an array of shape {shape} needs a list of as many objects")
        flat = np.empty(len(data), object)
        for k, value in enumerate(data):
            flat[k] = value
    else:
        if type(data) is not bytes or len(data) != prod(shape) * dtype.itemsize:
            raise refusal(f"an array of shape {shape} and dtype {dtype} needs as many bytes")
        flat = np.frombuffer(data, dtype).copy()
        check_characters(flat)
    return flat.reshape(shape, order="F" if columns_first else "C")
