"""Windows, convolution and pooling: laws for every geometry, and values computed element by element."""

import re
from itertools import product

import numpy as np
import pytest
import scipy.signal

import autodiff
from autodiff.ops.images.windows import (
    average_pooling,
    convolve_nd,
    max_pooling,
    overlap_add,
    transposed_convolve_nd,
    windows,
)  # fmt: skip
from autodiff.testing import Case, assert_close, check_case, check_laws
from autodiff.testing.draws.domains import distinct, real

ALL = ("float64", "float32", "complex128")


def row(name, fun, shapes, domain=real, dtypes=("float64", "float32"), **options):
    return Case(name, fun, domain, shapes=shapes, dtypes=dtypes, **{"scalars": False, **options})


def two(name, fun, *shapes):
    return row(name, fun, list(shapes), (real, real), ALL)


# fmt: off
CASES = [
    row("windows",         lambda x: windows(x, shape=(2,), stride=(1,), dilation=(1,)),       [(2,), (3,), (2, 5)]),
    row("windows, 2 axes", lambda x: windows(x, shape=(2, 3), stride=(2, 1), dilation=(1, 2)),
        [(4, 6), (2, 3, 5), (0, 2, 5)]),
    row("no window axis",  lambda x: windows(x, shape=(0,), stride=(1,), dilation=(1,)),       [(2,)]),
    row("overlap_add",     lambda g: overlap_add(g, lengths=(5,), stride=(2,), dilation=(1,)), [(2, 2), (3, 2, 2)]),
    row("overlap, 2 axes", lambda g: overlap_add(g, lengths=(6, 5), stride=(2, 1), dilation=(1, 2)), [(3, 3, 2, 2)]),
    row("sliding windows", lambda x: np.lib.stride_tricks.sliding_window_view(x, 2, 0) * 2.0,  [(3,), (3, 2)]),
    row("sliding, twice",  lambda x: np.lib.stride_tricks.sliding_window_view(x, (2, 3), (0, 0)) * 2.0,
        [(6,), (5, 2)]),
    row("sliding, all",    lambda x: np.lib.stride_tricks.sliding_window_view(x, (2, 1)) * 2.0, [(2, 2), (4, 3)]),
    two("convolve, 1 axis",   convolve_nd, ((1, 1, 3), (1, 1, 2)), ((2, 3, 4), (2, 3, 2))),
    two("convolve, stride",   lambda x, w: convolve_nd(x, w, stride=2, padding=1, dilation=2), ((2, 2, 6), (3, 2, 2))),
    two("convolve, 2 axes",   lambda x, w: convolve_nd(x, w, stride=(2, 1), padding=((1, 0), (2, 1)), dilation=(1, 2)),
        ((2, 2, 5, 3), (3, 2, 2, 3))),
    two("convolve, 3 axes",   lambda x, w: convolve_nd(x, w, padding=1),   ((1, 2, 2, 3, 1), (2, 2, 2, 2, 1))),
    two("convolve, groups",   lambda x, w: convolve_nd(x, w, groups=2),    ((2, 4, 3, 2), (6, 2, 2, 1))),
    two("convolve, depthwise", lambda x, w: convolve_nd(x, w, groups=3),   ((2, 3, 4), (3, 1, 2))),
    two("convolve, nothing",  lambda x, w: convolve_nd(x, w, padding=1),   ((0, 2, 3), (2, 2, 2))),
    two("transposed",         lambda g, w: transposed_convolve_nd(g, w, stride=2),
        ((1, 1, 2), (1, 1, 3)), ((2, 3, 2), (3, 2, 2))),
    two("transposed, groups", lambda g, w: transposed_convolve_nd(
            g, w, stride=(2, 1), padding=1, dilation=2, groups=2, lengths=(6, 5)),
        ((2, 4, 3, 3), (4, 3, 2, 3))),
    row("max_pooling",        lambda x: max_pooling(x, 2),                        [(1, 2, 4), (2, 1, 4, 6)], distinct),
    row("max_pooling, wide",  lambda x: max_pooling(x, (2, 3), stride=1, padding=1, dilation=(2, 1)),
        [(2, 1, 3, 3)], distinct),
    row("average_pooling",    lambda x: average_pooling(x, 2, stride=1, padding=((1, 0),)), [(1, 2, 4)]),
    row("average, inside",    lambda x: average_pooling(x, (2, 1), padding=(1, 0), count_padding=False),
        [(2, 1, 3, 2)]),
]
# fmt: on


@pytest.mark.parametrize("case", CASES, ids=str)
def test_laws(case):
    check_case(case, max_examples=15)


