"""Products that are printed into kernels, against NumPy, between pages that must not be touched."""

import ctypes
import dataclasses
import itertools
import mmap
import sys
from dataclasses import dataclass

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from autodiff.backends.compiling import compile_object, kernel_address  # noqa: E402
from autodiff.backends.llvm.products.machine import Machine, machine_of  # noqa: E402
from autodiff.backends.llvm.products.product import Piece, columns, cut  # noqa: E402
from autodiff.backends.native.errors import KernelError  # noqa: E402
from autodiff.backends.native.loading import ENTRY  # noqa: E402
from autodiff.backends.numba.compiling import namespace  # noqa: E402
from autodiff.backends.numba.intrinsics import panels, products  # noqa: E402

MACHINES = {
    "512 bits": Machine(bits=512, registers=32, masks=True),
    "256 bits": Machine(bits=256, registers=16, masks=True),
    "128 bits": Machine(bits=128, registers=16, masks=False),
}

# fmt: off
SHAPES = [  # m, n, k
    (1, 1, 1), (1, 1, 40), (1, 5, 1), (5, 1, 1), (1, 56, 14), (1, 3, 600), (2, 2, 2), (2, 30, 40), (2, 9, 600), (3, 3, 3),
    (3, 10, 37), (4, 4, 4), (5, 150, 5), (6, 17, 16), (7, 2, 100), (9, 33, 20), (13, 40, 3), (14, 1, 50), (14, 14, 14),
    (20, 3, 4), (33, 5, 9), (40, 3, 45), (64, 16, 8), (11, 70, 7), (3, 20, 1100), (16, 5, 515), (10, 1, 3),
]
CONTIGUOUS = ["rows", "columns"]
LAYOUTS = ["rows", "columns", "padded rows", "padded columns", "strided", "reversed", "one row", "one column"]
# fmt: on


@dataclass(frozen=True)
class Case:
    m: int
    n: int
    k: int
    a: str
    b: str
    gap: int  # between rows of C
    accumulate: bool

    def strides(self):
        return strides(self.a, self.m, self.k), strides(self.b, self.k, self.n), (self.n + self.gap, 1)

    def call(self, dtype, word):
        (a_row, a_column), (b_row, b_column), (c_row, _) = self.strides()
        return (
            f"multiply_matrices_{dtype}(pointer(block, {word}), {a_row}, {a_column}, pointer(block, {word + 1}), {b_row}, "
            f"{b_column}, pointer(block, {word + 2}), {c_row}, {self.m}, {self.n}, {self.k}, {self.accumulate})"
        )


def strides(layout, rows, columns):
    return {
        "rows": (columns, 1),
        "columns": (1, rows),
        "padded rows": (columns + 3, 1),
        "padded columns": (1, rows + 3),
        "strided": (2 * columns + 1, 2),
        "reversed": (-columns, -1),
        "one row": (0, 1),
        "one column": (1, 0),
    }[layout]


