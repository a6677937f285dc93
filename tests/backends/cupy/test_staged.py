"""Long rows that a block keeps in shared memory while it goes over them again."""

import ml_dtypes
import numpy as np
import pytest

from autodiff import jit, value_and_grad
from autodiff.backends.cupy.kernels.sharing import CREW, STAGE
from autodiff.trace.spec import spec
from tests.backends.cupy.hosting import ORDERS, needs_compiler
from tests.backends.cupy.nvrtc import checked, needs_nvrtc
from tests.backends.cupy.running import Programs
from tests.backends.cupy.test_online import cross_entropy, softmax

ROWS = 128  # fewer are taken by teams that are as large as possible
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
RNG = np.random.default_rng(5)


def of_two(x, y):
    """Two inputs whose rows are needed again."""
    grown = x * np.exp(y - np.max(y, axis=1, keepdims=True))
    return grown / np.sum(np.abs(grown) + x * x, axis=1, keepdims=True) + y


def rows_of(dtype, columns, seed=0):
    return np.random.default_rng(seed).normal(0, 2, (ROWS, columns)).astype(dtype)


LABELS = RNG.integers(0, 9001, ROWS)
CASES = {
    "softmax": (softmax, rows_of(np.float32, 9001)),
    "softmax, whole packs": (softmax, rows_of(np.float32, 8400)),
    "softmax of bfloat16": (softmax, rows_of(BFLOAT16, 20_008)),
    "cross-entropy and gradient": (value_and_grad(cross_entropy), rows_of(np.float32, 9001), LABELS),
    "two inputs": (of_two, rows_of(BFLOAT16, 14_001), rows_of(BFLOAT16, 14_001, 1)),
}


def kernel_of(fun, *args):
    (kernel,) = (own for own in Programs({"": (fun, *args)}).kernels.values() if own.launches[0].shared)
    return kernel


@pytest.fixture(scope="module")
def programs():
    return Programs(CASES)


@needs_compiler
@pytest.mark.parametrize("name", CASES)
def test_values_are_numpy_s(programs, name):
    fun, *args = CASES[name]
    wanted = fun(*(x.astype(float) if x.dtype.kind != "i" else x for x in args))
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    tolerance = 2e-2 if args[0].dtype == BFLOAT16 else 2e-5
    for order in ORDERS[:2]:
        for one, other in zip(programs.run(name, *args, order=order), wanted, strict=True):
            np.testing.assert_allclose(one.astype(float), other, rtol=tolerance, atol=tolerance * np.max(np.abs(other)))


@pytest.mark.parametrize(
    ("columns", "dtype", "staged"),
    [(4000, "f4", False), (8200, "f4", True), (16_128, "f4", True), (16_129, "f4", False), (9000, "f8", False)],
)
def test_rows_that_fit_and_take_many_registers_are_kept(columns, dtype, staged):
    (kernel,) = Programs({"": (softmax, spec((4096, columns), np.dtype(dtype)))}).kernels.values()
    (launch,) = kernel.launches
    assert launch.shared == (-(-columns * 4 // 16) * 16 if staged else 0)
    assert launch.shared <= STAGE
    assert (launch.threads == CREW) == staged
    assert ("load_pack<width>(stage0 + first)" in kernel.text) == staged


def test_few_rows_have_large_teams():
    (kernel,) = Programs({"": (softmax, spec((100, 9000), np.float32))}).kernels.values()
    assert kernel.launches[0].shared == 0


@needs_nvrtc
def test_they_compile_without_spills_and_several_blocks_run_at_once():
    for name, (fun, *args) in CASES.items():
        kernel = kernel_of(fun, *args)
        for of_architecture in checked(Programs({name: (fun, *args)}).module.source).values():
            (found,) = (own for function, own in of_architecture.items() if function == kernel.launches[0].function)
            assert found.registers <= 40


def test_functions_are_allowed_as_much_memory_as_they_ask_for(cupy):
    x = cupy.asarray(rows_of(np.float32, 12_500))
    found = jit(softmax)(x)  # 50,000 bytes: more than without asking
    np.testing.assert_allclose(found.get(), softmax(x.get()), rtol=2e-5)
