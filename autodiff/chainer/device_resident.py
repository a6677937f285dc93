"""Things that hold arrays and Variables, and bring all of them to a device."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar, NoReturn, Self

from autodiff.backends import gpu
from autodiff.facade.settings.devices import CPU, Device, GpuDevice, Intel64Device, get_device, no_chainerx
from autodiff.facade.variables.variable import Variable

MOVES: dict[type[Device], str] = {}
"""The methods by the kind of device that they bring to."""


class DeviceResident:
    """What holds arrays and Variables that live on a device.

    A subclass overrides :meth:`device_resident_accept` and shows the visitor what it holds.
    """

    _device: Device = CPU
    _overridden_to_methods: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        cls._overridden_to_methods = tuple(
            name for name in MOVES.values() if getattr(cls, name) is not getattr(DeviceResident, name)
        )
        for name in MOVES.values():
            if name in vars(cls):
                warnings.warn(
                    f"{cls.__name__} overrides {name}(), which is deprecated; override device_resident_accept()",
                    DeprecationWarning,
                    stacklevel=2,
                )

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over what was pickled. Arrays of CuPy come to the current GPU, and go on to their own."""
        self.__dict__.update(state)
        if isinstance(self._device, GpuDevice):
            self.device_resident_accept(SendingVisitor(self._device))

    @property
    def device(self) -> Device:
        """Where it is."""
        return self._device

    @property
    def xp(self) -> Any:
        """The module of its arrays: numpy or cupy."""
        return self.device.xp

    @property
    def _device_id(self) -> int | None:
        """The number of the GPU, None for the CPU; old libraries ask for it."""
        return self.device.device.id if isinstance(self.device, GpuDevice) else None

    def device_resident_accept(self, visitor: DeviceResidentsVisitor) -> None:
        """Show a visitor this object and everything it holds.

        Args:
            visitor: what is called with this object, its Variables and its arrays; arrays are replaced by what it
                returns.
        """
        visitor.visit_device_resident(self)

    def to_device(self, device: Any) -> Self:
        """Bring everything to a device.

        Args:
            device: as for :func:`autodiff.chainer.backend.get_device`.

        Returns:
            the object itself.
        """
        return self._move(ToDeviceVisitor(get_device(device)))

    def to_cpu(self) -> Self:
        """Bring everything to the CPU. Deprecated: use ``to_device("@numpy")``."""
        warn_move("to_cpu", CPU)
        return self._move(ToDeviceVisitor(CPU, self))

    def to_gpu(self, device: int | None = None) -> Self:
        """Bring everything to a GPU. Deprecated: use ``to_device("@cupy:0")``.

        Args:
            device: its number; None for the current one, where what is on another GPU stays there.
        """
        target = GpuDevice.from_device_id(device)
        warn_move("to_gpu", target)
        return self._move(ToDeviceVisitor(target, self, between_gpus=device is not None))

    def to_intel64(self) -> Self:
        """Chainer's way to iDeep, which no longer exists.

        Raises:
            RuntimeError: always.
        """
        return self._move(ToDeviceVisitor(Intel64Device(), self))

    def to_chx(self) -> NoReturn:
        """Chainer's way to ChainerX, which no longer exists.

        Raises:
            RuntimeError: always.
        """
        raise no_chainerx()

    def from_chx(self) -> Self:
        """The object itself: nothing is of ChainerX."""
        return self._move(StayingVisitor())

    def _move(self, visitor: DeviceResidentsVisitor) -> Self:
        try:
            self.device_resident_accept(visitor)
        except BaseException:  # out of memory, say: nothing stays half moved
            visitor.undo(self)
            raise
        return self


MOVES.update({type(CPU): "to_cpu", GpuDevice: "to_gpu", Intel64Device: "to_intel64"})


def warn_move(name: str, device: Device) -> None:
    """Tell the caller of the method that it is deprecated."""
    warnings.warn(f"{name}() is deprecated; use to_device({device.name!r})", DeprecationWarning, stacklevel=3)


