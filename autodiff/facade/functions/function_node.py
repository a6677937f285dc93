"""Operations that users write themselves: a forward and a backward method, one node of the graph."""

from __future__ import annotations

import copy
import weakref
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, NoReturn

from autodiff.facade.functions.forward_checks import check_outputs, check_retained
from autodiff.facade.functions.own_gradient import OwnLink, OwnResiduals, check_count
from autodiff.facade.functions.traced_call import call_traced
from autodiff.facade.functions.type_check import check_operands
from autodiff.facade.graph.changes import note_kept
from autodiff.facade.graph.known_operands import Operands
from autodiff.facade.graph.node import VariableNode, Whole
from autodiff.facade.graph.observing import FunctionHook, note_stack, observed
from autodiff.facade.graph.recording import connected, recorded, unlinked
from autodiff.facade.settings.configuration import deviations
from autodiff.facade.settings.current import on_gpu_of
from autodiff.facade.variables.conversion import as_variable
from autodiff.facade.variables.variable import Variable, is_array
from autodiff.trace.live import Result
from autodiff.trace.primitive import newest_traced
from autodiff.trace.recording import new_level
from autodiff.trace.source import at_user_line
from autodiff.trace.values.arrays import check_places


class FunctionNode:
    """A function of Variables with a gradient of its own.

    A subclass has ``forward(inputs)``, which takes a tuple of arrays and returns one, and ``backward(indexes,
    grad_outputs)``, which takes and returns Variables, so that gradients can be differentiated in turn. An object is
    applied once.

    Attributes:
        inputs: the nodes of the inputs, once it is part of a graph.
        outputs: weak references to the nodes of the outputs.
        rank: the largest rank of the inputs.
        stack: where it was applied, in debug mode.

    >>> import numpy as np
    >>> class Cube(FunctionNode):
    ...     def forward(self, inputs):
    ...         self.retain_inputs((0,))
    ...         return (inputs[0] ** 3,)
    ...
    ...     def backward(self, indexes, grad_outputs):
    ...         (x,) = self.get_retained_inputs()
    ...         return (3 * x**2 * grad_outputs[0],)
    >>> x = Variable(np.array([2.0, 3.0]))
    >>> (y,) = Cube().apply((x,))
    >>> y.grad = np.ones(2)
    >>> y.backward(enable_double_backprop=True)
    >>> x.grad_var, y.creator.label
    (variable([12., 27.]), 'Cube')
    """

    # Subclasses need not call a constructor: everything has its first value here.
    inputs: tuple[VariableNode, ...] | None = None
    outputs: tuple[Any, ...] | None = None
    rank: int = 0
    stack: Any = None
    kept_arrays: Any = None
    lazy_grad_sum = False
    is_elementwise = False
    _input_indexes_to_retain: Sequence[int] | None = None
    _output_indexes_to_retain: Sequence[int] | None = None
    _retained_output_data: tuple[Any, ...] | None = None
    _local_function_hooks: OrderedDict[str, FunctionHook] | None = None
    _keeper: Any = None  # refers weakly to the Whole of several outputs
    _later: tuple[Any, Any] | None = None  # inputs and outputs on which forward has not run
    _applied = False

    @property
    def label(self) -> str:
        """Its name in drawings of the graph: the name of the class."""
        return type(self).__name__

    @property
    def output_data(self) -> tuple[Any, ...]:
        """The arrays of the outputs, None where they are not retained.

        Raises:
            RuntimeError: if nothing is retained.
        """
        if self._retained_output_data is None:
            raise RuntimeError(
                f"retained output data is gone{at_user_line()}: {self.label} kept none; call retain_outputs in forward"
            )
        return self._retained_output_data

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        name = type(self).__name__
        raise RuntimeError(
            f"{name} is derived from FunctionNode and was called like a function{at_user_line()}; "
            f"use {name}(...).apply((x, ...)), which returns a tuple of Variables"
        )

    # What a subclass writes.

    chainerx_device = None

    @property
    def input_layouts(self) -> tuple[None, ...]:
        """None for each input: arrays have NumPy's layout."""
        return (None,) * len(self.inputs or ())

    @property
    def output_layouts(self) -> tuple[None, ...]:
        """None for each output."""
        return (None,) * len(self.outputs or ())

    def check_layout_forward(self, inputs: tuple[Any, ...]) -> None:
        """See that the layouts of the inputs fit; never called, since there is but one."""

    def check_type_forward(self, in_types: Any) -> None:
        """See that the inputs fit, with :func:`autodiff.chainer.utils.type_check.expect`."""

    def forward(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """The outputs' arrays from the inputs' arrays; by default one of the two methods below."""
        if any(type(value).__module__.startswith("cupy") for value in inputs):
            return self.forward_gpu(inputs)
        return self.forward_cpu(inputs)

    def forward_chainerx(self, inputs: tuple[Any, ...]) -> Any:
        """:meth:`forward` on arrays of ChainerX; there are none here, so it is never called."""
        raise NotImplementedError(f"{type(self).__name__}: arrays of ChainerX are not supported")

    def forward_cpu(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """:meth:`forward` on NumPy arrays."""
        raise NotImplementedError(f"{type(self).__name__} has neither forward nor forward_cpu{at_user_line()}")

    def forward_gpu(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """:meth:`forward` on CuPy arrays."""
        raise NotImplementedError(f"{type(self).__name__} has neither forward nor forward_gpu{at_user_line()}")

    def backward(
        self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Variable | None, ...]
    ) -> tuple[Any, ...]:
        """The gradients of inputs from those of the outputs, as Variables.

        Args:
            target_input_indexes: the inputs whose gradients are wanted.
            grad_outputs: one for each output, None where nothing depends on it.

        Returns:
            one Variable or None for each wanted input, or for each input.
        """
        return (None,) * len(target_input_indexes)

    def backward_accumulate(
        self,
        target_input_indexes: tuple[int, ...],
        grad_outputs: tuple[Variable | None, ...],
        grad_inputs: tuple[Variable | None, ...],
    ) -> tuple[Any, ...]:
        """:meth:`backward`, with gradients that are there already added."""
        found = self.backward(target_input_indexes, grad_outputs)
        check_count(self, found, target_input_indexes)
        if len(found) == len(self.inputs or ()):
            found = tuple(found[index] for index in target_input_indexes)
        return tuple(
            new if old is None else old if new is None else old + new
            for old, new in zip(grad_inputs, found, strict=True)
        )

    # What forward may call.

    def retain_inputs(self, indexes: Sequence[int]) -> None:
        """Keep inputs for :meth:`backward`; nothing is kept otherwise."""
        self._input_indexes_to_retain = indexes

    def retain_outputs(self, indexes: Sequence[int]) -> None:
        """Keep outputs for :meth:`backward`; nothing is kept otherwise."""
        self._output_indexes_to_retain = indexes

    def get_retained_inputs(self) -> tuple[Variable, ...]:
        """The inputs that are kept, in the order of :meth:`retain_inputs`."""
        if self._input_indexes_to_retain is None or self.inputs is None:
            return ()
        return tuple(self.inputs[index].get_variable() for index in self._input_indexes_to_retain)

    def get_retained_outputs(self) -> tuple[Variable, ...]:
        """The outputs that are kept, in the order of :meth:`retain_outputs`: the same Variables, or new ones."""
        if self._output_indexes_to_retain is None or self.outputs is None:
            return ()
        return tuple(self._output_node(index).get_variable() for index in self._output_indexes_to_retain)

    # Hooks.

    @property
    def local_function_hooks(self) -> OrderedDict[str, FunctionHook]:
        """The hooks that watch this function alone, by name."""
        if self._local_function_hooks is None:
            self._local_function_hooks = OrderedDict()
        return self._local_function_hooks

    def add_hook(self, hook: FunctionHook, name: str | None = None) -> None:
        """Let a hook watch this function.

        Raises:
            TypeError: if it is no hook.
            KeyError: if there is one of this name.
        """
        if not isinstance(hook, FunctionHook):
            raise TypeError(f"a hook must be a FunctionHook, got {type(hook).__name__}{at_user_line()}")
        name = hook.name if name is None else name
        if name in self.local_function_hooks:
            raise KeyError(f"{self.label} has a hook named {name!r} already{at_user_line()}; give this one a name=")
        self.local_function_hooks[name] = hook
        hook.added(self)

    def delete_hook(self, name: str) -> None:
        """Take a hook off.

        Raises:
            KeyError: if there is none of this name.
        """
        if name not in self.local_function_hooks:
            known = list(self.local_function_hooks)
            raise KeyError(f"{self.label} has no hook named {name!r}{at_user_line()}; it has {known}")
        self.local_function_hooks.pop(name).deleted(self)

    # The graph.

    def apply(self, inputs: Sequence[Any]) -> tuple[Any, ...]:
        """Run :meth:`forward`.

        Args:
            inputs: Variables, arrays or None.

        Returns:
            a tuple of Variables, linked to the inputs. Values that are traced by a transformation of the user's
            program give traced values, and :meth:`backward` is their derivative.

        Raises:
            TypeError: if an input is no array, or ``forward`` does not return a tuple of arrays.
            InvalidType: if :meth:`check_type_forward` finds fault.
            RuntimeError: if it was applied before.
        """
        if isinstance(inputs, Variable) or is_array(inputs):
            raise TypeError(
                f"apply takes a tuple of inputs, got a {type(inputs).__name__}{at_user_line()}; write "
                f"{type(self).__name__}(...).apply((x,))"
            )
        newest = newest_traced(tuple(inputs))
        if newest is not None and not isinstance(newest, Variable):
            return call_traced(self, inputs)
        if self._applied:
            raise RuntimeError(
                f"this {self.label} was applied before{at_user_line()}; make a new object for each application"
            )
        variables = [self._as_input(value, inputs) for value in inputs]
        arrays = tuple(variable._array for variable in variables)
        check_operands(self.label, self.check_type_forward, arrays)
        note_stack(self)
        check_places(self.label, arrays)
        outs = self._run(arrays) if newest_traced(arrays) is None else self._call_traced(arrays)
        return self._connect(variables, outs)

    def _as_input(self, value: Any, inputs: Sequence[Any]) -> Variable:
        if value is None:
            return Variable(requires_grad=False)
        if not isinstance(value, Variable) and not is_array(value):
            kinds = ", ".join(str(type(each)) for each in inputs)
            raise TypeError(
                f"incompatible array types are mixed in the forward input ({self.label}).\nActual: {kinds}"
                f"{at_user_line()}\nPass Variables or arrays; np.asarray makes an array of a list or a number."
            )
        return as_variable(value)

    def _run(self, arrays: tuple[Any, ...]) -> tuple[Any, ...]:
        """The outputs of :meth:`forward`, checked."""
        self._input_indexes_to_retain = self._output_indexes_to_retain = None

        def forward(*values: Any) -> Any:
            outs = self.forward(values)
            check_outputs(self.label, outs)
            return outs

        watched = deviations or self._local_function_hooks
        with on_gpu_of(self.label, arrays):
            outs = (observed(self, forward) if watched else forward)(*arrays)
        check_retained(self.label, "inputs", self._input_indexes_to_retain, len(arrays))
        check_retained(self.label, "outputs", self._output_indexes_to_retain, len(outs))
        return outs  # type: ignore[no-any-return]

    def _call_traced(self, arrays: tuple[Any, ...]) -> tuple[Any, ...]:
        """The outputs for arrays that are traced: there, too, :meth:`backward` is the derivative."""
        outs = call_traced(copy.copy(self), arrays)  # a copy, since the outputs refer to it
        self._input_indexes_to_retain = self._output_indexes_to_retain = None
        self._later = arrays, outs
        return outs

    def _run_later(self) -> None:
        """Run :meth:`forward` on values that were traced, now that :meth:`backward` is about to ask what it kept."""
        if self._later is not None:
            arrays, outs = self._later
            self._later = None
            self.forward(arrays)
            self._retain(arrays, outs)

    def _connect(self, variables: list[Variable], outs: tuple[Any, ...]) -> tuple[Variable, ...]:
        if not outs:
            return ()
        newest = newest_traced(tuple(variables))
        level = new_level() if newest is None else newest.level
        operation = Operands.of_variables(variables)
        if not recorded(operation):
            self._input_indexes_to_retain = self._output_indexes_to_retain = None
            return unlinked(operation, outs, level)  # type: ignore[no-any-return]
        self._applied = True
        self.rank = operation.rank
        self.inputs = tuple(variable.node for variable in variables)
        found = connected(
            operation,
            OwnLink(self, operation.positions),
            OwnResiduals(self),
            outs if len(outs) > 1 else outs[0],
            level,
            self,
        )
        results: tuple[Variable, ...] = found if len(outs) > 1 else (found,)
        self._retain([variable._array for variable in variables], [result._array for result in results])
        note_kept(self, operation, self._input_indexes_to_retain or (), self._retained_output_data or ())
        return results

    def shows(self, keeper: VariableNode | Whole) -> None:
        """Take note of the nodes of the outputs."""
        self.outputs = keeper.references()
        self._keeper = weakref.ref(keeper) if isinstance(keeper, Whole) else None

    def _retain(self, arrays: Sequence[Any], outs: Sequence[Any]) -> None:
        """Keep what forward asked for."""
        for index in self._input_indexes_to_retain or ():
            self.inputs[index].data = arrays[index]  # type: ignore[index]
        if self._output_indexes_to_retain is None:
            return
        kept = [None] * len(outs)
        for index in self._output_indexes_to_retain:
            kept[index] = outs[index]
            node = self.outputs[index]()  # type: ignore[index]
            if node is not None:
                node.data = outs[index]
        self._retained_output_data = tuple(kept)

    def _output_node(self, index: int) -> VariableNode:
        """The node of an output; a new one, linked as the old one was, where that is gone."""
        assert self.outputs is not None
        node: VariableNode | None = self.outputs[index]()
        if node is not None:
            return node
        whole = self._keeper()
        node = VariableNode.of_constant(whole.spec[index], self.output_data[index])
        node.link, node.operands = Result(index), whole
        node.order, node.level, node._requires_grad = self.rank + 1, whole.level, True
        whole.results[index] = reference = weakref.ref(node)
        self.outputs = (*self.outputs[:index], reference, *self.outputs[index + 1 :])
        return node

    def unchain(self) -> None:
        """Forget inputs and outputs; the outputs become roots."""
        outputs, self.inputs, self.outputs, self._later = self.outputs, None, None, None
        for reference in outputs or ():
            node = reference()
            if node is not None:
                node.unchain()

    def connect(self, node: VariableNode) -> None:
        """Make the node an output of this function again."""
        positions = [k for k, found in enumerate(self.inputs or ()) if found.requires_grad]
        operands = tuple((self.inputs or ())[k] for k in positions)
        if self._keeper is None:
            keeper: Any = node
        else:
            keeper = self._keeper() or self._new_keeper()
            index = next(k for k, reference in enumerate(keeper.results) if reference() is node)
            node.link, node.operands = Result(index), keeper
        keeper.link, keeper.residuals, keeper._function = OwnLink(self, positions), OwnResiduals(self), self
        keeper.operands = operands[0] if len(operands) == 1 else operands
        keeper.others = self.inputs

    def _new_keeper(self) -> Whole:
        found = [reference() for reference in self.outputs or ()]
        keeper = Whole()
        keeper.order = self.rank + 0.5
        keeper.level = max(node.level for node in found if node is not None)
        keeper.spec = tuple(None if node is None else node.spec for node in found)
        keeper.results = list(self.outputs or ())
        self._keeper = weakref.ref(keeper)
        return keeper
