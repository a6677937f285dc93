"""Initial value problems, differentiated through the steps that SciPy has taken.

SciPy chooses the steps with plain values. The method's formula is then run again over these steps with traced values:
its derivative, backwards the discrete adjoint, is that of the solution for steps that stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.integrate

from autodiff.numpy.dispatch import FUNCTIONS, as_operand, peeled
from autodiff.numpy.namespace import array
from autodiff.scipy.called_back import Result, known_later, refused_later
from autodiff.scipy.integrate.sensitivities import Problem, by_solve_ivp
from autodiff.scipy.mirror import leaves_of
from autodiff.scipy.optimize.implicit import elementwise_solution, nesting, on_values
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.transforms.stop_gradient import stop_gradient

Function = Callable[..., Any]

EXPLICIT = {name: getattr(scipy.integrate, name) for name in ("RK23", "RK45", "DOP853")}
NAME_OF = {getattr(scipy.integrate, name): name for name in (*EXPLICIT, "Radau", "BDF", "LSODA")}


def runge_kutta(method: Any, fun: Function, t: Any, y: Any, step: Any) -> Any:
    """One step of an explicit method of Runge and Kutta."""
    stages = [fun(t, y)]
    for row, c in zip(method.A[1:], method.C[1:], strict=True):
        within = sum(float(a) * k for a, k in zip(row, stages) if a)
        stages.append(fun(t + float(c) * step, y + step * within))
    return y + step * sum(float(b) * k for b, k in zip(method.B, stages) if b)


def solve_ivp(
    fun: Function,
    t_span: Any,
    y0: Any,
    method: Any = "RK45",
    t_eval: Any = None,
    dense_output: bool = False,
    events: Any = None,
    vectorized: bool = False,
    args: Any = None,
    **options: Any,
) -> Any:
    """The solution of y' = fun(t, y), as SciPy finds it.

    Args:
        fun: the right-hand side, written in NumPy. It may close over traced values.
        t_span: where to begin and where to end; the ends may be traced.
        y0: the initial values, which may be traced.
        method: SciPy's. Derivatives of ``"RK45"``, ``"RK23"`` and ``"DOP853"`` are those of the steps; implicit
            methods, and all under ``jit``, solve the equations for sensitivities: as many more as there are unknowns
            times parameters.
        t_eval: where the solution is wanted; the times may be traced. Under ``jit``, ``vmap`` and ``checkpoint`` it
            has to be given, since the number of steps is not known there.
        dense_output: SciPy's; between the steps the solution has the derivatives of a step of its own.
        events: SciPy's; times and values at events are differentiated through the condition that makes them.
        vectorized: SciPy's.
        args: further arguments of ``fun`` and ``events``, which may be traced.
        options: SciPy's.

    Returns:
        SciPy's result, in which ``y``, ``t_events``, ``y_events`` and what ``sol`` gives are functions of the initial
        values and of what ``fun`` closes over.

    Raises:
        DifferentiationError: for implicit methods with events, if there is something to differentiate.

    >>> import numpy as np, autodiff
    >>> def end(rate):
    ...     return solve_ivp(lambda t, y: -rate * y, (0.0, 1.0), [1.0], rtol=1e-8, atol=1e-10).y[0, -1]
    >>> round(autodiff.grad(end)(1.0), 6)
    -0.367879
    """
    extra = () if args is None else tuple(args)
    begin, end = t_span
    start = array(as_operand(y0))
    method = NAME_OF.get(method, method)

    def slope(t: Any, y: Any) -> Any:
        return array(as_operand(fun(t, y, *extra)))

    if known_later((start, begin, end, t_eval), lambda: slope(peeled(begin), peeled(start))):
        return solved_later(slope, (start, t_eval, begin, end), method, (events, dense_output), vectorized, options)
    plain_span = (float(peeled(begin, "solve_ivp")), float(peeled(end, "solve_ivp")))
    conditions = [] if events is None else [*events] if isinstance(events, (list, tuple)) else [events]
    found = scipy.integrate.solve_ivp(
        on_values(slope, "solve_ivp"),
        plain_span,
        np.asarray(peeled(start, "solve_ivp")),
        method=method,
        t_eval=None if t_eval is None else peeled(t_eval, "solve_ivp"),
        dense_output=dense_output or bool(conditions) or t_eval is not None,
        events=None if events is None else [watched(event, extra) for event in conditions],
        **({"vectorized": True} if vectorized else {}),
        **options,
    )
    wanted = as_operand(t_eval)
    seeds = (start, begin, end, wanted, slope(plain_span[0], start))
    at_start = [event(plain_span[0], start, *extra) for event in conditions]
    if not any(map(nesting, (*seeds, *at_start))):
        return found
    if method not in EXPLICIT:
        if conditions or dense_output or (t_eval is None and nesting(end)):
            raise DifferentiationError(
                f"solve_ivp with method={method!r} has derivatives at given times only{at_user_line()}: give t_eval=, "
                f"and neither events= nor dense_output=; or take one of {', '.join(EXPLICIT)}"
            )
        times = found.t if wanted is None else wanted
        moving = solved_later(slope, (start, times, begin, end), method, ((), False), vectorized, options).y
        found.y = with_value(found.y, moving)
        return found
    steps = Steps(EXPLICIT[method], slope, found, begin, end, start)
    found.sol = Solution(found.sol, steps) if dense_output else None
    return differentiated(found, steps, conditions, extra, wanted)


def solved_later(
    slope: Function, places: tuple[Any, ...], method: Any, refused: Any, vectorized: bool, options: dict[str, Any]
) -> Any:
    """SciPy's result where it is found when a program runs."""
    start, times, begin, end = places
    for name, given in zip(("events", "dense_output"), refused, strict=True):
        if given:
            raise refused_later("solve_ivp", name)
    if vectorized or spec_of(start).dtype.kind == "c":
        raise refused_later("solve_ivp", "vectorized" if vectorized else "complex values")
    if times is None:
        raise DifferentiationError(
            f"solve_ivp needs t_eval= under jit, vmap and checkpoint{at_user_line()}: how many steps it takes is known "
            "only when the program runs; give the times at which the solution is wanted"
        )
    times = as_operand(times)
    given = {"method": method, **{name: value for name, value in options.items() if name != "jac"}}
    found = Problem(slope, 1.0 * start, times, begin, end, given).solved(
        by_solve_ivp(given), {"success": True, "status": 0, "nfev": 0}
    )
    return Result({"t": times, "t_events": None, "y_events": None, "sol": None, **found})


