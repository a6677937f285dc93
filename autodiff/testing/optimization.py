"""`check_problem`: the derivatives that an optimization problem of SciPy carries, inside its bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from math import inf, isfinite
from typing import Any

import numpy as np

from autodiff.testing.draws.domains import Domain
from autodiff.testing.mismatch import GradientMismatch, Subject
from autodiff.testing.pairs import check_pair
from autodiff.testing.summary import Summary

Function = Callable[..., Any]

MARGIN = 0.05


def check_problem(
    fun: Function,
    x0: Any,
    *,
    args: tuple[Any, ...] = (),
    jac: Function | bool | None = None,
    hess: Function | None = None,
    hessp: Function | None = None,
    constraints: Any = (),
    bounds: Any = None,
    max_examples: int | None = None,
    seed: int = 0,
) -> list[Summary]:
    """Check the derivatives of a problem given as to `scipy.optimize.minimize`, at points between its bounds.

    Args:
        fun: function of x and args that returns a number.
        x0: says how many elements x has.
        args: passed on to fun and its derivatives.
        jac: the gradient; True where fun returns the value and the gradient. What SciPy approximates is left out.
        hess: the matrix of second derivatives.
        hessp: function of x, a direction and args: the product with that matrix.
        constraints: one or several of NonlinearConstraint, LinearConstraint, and dictionaries with "fun" and "jac".
        bounds: Bounds, or pairs of a lower and an upper bound, None where there is none.
        max_examples: how many points to draw.
        seed: another number draws other points.

    Returns:
        What was tried for the objective and for each constraint that has derivatives.

    Raises:
        GradientMismatch: a derivative is wrong.
        TypeError: nothing here has derivatives.

    >>> from scipy.optimize import rosen, rosen_der, rosen_hess, rosen_hess_prod
    >>> [found] = check_problem(
    ...     rosen, [0.0, 0.0], jac=rosen_der, hess=rosen_hess, hessp=rosen_hess_prod, max_examples=5
    ... )
    >>> found.nowhere_decided
    []
    """
    start = np.atleast_1d(np.asarray(x0, float))
    domain = [between(low, high) for low, high in limits(bounds, start.size)]
    if len(domain) != start.size:
        raise ValueError(f"check_problem: x0 has {start.size} elements, and there are {len(domain)} bounds")
    given: dict[str, Any] = {"domain": domain, "max_examples": max_examples, "seed": seed}
    found = []
    both = jac is True
    if both or callable(jac):
        title = f"the objective {getattr(fun, '__name__', 'fun')}"
        derivatives = {name: one for name, one in {"jac": jac, "hess": hess, "hessp": hessp}.items() if callable(one)}
        with said_of_vectors(title, fun, args, derivatives):
            found.append(
                check_pair(
                    gathered(lambda x: fun(x, *args)[0] if both else fun(x, *args)),
                    scattered(lambda x: fun(x, *args)[1] if both else jac(x, *args)),  # type: ignore[operator,misc]
                    hvp=products(hess, hessp, args),
                    shapes=[((),) * start.size],
                    name=title,
                    **given,
                )
            )
    for number, (of_x, jacobian) in zip(count(), constraints_of(constraints)):
        title = f"constraint {number}"
        with said_of_vectors(title, of_x, (), {"jacobian": jacobian}):
            found.append(
                check_pair(gathered(of_x), jacobian=columns(jacobian), shapes=[((),) * start.size], name=title, **given)
            )
    if not found:
        raise TypeError("the problem has no derivatives of its own; give jac=, or constraints that have one")
    return found


@contextmanager
def said_of_vectors(
    title: str, fun: Function, args: tuple[Any, ...], derivatives: Mapping[str, Function]
) -> Iterator[None]:
    """Reports in terms of x and of the functions that were given, not of x's elements."""
    try:
        yield
    except GradientMismatch as found:
        x = np.array(found.arguments, float)
        subject = Subject(fun, (x, *args), title, derivatives)
        raise GradientMismatch(found.law, found.statement, found.detail, subject, call_of(args, derivatives)) from None


