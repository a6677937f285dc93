"""Arrays of the stand-in: they lie in host memory, but nothing of NumPy may look at them."""

import ctypes
import functools
import operator

import numpy as np

from tests.standin import device as devices
from tests.standin import memory, streams
from tests.standin.recorded import METHODS, signature

REFUSAL = (
    "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct a NumPy array explicitly."
)
SCALARS = (bool, int, float, complex, np.generic)
DTYPES = "?bhilqBHILQefdFD"
DEPENDENT = {"nonzero", "argwhere", "flatnonzero", "unique", "sort", "partition"}
"""What has results whose shapes depend on elements, or changes an array in place: the GPU is waited for."""


class Flags:
    """How the memory of an array is ordered."""

    def __init__(self, c_contiguous, f_contiguous, owndata):
        self.c_contiguous, self.f_contiguous, self.owndata = c_contiguous, f_contiguous, owndata

    @property
    def fnc(self):
        return self.f_contiguous and not self.c_contiguous

    @property
    def forc(self):
        return self.f_contiguous or self.c_contiguous

    def __getitem__(self, name):
        return getattr(self, {"C": "c_contiguous", "F": "f_contiguous", "O": "owndata"}.get(name, name.lower()))


class ndarray:
    """An array on a GPU."""

    __slots__ = ("__weakref__", "_block", "_content", "_device", "base")
    __array_priority__ = 100
    __hash__ = None

    def __init__(self, shape, dtype=float, memptr=None, strides=None, order="C"):
        dtype = check_dtype(dtype)
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self._block = None
        if memptr is None:
            size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
            self._block = memory.alloc(size)
            self._content = placed(self._block, shape, dtype, None, order)
        else:
            self._content = placed(memptr, shape, dtype, strides, order)
        self._device = devices.current()
        self.base = None if memptr is None else memptr

    @property
    def _host(self):
        """The elements for whoever computes on the host, or at once: the current stream has done its work then."""
        streams.settle()
        return self._content

    # What it is.

    shape = property(lambda self: self._content.shape, lambda self, shape: set_shape(self, shape))
    dtype = property(lambda self: self._content.dtype)
    ndim = property(lambda self: self._content.ndim)
    size = property(lambda self: self._content.size)
    itemsize = property(lambda self: self._content.itemsize)
    nbytes = property(lambda self: self._content.nbytes)
    strides = property(lambda self: self._content.strides)
    device = property(lambda self: devices.Device(self._device))
    T = property(lambda self: self if self.ndim < 2 else self.transpose())
    mT = property(lambda self: self.swapaxes(-1, -2))
    real = property(lambda self: view_of(self, self._content.real), lambda self, value: set_part(self, "real", value))
    imag = property(lambda self: imaginary(self), lambda self, value: set_part(self, "imag", value))

    @property
    def flags(self):
        flags = self._content.flags
        return Flags(flags.c_contiguous, flags.f_contiguous, self.base is None)

    @property
    def data(self):
        """Where it begins: the same object for all arrays that begin there, as in CuPy."""
        start = self._block
        if start is None:
            start = self.base.data if isinstance(self.base, ndarray) else self.base
        begin = self._content.ctypes.data
        return start if begin == start.ptr else memory.MemoryPointer(start.mem, begin - start.mem.ptr)

    @property
    def __cuda_array_interface__(self):
        strides = None if self._content.flags.c_contiguous else self.strides
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "descr": self.dtype.descr,
            "version": 3,
            "stream": 1,
            "strides": strides,
            "data": (self._content.ctypes.data if self.size else 0, False),
        }

    # To and from the host.

    def get(self, stream=None, order="C", out=None, blocking=True):
        streams.refuse_capture("get")
        streams.settle(stream)
        if out is None:
            return np.array(self._content, order=order)
        if not isinstance(out, np.ndarray):
            raise TypeError("Only numpy.ndarray can be obtained from cupy.ndarray")
        out[...] = self._content
        return out

    def set(self, arr, stream=None):
        if not isinstance(arr, np.ndarray):
            raise TypeError("Only numpy.ndarray can be set to cupy.ndarray")
        if self.dtype != arr.dtype:
            raise TypeError(f"{arr.dtype} array cannot be set to {self.dtype} array")
        if self.shape != arr.shape:
            raise ValueError(f"Shape mismatch. Old shape: {self.shape}, new shape: {arr.shape}")
        content, host = (
            self._content,
            arr if memory.is_pinned(arr) else arr.copy(),
        )  # what is not pinned is read at once
        streams.submit(lambda: np.copyto(content, host), stream)

    def item(self):
        streams.refuse_capture("item")
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self._host.item()

    def tolist(self):
        return self._host.tolist()

    def tobytes(self, order="C"):
        return self._host.tobytes(order)

    def __array__(self, dtype=None, copy=None):
        raise TypeError(REFUSAL)

    def __bool__(self):
        return bool(self._host)

    def __int__(self):
        return int(self._host)

    def __float__(self):
        return float(self._host)

    def __complex__(self):
        return complex(self._host)

    def __index__(self):
        return operator.index(self._host)

    def __repr__(self):
        return repr(self._host)

    def __str__(self):
        return str(self._host)

    def __format__(self, spec):
        return format(self._host, spec)

    def __reduce__(self):
        return from_host, (self.get(),)

    # Copies.

    def copy(self, order="C"):
        content = self._content
        return made(lambda: np.array(content, order=order))

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        with self.device:
            return self.copy()

    def astype(self, dtype, order="K", casting=None, subok=None, copy=True):
        if casting is not None:
            raise TypeError("casting is not supported yet")
        if subok is not None:
            raise TypeError("subok is not supported yet")
        dtype = check_dtype(dtype)
        if dtype == self.dtype and not copy:
            return self

        content = self._content

        def converted():
            with np.errstate(all="ignore"):
                return (content.real if loses(self, dtype) else content).astype(dtype, order)

        return made(converted)

    def view(self, dtype=None, type=None):
        return view_of(self, self._content.view() if dtype is None else self._content.view(check_dtype(dtype)))

    def reshape(self, *shape, order="C", copy=None):
        content = self._content
        shaped = content.reshape(*shape, order=order)
        if np.may_share_memory(shaped, content):
            return view_of(self, shaped)
        return made(lambda: content.reshape(*shape, order=order))

    def fill(self, value):
        if isinstance(value, np.ndarray):
            if value.shape != ():
                raise ValueError("non-scalar numpy.ndarray cannot be used for fill")
            value = value.item()
        content, given = self._content, value._content if isinstance(value, ndarray) else value
        streams.submit(lambda: content.fill(given))

    def __len__(self):
        return len(self._content)

    def __iter__(self):
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[k] for k in range(self.shape[0]))

    # NumPy's protocols.

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        operands = inputs
        if "out" in kwargs:
            if len(kwargs["out"]) != 1:
                raise ValueError("The 'out' parameter must have exactly one array value")
            operands += kwargs["out"]
            kwargs["out"] = kwargs["out"][0]
        own = getattr(library(), ufunc.__name__, None)
        if own is None:
            return NotImplemented
        for operand in operands:
            known = hasattr(operand, "__cuda_array_interface__") or isinstance(operand, (np.ndarray, *SCALARS))
            if not known:  # also the key of `at`, where it is a tuple, a list or a slice
                return NotImplemented
        return (own if method == "__call__" else getattr(own, method))(*inputs, **kwargs)

    def __array_function__(self, function, types, args, kwargs):
        try:
            own = functools.reduce(getattr, [*function.__module__.split(".")[1:], function.__name__], library())
        except AttributeError:
            return NotImplemented
        if any(kind not in (ndarray, np.ndarray) for kind in types):
            return NotImplemented
        return own(*args, **kwargs)


