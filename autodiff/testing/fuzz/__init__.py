"""Differential fuzzing: random NumPy programs, run as they are and compiled.

``python -m autodiff.testing.fuzz --compiled`` makes programs from seeds, runs each on several draws of shapes, values
and memory layouts, without compiler and with it, alone and under derivatives and batches, and compares: dtype, shape,
kind, NaN, infinities, and values up to what rounding errors can do to this very program. A mismatch is shrunk to a few
lines of Python that show it again.

>>> from autodiff.testing.fuzz import Plan, fuzz_one
>>> fuzz_one(3, Plan(draws=2)).mismatches
[]
"""

from autodiff.testing.fuzz.calling import bound, donating, saved, several, treed, written
from autodiff.testing.fuzz.fuzzing import Plan, fuzz_one
from autodiff.testing.fuzz.generate import generate
from autodiff.testing.fuzz.modes import gradient_of_each, gradient_of_trees
from autodiff.testing.fuzz.operations import Operation
from autodiff.testing.fuzz.printing import printed
from autodiff.testing.fuzz.program import Program, program_from
from autodiff.testing.fuzz.report import Mismatch, Report
from autodiff.testing.fuzz.transformations import (
    along_last,
    batch,
    columns,
    curvature,
    gradient,
    gradients_one_by_one,
    linear,
    loss_gradient,
    one_by_one,
    rows,
    second,
    tangent,
)
from autodiff.testing.fuzz.users import ProgramMismatch, fuzz
from autodiff.testing.fuzz.variables import array_gradient, variable_gradient

__all__ = [
    "Mismatch",
    "Operation",
    "Plan",
    "Program",
    "ProgramMismatch",
    "Report",
    "along_last",
    "array_gradient",
    "batch",
    "bound",
    "columns",
    "curvature",
    "donating",
    "fuzz",
    "fuzz_one",
    "generate",
    "gradient",
    "gradient_of_each",
    "gradient_of_trees",
    "gradients_one_by_one",
    "linear",
    "loss_gradient",
    "one_by_one",
    "printed",
    "program_from",
    "rows",
    "saved",
    "second",
    "several",
    "tangent",
    "treed",
    "variable_gradient",
    "written",
]
