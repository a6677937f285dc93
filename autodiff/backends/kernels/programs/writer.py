"""Statements of kernels, written one by one: what operations do that are no loops over elements."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autodiff.backends.kernels.programs.scope import Scope
from autodiff.backends.kernels.scalars import literal
from autodiff.trace.tape import Equation


class Writer:
    """Writes statements on numbers of one dtype.

    Args:
        scope: where.
        equation: the operation.
        dtype: of the numbers.
    """

    def __init__(self, scope: Scope, equation: Equation, dtype: np.dtype[Any]) -> None:
        self.scope, self.emitter, self.equation, self.dtype = scope, scope.emitter, equation, dtype

    def at(self, base: str, place: str) -> str:
        return f"load_{self.dtype}({base}, {place})"

    def put(self, base: str, place: str, value: str) -> None:
        self.emitter.line(f"store_{self.dtype}({base}, {place}, {value})")

    def number(self, value: float) -> str:
        return literal(value, self.dtype)

    # Control.

    def name(self, stem: str) -> str:
        return self.emitter.name(stem)

    def let(self, written: str, stem: str = "v") -> str:
        name = self.name(stem)
        self.emitter.line(f"{name} = {written}")
        return name

    def assign(self, name: str, written: str) -> None:
        self.emitter.line(f"{name} = {written}")

    @contextmanager
    def inside(self, head: str) -> Iterator[None]:
        self.emitter.line(head)
        self.emitter.depth += 1
        yield
        self.emitter.depth -= 1

    @contextmanager
    def loop(self, start: str | int, stop: str | int) -> Iterator[str]:
        """A loop; the name of its variable."""
        name = self.name("k")
        self.emitter.loops += 1
        with self.inside(f"for {name} in range({start}, {stop}):"):
            yield name
