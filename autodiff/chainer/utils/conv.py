"""Sizes of convolutions of images, and images as columns of windows."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.ops.images.overlap import overlap_add, windows
from autodiff.trace.source import at_user_line


def get_conv_outsize(size: Any, k: Any, s: Any, p: Any, cover_all: bool = False, d: Any = 1) -> Any:
    """(size + 2 p - dk) // s + 1, where dk = k + (k - 1)(d - 1): how many windows there are along one axis.

    Args:
        size: length of the axis.
        k: size of the window.
        s: steps between windows.
        p: width of the padding on both sides.
        cover_all: whether windows go on beyond the end until all elements are covered.
        d: steps between elements of a window.

    >>> get_conv_outsize(8, 3, 2, 0), get_conv_outsize(8, 3, 2, 0, cover_all=True)
    (3, 4)
    """
    dk = k + (k - 1) * (d - 1)
    if cover_all:
        return (size + p * 2 - dk + s - 1) // s + 1
    return (size + p * 2 - dk) // s + 1


def get_deconv_outsize(size: Any, k: Any, s: Any, p: Any, cover_all: bool = False, d: Any = 1) -> Any:
    """s (size - 1) + dk - 2 p: the length from which a convolution makes ``size`` windows.

    Args:
        size: number of windows.
        k: size of the window.
        s: steps between windows.
        p: width of the padding on both sides.
        cover_all: whether the windows go beyond the end.
        d: steps between elements of a window.

    >>> get_deconv_outsize(3, 3, 2, 0)
    7
    """
    dk = k + (k - 1) * (d - 1)
    if cover_all:
        return s * (size - 1) + dk - s + 1 - 2 * p
    return s * (size - 1) + dk - 2 * p


def im2col(
    img: Any,
    kh: int,
    kw: int,
    sy: int,
    sx: int,
    ph: int,
    pw: int,
    cover_all: bool = False,
    dy: int = 1,
    dx: int = 1,
    out_h: int | None = None,
    out_w: int | None = None,
) -> Any:
    """Every element under the kernel, the padding being zeros; see :func:`im2col_cpu`."""
    return im2col_cpu(img, kh, kw, sy, sx, ph, pw, 0, cover_all, dy, dx, out_h, out_w)


def im2col_cpu(
    img: Any,
    kh: int,
    kw: int,
    sy: int,
    sx: int,
    ph: int,
    pw: int,
    pval: float = 0,
    cover_all: bool = False,
    dy: int = 1,
    dx: int = 1,
    out_h: int | None = None,
    out_w: int | None = None,
) -> Any:
    """Every element under the kernel.

    Args:
        img: images (N, C, H, W).
        kh: height of the kernel.
        kw: width of the kernel.
        sy: vertical steps between kernel positions.
        sx: horizontal steps.
        ph: width of the padding above and below.
        pw: width of the padding left and right.
        pval: value of the padding.
        cover_all: whether kernel positions go on until all elements are covered.
        dy: vertical steps between elements under the kernel.
        dx: horizontal steps.
        out_h: vertical number of kernel positions, where it is not the one that follows from the sizes.
        out_w: horizontal number.

    Returns:
        (N, C, kh, kw, out_h, out_w).

    Raises:
        AssertionError: if the kernel is larger than the padded images.
    """
    h, w = img.shape[2:]
    out_h = get_conv_outsize(h, kh, sy, ph, cover_all, dy) if out_h is None else out_h
    out_w = get_conv_outsize(w, kw, sx, pw, cover_all, dx) if out_w is None else out_w
    for name, count, length, k in (("height", out_h, h, kh), ("width", out_w, w, kw)):
        if count <= 0:
            raise AssertionError(
                f"a kernel of size {k} does not fit into images of size {length}: the {name} of the output must be "
                f"positive{at_user_line()}"
            )
    return columns(img, (kh, kw), (sy, sx), (ph, pw), pval, (dy, dx), (out_h, out_w))


def columns(
    img: Any,
    ksize: tuple[int, ...],
    stride: tuple[int, ...],
    pad: tuple[int, ...],
    pval: float,
    dilate: tuple[int, ...],
    counts: tuple[int, ...],
) -> Any:
    """Images (N, C, lengths) with all elements under the kernel: (N, C, ksize, counts)."""
    needed = [s * (n - 1) + d * (k - 1) + 1 for n, k, s, d in zip(counts, ksize, stride, dilate)]
    widths = [(p, max(0, size - length - p)) for size, length, p in zip(needed, img.shape[2:], pad)]
    padded: Any = np.pad(img, ((0, 0), (0, 0), *widths), constant_values=pval)
    padded = padded[(..., *map(slice, needed))]
    rank = len(ksize)
    found = windows(padded, shape=ksize, stride=stride, dilation=dilate)
    return found.transpose(0, 1, *range(2 + rank, 2 + 2 * rank), *range(2, 2 + rank)).copy()


def col2im(col: Any, sy: int, sx: int, ph: int, pw: int, h: int, w: int, dy: int = 1, dx: int = 1) -> Any:
    """The transpose of :func:`im2col`: columns (N, C, kh, kw, out_h, out_w) added up to images (N, C, h, w)."""
    return laid(col, (sy, sx), (ph, pw), (h, w), (dy, dx))


def laid(
    col: Any, stride: tuple[int, ...], pad: tuple[int, ...], dims: tuple[int, ...], dilate: tuple[int, ...]
) -> Any:
    """Columns (N, C, ksize, counts) added up to images (N, C, dims)."""
    rank = len(dims)
    ksize, counts = col.shape[2 : 2 + rank], col.shape[2 + rank :]
    needed = [s * (n - 1) + d * (k - 1) + 1 for n, k, s, d in zip(counts, ksize, stride, dilate)]
    moved = col.transpose(0, 1, *range(2 + rank, 2 + 2 * rank), *range(2, 2 + rank))
    full = overlap_add(moved, lengths=tuple(needed), stride=stride, dilation=dilate)
    short = [(0, max(0, p + length - size)) for size, length, p in zip(needed, dims, pad)]
    if any(map(any, short)):
        full = np.pad(full, ((0, 0), (0, 0), *short))
    return np.ascontiguousarray(full[(..., *(slice(p, p + length) for p, length in zip(pad, dims)))])


im2col_gpu = im2col
col2im_cpu = col2im_gpu = col2im
