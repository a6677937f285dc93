"""Which results of a kernel of rows may take the memory of which of its inputs, as its text says.

Each row reads and writes its own elements alone. So a result may lie where an input does if in every row all elements
of the input are loaded before the result is stored: in an earlier loop over the columns, or in the same step of the
same loop.
"""

from __future__ import annotations

import re

from autodiff.backends.kernels.forms import FULL
from autodiff.backends.kernels.rows.text import RowKernel

ACCESS = re.compile(r"\b(load|store)_\w+\((\w+), ")

Access = tuple[int, int, str]
"""The loop that an access is in, its line, and the place of the element."""


def replaceable(kernel: RowKernel) -> dict[int, tuple[int, ...]]:
    """For each result that fills the grid the inputs in whose memory it may lie; by their slots."""
    accesses = rows_accesses(kernel.text)
    if accesses is None:
        return {}
    loads, stores = accesses
    found = {}
    for slot in kernel.outputs:
        if kernel.forms[slot] != FULL or slot not in kernel.made:
            continue
        stored = stores.get(f"out{slot}", [])
        found[slot] = tuple(
            k
            for k, spec in enumerate(kernel.tape.inputs)
            if kernel.forms.get(k) == FULL
            and (spec.shape, spec.dtype, spec.kind) == (kernel.specs[slot].shape, kernel.specs[slot].dtype, "array")
            and comes_first(loads.get(f"in{k}", []), stored)
        )
    return found


def comes_first(loads: list[Access], stores: list[Access]) -> bool:
    """Whether each element is loaded before it is stored."""
    return bool(stores) and all(
        (place == "r" or place.startswith("at + ")) and (loop < its or (loop == its and line < at and place == to))
        for loop, line, place in loads
        for its, at, to in stores
    )


def rows_accesses(text: str) -> tuple[dict[str, list[Access]], dict[str, list[Access]]] | None:
    """The loads and stores of each array in the loop over rows, or over blocks of them; None if there is none."""
    loads: dict[str, list[Access]] = {}
    stores: dict[str, list[Access]] = {}
    lines = text.splitlines()
    over_rows = ("for r in ", "for start in ")
    first = next((k for k, line in enumerate(lines) if line.lstrip().startswith(over_rows)), len(lines))
    depth = indentation(lines[first]) if first < len(lines) else 0
    inside, loop, inner = False, 0, False
    for number, line in enumerate(lines):
        if number == first:
            inside = True
            continue
        if inside and indentation(line) <= depth:
            inside = False
        if inside and (line.lstrip().startswith("for j in ") or inner != (indentation(line) > depth + 4)):
            loop, inner = loop + 1, line.lstrip().startswith("for j in ") or indentation(line) > depth + 4
        for found in ACCESS.finditer(line):
            kind, name = found.groups()
            place = place_in(line[found.end() :]) if inside else "outside"
            (loads if kind == "load" else stores).setdefault(name, []).append((loop, number, place))
    return (loads, stores) if first < len(lines) else None


def place_in(text: str) -> str:
    """The argument that a text begins with."""
    depth = 0
    for k, letter in enumerate(text):
        if letter in ",)" and depth == 0:
            return text[:k]
        depth += (letter == "(") - (letter == ")")
    return text


def indentation(line: str) -> int:
    """The spaces before a line."""
    return len(line) - len(line.lstrip())
