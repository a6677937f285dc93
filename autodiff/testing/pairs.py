"""`check_pair`: derivatives by hand, of other libraries, in C: compared with the function that they belong to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import DTypeLike

from autodiff.testing.cases import Case
from autodiff.testing.draws import domains
from autodiff.testing.draws.domains import Domain
from autodiff.testing.draws.operand import Operands
from autodiff.testing.mismatch import name_of
from autodiff.testing.pair import Pair, names_of
from autodiff.testing.properties import run
from autodiff.testing.summary import Summary
from autodiff.testing.trial import Trial

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Function = Callable[..., Any]

LINES = ((3,), (1,), (5,), (2,), (17,))
"""The shapes that arguments have by default."""


def check_pair(
    fun: Function,
    df: Function | None = None,
    *,
    gradient: Function | None = None,
    jacobian: Function | None = None,
    hessian: Function | None = None,
    hvp: Function | None = None,
    vjp: Function | None = None,
    jvp: Function | None = None,
    args: Sequence[Any] | None = None,
    domain: Domain | Sequence[Domain] = domains.real,
    shapes: SearchStrategy[Any] | Sequence[Any] = LINES,
    dtypes: Sequence[DTypeLike] = ("float64",),
    arity: int = 0,
    max_examples: int | None = None,
    seed: int = 0,
    name: str | None = None,
) -> Summary:
    """Try to break derivatives that come from anywhere: written by hand, or by another library.

    Neither the function nor its derivatives need to know of autodiff: they are called with plain arrays.

    Args:
        fun: function of one or several arrays that returns one.
        df: the gradient, as `gradient=`.
        gradient: function of the arguments. Returns for each argument an array of its shape: the gradient of a single
            number; of results of the shape of the argument, the slope at each element. Of one argument it stands alone.
        jacobian: function of the arguments: arrays of the shape of the result followed by that of the argument.
        hessian: function of the one argument: an array of its shape twice. It is compared with the gradient.
        hvp: function of the arguments, and as many tangents: like the gradient, with which it is compared.
        vjp: function of the arguments, and a cotangent of the result: like the gradient.
        jvp: function of the arguments, and as many tangents: like the result.
        args: check at these arguments alone.
        domain: where arguments lie, as for `laws`; so are shapes, dtypes, arity, max_examples, seed and name.
        shapes: by default of vectors.
        dtypes: by default double precision alone.
        arity: how many arguments; by default as many as domains are given.
        max_examples: how many arguments to draw.
        seed: another number draws other arguments.
        name: what to call fun in messages.

    Returns:
        What was tried, and what could not be decided.

    Raises:
        GradientMismatch: a derivative is wrong; the text has the smallest arguments found at which it is.
        Undecided: no arguments were found at which a numerical derivative can be trusted.
        TypeError: there is no derivative to check, or second ones without first ones.

    >>> import numpy as np
    >>> def energy(x):
    ...     return np.sum(x**4)
    >>> check_pair(energy, lambda x: 4 * x**3, hessian=lambda x: np.diag(12 * x**2), max_examples=5).nowhere_decided
    []
    """
    pair = Pair(gradient or df, jacobian, hessian, hvp, vjp, jvp)
    if not any(names_of(pair)):
        raise TypeError("check_pair has nothing to check; give df, or one of jacobian=, hessian=, hvp=, vjp=, jvp=")
    if (hessian or hvp) and not (pair.gradient or jacobian):
        raise TypeError("second derivatives are compared with differences of first ones; give df= or jacobian= as well")
    case = Case(
        name or name_of(fun), fun, domain, arity, dtypes, shapes, scalars=False, order=1, batch=False, seed=seed
    )
    table = pair.laws()
    trial = Trial(case, tuple(table), table)
    if args is None:
        return run(trial, max_examples)
    trial.check(Operands(tuple(args), smooth=True))
    trial.check_decided()
    return trial.summary
