"""Those who watch operations: function hooks, and debug mode. While nobody does, none of this is run."""

from __future__ import annotations

import threading
import traceback
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from autodiff.facade.graph.creator import SHOWN, Operation, creator
from autodiff.facade.settings.configuration import config, deviations
from autodiff.trace.source import at_user_line
from autodiff.trace.traced import Traced


class _Thread(threading.local):
    def __init__(self) -> None:
        self.hooks: dict[str, FunctionHook] = {}


_thread = _Thread()


def get_function_hooks() -> dict[str, FunctionHook]:
    """The hooks that watch all operations of this thread, by name, in the order in which they were entered."""
    return _thread.hooks


watched_alone: set[int] = set()
"""The identities of the creators of Variables that hooks of their own watch, in all threads."""


def watch_alone(function: Any) -> None:
    """Let backward passes look at the hooks of a creator, as long as it lives."""
    if id(function) not in watched_alone:
        watched_alone.add(id(function))
        deviations.add((watch_alone, id(function)))
        weakref.finalize(function, unwatch_alone, id(function))


def unwatch_alone(identity: int) -> None:
    """Look at the hooks of a creator no more."""
    watched_alone.discard(identity)
    deviations.discard((watch_alone, identity))


@contextmanager
def unwatched() -> Iterator[None]:
    """Let no hook of this thread see what happens inside, such as a hook's own look at a function."""
    hooks, _thread.hooks = _thread.hooks, {}
    try:
        yield
    finally:
        _thread.hooks = hooks


class FunctionHook:
    """What is called before and after each operation, while it is entered or where it was added to a function.

    Subclasses override what they need.

    Attributes:
        name: of two hooks of the same name only one can be entered at a time.

    >>> import numpy as np
    >>> from autodiff import Variable
    >>> class Printing(FunctionHook):
    ...     name = "Printing"
    ...
    ...     def forward_postprocess(self, function, in_data):
    ...         print(function.label)
    >>> with Printing():
    ...     y = 2 * Variable(np.ones(3)) + 1
    _ * 2
    _ + 1
    """

    name = "FunctionHook"

    def __enter__(self) -> FunctionHook:
        hooks = _thread.hooks
        if self.name in hooks:
            raise KeyError(
                f"a function hook named {self.name!r} is entered already{at_user_line()}; give this one another name"
            )
        hooks[self.name] = self
        deviations.add(self)
        self.added(None)
        return self

    def __exit__(self, *_: object) -> None:
        _thread.hooks[self.name].deleted(None)
        del _thread.hooks[self.name]
        deviations.discard(self)

    def added(self, function: Any) -> None:
        """It was added to a function, or entered: then ``function`` is None."""

    def deleted(self, function: Any) -> None:
        """It was taken from a function, or left: then ``function`` is None."""

    def forward_preprocess(self, function: Any, in_data: tuple[Any, ...]) -> None:
        """A function is about to run on these arrays."""

    def forward_postprocess(self, function: Any, in_data: tuple[Any, ...]) -> None:
        """A function has run on these arrays."""

    def backward_preprocess(self, function: Any, in_data: tuple[Any, ...], out_grad: tuple[Any, ...]) -> None:
        """The gradients of a function's inputs are about to be computed from those of its outputs.

        Args:
            function: the function.
            in_data: its inputs' arrays, None where they were not retained.
            out_grad: the gradients of its outputs as arrays, None where there is none.
        """

    def backward_postprocess(self, function: Any, in_data: tuple[Any, ...], out_grad: tuple[Any, ...]) -> None:
        """The gradients of a function's inputs have been computed."""


def hooks_on(function: Any) -> list[FunctionHook]:
    """All hooks that watch a function: the thread's and its own."""
    own = getattr(function, "local_function_hooks", None)
    return [*_thread.hooks.values(), *(own.values() if own else ())]


def announced(label: str, rank: int) -> Operation | None:
    """The object that shows an operation to those who watch; None if nobody does."""
    if not _thread.hooks and not config.debug:
        return None
    operation = creator(label, rank)
    note_stack(operation)
    return operation


