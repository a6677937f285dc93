"""Riccati's equations of control: SciPy solves them, and Newton's steps from the solution have its derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg

from autodiff.numpy.dispatch import FUNCTIONS, peeled
from autodiff.ops.matrices.products import adjoint
from autodiff.scipy.called_back import call_back, known_later
from autodiff.scipy.linalg.matrix_functions import solve_continuous_lyapunov, solve_discrete_lyapunov
from autodiff.scipy.linalg.operands import array, matrix
from autodiff.scipy.mirror import counterpart
from autodiff.scipy.optimize.implicit import nesting
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of

Step = Callable[[Any, Any, Any, Any, Any], Any]


def continuous_step(x: Any, a: Any, b: Any, q: Any, r: Any) -> Any:
    """What is left of Lyapunov's equation of the closed loop, for the solution x of a* x + x a - x b r^-1 b* x + q = 0.

    D. Kleinman, On an iterative technique for Riccati equation computations, 1968.
    """
    gain = FUNCTIONS[np.linalg.solve](r, adjoint(b) @ x)
    loop = a - b @ gain
    return solve_continuous_lyapunov(adjoint(loop), -(q + adjoint(gain) @ r @ gain))


def discrete_step(x: Any, a: Any, b: Any, q: Any, r: Any) -> Any:
    """The same for x = a* x a - a* x b (r + b* x b)^-1 b* x a + q. G. Hewer, 1971."""
    gain = FUNCTIONS[np.linalg.solve](r + adjoint(b) @ x @ b, adjoint(b) @ x @ a)
    loop = a - b @ gain
    return solve_discrete_lyapunov(adjoint(loop), q + adjoint(gain) @ r @ gain)


def solution(name: str, step: Step, given: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """SciPy's solution as a function of the matrices."""
    for option in ("e", "s"):
        if options.get(option) is not None:
            raise DifferentiationError(
                f"{name} of traced values has no {option}={at_user_line()}; write the equation without it"
            )
    a, b, q, r = matrix(name, given[0]), array(given[1]), matrix(name, given[2]), matrix(name, given[3])
    original = getattr(scipy.linalg, name)

    def find(operands: Any) -> Any:
        return np.asarray(original(*operands))

    operands = (a, b, q, r)
    if known_later(operands, lambda: ()):
        x = call_back(find, np.zeros(spec_of(a).shape), operands, {}, {})
    else:
        x = find(peeled(operands, name))
    depth = max(map(nesting, operands))
    for _ in range(max(1, int(np.ceil(np.log2(depth + 1))))):
        x = step(x, a, b, q, r)
    return x


@counterpart(scipy.linalg.solve_continuous_are)
def solve_continuous_are(a: Any, b: Any, q: Any, r: Any, **options: Any) -> Any:
    """The stabilizing solution x of a* x + x a - x b r^-1 b* x + q = 0.

    >>> import numpy as np, autodiff
    >>> one = np.eye(1)
    >>> round(float(autodiff.grad(lambda q: solve_continuous_are(0 * one, one, q * one, one)[0, 0])(4.0)), 6)
    0.25
    """
    return solution("solve_continuous_are", continuous_step, (a, b, q, r), options)


@counterpart(scipy.linalg.solve_discrete_are)
def solve_discrete_are(a: Any, b: Any, q: Any, r: Any, **options: Any) -> Any:
    """The stabilizing solution x of x = a* x a - a* x b (r + b* x b)^-1 b* x a + q."""
    return solution("solve_discrete_are", discrete_step, (a, b, q, r), options)
