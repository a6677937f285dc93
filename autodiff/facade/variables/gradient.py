"""What may be a Variable's gradient, and how gradients are added to it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff.backends import gpu
from autodiff.facade.settings.current import on_gpu_of
from autodiff.facade.settings.devices import device_of
from autodiff.trace.errors import LeakedTracerError
from autodiff.trace.forking import lock_of
from autodiff.trace.memory.recycling import owns_memory
from autodiff.trace.source import at_user_line
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer
from autodiff.trace.values.foreign import is_array_type, remedy
from autodiff.transforms.masking import unmasked

if TYPE_CHECKING:
    from autodiff.facade.variables.variable import Variable


def check_gradient(grad: Any, variable: Variable) -> None:
    """See that an array can be the gradient of a Variable.

    Raises:
        TypeError: if it is no array, or of another dtype.
        ValueError: if it has another shape.
    """
    array = variable._array
    if type(grad) is not np.ndarray and not is_gradient(grad):
        then = (
            "assign it to .grad_var"
            if isinstance(grad, Traced)
            else remedy(grad) or "for example np.ones_like(v.array)"
        )
        raise TypeError(f"a gradient must be an array, got {type(grad).__name__}{at_user_line()}; {then}")
    check_inside(grad, variable)
    if array is None:
        return
    if grad.dtype != array.dtype:
        raise TypeError(
            f"the gradient has dtype {grad.dtype} but the Variable {array.dtype}{at_user_line()}; they must be equal"
        )
    if grad.shape != array.shape:
        raise ValueError(
            f"the gradient has shape {grad.shape} but the Variable {array.shape}{at_user_line()}; they must be equal"
        )
    if (type(grad) is not np.ndarray or type(array) is not np.ndarray) and not isinstance(grad, Traced):
        check_device(grad, array)


def check_device(grad: Any, array: Any) -> None:
    """See that a gradient is where the array of its Variable is.

    Raises:
        TypeError: if it is not.
    """
    own, its = device_of(grad), device_of(array)
    if own != its and not isinstance(array, Traced):
        raise TypeError(
            f"the gradient is on {own} but the Variable on {its}{at_user_line()}; bring it there: "
            f"chainer.get_device({str(its)!r}).send(grad)"
        )


def is_gradient(grad: Any) -> bool:
    """Whether it is an array, plain or traced; numbers are none."""
    if isinstance(grad, Traced):
        return isinstance(grad, Tracer)
    return is_array_type(type(grad))


def check_inside(grad: Any, variable: Variable) -> None:
    """See that no traced value gets out of its trace through a Variable that was made before."""
    if isinstance(grad, Tracer) and grad.level > variable.level:
        raise LeakedTracerError(
            f"backward() inside of {grad.recording.purpose} reached a Variable that was made outside{at_user_line()}, "
            "whose gradient would be a traced value; use autodiff.grad for the inner derivative, or make the Variable "
            "inside"
        )


class Gradients:
    """Gives out gradients of one backward pass, none of which shares memory with another.

    Args:
        seed: an array that belongs to the user.
    """

    __slots__ = ("given",)

    def __init__(self, seed: Any) -> None:
        self.given = {id(seed): seed}

    def lend(self, g: Any) -> Any:
        """An array that belongs to the user, which no leaf gets."""
        self.given[id(g)] = g
        return g

    def own(self, g: Any) -> Any:
        """The cotangent as an array that nobody else has."""
        g = unmasked(g)
        if isinstance(g, np.generic):
            g = np.asarray(g)
        if isinstance(g, np.ndarray):
            if not owns_memory(g) or id(g) in self.given or not g.flags.writeable:
                g = g.copy("K")
            self.given[id(g)] = g  # held here so that its id stays its own
        elif gpu.is_gpu_array(g):
            if g.base is not None or id(g) in self.given:
                with on_gpu_of("backward()", (g,)):
                    g = g.copy()
            self.given[id(g)] = g
        return g


storing = lock_of(sys.modules[__name__], "storing")
"""Held while the gradient of a leaf is replaced, not while it is computed: threads may share leaves."""


def accumulate(variable: Variable, g: Any, loss_scale: float | None) -> None:
    """Add an array to a Variable's gradient, which becomes a new array."""
    check_inside(g, variable)
    while True:
        before, total = variable._grad, g
        if before is not None:
            with on_gpu_of("backward()", (before, g)):
                total = np.asarray(before + g) if isinstance(g, np.ndarray) else before + g
        with storing:
            if variable._grad is not before:  # another thread has added to it
                continue
            variable._grad = total
            variable._grad_var = None
            if loss_scale is not None:
                variable._loss_scale = loss_scale
            return


def accumulate_variable(variable: Variable, g: Variable, loss_scale: float | None) -> None:
    """Add a Variable to a Variable's gradient."""
    while True:
        array, before = variable._grad, variable.grad_var
        total = g if before is None else before + unmasked(g)
        with storing:
            if variable._grad is not array:
                continue
            set_gradient(variable, total)
            if loss_scale is not None:
                variable._loss_scale = loss_scale
            return


def set_gradient(variable: Variable, g: Any) -> None:
    """Make a Variable, or an array where a rule gave a constant, the gradient."""
    g = unmasked(g)
    if isinstance(g, Traced):
        variable.grad_var = g  # type: ignore[assignment]
    else:
        variable.grad = g if gpu.is_gpu_array(g) else np.asarray(g)