def by_hand(x, w, stride, padding, dilation, groups):
    """The sum that defines a convolution."""
    x = np.pad(x, ((0, 0), (0, 0), *padding))
    counts = [(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(x.shape[2:], w.shape[2:], stride, dilation)]
    out = np.zeros((x.shape[0], w.shape[0], *counts))
    share, members = w.shape[1], w.shape[0] // groups
    for n, o, *p in product(*map(range, out.shape)):
        for c, *k in product(*map(range, w.shape[1:])):
            at = tuple(a * s + b * d for a, s, b, d in zip(p, stride, k, dilation))
            out[(n, o, *p)] += x[(n, o // members * share + c, *at)] * w[(o, c, *k)]
    return out


@pytest.mark.parametrize(
    ("x", "w", "stride", "padding", "dilation", "groups"),
    [
        ((2, 3, 7), (4, 3, 3), (2,), ((1, 0),), (1,), 1),
        ((1, 4, 5, 6), (2, 2, 2, 3), (1, 2), ((0, 1), (2, 2)), (2, 1), 2),
        ((1, 2, 3, 2, 4), (2, 1, 2, 2, 2), (1, 1, 2), ((0, 0),) * 3, (1, 1, 1), 2),
    ],
)
def test_convolution_is_its_sum(x, w, stride, padding, dilation, groups):
    random = np.random.default_rng(0)
    x, w = random.normal(size=x), random.normal(size=w)
    found = convolve_nd(x, w, stride=stride, padding=padding, dilation=dilation, groups=groups)
    assert_close(found, by_hand(x, w, stride, padding, dilation, groups))


def test_convolution_is_that_of_scipy():
    random = np.random.default_rng(1)
    x, w = random.normal(size=(6, 7)), random.normal(size=(2, 3))
    assert_close(convolve_nd(x[None, None], w[None, None])[0, 0], scipy.signal.correlate(x, w, "valid"))
    assert_close(transposed_convolve_nd(x[None, None], w[None, None])[0, 0], scipy.signal.convolve(x, w, "full"))


@pytest.mark.parametrize("batched", [(0, None), (None, 0), (0, 0), (2, 1)])
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("which", ["forward", "to images", "to kernels", "twice"])
def test_batches_of_convolutions(batched, groups, which):
    random = np.random.default_rng(2)
    x, w, g = random.normal(size=(2, 4, 5)), random.normal(size=(6, 4 // groups, 3)), random.normal(size=(2, 6, 2))

    def fun(x, w):
        return convolve_nd(x, w, stride=2, groups=groups)

    def to_images(g, w):
        return autodiff.vjp(lambda x: fun(x, w), x)[1](g)[0]

    def to_kernels(x, g):
        return autodiff.vjp(lambda w: fun(x, w), w)[1](g)[0]

    def twice(x, w):
        return autodiff.vmap(fun, (None, 0))(x, w)

    one, a, b = {
        "forward": (fun, x, w),
        "to images": (to_images, g, w),
        "to kernels": (to_kernels, x, g),
        "twice": (twice, x, np.stack([w, w * 2])),
    }[which]
    many = [
        operand if axis is None else np.stack([operand, operand * 2, operand - 1], axis)
        for operand, axis in zip((a, b), batched)
    ]
    found = autodiff.vmap(one, batched)(*many)
    for n in range(3):
        each = [m if axis is None else np.take(m, n, axis) for m, axis in zip(many, batched)]
        assert_close(found[n], one(*each))


@pytest.mark.parametrize("batched", [(0, None), (None, 0), (0, 0)], ids=str)
def test_batches_of_no_examples(batched):
    x, w = np.ones((4, 2, 5, 5)), np.ones((3, 2, 3, 3))
    operands = [a if axis is None else np.ones((0, *a.shape)) for a, axis in zip((x, w), batched, strict=True)]
    assert autodiff.vmap(convolve_nd, in_axes=batched)(*operands).shape == (0, 4, 3, 3, 3)
    slopes = autodiff.vmap(autodiff.grad(lambda x, w: np.sum(convolve_nd(x, w)), (0, 1)), in_axes=batched)(*operands)
    assert [slope.shape for slope in slopes] == [(0, *x.shape), (0, *w.shape)]


def test_windows_share_memory():
    x = np.arange(6.0)
    view = windows(x, shape=(3,), stride=(2,), dilation=(1,))
    assert np.shares_memory(view, x)
    assert not view.flags.writeable
    assert view.tolist() == [[0, 1, 2], [2, 3, 4]]


def test_ties_under_a_window_share():
    value, pullback = autodiff.vjp(lambda x: max_pooling(x, 3), np.array([[[1.0, 1.0, 0.0]]]))
    assert pullback(np.ones_like(value))[0].tolist() == [[[0.5, 0.5, 0.0]]]


def test_padding_is_never_the_largest():
    x = np.full((1, 1, 2), -5.0)
    assert max_pooling(x, 2, padding=1).tolist() == [[[-5.0, -5.0]]]
    assert average_pooling(x, 2, padding=1, count_padding=False).tolist() == [[[-5.0, -5.0]]]
    check_laws(lambda x: max_pooling(x, 2, padding=1), (np.array([[[-5.0, -4.0]]]),))


@pytest.mark.parametrize(
    ("fun", "text"),
    [
        (
            lambda x, w: convolve_nd(x, w[:, :1]),
            "kernels of shape (3, 1, 2) do not fit to images of shape (1, 2, 4) in 1 groups (test_windows.py:LINE); "
            "needed are (outputs, channels / groups, kernel)",
        ),
        (
            lambda x, w: convolve_nd(x, w, stride=0),
            "stride=0 must be at least 1, for each of 1 axes (test_windows.py:LINE)",
        ),
        (
            lambda x, w: convolve_nd(x, w, padding=-1),
            "padding=-1 must be one non-negative number or pair for 1 axes (test_windows.py:LINE)",
        ),
        (
            lambda x, w: convolve_nd(x, w, dilation=4),
            "windows that span (5,) elements do not fit into axes of lengths (4,)",
        ),
        (
            lambda x, w: convolve_nd(x[0], w[0]),
            "images need axes for examples, channels and space, got 2 axes (test_windows.py:LINE)",
        ),
        (
            lambda x, w: transposed_convolve_nd(np.ones((1, 3, 4)), w, lengths=(9,)),
            "a convolution of lengths (9,) does not give the counts (4,) (test_windows.py:LINE)",
        ),
    ],
)
def test_errors(fun, text):
    with pytest.raises(ValueError, match=re.escape(text).replace("LINE", r"\d+") + "$"):
        fun(np.ones((1, 2, 4)), np.ones((3, 2, 2)))
