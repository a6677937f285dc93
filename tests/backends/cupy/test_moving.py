"""Kernels that move elements, in three orders of threads and blocks, against NumPy."""

import numpy as np
import pytest
from hypothesis import strategies as st

from autodiff.backends.cupy.kernels.special import copy_kernel, special_kernel
from tests.backends.cupy.hosting import ORDERS, needs_compiler
from tests.backends.cupy.nvrtc import checked, needs_nvrtc
from tests.backends.cupy.operations import Operation, Together, drawn, tape_of

LENGTHS = st.sampled_from([0, 1, 2, 3, 5, 8, 20, 40])
SHAPES = st.lists(LENGTHS, min_size=1, max_size=4).map(tuple).filter(lambda shape: np.prod(shape) < 5000)
VALUES = st.sampled_from([np.float32, np.float64, np.float16, np.bool_, np.complex128])
STEPS = st.sampled_from([None, 1, 2, 3, -1, -2])


def numbers(random, shape, dtype):
    return random.integers(0, 100, shape).astype(dtype)


def key_for(draw, shape):
    """A basic key for the last axes."""
    key = []
    for length in shape[draw(st.integers(0, len(shape))) :]:
        if draw(st.integers(0, 9)) == 0:
            key.append(None)
        if length and draw(st.integers(0, 3)) == 0:
            key.append(draw(st.integers(-length, length - 1)))
        else:
            key.append((draw(st.none() | st.integers(-9, 9)), draw(st.none() | st.integers(-9, 9)), draw(STEPS)))
    return tuple(key)


@st.composite
def laid(draw):
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    shape, dtype = draw(SHAPES), draw(VALUES)
    key = (*key_for(draw, shape), Ellipsis)
    (part,) = tape_of("slice_of", np.empty(shape), key=key).output_specs
    if draw(st.booleans()):
        return Operation("slice_into", numbers(random, part.shape, dtype), key=key, shape=shape)
    return Operation("slice_set", numbers(random, shape, dtype), numbers(random, part.shape, dtype), key=key)


@st.composite
def moved(draw):
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    x = numbers(random, draw(SHAPES), draw(VALUES))
    axes = range(-x.ndim, 0)
    if draw(st.booleans()):
        return Operation("shift", x, axis=draw(st.sampled_from(axes)), reverse=draw(st.booleans()))
    chosen = tuple(draw(st.lists(st.sampled_from(axes), max_size=3)))
    return Operation("roll", x, axes=chosen, shifts=tuple(draw(st.integers(-50, 50)) for _ in chosen))


@st.composite
def joined(draw):
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    shape, many = draw(SHAPES), draw(st.integers(1, 5))
    dtypes = (
        [draw(VALUES)] * many
        if draw(st.booleans())
        else [np.float32, np.int64, np.float64, np.bool_, np.float16][:many]
    )
    if draw(st.booleans()):
        return Operation(
            "stack", *(numbers(random, shape, d) for d in dtypes), axis=draw(st.integers(-len(shape) - 1, -1))
        )
    axis, arrays = draw(st.integers(-len(shape), -1)), []
    for dtype in dtypes:
        own = list(shape)
        own[axis] = draw(LENGTHS)
        arrays.append(numbers(random, own, dtype))
    return Operation("concatenate", *arrays, axis=axis, ends=tuple(np.cumsum([a.shape[axis] for a in arrays]).tolist()))


@st.composite
def viewed(draw):
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    x = numbers(random, draw(SHAPES), draw(VALUES))
    match draw(st.sampled_from(["transpose", "transpose", "slice_of", "broadcast_to", "windows"])):
        case "transpose":
            many = draw(st.integers(1, x.ndim))
            return copied("transpose", x, axes=tuple(k - many for k in draw(st.permutations(range(many)))))
        case "slice_of":
            return copied("slice_of", x, key=(*key_for(draw, x.shape), Ellipsis))
        case "broadcast_to":
            own = tuple(draw(st.integers(0, 3)) if length == 1 else length for length in x.shape)
            return copied("broadcast_to", x, shape=(*draw(st.sampled_from([(), (2,), (0, 3)])), *own))
    rank = draw(st.integers(1, min(2, x.ndim)))
    shape = tuple(draw(st.integers(1, max(1, min(3, n)))) for n in x.shape[-rank:])
    x = np.resize(x, (*x.shape[:-rank], *(max(n, 1) for n in x.shape[-rank:])))
    dilation = tuple(draw(st.integers(1, 2)) if 2 * k <= n else 1 for k, n in zip(shape, x.shape[-rank:]))
    return copied("windows", x, shape=shape, stride=tuple(draw(st.integers(1, 3)) for _ in shape), dilation=dilation)


def copied(name, x, **params):
    assert copy_kernel(tape_of(name, x, **params)) == ("copy_of_view", {})
    return Operation(name, x, kind="copy_of_view", **params)


@pytest.fixture(scope="module")
def operations():
    return Together(
        [
            one
            for strategy, many in ((laid(), 25), (moved(), 20), (joined(), 30), (viewed(), 30))
            for one in drawn(strategy, many)
        ]
    )


@needs_compiler
@pytest.mark.parametrize("order", ORDERS)
def test_drawn(operations, order):
    operations.check(order)


X = np.arange(5 * 70 * 40.0).reshape(5, 70, 40)
TURNED = {
    "matrix": (X[0], (-1, -2)),
    "stack of them": (X, (-3, -1, -2)),
    "first axis last": (X[:, :20], (-2, -1, -3)),
    "last axis first": (X[:, :20], (-1, -3, -2)),
}


@needs_compiler
@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.complex128])
def test_axes_are_turned_in_tiles(dtype):
    cases = {name: copied("transpose", x.astype(dtype), axes=axes) for name, (x, axes) in TURNED.items()}
    assert ["turn_tiles" in case.kernel.text for case in cases.values()] == [True, True, False, True]
    together = Together(cases.values())
    for order in ORDERS:
        together.check(order)


@pytest.mark.parametrize(
    "tape",
    [
        tape_of("concatenate", *[np.ones(1)] * 65, axis=-1, ends=tuple(range(1, 66))),
        tape_of("concatenate", np.ones(3), np.ones(3, complex), axis=-1, ends=(3, 6)),
        tape_of("roll", np.ones(3, np.longdouble).astype("U5"), shifts=(1,), axes=(-1,)),
        tape_of("slice_of", np.ones((2, 5)), key=((1, None, None),)),
    ],
)
def test_other_operations_have_no_kernel_here(tape):
    assert special_kernel(tape) is None


def test_only_views_are_copied():
    assert copy_kernel(tape_of("roll", np.ones(3), shifts=(1,), axes=(-1,))) is None


@needs_nvrtc
def test_nothing_spills():
    x = np.ones((40, 50, 60), np.float32)
    together = Together(
        [
            Operation("slice_set", x, x[::2, :5, 1:-1:3], key=((None, None, 2), (0, 5, None), (1, -1, 3))),
            Operation("concatenate", x, x, x.astype(int), axis=-2, ends=(50, 100, 150)),
            Operation("stack", x, x, axis=-1),
            copied("transpose", x, axes=(-1, -3, -2)),
            copied("windows", x, shape=(3, 3), stride=(2, 2), dilation=(1, 2)),
        ]
    )
    checked(together.module.source)
