"""Products of large matrices as kernels: what they compute, for which products, and in which parts."""

from dataclasses import replace
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autodiff
from autodiff import make_tape
from autodiff.backends.kernels.products.matrices import LEAST, large_product, matrix_call
from autodiff.backends.kernels.products.matrix_text import BLOCK, Layout
from autodiff.backends.passes.fusion.fuse import fuse
from autodiff.ops.matrices.products import linear_map
from tests.backends.kernels.running import names, needs_numba

RNG = np.random.default_rng(0)

ROWS, COLUMNS, TERMS = (st.integers(least, 120) for least in LEAST)
LAYOUTS = st.sampled_from(["rows", "columns", "part", "other rows", "backwards"])


def laid_out(rows, columns, layout, dtype):
    """A matrix, and a function that takes it out of an array."""
    if layout == "rows":
        return RNG.normal(size=(rows, columns)).astype(dtype), lambda x: x
    if layout == "columns":
        return RNG.normal(size=(columns, rows)).astype(dtype), lambda x: x.T
    if layout == "part":
        return RNG.normal(size=(rows + 3, columns + 5)).astype(dtype), lambda x: x[2:-1, 4:-1]
    if layout == "other rows":
        return RNG.normal(size=(2 * rows, columns)).astype(dtype), lambda x: x[1::2]
    return RNG.normal(size=(rows, columns)).astype(dtype), lambda x: x[::-1]


def tape_of(m, n, k, a_layout="rows", b_layout="rows", dtype=np.float64):
    """The tape of a product with its views, and arrays for it."""
    a, a_view = laid_out(m, k, a_layout, dtype)
    b, b_view = laid_out(k, n, b_layout, dtype)
    return make_tape(lambda a, b: a_view(a) @ b_view(b))(a, b), (a, b), a_view(a) @ b_view(b)


@pytest.fixture
def every_size(monkeypatch):
    """Kernels for products of little work too."""
    monkeypatch.setattr("autodiff.backends.kernels.products.matrices.WORK", 0)


@needs_numba
@pytest.mark.usefixtures("every_size")
class TestValues:
    @given(ROWS, COLUMNS, TERMS, LAYOUTS, LAYOUTS, st.sampled_from([np.float32, np.float64]))
    def test_product(self, m, n, k, a_layout, b_layout, dtype):
        tape, arrays, expected = tape_of(m, n, k, a_layout, b_layout, dtype)
        (result,) = matrix_call(tape=tape).call(*arrays)
        assert result.dtype == dtype
        assert result.flags.c_contiguous
        scale = np.abs(expected).max()
        np.testing.assert_allclose(result, expected, rtol=0, atol=k * np.finfo(dtype).eps * scale)

    @pytest.mark.parametrize(("a_layout", "b_layout"), [("rows", "rows"), ("columns", "columns"), ("part", "columns")])
    @pytest.mark.parametrize(("m", "n", "k"), [(700, 24, 600), (9, 500, 2100), (130, 49, 257), (1100, 16, 70)])
    def test_several_blocks(self, m, n, k, a_layout, b_layout):
        tape, arrays, expected = tape_of(m, n, k, a_layout, b_layout)
        (result,) = matrix_call(tape=tape).call(*arrays)
        np.testing.assert_allclose(result, expected, rtol=0, atol=1e-12)

    def test_linear_map(self):
        x, w = RNG.normal(size=(70, 90)), RNG.normal(size=(60, 90))
        tape = make_tape(linear_map)(x, w)
        np.testing.assert_allclose(matrix_call(tape=tape).call(x, w)[0], x @ w.T, rtol=0, atol=1e-12)

    def test_bits_do_not_depend_on_parts(self, monkeypatch):
        tape, arrays, _ = tape_of(300, 200, 400, "columns", "columns")
        results = []
        for threads in (1, 2, 5, 16):
            monkeypatch.setattr(
                "autodiff.backends.kernels.products.matrices.get_num_threads", lambda threads=threads: threads
            )
            monkeypatch.setattr("autodiff.backends.kernels.products.matrix_text.PART", 1)
            results.append(matrix_call(tape=tape).call(*arrays)[0].tobytes())
        assert len(set(results)) == 1

    def test_infinities_stay_where_they_are(self):
        tape, (a, b), _ = tape_of(21, 51, 40)
        a[20, 3] = np.inf
        b[7, 50] = np.nan
        (result,) = matrix_call(tape=tape).call(a, b)
        expected = np.zeros((21, 51), bool)
        expected[20], expected[:, 50] = True, True
        np.testing.assert_array_equal(~np.isfinite(result), expected)

    def test_arguments_that_do_not_lie_as_recorded(self):
        tape, (a, b), expected = tape_of(40, 50, 60)
        (result,) = matrix_call(tape=tape).call(np.asfortranarray(a), np.repeat(b, 2, axis=1)[:, ::2])
        np.testing.assert_allclose(result, expected, rtol=0, atol=1e-12)


class TestParts:
    @given(st.integers(8, 5000), st.integers(8, 5000), st.integers(8, 3000), st.integers(1, 16))
    def test_parts_cover_the_result(self, m, n, k, threads):
        layout = Layout("float32", m, n, k, False, False, threads)
        (rows, columns), (down, across) = layout.part, layout.parts
        assert (down - 1) * rows < m <= down * rows
        assert (across - 1) * columns < n <= across * columns
        assert layout.chunks <= 8 * threads
        assert layout.chunks * layout.chunk >= prod(layout.parts)

    def test_blocks_fit_a_cache(self):
        layout = Layout("float64", 20_000, 300, 1000, False, False, 2)
        assert layout.panel_bytes <= BLOCK
        assert layout.chunk > 1

    def test_one_part_for_each_thread(self):
        layout = Layout("float32", 2000, 2000, 2000, False, False, 4)
        assert prod(replace(layout, m=500, n=500).parts) == 4

    def test_little_work_is_not_cut(self):
        assert Layout("float32", 64, 64, 64, False, False, 16).parts == (1, 1)


@needs_numba
class TestChoice:
    def fused(self, f, *args):
        return names(fuse(make_tape(f)(*args)))

    def test_large_products_are_kernels(self):
        x = np.ones((100, 100))
        assert self.fused(lambda x, y: x @ y.T, x, x) == ["kernel_of_matrices"]

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            (np.ones((20, 20)), np.ones((20, 20))),
            (np.ones((400, 400)), np.ones((400, 4))),
            (np.ones((100, 100), complex), np.ones((100, 100), complex)),
            (np.ones((100, 100), np.int64), np.ones((100, 100), np.int64)),
        ],
        ids=["small", "narrow", "complex", "integers"],
    )
    def test_others_are_not(self, first, second):
        assert self.fused(lambda x, y: x @ y, first, second) == ["matmul"]

    def test_nor_are_those_of_scattered_elements(self):
        tape = make_tape(lambda x, y: x[:, ::2] @ y)(np.ones((100, 200)), np.ones((100, 100)))
        assert large_product(tape) is None

    def test_the_report_says_how_it_is_cut(self):
        x = np.ones((512, 512), np.float32)
        (kernel,) = autodiff.jit(lambda x: x @ x).kernels(x)
        assert kernel.sizes.startswith("512 x 512 times 512 x 512, ")
        assert "multiply_panels_float32" in kernel.text
