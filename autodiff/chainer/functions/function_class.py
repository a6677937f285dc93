"""Functions as classes, as Chainer has them: ``LeakyReLU(0.2).apply((x,))``, and what ``y.creator`` is.

A class has no mathematics of its own. It calls its function, and its gradient is that of the function; so a program may
apply it, derive a class from it that overrides one of its methods, and ask the creator of a Variable what it is. A
creator's attributes are what its function closes over, under the same names.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from inspect import Parameter, Signature
from typing import Any, ClassVar

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.facade.functions.function_node import FunctionNode
from autodiff.facade.functions.type_check import check_conditions
from autodiff.facade.graph.creator import ANY, CREATORS, NUMBERS, Operation, all_operands
from autodiff.facade.graph.node import VariableNode
from autodiff.facade.graph.observing import FunctionHook, unwatch_alone, unwatched, watch_alone
from autodiff.facade.graph.replacing import original, replace, restore
from autodiff.facade.graph.residuals import variables
from autodiff.facade.settings.configuration import using_config
from autodiff.facade.settings.mode import no_backprop_mode
from autodiff.facade.variables.conversion import as_array, as_variable
from autodiff.facade.variables.variable import Variable, is_array
from autodiff.trace.primitive import Primitive
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.syntax import parse
from autodiff.trace.tracer import concrete
from autodiff.transforms.gradient import vjp
from autodiff.transforms.masking import unmasked
from autodiff.transforms.reverse import pulled

Function = Callable[..., Any]


FORWARD = ("forward", "forward_cpu", "forward_gpu")

OVERRIDDEN = (*FORWARD, "backward", "check_type_forward", "label")
"""What makes an object of a class that a program has derived a function of its own."""

OF_OUTPUTS = frozenset((
    "BatchDet", "BatchInv", "Cholesky", "ClippedReLU", "Cumprod", "ELU", "ErfInv", "ErfcInv", "Erfcx", "Expm1", "Inv",
    "LSTM", "LeakyReLU", "LocalResponseNormalization", "LogSoftmax", "LogSumExp", "Max", "Min", "Ndtri", "PowConstVar",
    "RReLU", "SLSTM", "Sqrt",
))  # fmt: skip
"""Classes whose gradients Chainer computes from outputs, too: those of a derived class may be others."""

REPLACED = (*OVERRIDDEN, "apply", "backward_accumulate", "retain_inputs", "retain_outputs")
"""The methods of a class that a program may set, for all calls of the function."""


class ChangeableClass(type):
    """The type of the classes of functions: methods that are set on them hold for the functions too."""

    def __setattr__(cls, name: str, value: Any) -> None:
        if name == "__init__" or name in REPLACED:
            see_that_changes_reach(cls, name)
        super().__setattr__(name, value)
        if name in REPLACED:
            note_changes(cls)

    def __delattr__(cls, name: str) -> None:
        super().__delattr__(name)
        if name in REPLACED:
            note_changes(cls)


class FunctionClass(FunctionNode, Operation, metaclass=ChangeableClass):
    """A function with its parameters, or the creator of what the function has computed."""

    function: ClassVar[Function]
    renamed: ClassVar[Mapping[str, str]] = {}
    computed: ClassVar[Mapping[str, Callable[[Any], Any]]] = {}
    drawn: ClassVar[Mapping[str, Callable[..., Any]]] = {}
    of_list = called = checked = False
    default_label = ""
    check: Callable[[], None] | None = None
    several: bool | None = None
    ran_on: tuple[Any, ...] = ()
    otherwise = False
    of_outputs: ClassVar[Callable[[Any, Any, Any], Any] | None] = None
    given: dict[str, Any] | None = None
    applied_to: tuple[Any, ...] = ()
    _label: str | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        bound = type(self).__signature__.bind(*args, **kwargs)  # type: ignore[attr-defined]
        bound.apply_defaults()
        self.given = {}
        for name, value in bound.arguments.items():
            collects = type(self).__signature__.parameters[name].kind is Parameter.VAR_KEYWORD  # type: ignore[attr-defined]
            for each, own in value.items() if collects else ((name, value),):
                self.given[self.renamed.get(each, each)] = own
                setattr(self, each, own)

    @classmethod
    def class_of_function(cls) -> type:
        """The class that was made of a function: itself, or that from which it is derived."""
        return next(base for base in cls.__mro__ if "function" in vars(base))

    @property
    def label(self) -> str:
        """Its name in drawings of the graph."""
        return self._label or self.default_label or type(self).__name__

    @label.setter
    def label(self, label: str) -> None:
        self._label = label

    def __getattr__(self, name: str) -> Any:
        found = closed_over(self.fun if self.kept is None else getattr(self.kept[2], "fun", None))
        computed = type(self).computed
        if name in found and not (name in computed and is_operation(self.fun)):  # the operation's own words
            return found[name]
        if name in computed:
            return computed[name](self)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{at_user_line()}")

    def results(self, inputs: Sequence[Any]) -> tuple[Any, ...]:
        """What the function gives."""
        function, given = type(self).function, self.given
        if given is not None:
            given = {**given, **self.random_numbers(inputs)}
            found = function(inputs, **given) if self.of_list else function(*inputs, **given)
        else:
            found = self.shown_function(inputs)(*inputs)
        self.several = isinstance(found, (tuple, list))
        return tuple(found) if self.several else (found,)

    def results_of_arrays(self, inputs: Sequence[Any]) -> tuple[Any, ...]:
        """The same from within its own methods: not by way of what replaces them, nor checked in place of them."""
        with original(), nullcontext() if self.checked else using_config("type_check", False):
            return self.results(inputs)

    def random_numbers(self, inputs: Sequence[Any]) -> dict[str, Any]:
        """Those that the program has given or assigned, or that were drawn for the first inputs."""
        for name, draw in self.drawn.items():
            if getattr(self, name) is None:
                setattr(self, name, draw(self, *inputs))
        return {name: getattr(self, name) for name in self.drawn}

    def shown_function(self, inputs: Sequence[Any]) -> Function:
        """What a creator ran, for as many inputs as it had.

        Raises:
            RuntimeError: if the graph does not know any more what that was.
        """
        fun = self.fun if self.kept is None else getattr(self.kept[2], "fun", None)
        if fun is not None:
            return fun
        try:
            own = {self.renamed.get(name, name): getattr(self, name) for name in type(self).__signature__.parameters}  # type: ignore[attr-defined]
        except AttributeError:
            raise RuntimeError(
                f"the creator {self.label} has not kept what it needs to run again{at_user_line()}; call the function"
            ) from None
        function = type(self).function
        return (lambda *xs: function(xs, **own)) if self.of_list else partial(function, **own)

    def apply(self, inputs: Sequence[Any]) -> tuple[Any, ...]:
        """Call the function.

        Args:
            inputs: Variables, or arrays.

        Returns:
            a tuple of Variables, whose creator is this object.
        """
        own = type(self)
        for name in own.computed.keys() - (self.given or {}).keys():  # what the program has put in its place
            self.__dict__.pop(name, None)
        overridden = any(getattr(own, name) is not getattr(FunctionClass, name) for name in OVERRIDDEN)
        if overridden or self._local_function_hooks or self.given is None:
            return super().apply(inputs)
        results = self.results(inputs)
        node = results[0].node if isinstance(results[0], Variable) else None
        if node is None or node.link is None:
            self.applied_to = tuple(inputs)
            return results
        self.applied_to = ()
        keeper = node.operands if node.link.special else node
        creator = Operation.of(keeper) if keeper._function is None else keeper._function
        if not isinstance(creator, bases_of(own)):  # the last of several operations
            return super().apply(inputs)
        if creator.label != (creator.default_label or type(creator).__name__):  # it names a number
            self._label = creator.label
        Operation.__init__(self, self.label, keeper.rank - 1)
        Operation.shows(self, keeper)
        keeper._function = self
        return results

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.called:
            return super().__call__(*args, **kwargs)
        results = self.apply(args)
        return results[0] if len(results) == 1 else results

    def check_type_forward(self, in_types: Any) -> None:
        """Let the function check its inputs; a derived class that does not call this has checked them itself."""
        self.checked = True
        if self.check is not None:
            self.check()

    def _run(self, arrays: tuple[Any, ...]) -> tuple[Any, ...]:
        outs = super()._run(arrays)
        if type(self).backward is FunctionClass.backward:  # it needs all of them, whatever the user's forward keeps
            self.retain_inputs(tuple(range(len(arrays))))
            self.otherwise = self.computes_otherwise(arrays)
            if self.otherwise:
                self.retain_outputs(tuple(range(len(outs))))
        self.ran_on = ()
        return outs

    def computes_otherwise(self, arrays: tuple[Any, ...]) -> bool:
        """Whether a program has written how the outputs are computed, from which the gradient might have to be."""
        own = type(self)
        if all(getattr(own, name) is getattr(FunctionClass, name) for name in FORWARD):
            return False
        same = len(self.ran_on) == len(arrays) and all(a is b for a, b in zip(self.ran_on, arrays, strict=True))
        return not same or own.of_outputs is not None or own.class_of_function().__name__ in OF_OUTPUTS

    def forward_cpu(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arrays that the function gives for arrays.

        All inputs are retained; all outputs too if a derived class has a gradient of its own, which may ask for them.
        """
        self.ran_on = inputs
        self.retain_inputs(tuple(range(len(inputs))))
        with no_backprop_mode(), unwatched():
            found = tuple(get_array_module(out).asarray(as_array(out)) for out in self.results_of_arrays(inputs))
        if type(self).backward is not FunctionClass.backward:
            self.retain_outputs(tuple(range(len(found))))
        return found

    forward_gpu = forward_cpu

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """The gradients of the function.

        Raises:
            RuntimeError: if a derived class computes something else in its forward: that has other gradients.
        """
        if self.kept is not None and not self._applied:
            node = next(filter(None, (reference() for reference in self.outputs or ())), None)
            if node is not None:
                return pulled_by_graph(node, target_input_indexes, grad_outputs)
            inputs = living_inputs(self)
        else:
            inputs = list(self.get_retained_inputs())
        moving = [index for index in target_input_indexes if inputs[index].dtype.kind in "fc"]
        wanted = [index for index, gy in enumerate(grad_outputs) if gy is not None]

        def run(*chosen: Any) -> tuple[Any, ...]:
            full = [x.array for x in inputs]
            for index, value in zip(moving, chosen, strict=True):
                full[index] = value
            found = self.results_of_arrays(full)
            return tuple(found[index] for index in wanted)

        of_outputs = type(self).of_outputs
        if self.otherwise and of_outputs is not None:
            return (of_outputs(self, self.get_retained_outputs()[0], grad_outputs[0]),)
        outs, pull = vjp(run, *(inputs[index] for index in moving))
        if self.otherwise:
            check_same_function(self, [self.output_data[index] for index in wanted], outs)
        with original():
            cts = pull(tuple(grad_outputs[k] for k in wanted))
        found = {index: as_variable(ct) for index, ct in zip(moving, cts, strict=True) if ct is not None}
        return tuple(found.get(index) for index in target_input_indexes)

    def add_hook(self, hook: FunctionHook, name: str | None = None) -> None:
        """Let a hook watch this function: the backward pass too, if it is the creator of a Variable."""
        super().add_hook(hook, name)
        if self.kept is not None:
            watch_alone(self)

    def delete_hook(self, name: str) -> None:
        """Take a hook off."""
        super().delete_hook(name)
        if not self.local_function_hooks:
            unwatch_alone(id(self))

    # What differs between an object of a class of the user's, with a method of its own, and a creator.

    def shows(self, keeper: Any) -> None:
        (FunctionNode if self._applied else Operation).shows(self, keeper)

    def unchain(self) -> None:
        (FunctionNode if self._applied else Operation).unchain(self)

    def connect(self, node: Any) -> None:
        (FunctionNode if self._applied else Operation).connect(self, node)


