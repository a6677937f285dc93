"""How NumPy's own functions find their way here when they are called with traced values.

NumPy asks its arguments: ufuncs by ``__array_ufunc__``, all other functions by ``__array_function__``. Two tables give
the answer. What is in neither is refused with an error that says so; nothing is computed behind the tape's back.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any, TypeVar

import numpy as np

from autodiff.trace.errors import DifferentiationError, LeafError, OperandError
from autodiff.trace.fast_path import LISTS, binary, unary
from autodiff.trace.forking import importing
from autodiff.trace.primitive import PRIMITIVES, Primitive
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, dtype_or_python, spec_of
from autodiff.trace.staging import Body
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer, concrete
from autodiff.trace.values.leaves import as_leaf
from autodiff.trace.values.sparse_operands import PRODUCTS

Function = Callable[..., Any]
F = TypeVar("F", bound=Function)

UFUNCS: dict[np.ufunc, Function] = {}
"""What a plain call of a ufunc runs."""

WITH_AXIS: dict[np.ufunc, Function] = {}
"""What a call of a ufunc of vectors runs that is given ``axis=``."""

METHODS: dict[tuple[np.ufunc, str], Function] = {}
"""What ``np.add.reduce``, ``np.add.at``, ... run, by ufunc and method."""

FUNCTIONS: dict[Function, Function] = {}
"""What any other function of NumPy runs."""

CREATION: dict[Function, Function] = {}
"""What functions run that are called with ``like=x``; they get ``x`` in front of NumPy's arguments."""

WRITING: dict[str, Function] = {}
"""``WRITING["out"](out, result)`` writes into an array given as ``out=``: what item assignment enters here."""

REFUSED: dict[Function, str] = {}
"""Functions that are refused, and why."""

LATE: dict[str, str] = {"scipy.special": "autodiff.numpy.elements.special"}
"""Libraries with ufuncs of their own, and our modules that know them, which are loaded when one is called."""


ABSENT: Any = object()
"""In the place of a first argument that was given by its name."""


def first_parameter(function: Function) -> str:
    """The name of the first argument."""
    return next(iter(inspect.signature(function).parameters))


def implements(*functions: Any) -> Callable[[F], F]:
    """Make a function the answer for functions of NumPy: ``@implements(np.sum)``."""

    def register(own: F) -> F:
        for function in functions:
            if isinstance(function, np.ufunc):
                UFUNCS[function] = own
            else:
                FUNCTIONS[function] = own
        return own

    return register


def implements_method(ufunc: np.ufunc, method: str) -> Callable[[F], F]:
    """Make a function the answer for a method of a ufunc: ``@implements_method(np.add, "reduce")``."""

    def register(own: F) -> F:
        METHODS[ufunc, method] = own
        return own

    return register


def refuse(reason: str, *functions: Any) -> None:
    """Refuse functions of NumPy, with a reason that tells the user what to do."""
    for function in functions:
        REFUSED[function] = reason


def constant(*functions: Any) -> None:
    """Functions whose results have no derivative: they are called on the values behind the traced ones."""
    for function in functions:
        FUNCTIONS[function] = without_derivative(function)


def without_derivative(function: Function) -> Function:
    """The function, called on the values behind traced ones."""
    known_as = f"{function.__module__}.{function.__name__}".replace("numpy", "np", 1)

    def call(*args: Any, **kwargs: Any) -> Any:
        plain = [peeled(value, known_as) for value in args]
        return function(*plain, **{name: peeled(value, known_as) for name, value in kwargs.items()})

    call.__name__ = function.__name__
    call.__doc__ = function.__doc__
    return call


def peeled(value: Any, function: str = "a function that is not recorded") -> Any:
    """The plain value behind a traced one, for functions that have no derivative.

    Args:
        value: an array, a number, or a list or tuple of them.
        function: the function that wants it, for the error text.

    Raises:
        ConcretizationError: where only shapes are known.
    """
    if isinstance(value, Tracer):
        plain = concrete(value)
        if type(plain) is Spec or isinstance(value.recording, Body):
            value._refuse_abstract(f"an argument of {function}", value.spec)
        return plain
    if isinstance(value, Traced):
        return peeled(value.array, function)  # type: ignore[attr-defined]
    if type(value) in (tuple, list):
        return type(value)(peeled(part, function) for part in value)
    return value


def register_ufuncs() -> None:
    """Enter every primitive that is a ufunc, and the ufuncs that are other names for one."""
    for primitive in PRIMITIVES.values():
        if isinstance(primitive.evaluate, np.ufunc):
            UFUNCS.setdefault(primitive.evaluate, fast_path_of(primitive, primitive.evaluate))


