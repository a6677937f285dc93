"""The Jacobian of where a robot's hand is: a chain of 4 x 4 matrices, most of whose elements are constants."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.compiled_programs.program import LeftOutError, Program, Row

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Function, Random

TWISTS = (0, math.pi / 2, -math.pi / 2, 0, math.pi / 2, -math.pi / 2, 0)
LENGTHS, OFFSET = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9), 0.1


class Arm(Program):
    """Seven joints, by the parameters of Denavit and Hartenberg."""

    name = "robot arm"
    title = "Jacobian of the position of a hand by seven joints, float64; ours and CasADi's bound to their memory"
    dtype = "float64"
    tolerance = 1e-11
    bound = True
    rows = (Row("7 joints", (7,), 2.2, "casadi, C", "0.23 us", "0.3 us of sines"),)

    def inputs(self, row: Row, random: Random) -> tuple[Any, ...]:
        return (np.linspace(0.1, 0.7, *row.parameters),)

    def autodiff(self, autodiff: Any, row: Row) -> Function:
        return autodiff.jacobian(autodiff.differentiable(hand(np)))  # type: ignore[no-any-return]

    def jax(self, jax: Any, row: Row) -> Function:
        return jax.jacfwd(hand(jax.numpy))  # type: ignore[no-any-return]

    def torch(self, torch: Any, compiled: Function, row: Row, inputs: tuple[Any, ...]) -> Function:
        raise LeftOutError("tensors of tensors have no derivative")

    def casadi(self, casadi: Any, row: Row) -> Any:
        q = casadi.SX.sym("q", *row.parameters)
        whole = casadi.SX.eye(4)
        for k in range(row.parameters[0]):
            rows = link(casadi, q[k], k)
            whole = whole @ casadi.vertcat(*(casadi.horzcat(*own) for own in rows))
        return casadi.Function("f", [q], [casadi.densify(casadi.jacobian(whole[:3, 3], q))])


def link(np: Any, angle: Any, k: int) -> list[list[Any]]:
    """The elements of the matrix of a joint, over one library's names."""
    sin, cos, length = np.sin(angle), np.cos(angle), LENGTHS[k]
    a, b = math.sin(TWISTS[k]), math.cos(TWISTS[k])
    return [
        [cos, -sin * b, sin * a, length * cos],
        [sin, cos * b, -cos * a, length * sin],
        [0, a, b, OFFSET],
        [0, 0, 0, 1],
    ]


def hand(np: Any) -> Function:
    """The position of the hand, over one library's names."""

    def position(q: Any) -> Any:
        whole = np.eye(4)
        for k in range(7):
            whole = whole @ np.array(link(np, q[k], k))
        return whole[:3, 3]

    return position
