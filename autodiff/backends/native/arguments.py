"""What a launch takes: the kinds of its arguments, and how the range of its kernel is run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

NUMBERS = ("float", "float32", "int")


@dataclass(frozen=True)
class ArrayArgument:
    """An array of NumPy itself, no subclass, that is aligned.

    Args:
        word: the word of the block that gets the address of its data.
        dtype: what elements are, in native byte order.
        writeable: whether the kernel writes to it.
        shape: the shape it must have; None for any.
        ndim: the number of axes it must have; None for that of ``shape``, or any.
        strides: the word of the block that gets the stride of the first axis in bytes; those of the other axes follow.
            The array may then lie in memory as it likes; where ``strides`` is None it must be C-contiguous.
        size: how many elements it has, where that is known without ``shape``: what the kernel may touch.
        scratch: whether it is memory to work in, which holds elements of any type.
        met: whether parts of the rows may meet in it: what they note there is the same, or they have tiles of it, which
            lie side by side.
    """

    word: int
    dtype: Any
    writeable: bool = False
    shape: tuple[int, ...] | None = None
    ndim: int | None = None
    strides: int | None = None
    size: int | None = None
    scratch: bool = False
    met: bool = False

    def __post_init__(self) -> None:
        # NumPy's own object, which lives as long as NumPy; unpickling makes others
        object.__setattr__(self, "dtype", np.dtype(np.dtype(self.dtype).type))
        if self.shape is not None:
            object.__setattr__(self, "ndim", len(self.shape))
        if self.strides is not None and self.ndim is None:
            raise ValueError("an array whose strides are wanted needs a shape or ndim, so that their number is known")

    @property
    def words(self) -> list[int]:
        """The words it fills."""
        return (
            [self.word] if self.strides is None else [self.word, *range(self.strides, self.strides + (self.ndim or 0))]
        )


@dataclass(frozen=True)
class NumberArgument:
    """A number.

    Args:
        word: the word of the block that gets its bits.
        kind: "float" (a ``float`` or ``np.float64``, kept as float64), "float32" (an ``np.float32``) or "int" (an
            ``int`` that fits into int64).
    """

    word: int
    kind: str

    def __post_init__(self) -> None:
        if self.kind not in NUMBERS:
            raise ValueError(f"a number is of one of the kinds {', '.join(NUMBERS)}, not {self.kind!r}")

    @property
    def words(self) -> list[int]:
        """The words it fills."""
        return [self.word]


Argument = ArrayArgument | NumberArgument


@dataclass(frozen=True)
class Launch:
    """How a kernel is run.

    Args:
        address: of the kernel.
        words: the block, with its sizes and constants; what arguments fill is overwritten.
        arguments: what a call takes, in order.
        rows: the size of the range of the kernel's outermost loop.
        rows_word: the word that holds it, once the arguments are there; None where it is ``rows``.
        chunk: rows of one call of the kernel: it runs for [0, chunk), [chunk, 2 * chunk) and so on, whatever the number
            of threads, so that sums of parts repeat bit for bit. None for one call.
        parallel: whether threads share the chunks.
        release: whether other Python threads may run meanwhile.
    """

    address: int
    words: tuple[int, ...]
    arguments: tuple[Argument, ...]
    rows: int = 1
    rows_word: int | None = None
    chunk: int | None = None
    parallel: bool = False
    release: bool = False

    def __post_init__(self) -> None:
        used = [word for argument in self.arguments for word in argument.words]
        if self.rows_word is not None:
            used.append(self.rows_word)
        if not all(0 <= word < len(self.words) for word in used):
            raise ValueError(f"arguments fill the words {used} of a block of {len(self.words)}")


def bits(number: Any) -> int:
    """The word that holds a number: an integer as it is, an ``np.float32`` by its bits, any other as float64."""
    if isinstance(number, (int, np.integer)) and not isinstance(number, bool):
        return int(number)
    if isinstance(number, np.float32):
        return int(number.view(np.int32))
    return int(np.float64(number).view(np.int64))


def fitted(value: Any, argument: Argument) -> Any:
    """A value that was refused, converted so that it fits; its shape stays as it is.

    Raises:
        ValueError: if the kernel writes to the argument, since it would write to a copy.
    """
    if isinstance(argument, NumberArgument):
        return {"float": float, "float32": np.float32, "int": int}[argument.kind](value)
    if argument.writeable:
        raise ValueError("an array that a kernel writes to cannot be converted")
    plain = np.asarray(value, argument.dtype)  # of NumPy's own type
    found = np.require(plain, None, ["A"] if argument.strides is not None else ["A", "C"])
    # NumPy takes dtypes for equal that have the same layout, such as int64 and longlong.
    return found if found.dtype is argument.dtype else found.view(argument.dtype)
