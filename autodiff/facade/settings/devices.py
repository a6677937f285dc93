"""Devices: where arrays live, and how they get there."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import total_ordering
from typing import Any, NoReturn, Self

import numpy as np

from autodiff.backends import gpu
from autodiff.trace.source import at_user_line
from autodiff.trace.tracer import Tracer, concrete


@total_ordering
class Device:
    """A place for arrays. Two devices are equal if they are the same place.

    Programs of Chainer 1 to 5 compare the device of an updater with numbers: the CPU is -1, a GPU has its own number.

    >>> get_device(-1) >= 0, get_device(-1) == -1
    (False, True)

    Attributes:
        xp: the module that makes arrays there.
        name: what :func:`get_device` finds it by.
        supported_array_types: the types of arrays that live there.
    """

    @property
    def xp(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not say which module makes its arrays: define xp")

    @property
    def name(self) -> str:
        raise NotImplementedError(f"{type(self).__name__} has no name: define it")

    @property
    def supported_array_types(self) -> tuple[type, ...]:
        raise NotImplementedError(f"{type(self).__name__} does not say which arrays it holds")

    def is_array_supported(self, array: Any) -> bool:
        """Whether the array lives there."""
        return isinstance(array, self.supported_array_types)

    def send(self, arrays: Any) -> Any:
        """The same arrays on this device: an array, None, or lists and tuples of them.

        Raises:
            TypeError: if something else is among them.
        """
        return mapped(self.send_array, arrays)

    def send_array(self, array: Any) -> Any:
        """The same array on this device; the very array if it is there."""
        raise NotImplementedError(f"{type(self).__name__} does not say how arrays get there: define send_array")

    def use(self) -> None:
        """Make it the current device of this thread."""

    def create_context(self) -> AbstractContextManager[Any]:
        """A context in which it is the current device."""
        return nullcontext()

    def __enter__(self) -> NoReturn:
        raise RuntimeError(f"a Device is no context{at_user_line()}; use chainer.using_device(device)")

    def __exit__(self, *_: object) -> None:
        """Never reached."""

    def __str__(self) -> str:
        return self.name

    @property
    def device_number(self) -> int | None:
        """The number that programs of Chainer 1 to 5 compare: -1 for the CPU, that of a GPU; None for other places."""
        return None

    def __int__(self) -> int:
        if self.device_number is None:
            raise TypeError(f"{self.name} has no number{at_user_line()}")
        return self.device_number

    def __eq__(self, other: object) -> bool:
        if is_number(other) and self.device_number is not None:
            return self.device_number == other
        return type(other) is type(self) and str(other) == str(self)

    def __hash__(self) -> int:
        return hash((type(self), self.name) if self.device_number is None else self.device_number)

    def __lt__(self, other: object) -> bool:
        if self.device_number is None or not is_number(other):
            return NotImplemented
        return self.device_number < other  # type: ignore[operator]


class CpuDevice(Device):
    """The CPU, with NumPy.

    >>> CpuDevice(), CpuDevice().name
    (<CpuDevice (numpy)>, '@numpy')
    """

    xp = np
    name = "@numpy"
    device_number = -1
    supported_array_types = (np.ndarray,)

    @staticmethod
    def from_array(array: Any) -> CpuDevice | None:
        """The device of an array of NumPy; None for anything else."""
        return CPU if isinstance(array, np.ndarray) else None

    def send_array(self, array: Any) -> Any:
        if isinstance(array, (np.ndarray, Tracer)):
            return array
        if gpu.is_gpu_array(array):
            return gpu.to_host(array)
        return np.asarray(number(array, self))

    def __repr__(self) -> str:
        return "<CpuDevice (numpy)>"


class GpuDevice(Device):
    """A GPU, with CuPy.

    Args:
        device: a ``cupy.cuda.Device``.

    Raises:
        RuntimeError: if no GPU can be used.
    """

    def __init__(self, device: Any) -> None:
        cupy = gpu.require()
        if not isinstance(device, cupy.cuda.Device):
            raise TypeError(
                f"a GpuDevice is made of a cupy.cuda.Device, got {type(device).__name__}{at_user_line()}; for the "
                "number of a GPU there is GpuDevice.from_device_id"
            )
        self.device = device

    @classmethod
    def from_device_id(cls, device_id: int | None) -> Self:
        """The GPU of that number; the current one for None."""
        cupy = gpu.require()
        return cls(cupy.cuda.Device(None if device_id is None else gpu_number(device_id)))

    @staticmethod
    def from_array(array: Any) -> GpuDevice | None:
        """The device of an array of CuPy; None for anything else."""
        return GpuDevice(array.device) if gpu.is_gpu_array(array) else None

    @property
    def xp(self) -> Any:
        return gpu.require()

    @property
    def name(self) -> str:
        return f"@cupy:{self.device.id}"

    @property
    def device_number(self) -> int:
        return int(self.device.id)

    @property
    def supported_array_types(self) -> tuple[type, ...]:
        return (gpu.require().ndarray,)

    def is_array_supported(self, array: Any) -> bool:
        return gpu.is_gpu_array(array) and array.device.id == self.device.id

    def send_array(self, array: Any) -> Any:
        if isinstance(array, Tracer):
            return array
        if not (isinstance(array, np.ndarray) or gpu.is_gpu_array(array)):
            array = number(array, self)
        return gpu.to_gpu(array, self.device.id)

    def use(self) -> None:
        self.device.use()

    def create_context(self) -> AbstractContextManager[Any]:
        return gpu.require().cuda.Device(self.device.id)  # type: ignore[no-any-return]

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[int]]:
        return GpuDevice.from_device_id, (self.device.id,)

    def __repr__(self) -> str:
        return f"<GpuDevice (cupy):{self.device.id}>"


class Intel64Device(Device):
    """Chainer's device for iDeep, which no longer exists."""

    xp = np
    name = "@intel64"

    def __init__(self) -> None:
        raise RuntimeError(
            f"iDeep is not available{at_user_line()}: it was not continued; use the CPU: device -1 or '@numpy'"
        )

    @staticmethod
    def from_array(array: Any) -> None:
        """None: no array lives there."""


