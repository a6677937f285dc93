"""Sizes of convolutions, and images as columns."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import numpy as np
import pytest

from autodiff.chainer.utils import conv, conv_nd


@pytest.mark.parametrize(
    ("function", "options", "size"),
    [
        (conv.get_conv_outsize, {}, 4),
        (conv.get_conv_outsize, {"d": 2}, 3),
        (conv.get_conv_outsize, {"cover_all": True, "d": 2}, 3),
        (conv.get_deconv_outsize, {}, 13),
        (conv.get_deconv_outsize, {"cover_all": True}, 12),
        (conv.get_deconv_outsize, {"d": 2}, 15),
    ],
)
def test_sizes(function: Any, options: dict[str, Any], size: int) -> None:
    assert function(7, 3, 2, 1, **options) == size


def test_columns_hold_what_lies_under_the_kernel() -> None:
    x = np.arange(24.0).reshape(1, 1, 4, 6)
    col = conv.im2col_cpu(x, 3, 2, 2, 1, 1, 1, pval=-9, cover_all=True)
    assert col.shape == (1, 1, 3, 2, 3, 7)
    assert col[0, 0, :, :, 0, 1].tolist() == [[-9, -9], [0, 1], [6, 7]]
    assert conv.im2col_cpu(x, 3, 2, 2, 1, 1, 1, out_h=2, out_w=3).shape == (1, 1, 3, 2, 2, 3)
    assert col.flags.c_contiguous


@pytest.mark.parametrize("dilate", [(1, 1), (2, 1)])
@pytest.mark.parametrize("cover_all", [False, True])
def test_images_and_columns_are_transposes_of_each_other(dilate: tuple[int, int], cover_all: bool) -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=(2, 3, 5, 6))
    for k, s, p in product([(2, 3), (1, 1)], [(1, 1), (2, 3)], [(0, 0), (1, 2)]):
        col = conv_nd.im2col_nd(x, k, s, p, cover_all, dilate)
        g = random.normal(size=col.shape)
        back = conv_nd.col2im_nd(g, s, p, x.shape[2:], dilate)
        np.testing.assert_allclose(np.sum(col * g), np.sum(x * back))
        np.testing.assert_array_equal(col, conv.im2col(x, *k, *s, *p, cover_all, *dilate))
        np.testing.assert_array_equal(back, conv.col2im(g, *s, *p, *x.shape[2:], *dilate))


def test_any_number_of_axes() -> None:
    x = np.arange(60.0).reshape(1, 1, 3, 4, 5)
    col = conv_nd.im2col_nd_cpu(x, (2, 1, 3), (1, 2, 1), (0, 0, 1))
    assert col.shape == (1, 1, 2, 1, 3, 2, 2, 5)
    assert col[0, 0, :, 0, :, 1, 1, 2].tolist() == [[31, 32, 33], [51, 52, 53]]


# fmt: off
ERRORS = [
    (lambda x: conv.im2col_cpu(x, 9, 1, 1, 1, 0, 0),
        "a kernel of size 9 does not fit into images of size 4: the height of the output must be positive"),
    (lambda x: conv_nd.im2col_nd_cpu(x, (9, 9), (1, 1), (0, 0)),
        "a kernel of size (9, 9) does not fit into images of size (4, 6)"),
    (lambda x: conv_nd.im2col_nd_cpu(x, (3,), (1, 1), (0, 0)),
        "2 numbers are needed, one for each spatial axis, got (3,)"),
]
# fmt: on


@pytest.mark.parametrize(("call", "text"), ERRORS)
def test_errors(call: Any, text: str) -> None:
    with pytest.raises(AssertionError) as caught:
        call(np.zeros((1, 1, 4, 6)))
    assert re.sub(r" \(\w+\.py:\d+\)", "", str(caught.value)) == text
