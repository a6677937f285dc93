"""A stand-in for CuPy: two "GPUs" whose arrays are no arrays of NumPy and do not mix with them."""

import types

import numpy as np


class Current:
    device = 0


class Device:
    def __init__(self, device=None):
        self.id = Current.device if device is None else int(device)
        self.before = []

    def __int__(self):
        return self.id

    def use(self):
        Current.device = self.id

    def __enter__(self):
        self.before.append(Current.device)
        Current.device = self.id
        return self

    def __exit__(self, *_):
        Current.device = self.before.pop()


class Stream:
    def synchronize(self):
        pass


Stream.null = Stream()


class ndarray:
    __cuda_array_interface__: dict = {}  # noqa: RUF012

    def __init__(self, content, device=None):
        self.content, self.device = np.array(content), Device(device)
        self.shape, self.dtype = self.content.shape, self.content.dtype

    def get(self, stream=None):
        return self.content.copy()

    def copy(self):
        return ndarray(self.content)

    def fill(self, value):
        self.content.fill(value)

    def __add__(self, other):
        return ndarray(self.content + other.content, self.device)

    def __setitem__(self, key, value):
        assert isinstance(value, (ndarray, int, float)), "CuPy takes no array of NumPy"
        self.content[key] = value.content if isinstance(value, ndarray) else value

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion to a NumPy array is not allowed")


def module():
    cuda = types.SimpleNamespace(Device=Device, Event=type("Event", (), {}), Stream=Stream)
    cupy = types.ModuleType("cupy")
    cupy.ndarray, cupy.cuda = ndarray, cuda
    cupy.is_available = lambda: True
    cupy.asarray = lambda array: array if isinstance(array, ndarray) else ndarray(array)
    cupy.empty = lambda shape, dtype: ndarray(np.empty(shape, dtype))
    cupy.empty_like = lambda array: ndarray(np.empty_like(array.content))
    cupy.full_like = lambda array, value: ndarray(np.full_like(array.content, value))
    cupy.memoize = lambda for_each_device: lambda function: function
    cupy.clear_memo = lambda: None
    cupy.ElementwiseKernel = lambda *args: ("elementwise", *args)
    cupy.fuse = lambda *args, **kwargs: ("fused", *args)

    def copyto(dst, src, casting="same_kind"):
        np.copyto(dst.content, src.content, casting=casting)

    cupy.copyto = copyto
    return cupy


for kind in (Device, Stream):
    kind.__module__ = "cupy.cuda"
ndarray.__module__ = "cupy"
