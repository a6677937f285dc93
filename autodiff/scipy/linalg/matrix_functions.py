"""Functions of matrices, and equations in which the unknown is a matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg

from autodiff.numpy.dispatch import FUNCTIONS
from autodiff.ops.matrices import functions as own
from autodiff.ops.matrices.functions import NAMES
from autodiff.ops.matrices.products import adjoint, conj
from autodiff.scipy.linalg.operands import array, double, eye_like, matrix
from autodiff.scipy.mirror import counterpart
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of

FEW = 10
"""Up to so many rows SciPy solves a discrete Lyapunov equation as one system of linear equations."""


def function_of_matrices(name: str) -> Callable[..., Any]:
    """A function of square matrices, by SciPy's name."""
    original = getattr(scipy.linalg, name)

    def call(a: Any, *args: Any, **options: Any) -> Any:
        if args or options.get("disp", True) is not True:
            raise DifferentiationError(
                f"scipy.linalg.{name} of traced values takes the matrix alone{at_user_line()}; leave disp= out, and "
                "look at the error of plain values"
            )
        a = matrix(name, a)
        return own.matrix_function(double(a) if name == "logm" else a, name=name)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = (
        f"{(original.__doc__ or '').strip().splitlines()[0]} The result of a real matrix is real, or an error."
    )
    return counterpart(original)(call)


expm, logm, sqrtm, sinm, cosm, sinhm, coshm, signm = map(function_of_matrices, NAMES)


@counterpart(scipy.linalg.tanm)
def tanm(a: Any) -> Any:
    """The tangent of a matrix."""
    return FUNCTIONS[np.linalg.solve](cosm(a), sinm(a))


@counterpart(scipy.linalg.tanhm)
def tanhm(a: Any) -> Any:
    """The hyperbolic tangent of a matrix."""
    return FUNCTIONS[np.linalg.solve](coshm(a), sinhm(a))


@counterpart(scipy.linalg.expm_frechet)
def expm_frechet(A: Any, E: Any, method: Any = None, compute_expm: bool = True, check_finite: bool = True) -> Any:
    """The exponential of a matrix, and its derivative along another one."""
    a = matrix("expm_frechet", A)
    along = own.derivative_along(a, matrix("expm_frechet", E), "expm")
    return (own.matrix_function(a, name="expm"), along) if compute_expm else along


def as_many(*stacks: Any) -> list[Any]:
    """Stacks of as many matrices each."""
    lead = np.broadcast_shapes(*(spec_of(x).shape[:-2] for x in stacks))
    return [FUNCTIONS[np.broadcast_to](x, (*lead, *spec_of(x).shape[-2:])) for x in stacks]


@counterpart(scipy.linalg.solve_sylvester)
def solve_sylvester(a: Any, b: Any, q: Any) -> Any:
    """The matrix x with a x + x b = q."""
    return own.solve_sylvester(*as_many(matrix("solve_sylvester", a), matrix("solve_sylvester", b), array(q)))


@counterpart(scipy.linalg.solve_continuous_lyapunov)
def solve_continuous_lyapunov(a: Any, q: Any) -> Any:
    """The matrix x with a x + x a* = q."""
    a = matrix("solve_continuous_lyapunov", a)
    return own.solve_sylvester(*as_many(a, adjoint(a), array(q)))


solve_lyapunov = solve_continuous_lyapunov


@counterpart(scipy.linalg.solve_discrete_lyapunov)
def solve_discrete_lyapunov(a: Any, q: Any, method: str | None = None) -> Any:
    """The matrix x with a x a* - x + q = 0."""
    a, q = matrix("solve_discrete_lyapunov", a), array(q)
    size = a.shape[-1]
    solve, inv = FUNCTIONS[np.linalg.solve], FUNCTIONS[np.linalg.inv]
    if method == "direct" or (method is None and size < FEW):
        products = a[..., :, None, :, None] * conj(a)[..., None, :, None, :]
        whole = np.eye(size * size) - products.reshape((*a.shape[:-2], size * size, size * size))
        x = solve(whole, q.reshape((*q.shape[:-2], size * size, 1)))
        return x.reshape((*x.shape[:-2], size, size))
    right = inv(adjoint(a) + eye_like(a))
    b = (adjoint(a) - eye_like(a)) @ right
    c = 2 * inv(a + eye_like(a)) @ q @ right
    return own.solve_sylvester(*as_many(adjoint(b), b, -c))
