"""Texts of small kernels that put together what others leave in parts, in the order in which NumPy would."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from autodiff.backends.kernels.finishing import Number, Turned
from autodiff.backends.kernels.launching import ArrayArgument, KernelLaunch
from autodiff.backends.kernels.roles import Role, name_of
from autodiff.backends.kernels.scalars import cast
from autodiff.trace.facts import ADDED, Fold
from autodiff.trace.spec import Spec

LANES = 8
"""NumPy adds up so many sums side by side."""


def pairwise(terms: Sequence[str]) -> str:
    """The sum of up to 128 terms, as NumPy adds up what lies in a row."""
    whole = len(terms) // LANES * LANES
    if not whole:
        return " + ".join(terms)
    a, b, c, d, e, f, g, h = (" + ".join(terms[k:whole:LANES]) for k in range(LANES))
    return " + ".join([f"((({a}) + ({b})) + (({c}) + ({d}))) + ((({e}) + ({f})) + (({g}) + ({h})))", *terms[whole:]])


def put_together(fold: Fold, terms: Sequence[str]) -> str:
    """Parts as one number."""
    if fold is ADDED:
        return pairwise(terms)
    found, *others = terms
    for other in others:
        found = fold.text.format(f"({found})", other)
    return found


def loads(array: str, dtype: np.dtype[Any], places: Sequence[str | int]) -> list[str]:
    """Elements of an array."""
    return [f"load_{dtype}({array}, {place})" for place in places]


def columns(count: int, length: int, given: np.dtype[Any], wanted: np.dtype[Any]) -> KernelLaunch:
    """The sum of so many rows."""
    value = cast(f"({' + '.join(loads('x', given, [f'{part * length} + j' for part in range(count)]))})", given, wanted)
    lines = [f"for j in range({length}):", f"    store_{wanted}(out, j, {value})"]
    return kernel(lines, (count * length, given), (length, wanted))


def swapped(count: int, sizes: tuple[int, int, int], dtype: np.dtype[Any]) -> KernelLaunch:
    """The sum of so many stacks of matrices, and each matrix of it transposed."""
    stack, rows, width = sizes
    size = stack * rows * width
    terms = loads("x", dtype, [f"{part * size} + (s * {rows} + r) * {width} + c" for part in range(count)])
    lines = [
        f"for s in range({stack}):",
        f"    for c in range({width}):",
        f"        for r in range({rows}):",
        f"            store_{dtype}(out, (s * {width} + c) * {rows} + r, {' + '.join(terms)})",
    ]
    return kernel(lines, (count * size, dtype), (size, dtype))


def turned(step: Turned, dtype: np.dtype[Any]) -> KernelLaunch:
    """Kernels of a convolution from results to images: each turned round, channels and outputs exchanged.

    Args:
        step: their sizes.
        dtype: of the kernels.
    """
    groups, outputs, channels, positions = step.groups, step.outputs, step.channels, prod(step.extents)
    size = groups * outputs * channels * positions
    lines = [
        f"for g in range({groups}):",
        f"    for c in range({channels}):",
        f"        for o in range({outputs}):",
        f"            for p in range({positions}):",
        f"                k = ((g * {outputs} + o) * {channels} + c) * {positions} + {positions - 1} - p",
        f"                n = ((g * {channels} + c) * {outputs} + o) * {positions} + p",
        f"                store_{dtype}(out, n, load_{dtype}(x, k))",
    ]
    return kernel(lines, (size, dtype), (size, dtype))


def numbers(wanted: Sequence[Number], work: Mapping[Role, ArrayArgument], outputs: Sequence[Spec]) -> KernelLaunch:
    """Numbers from where a kernel leaves their parts.

    Args:
        wanted: the numbers.
        work: the memory that the parts lie in, with what it is to the kernel.
        outputs: what the kernel's results are.
    """
    lines, arguments = ["def kernel(block, lo, hi):"], []
    for word, (role, own) in enumerate(work.items()):
        lines.append(f"    {name_of(role)} = pointer(block, {word})")
        arguments.append(ArrayArgument(word, own.dtype, size=own.size))
    for word, number in enumerate(wanted, len(work)):
        dtype = outputs[number.result].dtype
        terms = loads(name_of(number.work), number.dtype, number.places)
        value = cast(f"({put_together(number.fold, terms)})", number.dtype, dtype)
        lines += [f"    out{word} = pointer(block, {word})", f"    store_{dtype}(out{word}, 0, {value})"]
        arguments.append(ArrayArgument(word, dtype, True, size=1))
    return proved(lines, arguments)


def kernel(lines: Sequence[str], x: tuple[int, np.dtype[Any]], out: tuple[int, np.dtype[Any]]) -> KernelLaunch:
    """The kernel of some lines that read an array ``x`` and fill an array ``out``, each of a size and a dtype."""
    head = ["def kernel(block, lo, hi):", "    x = pointer(block, 0)", "    out = pointer(block, 1)"]
    arguments = ArrayArgument(0, x[1], size=x[0]), ArrayArgument(1, out[1], True, size=out[0])
    return proved([*head, *(f"    {line}" for line in lines)], arguments)


def proved(lines: Sequence[str], arguments: Sequence[ArrayArgument]) -> KernelLaunch:
    """A kernel that stays within its memory.

    Raises:
        UnprovedKernelError: if that cannot be proved.
    """
    launch = KernelLaunch("\n".join(lines) + "\n", (0,) * len(arguments), arguments, rows=1)
    launch.refuse_unproved()
    return launch
