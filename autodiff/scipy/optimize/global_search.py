"""Global minima, differentiated with respect to what the function depends on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize

from autodiff.numpy.dispatch import as_operand, peeled
from autodiff.numpy.namespace import array
from autodiff.scipy.called_back import known_later, refused_later
from autodiff.scipy.optimize.implicit import on_values, plain_vector
from autodiff.scipy.optimize.minimizing import at_minimum, limits, minimum_later
from autodiff.scipy.optimize.roots import with_args

Function = Callable[..., Any]


def globally(name: str) -> Function:
    """One of SciPy's functions that look for a minimum everywhere, by values alone."""
    original = getattr(scipy.optimize, name)

    def search(func: Function, *args: Any, **options: Any) -> Any:
        objective = with_args(func, options.pop("args", ()))
        first = "x0" if name == "basinhopping" else "bounds"
        begin = args[0] if args else options[first]
        bounds = None if first == "x0" else begin
        rest = {key: value for key, value in options.items() if key != first}

        def find(begin: Any, func: Function) -> Any:
            return original(func, begin, *(peeled(arg, name) for arg in args[1:]), **rest)

        start = array(as_operand(begin)) if bounds is None else np.mean(limits(bounds), 0)
        if known_later(start, lambda: objective(plain_vector(start, name))):
            if options.get("constraints"):
                raise refused_later(name, "constraints")
            later = find if bounds is None else lambda _, func: find(bounds, func)
            return minimum_later(later, start, {"func": objective}, objective, bounds, {"success": True})
        found = find(plain_vector(start, name) if bounds is None else bounds, on_values(objective, name))
        return at_minimum(found, objective, bounds, options.get("constraints", ()))

    search.__name__ = search.__qualname__ = name
    search.__doc__ = "SciPy's search for a global minimum, which is a function of what the objective closes over."
    return search


basinhopping, differential_evolution, dual_annealing, shgo, direct = map(
    globally, ("basinhopping", "differential_evolution", "dual_annealing", "shgo", "direct")
)
