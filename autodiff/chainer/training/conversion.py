"""From a minibatch to the call of a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from autodiff.chainer.backend import CpuDevice, GpuDevice
from autodiff.chainer.dataset.convert import Converter


def converted(converter: Callable[..., Any], batch: Any, device: Any) -> Any:
    """What a converter makes of a minibatch.

    A ``Converter`` gets the device itself; a plain function gets its number, -1 for the CPU, as in old versions.
    """
    if isinstance(converter, Converter):
        return converter(batch, device)
    if isinstance(device, CpuDevice):
        return converter(batch, -1)
    return converter(batch, device.device.id if isinstance(device, GpuDevice) else device)


def called(function: Callable[..., Any], arrays: Any, *before: Any) -> Any:
    """The result of a function: a tuple is given as its arguments, a dict as its keywords, all else as it is.

    >>> called(divmod, (7, 2))
    (3, 1)
    >>> called(dict, {"x": 1})
    {'x': 1}
    """
    if isinstance(arrays, tuple):
        return function(*before, *arrays)
    if isinstance(arrays, dict):
        return function(*before, **arrays)
    return function(*before, arrays)


def named(value: Any) -> dict[str, Any]:
    """The values by name: a single one is called ``main``.

    >>> named(3)
    {'main': 3}
    """
    return dict(value) if isinstance(value, Mapping) else {"main": value}
