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
from autodiff.scipy.mirror import leaves_of
from autodiff.scipy.optimize.implicit import elementwise_solution, nesting, on_values
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.transforms.stop_gradient import stop_gradient

Function = Callable[..., Any]

EXPLICIT = {name: getattr(scipy.integrate, name) for name in ("RK23", "RK45", "DOP853")}


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
        method: ``"RK45"``, ``"RK23"`` or ``"DOP853"`` where something is differentiated.
        t_eval: where the solution is wanted, as plain numbers.
        dense_output: SciPy's; the interpolant is a function of plain numbers.
        events: SciPy's; times and values at events are differentiated through the condition that makes them.
        vectorized: SciPy's.
        args: further arguments of ``fun`` and ``events``, which may be traced.
        options: SciPy's.

    Returns:
        SciPy's result, in which ``y``, ``t_events`` and ``y_events`` are functions of the initial values and of what
        ``fun`` closes over.

    Raises:
        DifferentiationError: for implicit methods, if there is something to differentiate.

    >>> import numpy as np, autodiff
    >>> def end(rate):
    ...     return solve_ivp(lambda t, y: -rate * y, (0.0, 1.0), [1.0], rtol=1e-8, atol=1e-10).y[0, -1]
    >>> round(autodiff.grad(end)(1.0), 6)
    -0.367879
    """
    extra = () if args is None else tuple(args)
    begin, end = t_span
    start = array(as_operand(y0))

    def slope(t: Any, y: Any) -> Any:
        return array(as_operand(fun(t, y, *extra)))

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
    seeds = (start, begin, end, slope(plain_span[0], start))
    if not any(map(nesting, seeds)):
        return found
    if method not in EXPLICIT:
        raise DifferentiationError(
            f"solve_ivp with method={method!r} has no derivative{at_user_line()}; take one of {', '.join(EXPLICIT)}"
        )
    return differentiated(found, Steps(EXPLICIT[method], slope, found, begin, end, start), conditions, extra)


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
        if self.plain[k] == plain and not nesting(t):
            return self.values[k]
        return runge_kutta(self.method, self.fun, self.times[k], self.values[k], t - self.times[k])


def with_value(value: Any, moving: Any) -> Any:
    """SciPy's value with the derivatives of ours."""
    return value + (moving - stop_gradient(moving))


def differentiated(found: Any, steps: Steps, conditions: list[Function], extra: tuple[Any, ...]) -> Any:
    """SciPy's result with derivatives."""
    columns = [steps.at(float(t)) for t in found.t] if len(found.t) != len(steps.times) else steps.values
    if len(columns):
        found.y = with_value(found.y, FUNCTIONS[np.stack](columns, -1))
    for k, event in enumerate(conditions):
        times = []
        for t in found.t_events[k]:

            def crossing(time: Any, event: Function = event) -> Any:
                return event(time, steps.at(time), *extra)

            times.append(elementwise_solution(crossing, float(t)))
        if times:
            values = [steps.at(time) for time in times]
            found.t_events[k] = FUNCTIONS[np.stack](times)
            found.y_events[k] = with_value(found.y_events[k], FUNCTIONS[np.stack](values))
    return found


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

    start = array(as_operand(y0))
    plain_t, plain_y = np.asarray(peeled(t, "odeint"), float), np.asarray(peeled(start, "odeint"), float)
    out = scipy.integrate.odeint(
        on_values(slope, "odeint"), plain_y, plain_t, full_output=full_output, tfirst=True, **options
    )
    if not any(map(nesting, (start, slope(float(plain_t[0]), start), *leaves_of(t)))):
        return out
    rtol, atol = (max(1e-10, float(options.get(name) or 1.49e-8)) for name in ("rtol", "atol"))
    moving = solve_ivp(
        slope, (float(plain_t[0]), float(plain_t[-1])), start, "DOP853", plain_t, rtol=rtol, atol=atol
    ).y.T
    if nesting(t):
        rates = FUNCTIONS[np.stack]([slope(t[k], moving[k]) for k in range(len(plain_t))])
        change = (t - stop_gradient(t))[:, None]
        moving = moving + rates * (change - change[0])
    if full_output:
        return with_value(out[0], moving), out[1]
    return with_value(out, moving)
