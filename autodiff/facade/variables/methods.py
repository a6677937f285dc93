"""The methods of Variables that are operations on arrays."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np

from autodiff.facade.functions.invalid import invalid
from autodiff.facade.variables.fast_path import both_operands, constant_operand
from autodiff.facade.variables.operands import other_operand
from autodiff.facade.variables.operators import SHORT, of_two
from autodiff.facade.variables.variable import Variable
from autodiff.numpy import indexing
from autodiff.numpy.dispatch import FUNCTIONS, UFUNCS
from autodiff.ops.matrices.products import matmul as matrix_product
from autodiff.trace.errors import OperandError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.values.deferring import left_to_other


def get_item(self: Variable, key: Any) -> Any:
    """``v[key]``: elements as NumPy picks them; where one is picked repeatedly its gradients are summed."""
    if any(isinstance(part, Variable) for part in (key if isinstance(key, tuple) else (key,))):
        raise IndexError(f"a Variable cannot be an index{at_user_line()}; index with its array: v[i.array]")
    try:
        return indexing.index(self, key)
    except IndexError:
        if self.shape or not isinstance(key, (int, np.integer)):
            raise
        raise TypeError(  # an IndexError would end a loop over it as if it were empty
            f"a Variable without axes has no items to index or to iterate over{at_user_line()}; it is one number: "
            "v.item()"
        ) from None


def reshape(self: Variable, *shape: Any) -> Any:
    """The same elements in another shape, given as lengths or as one tuple; one length may be -1."""
    lengths = shape[0] if len(shape) == 1 and not isinstance(shape[0], (int, np.integer)) else shape
    lengths = tuple(lengths)
    if lengths == self.shape:
        return self
    try:
        return FUNCTIONS[np.reshape](self, lengths)
    except OperandError:
        raise invalid(
            "Reshape",
            f"prod(x.shape) == prod({lengths})",
            f"x.shape is {self.shape}, {self.size} elements",
            "The number of elements must stay; one length may be -1.",
        ) from None


def transpose(self: Variable, *axes: Any) -> Any:
    """The axes in another order, given one by one or as one tuple; without an argument the reverse order."""
    order = axes[0] if len(axes) == 1 and not isinstance(axes[0], (int, np.integer)) else axes or None
    return FUNCTIONS[np.transpose](self, order)


def long_matmul(self: Variable, other: Any) -> Any:
    """The matrix product of anything."""
    refuse_number(other)
    taken = other_operand(matrix_product, self, other)
    if taken is NotImplemented:
        return left_to_other("matmul", (self, other))
    return product(self, taken)


def long_reflected_matmul(self: Variable, other: Any) -> Any:
    """The matrix product of an array and a Variable."""
    refuse_number(other)
    taken = other_operand(matrix_product, self, other)
    if taken is NotImplemented:
        return left_to_other("matmul", (other, self))
    return product(taken, self)


def refuse_number(other: Any) -> None:
    """See that a factor is no number.

    Raises:
        TypeError: if it is.
    """
    if np.isscalar(other):
        raise TypeError(f"@ multiplies matrices, got {type(other).__name__}{at_user_line()}; * multiplies by a number")


def product(x: Any, y: Any) -> Any:
    """The matrix product of operands that were looked at."""
    try:
        return UFUNCS[np.matmul](x, y)
    except OperandError:
        raise invalid(
            "MatMul",
            "in_types[0].shape[-1] == in_types[1].shape[-2]",
            f"{spec_of(x).shape} and {spec_of(y).shape}",
            "The inner lengths must be equal; other axes must have equal lengths or length 1.",
        ) from None


short_matmul = constant_operand(
    matrix_product, operator.matmul, 0, both_operands(matrix_product, operator.matmul, long_matmul), long_matmul
)
short_reflected_matmul = constant_operand(
    matrix_product, operator.matmul, 1, long_reflected_matmul, long_reflected_matmul
)


def matmul(self: Variable, other: Any) -> Any:
    """``v @ w``: the matrix product."""
    return (short_matmul if are_matrices(self, other) else long_matmul)(self, other)


def reflected_matmul(self: Variable, other: Any) -> Any:
    """``array @ v``."""
    return (short_reflected_matmul if are_matrices(self, other) else long_reflected_matmul)(self, other)


def are_matrices(x: Variable, y: Any) -> bool:
    """Whether both have two axes."""
    return x.ndim == 2 and getattr(y, "ndim", 0) == 2


def item(self: Variable) -> Any:
    """The one element as a Python number.

    Raises:
        ValueError: if there is not exactly one.
    """
    if self.size != 1:
        raise ValueError(f"item() needs exactly one element, the Variable has shape {self.shape}{at_user_line()}")
    return self.array.item()


def cleargrad(self: Variable) -> None:
    """Forget the gradient."""
    self.grad = None


def zerograd(self: Variable) -> None:
    """Make the gradient zeros. Deprecated: :meth:`cleargrad` costs nothing."""
    warn_zerograd()
    with self.device.create_context():
        if self.grad is None:
            self.grad = None if self.array is None else np.zeros_like(self.array)
        else:
            self.grad[...] = 0
            if self._grad_var is not None:
                self._grad_var.unchain()


def addgrad(self: Variable, var: Variable) -> None:
    """Add the gradient of another Variable to this one's, if it has any."""
    check_source("addgrad", var)
    if var.grad is None:
        return
    if self.array is None:
        initialize(self, var.shape)
    grad = self.device.send(var.grad)
    if self.grad is not None:
        try:
            with self.device.create_context():
                grad = self.xp.asarray(self.grad + grad)
        except ValueError:
            raise misfit("addgrad", self, grad.shape) from None
    self.grad = grad


