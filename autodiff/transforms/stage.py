"""Tapes for users: ``make_tape``, ``eval_tape``, ``eval_shape``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.backends.reference import run_tape
from autodiff.trace.formats import svg as _svg  # noqa: F401 - notebooks draw tapes by it
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.staging import Staged, stage
from autodiff.trace.tape import Tape, TapeError
from autodiff.trace.trees.tree import flatten, paths
from autodiff.trace.values.leaves import as_leaf
from autodiff.transforms.arguments import function_name
from autodiff.transforms.transformed import TransformedFunction


def staged_on(fun: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Staged:
    """A function recorded on the specs of arguments."""
    leaves, structure = flatten(args)
    return stage(lambda *traced: fun(*traced, **kwargs), [spec_of(as_leaf(leaf)) for leaf in leaves], structure)


def make_tape(fun: Callable[..., Any]) -> Callable[..., Tape]:
    """Record what a function computes.

    Args:
        fun: a function of trees of arrays or specs. It is run once with shapes and dtypes only.

    Returns:
        a function of the same arguments that returns the :class:`~autodiff.trace.tape.Tape`.

    Raises:
        ConcretizationError: when the function runs, if it branches on a traced value.

    >>> import numpy as np
    >>> print(make_tape(lambda x: np.sin(x) * 2.0)(np.ones(3)))  # doctest: +ELLIPSIS
    tape(a: float64[3]):
        b: float64[3] = sin(a)  # ...
        c: float64[3] = multiply(b, 2.0)  # ...
        return c
    """

    def tape_of(*args: Any, **kwargs: Any) -> Tape:
        staged = staged_on(fun, args, kwargs)
        if staged.captures:
            raise TapeError(
                f"make_tape: {function_name(fun)} closes over a value that is being traced{at_user_line()}; pass it "
                "as an argument"
            )
        return staged.tape

    return TransformedFunction(fun, tape_of, make_tape, fun)


def eval_tape(tape: Tape, *args: Any) -> Any:
    """Run a tape on arguments like those that it was made with.

    Args:
        tape: what :func:`make_tape` or :func:`autodiff.load_tape` returned.
        *args: trees with the structure, shapes and dtypes for which the tape was made, since lengths and dtypes may be
            constants in it. Python numbers and NumPy's numbers may stand for each other.

    Returns:
        the tree of results.

    Raises:
        TapeError: if structure, shapes or dtypes are others.

    >>> import numpy as np
    >>> tape = make_tape(lambda x: {"twice": 2 * x})(np.zeros(3))
    >>> eval_tape(tape, np.arange(3.0))
    {'twice': array([0., 2., 4.])}
    """
    leaves, structure = flatten(args)
    if structure != tape.arguments:
        raise TapeError(f"the tape was made for arguments {tape.arguments}, got {structure}{at_user_line()}")
    values = list(map(as_leaf, leaves))
    check_specs(tape, args, values)
    kept = {id(constant) for constant in tape.constants}
    outs = [out.copy() if id(out) in kept else out for out in run_tape(tape, values)]
    return outs if tape.results is None else tape.results.unflatten(outs)


def check_specs(tape: Tape, args: tuple[Any, ...], values: list[Any]) -> None:
    """Refuse arguments of other shapes or dtypes than those for which a tape was made."""
    for number, (value, made_for) in enumerate(zip(values, tape.inputs, strict=False)):  # closed-over arrays follow
        found = spec_of(value)
        weak = found.shape == () and "python" in (found.kind, made_for.kind)
        alike = found.dtype.kind == made_for.dtype.kind if weak else found.dtype == made_for.dtype
        if found.shape != made_for.shape or not alike:
            raise TapeError(
                f"the tape was made for {made_for} at args{paths(args)[number]}, got {found}{at_user_line()}; record "
                "another one with make_tape for these shapes and dtypes, or convert the argument"
            )


def eval_shape(fun: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The specs of what a function would return, without computing it.

    >>> import numpy as np
    >>> eval_shape(lambda x: x @ x.T, np.ones((2, 3), np.float32))
    float32[2,2]
    """
    staged = staged_on(fun, args, kwargs)
    results = staged.tape.results
    assert results is not None
    return results.unflatten(staged.tape.output_specs)