def cases():
    """Each shape with C's and Fortran's order, and with some of the other layouts, in turns."""
    others = itertools.cycle(itertools.product(LAYOUTS, LAYOUTS))
    for number, (m, n, k) in enumerate(SHAPES):
        pairs = [(CONTIGUOUS[number % 2], CONTIGUOUS[number // 2 % 2])]
        pairs += [next(others) for _ in range(3)]
        for a, b in pairs:
            yield Case(m, n, k, a, b, gap=number % 3, accumulate=bool(number % 2))
    for a, b in itertools.product(CONTIGUOUS, CONTIGUOUS):
        yield Case(14, 18, 21, a, b, gap=1, accumulate=False)
        yield Case(2, 7, 50, a, b, gap=0, accumulate=True)
    for m, n, k in ((0, 3, 4), (3, 0, 4), (3, 4, 0), (0, 0, 0)):
        yield Case(m, n, k, "rows", "columns", gap=1, accumulate=False)
        yield Case(m, n, k, "columns", "rows", gap=0, accumulate=True)


class Fence:
    """Memory between two pages that nobody may read or write, where the system can protect pages."""

    def __init__(self, pages):
        size = mmap.PAGESIZE
        self.memory = mmap.mmap(-1, (pages + 2) * size)
        self.inside = np.frombuffer(self.memory, np.uint8)[size:-size]
        if sys.platform != "win32":
            protect = ctypes.CDLL(None, use_errno=True).mprotect
            protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
            for page in (self.inside.ctypes.data - size, self.inside.ctypes.data + pages * size):
                assert protect(page, size, 0) == 0

    def place(self, shape, strides, dtype, at_end):
        """The elements of all places that strides reach, and the matrix in them, next to a protected page."""
        reach = [(size - 1) * stride for size, stride in zip(shape, strides)] if 0 not in shape else [0]
        count = sum(abs(each) for each in reach) + 1
        flat = self.inside.view(dtype)
        flat = flat[len(flat) - count :] if at_end else flat[:count]
        first = -sum(min(each, 0) for each in reach)
        steps = [stride * flat.itemsize for stride in strides]
        return flat, np.ndarray(shape, dtype, flat, first * flat.itemsize, steps)


@pytest.fixture(scope="module")
def fences():
    return [Fence(64) for _ in range(3)]


def compiled(found, dtype, machine):
    """One function that does a product, by its number."""
    lines = ["def kernel(block, lo, hi):", "    for i in range(lo, hi):"]
    for number, case in enumerate(found):
        lines += [f"        if i == {number}:", f"            {case.call(dtype, 0)}"]
    names = {**namespace(), **products.intrinsics(machine), **panels.intrinsics(machine)}
    exec("\n".join(lines), names)
    return numba.cfunc("void(int64, int64, int64)", error_model="numpy")(names[ENTRY])


def filled(fence, shape, strides, dtype, at_end, random, special):
    """A matrix with NaN in all places around its elements."""
    flat, matrix = fence.place(shape, strides, dtype, at_end)
    flat[...] = np.nan
    matrix[...] = random.normal(size=shape)
    if special and matrix.size:
        for value in (np.nan, np.inf, -np.inf):
            matrix[tuple(random.integers(size) for size in shape)] = value
    return flat, matrix


def check(function, number, case, dtype, fences, at_end, special):
    random = np.random.default_rng(number)
    a_strides, b_strides, c_strides = case.strides()
    _, a = filled(fences[0], (case.m, case.k), a_strides, dtype, at_end, random, special)
    _, b = filled(fences[1], (case.k, case.n), b_strides, dtype, at_end, random, special)
    around, c = filled(fences[2], (case.m, case.n), c_strides, dtype, at_end, random, special=False)
    kept = around.copy()
    with np.errstate(invalid="ignore"):
        exact = a.astype(np.float64) @ b + (c if case.accumulate else 0)
        scale = np.abs(a).astype(np.float64) @ np.abs(b) + np.abs(c)
    block = np.array([each.ctypes.data for each in (a, b, c)], np.int64)
    function.ctypes(block.ctypes.data, number, number + 1)

    finite = np.isfinite(exact)
    np.testing.assert_array_equal(c[~finite], exact[~finite], str(case))
    error = np.abs(c[finite] - exact[finite])
    assert np.all(error <= (case.k + 2) * np.finfo(dtype).eps * scale[finite]), case
    result = c.copy()
    c[...] = np.ndarray(c.shape, dtype, kept, c.ctypes.data - around.ctypes.data, c.strides)
    np.testing.assert_array_equal(around, kept, f"{case} wrote beside C")
    return result


PAIRS = list(itertools.product(MACHINES, ["float32", "float64"]))


@pytest.mark.parametrize(("machine", "dtype"), PAIRS)
def test_against_numpy(machine, dtype, fences):
    """The cases in turns for each pair: to compile all of them for all would take a minute."""
    found = list(cases())[PAIRS.index((machine, dtype)) :: len(PAIRS)]
    function = compiled(found, dtype, MACHINES[machine])
    for number, case in enumerate(found):
        first = check(function, number, case, dtype, fences, at_end=False, special=False)
        second = check(function, number, case, dtype, fences, at_end=True, special=False)
        assert first.tobytes() == second.tobytes(), case  # the same bits wherever the operands are
        check(function, number, case, dtype, fences, at_end=True, special=True)


def test_in_a_kernel(fences):
    """Integer addresses, moved pointers, several products with copies on the stack, in object code that needs nothing."""
    text = """
def kernel(block, lo, hi):
    for i in range(lo, hi):
        a = shifted(pointer(block, 0), 4 * 30 * i)
        multiply_matrices_float32(a, 6, 1, word(block, 1), 1, 6, pointer(block, 2), 7, 5, 7, 6, False)
        multiply_matrices_float32(pointer(block, 2), 7, 1, pointer(block, 3), 1, 7, shifted(word(block, 4), 4 * 45 * i), 9, 5, 9, 7, 1)
"""
    random = np.random.default_rng(0)
    a, b, d = (random.integers(-5, 5, size=shape).astype(np.float32) for shape in ((3, 5, 6), (7, 6), (9, 7)))
    c, e = np.zeros((5, 7), np.float32), np.ones((3, 5, 9), np.float32)
    block = np.array([each.ctypes.data for each in (a, b, c, d, e)], np.int64)
    address = kernel_address(text)
    ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 3)(address)(block.ctypes.data, 0, 3)
    np.testing.assert_array_equal(c, a[2] @ b.T)
    np.testing.assert_array_equal(e, 1 + a @ b.T @ d.T)


def test_sizes_must_be_written_as_numbers():
    text = """
def kernel(block, lo, hi):
    multiply_matrices_float64(word(block, 0), 4, 1, word(block, 1), 4, 1, word(block, 2), 4, hi, 4, 4, False)
"""
    with pytest.raises(KernelError) as error:
        compile_object(text)
    assert (
        "multiply_matrices_float64 needs the argument 'm' as a number in the text of the kernel, for it decides what code is"
        " printed; it got a value of type int64. Write the number, or call BLAS where it varies"
    ) in str(error.value)


def test_machines():
    intel = "x86_64-unknown-linux-gnu"
    wide = dataclasses.replace(MACHINES["512 bits"], scales=True)
    assert machine_of(intel, "+avx,+avx2,+avx512f,+avx512vl") == wide
    assert machine_of(intel, "+avx,+avx2,-avx512f,-avx512vl") == MACHINES["256 bits"]
    assert machine_of(intel, "") == MACHINES["128 bits"]
    assert machine_of("aarch64-unknown-linux-gnu", "+neon") == Machine(bits=128, registers=32, masks=False)


def test_tiles_fit_the_registers():
    for machine in MACHINES.values():
        for vectors in range(1, machine.most_vectors + 1):
            rows = machine.most_rows(vectors)
            assert rows >= 4
            assert rows * vectors + vectors + 1 <= machine.registers


def test_cuts_cover_everything_once():
    for total, most in itertools.product(range(1, 60), range(1, 9)):
        blocks = list(cut(total, most, most // 2 + 1))
        covered = [start + i * size + j for start, size, count in blocks for i in range(count) for j in range(size)]
        assert covered == list(range(total))
        assert len(blocks) <= 2
        assert max(size for _, size, _ in blocks) <= most


def test_columns_are_covered_once():
    for total, lanes, most in itertools.product(range(1, 150), (1, 2, 4, 8, 16), (1, 2, 4)):
        covered = []
        for start, count, pieces in columns(total, lanes, most):
            size = sum(piece.live for piece in pieces)
            assert len(pieces) <= most
            assert max(piece.width for piece in pieces) <= lanes
            for i in range(count):
                covered += [start + i * size + piece.place + lane for piece in pieces for lane in range(piece.live)]
        assert covered == list(range(total))


def test_a_rest_of_columns_is_a_narrower_vector():
    assert list(columns(20, 16, 4)) == [(0, 1, [Piece(0, 16, 16), Piece(16, 4, 4)])]
    assert list(columns(7, 16, 4)) == [(0, 1, [Piece(0, 8, 7)])]
