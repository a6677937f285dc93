"""Reading and writing parts of arrays, as CuPy does it: where an index is out of range it wraps around."""

import numpy as np

from tests.standin import streams
from tests.standin.array import check_device, ndarray, view_of, wrapped

SHORT = {"add": "add", "maximum": "max", "minimum": "min"}
ATOMIC = {
    "add": ("int32", "float16", "float32", "float64", "uint32", "uint64"),
    "maximum": ("int32", "float32", "float64", "uint32", "uint64"),
    "minimum": ("int32", "float32", "float64", "uint32", "uint64"),
}
"""The dtypes of atomic writes."""


def plain(key, shape):
    """An index as NumPy takes it. Integer arrays wrap around; arrays and lists may also come from the host."""
    parts = key if isinstance(key, tuple) else (key,)
    taken = [advance(part) for part in parts]
    axis, out = 0, []
    ellipsis = len(shape) - sum(taken)
    for part, length in zip(parts, taken, strict=True):
        if part is Ellipsis:
            axis += ellipsis
        if isinstance(part, ndarray):
            check_device(part)
            part = part._host
        if isinstance(part, (list, np.ndarray)):
            part = np.asarray(part)
            if part.size == 0 and part.dtype.kind == "f":
                part = part.astype(np.int32)
            if part.dtype.kind not in "biu":
                raise IndexError(
                    f"arrays used as indices must be of integer or boolean type. (actual: {part.dtype.type})"
                )
            if part.dtype.kind in "iu" and axis < len(shape) and shape[axis]:
                part = part % shape[axis]
        axis += length
        out.append(part)
    return tuple(out)


def advance(part):
    """How many axes a part of an index takes."""
    if part is None or part is Ellipsis:
        return 0
    kind = getattr(part, "dtype", np.dtype(int)).kind
    if isinstance(part, list):
        kind, ndim = np.asarray(part).dtype.kind, np.ndim(part)
    else:
        ndim = getattr(part, "ndim", 0)
    return ndim if kind == "b" else 1


def get(self, key):
    """``x[key]``: a view where the index is basic, of single elements too."""
    check_device(self)
    given, key = key, plain(key, self.shape)  # arrays among the indices live until they were read
    advanced = any(isinstance(part, np.ndarray) for part in key)
    if advanced:
        streams.settle()
        streams.refuse_capture("an index by arrays")
    whole = advanced or any(part is Ellipsis for part in key)
    found = np.asarray(self._content[key if whole else (*key, ...)])
    del given
    return view_of(self, found)


def put(self, key, value):
    """``x[key] = value``; which of several values for one place stays is not defined: here the first."""
    check_device(self)
    if isinstance(value, np.ndarray):
        if value.shape != ():
            raise ValueError("non-scalar numpy.ndarray cannot be used for fill")
        value = value.item()
    owner = value
    if isinstance(value, ndarray):
        check_device(value)
        value = value._content
    given, key, content = key, plain(key, self.shape), self._content
    if not any(isinstance(part, np.ndarray) for part in key):
        streams.submit(lambda: assign(content, key, value))
        return
    streams.settle()
    places = np.arange(self.size).reshape(self.shape)[key]
    values = np.broadcast_to(np.asarray(value), places.shape).astype(self.dtype, copy=False)
    flat = self._host.copy().reshape(-1)
    flat[places.reshape(-1)[::-1]] = values.reshape(-1)[::-1]
    self._host[...] = flat.reshape(self.shape)
    del given, owner  # arrays that were read here live until now


def assign(content, key, value):
    """Write a part; what overflows becomes infinite, and nobody is told."""
    with np.errstate(all="ignore"):
        content[key] = value


def scatter(name):
    """``x[key] += value`` and the like, as often as a place occurs."""

    def call(self, slices, value):
        check_device(self)
        if isinstance(value, np.ndarray):
            raise TypeError(f"Unsupported type {type(value)}")
        added = value._host if isinstance(value, ndarray) else value
        key = plain(slices, self.shape)
        if any(isinstance(part, np.ndarray) for part in key) and self.dtype.name not in ATOMIC[name]:
            raise TypeError(f"cupyx.scatter_{SHORT[name]} only supports {', '.join(ATOMIC[name])} as data type")
        getattr(np, name).at(self._host, key, added)

    return call


def take(self, indices, axis=None, out=None):
    """Elements along an axis; indices wrap around."""
    check_device(self)
    places = indices._host if isinstance(indices, ndarray) else np.asarray(indices)
    result = wrapped(np.take(self._host, places, axis, mode="wrap") if self.size else np.take(self._host, places, axis))
    if out is None:
        return result
    out._host[...] = result._host
    return out


ndarray.__getitem__ = get
ndarray.__setitem__ = put
ndarray.scatter_add = scatter("add")
ndarray.scatter_max = scatter("maximum")
ndarray.scatter_min = scatter("minimum")
ndarray.take = take
