"""Kernels that look at each place in memory before they touch it: what they are told, and what is raised."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from autodiff.backends.compiling import kernel_address
from autodiff.backends.language.reading import read
from autodiff.backends.language.tree import Array, Let, statements
from autodiff.backends.native.arguments import Argument, ArrayArgument
from autodiff.backends.native.checks import BLOCK, NOTED, Checks, Rooms
from autodiff.backends.native.errors import UncheckedKernelError
from autodiff.backends.native.launching import bind
from autodiff.backends.verifier.launch import UnprovedKernelError
from autodiff.trace.errors import AutodiffError

Extent = tuple[int, int, str]
"""Where a buffer begins, how many bytes it has, and what is said of it."""


class KernelMemoryError(AutodiffError, RuntimeError):
    """A compiled kernel would have touched memory beyond one of its buffers: please report it."""


@dataclass(frozen=True)
class CheckedKernel:
    """A kernel whose accesses are compared with the extents of its buffers.

    Args:
        name: of the kind of kernel.
        text: of the kernel.
        words: its block.
        arguments: what a call takes, in order.
        rooms: the parts of the memory that it works in.
    """

    name: str
    text: str
    words: Sequence[int]
    arguments: Sequence[Argument]
    rooms: Rooms

    def bound(self, **options: Any) -> Callable[..., Any]:
        """A function that takes the arguments of the kernel and runs it.

        It raises a KernelMemoryError where the kernel would have left a buffer.

        Args:
            options: those of a launch.

        Raises:
            UnprovedKernelError: if there is something in the kernel that cannot be checked.
        """
        size = len(NOTED) + 2 * len(self.words)
        own = ArrayArgument(len(self.words), np.int64, True, size=size)
        launch = bind(self.address(), (*self.words, 0), (*self.arguments, own), **options)

        def call(*values: Any) -> Any:
            extents = {
                argument.word: extent_of(value)
                for argument, value in zip(self.arguments, values, strict=False)  # launch counts them
                if isinstance(argument, ArrayArgument) and isinstance(value, np.ndarray)
            }
            noted = told(extents, size)
            found = launch(*values, noted)
            self.refuse(noted, extents)
            return found

        return call

    def on_words(self, words: Sequence[int], **options: Any) -> Callable[[], object]:
        """A function without arguments that runs the kernel on a block that is filled already.

        Args:
            words: the block; arrays at its addresses are as large as the arguments say.
            options: those of a launch.

        Raises:
            UnprovedKernelError: if there is something in the kernel that cannot be checked.
        """
        arrays = [each for each in self.arguments if isinstance(each, ArrayArgument)]
        extents = {each.word: extent_at(words[each.word], each) for each in arrays}
        noted = told(extents, len(NOTED) + 2 * len(words))
        launch = bind(self.address(), (*words, noted.ctypes.data), (), **options)

        def run() -> None:
            launch()
            self.refuse(noted, extents)

        return run

    @property
    def checks(self) -> Checks:
        """What is known of the block."""
        arrays = sorted(each.word for each in self.arguments if isinstance(each, ArrayArgument))
        return Checks(len(self.words), tuple(arrays), tuple(self.rooms.items()))

    def address(self) -> int:
        """The address of the kernel."""
        try:
            return kernel_address(self.text, checks=self.checks)
        except UncheckedKernelError as error:
            raise UnprovedKernelError(str(error)) from error

    def refuse(self, noted: np.ndarray[Any, Any], extents: Mapping[int, Extent]) -> None:
        """Raise what a kernel has noted.

        Raises:
            KernelMemoryError: if it would have left a buffer.
        """
        if not noted[0]:
            return
        _, line, word, begin, extent, address, size, stores = map(int, noted[: len(NOTED)])
        noted[0] = 0
        raise KernelMemoryError(
            f"{self.name} would have {'written' if stores else 'read'} {size} bytes at byte {address - begin} of "
            f"{self.buffer(word, extents, extent)}, in line {line} of its text: "
            f"{self.text.splitlines()[line - 1].strip()}\nNothing beyond that memory was touched, and what the kernel "
            "has computed is lost. This is a fault of autodiff: please report it, with the program and what follows."
            f"\n\n{self.text}"
        )

    def buffer(self, word: int, extents: Mapping[int, Extent], extent: int) -> str:
        """What an error says of a buffer."""
        if word >= len(self.words):
            return f"{self.checks.rooms[word - len(self.words)][0]}, {extent} bytes of the memory that it works in"
        if word not in extents:
            return f"its {'block' if word == BLOCK else 'stack'}, {extent} bytes"
        return ", ".join(filter(None, (name_of(self.text, word), extents[word][2])))


def told(extents: Mapping[int, Extent], size: int) -> np.ndarray[Any, Any]:
    """The words that a kernel finds extents in, and notes in."""
    found = np.zeros(size, np.int64)
    for word, (begin, extent, _) in extents.items():
        place = len(NOTED) + 2 * word
        found[place : place + 2] = begin, extent
    return found


def extent_of(array: np.ndarray[Any, Any]) -> Extent:
    """The memory from the first element of an array to the last."""
    low = high = array.ctypes.data
    if array.size:
        low, high = np.lib.array_utils.byte_bounds(array)
    strides = "" if array.flags.c_contiguous else f" and strides {array.strides}"
    return low, high - low, f"{array.dtype} of shape {array.shape}{strides}, {high - low} bytes"


def extent_at(address: int, argument: ArrayArgument) -> Extent:
    """The memory at an address that an argument stands for, which is in C order."""
    count = argument.size if argument.shape is None else prod(argument.shape)
    if count is None or argument.strides is not None:
        raise ValueError(f"word {argument.word} is an array of which is not known how it lies in memory")
    size = count * argument.dtype.itemsize
    return address, size, f"{argument.dtype} of {count} elements, {size} bytes"


def name_of(text: str, word: int) -> str:
    """What the text of a kernel calls the array of a word; empty where it has no name for it."""
    for statement in statements(read(text).body):
        match statement:
            case Let((name,), (Array(_, found),)) if found == word:
                return name
    return ""
