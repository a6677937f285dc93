"""Images of any number of axes as columns of windows."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.utils.conv import columns, get_conv_outsize, laid
from autodiff.trace.source import at_user_line


def as_tuple(x: Any, n: int) -> tuple[Any, ...]:
    """``n`` things: the given ones, or a single one for each.

    Raises:
        AssertionError: if there are more or fewer.

    >>> as_tuple(3, 2), as_tuple([1, 2], 2)
    ((3, 3), (1, 2))
    """
    found = tuple(x) if hasattr(x, "__getitem__") else (x,) * n
    if len(found) != n:
        raise AssertionError(f"{n} numbers are needed, one for each spatial axis, got {x!r}{at_user_line()}")
    return found


def im2col_nd(
    img: Any,
    ksize: tuple[int, ...],
    stride: tuple[int, ...],
    pad: tuple[int, ...],
    cover_all: bool = False,
    dilate: Any = 1,
) -> Any:
    """Every element under the kernel, the padding being zeros; see :func:`im2col_nd_cpu`."""
    return im2col_nd_cpu(img, ksize, stride, pad, 0, cover_all, dilate)


def im2col_nd_cpu(
    img: Any,
    ksize: tuple[int, ...],
    stride: tuple[int, ...],
    pad: tuple[int, ...],
    pval: float = 0,
    cover_all: bool = False,
    dilate: Any = 1,
) -> Any:
    """Every element under the kernel.

    Args:
        img: images (N, C, d_1, ..., d_n).
        ksize: size of the kernel, n numbers.
        stride: steps between kernel positions.
        pad: width of the padding.
        pval: value of the padding.
        cover_all: whether kernel positions go on until all elements are covered.
        dilate: steps between elements under the kernel.

    Returns:
        (N, C, ksize, counts).

    Raises:
        AssertionError: if the numbers are not n, or the kernel is larger than the padded images.
    """
    dims = img.shape[2:]
    ksize, stride, pad = (as_tuple(given, len(dims)) for given in (ksize, stride, pad))
    dilate = as_tuple(dilate, len(dims))
    counts = tuple(
        get_conv_outsize(length, k, s, p, cover_all, d) for length, k, s, p, d in zip(dims, ksize, stride, pad, dilate)
    )
    if min(counts) <= 0:
        raise AssertionError(f"a kernel of size {ksize} does not fit into images of size {dims}{at_user_line()}")
    return columns(img, ksize, stride, pad, pval, dilate, counts)


def col2im_nd(col: Any, stride: tuple[int, ...], pad: tuple[int, ...], dims: tuple[int, ...], dilate: Any = 1) -> Any:
    """The transpose of :func:`im2col_nd`: columns (N, C, ksize, counts) added up to images (N, C, dims)."""
    return laid(col, stride, pad, dims, as_tuple(dilate, len(dims)))


im2col_nd_gpu = im2col_nd
col2im_nd_cpu = col2im_nd_gpu = col2im_nd