def note_stack(function: Any) -> None:
    """In debug mode, remember where a function was called."""
    if config.debug:
        function.stack = traceback.extract_stack()[:-2]


def observed(function: Any, run: Callable[..., Any], name: str = "") -> Callable[..., Any]:
    """``run``, the operation of that name, watched."""

    def call(*values: Any, **params: Any) -> Any:
        in_data = tuple(values[k] for k in shown_positions(values, name))
        hooks = hooks_on(function)
        if isinstance(function, Operation):
            function.seen_inputs = in_data
        for hook in hooks:
            hook.forward_preprocess(function, in_data)
        out = run(*values, **params)
        if isinstance(function, Operation):
            function.seen_shape = getattr(out[0] if type(out) is tuple else out, "shape", None)
        for hook in hooks:
            hook.forward_postprocess(function, in_data)
        if isinstance(function, Operation):
            function.seen_inputs = None
        if config.debug and any(map(has_nan, out if type(out) is tuple else (out,))):
            raise RuntimeError(
                f"NaN is detected on forward computation of {function.label}{at_user_line()}{called_at(function)}"
            )
        return out

    return call


def of_shown(run: Callable[..., Any], operands: Sequence[Any], params: Mapping[str, Any], name: str) -> Any:
    """An operation as a function of the operands that hooks see, which closes over the others."""
    shown = set(shown_positions(operands, name))
    if len(shown) == len(operands):
        return partial(run, **params)
    values = tuple(None if k in shown else value for k, value in enumerate(operands))  # arrays are not kept alive

    def filled(*arrays: Any) -> Any:
        others = iter(arrays)
        return run(*(next(others) if k in shown else value for k, value in enumerate(values)), **params)

    return filled


def shown_positions(operands: Sequence[Any], name: str) -> list[int]:
    """The positions of the operands that hooks see: numbers and indices belong to the operation."""
    return [k for k, value in enumerate(operands[: SHOWN.get(name)]) if is_shown(value)]


def is_shown(value: Any) -> bool:
    """Whether hooks see an operand, as far as itself says so."""
    return value is None or getattr(value, "shape", None) is not None


def has_nan(array: Any) -> bool:
    """Whether an array has an element that is NaN."""
    if isinstance(array, Traced) or getattr(array, "dtype", None) is None:
        return False
    return array.dtype.kind in "fc" and bool((array != array).any())


def called_at(function: Any) -> str:
    """Where a function was called, as lines of text; nothing outside of debug mode."""
    if function.stack is None:
        return ""
    return "\nStacktrace of the function is below:\n" + "".join(traceback.format_list(function.stack))


def pull_observed(function: Any, pull: Callable[[], Any], out_grad: Sequence[Any], arrays: Callable[[Any], Any]) -> Any:
    """Run a function's part of the backward pass, watched.

    Args:
        function: the function.
        pull: computes the gradients of its inputs.
        out_grad: the gradients of its outputs, None where there is none.
        arrays: gives the array of a gradient.
    """
    in_data = tuple(node.data for node in function.inputs or ())
    grads = tuple(map(arrays, out_grad))
    hooks = hooks_on(function)
    for hook in hooks:
        hook.backward_preprocess(function, in_data, grads)
    kept = getattr(function, "kept_arrays", None) if config.debug else None  # a creator set by hand has none
    if kept is not None:
        kept.check(function.label, called_at(function))
    try:
        found = pull()
    except Exception as error:
        if config.debug and function.stack is not None:
            error.args = (f"{error.args[0] if error.args else ''}{called_at(function)}", *error.args[1:])
        raise
    for hook in hooks:
        hook.backward_postprocess(function, in_data, grads)
    if config.debug:
        check_no_nan(function, map(arrays, found if isinstance(found, (tuple, list)) else (found,)))
    return found


def check_no_nan(function: Any, gradients: Iterable[Any]) -> None:
    """See that no gradient is NaN.

    Raises:
        RuntimeError: if one is.
    """
    if any(map(has_nan, gradients)):
        raise RuntimeError(
            f"NaN is detected on backward computation of {function.label}{at_user_line()}{called_at(function)}"
        )