def library():
    """The module that is installed as ``cupy``."""
    import cupy

    return cupy


def check_dtype(dtype):
    """A dtype, if there are arrays of it."""
    dtype = np.dtype(dtype)
    if dtype.char not in DTYPES and dtype.name != "bfloat16":
        raise ValueError(f"Unsupported dtype {dtype}")
    return dtype


def placed(pointer, shape, dtype, strides, order="C"):
    """The elements at a place in memory, which they keep from being unmapped, not from being handed out again."""
    start = pointer.ptr - pointer.mem.ptr
    content = getattr(pointer.mem, "content", None)
    if content is None or content.dtype != np.uint8:
        raw = (ctypes.c_uint8 * pointer.mem.size).from_address(pointer.mem.ptr)
        content = np.ctypeslib.as_array(raw)
    return np.ndarray(shape, dtype, content, start, strides, order)


def empty(like):
    """A new array of this shape, dtype and order; what it holds is whatever lies there."""
    check_dtype(like.dtype)
    array = ndarray.__new__(ndarray)
    array._block = memory.alloc(like.nbytes)
    array._content = placed(array._block, like.shape, like.dtype, np.empty_like(like, subok=False).strides)
    array._device, array.base = devices.current(), None
    return array


def wrapped(host):
    """A new array with the elements of one of NumPy, which are there when the call returns."""
    host = np.asarray(host)
    array = empty(host)
    streams.settle()
    array._content[...] = host
    return array


def made(compute):
    """A new array with what a function gives: now, or when its turn has come. The function is called now in any case,
    for the shape."""
    if not streams.delayed():
        return wrapped(compute())
    array = empty(np.asarray(compute()))
    content = array._content
    streams.submit(lambda: np.copyto(content, compute()))
    return array


def view_of(array, host):
    """An array that shows part of another one, if it does so; else a new one."""
    if np.may_share_memory(array._content, host):
        view = ndarray.__new__(ndarray)
        view._block, view._content, view._device = None, host, array._device
        view.base = array if array.base is None else array.base
        return view
    return wrapped(host)


