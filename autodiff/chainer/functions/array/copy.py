"""The same array on another device."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.backend import get_device, get_device_from_array
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.conversion import as_array
from autodiff.facade.variables.variable import Variable
from autodiff.transforms.custom.vjp import custom_vjp


def copy(x: Any, dst: Any) -> Variable:
    """The same array on another device; the gradient comes back to the device of ``x``.

    Args:
        x: any array.
        dst: the device, or its number: -1 is the CPU.

    Returns:
        a Variable on that device, with the very array of ``x`` where it is there already.

    Raises:
        RuntimeError: if there is no such device.

    >>> import numpy as np
    >>> copy(np.array([1.0]), -1)
    variable([1.])
    """
    target = destination(dst)
    source = get_device_from_array(as_array(x))
    if source == target:
        return apply("Copy", lambda x: x, (x,))
    return apply("Copy", sending(source, target), (x,))


def destination(dst: Any) -> Any:
    """The device that a specifier, or a number, stands for."""
    if isinstance(dst, int):
        return get_device("@numpy" if dst < 0 else f"@cupy:{dst}")
    return get_device(dst)


def sending(source: Any, target: Any) -> Any:
    """The function that sends an array to a device, and cotangents back."""

    def moved(x: Any) -> Any:
        return copy(x, target) if isinstance(x, Variable) else target.send(x)

    send = custom_vjp(moved)
    send.defvjp(lambda x: (moved(x), None), lambda _, g: (sending(target, source)(g),))
    return send


Copy = function_class("Copy", lambda x, in_device, out_device: copy(x, out_device), "in_device, out_device")