def check_same_function(self: FunctionClass, outs: Sequence[Any], expected: Sequence[Any]) -> None:
    """See that the forward of a derived class computes what the function does, whose gradient it has.

    Raises:
        RuntimeError: if it does not.
    """
    name = self.class_of_function().__name__
    for out, own in zip(outs, expected, strict=True):
        out, own = concrete(out), concrete(as_array(own))
        if not is_array(out) or not is_array(own):
            raise RuntimeError(
                f"the forward of {type(self).__name__} cannot be compared with that of {name}, whose "
                f"gradient it inherits, where only shapes are known{at_user_line()}; give the class a method "
                "backward(self, indexes, grad_outputs)"
            )
        error = np.finfo(out.dtype).eps ** 0.5 if out.dtype.kind in "fc" else 0
        largest = np.abs(own[np.isfinite(own)]).max(initial=0)
        if out.shape != own.shape or not np.allclose(out, own, error, error * largest, equal_nan=True):
            raise RuntimeError(
                f"the forward of {type(self).__name__} does not compute what {name} does"
                f"{at_user_line()}, so the gradient it inherits is not its own; give the class a method "
                "backward(self, indexes, grad_outputs)"
            )


def living_inputs(self: FunctionClass) -> list[Any]:
    """The inputs of a creator whose results are gone, as Variables.

    Raises:
        RuntimeError: if the array of one is gone too.
    """
    if any(node.data is None for node in self.inputs or ()):
        raise RuntimeError(f"the inputs and results of {self.label} are gone{at_user_line()}; keep one of them")
    return [node.get_variable() if node.requires_grad else Variable(node.data) for node in self.inputs or ()]


