"""A program on memory that stays: ``jit(fun).bind(x)``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff.backends.gpu import is_gpu_array
from autodiff.trace.source import at_user_line
from autodiff.trace.traced import Traced
from autodiff.transforms.jit.program import lone_equation
from autodiff.transforms.jit.signatures import leaf_paths

if TYPE_CHECKING:
    from autodiff.backends.kernels.call import OnMemory
    from autodiff.transforms.jit.recorded import Recorded


class Binding:
    """A compiled program bound to the arrays that it reads and writes; ``binding()`` runs it, and looks at nothing.

    ``jit(fun).bind(*args)`` makes one. Each call reads what the arrays of ``args`` hold then, and writes to those of
    :attr:`results`, the same ones in every call. Where the program is one kernel, as ``explain`` says, a call takes a
    tenth of a microsecond beside what the kernel takes; others run as they always do, and their results are copied.
    Other Python threads run meanwhile. Several bindings of one function may run at once, each in a thread; one binding
    may not, since it has its memory once.

    Attributes:
        arguments: what it was bound to: the positional arguments, and those with names. Numbers stay what they were;
            an array without axes, ``np.array(2.0)``, can be changed.
        results: the tree of results, with an array for each of them, without axes for numbers. They hold what the last
            call has computed; what is needed later must be copied.

    >>> import numpy as np
    >>> from autodiff import grad, jit
    >>> x = np.array([1.0, 2.0])
    >>> slope = jit(grad(lambda x: np.sum(x**3))).bind(x)
    >>> slope()
    array([ 3., 12.])
    >>> x[0] = 10.0
    >>> slope()
    array([300.,  12.])
    >>> slope() is slope.results
    True
    """

    __slots__ = ("_memory", "_name", "_run", "arguments", "results")

    def __init__(self, name: str, found: Recorded, leaves: Sequence[Any], arguments: Any) -> None:
        refuse_traced(name, found, leaves)
        self._name, self.arguments = name, arguments
        bound = one_kernel(name, found, leaves) or by_calls(found, leaves)
        self._run, self._memory = bound.run, bound.memory
        self.results: Any = bound.results[0] if found.rebuild is None else found.rebuild(bound.results)

    def __call__(self) -> Any:
        self._run()
        return self.results

    def __repr__(self) -> str:
        return f"<binding of {self._name}>"


def refuse_traced(name: str, found: Recorded, leaves: Sequence[Any]) -> None:
    """Refuse what has no memory of its own.

    Raises:
        TypeError: if an argument is traced, or the function closes over something that is.
    """
    if found.captures or any(isinstance(leaf, Traced) for leaf in leaves):
        what = "closes over traced values" if found.captures else "got a traced argument"
        raise TypeError(
            f"bind: {name} {what}{at_user_line()}. Traced values have no memory: bind it outside of grad, vmap and "
            "jit, to plain arrays, or call the function itself."
        )


def refuse_gaps(name: str, found: Recorded, values: Sequence[Any]) -> None:
    """Refuse what a kernel cannot read where it lies.

    Raises:
        ValueError: if an array is not one block of memory in C order.
    """
    for path, value in zip(leaf_paths(found.signature.key), values, strict=False):
        if isinstance(value, np.ndarray) and not (value.flags.c_contiguous and value.flags.aligned):
            raise ValueError(
                f"bind: {path} of {name} has the shape {value.shape} and the strides {value.strides}{at_user_line()}. "
                "A program is bound to arrays in C order, without gaps: bind np.ascontiguousarray(x), and write to "
                "that."
            )


def one_kernel(name: str, found: Recorded, leaves: Sequence[Any]) -> OnMemory | None:
    """The program as a kernel that reads and writes where the arrays lie; None if it is several, or runs on a GPU.

    Raises:
        ValueError: if an array is not one block of memory in C order.
    """
    from autodiff.backends.kernels.programs.call import whole  # noqa: PLC0415 - the compiler is loaded when something is compiled
    from autodiff.backends.verifier.launch import UnprovedKernelError  # noqa: PLC0415

    if found.on_gpu:
        return None
    equation = lone_equation(found.program.schedule.tape)
    if equation is None:
        return None
    refuse_gaps(name, found, leaves)
    constants = [np.require(array, None, ("C", "A")) for array in found.constants.arrays]
    try:
        return whole.describe(**dict(equation.params)).on_memory((*leaves, *constants))
    except UnprovedKernelError:
        return None  # the program warns of it when it runs


def by_calls(found: Recorded, leaves: Sequence[Any]) -> OnMemory:
    """A program of several kernels and functions of NumPy, whose results are copied to where they stay."""
    from autodiff.backends.kernels.call import OnMemory  # noqa: PLC0415

    evaluate = found.program.evaluate_on_gpu if found.on_gpu else found.program.evaluate  # which donate nothing
    constants = found.constants.arrays if found.device is None else found.constants.on(found.device)
    values = (*leaves, *constants)
    outs = tuple([out.copy() if is_gpu_array(out) else np.array(out) for out in evaluate(values)])

    def run() -> None:
        for target, out in zip(outs, evaluate(values), strict=True):
            target[...] = out

    return OnMemory(run, outs, tuple(leaves))
