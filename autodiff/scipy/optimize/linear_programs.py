"""Linear programs, whose solution is a corner: the equations that hold there make it a function of their numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.optimize

from autodiff.numpy.dispatch import FUNCTIONS, as_operand, peeled
from autodiff.scipy.called_back import known_later, refused_later
from autodiff.scipy.mirror import counterpart
from autodiff.scipy.optimize.found import found_with
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of

HOLDS = 1e-9
"""How small what is left of a condition is, in proportion to its numbers, if it holds as an equation."""


@counterpart(scipy.optimize.linprog)
def linprog(
    c: Any,
    A_ub: Any = None,
    b_ub: Any = None,
    A_eq: Any = None,
    b_eq: Any = None,
    bounds: Any = (0, None),
    method: str = "highs",
    **options: Any,
) -> Any:
    """The least c x under linear conditions, as SciPy finds it.

    Args:
        c: the costs, which may be traced, as all else but the bounds may.
        A_ub: rows of conditions A_ub x <= b_ub.
        b_ub: their right-hand sides.
        A_eq: rows of equations A_eq x = b_eq.
        b_eq: their right-hand sides.
        bounds: SciPy's.
        method: SciPy's.
        options: SciPy's.

    Returns:
        SciPy's result; ``x``, ``fun`` and ``slack`` are functions of what is given.

    Raises:
        DifferentiationError: where as many conditions hold as equations as there are unknowns, and no more, is not
            the case: there the solution has a kink, or is not the only one.

    >>> import numpy as np, autodiff
    >>> autodiff.grad(lambda b: linprog([-1.0, -2.0], [[1.0, 1.0], [0.0, 1.0]], b).fun)(np.array([4.0, 3.0]))
    array([-1., -1.])
    """
    rows = [None if each is None else as_operand(each) * 1.0 for each in (A_ub, b_ub, A_eq, b_eq)]
    cost = as_operand(c) * 1.0
    if known_later((cost, *(row for row in rows if row is not None)), lambda: ()):
        raise refused_later("linprog", "a corner whose conditions depend on values")
    plain = [None if row is None else np.asarray(peeled(row, "linprog")) for row in rows]
    found = scipy.optimize.linprog(peeled(cost, "linprog"), *plain, bounds, method, **options)
    if found.x is None:
        return found
    matrix, right = corner(found.x, rows, plain, bounds)
    found.x = FUNCTIONS[np.linalg.solve](matrix, right)
    found.fun = cost @ found.x
    if rows[0] is not None:
        found.slack = rows[1] - rows[0] @ found.x
    return found_with(found, ("x", "fun", "slack"))


def corner(x: Any, rows: Any, plain: Any, bounds: Any) -> tuple[Any, Any]:
    """The equations that hold at a solution: their matrix and right-hand sides."""
    count = x.size
    matrices, rights = [], []
    if rows[0] is not None:
        left = plain[1] - plain[0] @ x
        held = np.flatnonzero(np.abs(left) <= HOLDS * (1 + np.abs(plain[1]) + np.abs(plain[0]) @ np.abs(x)))
        matrices, rights = [rows[0][held]], [rows[1][held]]
    if rows[2] is not None:
        matrices.append(rows[2])
        rights.append(rows[3])
    low, high = limits_of(bounds, count)
    ends = np.where(np.abs(x - low) <= HOLDS * (1 + np.abs(x)), low, high)
    fixed = np.flatnonzero(np.minimum(np.abs(x - low), np.abs(high - x)) <= HOLDS * (1 + np.abs(x)))
    matrices.append(np.eye(count)[fixed])
    rights.append(ends[fixed])
    matrix, right = FUNCTIONS[np.concatenate](matrices), FUNCTIONS[np.concatenate](rights)
    held_in_all = spec_of(right).shape[0]
    if held_in_all != count or np.linalg.matrix_rank(np.asarray(peeled(matrix, "linprog"))) < count:
        raise DifferentiationError(
            f"at the solution of linprog {held_in_all} conditions hold as equations for {count} unknowns"
            f"{at_user_line()}: it has no derivative there; drop conditions that others imply, or move the costs"
        )
    return matrix, right


def limits_of(bounds: Any, count: int) -> tuple[Any, Any]:
    """The lower and upper bounds of all unknowns."""
    pairs = [(0, None)] if bounds is None else np.array(bounds, dtype=object).reshape(-1, 2).tolist()
    pairs = pairs * count if len(pairs) == 1 else pairs
    low = np.array([-np.inf if one is None else float(one) for one, _ in pairs])
    return low, np.array([np.inf if one is None else float(one) for _, one in pairs])
