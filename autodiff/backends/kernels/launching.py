"""From the text of a kernel to a function that Python calls: proved to stay within its memory, compiled, bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any

from autodiff.backends import cache, checked
from autodiff.backends.compiling import kernel_address
from autodiff.backends.native.arguments import Argument, ArrayArgument, NumberArgument, bits
from autodiff.backends.native.checks import Rooms
from autodiff.backends.native.identity import digest, surroundings
from autodiff.backends.native.launching import bind
from autodiff.backends.verifier.launch import Array, Launch, UnprovedKernelError, listed
from autodiff.trace.spec import Spec

if TYPE_CHECKING:
    from autodiff.backends.kernels.checked import CheckedKernel

__all__ = ["Argument", "ArrayArgument", "KernelLaunch", "NumberArgument", "bits", "operand_argument"]

TYPES = {
    "bool": "b1", "uint8": "u1", "int32": "i4", "int64": "i8", "uint64": "i8", "float32": "f4", "float64": "f8",
}  # fmt: skip
NUMBERS = {"int": "i8", "float": "f8", "float32": "f4"}
KINDS = {"float64": "float", "float32": "float32"}
"""The kinds of numbers by their dtypes; all others are whole."""


@dataclass(frozen=True)
class KernelLaunch:
    """A kernel, and how it is run.

    Args:
        text: of the kernel.
        words: its block, with sizes and constants; what arguments fill is overwritten.
        arguments: what a call takes, in order; of every array it must be known how large it is.
        rows: the size of the range of the kernel's outermost loop.
        chunk: rows of one call of the kernel.
        parallel: whether threads share the chunks.
        release: whether other Python threads may run meanwhile.
        name: what it is called in errors.
        rooms: the parts of the memory that it works in, as far as they are known.
    """

    text: str
    words: Sequence[int]
    arguments: Sequence[Argument]
    rows: int
    chunk: int | None = None
    parallel: bool = False
    release: bool = True
    name: str = "a kernel"
    rooms: Rooms = field(default_factory=dict)

    def bound(self) -> Callable[..., Any]:
        """A function that takes the arguments of the kernel and runs it.

        Raises:
            UnprovedKernelError: if it cannot be proved that the kernel stays within its memory.
            KernelError: if it cannot be compiled.
        """
        self.refuse_unproved()
        if checked.CHECKED:
            return self.checked.bound(release=self.release, **self.range)
        return bind(kernel_address(self.text), self.words, self.arguments, release=self.release, **self.range)

    def on_words(self, words: Sequence[int]) -> Callable[[], object]:
        """A function without arguments that runs the kernel on a block that is filled already, and looks at nothing.

        What the words point to must be as large as the arguments say, and live as long as the function is called. Other
        Python threads run meanwhile.

        Raises:
            UnprovedKernelError: if it cannot be proved that the kernel stays within its memory.
            KernelError: if it cannot be compiled.
        """
        self.refuse_unproved()
        if checked.CHECKED:
            return self.checked.on_words(words, release=True, **self.range)
        return bind(kernel_address(self.text), words, (), release=True, **self.range)

    @property
    def checked(self) -> CheckedKernel:
        """The kernel as one that checks each access to memory while it runs."""
        from autodiff.backends.kernels.checked import CheckedKernel  # noqa: PLC0415 - asked for by a setting

        return CheckedKernel(self.name, self.text, self.words, self.arguments, self.rooms)

    @property
    def range(self) -> dict[str, Any]:
        """How far the kernel's outermost loop runs, and who shares it."""
        return {"rows": self.rows, "chunk": self.chunk, "parallel": self.parallel}

    def refuse_unproved(self) -> None:
        """See to it that the kernel stays within its memory, once for all processes.

        Raises:
            UnprovedKernelError: if that cannot be proved.
        """
        known: dict[int, int | str | Array] = dict(enumerate(self.words))
        for argument in self.arguments:
            known[argument.word] = array_of(argument) if isinstance(argument, ArrayArgument) else NUMBERS[argument.kind]
        launch = Launch(known, self.rows, self.chunk, self.parallel)
        key = digest(b"\0".join([surroundings(), b"proof", self.text.encode(), repr(launch).encode()]))
        if cache.read(key, cache.PROOF) is not None:
            return
        from autodiff.backends.verifier.proof import faults_of  # noqa: PLC0415 - not needed where it has been proved

        faults = faults_of(self.text, launch)
        if faults:
            raise UnprovedKernelError(f"a kernel may leave its memory:\n{listed(faults)}\n\n{self.text}")
        cache.write(key, b"", cache.PROOF)


def operand_argument(word: int, spec: Spec, writeable: bool = False) -> Argument:
    """An operand as what fills a word of a kernel's block."""
    if spec.kind == "array":
        return ArrayArgument(word, spec.dtype, writeable, spec.shape)
    return NumberArgument(word, KINDS.get(spec.dtype.name, "int"))


def array_of(argument: ArrayArgument) -> Array:
    """The memory behind an argument."""
    size = argument.size if argument.shape is None else prod(argument.shape)
    if size is None:
        raise ValueError(f"word {argument.word} is an array of unknown size")
    return Array(
        f"word {argument.word}",
        size * argument.dtype.itemsize,
        None if argument.scratch else TYPES[argument.dtype.name],
        argument.writeable,
        made=argument.writeable and argument.shape is None,
        met=argument.met,
    )
