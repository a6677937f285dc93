"""Converters: from a list of examples to the arrays of a batch, on a device."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module, get_device
from autodiff.trace.source import at_user_line


class Converter:
    """What makes arrays of a list of examples. A subclass defines ``__call__(batch, device)``."""

    def __call__(self, batch: Any, device: Any) -> Any:
        """The arrays of the batch on the device."""
        raise NotImplementedError(f"{type(self).__name__} must define __call__(batch, device)")


class FunctionConverter(Converter):
    """A function as a converter: what it gets as ``device`` is a Device, however the device was named.

    Args:
        function: the function, whose first two arguments are ``batch`` and ``device``.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if "device" in kwargs:
            kwargs["device"] = device_named(kwargs["device"])
        elif len(args) > 1:
            args = (args[0], device_named(args[1]), *args[2:])
        return self.function(*args, **kwargs)

    def __reduce__(self) -> str:
        return self.__name__  # type: ignore[attr-defined, no-any-return]  # what it decorates is found by its name


def device_named(device: Any) -> Any:
    """The device; None stays None, which means that arrays stay where they are."""
    return None if device is None else get_device(-1 if device == -2 else device)


def converter() -> Callable[[Callable[..., Any]], FunctionConverter]:
    """A decorator that makes a converter of a function of ``batch`` and ``device``.

    >>> @converter()
    ... def first(batch, device):
    ...     return batch[0], device
    >>> first([1, 2], "@numpy")
    (1, <CpuDevice (numpy)>)
    """
    return FunctionConverter


class Conveyor:
    """Arrays on their way to a device, in the order in which they were given; copies to a GPU need not be waited for.

    Args:
        device: a device or its name or number; None leaves arrays where they are.
        stream: the CUDA stream of the copies.

    >>> conveyor = Conveyor("@numpy")
    >>> conveyor.put(np.ones(1))
    >>> conveyor.get()
    array([1.])
    """

    def __init__(self, device: Any = None, stream: Any = None) -> None:
        self._device, self._stream = device_named(device), stream
        self._arrays: deque[Any] = deque()

    def put(self, array: Any) -> None:
        """Send an array off."""
        if self._stream is None or self._device is None or self._device.xp is np:
            self._arrays.append(to_device(self._device, array))
            return
        with self._device.create_context(), self._stream:
            self._arrays.append(to_device(self._device, array))

    def get(self, sync: bool = True) -> Any:
        """The array on the device that was sent off first of those that are still on their way.

        Args:
            sync: whether to wait for its copy.

        Raises:
            IndexError: if none is.
        """
        array = self._arrays.popleft()
        if sync and self._stream is not None:
            self._stream.synchronize()
        return array


def to_device(device: Any, x: Any) -> Any:
    """The arrays on a device.

    Args:
        device: a device or its name or number; None leaves the arrays where they are.
        x: an array, or a list or tuple of arrays.
    """
    device = device_named(device)
    return x if device is None else device.send(x)


@converter()
def concat_examples(batch: Any, device: Any = None, padding: Any = None) -> Any:
    """The examples stacked along a new first axis: arrays, or tuples or dicts of arrays as the examples are.

    Args:
        batch: the examples: arrays or numbers, or tuples or dicts of them.
        device: where the arrays go; None leaves them where they are.
        padding: a number that fills arrays up to the largest shape, or a tuple or dict of such numbers. None demands
            equal shapes.

    Raises:
        ValueError: if there are no examples, or their shapes differ without ``padding``.

    >>> concat_examples([(np.zeros(2), 7), (np.ones(2), 8)])
    (array([[0., 0.], [1., 1.]]), array([7, 8]))
    >>> concat_examples([np.ones(1), np.ones(2)], padding=0)
    array([[1., 0.], [1., 1.]])
    """
    if len(batch) == 0:
        raise ValueError(f"a batch without examples makes no arrays{at_user_line()}")
    first = batch[0]
    if isinstance(first, tuple):
        return tuple(column(batch, device, padding, key) for key in range(len(first)))
    if isinstance(first, dict):
        return {key: column(batch, device, padding, key) for key in first}
    return to_device(device, stacked(batch, padding))


concat_examples_func = concat_examples.function
"""The same as a plain function, which takes the device as it is."""


def column(batch: Any, device: Any, padding: Any, key: Any) -> Any:
    """One entry of all examples as one array."""
    fill = padding[key] if isinstance(padding, (tuple, dict)) else padding
    return to_device(device, stacked([example[key] for example in batch], fill))


def stacked(arrays: Any, padding: Any) -> Any:
    """Arrays or numbers as one array with a new first axis."""
    if isinstance(arrays[0], (str, bytes)) or arrays[0] is None:
        raise TypeError(
            f"a batch is made of arrays and numbers, got {type(arrays[0]).__name__}{at_user_line()}; give the "
            "updater a converter of your own"
        )
    if not all(hasattr(array, "shape") for array in arrays):
        return as_array(arrays)
    if padding is None:
        return stacked_equals(arrays)
    return stacked_padded(arrays, padding)


def as_array(values: Any) -> Any:
    """Numbers or nested lists as one array."""
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(f"the examples do not make one array{at_user_line()}: {error}") from error


def stacked_equals(arrays: Any) -> Any:
    """Arrays of one shape as one array."""
    shapes = {array.shape for array in arrays}
    if len(shapes) > 1:
        raise ValueError(
            f"the examples have different shapes: {sorted(shapes)}{at_user_line()}; use concat_examples with padding"
        )
    return get_array_module(*arrays).stack(list(arrays))


def stacked_padded(arrays: Any, padding: Any) -> Any:
    """Arrays as one array of the largest shape, filled up by ``padding``."""
    if len({array.ndim for array in arrays}) > 1:
        raise ValueError(
            f"the examples have different numbers of axes: {[array.shape for array in arrays]}{at_user_line()}"
        )
    shape = tuple(max(lengths) for lengths in zip(*(array.shape for array in arrays)))
    batch = get_array_module(*arrays).full((len(arrays), *shape), padding, dtype=arrays[0].dtype)
    for row, array in zip(batch, arrays):
        row[tuple(map(slice, array.shape))] = array
    return batch


_concat_arrays, _concat_arrays_with_padding = stacked, stacked_padded
"""Names by which libraries know them."""


class ConcatWithAsyncTransfer:
    """:func:`concat_examples` that copies to a GPU in a stream of its own, while the GPU computes.

    Args:
        stream: the CUDA stream of the copies; a new one if None.
        compute_stream: the CUDA stream that uses the arrays; the current one if None.
    """

    def __init__(self, stream: Any = None, compute_stream: Any = None) -> None:
        self.stream = stream
        self.compute_stream = compute_stream

    def __call__(self, batch: Any, device: Any = None, padding: Any = None) -> Any:
        target = device_named(device)
        if getattr(getattr(target, "xp", np), "__name__", "numpy") != "cupy":
            return concat_examples(batch, target, padding)
        return self.transferred(batch, target, padding)

    def transferred(self, batch: Any, device: Any, padding: Any) -> Any:
        """The batch on the GPU: the stream that computes waits for the copies, the program does not.

        The copies wait for what computes so far. A batch that is no longer used gives its memory back to the copies at
        once, though kernels that were asked for may still have to read it.
        """
        cuda = device.xp.cuda
        with device.create_context():
            self.stream = self.stream or cuda.Stream(non_blocking=True)
            computing = self.compute_stream or cuda.get_current_stream()
            self.stream.wait_event(computing.record())
            with self.stream:
                arrays = concat_examples(batch, device, padding)
            computing.wait_event(self.stream.record())
        return arrays
