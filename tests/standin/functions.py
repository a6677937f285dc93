"""CuPy's functions: with CuPy's parameters, evaluated by NumPy, with arrays for results."""

import numpy as np

from tests.standin import device as devices
from tests.standin import streams
from tests.standin.array import check_device, check_dtype, dressed, empty, made, ndarray, peeled, wrapped
from tests.standin.recorded import FUNCTIONS, dtype_named, recorded_loop, signature

PLAIN = {  # what returns Python's numbers, shapes, dtypes and the like, as NumPy does
    "ndim", "size", "shape", "isscalar", "iscomplexobj", "isrealobj", "result_type", "can_cast", "common_type",
    "min_scalar_type", "promote_types", "broadcast_shapes", "may_share_memory", "shares_memory", "issubdtype",
    "finfo", "iinfo", "base_repr", "binary_repr", "format_float_positional", "format_float_scientific",
    "array2string", "array_repr", "array_str", "get_printoptions", "set_printoptions", "printoptions", "typename",
    "mintypecode", "iterable", "isdtype", "get_array_module", "einsum_path",
}  # fmt: skip
WAITING = {
    "nonzero", "argwhere", "flatnonzero", "unique", "bincount", "repeat", "array2string", "array_repr", "array_str",
    "take", "take_along_axis", "choose", "put_along_axis", "put", "place", "putmask", "fill_diagonal",
}  # fmt: skip
"""What cannot say what shape it has before the GPU is asked, minds what indices are, gives text, or changes an array in
place: it is not late."""

HOST = {"take", "repeat"}
"""Functions whose integers may come from the host."""


def evaluated(module, name, evaluate):
    """A function with CuPy's parameters that NumPy computes."""
    check = signature(name, FUNCTIONS[module][name])

    def call(*args, **kwargs):
        check(*args, **kwargs)
        out = kwargs.get("out")
        if out is not None and not isinstance(out, ndarray):
            raise TypeError(f"Unsupported type {type(out)}")
        plain = {key: peeled(value, name in HOST, waits=False) for key, value in kwargs.items()}
        contents = peeled(args, name in HOST, waits=False)
        late = module == "cupy" and name not in WAITING and out is None and streams.delayed()
        if not late:
            streams.settle()

        def compute():
            with np.errstate(all="ignore"):
                return evaluate(*contents, **plain)

        result = compute()
        if name in PLAIN or result is None:
            return result
        arrays = list(arrays_in(args))
        shown = isinstance(result, np.ndarray) and shows(result, arrays)
        if name == "zeros" and streams.captured() is not None:
            return made(compute)
        if name == "empty":
            return empty(result)
        if not shown:
            streams.refuse_capture(name)
        if out is not None:
            return out
        if late and not shown and isinstance(result, (np.ndarray, np.generic)):
            return made(compute)
        if late and not shown:
            streams.settle()
            result = compute()
        return dressed(result, arrays)

    call.__name__ = call.__qualname__ = name
    call.__module__ = module
    return call


def shows(result, arrays):
    """Whether a result lies in the memory of an array."""
    return any(np.may_share_memory(result, array._content) for array in arrays)


def arrays_in(values):
    """The arrays among arguments, and in lists of them."""
    for value in values:
        if isinstance(value, ndarray):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from arrays_in(value)


# What takes host arrays, or differs in more than parameters.


def array(obj, dtype=None, copy=True, order="K", subok=False, ndmin=0, *, blocking=False):
    if isinstance(obj, ndarray):
        own = obj.copy(order) if copy or obj._device != devices.current() else obj
        own = own if dtype is None else own.astype(dtype, copy=False)
        return own.reshape((1,) * (ndmin - own.ndim) + own.shape) if own.ndim < ndmin else own
    if any(isinstance(part, ndarray) for part in arrays_in([obj])):
        obj = peeled(obj)
    host = np.array(obj, dtype=dtype, order=order, ndmin=ndmin)
    check_dtype(host.dtype)
    return wrapped(host) if streams.captured() is not None else made(lambda: host)


def asarray(a, dtype=None, order=None, *, copy=None, blocking=False):
    return array(a, dtype, bool(copy), order or "K")


