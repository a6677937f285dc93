"""`check_pair`: derivatives by hand, of other libraries, in C: compared with the function that they belong to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike

from autodiff.testing.cases import Case
from autodiff.testing.checks import check_arguments
from autodiff.testing.draws import domains
from autodiff.testing.draws.corners import TURNS
from autodiff.testing.draws.layouts import VALUE_KEEPING
from autodiff.testing.draws.of_case import accepts
from autodiff.testing.draws.operand import Choice, Operands, make_operands
from autodiff.testing.draws.shapes import Shape
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

LONG = (65, 103, 1003)
"""The lengths of longer vectors, which leave a rest where loops take several elements at a time."""

MATRICES = 103
"""Of longer vectors no Jacobians or Hessians are asked for."""

TABLES = ((2, 3), (3, 3))
"""The shapes of tables, for functions that do not care how elements are arranged."""


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
    domain: Any = domains.real,
    shapes: SearchStrategy[Any] | Sequence[Any] | None = None,
    dtypes: Sequence[DTypeLike] = ("float64",),
    arity: int = 0,
    max_examples: int | None = None,
    seed: int = 0,
    name: str | None = None,
) -> Summary:
    """Search for arguments at which derivatives from elsewhere are wrong: written by hand, or by another library.

    The function and its derivatives are called with plain arrays; autodiff need not be able to trace them.

    Args:
        fun: function of one or several arrays that returns one.
        df: another name for `gradient`.
        gradient: function of the arguments that returns an array of the argument's shape, or a tuple of them for
            several arguments: the gradient if fun returns one number, the slope at each element if fun is elementwise.
            For an argument that is a tree of arrays it returns a tree of that kind.
        jacobian: function of the arguments that returns arrays of the shape of the result followed by the argument's.
        hessian: function of the one argument that returns an array with its shape twice; compared with the gradient.
        hvp: function of the arguments and of a tangent for each; returns the same as gradient; compared with it.
        vjp: function of the arguments and of a cotangent of the result; returns the same as gradient.
        jvp: function of the arguments and of a tangent for each; returns an array like the result.
        args: check at these arguments only.
        domain: as for `laws`; so are shapes, dtypes, arity, max_examples, seed and name.
        shapes: by default those of vectors, the same for all arguments, and tables where these are nothing else to fun
            (`docs/testing-gradients.md` lists them).
        dtypes: by default double precision only.
        arity: the number of arguments; by default the number of domains.
        max_examples: how many arguments to draw.
        seed: another seed draws other arguments.
        name: the name of fun in messages.

    Returns:
        A summary: what was checked, and what could not be decided.

    Raises:
        GradientMismatch: a derivative is wrong; the message has the smallest arguments found at which it is.
        Undecided: no arguments were found at which a numerical derivative is reliable, or there is none.
        TypeError: no derivative is given, or second derivatives without first ones.

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
    if not callable(fun):
        raise TypeError(f"check_pair needs a function, got {type(fun).__name__}")
    if args is not None:
        check_arguments(args, "check_pair")
        domain, arity, shapes = domains.real, len(args), None
    case = Case(
        name or name_of(fun), fun, domain, arity, dtypes, shapes, scalars=False, order=1, batch=False, seed=seed
    )
    if shapes is None:
        case = replace(case, shapes=LINES if case.arity == 1 else [(line,) * case.arity for line in LINES])
    table = pair.laws()
    trial = Trial(case, tuple(table), table, {law: getattr(pair, law) for law in names_of(pair)})
    if args is None:
        return run(trial, max_examples, other_operands(case, pair) if shapes is None else ())
    trial.check(Operands(tuple(args), smooth=True))
    trial.check_decided()
    return trial.summary


def other_operands(case: Case, pair: Pair) -> Iterator[Operands]:
    """Longer vectors, and what is no vector; the function takes what it takes.

    Nobody said what the derivatives are of anything but vectors. Those of a function that computes from a table what it
    computes from the same elements in a row, as sums and elementwise functions do, are the same, too.
    """
    matrices = pair.jacobian is not None or pair.hessian is not None
    for length in LONG:
        if length <= MATRICES or not matrices:
            yield one_of_all(case, (length,), "contiguous")
    for shape in () if matrices else ((), (0,), *TABLES):
        for layout in VALUE_KEEPING if len(shape) > 1 else ("contiguous",):
            sample = one_of_all(case, shape, layout)
            if is_rowwise(case, sample):
                yield sample


def one_of_all(case: Case, shape: Shape, layout: str) -> Operands:
    """Operands of one shape and layout, at which only derivatives are compared."""
    choices = [Choice(shape, each[0], layout, flavour="even") for each in case.each_dtypes]
    sample = make_operands(case.each_domain, choices, len(shape) + TURNS * case.seed, kinked=False)
    return replace(sample, extreme=True, unasked=True)


def is_rowwise(case: Case, sample: Operands) -> bool:
    """Whether a function computes from arrays what it computes from their elements in a row."""
    row = replace(sample, args=tuple(map(np.ravel, sample.args)))
    if any(accepts(case, one) is not None for one in (sample, row)):
        return False
    with np.errstate(all="ignore"):
        found, of_row = (np.asarray(case.of_operands(*one.args)) for one in (sample, row))
    arranged = found.shape in ((), np.shape(sample.args[0]))
    return arranged and found.size == of_row.size and np.allclose(found.ravel(), of_row.ravel(), equal_nan=True)
