"""Functions that keep nothing in memory and are run again for their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.facade import Variable, as_variable, force_backprop_mode, no_backprop_mode
from autodiff.facade.functions.function_node import FunctionNode
from autodiff.facade.settings.configuration import config, using_config
from autodiff.trace.source import at_user_line
from autodiff.trace.traced import Traced


class Forget(FunctionNode):
    """A function of Variables as one node that keeps the inputs alone.

    Args:
        func: the function.
    """

    def __init__(self, func: Callable[..., Any]) -> None:
        self.func = func

    def forward(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arrays of the results; no graph is built."""
        self.retain_inputs(tuple(range(len(inputs))))
        with no_backprop_mode(), using_config("_will_recompute", True):
            return tuple(out.array for out in called(self.func, [Variable(x) for x in inputs]))

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """The gradients of the inputs. Parameters that the function uses get theirs too.

        Raises:
            RuntimeError: if gradients are to be differentiated in turn.
        """
        if config.enable_backprop:
            raise RuntimeError(
                "forget() does not allow double backpropagation: what it computes again is not part of the graph; "
                "autodiff.checkpoint can be differentiated any number of times"
            )
        inputs = [Variable(x.array) for x in self.get_retained_inputs()]
        with force_backprop_mode(), using_config("in_recomputing", True):
            outs = called(self.func, inputs)
            total = sum(np.sum(out * g.array) for out, g in zip(outs, grad_outputs, strict=True) if g is not None)
        if isinstance(total, Variable):
            total.backward()
        return tuple(x.grad_var for x in inputs)


def called(func: Callable[..., Any], inputs: list[Variable]) -> tuple[Variable, ...]:
    """The results of a function, as a tuple.

    Raises:
        RuntimeError: if they are no Variables.
    """
    outs = func(*inputs)
    results = outs if isinstance(outs, tuple) else (outs,)
    for result in results:
        if not isinstance(result, Variable):
            raise RuntimeError(
                f"the function given to forget() must return a Variable or a tuple of them, got {type(result)}"
            )
    return results


def forget(func: Callable[..., Any], *xs: Any) -> Any:
    """``func(*xs)``, of which nothing but the inputs is kept; for the gradients it is called again.

    Args:
        func: a function of Variables that returns a Variable or a tuple of them. It must compute the same again: what
            draws random numbers, as dropout does, gives wrong gradients.
        xs: Variables, or arrays.

    Returns:
        what ``func`` returns. Where an input is traced by ``grad``, ``vmap``, ... it is called as it is.

    Raises:
        TypeError: if ``func`` cannot be called.
        RuntimeError: if it returns anything else, or gradients are differentiated in turn.

    >>> x = Variable(np.array([1.0, 2.0]))
    >>> y = forget(lambda x: x * x, x)
    >>> y.grad = np.ones(2)
    >>> y.backward()
    >>> x.grad
    array([2., 4.])
    """
    if not callable(func):
        raise TypeError(f"forget() needs a function that it can call, got {func!r}{at_user_line()}")
    if any(isinstance(x, Traced) and not isinstance(x, Variable) for x in xs):
        return func(*xs)
    results = Forget(func).apply(tuple(map(as_variable, xs)))
    return results[0] if len(results) == 1 else results
