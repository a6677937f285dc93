"""Functions of the user's own that see values while programs run, compiled ones included."""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from string import Formatter
from typing import Any

import numpy as np

from autodiff.trace.errors import described
from autodiff.trace.parameters import SHAPE, Domain
from autodiff.trace.primitive import Primitive
from autodiff.trace.source import at_user_line, user_line
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.spec import spec as make_spec
from autodiff.trace.trees.tree import flatten
from autodiff.trace.values.leaves import as_leaf

FUNCTION = Domain("a function", lambda value, operands: builtins.callable(value))


class PerExample:
    """A function of the values of one example, called for each example of a batch.

    Args:
        function: the function.
        batched: which values have a batch axis, the first one.
    """

    def __init__(self, function: Callable[..., Any], batched: Sequence[bool]) -> None:
        self.function = function
        self.batched = tuple(batched)

    def __call__(self, *values: Any) -> None:
        size = next(len(value) for value, own in zip(values, self.batched, strict=True) if own)
        for k in range(size):
            self.function(*(v[k] if own else v for v, own in zip(values, self.batched, strict=True)))


def run(*values: Any, function: Callable[..., Any], shape: tuple[int, ...]) -> Any:
    """Call the function; what it returns is dropped."""
    function(*values)
    return np.ones(shape, bool) if shape else np.True_


def token_spec(*specs: Spec, function: Callable[..., Any], shape: tuple[int, ...]) -> Spec:
    """What says that the function was called: for each example of a batch."""
    return make_spec(shape, np.dtype(bool), "array" if shape else "scalar")


def run_batch(values: Sequence[Any], batched: Sequence[bool], params: Any) -> Any:
    """Called for each example."""
    size = next(spec_of(value).shape[0] for value, own in zip(values, batched, strict=True) if own)
    return called(*values, function=PerExample(params["function"], batched), shape=(size, *params["shape"]))


called: Primitive = Primitive(
    "debug_call", "general", ("*xs",), run, token_spec, {}, batch=run_batch,
    params={"function": FUNCTION, "shape": SHAPE}, register=False,
)  # fmt: skip
"""A call of the user's function. Its result is a token, on which :data:`after` depends."""

after: Primitive = Primitive(
    "debug_after", "linear", ("x", "token"), lambda x, token: x, lambda x, token: x,
    {"x": lambda g, token: after(g, token)}, view=True, moves=True, register=False,
)  # fmt: skip
"""A value that is there only after a call: whatever needs it, or its derivative, needs the call."""


def callback(function: Callable[..., Any], *values: Any) -> Any:
    """Call a function with values whenever the program runs in which this stands, and hand the values on.

    Under ``jit`` the function is called in every run, with arrays and numbers, and not when the program is recorded;
    under ``vmap`` once for each example; inside of ``grad`` and its like with plain values. It runs where something
    depends on what this returns, or on a derivative of that: **use what is returned**, ``x = debug.callback(f, x)``, in
    place of the value that was given. Where values are computed a second time, by ``checkpoint`` and in the backward
    pass of compiled loops, it runs again.

    Args:
        function: called as ``function(*values)``; what it returns is dropped, and what it raises ends the program. It
            must not change the arrays.
        *values: trees of arrays and numbers.

    Returns:
        the values: one, or a tuple of several.

    Raises:
        TypeError: if it is no function, or there are no values.

    >>> import autodiff
    >>> seen = []
    >>> @autodiff.jit
    ... def f(x):
    ...     y = callback(lambda y: seen.append(float(y)), x * 2)
    ...     return y + 1
    >>> f(1.0), f(2.0), seen
    (3.0, 5.0, [2.0, 4.0])
    """
    if not builtins.callable(function):
        raise TypeError(
            f"debug.callback needs a function, got {described(function)}{at_user_line()}; write debug.callback(f, x)"
        )
    leaves, structure = flatten(values)
    if not leaves:
        raise TypeError(f"debug.callback needs values{at_user_line()}; write x = debug.callback(f, x)")
    leaves = [as_leaf(leaf) for leaf in leaves]
    token = called(*leaves, function=Rebuilding(function, structure), shape=())
    found = structure.unflatten(after(leaf, token) for leaf in leaves)
    return found[0] if len(values) == 1 else found


