"""Where NaN comes from: the first operation that makes it of operands that have none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from autodiff.backends.reference import run_equation, run_tape
from autodiff.trace.errors import AutodiffError, ConcretizationError, described
from autodiff.trace.primitive import Primitive
from autodiff.trace.source import at_user_line, user_line
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.staging import Body, stage
from autodiff.trace.tape import Equation, Tape
from autodiff.trace.tape_call import TapeCall
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer, concrete
from autodiff.trace.trees.tree import flatten
from autodiff.trace.values.arrays import placed_constants
from autodiff.trace.values.leaves import as_leaf
from autodiff.transforms.transformed import DECORATED, TransformedFunction

SHOWN = 6
"""Arrays with more elements are shown by their shapes."""


class NotFiniteError(AutodiffError, FloatingPointError):
    """An operation made NaN, or infinity, of operands that had none.

    >>> import autodiff
    >>> try:
    ...     check_nans(np.sqrt)(-1.0)
    ... except NotFiniteError as error:
    ...     error.args[0].startswith("sqrt made nan")
    True
    """


def check_nans(fun: Callable[..., Any] = DECORATED, *, infinities: bool = False) -> Callable[..., Any]:
    """The same function, which stops at the first operation that makes NaN of operands without NaN.

    It runs operation by operation, also what is inside of ``jit``, ``grad``, loops and branches, and so takes its time:
    put it around what you look at, ``check_nans(step)(params, batch)``. Inside of a derivative, as in
    ``grad(check_nans(f))``, it looks at the values of ``f`` alone, and runs the operations a second time for the
    derivative.

    Args:
        fun: a function of trees. Where it is left out the other is the option of a decorator.
        infinities: whether infinities made of finite numbers stop it, too.

    Returns:
        a function of the same arguments with the same results.

    Raises:
        NotFiniteError: naming the operation, the user's line, and the operands at the place.
        ConcretizationError: when it is called where only shapes are known, inside of ``jit`` or ``vmap``.
        TypeError: if it is no function.

    >>> import autodiff
    >>> def f(x):
    ...     return np.sum(np.log(x))
    >>> check_nans(f)(np.array([1.0, -1.0]))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    autodiff.debug.nans.NotFiniteError: log made nan at [1] ...; its operand there is -1.0
    >>> check_nans(autodiff.jit(autodiff.grad(f)))(np.array([1.0, 2.0]))
    array([1. , 0.5])
    """
    if fun is DECORATED:
        return lambda fun: check_nans(fun, infinities=infinities)
    if not callable(fun):
        raise TypeError(f"check_nans needs a function, got {described(fun)}{at_user_line()}; write check_nans(f)(x)")

    def checked(*args: Any, **kwargs: Any) -> Any:
        leaves, structure = flatten(args)
        given = [as_leaf(leaf) for leaf in leaves]
        values = [known(leaf) for leaf in given]
        body = Watching(infinities)
        with np.errstate(all="ignore"):
            staged = stage(lambda *values: fun(*values, **kwargs), values, structure, True, body)
            operands = [*given, *staged.captures]
            traced = any(isinstance(operand, Traced) for operand in operands)
            outs = run_tape(staged.tape, operands) if traced else [value_of(out, body) for out in staged.outs]
        results = staged.tape.results
        assert results is not None
        return results.unflatten(outs)

    return TransformedFunction(fun, checked, check_nans, fun, infinities=infinities)


def known(operand: Any) -> Any:
    """The value of an operand from outside.

    Raises:
        ConcretizationError: if only its shape is known.
    """
    value = concrete(operand)
    if type(value) is Spec:
        raise ConcretizationError(
            f"check_nans looks at values, but here only the shape of a traced {value!r} is known{at_user_line()}; put "
            "it outside of jit, vmap and the like: check_nans(jit(f))(x)"
        )
    return value


def value_of(out: Any, body: Body) -> Any:
    """A result, no longer traced by the body."""
    own = body.own(out)
    return own.primal if isinstance(own, Tracer) and own.recording is body else out


class Watching(Body):
    """A recording with values that looks at every result.

    Args:
        infinities: whether infinities count.
    """

    __slots__ = ("infinities",)
    purpose = "check_nans"

    def __init__(self, infinities: bool) -> None:
        super().__init__(with_values=True)
        self.infinities = infinities

    def capture(self, outside: Any) -> Tracer:
        known(outside)
        return super().capture(outside)

    def record(
        self,
        primitive: Primitive,
        operands: Sequence[Any],
        params: Mapping[str, Any],
        apply: Callable[..., Any] | None = None,
    ) -> Any:
        found = super().record(primitive, operands, params, apply)
        outs = found if isinstance(found, tuple) else (found,)
        values = [concrete(self.own(operand)) for operand in operands]
        made = [concrete(out) for out in outs]
        if is_fresh(made, values, self.infinities):
            look_inside(primitive, params, values, self.infinities)
            raise NotFiniteError(complaint(primitive.name, user_line(), made, values, self.infinities))
        return found


def is_fresh(made: Sequence[Any], operands: Sequence[Any], infinities: bool) -> bool:
    """Whether results have what none of the operands has."""
    return any(bad(out, infinities).any() for out in made) and not any(bad(x, infinities).any() for x in operands)


def bad(value: Any, infinities: bool) -> Any:
    """Where a value is NaN, or infinite."""
    if not spec_of(value).inexact:
        return np.zeros(1, bool)
    return ~np.isfinite(value) if infinities else np.isnan(value)


def look_inside(primitive: Primitive, params: Mapping[str, Any], values: Sequence[Any], infinities: bool) -> None:
    """Run the tape that a call carries operation by operation.

    Raises:
        NotFiniteError: at the operation inside that makes it.
    """
    tape = params.get("tape")
    if isinstance(primitive, TapeCall) and isinstance(tape, Tape) and len(tape.inputs) == len(values):
        walk(tape, values, infinities)


def walk(tape: Tape, inputs: Sequence[Any], infinities: bool) -> None:
    """Run a tape, and look at every result.

    Raises:
        NotFiniteError: at the first operation that makes NaN.
    """
    slots = [*inputs, *placed_constants(tape.constants, inputs)]
    for equation in tape.equations:
        operands = [slots[o] if isinstance(o, int) else o.value for o in equation.operands]
        out = run_equation(equation, operands)
        made = out if isinstance(out, tuple) else (out,)
        if is_fresh(made, operands, infinities):
            look_inside(equation.primitive, dict(equation.params), operands, infinities)
            raise NotFiniteError(complaint_of(equation, made, operands, infinities))
        slots.extend(made)


def complaint_of(equation: Equation, made: Sequence[Any], operands: Sequence[Any], infinities: bool) -> str:
    """The text about an operation on a tape."""
    return complaint(equation.primitive.name, equation.source, made, operands, infinities)


def complaint(name: str, line: str, made: Sequence[Any], operands: Sequence[Any], infinities: bool) -> str:
    """The text about an operation: where it is, what it made, and of what."""
    out = next(np.asarray(value) for value in made if bad(value, infinities).any())
    place = tuple(int(k) for k in np.argwhere(bad(out, infinities))[0]) if out.shape else ()
    where = f" at [{', '.join(map(str, place))}]" if place else ""
    shown = [operand_text(np.asarray(operand), out.shape, place) for operand in operands]
    many = "operands there are" if len(shown) > 1 else "operand there is"
    if any(np.shape(operand) not in ((), out.shape) for operand in operands):
        many = many.replace(" there", "")
    return f"{name} made {out[place]}{where}{f' ({line})' if line else ''}; its {many} {', '.join(shown)}"


def operand_text(operand: Any, shape: tuple[int, ...], place: tuple[int, ...]) -> str:
    """An operand as errors show it: its element at the place where it has one, all of it where it is small."""
    if operand.shape == shape and shape:
        return str(operand[place])
    if operand.size <= SHOWN:
        return np.array2string(operand, separator=", ").replace("\n", "")
    return f"{operand.dtype}{list(operand.shape)}"
