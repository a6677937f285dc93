"""Patterns of Jacobians and Hessians, derived from tapes of tangents, and kept for later calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tape import Literal, Operand, Tape
from autodiff.transforms.sparse.compression import Block, Compression
from autodiff.transforms.sparse.dependence import Dependence, TooManyError, check_count, inputs
from autodiff.transforms.sparse.values import Evidence, Known, Unknown, Value, same_evidence
from autodiff.transforms.sparse.walk import walk

KEPT = 8
"""So many patterns are kept for one function, of the last calls."""


def form_of(tape: Tape) -> tuple[Any, ...]:
    """What tapes of one pattern have in common: all but numbers that are no integers, and constants.

    Such numbers are values that were computed on the way, which differ from call to call.
    """
    equations = tuple(
        (e.primitive, tuple(map(operand_form, e.operands)), e.params, e.results, e.specs) for e in tape.equations
    )
    return tape.inputs, equations, tuple(map(operand_form, tape.outputs))


def operand_form(operand: Operand) -> Any:
    """An operand as patterns see it."""
    if not isinstance(operand, Literal):
        return operand
    own = spec_of(operand.value)
    return own if own.dtype.kind in "fc" else operand


def derived(tape: Tape, moving: int, depends: Sequence[bool], outputs: Sequence[Spec], evidence: Evidence) -> Any:
    """The pattern of a linear map, as a boolean matrix in rows.

    Args:
        tape: the map; its constants are its last inputs.
        moving: how many of its inputs are the map's own. What stands between them and the constants is not known.
        depends: for each result whether the tape has it as an output; others are zero.
        outputs: the specs of all results.
        evidence: takes note of the constants that were looked at.
    """
    first = len(tape.inputs) - len(tape.constants)
    values: list[Value] = [
        *inputs([own.shape for own in tape.inputs[:moving]]),
        *map(Unknown, tape.inputs[moving:first]),
        *(Known(value, frozenset({first + k})) for k, value in enumerate(tape.constants)),
    ]
    found = iter(walk(tape, values, evidence))
    width = sum(own.size for own in tape.inputs[:moving])
    blocks = [rows_of(next(found) if there else None, own, width) for there, own in zip(depends, outputs, strict=True)]
    nothing = scipy.sparse.csr_array((0, width), dtype=bool)
    pattern = scipy.sparse.csr_array(scipy.sparse.vstack([nothing, *blocks], format="csr"))
    pattern.sort_indices()
    return pattern


def rows_of(value: Value | None, own: Spec, width: int) -> Any:
    """A row for each element of a result."""
    if not isinstance(value, Dependence):
        return scipy.sparse.csr_array((own.size, width), dtype=bool)
    numbers = np.broadcast_to(value.numbers, own.shape).ravel()
    check_count(int(np.diff(value.sets.indptr)[numbers].sum()))
    return scipy.sparse.csr_array(value.sets[numbers])


class Derivation(NamedTuple):
    """A pattern with what it was derived from.

    Attributes:
        form: of the tape.
        evidence: constants that were looked at.
        compression: how its entries are found.
        blocks: its parts, by the leaves of results and arguments.
    """

    form: tuple[Any, ...]
    evidence: list[tuple[int, bool, Any]]
    compression: Compression
    blocks: list[list[Block]]


class Patterns:
    """The patterns of one function, those of the last calls."""

    def __init__(self) -> None:
        self.kept: tuple[Derivation, ...] = ()

    def find(
        self,
        tape: Tape,
        moving: int,
        depends: Sequence[bool],
        specs: tuple[Sequence[Spec], Sequence[Spec]],
        compress: Callable[[Any], Compression],
        turned: bool = False,
    ) -> Derivation:
        """The pattern of a linear map, derived anew where none that is kept belongs to such a tape.

        Args:
            tape: the map.
            moving: how many of its inputs are its own.
            depends: which results the tape has as outputs.
            specs: of the arguments and the results of the function.
            compress: chooses the directions.
            turned: whether the map goes from results to arguments.
        """
        form = (form_of(tape), tuple(depends))
        first = len(tape.inputs) - len(tape.constants)
        constants = {first + k: value for k, value in enumerate(tape.constants)}
        for own in self.kept:
            if own.form == form and same_evidence(own.evidence, constants):
                return own
        arguments, results = specs
        evidence = Evidence()
        try:
            pattern = derived(tape, moving, depends, arguments if turned else results, evidence)
        except TooManyError as error:
            raise error.refusal(f"the function{at_user_line()}") from None
        compression = compress(scipy.sparse.csr_array(pattern.T) if turned else pattern)
        blocks = blocks_of(compression.pattern, arguments, results)
        found = Derivation(form, evidence.of(constants), compression, blocks)
        self.kept = (found, *self.kept[: KEPT - 1])
        return found


def blocks_of(pattern: Any, arguments: Sequence[Spec], results: Sequence[Spec]) -> list[list[Block]]:
    """The parts of a matrix, by the leaves of results and arguments."""
    columns, rows = (np.cumsum([0, *(own.size for own in specs)]).tolist() for specs in (arguments, results))
    return [[Block(pattern, row, column) for column in pairwise(columns)] for row in pairwise(rows)]