def fast_path_of(primitive: Primitive, ufunc: np.ufunc) -> Function:
    """The quickest function that records a primitive of one or two operands."""
    if len(primitive.operands) == 1:
        return unary(primitive, ufunc)
    if len(primitive.operands) != 2:
        return primitive
    forward, reflected = binary(primitive, ufunc)

    def call(x: Any, y: Any) -> Any:
        if type(x) is Tracer and (type(y) is not Tracer or x.recording is y.recording):
            return forward(x, y)
        if type(y) is Tracer and not isinstance(x, Traced):
            return reflected(y, x)
        return primitive(x, y)

    return call


def array_ufunc(self: Any, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """NumPy's question for ufuncs."""
    if not kwargs and method == "__call__":
        own = UFUNCS.get(ufunc)
        if own is not None:
            for operand in inputs:
                if type(operand) is list or type(operand) is tuple:
                    return own(*map(as_operand, inputs))
            try:
                return own(*inputs)
            except LeafError as error:
                return again_with_numbers(own, inputs, {}, error)
    return unusual_ufunc(ufunc, method, inputs, kwargs)


def as_operand(value: Any) -> Any:
    """Lists, tuples and ranges as arrays, as NumPy's functions take them; traced values in them are stacked."""
    if isinstance(value, (list, tuple)):
        if contains_traced(value):
            return FUNCTIONS[np.stack]([as_operand(item) for item in value])
        return np.asarray(value)
    return np.asarray(value) if isinstance(value, range) else value


LISTS["array"] = as_operand


def as_strong_operand(value: Any) -> Any:
    """The same with Python numbers as NumPy's: for functions in which they do not give way to other dtypes."""
    value = as_operand(value)
    its = spec_of(value)
    return PRIMITIVES["cast"](value, dtype=its.dtype) if its.kind == "python" else value


def contains_traced(values: Sequence[Any]) -> bool:
    """Whether a traced value stands anywhere among values and nested lists of them."""
    return any(
        (isinstance(value, Traced) and isinstance(value.settled(), Traced))
        or (isinstance(value, (list, tuple)) and contains_traced(value))
        for value in values
    )


def unusual_ufunc(ufunc: np.ufunc, method: str, inputs: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """A ufunc that is called with keywords, or by one of its methods."""
    if method == "at":  # whose second argument is an index: a tuple of lists stays what it is
        inputs = [inputs[0], inputs[1], *map(as_operand, inputs[2:])]
    else:
        inputs = [as_operand(value) for value in inputs]
    outs = kwargs.pop("out", None)
    if method == "__call__":
        result = call_ufunc(ufunc, inputs, kwargs, outs)
    else:
        own = METHODS.get((ufunc, method))
        if own is None:
            raise missing(f"{name_of(ufunc)}.{method}")
        if outs is not None and method in ("reduce", "accumulate"):  # whose dtype decides in which one they compute
            return own(*inputs, **kwargs, out=outs[0])
        result = own(*inputs, **kwargs)
    return result if outs is None else write_outs(outs, result)


def call_ufunc(ufunc: np.ufunc, inputs: Sequence[Any], kwargs: dict[str, Any], outs: Any) -> Any:
    """A plain call of a ufunc, with its keywords."""
    own = UFUNCS.get(ufunc) or late_ufunc(ufunc)
    if own is None:
        raise missing(name_of(ufunc))
    dtype, mask = kwargs.pop("dtype", None), as_operand(kwargs.pop("where", True))
    mask = True if mask is np.True_ else mask
    casting = kwargs.pop("casting", "same_kind")
    for harmless in ("order", "subok"):
        kwargs.pop(harmless, None)
    if ufunc in WITH_AXIS and kwargs.keys() == {"axis"}:
        own = partial(WITH_AXIS[ufunc], axis=kwargs.pop("axis"))
    if kwargs:
        raise missing(f"{name_of(ufunc)} with {', '.join(kwargs)}=")
    if mask is not True and outs is None:
        raise DifferentiationError(
            f"{name_of(ufunc)}(where=...) without out= leaves elements uninitialised{at_user_line()}; use np.where "
            "on the result"
        )
    if dtype is not None:
        inputs = converted(ufunc, inputs, np.dtype(dtype), casting)
    result = own(*inputs)
    if mask is True:
        return result
    if type(result) is not tuple:
        return PRIMITIVES["where"](mask, result, outs[0])
    return tuple(PRIMITIVES["where"](mask, part, out) for part, out in zip(result, outs, strict=True))


def converted(ufunc: np.ufunc, inputs: Sequence[Any], dtype: np.dtype[Any], casting: Any) -> list[Any]:
    """The operands as a ufunc takes them to compute in a dtype."""
    given = [dtype_or_python(s) for s in map(spec_of, inputs)]
    signature = (*(None,) * ufunc.nin, *(dtype,) * ufunc.nout)
    wanted = ufunc.resolve_dtypes((*given, *(None,) * ufunc.nout), signature=signature, casting=casting)
    return [PRIMITIVES["cast"](x, dtype=own) for x, own in zip(inputs, wanted)]


def name_of(ufunc: np.ufunc) -> str:
    """The name of a ufunc as users know it, which need not be one of NumPy's."""
    name = ufunc.__name__
    return f"np.{name}" if getattr(np, name, None) is ufunc else name


def with_sparse(name: str, operands: tuple[Any, ...]) -> Any:
    """An operation of one of SciPy's sparse matrices and a traced value."""
    with importing:
        own = import_module("autodiff.numpy.traced_sparse")
    return own.operation(name, *operands)


PRODUCTS["scipy.sparse"] = with_sparse


def late_ufunc(ufunc: np.ufunc) -> Function | None:
    """What a ufunc runs, once the modules are loaded for the libraries that are in use."""
    for library, module in list(LATE.items()):
        if library in sys.modules:
            with importing:
                import_module(module)
            LATE.pop(library, None)  # not before it is there: other threads ask, too
    return UFUNCS.get(ufunc)


def write_outs(outs: Any, result: Any) -> Any:
    """Write results into the arrays given as ``out=``."""
    write_out = WRITING["out"]
    if len(outs) == 1:
        return write_out(outs[0], result)
    return tuple(part if out is None else write_out(out, part) for out, part in zip(outs, result, strict=True))


def write_whole(out: Any, result: Any) -> Any:
    """Write a result into the array given as ``out=`` by a function that does not repeat it along new axes.

    Raises:
        OperandError: if the array has another shape.
    """
    wanted, given = spec_of(result).shape, spec_of(out).shape
    if wanted != given:
        raise OperandError(f"out= has the shape {given}, and the result {wanted}{at_user_line()}; they must agree")
    return write_outs((out,), result)


def array_function(self: Any, function: Function, types: Any, args: Any, kwargs: Any) -> Any:
    """NumPy's question for all other functions."""
    own = FUNCTIONS.get(function)
    if own is None and function in CREATION:
        return CREATION[function](self, *args, **kwargs)
    if own is None:
        raise missing(f"{function.__module__}.{function.__name__}".replace("numpy", "np", 1), REFUSED.get(function))
    try:
        return own(*args, **kwargs)
    except LeafError as error:
        return again_with_numbers(own, args, kwargs, error)


def again_with_numbers(own: Function, args: Any, kwargs: dict[str, Any], error: LeafError) -> Any:
    """A function that met an array of Python objects, or a range, called with the numbers that these hold.

    It is looked for only here, where it was met, so that nobody else pays for it.

    Raises:
        LeafError: the given one, if there is none of them.
    """
    if not holds_objects((args, kwargs)):
        raise error
    return own(*numbers_in(args), **numbers_in(kwargs))


def holds_objects(tree: Any) -> bool:
    """Whether an array of Python objects, or a range, stands anywhere among arguments."""
    if isinstance(tree, (list, tuple)):
        return any(map(holds_objects, tree))
    if isinstance(tree, dict):
        return any(map(holds_objects, tree.values()))
    return isinstance(tree, range) or (isinstance(tree, np.ndarray) and tree.dtype.kind == "O")


def numbers_in(tree: Any) -> Any:
    """Arguments with numbers in the places of arrays of Python objects and of ranges."""
    if type(tree) in (list, tuple):
        return type(tree)(map(numbers_in, tree))
    if type(tree) is dict:
        return {name: numbers_in(part) for name, part in tree.items()}
    if isinstance(tree, range):
        return np.asarray(tree)
    return as_leaf(tree) if holds_objects(tree) else tree


def missing(name: str, reason: str | None = None) -> DifferentiationError:
    """The error of a function that is in no table."""
    why = reason or "it has no derivative rule here"
    return DifferentiationError(
        f"{name} cannot be called with a traced value{at_user_line()}: {why}. Compose it of other functions, give it a "
        "rule with custom_vjp or custom_jvp, or, where no derivative is wanted, pass stop_gradient(x)."
    )
