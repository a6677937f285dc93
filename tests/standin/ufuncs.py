"""CuPy's ufuncs: their loops as recorded, evaluated by NumPy."""

import numpy as np

from tests.standin import streams
from tests.standin.array import SCALARS, check_device, check_dtype, made, ndarray, wrapped
from tests.standin.recorded import UFUNCS, dtype_named, recorded_loop

SCORES = {"b": 0, "i": 1, "u": 1, "f": 2, "V": 2, "c": 2}  # V: bfloat16
INDEXING = {"add": "scatter_add", "maximum": "scatter_max", "minimum": "scatter_min"}


class ufunc:
    """A function of each element."""

    def __init__(self, module, name, evaluate):
        recorded = UFUNCS[module][name]
        self.module = module
        self.name = self.__name__ = recorded["name"]
        self.short = name
        self.nin, self.nout, self.types = recorded["nin"], recorded["nout"], recorded["types"]
        self.nargs = self.nin + self.nout
        self.methods = recorded["methods"]
        self.evaluate = evaluate

    def __repr__(self):
        return f"<ufunc '{self.name}'>"

    def __call__(self, *args, out=None, dtype=None, casting="same_kind", **kwargs):
        if kwargs:
            raise TypeError(f"Wrong arguments {kwargs}")
        if not self.nin <= len(args) <= self.nargs:
            raise TypeError(
                f"Wrong number of arguments for {self.name!r}. It must be either {self.nin} or {self.nargs} (with "
                f"outputs), but given {len(args)}."
            )
        inputs, outs = list(map(accepted, args[: self.nin])), args[self.nin :]
        if out is not None:
            outs = out if isinstance(out, tuple) else (out,)
        kinds, found = self.loop(inputs, dtype)

        def compute():
            with np.errstate(all="ignore"):
                results = self.evaluate(*(np.asarray(x).astype(kind) for x, kind in zip(inputs, kinds, strict=True)))
            results = results if isinstance(results, tuple) else (results,)
            return [np.asarray(result).astype(kind, "C") for result, kind in zip(results, found, strict=True)]

        if streams.delayed() and self.nout == 1 and not outs:
            return made(lambda: compute()[0])
        assert streams.captured() is None
        streams.settle()
        results = compute()
        if outs:
            results = [written(one, result, casting) for one, result in zip(outs, results, strict=True)]
        else:
            results = list(map(wrapped, results))
        return results[0] if self.nout == 1 else tuple(results)

    def loop(self, inputs, dtype):
        """The dtypes of operands and results: as CuPy itself chose them where that is recorded, or of the first loop
        that fits."""
        recorded = None if dtype is not None else recorded_loop(self.module, self.short, inputs)
        if recorded is not None:
            return tuple(list(map(dtype_named, names)) for names in recorded)
        loops = [tuple(map(tuple, text.split("->"))) for text in map(str, self.types)]
        for kinds, results in loops:
            fits = results[0] == np.dtype(dtype).char if dtype is not None else self.takes(inputs, kinds)
            if fits:
                return [np.dtype(k) for k in kinds], [np.dtype(k) for k in results]
        given = tuple(np.asarray(x).dtype for x in inputs) if dtype is None else dtype
        raise TypeError(f"Wrong type ({given}) of arguments for {self.name}")

    def takes(self, inputs, kinds):
        """Whether operands may be converted to the dtypes of a loop; Python's numbers are weak."""
        weak = [type(x) in (bool, int, float, complex) for x in inputs]
        strong = [SCORES[x.dtype.kind] for x, is_weak in zip(inputs, weak, strict=True) if not is_weak]
        scores = [SCORES[np.asarray(x).dtype.kind] for x, is_weak in zip(inputs, weak, strict=True) if is_weak]
        gives_way = bool(strong and scores) and max(strong) >= max(scores)
        for x, is_weak, kind in zip(inputs, weak, kinds, strict=True):
            kind = np.dtype(kind)
            if is_weak and gives_way:
                if np.result_type(type(x)(0), kind) != kind:
                    return False
            elif not np.can_cast(np.asarray(x).dtype, kind):
                return False
        return True

    def refuse(self, method):
        if method not in self.methods:
            raise NotImplementedError(f"`{self.name}.{method}` is not supported yet")

    def at(self, a, indices, b=None):
        self.refuse("at")
        if self.short in INDEXING:
            getattr(a, INDEXING[self.short])(indices, b)
        elif self.short == "subtract":
            a.scatter_add(indices, -b)
        else:
            raise NotImplementedError(f"the stand-in has no {self.short}.at")

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False):
        self.refuse("reduce")
        return getattr(array, {"add": "sum", "multiply": "prod"}[self.short])(axis, dtype, out, keepdims)

    def accumulate(self, array, axis=0, dtype=None, out=None):
        self.refuse("accumulate")
        return getattr(array, {"add": "cumsum", "multiply": "cumprod"}[self.short])(axis, dtype, out)

    def reduceat(self, array, indices, axis=0, dtype=None, out=None):
        self.refuse("reduceat")
        return wrapped(np.add.reduceat(array._host, accepted(indices), axis, dtype))

    def outer(self, A, B, **kwargs):
        A, B = (x if isinstance(x, ndarray) else wrapped(x) for x in (A, B))
        return self(A.reshape(A.shape + (1,) * B.ndim), B.reshape((1,) * A.ndim + B.shape), **kwargs)


def accepted(operand):
    """What an operand holds: a number or the elements of an array of the current GPU."""
    if isinstance(operand, ndarray):
        check_device(operand)
        return operand._content
    if isinstance(operand, SCALARS):
        check_dtype(np.asarray(operand).dtype)
        return operand
    raise TypeError(f"Unsupported type {type(operand)}")


def written(out, result, casting):
    """The array given as ``out=``, with the result in it."""
    if not isinstance(out, ndarray):
        raise TypeError(f"Unsupported type {type(out)}")
    check_device(out)
    if not np.can_cast(result.dtype, out.dtype, casting):
        raise TypeError(
            f"Cannot cast ufunc output from dtype('{result.dtype}') to dtype('{out.dtype}') with casting rule "
            f"'{casting}'"
        )
    if np.broadcast_shapes(result.shape, out.shape) != out.shape:
        raise ValueError("Out shape is mismatched")
    out._host[...] = result
    return out