def watched(event: Function, extra: tuple[Any, ...]) -> Function:
    """An event of plain values, with the attributes that SciPy reads."""
    own = on_values(lambda t, y: event(t, y, *extra), "solve_ivp")
    for name in ("terminal", "direction"):
        if hasattr(event, name):
            setattr(own, name, getattr(event, name))
    return own


class Steps:
    """The steps that SciPy has taken, with traced values at their ends.

    Args:
        method: SciPy's class of the method.
        fun: the right-hand side.
        found: SciPy's result.
        begin: where it begins.
        end: where it ends.
        start: the initial values.
    """

    def __init__(self, method: Any, fun: Function, found: Any, begin: Any, end: Any, start: Any) -> None:
        self.method = method
        self.fun = fun
        times = found.sol.ts if found.sol is not None else found.t
        first, last = float(times[0]), float(times[-1])
        moving = nesting(begin) or nesting(end)
        reached = abs(last - float(peeled(end))) < 1e-12 * max(1.0, abs(last))
        stop = end if reached else last
        self.plain = np.asarray(times, float)
        self.times: list[Any] = [*map(float, times)]
        if moving and last != first:  # where an end moves, all steps are stretched
            self.times = [begin + (stop - begin) * ((t - first) / (last - first)) for t in self.times]
        self.values = [start * 1.0]
        for k in range(len(self.times) - 1):
            step = self.times[k + 1] - self.times[k]
            self.values.append(runge_kutta(method, fun, self.times[k], self.values[k], step))

    def at(self, t: Any) -> Any:
        """The solution at a time, by one step from the last step before it."""
        plain = float(peeled(t))
        rising = self.plain[-1] >= self.plain[0]
        keys = self.plain if rising else -self.plain
        k = int(np.clip(np.searchsorted(keys, plain if rising else -plain, "right") - 1, 0, len(self.times) - 1))
        if self.plain[k] == plain and not nesting(t) and not nesting(self.times[k]):
            return self.values[k]
        return runge_kutta(self.method, self.fun, self.times[k], self.values[k], t - self.times[k])


class Solution:
    """The solution between the steps: SciPy's values, with the derivatives of a step from the last one before.

    Args:
        plain: SciPy's, of plain values.
        steps: those that it has taken.
    """

    def __init__(self, plain: Any, steps: Steps) -> None:
        self.plain = plain
        self.steps = steps

    def __getattr__(self, name: str) -> Any:
        return getattr(self.plain, name)

    def __call__(self, t: Any) -> Any:
        """The solution at a time, or at times along the last axis."""
        t = as_operand(t)
        value = self.plain(peeled(t, "the solution of solve_ivp"))
        if spec_of(t).ndim == 0:
            return with_value(value, self.steps.at(t))
        columns = [self.steps.at(t[k]) for k in range(spec_of(t).shape[0])]
        return with_value(value, FUNCTIONS[np.stack](columns, -1))


