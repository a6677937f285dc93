"""The part of Numba that kernels need, beside the whole of it that users see."""

import pytest

from autodiff.backends.native.symbols import undefined_symbols
from autodiff.backends.numba.compiling import compile_by_numba

KERNEL = """
def kernel(block, lo, hi):
    x, out, scale = pointer(block, 0), pointer(block, 1), real64(block, 2)
    low, high = min(lo, hi), max(lo, hi)
    total, k = f8(0), 0
    for i in range(low, high):
        value = load_float64(x, i)
        total += value * scale if value > 0 else -value
    while k * k < high and not k // 2 > 100 % 7:
        k += 1
    store_float64(out, 0, total + f8(k))
"""
RUN = (
    f"KERNEL = {KERNEL!r}"
    + """
import ctypes, sys
import numpy as np
from autodiff.backends.numba import compiling
from autodiff.backends.native import loading

def run():
    loaded = loading.load_object(compiling.compile_by_numba(KERNEL))
    x, out = np.array([1.0, -2.0, 3.0]), np.zeros(1)
    block = np.array([x.ctypes.data, out.ctypes.data, np.float64(10.0).view(np.int64)])
    ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 3)(loaded.address)(block.ctypes.data, 0, 3)
    return out[0]
"""
)
USER = """
import numba
from numba.core.target_extension import current_target
from numba.extending import intrinsic, overload
from numba.core import types

def triple(x): return 3 * x

@overload(triple)
def compiled_triple(x):
    return lambda x: 3 * x

@intrinsic
def seven(typing):
    return types.int64(), lambda context, builder, signature, args: context.get_constant(types.int64, 7)

def everything(x, text):
    numbers = [len(text), triple(2), seven(), min(3, 4), max(len(text), 2) ** 2]
    numbers.append(1)
    total = 0.5
    for each in numbers:
        total += each
    return total + min(x[0], 2.5) + np.sum(x) + (np.random.rand() < 1)

def use():
    assert current_target() == "cpu"
    return numba.njit(everything)(np.arange(3.0), "text")
"""


def test_a_kernel_needs_a_part_of_numba_only(python):
    program = (
        RUN
        + """
big = "numba.np.arraymath", "numba.np.linalg", "numba.np.npyimpl", "numba.np.random.generator_methods", "scipy.linalg"
import numba
own = {name for name in big if name in sys.modules}
print(run(), sorted(name for name in big if name in sys.modules and name not in own))
"""
    )
    assert python(program) == "44.0 []\n"


@pytest.mark.parametrize("order", ["use() run() use()", "run() use()"])
def test_users_of_numba_see_nothing_of_it(python, order):
    calls = "\n".join(f"print({call})" for call in order.split())
    found = python(RUN + USER + calls)
    assert found.split() == ["44.0" if call == "run()" else "41.5" for call in order.split()]


def test_functions_that_kernels_call():
    text = """
@callee
def twice(x):
    return x + x


@callee
def four_times(x):
    return twice(twice(x))


def kernel(block, lo, hi):
    x = pointer(block, 0)
    for i in range(lo, hi):
        store_float64(x, i, four_times(load_float64(x, i)))
"""
    assert undefined_symbols(compile_by_numba(text)) == []
