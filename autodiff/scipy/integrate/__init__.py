"""scipy.integrate for plain and traced values alike: quadrature, integrals of samples, initial value problems."""

from autodiff.scipy.integrate.initial_values import odeint, solve_ivp
from autodiff.scipy.integrate.quadrature import dblquad, fixed_quad, quad, tplquad
from autodiff.scipy.integrate.samples import (
    cumulative_simpson,
    cumulative_trapezoid,
    romb,
    simpson,
    trapezoid,
)
from autodiff.scipy.mirror import mirrored

__getattr__ = mirrored("scipy.integrate")

__all__ = [
    "cumulative_simpson",
    "cumulative_trapezoid",
    "dblquad",
    "fixed_quad",
    "odeint",
    "quad",
    "romb",
    "simpson",
    "solve_ivp",
    "tplquad",
    "trapezoid",
]
