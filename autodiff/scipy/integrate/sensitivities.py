"""Initial value problems that are solved when a program runs.

The solution at given times is a callback. Its derivatives by initial values and by what the right-hand side closes
over, the sensitivities S, solve an initial value problem of their own, ``S' = J S + F`` with the Jacobians J and F of
the right-hand side by the solution and by the parameters; it is solved together with the given one. These are as many
further equations as there are unknowns times parameters: a way for small systems.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.integrate

from autodiff.numpy.dispatch import FUNCTIONS
from autodiff.scipy.called_back import ClosedFunction, Result, call_back
from autodiff.scipy.mirror import holds_traced
from autodiff.trace.spec import spec_of
from autodiff.transforms.batch import vmap
from autodiff.transforms.custom.jvp import custom_jvp
from autodiff.transforms.jacobian import jacobian

Function = Callable[..., Any]
Find = Callable[[Function, Any, Any, Any, Any], dict[str, Any]]


class Problem:
    """An initial value problem with traced values in it.

    Args:
        slope: ``slope(t, y)``, which may close over traced values.
        start: the initial values.
        times: where the solution is wanted.
        begin: the time of the initial values.
        end: where SciPy's steps end.
        options: SciPy's, for the sensitivities.
    """

    def __init__(self, slope: Function, start: Any, times: Any, begin: Any, end: Any, options: dict[str, Any]) -> None:
        self.size = spec_of(start).shape[0]
        self.fun = ClosedFunction(slope, 0.0, np.zeros(self.size))
        self.places = (start, times, begin, end)
        self.traced = tuple(map(holds_traced, ([start], [times], [begin], [end])))
        self.options = options

    def solved(self, find: Find, facts: Mapping[str, Any]) -> Result:
        """The solution, ``y`` of shape (unknowns, times), and other entries of SciPy's result.

        Args:
            find: ``find(fun, start, times, begin, end)`` calls SciPy with plain values.
            facts: examples of the other entries.
        """
        shape = (self.size, spec_of(self.places[1]).shape[0])
        declared = {"y": np.zeros(shape), **{name: np.asarray(value) for name, value in facts.items()}}

        def entries(places: Any, fun: Function) -> Any:
            found = find(fun, *places)
            found["y"] = with_all_columns(found["y"], shape)
            return {name: np.asarray(found[name]).astype(its.dtype) for name, its in declared.items()}

        @custom_jvp
        def solution(captures: Any, *places: Any) -> Any:
            return call_back(entries, declared, places, {"fun": self.fun}, {"fun": captures})

        @solution.defjvp
        def rule(primals: Any, tangents: Any) -> Any:
            found = solution(*primals)
            return found, {**dict.fromkeys(facts), "y": self.tangent(found["y"], primals, tangents)}

        return Result(solution(self.fun.captures, *self.places))

    def tangent(self, y: Any, primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
        """The tangent of the solution."""
        captures, start, times, begin, end = primals
        directions, of_start, of_times, of_begin, _ = tangents
        moving = [k for k, tangent in enumerate(directions) if tangent is not None]
        by_start, by_times, by_begin, _ = self.traced
        columns, total = [], 0.0
        if by_start or by_begin:
            columns = [of_start - self.fun((begin, start), captures) * of_begin if by_begin else of_start]
        columns += [FUNCTIONS[np.reshape](directions[k], -1) for k in moving]
        if columns:
            own = self.sensitivities(captures, moving, by_start or by_begin, (start, times, begin, end))
            total = own @ FUNCTIONS[np.concatenate](columns)
        if by_times:
            rates = vmap(lambda t, y: self.fun((t, y), captures))(times, FUNCTIONS[np.transpose](y))
            total = total + rates * of_times[:, None]
        return FUNCTIONS[np.transpose](total + np.zeros(spec_of(y).shape[::-1]))

    def sensitivities(self, captures: Any, moving: Sequence[int], by_start: bool, places: Sequence[Any]) -> Any:
        """The derivatives by initial values and parameters: of shape (times, unknowns, those)."""
        start, times, begin, end = places
        count = self.size
        leading = count if by_start else 0
        parts = [FUNCTIONS[np.reshape](captures[k], -1) for k in moving]
        parameters = FUNCTIONS[np.concatenate]([np.zeros(0), *parts])
        width = leading + spec_of(parameters).shape[0]

        def slope_of(t: Any, both: Any) -> Any:
            values, at = list(captures), count
            for k in moving:
                its = spec_of(captures[k])
                values[k] = both[at : at + its.size].reshape(its.shape)
                at += its.size
            return self.fun((t, both[:count]), values)

        def together(t: Any, z: Any) -> Any:
            y, s = z[:count], z[count:].reshape((count, width))
            whole = FUNCTIONS[np.concatenate]([y, parameters])
            rates = jacobian(lambda both: slope_of(t, both))(whole)
            forcing = FUNCTIONS[np.concatenate]([np.zeros((count, leading)), rates[:, count:]], 1)
            change = rates[:, :count] @ s + forcing
            return FUNCTIONS[np.concatenate]([self.fun((t, y), captures), change.reshape(-1)])

        first = np.eye(count, width) if by_start else np.zeros((count, width))
        both = FUNCTIONS[np.concatenate]([start, first.reshape(-1)])
        problem = Problem(together, both, times, begin, end, self.options)
        found = problem.solved(by_solve_ivp(self.options), {}).y
        return FUNCTIONS[np.transpose](found)[:, count:].reshape((-1, count, width))


def with_all_columns(y: Any, shape: tuple[int, int]) -> Any:
    """The solution at all times; NaN where SciPy did not get there."""
    full = np.full(shape, np.nan)
    full[:, : y.shape[1]] = y
    return full


def by_solve_ivp(options: dict[str, Any]) -> Find:
    """SciPy's ``solve_ivp`` with plain values."""

    def find(fun: Function, start: Any, times: Any, begin: Any, end: Any) -> dict[str, Any]:
        given = dict(options)
        for name in ("rtol", "atol"):
            if np.ndim(given.get(name, 0.0)):  # of the unknowns; their derivatives are as exact as they are
                given[name] = np.resize(given[name], start.size)
        found = scipy.integrate.solve_ivp(fun, (float(begin), float(end)), np.array(start), t_eval=times, **given)
        return dict(found)

    return find
