"""Calls of functions of other libraries, which object code asks for by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.backends.language.numpy_loops import LOOPS, has_data
from autodiff.backends.native.numpy_loops import DATA

Operand = tuple[Any, Sequence[int]]
"""An address, and strides in bytes: from one run of a loop to the next, and along its own axes."""


def call_special(builder: Any, name: str, operands: list[Any]) -> Any:
    """Print the call of a function of doubles of SciPy's."""
    from llvmlite import ir  # noqa: PLC0415 - only where kernels are compiled

    number, integer = ir.DoubleType(), ir.IntType(32)
    function = builder.module.globals.get(name)
    if function is None:
        type_ = ir.FunctionType(number, [*[number] * len(operands), integer])
        function = ir.Function(builder.module, type_, name)
        function.attributes.add("nounwind")
    return builder.call(function, [*operands, ir.Constant(integer, 0)])


def call_loop(builder: Any, name: str, count: int, lengths: Sequence[int], operands: Sequence[Operand]) -> None:
    """Print the call of a loop of NumPy's.

    Args:
        builder: where.
        name: of the loop.
        count: how often it runs.
        lengths: of its axes.
        operands: and results.
    """
    from llvmlite import ir  # noqa: PLC0415 - only where kernels are compiled

    word, pointer, module = ir.IntType(64), ir.IntType(8).as_pointer(), builder.module
    function = module.globals.get(name)
    if function is None:
        function = ir.Function(module, ir.FunctionType(ir.VoidType(), [pointer] * 4), name)
        function.attributes.add("nounwind")

    def table(values: Sequence[Any]) -> Any:
        with builder.goto_entry_block():
            found = builder.alloca(ir.ArrayType(word, len(values)))
        first = builder.bitcast(found, word.as_pointer())
        for place, value in enumerate(values):
            builder.store(value, builder.gep(first, [word(place)], inbounds=True))
        return builder.bitcast(found, pointer)

    places = [address for address, _ in operands]
    steps = [strides[0] for _, strides in operands] + [step for _, strides in operands for step in strides[1:]]
    data: Any = ir.Constant(pointer, None)
    if has_data(LOOPS[name]):
        data = module.globals.get(name + DATA) or ir.GlobalVariable(module, ir.IntType(8), name + DATA)
    tables = (places, [word(n) for n in (count, *lengths)], list(map(word, steps)))
    loop, known = LOOPS[name], dict(zip(LOOPS[name].lengths, lengths, strict=True))
    reach = []
    for number, ((address, strides), axes, letter) in enumerate(zip(operands, loop.axes, loop.letters, strict=True)):
        rounds = (count, *(known[axis] for axis in axes))
        last = sum((n - 1) * step for n, step in zip(rounds, strides, strict=True))  # strides are not negative
        stores = number >= loop.inputs or number == loop.written
        reach.append((address, word(last + np.dtype(letter).itemsize), stores))
    builder.call_foreign(function, [*map(table, tables), data], reach)