def pulled_by_graph(node: Any, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The gradients of inputs of a result's creator, as ``backward()`` of the graph computes them."""
    keeper = node.operands if node.link.special else node
    single = keeper is node
    cts = pulled(keeper, grad_outputs[0] if single else list(grad_outputs), variables(keeper))
    cts = (cts,) if keeper.link.arity == 1 else cts
    shown = [
        position
        for position, operand in enumerate(all_operands(keeper.link, keeper.operands, keeper.others))
        if operand is not None and not isinstance(operand, NUMBERS)
    ]
    found = {
        shown.index(position): as_variable(unmasked(ct))
        for position, ct in zip(keeper.link.positions, cts, strict=True)
        if ct is not None
    }
    return tuple(found.get(index) for index in target_input_indexes)


def labels_of(cls: ChangeableClass) -> list[str]:
    """The labels of the nodes whose creators are objects of a class."""
    return [label for label, kind in CREATORS.items() if kind is cls]


def see_that_changes_reach(cls: ChangeableClass, name: str) -> None:
    """See that a method that a program sets on the class of a function will be called.

    Raises:
        TypeError: if it would not.
    """
    if "function" not in vars(cls):  # the program's own class
        return
    if name == "__init__" or not labels_of(cls):
        raise TypeError(
            f"{cls.__name__}.{name} was set{at_user_line()}, but its function would not call it: it makes no objects "
            f"of this class; derive a class from {cls.__name__} and apply that, or replace the function"
        )


def note_changes(cls: ChangeableClass) -> None:
    """Let a function use its class from now on, if a program has changed the class, or not any more."""
    changed = any(getattr(cls, name) is not getattr(FunctionClass, name) for name in REPLACED)
    for label in labels_of(cls):
        if changed:
            replace(label, partial(applied_by_class, cls))  # type: ignore[arg-type]
        else:
            restore(label)


def applied_by_class(
    kind: type[FunctionClass], label: str, fun: Function, inputs: Sequence[Any], check: Any = None
) -> Any:
    """What a function computes by way of its class: one of those that :data:`REPLACED` are methods of.

    Args:
        kind: the class.
        label: of the node.
        fun: what the function runs on its inputs.
        inputs: Variables, or arrays.
        check: what the inputs have to fulfil.
    """
    made: FunctionClass = kind.__new__(kind)
    Operation.__init__(made, label, 0)
    made.fun = fun
    if check is not None:
        made.check = partial(check_conditions, label, check, inputs)
    results = made.apply(tuple(np.asarray(x) if isinstance(x, np.generic) else x for x in inputs))
    made.check = None  # it would keep the inputs
    return results[0] if len(results) == 1 and not made.several else results


CREATORS[ANY] = FunctionClass  # programs that walk through a graph ask every creator whether it is a FunctionNode


def closed_over(fun: Any, depth: int = 2) -> dict[str, Any]:
    """What a function closes over, by name, and what functions among that close over in turn."""
    if isinstance(fun, partial):
        return dict(fun.keywords)
    code, cells = getattr(fun, "__code__", None), getattr(fun, "__closure__", None)
    if code is None or cells is None or not depth:
        return {}
    own = {name: cell.cell_contents for name, cell in zip(code.co_freevars, cells, strict=True)}
    deeper = {name: value for each in own.values() for name, value in closed_over(each, depth - 1).items()}
    return {**deeper, **own}


def inputs_of(self: FunctionClass) -> Sequence[Any]:
    """The nodes of the inputs, also for hooks, which see a function before it has nodes.

    Raises:
        AttributeError: if the function has not been applied.
    """
    if self.inputs is not None:
        return self.inputs
    if self.seen_inputs is None:
        raise AttributeError(f"{self.label} has not run yet, so its inputs are not known{at_user_line()}")
    return [VariableNode.of_constant(spec_of(x), x) for x in self.seen_inputs]


def is_operation(fun: Any) -> bool:
    """Whether a function is a call of an operation, as hooks see it, and no composition."""
    return isinstance(fun, partial) and isinstance(fun.func, Primitive)


def parameter(self: FunctionClass, name: str, place: int | None = None) -> Any:
    """A parameter of an operation that is no composition: from what it has kept, or, for hooks, from its call."""
    if self.kept is None and is_operation(self.fun):
        return self.fun.keywords[name]
    return residual(self, place)


def residual(self: FunctionClass, place: int | None = None) -> Any:
    """What an operation that is no composition has kept: all, or one of several things.

    Raises:
        AttributeError: if nothing of the kind was kept.
    """
    kept: Any = None if self.kept is None else self.kept[2]
    if place is not None and isinstance(kept, tuple):
        return kept[place]
    if kept is None or place is not None or hasattr(kept, "fun"):
        raise AttributeError(f"{self.label} does not show this{at_user_line()}")
    return kept


def shape_of_result(self: FunctionClass) -> tuple[int, ...]:
    """The shape of the result."""
    if self.outputs is None:  # shown to a hook
        if self.seen_shape is None:
            raise AttributeError(f"{self.label} has not run yet, so the shape of its result is not known")
        return self.seen_shape
    return self.outputs[0]().shape


def from_first(self: FunctionClass, axes: Any) -> tuple[int, ...]:
    """Axes of the input, counted from the first."""
    return tuple(axis % len(inputs_of(self)[0].shape) for axis in axes)


def element(attribute: str, place: int) -> Callable[[Any], Any]:
    """What computes an attribute that is an element of another one."""
    return lambda self: getattr(self, attribute)[place]


def difference(self: FunctionClass) -> Any:
    """The difference of two inputs, as an array."""
    first, second = inputs_of(self)
    return first.data - second.data


def constant_of(self: FunctionClass) -> Any:
    """The number beside an operator."""
    others = closed_over(self.fun).get("values", ()) if self.kept is None else self.kept[3]
    return next(each for each in (others if isinstance(others, tuple) else (others,)) if isinstance(each, NUMBERS))


def bases_of(of_class: type[FunctionClass]) -> tuple[type[FunctionClass], ...]:
    """The class of a function, and those that programs have derived from it up to this one."""
    return of_class.__mro__[: of_class.__mro__.index(FunctionClass)]


def function_class(
    name: str,
    function: Function,
    parameters: str = "",
    *,
    label: str | None = None,
    of_list: bool = False,
    called: bool = False,
    renamed: Mapping[str, str] | None = None,
    computed: Mapping[str, Callable[[Any], Any]] | None = None,
    drawn: Mapping[str, Callable[..., Any]] | None = None,
    of_outputs: Callable[[Any, Any, Any], Any] | None = None,
    base: type[FunctionClass] = FunctionClass,
) -> type[FunctionClass]:
    """The class of a function.

    Args:
        name: of the class.
        function: what it calls, with the inputs and what the constructor was given, as keywords.
        parameters: of the constructor, as Python writes them.
        label: of the nodes that the function makes; the name of the class if None.
        of_list: whether the function takes its inputs as a list.
        called: whether objects are called, as functions of the old style are.
        renamed: what parameters of the constructor are called in the function, where that differs.
        computed: attributes that are computed when somebody asks, from the object.
        drawn: parameters of the constructor that are random numbers if None: what draws them, once, from the object
            and the inputs.
        of_outputs: what gives the gradient from the object, the output and the output's gradient, for a derived class
            that computes another output: where that is what Chainer does.
        base: the class of the creators that the function leaves in the graph, where that is another one.

    >>> Scaled = function_class("Scaled", lambda x, by: by * x, "by=2")
    >>> import numpy as np
    >>> Scaled(3).apply((np.ones(2),)), Scaled.__signature__
    ((array([3., 3.]),), <Signature (by=2)>)
    """
    members = {
        "__doc__": f"What Chainer calls ``{getattr(function, '__name__', name)}`` as a class.",
        "__module__": function.__module__,
        "__signature__": Signature(signature_of(parameters)),
        "function": staticmethod(function),
        "default_label": label or "",
        "of_list": of_list,
        "called": called,
        "renamed": renamed or {},
        "computed": computed or {},
        "drawn": drawn or {},
        "of_outputs": of_outputs,
    }
    made: type[FunctionClass] = ChangeableClass(name, (base,), members)  # type: ignore[assignment]
    CREATORS.setdefault(label or name, made)
    return made


def signature_of(parameters: str) -> list[Parameter]:
    """Parameters from their text, whose defaults are constants."""
    arguments = parse(f"def f({parameters}): pass").body[0].args  # type: ignore[attr-defined]
    defaults = [Parameter.empty] * (len(arguments.args) - len(arguments.defaults))
    defaults += [ast.literal_eval(default) for default in arguments.defaults]
    found = [
        Parameter(argument.arg, Parameter.POSITIONAL_OR_KEYWORD, default=default)
        for argument, default in zip(arguments.args, defaults, strict=True)
    ]
    rest = [Parameter(arguments.kwarg.arg, Parameter.VAR_KEYWORD)] if arguments.kwarg else []
    return found + rest
