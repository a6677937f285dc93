"""Copies of Variables: what they hold goes with them, the graph stays behind."""

from __future__ import annotations

import weakref
from typing import Any

from autodiff.backends import gpu
from autodiff.facade.settings.devices import device_of
from autodiff.facade.variables.placement import move
from autodiff.facade.variables.variable import Variable

NOT_COPIED = ("_grad_var", "_shared", "_loss_scale")


def reduce(self: Variable) -> Any:
    """How it is pickled and deeply copied: array, gradient, name and attributes; it becomes a root."""
    return rebuild, (type(self), self.requires_grad), state(self)


def state(variable: Variable) -> dict[str, Any]:
    """What goes with a copy."""
    attributes = {name: value for name, value in variable.__dict__.items() if name not in NOT_COPIED}
    found = {"array": variable._array, "name": variable.name, "attributes": attributes}
    return {**found, "device": device_of(variable._array)} if gpu.is_gpu_array(variable._array) else found


def rebuild(kind: type[Variable], requires_grad: bool) -> Variable:
    """A Variable without an array, made without calling the constructor of its class."""
    variable = object.__new__(kind)
    Variable.__init__(variable, requires_grad=requires_grad)
    return variable


def set_state(self: Variable, state: dict[str, Any]) -> None:
    """Take over what :func:`reduce` wrote. Pickled arrays of CuPy come to the current GPU, and go on to their own."""
    self.array = state["array"]
    self.name = state["name"]
    self.__dict__.update(state["attributes"])
    if "device" in state:
        move(self, state["device"])


def shallow_copy(self: Variable) -> Variable:
    """``copy.copy(v)``: another root with the same array and gradient.

    Both share one data cell: an array that is assigned to one is assigned to the other, so that a copy of a Parameter
    without an array is initialised with it.
    """
    copied = rebuild(type(self), self.requires_grad)
    set_state(copied, state(self))
    shared = [reference for reference in self.__dict__.get("_shared", ()) if reference() is not None]
    together = [*(shared or [weakref.ref(self)]), weakref.ref(copied)]
    for reference in together:
        found = reference()
        if found is not None:
            found._shared = together
    return copied


def install() -> None:
    """Give Variables Python's protocols of copying."""
    Variable.__reduce__ = reduce  # type: ignore[method-assign, assignment]
    Variable.__setstate__ = set_state  # type: ignore[attr-defined]
    Variable.__copy__ = shallow_copy  # type: ignore[attr-defined]


install()
