"""The text of kernels under plain Python: every name that they use as a function of numbers and of memory.

Nothing of what compiles kernels is in here, so it is a model of all of that. Whole numbers are Python's, floats NumPy's,
an address is a buffer and a place in it, in bytes; what lies beyond a buffer raises IndexError.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import special

DTYPES = {name: np.dtype(name) for name in ("bool", "uint8", "int32", "int64", "uint64", "float32", "float64")}
NO_FORM = ("call_out", "philox", "numpy_")
"""How the names of procedures begin that have no model: Python's own functions, NumPy's loops, the random generator."""


class TooLongError(Exception):
    """A kernel does more than is worth waiting for."""


class Address(NamedTuple):
    """A place in memory."""

    buffer: Any
    offset: int


class Block(NamedTuple):
    """What a kernel is handed: words that are numbers, and arrays."""

    words: Sequence[int]
    arrays: Mapping[int, Any]


class Memory:
    """Loads and stores, as many as there may be.

    Args:
        most: accesses.
    """

    def __init__(self, most: int) -> None:
        self.left = most

    def place(self, address: Address, index: int, dtype: Any) -> Any:
        """One element, as a view."""
        self.left -= 1
        if self.left < 0:
            raise TooLongError
        begin = address.offset + index * dtype.itemsize
        if not 0 <= begin <= len(address.buffer) - dtype.itemsize:
            raise IndexError(f"{begin} of {len(address.buffer)} bytes")
        return address.buffer[begin : begin + dtype.itemsize].view(dtype)

    def names(self) -> dict[str, Any]:
        """The names of loads and stores."""

        def load(dtype: Any) -> Any:
            if dtype.kind == "f":
                return lambda address, index: self.place(address, index, dtype)[0]
            return lambda address, index: self.place(address, index, dtype)[0].item()

        def store(dtype: Any) -> Any:
            def put(address: Address, index: int, value: Any) -> None:
                self.place(address, index, dtype)[0] = value if dtype.kind == "f" else wrapped(value, dtype)

            return put

        return {
            f"{what}_{name}": make(dtype)
            for what, make in (("load", load), ("store", store))
            for name, dtype in DTYPES.items()
        }


def wrapped(value: Any, dtype: Any) -> Any:
    """A whole number in as many bits as a dtype has."""
    if dtype.kind == "b":
        return bool(value)
    size, whole = 8 * dtype.itemsize, int(value)
    low = whole % (1 << size)
    return low - (1 << size) if dtype.kind == "i" and low >> (size - 1) else low


def converter(dtype: Any) -> Any:
    """A function to numbers of a type."""
    if dtype.kind == "f":
        return dtype.type
    return lambda value: bool(value != 0) if dtype.kind == "b" else wrapped(value, dtype)


def extreme(larger: bool, propagates: bool) -> Any:
    """The larger or smaller of two numbers; of NaN and a number NaN if it propagates."""

    def chosen(x: Any, y: Any) -> Any:
        if x != x or y != y:
            return x if (x != x) == propagates else y
        return x if (x > y if larger else x < y) else y

    return chosen


def matrix(address: Address, dtype: Any, shape: tuple[int, int], steps: tuple[int, int]) -> Any:
    """A matrix in memory, with steps in elements, as a view of those elements alone."""
    rows, columns = shape
    reach = [(rows - 1) * steps[0], (columns - 1) * steps[1]]
    low, high = sum(min(each, 0) for each in reach), sum(max(each, 0) for each in reach) + 1
    begin, end = (address.offset + each * dtype.itemsize for each in (low, high))
    if begin < 0 or end > len(address.buffer):
        raise IndexError(f"{begin} to {end} of {len(address.buffer)} bytes")
    whole = address.buffer[begin:end].view(dtype)[-low:]
    return np.lib.stride_tricks.as_strided(whole, shape, tuple(step * dtype.itemsize for step in steps))


def procedures(name: str) -> dict[str, Any]:
    """Products of matrices and panels of one dtype."""
    dtype = DTYPES[name]

    def multiply_matrices(
        a: Any, a_row: int, a_column: int, b: Any, b_row: int, b_column: int, c: Any, c_row: int,
        m: int, n: int, k: int, accumulate: int,
    ) -> None:  # fmt: skip
        product = matrix(a, dtype, (m, k), (a_row, a_column)) @ matrix(b, dtype, (k, n), (b_row, b_column))
        out = matrix(c, dtype, (m, n), (c_row, 1))
        out[...] = out + product if accumulate else product

    def gather_panel(panel: Any, source: Any, step: int, count: int, width: int) -> None:
        matrix(panel, dtype, (count, width), (width, 1))[...] = matrix(source, dtype, (count, width), (step, 1))

    def turn_panel(panel: Any, source: Any, step: int, count: int, width: int) -> None:
        matrix(panel, dtype, (count, width), (width, 1))[...] = matrix(source, dtype, (count, width), (1, step))

    def multiply_panels(
        c: Any, a: Any, b: Any, c_row: int, a_row: int, b_row: int, count: int, rows: int, width: int, accumulate: int
    ) -> None:
        product = matrix(a, dtype, (count, rows), (a_row, 1)).T @ matrix(b, dtype, (count, width), (b_row, 1))
        out = matrix(c, dtype, (rows, width), (c_row, 1))
        out[...] = out + product if accumulate else product

    made = (multiply_matrices, gather_panel, turn_panel, multiply_panels)
    return {f"{each.__name__}_{name}": each for each in made}


def of_float(function: Any) -> Any:
    """A function whose result has the dtype of its operands."""
    return lambda *operands: operands[0].dtype.type(function(*operands))


# fmt: off
FUNCTIONS: dict[str, Any] = {
    **{name: of_float(getattr(np, name)) for name in (
        "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "cbrt", "sin", "cos", "tan", "arcsin", "arccos",
        "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "power", "hypot", "arctan2", "sqrt", "floor",
        "ceil", "trunc", "rint", "copysign", "fmod",
    )},
    **{f"{name}_near": of_float(getattr(np, name)) for name in ("sin", "cos", "tan")},
    **{f"scipy_{name}": of_float(getattr(special, name)) for name in ("erfinv", "j0", "ndtri", "gammainc")},
    "logistic": of_float(special.expit), "softplus": of_float(lambda x: np.logaddexp(0, x)),
    "rsqrt": of_float(lambda x: 1 / np.sqrt(x)), "erf": of_float(special.erf), "erfc": of_float(special.erfc),
    "lgamma": of_float(special.gammaln), "digamma": of_float(special.digamma),
    "absolute": abs, "fma": lambda x, y, z: x * y + z,
    "where": lambda condition, x, y: x if condition else y,
    "maximum": extreme(True, True), "minimum": extreme(False, True),
    "fmax": extreme(True, False), "fmin": extreme(False, False),
    "reduce_maximum": extreme(True, True), "reduce_minimum": extreme(False, True),
    "reduce_add": lambda x, y: x + y, "reduce_multiply": lambda x, y: x * y,
}
# fmt: on

NOTHING = np.empty(0, np.uint8)
"""The array of a word that nobody fills: an access raises an error."""

NAMES: dict[str, Any] = {
    **FUNCTIONS, **procedures("float32"), **procedures("float64"),
    "b1": converter(DTYPES["bool"]), "u1": converter(DTYPES["uint8"]), "i4": converter(DTYPES["int32"]),
    "i8": converter(DTYPES["int64"]), "f4": np.float32, "f8": np.float64,
    "inf": np.float64("inf"), "nan": np.float64("nan"),
    "word": lambda block, k: block.words[k],
    "real64": lambda block, k: np.int64(block.words[k]).view(np.float64),
    "real32": lambda block, k: np.int64(block.words[k]).astype(np.int32).view(np.float32),
    "pointer": lambda block, k: Address(block.arrays.get(k, NOTHING), 0),
    "shifted": lambda address, count: Address(address.buffer, address.offset + count),
}  # fmt: skip


def run(
    text: str, words: Sequence[int], arrays: Mapping[int, Any], parts: Sequence[tuple[int, int]], most: int
) -> None:
    """Run a kernel.

    Args:
        text: of the kernel.
        words: its block.
        arrays: contiguous ones, by their words.
        parts: the ranges of its outermost loop, one call each.
        most: accesses to memory.

    Raises:
        TooLongError: if there are more.
        IndexError: if one is beyond an array.
    """
    names = {**NAMES, **Memory(most).names()}
    exec(text, names)
    block = Block(words, {word: array.reshape(-1).view(np.uint8) for word, array in arrays.items()})
    with np.errstate(all="ignore"):
        for low, high in parts:
            names["kernel"](block, low, high)
