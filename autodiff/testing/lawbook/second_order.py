"""The laws of second derivatives: those of first ones, of the gradient and of the slope along a direction."""

from __future__ import annotations

from autodiff.testing.lawbook.derivatives import adjoint, forward
from autodiff.testing.problem import Problem


def forward_over_reverse(problem: Problem) -> None:
    """The derivative of the gradient is the numerical one."""
    for one in with_places_beside(problem.double):
        forward(one.pulled)


def reverse_over_reverse(problem: Problem) -> None:
    """The gradient of the gradient is the transpose of its derivative."""
    adjoint(problem.double.pulled)


def forward_over_forward(problem: Problem) -> None:
    """The derivative of the derivative is the numerical one."""
    for one in with_places_beside(problem.double):
        forward(one.pushed)


def reverse_over_forward(problem: Problem) -> None:
    """The gradient of the derivative is the transpose of its derivative."""
    adjoint(problem.double.pushed)


def with_places_beside(problem: Problem) -> list[Problem]:
    """The problem; at a kink, where second derivatives say nothing, also the points beside it."""
    return [problem, *(problem.beside() if problem.kinked else ())]
