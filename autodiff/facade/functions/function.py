"""Functions of the old style: ``backward`` takes and returns arrays, and cannot be differentiated again."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Sequence
from copy import copy
from typing import Any

from autodiff.facade.functions.function_node import FunctionNode
from autodiff.facade.functions.own_gradient import of_function
from autodiff.facade.graph.observing import FunctionHook
from autodiff.facade.variables.variable import Variable, is_array
from autodiff.trace.source import at_user_line


class Function:
    """A function of Variables whose ``forward`` and ``backward`` take and return tuples of arrays.

    All inputs are kept for ``backward`` unless ``forward`` calls :meth:`retain_inputs`. The graph that a call builds
    holds the object; the object refers to its node only weakly. It may be called again: the graph of the earlier call
    then goes on with a copy of it.

    >>> import numpy as np
    >>> class Twice(Function):
    ...     def forward(self, inputs):
    ...         return (2 * inputs[0],)
    ...
    ...     def backward(self, inputs, grad_outputs):
    ...         return (2 * grad_outputs[0],)
    >>> x = Variable(np.array([3.0, 4.0]))
    >>> y = Twice()(x)
    >>> y.grad = np.ones(2)
    >>> y.backward()
    >>> y, x.grad
    (variable([6., 8.]), array([2., 2.]))
    """

    _node: Any = None  # refers weakly to the node after a call
    _owned_node: FunctionAdapter | None = None

    def __call__(self, *inputs: Any) -> Any:
        if self.node._applied:
            self.node._function = copy(self)  # the graph of the earlier call keeps the state that it had
            self._node = None
        node = self.node
        self._node, self._owned_node = weakref.ref(node), None
        results = node.apply(inputs)
        return results[0] if len(results) == 1 else results

    @property
    def node(self) -> FunctionAdapter:
        """The node that stands for this function in the graph."""
        node: FunctionAdapter | None = self._node() if self._node is not None else self._owned_node
        if node is None:
            node = self._owned_node = FunctionAdapter(self)
            self._node = None
        return node

    # What a subclass writes.

    def check_type_forward(self, in_types: Any) -> None:
        """See that the inputs fit, with :func:`autodiff.chainer.utils.type_check.expect`."""

    def forward(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """The outputs from the inputs; by default one of the two methods below."""
        if any(type(value).__module__.startswith("cupy") for value in inputs):
            return self.forward_gpu(inputs)
        return self.forward_cpu(inputs)

    def forward_cpu(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """:meth:`forward` on NumPy arrays."""
        raise NotImplementedError(f"{type(self).__name__} has neither forward nor forward_cpu{at_user_line()}")

    def forward_gpu(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """:meth:`forward` on CuPy arrays."""
        raise NotImplementedError(f"{type(self).__name__} has neither forward nor forward_gpu{at_user_line()}")

    def backward(self, inputs: tuple[Any, ...], grad_outputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """The gradients of the inputs; by default one of the two methods below."""
        if any(type(value).__module__.startswith("cupy") for value in (*inputs, *grad_outputs)):
            return self.backward_gpu(inputs, grad_outputs)
        return self.backward_cpu(inputs, grad_outputs)

    def backward_cpu(self, inputs: tuple[Any, ...], grad_outputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """:meth:`backward` on NumPy arrays: by default there are no gradients."""
        return (None,) * len(inputs)

    def backward_gpu(self, inputs: tuple[Any, ...], grad_outputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """:meth:`backward` on CuPy arrays: by default there are no gradients."""
        return (None,) * len(inputs)

    # What forward may call.

    def retain_inputs(self, indexes: Sequence[int]) -> None:
        """Keep these inputs for :meth:`backward`, and no others."""
        self.node.retain_inputs(indexes)

    def retain_outputs(self, indexes: Sequence[int], retain_after_backward: bool = False) -> None:
        """Keep outputs for :meth:`backward`: see :attr:`output_data`. They are never kept beyond the graph."""
        if retain_after_backward:
            warnings.warn(f"retain_after_backward has no effect{at_user_line()}", DeprecationWarning, stacklevel=2)
        self.node.retain_outputs(indexes)

    # The node's.

    @property
    def label(self) -> str:
        """Its name in drawings of the graph: the name of the class."""
        return type(self).__name__

    @property
    def inputs(self) -> Any:
        """The nodes of the inputs."""
        return self.node.inputs

    @property
    def outputs(self) -> Any:
        """Weak references to the nodes of the outputs."""
        return self.node.outputs

    @property
    def output_data(self) -> tuple[Any, ...]:
        """The arrays of the outputs, None where they are not retained."""
        return self.node.output_data

    @property
    def rank(self) -> int:
        """The largest rank of the inputs."""
        return self.node.rank

    @property
    def stack(self) -> Any:
        """Where it was called, in debug mode."""
        return self.node.stack

    @property
    def local_function_hooks(self) -> Any:
        """The hooks that watch this function alone, by name."""
        return self.node.local_function_hooks

    def add_hook(self, hook: FunctionHook, name: str | None = None) -> None:
        """Let a hook watch this function."""
        self.node.add_hook(hook, name)

    def delete_hook(self, name: str) -> None:
        """Take a hook off."""
        self.node.delete_hook(name)

    def unchain(self) -> None:
        """Forget inputs and outputs; the outputs become roots."""
        self.node.unchain()


class FunctionAdapter(FunctionNode):
    """The node of a function of the old style.

    Args:
        function: the function.
    """

    stands_for_function = True

    def __init__(self, function: Function) -> None:
        self._function = function

    def __copy__(self) -> FunctionAdapter:
        """Another node, with a function of its own: two calls keep what each has seen."""
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        made._function = copy(self._function)
        made._function._node, made._function._owned_node = weakref.ref(made), None
        return made

    @property
    def function(self) -> Function:
        """The function."""
        return self._function

    @property
    def label(self) -> str:
        return self._function.label

    def check_type_forward(self, in_types: Any) -> None:
        self._function.check_type_forward(in_types)

    def forward(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        self.retain_inputs(tuple(range(len(inputs))))
        return self._function.forward(inputs)

    def backward(
        self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Variable | None, ...]
    ) -> tuple[Any, ...]:
        assert self.inputs is not None
        retained = set(self._input_indexes_to_retain or ())
        in_data = tuple(node.data if k in retained else None for k, node in enumerate(self.inputs))
        found = self._function.backward(in_data, tuple(None if g is None else g.array for g in grad_outputs))
        if not isinstance(found, (tuple, list)):
            raise TypeError(
                f"type of gradients returned from backward is incorrect: {type(found)} is no tuple{of_function(self)}"
            )
        gradients = dict(zip(range(len(self.inputs)), found, strict=False))
        wanted = [gradients.get(index) for index in target_input_indexes]
        for index, gradient in zip(target_input_indexes, wanted, strict=True):
            check_array(self, index, gradient)
        present = [k for k, gradient in enumerate(wanted) if gradient is not None]
        sources = [*self.get_retained_inputs(), *(g for g in grad_outputs if g is not None)]
        made = iter(OldGradient(self.label, [wanted[k] for k in present]).apply(sources) if present else ())
        return tuple(None if gradient is None else next(made) for gradient in wanted)


class OldGradient(FunctionNode):
    """The gradients that a function of the old style returned. They know where they come from, but not how.

    Args:
        name: the label of the function.
        gradients: what it returned.
    """

    def __init__(self, name: str, gradients: list[Any]) -> None:
        self.name = name
        self.gradients = tuple(gradients)

    def _call_traced(self, arrays: tuple[Any, ...]) -> tuple[Any, ...]:
        return self._run(arrays)

    def forward(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        return self.gradients

    def backward(
        self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Variable | None, ...]
    ) -> tuple[Any, ...]:
        raise RuntimeError(
            f'cannot twice-differentiate an old style Function "{self.name}"{at_user_line()}; derive it from '
            "FunctionNode, whose backward computes with Variables"
        )


def check_array(adapter: FunctionAdapter, index: int, gradient: Any) -> None:
    """See that what ``backward`` returned is None or an array; its shape and dtype are looked at later.

    Raises:
        TypeError: if it is something else.
    """
    if gradient is not None and not is_array(gradient):
        raise TypeError(
            f"type of gradients returned from backward is incorrect: input-index={index}, actual {type(gradient)} is "
            f"no array{of_function(adapter)}"
        )