def copydata(self: Variable, var: Variable) -> None:
    """Copy another Variable's elements into this one's array, which keeps its dtype.

    Where one of both has no array yet, it is initialised with the shape of the other.
    """
    check_source("copydata", var)
    if self.array is None and var.array is None:
        return
    if self.array is None:
        initialize(self, var.shape)
    elif var.array is None:
        initialize(var, self.shape)
    try:
        with self.device.create_context():
            self.xp.copyto(self.array, self.device.send(var.array), casting="unsafe")
    except ValueError:
        raise misfit("copydata", self, var.shape) from None


def check_source(method: str, var: Any) -> None:
    """See that a Variable was given.

    Raises:
        TypeError: if not.
    """
    if not isinstance(var, Variable):
        raise TypeError(
            f"{method} takes a Variable, got {type(var).__name__}{at_user_line()}; wrap it: Variable(array)"
        )


def misfit(method: str, variable: Variable, shape: tuple[int, ...]) -> ValueError:
    """The error of a source of a shape that does not fit into a Variable."""
    name = variable.name or "the Variable"
    return ValueError(
        f"{method}: {name} has shape {variable.shape}, but the source {shape}{at_user_line()}; they must be equal"
    )


def initialize(variable: Variable, shape: tuple[int, ...]) -> None:
    """Give a Parameter its array."""
    own = getattr(variable, "initialize", None)
    if own is None:
        raise AttributeError(
            f"a Variable without an array cannot be initialised{at_user_line()}; only a Parameter knows how: assign to "
            ".array"
        )
    own(shape)


def warn_zerograd() -> None:
    """Tell the caller of the method that it is deprecated."""
    warnings.warn("zerograd() is deprecated; use cleargrad()", DeprecationWarning, stacklevel=3)


def install() -> None:
    """Give Variables their methods."""
    for function in (reshape, transpose, item, cleargrad, zerograd, addgrad, copydata):
        setattr(Variable, function.__name__, function)
    for name, operation in {"getitem": get_item, "matmul": matmul, "rmatmul": reflected_matmul}.items():
        setattr(Variable, f"__{name}__", operation)
    SHORT[np.matmul] = of_two(matmul, reflected_matmul)
    Variable.T = property(transpose, doc="The axes in reverse order.")  # type: ignore[assignment]


install()
