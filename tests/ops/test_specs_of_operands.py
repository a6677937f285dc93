"""What a primitive says of its results is what it gives, whatever the dtypes and kinds of the operands that it takes.

Kernels read what specs say: a result that is something else would be read as what it is not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import autodiff
from autodiff.trace.application import check_application
from autodiff.trace.primitive import PRIMITIVES, Primitive
from autodiff.trace.spec import Spec, spec, spec_of
from autodiff.trace.tape import operand_specs
from autodiff.transforms.control.calls import ControlCall
from tests.hostile.tapes import CLEAR, value_of
from tests.ops.test_every_primitive import programs

DTYPES = [
    np.dtype(code) for code in ("f8", "f4", "f2", ">f8", ">i4", "i8", "i1", "u1", "u8", "?", "c16", "c8", "g", "G")
]
ENDLESS = ("obl_", "pro_")
"""Spheroidal functions: SciPy's loops go on for hours at orders that are no small whole numbers."""

MANY = 3
"""So many uses of each primitive are tried."""

Use = tuple[tuple[Spec, ...], dict[str, Any]]


@cache
def uses() -> dict[str, list[Use]]:
    """How programs use each primitive: the specs of operands, and parameters."""
    found: dict[str, dict[Any, Use]] = {}
    for fun, args in programs():
        with np.errstate(all="ignore"):
            try:
                tape = autodiff.make_tape(fun)(*args)
            except CLEAR:
                continue
        known = list(tape.inputs)
        for equation in tape.equations:
            operands = tuple(operand_specs(equation.operands, known))
            known.extend(equation.specs)
            own = found.setdefault(equation.primitive.name, {})
            if len(own) < MANY:
                own[tuple(s.shape for s in operands), equation.params] = operands, dict(equation.params)
    return {name: list(own.values()) for name, own in found.items()}


def variants(operands: tuple[Spec, ...]) -> Iterator[tuple[Spec, ...]]:
    """Operands of other dtypes and kinds: all of one dtype, and one of them something else."""
    for dtype in DTYPES:
        yield tuple(spec(s.shape, dtype, "array" if s.shape else "scalar") for s in operands)
    numbers = [spec((), kind, "python") for kind in (bool, int, float, complex)]
    numbers += [spec((), dtype, kind) for dtype in DTYPES for kind in ("scalar", "array")]
    for k, own in enumerate(operands):
        for other in (*(spec(own.shape, dtype) for dtype in DTYPES), *numbers):
            yield (*operands[:k], other, *operands[k + 1 :])


def problem(primitive: Primitive, operands: tuple[Spec, ...], params: dict[str, Any]) -> str:
    """What is wrong with the results of operands that the primitive takes."""
    try:
        check_application(primitive, operands, params)
        derived = primitive.spec(*operands, **params)
        found = primitive.evaluate(*map(value_of, operands, range(len(operands))), **params)
    except CLEAR:
        return ""
    derived, found = (x if isinstance(x, tuple) else (x,) for x in (derived, found))
    said, gave = ([(s.shape, s.dtype) for s in map(spec_of, x)] for x in (derived, found))
    return "" if said == gave else f"{operands} {params} are said to give {said} and give {gave}"


@pytest.mark.filterwarnings("ignore")  # of values that are not computed for their own sake here
@pytest.mark.parametrize("name", sorted(name for name, own in PRIMITIVES.items() if not isinstance(own, ControlCall)))
def test_results_are_what_is_said_of_them(name: str) -> None:
    primitive = PRIMITIVES[name]
    with np.errstate(all="ignore"):
        problems = [
            problem(primitive, operands, params)
            for own, params in uses().get(name, ())
            if len(own) <= 4 and not name.startswith(ENDLESS)
            for operands in variants(own)
        ]
    assert [text for text in problems if text] == []


def test_most_primitives_are_used_by_programs() -> None:
    counts = Counter(len(own) for own in uses().values())
    assert sum(counts.values()) > 150
