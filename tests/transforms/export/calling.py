"""Exported functions, called through ctypes on memory that lies between pages which nobody may touch."""

import ctypes
import os
import shutil

import numpy as np
import pytest

from autodiff import export
from autodiff.backends.choice import numba_is_there
from autodiff.trace.memory.guarding import guarded
from autodiff.trace.trees.tree import flatten

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
NUMBERS = {
    "float64": ctypes.c_double, "float32": ctypes.c_float, "int64": ctypes.c_int64, "int32": ctypes.c_int32,
    "uint8": ctypes.c_uint8, "bool": ctypes.c_bool,
}  # fmt: skip

needs_compiler = pytest.mark.skipif(
    not (numba_is_there() and COMPILER), reason="programs are compiled by Numba's LLVM and linked by a C compiler"
)


def memory(size):
    """So many bytes, with fences where the system has them."""
    return guarded(size, 8) if os.name == "posix" else np.empty(size, np.uint8)


def own(value):
    """An array in memory of its own, as C has it."""
    found = memory(value.nbytes).view(value.dtype).reshape(value.shape)
    found[...] = value
    return found


class Function:
    """An exported function of a shared library."""

    def __init__(self, fun, args, name, folder, **options):
        self.exported = export(fun, args, name, folder, library=True, **options)
        self.library = ctypes.CDLL(str(self.exported.path))
        self.run = getattr(self.library, name)
        size = getattr(self.library, f"{name}_workspace_size")
        size.restype = ctypes.c_size_t
        assert size() == self.exported.workspace_size

    def code(self, args, outs, workspace=None):
        """What a call returns."""
        given = []
        for value, parameter in zip(args, self.exported.inputs, strict=True):
            if parameter.spec.kind == "array":
                given.append(own(np.asarray(value)))
            else:
                given.append(NUMBERS[parameter.spec.dtype.name](value))
        arrays = [*given, *outs, workspace]
        return self.run(*(ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else a for a in arrays))

    def new(self):
        """Arrays for the results."""
        specs = [parameter.spec for parameter in self.exported.outputs]
        return [own(np.full(s.shape, 77).astype(s.dtype)) for s in specs]

    def __call__(self, *args):
        """The results of a call that returns 0."""
        outs = self.new()
        size = self.exported.workspace_size
        code = self.code(flatten((args, {}))[0], outs, memory(size) if size else None)
        assert code == 0, self.exported.messages[code]
        return outs
