"""Which results of a kernel of rows may take the memory of which of its inputs, as its text says.

Each row reads and writes its own elements alone. So a result may lie where an input does if in every row all elements
of the input are loaded before the result is stored: in an earlier loop over the columns, or in the same step of the
same loop.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache

from autodiff.backends.kernels.forms import FULL
from autodiff.backends.kernels.rows.text import RowKernel

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


@lru_cache(64)
def rows_accesses(text: str) -> tuple[dict[str, list[Access]], dict[str, list[Access]]] | None:
    """The loads and stores of each array, in the loop over rows, or over blocks of them; None if there is none.

    Statements between two loops over columns are a loop of their own; outside of the loop over rows no place is known.
    """
    kernel = ast.parse(text)
    over_rows = next((node for node in ast.walk(kernel) if is_loop(node, "r", "start")), None)
    if over_rows is None:
        return None
    loads: dict[str, list[Access]] = {}
    stores: dict[str, list[Access]] = {}

    def note(nodes: Iterable[ast.AST], loop: int, inside: bool) -> None:
        for kind, name, line, place in accesses_in(nodes):
            found = loads if kind == "load" else stores
            found.setdefault(name, []).append((loop, line, place if inside else "outside"))

    body = over_rows.body  # type: ignore[attr-defined] # it is a loop
    within = {id(node) for statement in body for node in ast.walk(statement)}
    note((node for node in ast.walk(kernel) if id(node) not in within), 0, False)
    loop = 0
    for before, statement in zip([None, *body], body, strict=False):
        loop += isinstance(statement, ast.For) or isinstance(before, ast.For)
        note(ast.walk(statement), loop, True)
    return loads, stores


def is_loop(node: ast.AST, *names: str) -> bool:
    """Whether a statement is a loop with a variable of one of some names."""
    return isinstance(node, ast.For) and isinstance(node.target, ast.Name) and node.target.id in names


def accesses_in(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str, int, str]]:
    """The loads and stores among nodes: which, of which array, in which line, at which place."""
    for node in nodes:
        match node:
            case ast.Call(ast.Name(name), [ast.Name(array), place, *_]):
                kind = name.partition("_")[0]
                if kind in ("load", "store"):
                    yield kind, array, node.lineno, ast.unparse(place)
