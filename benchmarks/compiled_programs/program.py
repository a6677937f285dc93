"""What a program of the table must say about itself: its inputs, its goals, and how each library writes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    Function = Callable[..., Any]
    Random = np.random.Generator


class LeftOutError(Exception):
    """A library has no natural way to write the program, or needs minutes for it; the text says which."""


@dataclass(frozen=True)
class Native:
    """A program in C or C++ that a goal is measured by: its seconds on the reference machine."""

    name: str
    seconds: float


@dataclass(frozen=True)
class Row:
    """One figure of the table.

    Attributes:
        size: what tells it from the program's other rows.
        parameters: what `Program.inputs` makes arrays of.
        goal: our time over the best peer's at most (over `native`'s where there is one); None: to be right is enough.
        rival: the best peer on the reference machine; where it was not measured the goal is missed.
        known: that peer's time there.
        floor: what the machine allows, or what trials reached.
        native: a program in C or C++ that takes the peer's place in the goal.
        donated: positions of arguments whose memory the results may take; they are the first results in turn.
    """

    size: str
    parameters: tuple[Any, ...]
    goal: float | None
    rival: str | None
    known: str
    floor: str
    native: Native | None = None
    donated: tuple[int, ...] = ()


class Program:
    """A program, written once for every library, as a user of that library writes it.

    The libraries are handed in, so that a process imports only the one that it measures. Each form returns a function
    of the inputs; the one for torch closes over them, since torch keeps parameters and their optimizer as objects.
    The results of all forms are trees with the same leaves.
    """

    name = ""
    title = ""
    dtype = "float32"
    tolerance = 1e-4  # largest difference from double precision, in proportion to the largest element
    rows: tuple[Row, ...] = ()
    bound = False  # whether ours is bound to its arguments, as callers of such small functions would have it

    def inputs(self, row: Row, random: Random) -> tuple[Any, ...]:
        """The arguments, as NumPy arrays in the program's dtype."""
        raise NotImplementedError

    def autodiff(self, autodiff: Any, row: Row) -> Function:
        """Plain NumPy and autodiff; whoever measures it puts `autodiff.jit` around it."""
        raise NotImplementedError

    def jax(self, jax: Any, row: Row) -> Function:
        """The same for `jax.jit`."""
        raise NotImplementedError

    def torch(self, torch: Any, compiled: Function, row: Row, inputs: tuple[Any, ...]) -> Function:
        """PyTorch; `compiled` is `torch.compile`, or the identity for eager PyTorch."""
        raise NotImplementedError

    def autograd(self, autograd: Any, row: Row) -> Function:
        """HIPS autograd, where it makes sense."""
        raise LeftOutError("one call at a time in Python: not a peer for this program")

    def casadi(self, casadi: Any, row: Row) -> Any:
        """A function of CasADi's, whose results are dense."""
        raise LeftOutError("not written for it")

    def pytensor(self, pytensor: Any, row: Row) -> Function:
        """A compiled function of PyTensor's."""
        raise LeftOutError("not written for it")

    def drjit(self, drjit: Any, row: Row, inputs: tuple[Any, ...]) -> Function:
        """Dr.Jit; the function closes over the inputs, and has computed its result when it returns."""
        raise LeftOutError("not written for it")

    def drjit_leaves(self, found: Any) -> Any:
        """Dr.Jit's result as NumPy arrays."""
        raise NotImplementedError

    def numba(self, numba: Any, row: Row) -> Function:
        """Loops with the derivative written by hand."""
        raise LeftOutError("not written for it")


def standard_normal(random: Random, dtype: str, *shape: int, scale: float = 1.0) -> Any:
    """An array of normal numbers."""
    return (scale * random.standard_normal(shape)).astype(dtype)
