"""Property-based tests of derivatives: strategies that try to break a gradient, and the laws it must keep.

One call checks a function against every law; one row of a table does the same for a function of a library:

>>> import numpy as np
>>> from autodiff.testing import Case, check_case, domains, laws
>>> laws(np.sqrt, domain=domains.positive, max_examples=5).nowhere_decided
[]
>>> check_case(Case("divide", np.divide, (domains.real, domains.nonzero)), max_examples=5).nowhere_decided
[]

`check_grads` and `check_laws` do it at arguments of your own. Values are drawn away from kinks, derivatives are
compared in double precision, and nothing depends on luck: the same test gives the same answer.
"""

try:
    import hypothesis as _hypothesis  # noqa: F401 - an extra: say which one before anything asks for it
except ModuleNotFoundError as _error:
    raise ModuleNotFoundError(
        f"autodiff.testing needs {_error.name}, which is not installed: run pip install 'autodiff[testing]'"
    ) from None

from autodiff.testing.cases import Case
from autodiff.testing.checks import check_laws
from autodiff.testing.decorator import gradient_test
from autodiff.testing.differences.jacobian import numerical_jacobian, numerical_pullback
from autodiff.testing.differences.numerical import directional_derivative
from autodiff.testing.draws import domains
from autodiff.testing.draws.domains import Domain
from autodiff.testing.draws.layouts import LAYOUTS, VALUE_KEEPING, lay_out
from autodiff.testing.draws.literal import literal
from autodiff.testing.draws.operand import Operands
from autodiff.testing.draws.profiles import register_profiles
from autodiff.testing.draws.shapes import broadcastable_shapes, shapes, square_shapes
from autodiff.testing.draws.strategies import arrays, dtypes, operands
from autodiff.testing.draws.values import fill
from autodiff.testing.gradients import check_grads
from autodiff.testing.lawbook.closeness import assert_close, tolerance
from autodiff.testing.lawbook.table import LAWS, Law
from autodiff.testing.mismatch import GradientMismatch, Undecided
from autodiff.testing.optimization import check_problem
from autodiff.testing.pairs import check_pair
from autodiff.testing.properties import check_case, laws
from autodiff.testing.summary import Summary

__all__ = [
    "LAWS",
    "LAYOUTS",
    "VALUE_KEEPING",
    "Case",
    "Domain",
    "GradientMismatch",
    "Law",
    "Operands",
    "Summary",
    "Undecided",
    "arrays",
    "assert_close",
    "broadcastable_shapes",
    "check_case",
    "check_grads",
    "check_laws",
    "check_pair",
    "check_problem",
    "directional_derivative",
    "domains",
    "dtypes",
    "fill",
    "gradient_test",
    "laws",
    "lay_out",
    "literal",
    "numerical_jacobian",
    "numerical_pullback",
    "operands",
    "register_profiles",
    "shapes",
    "square_shapes",
    "tolerance",
]
