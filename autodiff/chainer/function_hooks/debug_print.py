"""Printing what functions get."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, TextIO

from autodiff.chainer.backend import get_array_module
from autodiff.facade.graph.observing import FunctionHook
from autodiff.facade.variables.variable import Variable


class PrintHook(FunctionHook):
    """Prints the inputs of functions, and in the backward pass the gradients of their outputs.

    Args:
        sep: as of ``print``.
        end: as of ``print``.
        file: where to; standard output if None.
        flush: whether the file is flushed each time.

    >>> import numpy as np
    >>> with PrintHook():
    ...     y = Variable(np.ones(3), name="x") + 1  # doctest: +ELLIPSIS
    function	_ + 1
    input data
    <variable at ...>
    - device: CPU
    - backend: <class 'numpy.ndarray'>
    - shape: (3,)
    - dtype: float64
    - statistics: mean=1.00000000, std=0.00000000
    - grad: None
    """

    name = "PrintHook"

    def __init__(self, sep: str | None = None, end: str = "\n", file: TextIO | None = None, flush: bool = True) -> None:
        self.sep, self.end, self.file, self.flush = sep, end, file, flush

    def forward_preprocess(self, function: Any, in_data: tuple[Any, ...]) -> None:
        self._print(f"function\t{function.label}")
        self._print("input data")
        self._print_all(map(Variable, in_data))
        self._flush()

    def backward_preprocess(self, function: Any, in_data: tuple[Any, ...], out_grad: tuple[Any, ...]) -> None:
        self._print(f"function\t{function.label}")
        self._print("input data")
        self._print_all(None if x is None else Variable(x) for x in in_data)
        self._print("output gradient")
        self._print_all(None if g is None else Variable(get_array_module(g).zeros_like(g), grad=g) for g in out_grad)
        self._flush()

    def _print_all(self, variables: Iterable[Variable | None]) -> None:
        for variable in variables:
            self._print("(removed)" if variable is None else variable.debug_print())

    def _print(self, text: str) -> None:
        print(text, sep=self.sep, end=self.end, file=self.file or sys.stdout)

    def _flush(self) -> None:
        if self.flush:
            (self.file or sys.stdout).flush()