def call_of(args: tuple[Any, ...], derivatives: Mapping[str, Function]) -> str:
    """The call of `check_pair` that looks at one point, where `args` are x and what is passed on."""
    if "jacobian" in derivatives:
        return "check_pair(fun, jacobian=jacobian, args=args)"
    more = ", *args[1:]" if args else ""
    if "jac" in derivatives:
        forms = [f"lambda x: fun(x{more})", f"gradient=lambda x: jac(x{more})"]
    else:
        forms = [f"lambda x: fun(x{more})[0]", f"gradient=lambda x: fun(x{more})[1]"]
    if "hess" in derivatives:
        forms.append(f"hessian=lambda x: hess(x{more})")
    if "hessp" in derivatives:
        forms.append(f"hvp=lambda x, p: hessp(x, p{more})")
    return f"check_pair({', '.join(forms)}, args=args[:1])"


def gathered(fun: Function) -> Function:
    """A function of a vector as one of its elements."""
    return lambda *elements: np.asarray(fun(np.array(elements, float)))


def scattered(fun: Function) -> Function:
    """A gradient as a function of the elements that returns a tuple of theirs."""
    return lambda *elements: tuple(np.asarray(fun(np.array(elements, float)), float).reshape(len(elements)))


def columns(jacobian: Function) -> Function:
    """A Jacobian as a function of the elements that returns its columns."""

    def of_elements(*elements: Any) -> tuple[Any, ...]:
        found = jacobian(np.array(elements, float))
        matrix = np.asarray(found.toarray() if hasattr(found, "toarray") else found, float)
        return tuple(np.moveaxis(matrix, -1, 0))

    return of_elements


def products(hess: Function | None, hessp: Function | None, args: tuple[Any, ...]) -> Function | None:
    """The product with the Hessian, of the elements of x and of a direction; None where there is no Hessian."""
    if not callable(hess) and not callable(hessp):
        return None

    def product(*elements: Any) -> tuple[Any, ...]:
        x, p = np.array(elements, float).reshape(2, -1)
        by_matrix = None if not callable(hess) else np.asarray(hess(x, *args) @ p)
        found = by_matrix if not callable(hessp) else np.asarray(hessp(x, p, *args))
        if by_matrix is not None and not np.allclose(by_matrix, found, rtol=1e-7, atol=0):  # type: ignore[arg-type]
            raise ValueError(f"hess and hessp contradict each other: hess @ p is {by_matrix}, hessp gives {found}")
        return tuple(found)  # type: ignore[arg-type]

    return product


def limits(bounds: Any, size: int) -> Iterator[tuple[float, float]]:
    """A lower and an upper bound for each element."""
    if bounds is None:
        yield from [(-inf, inf)] * size
    elif hasattr(bounds, "lb"):
        low, high = (np.broadcast_to(end, size).tolist() for end in (bounds.lb, bounds.ub))
        yield from zip(low, high, strict=True)
    else:
        yield from ((-inf if low is None else low, inf if high is None else high) for low, high in bounds)


def between(low: float, high: float) -> Domain:
    """The domain between two bounds, which keeps away from them by little where they are close."""
    return Domain(low, high, margin=min(MARGIN, (high - low) / 8) if isfinite(high - low) else MARGIN)


def constraints_of(constraints: Any) -> Iterator[tuple[Function, Function]]:
    """The functions and Jacobians of constraints that have a Jacobian of their own."""
    alone = isinstance(constraints, dict) or hasattr(constraints, "lb")
    several: Sequence[Any] = [constraints] if alone else list(constraints)
    for one in several:
        if isinstance(one, dict):
            given = one.get("args", ())
            if callable(one.get("jac")):
                yield partial_of(one["fun"], given), partial_of(one["jac"], given)
        elif callable(getattr(one, "jac", None)):
            yield one.fun, one.jac


def partial_of(fun: Function, args: tuple[Any, ...]) -> Function:
    """A function with what it is given besides x."""
    return (lambda x: fun(x, *args)) if args else fun