class DeviceResidentsVisitor:
    """What :meth:`DeviceResident.device_resident_accept` calls."""

    def visit_device_resident(self, device_resident: DeviceResident) -> None:
        """Meet an object that holds arrays."""
        raise NotImplementedError(f"{type(self).__name__} does not say what it does with objects")

    def visit_array(self, arr: Any) -> Any:
        """Meet an array.

        Returns:
            the array to put in its place.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say what it does with arrays")

    def visit_variable(self, param: Variable) -> None:
        """Meet a Variable."""
        raise NotImplementedError(f"{type(self).__name__} does not say what it does with Variables")

    def undo(self, device_resident: DeviceResident) -> None:
        """Take back what was done so far to an object, since an error ended the visit; by default nothing."""


class StayingVisitor(DeviceResidentsVisitor):
    """Changes nothing."""

    def visit_device_resident(self, device_resident: DeviceResident) -> None:
        """Nothing."""

    def visit_array(self, arr: Any) -> Any:
        return arr

    def visit_variable(self, param: Variable) -> None:
        """Nothing."""


class SendingVisitor(StayingVisitor):
    """Brings arrays and Variables to a device, and says nothing to the objects that hold them.

    Args:
        device: where to.
    """

    def __init__(self, device: Device) -> None:
        self.device = device

    def visit_array(self, arr: Any) -> Any:
        return self.device.send(arr)

    def visit_variable(self, param: Variable) -> None:
        param.to_device(self.device)


class RestoringVisitor(StayingVisitor):
    """Puts arrays back that were sent to a device.

    Args:
        arrays: what was sent and what it was before, by the id of what was sent.
    """

    def __init__(self, arrays: dict[int, tuple[Any, Any]]) -> None:
        self.arrays = arrays

    def visit_array(self, arr: Any) -> Any:
        return self.arrays.get(id(arr), (arr, arr))[1]


def placed_again(variable: Variable) -> Callable[[], None]:
    """A function that gives a Variable what it holds now."""
    array, grad, grad_var, place = variable._array, variable._grad, variable._grad_var, variable._initial_device

    def put_back() -> None:
        if array is not None:
            variable.array = array
        if grad_var is not None:
            grad_var.array = grad
        variable._grad, variable._grad_var, variable._initial_device = grad, grad_var, place

    return put_back


class ToDeviceVisitor(DeviceResidentsVisitor):
    """Brings everything to a device.

    An object of a class that overrides ``to_cpu`` or ``to_gpu`` gets that method called, as old programs expect.

    Args:
        device: where to.
        caller: the object whose ``to_cpu`` or ``to_gpu`` this is, which is not called again.
        between_gpus: whether what is on another GPU is moved.
    """

    def __init__(self, device: Device, caller: DeviceResident | None = None, between_gpus: bool = True) -> None:
        self.device, self.caller, self.between_gpus = device, caller, between_gpus
        self.before: list[Callable[[], None]] = []
        self.arrays: dict[int, tuple[Any, Any]] = {}

    def visit_device_resident(self, device_resident: DeviceResident) -> None:
        self.before.append(partial(setattr, device_resident, "_device", device_resident._device))
        device_resident._device = self.device
        name = MOVES.get(type(self.device), "")
        if name in device_resident._overridden_to_methods and device_resident is not self.caller:
            arguments = [self.device.device.id] if isinstance(self.device, GpuDevice) else []
            getattr(device_resident, name)(*arguments)

    def visit_array(self, arr: Any) -> Any:
        if self.stays(arr):
            return arr
        sent = self.device.send(arr)
        self.arrays[id(sent)] = sent, arr
        return sent

    def visit_variable(self, param: Variable) -> None:
        if not self.stays(param.array):
            self.before.append(placed_again(param))
            param.to_device(self.device)

    def undo(self, device_resident: DeviceResident) -> None:
        """Put everything back where it was."""
        for put_back in reversed(self.before):
            put_back()
        with suppress(Exception):  # the visit ends where it ended before
            device_resident.device_resident_accept(RestoringVisitor(self.arrays))

    def stays(self, array: Any) -> bool:
        """Whether the array is on another GPU and is left there."""
        return not self.between_gpus and gpu.is_gpu_array(array)
