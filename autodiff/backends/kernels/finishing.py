"""What is done before a kernel runs, and what makes results of what it leaves in memory to work in.

Here it is done by NumPy; a program without Python does the same by kernels (:mod:`autodiff.backends.export.parts`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from autodiff.backends.kernels.roles import Role, name_of
from autodiff.trace.facts import ADDED, ALL, ANY, LARGEST, MULTIPLIED, SMALLEST, Fold
from autodiff.trace.spec import Spec

Array = np.ndarray[Any, Any]

METHODS = {ADDED: "sum", MULTIPLIED: "prod", LARGEST: "max", SMALLEST: "min", ANY: "any", ALL: "all"}
"""The methods of arrays that put parts of numbers together."""


class Step(Protocol):
    """Something that is done before or after a kernel."""

    def lines(self, scope: dict[str, Any], outputs: Sequence[Spec], stays: bool = False) -> list[str]:
        """Lines of Python that do it, for arrays by the names of their roles.

        Args:
            scope: is filled with what the lines refer to.
            outputs: what the results are.
            stays: whether a result that is a number is put into an array without axes.
        """


@dataclass(frozen=True)
class Number:
    """A result that is a number, from its parts.

    Attributes:
        result: which it is.
        work: the memory that the parts lie in.
        dtype: of that.
        places: theirs.
        fold: how they are put together.
    """

    result: int
    work: Role
    dtype: np.dtype[Any]
    places: range
    fold: Fold = ADDED

    def lines(self, scope: dict[str, Any], outputs: Sequence[Spec], stays: bool = False) -> list[str]:
        target = f"out{self.result}[()]" if stays else f"out{self.result}"
        return [f"{target} = {self.expression(scope, outputs[self.result])}"]

    def expression(self, scope: dict[str, Any], spec: Spec) -> str:
        """The number, of the kind that NumPy's function returns."""
        name, first, kind = name_of(self.work), self.places[0], f"type{self.result}"
        scope[kind] = {"f": float, "i": int, "b": bool}[spec.dtype.kind] if spec.kind == "python" else spec.dtype.type
        if len(self.places) > 1:
            return f"{kind}({name}[{first}::{self.places.step}].{METHODS[self.fold]}())"
        if spec.dtype == self.dtype:
            return f"{name}.item({first})" if spec.kind == "python" else f"{name}[{first}]"
        return f"{kind}({name}[{first}])"

    def shown(self, names: Mapping[str, Any], outputs: Sequence[Spec]) -> Array | None:
        """The part of the memory that is the number as it is; None where something has to be done."""
        if len(self.places) > 1 or outputs[self.result].dtype != self.dtype:
            return None
        found: Array = names[name_of(self.work)][self.places[0] :][:1]
        return found.reshape(())


@dataclass(frozen=True)
class Columns:
    """A result that is the sum of so many rows.

    Attributes:
        result: which it is.
        work: the memory that the rows lie in.
        count: of rows.
    """

    result: int
    work: Role
    count: int

    def lines(self, scope: dict[str, Any], outputs: Sequence[Spec], stays: bool = False) -> list[str]:
        name, out = name_of(self.work), f"out{self.result}"
        scope.update({"add": np.add.reduce, f"type{self.result}": outputs[self.result].dtype})
        return [f"add({name}.reshape({self.count}, -1), 0, type{self.result}, {out}.reshape(-1))"]


@dataclass(frozen=True)
class Transposed:
    """A result that is the sum of so many stacks of matrices, each of them transposed.

    Attributes:
        result: which it is.
        work: the memory that the stacks lie in.
        count: of stacks.
        sizes: the matrices of a stack, and their rows and columns.
    """

    result: int
    work: Role
    count: int
    sizes: tuple[int, int, int]

    def lines(self, scope: dict[str, Any], outputs: Sequence[Spec], stays: bool = False) -> list[str]:
        matrices, rows, columns = self.sizes
        scope.update(add=np.add.reduce, swap=np.swapaxes)
        total = f"add({name_of(self.work)}.reshape{self.count, *self.sizes}, 0)"
        return [f"out{self.result}.reshape{matrices, columns, rows}[...] = swap({total}, 1, 2)"]


@dataclass(frozen=True)
class Turned:
    """Kernels of a convolution from results to images, which the kernel reads in place of an operand.

    Each is turned round, and channels and outputs stand in each other's places.

    Attributes:
        operand: which it is.
        work: the memory that they are put into.
        groups: of the convolution.
        outputs: of each group.
        channels: of each group.
        extents: of each kernel.
    """

    operand: int
    work: Role
    groups: int
    outputs: int
    channels: int
    extents: tuple[int, ...]

    def lines(self, scope: dict[str, Any], outputs: Sequence[Spec], stays: bool = False) -> list[str]:
        name = f"in{self.operand}"
        scope.update(copy=np.copyto, swap=np.swapaxes)
        back = ", ".join(["...", *["::-1"] * len(self.extents)])
        given = f"{name}.reshape{self.groups, self.outputs, self.channels, *self.extents}[{back}]"
        wanted = f"{name_of(self.work)}.reshape{self.groups, self.channels, self.outputs, *self.extents}"
        fitted = [] if stays else [f"{name} = fitting({name}, specs[{self.operand}])"]
        return [*fitted, f"copy({wanted}, swap({given}, 1, 2))"]
