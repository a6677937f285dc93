"""Variables on devices."""

from __future__ import annotations

from typing import Any, NoReturn

from autodiff.backends import gpu
from autodiff.facade.settings.devices import CPU, Device, GpuDevice, Intel64Device, device_of, get_device, no_chainerx
from autodiff.facade.variables.variable import Variable
from autodiff.trace.source import at_user_line


def device(self: Variable) -> Device:
    """Where the array is, or where it will be made."""
    if self._array is None:
        return self._initial_device or CPU
    return device_of(self._array)


def to_device(self: Variable, device: Any) -> None:
    """Bring array and gradient to what :func:`autodiff.facade.settings.devices.get_device` finds.

    A Variable without an array will get it there.
    """
    move(self, get_device(device))


def to_cpu(self: Variable) -> None:
    """Bring array and gradient to the CPU."""
    move(self, CPU)


def to_gpu(self: Variable, device: int | None = None) -> None:
    """Bring array and gradient to the GPU of that number.

    None stands for the current one, and for the one where they are already.
    """
    if device is not None or not gpu.is_gpu_array(self._array):
        move(self, GpuDevice.from_device_id(device))


def move(variable: Variable, device: Device) -> None:
    """Bring array and gradient to a device: both, or none of them where one does not get there."""
    array, grad_var = variable._array, variable._grad_var
    if array is None:
        variable._initial_device = device
        return
    moved, grad = device.send(array), device.send(variable._grad)
    if grad_var is not None and grad is not variable._grad:
        grad_var.array = grad
    if moved is not array:
        variable.array = moved
    variable._grad = grad


def to_intel64(self: Variable) -> None:
    """Chainer's way to iDeep, which no longer exists."""
    move(self, Intel64Device())


def to_chx(self: Variable) -> NoReturn:
    """Chainer's way to ChainerX, which no longer exists."""
    raise no_chainerx()


def from_chx(self: Variable) -> None:
    """Nothing: no array is of ChainerX."""


def chx_array(self: Variable) -> NoReturn:
    """Chainer's access to an array of ChainerX."""
    raise ValueError(f"chx_array is for arrays of ChainerX{at_user_line()}, and there are none; use .array")


def as_layout(self: Variable, layout: Any) -> Variable:
    """The Variable itself: arrays have NumPy's layout, which is called None.

    Raises:
        ValueError: for any other layout.
    """
    if layout is not None:
        raise ValueError(f"there is no layout {layout!r}{at_user_line()}; arrays have NumPy's layout, called None")
    return self


def raw_array(self: Variable) -> Any:
    """The array."""
    return self._array


def layout(self: Variable) -> None:
    """None: arrays have NumPy's layout."""


def install() -> None:
    """Give Variables their places."""
    for method in (to_device, to_cpu, to_gpu, to_intel64, to_chx, from_chx, as_layout):
        setattr(Variable, method.__name__, method)
    for attribute in (device, chx_array, raw_array, layout):
        setattr(Variable, attribute.__name__, property(attribute))


install()