class Rebuilding:
    """A function of trees as a function of their leaves.

    Each is equal to itself alone, so that two calls with the same values are never taken for one.

    Args:
        function: the function.
        structure: of the tuple of its arguments.
    """

    def __init__(self, function: Callable[..., Any], structure: Any) -> None:
        self.function = function
        self.structure = structure

    def __call__(self, *leaves: Any) -> None:
        self.function(*self.structure.unflatten(leaves))


def print(text: str, /, *values: Any, **named: Any) -> Any:
    """Write values to the standard output whenever the program runs, and hand them on: :func:`callback` of a format.

    Args:
        text: a format such as ``"loss {:.3f}"`` or ``"loss {loss:.3f}"``, with a place for each value.
        *values: trees of arrays and numbers.
        **named: the same, by their names in the format.

    Returns:
        the values, those by name last: one, or a tuple of several. Use what is returned.

    Raises:
        TypeError: if the text is none, or there are no values.
        ValueError: if the text is no format, or has a place without a value.

    >>> import autodiff
    >>> f = autodiff.jit(lambda x: print("x is {:.1f}", x) ** 2)
    >>> f(3.0)
    x is 3.0
    9.0
    """
    check_places(text, len(values), named)
    return callback(partial(write, text, tuple(named)), *values, *named.values())


def check_places(text: str, count: int, named: Mapping[str, Any]) -> None:
    """Make sure that each place of a format has a value."""
    if not isinstance(text, str):
        raise TypeError(
            f"debug.print needs a text first, got {described(text)}{at_user_line()}; write "
            "x = debug.print('x is {}', x)"
        )
    try:
        fields = [field for _, field, _, _ in Formatter().parse(text) if field is not None]
    except ValueError as error:
        raise ValueError(
            f"debug.print: {text!r} is no format{at_user_line()}: {error}. Write braces that are to be printed twice"
        ) from None
    unnamed = 0
    for field in fields:
        name = re.split(r"[.\[]", field)[0]
        unnamed += not name
        if name not in named and not (unnamed <= count if not name else name.isdecimal() and int(name) < count):
            given = [f"{count} by position"] * (count > 0) + list(named)
            raise ValueError(
                f"debug.print: the place {{{field}}} of {text!r} has no value{at_user_line()}; given are "
                f"{', '.join(given) or 'none'}"
            )


def write(text: str, names: tuple[str, ...], *values: Any) -> None:
    """Write formatted values, the last of which have names, to the standard output."""
    places = len(values) - len(names)
    named = dict(zip(names, values[places:], strict=True))
    sys.stdout.write(text.format(*values[:places], **named) + "\n")


def breakpoint(*values: Any) -> Any:
    r"""Stop in the debugger whenever the program runs, compiled or not, and hand the values on.

    In the debugger the values are in ``values``, and ``line`` says where in your code this stands. It is what
    ``PYTHONBREAKPOINT`` says, pdb unless it says another one. A compiled program waits meanwhile.

    Args:
        *values: trees of arrays and numbers.

    Returns:
        the values: one, or a tuple of several. Use what is returned.

    Here the debugger is one that only prints:

    >>> import sys
    >>> import autodiff
    >>> sys.breakpointhook = lambda: sys.stdout.write("stopped\n") and None
    >>> f = autodiff.jit(lambda x: breakpoint(2 * x) + 1)
    >>> f(1.0)
    stopped
    3.0
    >>> sys.breakpointhook = sys.__breakpointhook__
    """
    return callback(partial(stop, user_line()), *values)


def stop(line: str, *values: Any) -> None:
    """Stop in the debugger, where the values can be seen."""
    builtins.breakpoint()
