"""Calls of SciPy's where values are known only when a program runs: under ``jit``, ``vmap`` and ``checkpoint``.

What SciPy does depends on values, so that it cannot be recorded. It becomes one operation, a callback; under ``vmap``
it runs for each example. The user's functions close over traced values: they are recorded as tapes that have those as
operands, and run with plain ones when SciPy asks them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import scipy.optimize

from autodiff.backends.reference import run_tape
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.recording import innermost_body
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.staging import Body, stage
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer
from autodiff.trace.trees.tree import flatten
from autodiff.trace.values.leaves import as_leaf
from autodiff.transforms.callbacks.pure import pure_callback
from autodiff.transforms.stop_gradient import stop_gradient

Function = Callable[..., Any]


class FunctionBody(Body):
    """The recording of a function that SciPy will call."""

    __slots__ = ()
    purpose: ClassVar[str] = "jit, vmap or checkpoint of a function that SciPy calls"


class ClosedFunction:
    """A function as a tape, whose further operands are the traced values that it closes over.

    Args:
        function: takes and returns trees.
        examples: its arguments, of which shapes and dtypes count.

    Attributes:
        captures: the values that it closes over.
    """

    def __init__(self, function: Function, *examples: Any) -> None:
        leaves, structure = flatten(examples)
        staged = stage(function, [spec_of(as_leaf(leaf)) for leaf in leaves], structure, body=FunctionBody())
        self.tape = staged.tape
        self.captures = tuple(staged.captures)

    def __call__(self, args: Sequence[Any], captures: Sequence[Any]) -> Any:
        """The result for arguments and for values of what the function closes over."""
        leaves = [*map(as_leaf, flatten(tuple(args))[0]), *captures]
        assert self.tape.results is not None
        return self.tape.results.unflatten(run_tape(self.tape, leaves))

    def on(self, captures: Sequence[Any]) -> Function:
        """The function of plain arguments; results are arrays of their own, to which SciPy may write."""

        def call(*args: Any) -> Any:
            leaves, structure = flatten(self(args, captures))
            return structure.unflatten(leaf.copy() if isinstance(leaf, np.ndarray) else leaf for leaf in leaves)

        return call


def known(value: Any) -> bool:
    """Whether the number behind a value is there while the user's code runs."""
    while isinstance(value, Traced):
        if isinstance(value, Tracer) and isinstance(value.recording, Body):
            return False
        value = value.primal if isinstance(value, Tracer) else value.array  # type: ignore[attr-defined]
    return type(value) is not Spec


def known_later(arguments: Any, probe: Callable[[], Any]) -> bool:
    """Whether a call has to wait for its values.

    Args:
        arguments: what SciPy is given.
        probe: computes a result of the user's function where its arguments are known.
    """
    if innermost_body() is None:
        return False
    if not all(map(known, flatten(arguments)[0])):
        return True
    with np.errstate(all="ignore"):  # whether the function is defined there does not matter
        return not all(map(known, flatten(probe())[0]))


def call_back(
    find: Function, results: Any, arguments: Any, functions: Mapping[str, ClosedFunction], captures: Mapping[str, Any]
) -> Any:
    """``find(arguments, **functions)`` as one operation, of which nothing is differentiated.

    Args:
        find: calls SciPy with plain values, and returns a tree.
        results: the specs of that tree.
        arguments: a tree.
        functions: what SciPy will ask.
        captures: for each function the values of what it closes over.
    """

    def on_plain(arguments: Any, captures: Mapping[str, Any]) -> Any:
        return find(arguments, **{name: own.on(captures[name]) for name, own in functions.items()})

    return pure_callback(on_plain, results, stop_gradient(arguments), stop_gradient(dict(captures)))


class Result(scipy.optimize.OptimizeResult):  # type: ignore[misc]
    """What is known of a solution before the program runs: arrays and numbers of known shapes."""

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(
            f"under jit, vmap and checkpoint a result of SciPy's has no {name!r}{at_user_line()}, only "
            f"{', '.join(map(repr, self))}: their shapes are known before the program runs"
        )


def refused_later(name: str, option: str) -> DifferentiationError:
    """The error of what is known only when the program runs, as shapes and texts are."""
    return DifferentiationError(
        f"{name} with {option} cannot be called with traced values under jit, vmap and checkpoint{at_user_line()}, "
        "which have to know all shapes beforehand; leave it out, or call the function outside of them"
    )
