"""Running a function in double precision, with every operation's result moved as its rounding may move it.

A recording stands below all transformations, as the arrays themselves do: traced values say they have the dtypes of the
program, and hold numbers in double precision. So every operation of derivatives and batches passes here as well, and
each is moved by its own error: those inside of rules, such as 1 - tanh(x)², make much of small errors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from autodiff.testing.fuzz.errors import Errors, Evaluate, met, size_of
from autodiff.trace.primitive import Primitive
from autodiff.trace.recording import Recording
from autodiff.trace.spec import Spec, spec, spec_of
from autodiff.trace.staging import abstract
from autodiff.trace.tape import Tape
from autodiff.trace.tracer import Tracer
from autodiff.transforms.custom.call import CustomCall
from autodiff.transforms.custom.rule import CustomRule


class Number:
    """A value of the program and its true form.

    Attributes:
        true: in double precision, perhaps with errors.
        spec: what the program takes it for.
        exact: the same without errors, where that is asked for.
        size: of a sum the sum of the magnitudes of its terms; None where that is the value's own.
    """

    __slots__ = ("exact", "size", "spec", "true")

    def __init__(self, true: Any, own: Spec, exact: Any = None, size: Any = None) -> None:
        self.true = true
        self.spec = own
        self.exact = exact
        self.size = size

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return self.spec.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type that the program takes the elements for."""
        return self.spec.dtype

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self.true, dtype)

    def __bool__(self) -> bool:
        return bool(self.true)

    def __int__(self) -> int:
        return int(self.true)

    def __index__(self) -> int:
        return int(self.true)


class Rounding(Recording):
    """Computes in double precision, perhaps with errors.

    Args:
        errors: moves results; None where nothing is moved.
    """

    __slots__ = ("errors",)
    purpose: ClassVar[str] = "a run with rounding errors"

    def __init__(self, errors: Errors | None) -> None:
        super().__init__()
        self.errors = errors

    def lift(self, value: Any) -> Any:
        """An argument."""
        own, true = spec_of(value), doubled(value)
        return self.result(true, own, true)

    def result(self, true: Any, own: Spec, exact: Any = None, size: Any = None) -> Any:
        """A traced value."""
        wide = double(own.dtype)
        number = Number(fitted(true, own, wide), own, None if exact is None else fitted(exact, own, wide), size)
        return Tracer(number, self, number)

    def record(
        self,
        primitive: Primitive,
        operands: Sequence[Any],
        params: Mapping[str, Any],
        apply: Callable[..., Any] | None = None,
    ) -> Any:
        if isinstance(primitive, CustomCall):
            return self.of_rule(params["rule"], operands)
        if any(map(carries_tape, params.values())):  # its operations come here one by one
            return primitive.evaluate(*operands, **params)
        own = abstract(primitive, [spec_of(operand) for operand in operands], params, apply)
        wide = {name: widened(param) for name, param in params.items()}
        evaluate = partial(apply or primitive.evaluate, **wide)
        with np.errstate(all="ignore"):
            if self.errors is None:
                found, exact, size = evaluate(*map(true_of, operands)), None, None
            else:
                found, exact, size = self.with_errors(self.errors, primitive, operands, own, evaluate)
        if type(own) is Spec:
            return self.result(found, own, exact, size)
        nothing = [None] * len(own)
        return tuple(map(self.result, found, own, exact or nothing, size if type(size) is tuple else nothing))

    def of_rule(self, rule: CustomRule, operands: Sequence[Any]) -> Any:
        """The results of a function with a rule of its own, which may look into arrays: as one operation."""
        operands = operands[: rule.count]
        specs = [spec_of(operand) for operand in operands]
        moving = [k for k, own in enumerate(specs) if own.inexact]

        def run(values: Sequence[Any]) -> tuple[Any, ...]:
            with np.errstate(all="ignore"):
                return rule.run(values, moving)[0]

        own = list(map(spec_of, run([narrowed(true_of(o), s) for o, s in zip(operands, specs, strict=True)])))
        if self.errors is None:
            return tuple(map(self.result, run(list(map(true_of, operands))), own))
        found = run([self.errors.moved(true_of(o), s) for o, s in zip(operands, specs, strict=True)])
        exact = run(list(map(exact_of, operands))) if self.errors.meeting else [None] * len(own)
        return tuple(map(self.result, map(self.errors.moved, found, own), own, exact))

    def with_errors(
        self, errors: Errors, primitive: Primitive, operands: Sequence[Any], own: Any, evaluate: Evaluate
    ) -> tuple[Any, Any, Any]:
        """The results of an operation, the same without errors where that is asked for, and the size of a sum."""
        values, exact = list(map(true_of, operands)), None
        if errors.meeting:
            before = list(map(exact_of, operands))
            exact = evaluate(*before)
            if primitive.name in errors.meeting:
                values = met(values, before, primitive.name == "add")
        sizes = [size_behind(o) if primitive.rule(k) else true_of(o) for k, o in enumerate(operands)]
        size = size_of(primitive, sizes, evaluate)
        return errors.computed(primitive, values, own, evaluate, size), exact, size


def beside(value: Any, array: Any) -> Any:
    """An array as what computes with a value takes it: derivatives round also where they are linear in a direction."""
    recording = None
    while isinstance(value, Tracer):
        value, recording = value.primal, value.recording
    return recording.lift(array) if isinstance(recording, Rounding) else array


def double(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of the true values of one."""
    return np.dtype({"f": np.float64, "c": np.complex128}.get(dtype.kind, dtype))


def doubled(value: Any) -> Any:
    """An array or number in double precision."""
    dtype = getattr(value, "dtype", None)
    return value if dtype is None or dtype == double(dtype) else value.astype(double(dtype))


def fitted(value: Any, own: Spec, dtype: np.dtype[Any]) -> Any:
    """A value of the kind that the program takes it for."""
    if own.kind == "python":
        return np.asarray(value).item()
    array = np.asarray(value)
    array = array if array.dtype == dtype else array.astype(dtype)
    return array if own.kind == "array" else array[()]


def narrowed(true: Any, own: Spec) -> Any:
    """A number in the precision and of the kind that the program takes it for."""
    return fitted(true, own, own.dtype)


def true_of(operand: Any) -> Any:
    """The number in double precision behind an operand."""
    return operand.primal.true if isinstance(operand, Tracer) else doubled(operand)


def exact_of(operand: Any) -> Any:
    """The same without errors."""
    return operand.primal.exact if isinstance(operand, Tracer) else doubled(operand)


def size_behind(operand: Any) -> Any:
    """The sum of the magnitudes of the terms of an operand."""
    size = operand.primal.size if isinstance(operand, Tracer) else None
    return abs(true_of(operand)) if size is None else size


def widened(param: Any) -> Any:
    """A parameter with dtypes doubled."""
    if isinstance(param, np.dtype):
        return double(param)
    if type(param) is Spec:
        return spec(param.shape, double(param.dtype), param.kind)
    if type(param) is tuple:
        return tuple(map(widened, param))
    return doubled(param) if isinstance(param, np.ndarray | np.generic) else param


def carries_tape(param: Any) -> bool:
    """Whether a parameter is a tape, or several."""
    return isinstance(param, Tape) or (type(param) is tuple and any(map(carries_tape, param)))
