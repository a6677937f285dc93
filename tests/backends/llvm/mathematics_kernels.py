"""Loops over the functions of vector mathematics, compiled as kernels are: C functions of plain pointers."""

import ctypes
import functools

import numba
import numpy as np

from autodiff.backends.language.mathematics import FUNCTIONS
from autodiff.backends.numba.intrinsics.functions import intrinsics

UNARY = """
def loop(x, out, count):
    x, out = numba.carray(x, count), numba.carray(out, count)
    for i in range(count):
        out[i] = function(x[i])
"""
BINARY = """
def loop(x, y, out, count):
    x, y, out = numba.carray(x, count), numba.carray(y, count), numba.carray(out, count)
    for i in range(count):
        out[i] = function(x[i], y[i])
"""


@functools.cache
def compiled(name, dtype):
    """The loop of a function for "float32" or "float64", as Numba's object."""
    operands = FUNCTIONS.get(name, 1)
    names = {"numba": numba, "function": intrinsics()[name]}
    exec((UNARY, BINARY)[operands - 1], names)
    pointers = ", ".join([f"CPointer({dtype})"] * (operands + 1))
    return numba.cfunc(f"void({pointers}, int64)", error_model="numpy")(names["loop"])


def call(name, *arguments):
    """The function of arrays of float32 or float64."""
    arguments = [np.ascontiguousarray(argument) for argument in arguments]
    out = np.empty_like(arguments[0])
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (len(arguments) + 1), ctypes.c_int64)(
        compiled(name, str(out.dtype)).address
    )
    function(*(array.ctypes.data for array in (*arguments, out)), out.size)
    return out
