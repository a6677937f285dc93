"""The classes behind Chainer's first functions: ``F.Dropout(0.5)(x)`` is ``F.dropout(x, 0.5)``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any, ClassVar, NoReturn

import numpy as np

from autodiff.chainer import functions
from autodiff.chainer.backend import get_array_module
from autodiff.chainer.function import Function, force_backprop_mode
from autodiff.chainer.functions.normalization import batch_normalization
from autodiff.chainer.functions.pooling import pooling_2d
from autodiff.chainer.functions.pooling.pooling_2d import Windows
from autodiff.chainer.running.function_classes import places_of
from autodiff.chainer.running.v1.arguments import bound
from autodiff.chainer.running.v1.class_table import CLASSES, IN_MODULES, NOT_HERE
from autodiff.facade import Variable, as_array
from autodiff.facade.functions.type_check import check_conditions
from autodiff.facade.graph.creator import CREATORS, creator
from autodiff.facade.graph.multi_output import grad
from autodiff.facade.graph.observing import unwatched
from autodiff.facade.graph.replacing import original, replace, restore
from autodiff.trace.source import at_user_line

RENAMED = {"dropout_ratio": "ratio", "out_device": "dst", "zoneout_ratio": "ratio"}
RUNNING = {"mean": "running_mean", "var": "running_var"}
NOT_NEEDED = ("ndim", "x_shape")
OF_MAXIMA = ("cover_all",)
"""What means nothing for means, whose classes take it all the same."""

OF_A_LIST = ("concat", "pad_sequence", "transpose_sequence")


OF_WINDOWS = {
    "kh": ("ksize", 0), "kw": ("ksize", 1),
    "sy": ("stride", 0), "sx": ("stride", 1),
    "ph": ("pad", 0), "pw": ("pad", 1),
}  # fmt: skip
"""What functions of windows call the two numbers of their parameters."""


def of_window(given: dict[str, Any], name: str, axis: int) -> int:
    """A parameter of windows along an axis: windows stand side by side unless a stride is given."""
    value = given.get(name)
    if value is None:
        value = given["ksize"] if name == "stride" else 0
    number: int = value[axis] if isinstance(value, (tuple, list)) else value
    return number


METHODS = tuple(f"{direction}{device}" for direction in ("forward", "backward") for device in ("", "_cpu", "_gpu"))
"""What a class that a program derives may define, with arrays as arguments and results."""


class Overridden(Function):
    """A call of an object whose class a program has derived from an old one, with methods of its own.

    Args:
        owner: the object.
    """

    def __init__(self, owner: OldFunction) -> None:
        self.owner = owner

    @property
    def label(self) -> str:
        """The name of the derived class."""
        return type(self.owner).__name__

    def forward(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        return self.owner.forward(inputs)

    def backward(self, inputs: tuple[Any, ...], grad_outputs: tuple[Any, ...]) -> tuple[Any, ...]:
        return self.owner.backward(inputs, grad_outputs)


class OldClass(type):
    """The type of the old classes: creators that functions leave in the graph are instances of them, too.

    Methods that a program sets on one hold for its function.
    """

    def __instancecheck__(cls, instance: Any) -> bool:
        today = vars(cls).get("today")
        return super().__instancecheck__(instance) or (today is not None and isinstance(instance, today))

    def __setattr__(cls, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        note_changes(cls, name)

    def __delattr__(cls, name: str) -> None:
        super().__delattr__(name)
        note_changes(cls, name)


class OldFunction(metaclass=OldClass):
    """A function with its parameters, to be called on its inputs; then it shows what their node shows.

    A class that a program derives from it may have methods of its own for the values or the gradients.

    Args:
        args: what the function takes besides its inputs, in the order of Chainer 1.
        kwargs: the same by name.
    """

    function: ClassVar[str] = ""
    names: ClassVar[tuple[str, ...]]
    today: ClassVar[type | None] = None
    fun: Callable[..., Any] | None = None
    creator: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        given = bound(type(self).__name__, self.names, args, kwargs)
        if self.function == "average_pooling_nd" and given.get("cover_all"):
            raise ValueError(f"{type(self).__name__} does not support cover_all=True{at_user_line()}")
        left_out = (*NOT_NEEDED, *(OF_MAXIMA if self.function.startswith("average") else ()))
        self.parameters = {RENAMED.get(name, name): given[name] for name in given if name not in left_out}

    def __call__(self, *inputs: Any) -> Any:
        if any(getattr(type(self), name) is not getattr(OldFunction, name) for name in METHODS):
            self.creator = Overridden(self)
            return self.creator(*inputs)
        result = self.results(inputs)
        self.creator = getattr(result[0] if isinstance(result, tuple) else result, "creator", None)
        return result

    def results(self, inputs: Any) -> Any:
        """What the function gives."""
        if self.fun is not None:
            return self.fun(*inputs)
        function = getattr(functions, self.function)
        return function(*([inputs] if self.function in OF_A_LIST else inputs), **self.parameters)

    def forward(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arrays that the function gives for arrays."""
        return self.forward_cpu(inputs) if get_array_module(*inputs) is np else self.forward_gpu(inputs)

    def backward(self, inputs: tuple[Any, ...], grad_outputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """The gradients of the arrays; None for those that have none."""
        on_cpu = get_array_module(*inputs) is np
        return self.backward_cpu(inputs, grad_outputs) if on_cpu else self.backward_gpu(inputs, grad_outputs)

    def forward_cpu(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arrays that the function gives; the graph is kept for the gradients."""
        with force_backprop_mode(), unwatched(), original():
            self.operands = [Variable(x, requires_grad=x.dtype.kind == "f") for x in inputs]
            found = self.results(self.operands)
        self.found = found if isinstance(found, tuple) else (found,)
        return tuple(as_array(y) for y in self.found)

    def backward_cpu(self, inputs: tuple[Any, ...], grad_outputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """The gradients of the function."""
        if "found" not in self.__dict__:  # the derived class computes the values
            self.forward_cpu(inputs)
        ys, gys = zip(*((y, gy) for y, gy in zip(self.found, grad_outputs, strict=True) if gy is not None), strict=True)
        found = grad(ys, self.operands, [Variable(gy) for gy in gys])
        return tuple(None if gx is None else gx.array for gx in found)

    forward_gpu, backward_gpu = forward_cpu, backward_cpu

    def __getattr__(self, name: str) -> Any:
        """What it was given, or what its last call has left in the graph: ``pooling.indexes``."""
        given = self.__dict__.get("parameters", {})
        if "shown" in self.__dict__:
            return getattr(self.shown, name)
        if RENAMED.get(name, name) in given:
            return given[RENAMED.get(name, name)]
        if name in OF_WINDOWS and "ksize" in given:
            return of_window(given, *OF_WINDOWS[name])
        if self.__dict__.get("creator") is None:
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute {name!r}{at_user_line()}; what its calls compute "
                "is known after a call that builds a graph"
            )
        shown = self.creator
        if isinstance(shown, Overridden) and not hasattr(shown, name) and "found" in self.__dict__:
            shown = self.found[0].creator
        return getattr(shown, name)


def note_changes(cls: OldClass, name: str) -> None:
    """Let a function use its class from now on, if a program has set a method, or not any more.

    Raises:
        TypeError: if calls of the function would not find the method.
    """
    if name not in METHODS or "today" not in vars(cls):
        return
    labels = [label for label, kind in CREATORS.items() if kind is cls.today]  # type: ignore[attr-defined]
    if not labels:
        raise TypeError(
            f"{cls.__name__}.{name} was set{at_user_line()}, but its function would not call it; derive a class from "
            f"{cls.__name__} and call that, or replace the function"
        )
    changed = any(getattr(cls, method) is not getattr(OldFunction, method) for method in METHODS)
    for label in labels:
        if changed:
            replace(label, partial(applied_by_class, cls))
        else:
            restore(label)


def applied_by_class(kind: Any, label: str, fun: Callable[..., Any], inputs: Sequence[Any], check: Any = None) -> Any:
    """What a function computes by way of a class of which a program has set a method."""
    if check is not None:
        check_conditions(label, check, inputs)
    made = kind.__new__(kind)
    made.parameters, made.fun = {}, fun
    made.shown = creator(label, 0)
    made.shown.fun = fun
    return made(*(np.asarray(x) if isinstance(x, np.generic) else x for x in inputs))


def modules_of(name: str, function: str) -> list[ModuleType]:
    """Where Chainer 1 has a class: in the module that has it today, and in that of its function."""
    places = {*places_of(function), *(kind.__module__ for kind in CREATORS.values() if kind.__name__ == name)}
    return [import_module(place) for place in sorted(places)]


class Forget(OldFunction):
    """A function that is computed again in the backward pass, instead of keeping what it computed.

    Args:
        func: the function.
    """

    names = ("func",)

    def __call__(self, *inputs: Any) -> Any:
        return functions.forget(self.parameters["func"], *inputs)


def old_class(name: str, function: str, names: str) -> type[OldFunction]:
    """The class of that name."""
    attributes = {
        "__doc__": f"``functions.{function}``, which is called instead since Chainer 5.",
        "__module__": functions.__name__,
        "function": function,
        "names": tuple(names.split()),
        "today": next((kind for kind in CREATORS.values() if kind.__name__ == name), None),
    }
    return OldClass(name, (OldFunction,), attributes)  # type: ignore[return-value]


def refused(name: str, function: str) -> Any:
    """What raises where a class would be."""

    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"functions.{name} is not implemented{at_user_line()}; use functions.{function}")

    return refuse


class BatchNormalizationFunction(OldFunction):
    """The function behind ``L.BatchNormalization``: with mean and variance as inputs, these are taken."""

    function = "batch_normalization"
    names = ("eps", "running_mean", "running_var", "train", "decay", "use_cudnn")
    today = batch_normalization.BatchNormalization

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{RUNNING.get(name, name): value for name, value in kwargs.items()})
        self.parameters.pop("train", None)

    def results(self, inputs: Any) -> Any:
        if len(inputs) == 5:
            x, gamma, beta, mean, var = inputs
            return functions.fixed_batch_normalization(x, gamma, beta, mean, var, self.parameters.get("eps", 2e-5))
        return super().results(inputs)


class Pooling2D(Windows, Function):
    """The base of a function of windows on images, as Chainer 1 had it: it is called on its input.

    Args:
        ksize: size of the windows: a number, or a pair.
        stride: steps between windows; by default they stand side by side.
        pad: width of the border.
        cover_all: whether windows go on beyond the end until all pixels are covered.
        use_cudnn: kept as an attribute; cuDNN is not used.
    """

    def __init__(
        self, ksize: Any, stride: Any = None, pad: Any = 0, cover_all: bool = True, use_cudnn: bool = True
    ) -> None:
        super().__init__(ksize, stride, pad, cover_all)
        self.use_cudnn = use_cudnn


def install() -> None:
    """Give ``chainer.functions`` the classes."""
    setattr(functions, Forget.__name__, Forget)
    for name, (function, names) in CLASSES.items():
        setattr(functions, name, old_class(name, function, names))
    for name, (function, names) in (CLASSES | IN_MODULES).items():
        kind = getattr(functions, name) if name in CLASSES else old_class(name, function, names)
        for module in modules_of(name, function):
            setattr(module, name, kind)
    batch_normalization.BatchNormalizationFunction = BatchNormalizationFunction  # type: ignore[assignment]
    pooling_2d.Pooling2D = Pooling2D  # type: ignore[assignment, misc]
    for name, function in NOT_HERE.items():
        setattr(functions, name, refused(name, function))