def ascontiguousarray(a, dtype=None):
    own = asarray(a, dtype)
    return own if own.flags.c_contiguous else own.copy()


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    return a.get(stream, order, out) if isinstance(a, ndarray) else np.asarray(a, order=order)


def copyto(dst, src, casting="same_kind", where=None):
    if isinstance(src, np.ndarray):
        if src.shape:
            raise ValueError("non-scalar numpy.ndarray cannot be used for copyto")
        src = src.item()
    given = src._content if isinstance(src, ndarray) else src
    mask, content = True if where is None else peeled(where, waits=False), dst._content
    streams.submit(lambda: np.copyto(content, given, casting=casting, where=mask))


def concatenate(tup, axis=0, out=None, *, dtype=None, casting="same_kind"):
    if any(not isinstance(part, ndarray) for part in tup):
        raise TypeError("Only cupy arrays can be concatenated")
    parts = peeled(list(tup), waits=False)
    joined = made(lambda: np.concatenate(parts, axis, dtype=dtype, casting=casting))
    if out is None:
        return joined
    out[...] = joined
    return out


def where(condition, x=None, y=None):
    if x is None:
        return condition.nonzero()
    given = peeled((condition.astype("?", copy=False), x, y), waits=False)

    loop = recorded_loop("cupy", "where", given[1:])
    kinds = loop and list(map(dtype_named, loop[0][1:]))

    def compute():
        with np.errstate(all="ignore"):
            if loop is None:
                return np.where(*given)
            return np.where(given[0], *(np.asarray(x).astype(kind) for x, kind in zip(given[1:], kinds, strict=True)))

    return made(compute)


def solve(a, b):
    if b.ndim == 1:
        return dressed(np.linalg.solve(*peeled((a, b))))
    if a.shape[:-1] != b.shape[:-1]:
        raise ValueError("a must have (..., M, M) shape and b must have (..., M, K)")
    return dressed(np.linalg.solve(*peeled((a, b))))


def lexsort(keys):
    if not isinstance(keys, ndarray):
        raise TypeError("lexsort takes one array, whose rows are the keys")
    return dressed(np.lexsort(keys._host))


def lstsq(a, b, rcond="warn"):
    for one, ndims in ((a, (2,)), (b, (1, 2))):
        if one.ndim not in ndims:
            raise np.linalg.LinAlgError(f"{one.ndim}-dimensional array given. Array must be two-dimensional")
    return dressed(np.linalg.lstsq(a._host, b._host, None if rcond == "warn" else rcond))


def sort(a, axis=-1, kind=None):
    if kind not in (None, "stable"):
        raise ValueError(f"Unsupported kind {kind!r}")
    check_device(a)
    return wrapped(np.sort(a._host, axis, kind="stable"))


def argsort(a, axis=-1, kind=None):
    if kind not in (None, "stable"):
        raise ValueError(f"Unsupported kind {kind!r}")
    check_device(a)
    return wrapped(np.argsort(a._host, axis, kind="stable"))


def get_array_module(*args):
    import cupy

    return cupy if any(isinstance(arg, ndarray) for arg in args) else np


def like(name):
    """``zeros_like`` and its kin: the order of memory is that of the prototype."""
    check = signature(name, FUNCTIONS["cupy"][name])

    def call(a, *args, **kwargs):
        check(a, *args, **kwargs)
        prototype, plain = a._content if isinstance(a, ndarray) else a, peeled(args, waits=False)
        if name == "empty_like":
            return empty(np.empty_like(prototype, *plain, **kwargs))
        return made(lambda: getattr(np, name)(prototype, *plain, **kwargs))

    call.__name__ = name
    return call


def memoize(for_each_device=False):
    return lambda function: function


OWN = {
    function.__name__: function
    for function in (
        array, asarray, ascontiguousarray, asnumpy, copyto, concatenate, where, sort, argsort, lexsort, get_array_module,
        memoize,
        *map(like, ("zeros_like", "ones_like", "empty_like", "full_like")),
    )
}  # fmt: skip
OWN["asanyarray"] = asarray
OWN["clear_memo"] = lambda: None