def with_value(value: Any, moving: Any) -> Any:
    """SciPy's value with the derivatives of ours."""
    return value + (moving - stop_gradient(moving))


def differentiated(found: Any, steps: Steps, conditions: list[Function], extra: tuple[Any, ...], wanted: Any) -> Any:
    """SciPy's result with derivatives, also by the times at which it is wanted, or at which an event ends it."""
    for k, event in enumerate(conditions):
        times = event_times(event, found.t_events[k], steps, extra)
        if times:
            values = [steps.at(time) for time in times]
            found.t_events[k] = FUNCTIONS[np.stack](times)
            found.y_events[k] = with_value(found.y_events[k], FUNCTIONS[np.stack](values))
    if wanted is not None:
        times = [wanted[k] for k in range(len(found.t))]
        columns = [steps.at(time) for time in times]
    elif found.status == 1:
        times = [*steps.times[:-1], last_event(found, conditions)]
        columns = [*steps.values[:-1], steps.at(times[-1])]
    else:
        times, columns = steps.times, steps.values
    if any(map(nesting, times)):
        found.t = with_value(found.t, FUNCTIONS[np.stack](times))
    if len(columns):
        found.y = with_value(found.y, FUNCTIONS[np.stack](columns, -1))
    return found


def event_times(event: Function, plain: Any, steps: Steps, extra: tuple[Any, ...]) -> list[Any]:
    """When an event happens, as functions of what moves the solution and the event."""

    def crossing(time: Any) -> Any:
        return event(time, steps.at(time), *extra)

    return [elementwise_solution(crossing, float(t)) for t in plain]


def last_event(found: Any, conditions: list[Function]) -> Any:
    """The time of the event that has ended the solution."""
    ends = [times[-1] for times, event in zip(found.t_events, conditions, strict=True) if ends_by(event, times)]
    return min(ends, key=lambda time: abs(float(peeled(time)) - found.t[-1]))


def ends_by(event: Function, times: Any) -> bool:
    """Whether an event has happened, and is one that ends the solution."""
    return bool(getattr(event, "terminal", False)) and len(times) > 0


def odeint(
    func: Function,
    y0: Any,
    t: Any,
    args: Any = (),
    Dfun: Any = None,
    col_deriv: Any = 0,
    full_output: Any = 0,
    tfirst: bool = False,
    **options: Any,
) -> Any:
    """The solution of y' = func(y, t) at given times, of which the first is that of the initial values.

    The values are those of SciPy's method for stiff and other equations; derivatives those of ``DOP853`` at the same
    tolerances.
    """
    extra = args if isinstance(args, tuple) else (args,)

    def slope(time: Any, y: Any) -> Any:
        return array(as_operand(func(time, y, *extra) if tfirst else func(y, time, *extra)))

    start = FUNCTIONS[np.atleast_1d](array(as_operand(y0)))
    t = as_operand(t)
    if known_later((start, t), lambda: slope(peeled(t)[0], peeled(start))):
        if full_output:
            raise refused_later("odeint", "full_output")
        return odeint_later(slope, start, t, options)
    plain_t, plain_y = np.asarray(peeled(t, "odeint"), float), np.asarray(peeled(start, "odeint"), float)
    out = scipy.integrate.odeint(
        on_values(slope, "odeint"), plain_y, plain_t, full_output=full_output, tfirst=True, **options
    )
    if not any(map(nesting, (start, slope(float(plain_t[0]), start), *leaves_of(t)))):
        return out
    rtol, atol = (np.maximum(1e-10, tolerance_of(options, name)) for name in ("rtol", "atol"))
    moving = solve_ivp(slope, (t[0], t[-1]), start, "DOP853", t, rtol=rtol, atol=atol).y.T
    if full_output:
        return with_value(out[0], moving), out[1]
    return with_value(out, moving)


def tolerance_of(options: dict[str, Any], name: str) -> Any:
    """A tolerance of odeint: a number, or one for each unknown."""
    given = options.get(name)
    return 1.49e-8 if given is None or not np.any(given) else given


def odeint_later(slope: Function, start: Any, t: Any, options: dict[str, Any]) -> Any:
    """The values at given times where they are found when a program runs."""

    def find(fun: Function, start: Any, times: Any, begin: Any, end: Any) -> dict[str, Any]:
        return {"y": scipy.integrate.odeint(fun, np.array(start), times, tfirst=True, **options).T}

    tolerances = {name: tolerance_of(options, name) for name in ("rtol", "atol")}
    problem = Problem(slope, 1.0 * start, t, t[0], t[-1], {"method": "LSODA", **tolerances})
    return FUNCTIONS[np.transpose](problem.solved(find, {}).y)
