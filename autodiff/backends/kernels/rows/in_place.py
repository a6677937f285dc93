"""Which results of a kernel of rows may take the memory of which of its inputs, as its text says.

Each row reads and writes its own elements alone. So a result may lie where an input does if in every row all elements
of the input are loaded before the result is stored: in an earlier loop over the columns, or in the same step of the
same loop.
"""

from __future__ import annotations

from functools import lru_cache

from autodiff.backends.kernels.forms import FULL
from autodiff.backends.kernels.rows.text import RowKernel
from autodiff.backends.language.reading import read
from autodiff.backends.language.tree import For, Load, Name, Statement, Store, expressions, statements

Access = tuple[int, int, str]
"""The loop that an access is in, its line, and the place of the element."""

Accesses = dict[str, list[Access]]
"""Those of each array."""


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
def rows_accesses(text: str) -> tuple[Accesses, Accesses] | None:
    """The loads and stores of each array, in the loop over rows, or over blocks of them; None if there is none.

    Statements between two loops over columns are a loop of their own; outside of the loop over rows no place is known.
    """
    kernel = read(text)
    over_rows = next((each for each in statements(kernel.body) if is_loop(each, "r", "start")), None)
    if over_rows is None:
        return None
    loads: Accesses = {}
    stores: Accesses = {}
    body = over_rows.blocks[0]
    within = set(statements(body))
    for statement in statements(kernel.body):
        if statement not in within:
            note(statement, 0, False, loads, stores)
    loop = 0
    for before, statement in zip([None, *body], body, strict=False):
        loop += isinstance(statement, For) or isinstance(before, For)
        for each in statements([statement]):
            note(each, loop, True, loads, stores)
    return loads, stores


def is_loop(statement: Statement, *names: str) -> bool:
    """Whether a statement is a loop with a variable of one of some names."""
    return isinstance(statement, For) and statement.name in names


def note(statement: Statement, loop: int, inside: bool, loads: Accesses, stores: Accesses) -> None:
    """Note the loads and stores of a statement, without those of statements in it."""
    for node in expressions(statement):
        if isinstance(node, Load) and isinstance(node.base, Name):
            place = str(node.index) if inside else "outside"
            loads.setdefault(node.base.name, []).append((loop, statement.line, place))
    if isinstance(statement, Store) and isinstance(statement.base, Name):
        place = str(statement.index) if inside else "outside"
        stores.setdefault(statement.base.name, []).append((loop, statement.line, place))
