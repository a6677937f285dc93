"""Memory layouts: each is what its name says and keeps the values."""

import numpy as np
import pytest

from autodiff.testing import LAYOUTS, lay_out

X = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4), (0,), (2, 0, 3)])
@pytest.mark.parametrize("dtype", ["float32", "complex128", "int64", "bool"])
def test_values_shape_and_dtype_stay(layout: str, shape: tuple[int, ...], dtype: str) -> None:
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    laid = lay_out(array, layout)
    assert (laid.shape, laid.dtype) == (shape, array.dtype)
    assert layout == "broadcast" or np.array_equal(laid, array)
    assert not np.shares_memory(laid, array)


def test_contiguous() -> None:
    assert lay_out(X.T, "contiguous").flags.c_contiguous


def test_fortran() -> None:
    assert lay_out(X, "fortran").flags.f_contiguous


def test_transposed_is_a_view_with_swapped_strides() -> None:
    laid = lay_out(np.ones((2, 3, 4)), "transposed")
    assert laid.base is not None
    assert laid.strides == (96, 8, 24)


def test_strided_leaves_gaps_that_hold_nan() -> None:
    laid = lay_out(X, "strided")
    assert laid.strides == (48, 16)
    assert np.isnan(np.asarray(laid.base)[..., 1::2]).all()


def test_reversed_has_negative_strides() -> None:
    assert lay_out(X, "reversed").strides == (-24, -8)


def test_read_only_refuses_to_be_written() -> None:
    with pytest.raises(ValueError, match="read-only"):
        lay_out(X, "read-only")[0, 0] = 1.0


def test_broadcast_repeats_one_slice_through_a_zero_stride() -> None:
    laid = lay_out(X, "broadcast")
    assert laid.strides == (8, 0)
    assert laid.tolist() == [[0.0, 0.0, 0.0], [3.0, 3.0, 3.0]]


def test_an_unknown_layout_is_refused() -> None:
    with pytest.raises(ValueError, match="layout") as error:
        lay_out(X, "diagonal")
    assert str(error.value) == (
        "there is no memory layout 'diagonal'; choose one of "
        "contiguous, fortran, transposed, strided, reversed, read-only, broadcast"
    )
