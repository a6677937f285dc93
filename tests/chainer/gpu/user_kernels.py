"""The user's own CUDA kernels of elements, run on the CPU: the expressions are compiled by g++.

Enough of ``cupy.ElementwiseKernel`` and ``cupy.ReductionKernel`` for kernels as Chainer programs write them.
"""

import ctypes
import hashlib
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest

C_TYPES = {
    "float16": "_Float16",
    "float32": "float",
    "float64": "double",
    "int32": "int",
    "int64": "long",
    "bool": "bool",
}
MATHEMATICS = 'extern "C" { double sqrt(double); double exp(double); double tanh(double); }\n'
NEEDS_COMPILER = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")


@cache
def folder():
    return Path(tempfile.mkdtemp(prefix="user_kernels_"))


@cache
def compiled(text):
    """The library of a C++ text."""
    path = folder() / hashlib.sha256(text.encode()).hexdigest()[:16]
    path.with_suffix(".cpp").write_text(text)
    command = [
        "g++",
        "-O1",
        "-shared",
        "-fPIC",
        "-w",
        str(path.with_suffix(".cpp")),
        "-o",
        str(path.with_suffix(".so")),
    ]
    subprocess.run(command, check=True, capture_output=True)
    return ctypes.CDLL(str(path.with_suffix(".so")))


def parameters(text):
    """Pairs of type and name: ``T x, raw float32 y``; raw ones are not supported."""
    return [tuple(part.split()) for part in text.split(",") if part.strip()]


class ElementwiseKernel:
    """A kernel of corresponding elements."""

    def __init__(self, in_params, out_params, operation, name="kernel", reduce_dims=True, preamble="", **options):
        self.ins, self.outs = parameters(in_params), parameters(out_params)
        self.operation, self.name, self.preamble = operation, name, preamble
        assert re.fullmatch(r"\w+", name), name

    def __call__(self, *args, size=None, block_size=128):
        import cupy

        inputs, given = args[: len(self.ins)], args[len(self.ins) :]
        types = {}
        for (kind, _), value in zip(self.ins, inputs, strict=True):
            assert not isinstance(value, np.ndarray), f"Unsupported type {type(value)}"
            if isinstance(value, cupy.ndarray):
                types.setdefault(kind, value.dtype)
        dtypes = [self.dtype(kind, types) for kind, _ in (*self.ins, *self.outs)]
        shape = np.broadcast_shapes(*(np.shape(v) if not isinstance(v, cupy.ndarray) else v.shape for v in args))
        hosts = [
            np.ascontiguousarray(np.broadcast_to(v.get() if isinstance(v, cupy.ndarray) else v, shape), dtype)
            for v, dtype in zip(inputs, dtypes)
        ]
        outs = list(given) or [cupy.empty(shape, dtype) for dtype in dtypes[len(inputs) :]]
        made = [np.empty(shape, dtype) for dtype in dtypes[len(inputs) :]]
        self.run(dtypes, [*hosts, *made])
        for out, host in zip(outs, made, strict=True):
            out[...] = cupy.asarray(host)
        return outs[0] if len(outs) == 1 else tuple(outs)

    def dtype(self, kind, types):
        return np.dtype(types[kind]) if kind in types else np.dtype(kind)

    def run(self, dtypes, hosts):
        names = [name for _, name in (*self.ins, *self.outs)]
        kinds = [C_TYPES[dtype.name] for dtype in dtypes]
        letters = {kind: c for (kind, _), c in zip((*self.ins, *self.outs), kinds) if len(kind) == 1}
        types = "".join(f"typedef {c} {letter};\n" for letter, c in letters.items())
        heads = ", ".join(f"{c}* _{name}" for c, name in zip(kinds, names))
        rows = "".join(f"{c}& {name} = _{name}[i]; " for c, name in zip(kinds, names))
        text = (
            f"{MATHEMATICS}{types}{self.preamble}\n"
            f'extern "C" void run(long n, {heads}) {{ for (long i = 0; i < n; ++i) {{ {rows}{self.operation}; }} }}\n'
        )
        pointers = [ctypes.c_void_p(host.ctypes.data) for host in hosts]
        compiled(text).run(ctypes.c_long(hosts[0].size), *pointers)


class ReductionKernel:
    """A kernel that reduces all axes, or one."""

    def __init__(self, in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name="kernel", **options):
        (self.out,) = parameters(out_params)
        self.map = ElementwiseKernel(in_params, f"{self.out[0]} _mapped", f"_mapped = {map_expr}", f"{name}_map")
        self.reduce, self.post, self.identity, self.name = reduce_expr, post_map_expr, identity, name

    def __call__(self, *args, axis=None, keepdims=False):
        import cupy

        mapped = self.map(*args).get()
        rows = mapped.reshape(1, -1) if axis is None else np.moveaxis(mapped, axis, -1)
        found = np.empty(rows.shape[:-1], mapped.dtype)
        c = C_TYPES[mapped.dtype.name]
        text = (
            f"{MATHEMATICS}typedef {c} {self.out[0]};\n"
            f'extern "C" void run(long m, long n, {c}* rows, {c}* outs) {{ for (long k = 0; k < m; ++k) {{ {c} a = '
            f"{self.identity}; for (long i = 0; i < n; ++i) {{ {c} b = rows[k * n + i]; a = {self.reduce}; }} "
            f"{c}& {self.out[1]} = outs[k]; {self.post}; }} }}\n"
        )
        rows = np.ascontiguousarray(rows)
        pointers = [ctypes.c_void_p(host.ctypes.data) for host in (rows, found)]
        compiled(text).run(ctypes.c_long(found.size), ctypes.c_long(rows.shape[-1]), *pointers)
        return cupy.asarray(found.reshape(()) if axis is None else found)


class Memoized:
    """``cupy.memoize``, which remembers for each GPU and can be cleared."""

    def __init__(self):
        self.tables = []

    def memoize(self, for_each_device=False):
        def decorate(function):
            table = {}
            self.tables.append(table)

            def run(*args, **kwargs):
                import cupy

                key = (cupy.cuda.Device().id if for_each_device else None, args, frozenset(kwargs.items()))
                if key not in table:
                    table[key] = function(*args, **kwargs)
                return table[key]

            return run

        return decorate

    def clear(self):
        for table in self.tables:
            table.clear()


@pytest.fixture
def kernels(cupy, monkeypatch):
    """A CuPy that runs kernels of elements, and remembers them."""
    memoized = Memoized()
    monkeypatch.setattr(cupy, "ElementwiseKernel", ElementwiseKernel)
    monkeypatch.setattr(cupy, "ReductionKernel", ReductionKernel)
    monkeypatch.setattr(cupy, "memoize", memoized.memoize)
    monkeypatch.setattr(cupy, "clear_memo", memoized.clear)
    return cupy


__all__ = ["NEEDS_COMPILER", "kernels"]
