"""Gradients of several Variables at once: ``backward(outputs)`` and ``grad(outputs, inputs)``."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np

from autodiff.facade.graph.backward import Assigned, Visited
from autodiff.facade.graph.node import VariableNode
from autodiff.facade.graph.pulling import pull_in_this_thread
from autodiff.facade.graph.residuals import arrays, variables
from autodiff.facade.settings.current import follow, on_gpu_of
from autodiff.facade.settings.mode import Promoting, force_backprop_mode
from autodiff.facade.variables.conversion import as_variable
from autodiff.facade.variables.gradient import Gradients, accumulate, accumulate_variable, check_gradient, set_gradient
from autodiff.facade.variables.variable import Variable
from autodiff.trace.source import at_user_line
from autodiff.transforms.masking import unmasked
from autodiff.transforms.reverse import Begin, pulled, read_backwards

Grads = Sequence[Any] | None


def backward_all(
    outputs: Sequence[Variable],
    grad_outputs: Grads = None,
    *,
    enable_double_backprop: bool = False,
    **unsupported: Any,
) -> None:
    """One backward pass from several Variables: parts of the graph that they share are read once.

    Args:
        outputs: where to start. Each starts from its ``grad``, which is None afterwards.
        grad_outputs: gradients to start from in place of those: Variables, arrays or None.
        enable_double_backprop: whether gradients are Variables with a graph.
        unsupported: ``retain_grad`` and ``loss_scale`` of ``y.backward()`` are refused.

    Raises:
        TypeError: if an argument is no list or tuple, or an output no Variable.
        ValueError: if there are not as many gradients as outputs.

    A RuntimeWarning says that an output has no gradient; it is left out.

    >>> from autodiff.chainer import backward
    >>> x = Variable(np.array([1.0, 2.0]))
    >>> y, z = 2 * x, x**2
    >>> y.grad, z.grad = np.ones(2), np.ones(2)
    >>> backward([y, z])
    >>> x.grad
    array([4., 6.])
    """
    if unsupported:
        refuse_keyword(next(iter(unsupported)))
    grads = checked_outputs(outputs, grad_outputs)
    seeds: dict[Any, Any] = {}
    for output, given in zip(outputs, grads, strict=True):
        grad = output.grad_var if given is None and output.node not in seeds else given
        output.grad_var = None
        if grad is None:
            warnings.warn(
                f"an output has no gradient, or stands there twice{at_user_line()}; it is left out: unlike "
                "y.backward(), backward(outputs) starts from no gradient of its own",
                RuntimeWarning,
                stacklevel=3,
            )
        elif output.requires_grad:
            seeds[output.node] = gradient_of(output, grad)
    gradients = Gradients(None)
    assigned = Assigned(
        (lambda result: result.grad_var) if enable_double_backprop else (lambda result: gradients.lend(result._grad))
    )
    found, _ = read(seeds, enable_double_backprop, begin=assigned)
    assigned.forget()
    add = accumulate_variable if enable_double_backprop else accumulate
    for node, g in found.items():
        leaf = node.get_variable_or_none()
        if leaf is not None:
            add(leaf, g if enable_double_backprop else gradients.own(g), None)


def grad(
    outputs: Sequence[Variable],
    inputs: Sequence[Variable],
    grad_outputs: Grads = None,
    grad_inputs: Grads = None,
    set_grad: bool = False,
    retain_grad: bool = False,
    enable_double_backprop: bool = False,
    loss_scale: float | None = None,
) -> list[Variable | None]:
    """The gradients of some Variables with respect to others, without changing any.

    Only operations between the two are read.

    Args:
        outputs: where to start.
        inputs: the Variables whose gradients are wanted; they may be results of operations.
        grad_outputs: the gradients of the outputs: Variables, arrays, or None for ones.
        grad_inputs: gradients that the inputs have already: the results are added to them, and what an input that some
            output depends on passes on to other inputs counts both.
        set_grad: whether the inputs get their gradients as ``grad_var``.
        retain_grad: whether the Variables between them, and the outputs, do.
        enable_double_backprop: whether gradients are Variables with a graph.
        loss_scale: a factor for the ones.

    Returns:
        a list of Variables, None where no output depends on the input.

    Raises:
        TypeError: if one of the sequences is no list or tuple, or holds something else than Variables.
        ValueError: if there are not as many gradients as Variables that they belong to.

    >>> x = Variable(np.array([1.0, 2.0]))
    >>> y = x**3
    >>> (gx,) = grad([y], [x], enable_double_backprop=True)
    >>> gx, grad([gx], [x]), x.grad
    (variable([ 3., 12.]), [variable([ 6., 12.])], None)
    """
    grads = checked_outputs(outputs, grad_outputs, "or a list or None")
    seeds = summed(
        (output.node, unit_gradient(output, loss_scale) if given is None else gradient_of(output, given))
        for output, given in zip(outputs, grads, strict=True)
    )
    check_variables("input", inputs)
    nodes = [variable.node for variable in inputs]
    on_path = between(seeds, set(nodes))
    before = checked_gradients("grad_inputs", grad_inputs, "inputs", inputs, "or a list or None")
    added = summed(
        (variable.node, gradient_of(variable, given))
        for variable, given in zip(inputs, before, strict=True)
        if given is not None
    )
    pairs = [pair for pair in (*seeds.items(), *added.items()) if pair[0] in on_path]
    leaves, visited = read(summed(pairs), enable_double_backprop, on_path)
    found = {**added, **{variable.node: g for variable, g in visited}, **leaves}
    results = [result(found.get(node)) for node in nodes]
    if retain_grad:
        for variable, g in visited:
            set_gradient(variable, result(g))
    if set_grad:
        for variable, found_gradient in zip(inputs, results, strict=True):
            variable.grad_var = found_gradient
    return results


def summed(pairs: Iterable[tuple[Any, Variable]]) -> dict[Any, Variable]:
    """The gradients of nodes; those of a node that is there twice, as operands of one sum may be, count twice."""
    found: dict[Any, Variable] = {}
    for node, g in pairs:
        found[node] = found[node] + g if node in found else g
    return found


def read(
    seeds: dict[Any, Variable], double: bool, on_path: set[Any] | None = None, begin: Begin | None = None
) -> tuple[dict[Any, Any], list[tuple[Variable, Any]]]:
    """The cotangents of leaves, and pairs of the Variables that were come by and theirs."""
    visited = Visited()
    pull = pull_in_this_thread(double, on_path)
    with ExitStack() as stack:
        stack.enter_context(np.errstate(all="ignore"))
        if double:
            stack.enter_context(Promoting())
            stack.enter_context(force_backprop_mode())
            return read_backwards(seeds.items(), variables, visited, pull, begin), visited.found
        pairs = [(node, seed._array) for node, seed in seeds.items()]
        following = follow(pull or pulled)
        pull = stack.enter_context(following).pull if following else pull
        return read_backwards(pairs, arrays, visited, pull, begin), visited.found


def between(outputs: Iterable[VariableNode], inputs: set[VariableNode]) -> set[Any]:
    """The nodes on the ways from inputs to outputs, with their ends."""
    seen: dict[Any, list[Any]] = {}
    waiting = list(outputs)
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen[node] = [] if node.link is None else differentiated_nodes(node)
            waiting.extend(seen[node])
    on_path: set[Any] = set()
    for node in sorted(seen, key=lambda node: node.order):
        if node in inputs or any(operand in on_path for operand in seen[node]):
            on_path.add(node)
    return on_path


def differentiated_nodes(node: Any) -> list[Any]:
    """The nodes that the cotangent of a node goes on to."""
    return list(node.operands) if type(node.operands) is tuple else [node.operands]


def gradient_of(variable: Variable, given: Any) -> Variable:
    """A gradient that was given for an output or input, as a Variable."""
    grad = as_variable(given)
    check_gradient(grad._array, variable)
    return grad


def unit_gradient(output: Variable, loss_scale: float | None) -> Variable:
    """Ones, times the loss scale."""
    with on_gpu_of("grad", (output.array,)):
        return Variable(np.full_like(output.array, 1 if loss_scale is None else loss_scale))


def result(g: Any) -> Variable | None:
    """A gradient as a Variable."""
    g = None if g is None else unmasked(g)
    return g if g is None or isinstance(g, Variable) else Variable(Gradients(None).own(g))


def checked_outputs(outputs: Any, grads: Any, kinds: str = "or a list") -> Sequence[Any]:
    """A gradient or None for each output."""
    check_variables("output", outputs)
    return checked_gradients("grad_outputs", grads, "outputs", outputs, kinds)


def check_variables(name: str, values: Any) -> None:
    """See that there is a list of Variables.

    Raises:
        TypeError: if not.
    """
    if not isinstance(values, (tuple, list)):
        raise TypeError(f"{name}s must be a tuple or a list, not {type(values)}.{at_user_line()} Put it into a list.")
    for value in values:
        if not isinstance(value, Variable):
            raise TypeError(
                f"each {name} must be a Variable, not {type(value)}{at_user_line()}; gradients are computed of and for "
                "the Variables of a graph"
            )


def checked_gradients(name: str, grads: Any, of: str, values: Sequence[Any], kinds: str) -> Sequence[Any]:
    """As many gradients as there are values.

    Raises:
        TypeError: if it is no list or tuple.
        ValueError: if there are more or fewer.
    """
    if grads is None:
        return (None,) * len(values)
    if not isinstance(grads, (tuple, list)):
        raise TypeError(f"{name} must be a tuple {kinds}, not {type(grads)}.{at_user_line()} Put it into a list.")
    if len(grads) != len(values):
        raise ValueError(
            f"{name} must be of the same length as {of}.\nlen({of}) = {len(values)}, len({name}) = {len(grads)}"
            f"{at_user_line()}\nGive None where there is none."
        )
    return grads


def refuse_keyword(name: str) -> None:
    """Say why a keyword is not taken."""
    if name in ("retain_grad", "loss_scale"):
        remedy = "scale grad_outputs" if name == "loss_scale" else "use chainer.grad(..., retain_grad=True)"
        raise ValueError(f"backward(outputs) does not support {name}{at_user_line()}; {remedy}, or call y.backward()")
    raise TypeError(
        f"backward got an unexpected keyword argument {name!r}{at_user_line()}; it takes enable_double_backprop"
    )