class ChainerxDevice(Device):
    """Chainer's device for ChainerX, which no longer exists.

    Args:
        device: the device of ChainerX.
    """

    def __init__(self, device: Any) -> None:
        raise no_chainerx()

    @staticmethod
    def from_array(array: Any) -> None:
        """None: no array lives there."""

    @staticmethod
    def from_fallback_device(device: Device) -> NoReturn:
        """The device of ChainerX at the same place."""
        raise no_chainerx()


CPU = CpuDevice()


def is_number(value: object) -> bool:
    """Whether it is an integer, as numbers of devices are."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def gpu_number(device_id: Any) -> int:
    """The number of a GPU that is there.

    Raises:
        ValueError: if it is none, or there is no such GPU.
    """
    if isinstance(device_id, GpuDevice):
        return device_id.device_number
    if not isinstance(device_id, (int, np.integer)) or device_id < 0:
        raise ValueError(f"the number of a GPU is 0 or larger, got {device_id!r}{at_user_line()}")
    count = gpu.require().cuda.runtime.getDeviceCount()
    if device_id >= count:
        raise ValueError(
            f"there is no GPU {device_id}{at_user_line()}: CUDA finds {count}, numbered from 0; take one of those, or "
            "-1 for the CPU"
        )
    return int(device_id)


def no_chainerx() -> RuntimeError:
    """The error of everything that needs ChainerX."""
    return RuntimeError(
        f"ChainerX is not available{at_user_line()}: it was not continued; use the CPU (device -1 or '@numpy') or a "
        "GPU (device 0 or '@cupy:0')"
    )


def number(value: Any, device: Device) -> Any:
    """A number, which becomes an array on any device."""
    if not np.isscalar(value):
        raise TypeError(
            f"{device} takes arrays, got {type(value).__name__}{at_user_line()}; a Variable or a link has its own "
            "to_device()"
        )
    return value


def mapped(function: Callable[[Any], Any], arrays: Any) -> Any:
    """The function of an array, or of all arrays in lists and tuples; None stays None."""
    if type(arrays) in (list, tuple):
        return type(arrays)([mapped(function, array) for array in arrays])
    return None if arrays is None else function(arrays)


def get_device(device_spec: Any) -> Device:
    """The device that is meant.

    Args:
        device_spec: ``"@numpy"`` or a negative number for the CPU; ``"@cupy:N"`` or the number ``N`` for a GPU, also as
            text; a ``cupy.cuda.Device``; a :class:`Device`.

    Raises:
        ValueError: if no device has that name.
        TypeError: if it is no name and no number.
        RuntimeError: if what it needs is not installed.

    >>> get_device("@numpy"), get_device(-1)
    (<CpuDevice (numpy)>, <CpuDevice (numpy)>)
    """
    if isinstance(device_spec, Device):
        return device_spec
    if isinstance(device_spec, str):
        return named_device(device_spec)
    if isinstance(device_spec, (int, np.integer)):
        return numbered_device(int(device_spec))
    if type(device_spec).__module__.partition(".")[0] == "cupy":
        return GpuDevice(device_spec)
    raise TypeError(
        f"a device is given by a name, a number or a Device, got {type(device_spec).__name__}{at_user_line()}; for "
        "example '@numpy', '@cupy:0', -1 (the CPU) or 0 (the first GPU)"
    )


def numbered_device(number: int) -> Device:
    """The CPU for negative numbers, a GPU for others."""
    return CPU if number < 0 else GpuDevice.from_device_id(number)


def named_device(name: str) -> Device:
    """The device of that name."""
    if name == "@numpy":
        return CPU
    if name == "@intel64":
        return Intel64Device()
    module, _, rest = name.partition(":")
    if module == "@cupy" and rest.isdecimal():
        return GpuDevice.from_device_id(int(rest))
    if name.removeprefix("-").isdecimal():
        return numbered_device(int(name))
    if not name.startswith("@"):
        raise RuntimeError(
            f"{name!r} would be a device of ChainerX, which is not available{at_user_line()}; use '@numpy' or -1 for "
            "the CPU, '@cupy:0' or 0 for a GPU"
        )
    raise ValueError(
        f"there is no device {name!r}{at_user_line()}; the names are '@numpy' and '@cupy:N', N the number of a GPU"
    )


def device_of(array: Any) -> Device:
    """The device of an array, traced or not; the CPU for what is none."""
    return CPU if isinstance(array, np.ndarray) else GpuDevice.from_array(concrete(array)) or CPU
