"""scipy.optimize with derivatives: those that SciPy asks for, and those of its results.

Gradients, Jacobians and Hessians of functions written in NumPy are computed where SciPy would take differences. Results
are functions of the traced values that the user's function closes over, or is given by ``args=``.
"""

from autodiff.scipy.optimize.fitting import curve_fit, least_squares, linear_sum_assignment, nnls
from autodiff.scipy.optimize.global_search import basinhopping, differential_evolution, direct, dual_annealing, shgo
from autodiff.scipy.optimize.linear_programs import linprog
from autodiff.scipy.optimize.minimizing import minimize, minimize_scalar
from autodiff.scipy.optimize.roots import (
    bisect,
    brenth,
    brentq,
    fixed_point,
    fsolve,
    newton,
    ridder,
    root,
    root_scalar,
    toms748,
)
from autodiff.scipy.python_code import with_formulas

__getattr__ = with_formulas("scipy.optimize", "rosen rosen_der rosen_hess rosen_hess_prod")

__all__ = [
    "basinhopping",
    "bisect",
    "brenth",
    "brentq",
    "curve_fit",
    "differential_evolution",
    "direct",
    "dual_annealing",
    "fixed_point",
    "fsolve",
    "least_squares",
    "linear_sum_assignment",
    "linprog",
    "minimize",
    "minimize_scalar",
    "newton",
    "nnls",
    "ridder",
    "root",
    "root_scalar",
    "shgo",
    "toms748",
]
