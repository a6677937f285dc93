"""Derivatives of functions compiled with Numba, and compiled derivatives for such functions.

Importing this module lets functions of `Numba <https://numba.pydata.org>`_ take traced values and Variables: their
Python is run, and recorded. Calls with plain arguments go their own way.

>>> import numba
>>> import autodiff.numba
>>> @numba.njit
... def logistic(x, steps):
...     for _ in range(steps):
...         x = 3.7 * x * (1.0 - x)
...     return x
>>> round(autodiff.grad(logistic)(0.3, 3), 6)
3.167672

:func:`njit` is the way back: a program, a gradient for example, that compiled code calls in its loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autodiff.backends.choice import numba_is_there
from autodiff.backends.export.for_numba import numba_function
from autodiff.backends.numba.users import meet_traced_values
from autodiff.numba.python import run_python
from autodiff.trace.source import at_user_line
from autodiff.trace.trees.tree import TreeDef
from autodiff.transforms.export import record

__all__ = ["njit"]

if numba_is_there():
    meet_traced_values(run_python)


def njit(fun: Callable[..., Any], args: Sequence[Any]) -> Any:
    """Compile a function to one that code compiled by Numba calls, without the interpreter.

    It is recorded as :func:`~autodiff.jit` does, for arguments of these shapes and dtypes, and its kernels are linked
    to one function of machine code, as :func:`~autodiff.export` writes it. So a gradient can be called in a loop of a
    function under ``@numba.njit``, in several threads at once, too.

    Args:
        fun: a function of arrays, numbers and tuples of them that returns such; derivatives, programs of
            :func:`~autodiff.jit`, and functions of Numba's own are such functions.
        args: its arguments; only their shapes and dtypes matter.

    Returns:
        a function of Numba's for arguments of these dtypes and numbers of axes: others are errors when the code that
        calls it is compiled. Arrays that do not lie row by row are copied. Python calls it too; with traced values it
        is ``fun``. What calls it cannot be kept by Numba's ``cache=True``.

    Raises:
        ExportError: if operations have no kernels, naming each with the user's line; or if a dtype is unknown.
        TypeError: if arguments or results are other trees than tuples of arrays and numbers.
        ModuleNotFoundError: if Numba is not installed.
        ValueError: when it is called, if a shape is another one.
        IndexError, LinAlgError: when it is called, if an index is out of range, or a matrix is singular.

    The derivative at kinks is that of the operations.

    >>> import numba
    >>> import numpy as np
    >>> import autodiff
    >>> def energy(x):
    ...     return np.sum((x[1:] - x[:-1]) ** 2) + np.sum(np.cos(x))
    >>> slope = njit(autodiff.grad(energy), (np.zeros(5),))
    >>> @numba.njit
    ... def relax(x, steps):
    ...     for _ in range(steps):
    ...         x = x - 0.1 * slope(x)
    ...     return x
    >>> np.round(relax(np.arange(5.0), 500), 4)
    array([3.1416, 3.1416, 3.1416, 3.1416, 3.1416])
    """
    recorded = record(fun, args, {}, "autodiff.numba.njit")
    positional = recorded.arguments.children[0].children
    for what, trees in (("arguments", positional), ("results", (recorded.results,))):
        for structure in trees:
            refuse_other_trees(what, structure)
    made = numba_function(recorded.program, positional, recorded.results, recorded.inputs)
    made.autodiff_original = fun
    return made


def refuse_other_trees(what: str, structure: TreeDef) -> None:
    """Refuse trees that Numba does not take apart.

    Raises:
        TypeError: if it is one.
    """
    if structure.kind is not None and structure.kind is not tuple:
        raise TypeError(
            f"autodiff.numba.njit: the {what} have a {structure.kind.__name__}{at_user_line()}, which code compiled by "
            "Numba cannot hand over as arrays; take arrays, numbers and tuples of them"
        )
    for child in structure.children:
        refuse_other_trees(what, child)