def from_host(host):
    """A copy of an array of NumPy."""
    return wrapped(np.array(host))


def set_shape(array, shape):
    """Reshape without a copy."""
    array._content = array._content.view()
    array._content.shape = shape


def set_part(array, name, value):
    """Write the real or imaginary part."""
    if isinstance(value, np.ndarray):
        raise TypeError(f"Unsupported type {type(value)}")
    setattr(array._host, name, value._host if isinstance(value, ndarray) else value)


def imaginary(array):
    """The imaginary part: a view of complex numbers, new zeros of real ones."""
    if array.dtype.kind == "c":
        return view_of(array, array._content.imag)
    return made(lambda: np.zeros_like(array._content))


def loses(array, dtype):
    """Whether a conversion drops the imaginary part."""
    return array.dtype.kind == "c" and dtype.kind not in "cb"


def check_device(array):
    """Refuse an array that lies on another GPU than the current one."""
    if array._device != devices.current():
        raise ValueError(
            f"The device where the array resides ({array._device}) is different from the current device "
            f"({devices.current()}). Peer access is unavailable between these devices."
        )


def peeled(value, host_allowed=False, waits=True):
    """What a function of NumPy gets in place of a stand-in array, in lists too.

    Raises:
        TypeError: for an array of NumPy.
    """
    if isinstance(value, ndarray):
        check_device(value)
        return value._host if waits else value._content
    if isinstance(value, np.ndarray) and not host_allowed:
        raise TypeError(f"Unsupported type {type(value)}")
    if type(value) in (list, tuple):
        return type(value)(peeled(part, host_allowed, waits) for part in value)
    return value


def dressed(value, arguments=()):
    """What CuPy returns where NumPy returns this: arrays, also without axes, in place of scalars."""
    if isinstance(value, np.ndarray):
        base = next((a for a in arguments if isinstance(a, ndarray) and np.may_share_memory(a._content, value)), None)
        return wrapped(value) if base is None else view_of(base, value)
    if isinstance(value, (np.generic, bool, int, float, complex)):
        return wrapped(value)
    if isinstance(value, tuple):
        return tuple(dressed(part, arguments) for part in value)
    if isinstance(value, list):
        return [dressed(part, arguments) for part in value]
    return value


def method(name):
    """A method that does what NumPy's does, with CuPy's parameters."""
    check = signature(name, METHODS[name])

    def call(self, *args, **kwargs):
        check(self, *args, **kwargs)
        check_device(self)
        out = kwargs.get("out")
        plain = {key: peeled(value, waits=False) for key, value in kwargs.items() if key != "kind"}
        host, content = peeled(args, waits=False), self._content
        if out is not None or name in DEPENDENT or not streams.delayed():
            streams.settle()

        def compute():
            with np.errstate(all="ignore"):
                return getattr(content, name)(*host, **plain)

        result = compute()
        if out is not None:
            return out
        if not isinstance(result, (np.ndarray, np.generic)) or np.may_share_memory(result, content):
            return None if result is None else dressed(result, (self,))
        return made(compute) if streams.delayed() and name not in DEPENDENT else wrapped(result)

    call.__name__ = name
    return call


def operation(name, swapped=False):
    """One of Python's operators."""

    def call(self, other):
        if hasattr(other, "__array_ufunc__") and other.__array_ufunc__ is None:
            return NotImplemented
        return getattr(np, name)(*((other, self) if swapped else (self, other)))

    return call


def in_place(name):
    """One of Python's operators that write."""
    return lambda self, other: getattr(library(), name)(self, other, self)


BINARY = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide",
    "mod": "remainder", "pow": "power", "matmul": "matmul", "and": "bitwise_and", "or": "bitwise_or",
    "xor": "bitwise_xor", "lshift": "left_shift", "rshift": "right_shift", "divmod": "divmod",
}  # fmt: skip
COMPARISONS = {
    "lt": "less", "le": "less_equal", "eq": "equal", "ne": "not_equal", "gt": "greater", "ge": "greater_equal",
}  # fmt: skip
for _short, _name in BINARY.items():
    setattr(ndarray, f"__{_short}__", operation(_name))
    setattr(ndarray, f"__r{_short}__", operation(_name, swapped=True))
    if _short not in ("divmod", "matmul"):
        setattr(ndarray, f"__i{_short}__", in_place(_name))
for _short, _name in COMPARISONS.items():
    setattr(ndarray, f"__{_short}__", operation(_name))
for _short, _name in {"neg": "negative", "abs": "absolute", "invert": "invert"}.items():
    setattr(ndarray, f"__{_short}__", lambda self, name=_name: getattr(library(), name)(self))
ndarray.__pos__ = lambda self: self
for _name, _parameters in METHODS.items():
    if _parameters is not None and not hasattr(ndarray, _name) and hasattr(np.ndarray, _name):
        setattr(ndarray, _name, method(_name))
ndarray.__module__ = "cupy"
