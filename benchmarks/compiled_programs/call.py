"""Scalar functions of seven operations: what a call of a compiled function costs by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.compiled_programs.program import Program, Row

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Function, Random

NUMBERS = (0.3, 0.7, 1.1, 0.4, 1.6, 0.9, 0.2, 1.3, 0.5, 0.8, 1.2, 0.6, 1.4, 0.1, 1.5, 1.0)


class Call(Program):
    """A call with numbers, with 0-d arrays, with a tree."""

    name = "call"
    title = "call of a compiled scalar function with 7 operations, value only"
    dtype = "float64"
    tolerance = 1e-11
    # fmt: off
    rows = (
        Row("floats",                  (), 0.15, "jax", "6.4 us",  "0.2-0.4 us tried"),
        Row("0-d arrays",              (), 0.25, "jax", "6.1 us",  "0.2-0.4 us tried"),
        Row("16-leaf nested dict",     (), 0.50, "jax", "measure", "0.2-0.4 us tried"),
    )
    # fmt: on

    def inputs(self, row: Row, random: Random) -> tuple[Any, ...]:
        if row.size == "16-leaf nested dict":
            parts = ("position", "velocity", "force", "body")
            return ({part: dict(zip("xyzw", NUMBERS[4 * n : 4 * n + 4])) for n, part in enumerate(parts)},)
        return tuple(np.array(number) if row.size == "0-d arrays" else number for number in NUMBERS[:2])

    def autodiff(self, autodiff: Any, row: Row) -> Function:
        return written_for(np, row)

    def jax(self, jax: Any, row: Row) -> Function:
        return written_for(jax.numpy, row)

    def torch(self, torch: Any, compiled: Function, row: Row, inputs: tuple[Any, ...]) -> Function:
        function = compiled(written_for(torch, row))
        return lambda: function(*inputs)


def written_for(np: Any, row: Row) -> Function:
    """The function of that row's arguments, over one library's names."""

    def of_numbers(x: Any, y: Any) -> Any:
        return np.sin(x) * y + np.exp(x - y) / 2 - x

    def of_dictionary(state: Any) -> Any:
        position, velocity, force, body = state["position"], state["velocity"], state["force"], state["body"]
        return np.sin(position["x"]) * velocity["y"] + np.exp(force["z"] - body["w"]) / 2 - position["y"]

    return of_dictionary if row.size == "16-leaf nested dict" else of_numbers
