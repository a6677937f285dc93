"""Kernels on a tape: one operation that stands for all that a kernel does."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from autodiff.backends import checked
from autodiff.backends.kernels.call import KernelCall
from autodiff.backends.recent import Recent
from autodiff.backends.reference import run_tape
from autodiff.backends.verifier.launch import UnprovedKernelError, UnprovedKernelWarning
from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Tape

LIMIT = 64
"""So many kernels of each kind are kept although no program uses them."""

Function = Callable[..., Any]


class KernelPrimitive(Primitive):
    """The primitive of fused operations; its parameters are their tape and what kind of kernel they become.

    Args:
        name: of the primitive.
        make: gives the function that runs a kernel, for the parameters.
        run: runs one by itself, where that takes more than the function.
        told: what the function tells of besides, such as the user's lines, which are no part of a tape's structure.
        otherwise: gives the function that does the same by NumPy, for the parameters.
    """

    __slots__ = ("made",)

    def __init__(
        self,
        name: str,
        make: Callable[..., Function],
        run: Function | None = None,
        told: Callable[..., Hashable] = lambda **_: None,
        otherwise: Callable[..., Function] | None = None,
    ) -> None:
        made: Recent[Function] = Recent(LIMIT)

        def bound(**params: Any) -> Function:
            key = *params.items(), told(**params), checked.CHECKED
            found = made.get(key)
            return made.put(key, proved_or_plain(make, otherwise or plain, params)) if found is None else found

        super().__init__(
            name,
            "general",
            ("*xs",),
            run or (lambda *xs, **params: bound(**params)(*xs)),
            lambda *xs, tape, **params: kernel_specs(tape),
            {},
            params=None,
        )
        self.made = bound


class HostKernel(KernelPrimitive):
    """The primitive of kernels of CPUs.

    Args:
        name: of the primitive.
        describe: gives the kernel, for the parameters; nothing is compiled.
        options: those of a :class:`KernelPrimitive`.
    """

    __slots__ = ("describe",)

    def __init__(self, name: str, describe: Callable[..., KernelCall], **options: Any) -> None:
        super().__init__(name, lambda **params: describe(**params).call, **options)
        self.describe = describe


def proved_or_plain(
    make: Callable[..., Function], otherwise: Callable[..., Function], params: dict[str, Any]
) -> Function:
    """The function of a kernel; of one that might leave its memory, a function that runs the operations by NumPy."""
    try:
        return make(**params)
    except UnprovedKernelError as error:
        warnings.warn(
            "a part of a program runs as NumPy, since it could not be proved that its kernel stays within its memory; "
            f"please report this:\n{error}",
            UnprovedKernelWarning,
            stacklevel=2,
        )
    return otherwise(**params)


def plain(*, tape: Tape, **_: Any) -> Function:
    """The operations of a kernel by NumPy: its results are in memory of their own, too."""

    def run(*xs: Any) -> tuple[Any, ...]:
        return tuple(np.array(out) if isinstance(out, np.ndarray) else out for out in run_tape(tape, xs))

    return run


def kernel_specs(tape: Tape) -> tuple[Spec, ...]:
    """The specs of the results of a kernel."""
    return tuple(tape.output_specs)
