"""Convolutions on GPU arrays: values, gradients, what exists at a time, on the stand-in."""

import itertools

import numpy as np
import pytest

from autodiff import grad, jit, make_tape
from autodiff.backends.cupy.libraries import convolutions
from autodiff.backends.cupy.libraries.convolutions import convolution_call
from autodiff.ops.images.convolution import (
    convolve,
    convolve_nd,
    convolve_to_input,
    convolve_to_kernel,
    transposed_convolve_nd,
)
from autodiff.ops.images.geometry import geometry_of
from tests.standin import blas

RANDOM = np.random.default_rng(2)
LENGTHS = (5, 6, 5)
CASES = [
    (rank, groups, stride, padding, dilation, kernel, channels)
    for rank, groups, stride, padding, dilation, kernel, channels in itertools.product(
        (1, 2, 3), (1, 2), (1, 2), (0, 1, (2, 0)), (1, 2), (1, 2, 3), ((2, 4), (2, 8), (4, 2))
    )
    if rank < 3 or (kernel < 3 and dilation == 1)
]


def close(found, wanted, tolerance=1e-9):
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found.get().astype(float), wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("workspace", [1, 1 << 26])
def test_all_three_forms(cupy, monkeypatch, workspace):
    monkeypatch.setattr(convolutions, "WORKSPACE", workspace)
    for rank, groups, stride, padding, dilation, kernel, (inputs, outputs) in CASES[:: 2 if workspace > 1 else 5]:
        lengths, size = LENGTHS[:rank], (kernel,) * rank
        geometry = geometry_of(
            rank, stride, padding if isinstance(padding, int) else (padding,) * rank, dilation, groups
        )
        x, w = RANDOM.normal(size=(3, inputs, *lengths)), RANDOM.normal(size=(outputs, inputs // groups, *size))
        y = convolve(x, w, geometry=geometry)
        g = RANDOM.normal(size=y.shape)
        on_gpu, kernels, results = map(cupy.asarray, (x, w, g))
        close(convolve(on_gpu, kernels, geometry=geometry), y)
        close(
            convolve_to_input(results, kernels, lengths=lengths, geometry=geometry),
            convolve_to_input(g, w, lengths=lengths, geometry=geometry),
        )
        close(
            convolve_to_kernel(on_gpu, results, kernel=size, geometry=geometry),
            convolve_to_kernel(x, g, kernel=size, geometry=geometry),
        )


def test_views_of_images_are_read_as_they_are(cupy):
    x, w = RANDOM.normal(size=(7, 8, 3, 2)), RANDOM.normal(size=(4, 3, 3, 3))
    close(
        convolve_nd(cupy.asarray(x).transpose(3, 2, 0, 1), cupy.asarray(w), padding=1),
        convolve_nd(x.transpose(3, 2, 0, 1), w, padding=1),
    )


def test_kernels_of_one_element_copy_nothing(cupy, monkeypatch):
    x, w, g = (RANDOM.normal(size=shape) for shape in ((2, 3, 4, 5), (6, 3, 1, 1), (2, 6, 4, 5)))
    geometry = geometry_of(2, 1, 0, 1, 1)
    moved = list(map(cupy.asarray, (x, w, g)))
    monkeypatch.setattr(convolutions, "columns_of", None)
    close(convolve(*moved[:2], geometry=geometry), convolve(x, w, geometry=geometry))
    close(
        convolve_to_input(moved[2], moved[1], lengths=(4, 5), geometry=geometry),
        convolve_to_input(g, w, lengths=(4, 5), geometry=geometry),
    )
    assert [count for *_, count in blas.calls] == [2, 2]


def test_columns_are_bounded(cupy, monkeypatch):
    """16 images of 9 * 3 * 64 columns in float32, of which 3 images fit."""
    made = []
    own = convolutions.empty
    monkeypatch.setattr(convolutions, "empty", lambda shape, dtype: made.append((shape, dtype)) or own(shape, dtype))
    monkeypatch.setattr(convolutions, "WORKSPACE", 3 * 9 * 3 * 64 * 4 + 5)
    x, w = cupy.ones((16, 3, 8, 8), np.float32), cupy.ones((5, 3, 3, 3), np.float32)
    convolve(x, w, geometry=geometry_of(2, 1, 1, 1, 1))
    assert made == [((16, 5, 8, 8), np.float32), ((3 * 9 * 3 * 64,), np.float32)]
    assert [count for *_, count in blas.calls] == [3, 3, 3, 3, 3, 1]


def test_the_gradient_by_images_takes_the_smaller_columns(cupy, monkeypatch):
    """A convolution of what has the outputs, or columns that are added up."""
    chosen = []
    monkeypatch.setattr(convolutions, "add_columns", lambda g, w, lengths, geometry, out: chosen.append(w.shape))
    for shape, stride in (((8, 4, 3, 3), 1), ((9, 4, 3, 3), 1), ((8, 4, 3, 3), 2)):
        geometry = geometry_of(2, stride, 1, 1, 1)
        counts = geometry.counts((6, 6), (3, 3))
        g, w = cupy.ones((2, shape[0], *counts)), cupy.ones(shape)
        convolve_to_input(g, w, lengths=(6, 6), geometry=geometry)
    assert chosen == [(9, 4, 3, 3), (8, 4, 3, 3)]


def test_no_images_and_no_channels(cupy):
    assert convolve_nd(cupy.ones((0, 3, 5)), cupy.ones((2, 3, 2))).shape == (0, 2, 4)
    close(convolve_nd(cupy.ones((2, 0, 5)), cupy.ones((3, 0, 2))), np.zeros((2, 3, 4)))
    geometry = geometry_of(1, 1, 0, 1, 1)
    close(
        convolve_to_kernel(cupy.ones((0, 3, 5)), cupy.ones((0, 2, 4)), kernel=(2,), geometry=geometry),
        np.zeros((2, 3, 2)),
    )


def test_integers(cupy):
    x, w = RANDOM.integers(-9, 9, (2, 3, 6)), RANDOM.integers(-9, 9, (4, 3, 2))
    np.testing.assert_array_equal(convolve_nd(cupy.asarray(x), cupy.asarray(w)).get(), convolve_nd(x, w))


@pytest.mark.parametrize("stride", [1, 2])
def test_sums_of_float16_are_taken_in_float32(cupy, stride):
    """5000 ones are 5000; one after the other they would stay 2048."""
    x, w = cupy.ones((1, 5, 1000), np.float16), cupy.ones((2, 5, 1000), np.float16)
    geometry = geometry_of(1, stride, 0, 1, 1)
    np.testing.assert_array_equal(convolve(x, w, geometry=geometry).get(), 5000)
    g = cupy.ones((5000, 2, 1), np.float16)
    found = convolve_to_kernel(cupy.ones((5000, 5, 1), np.float16), g, kernel=(1,), geometry=geometry)
    assert found.dtype == np.float16
    np.testing.assert_array_equal(found.get(), 5000)
    wide = convolve_to_input(cupy.ones((1, 1, 3000), np.float16), cupy.ones((1, 1, 3000), np.float16),
                             lengths=(stride * 2999 + 3000,), geometry=geometry)  # fmt: skip
    assert wide.get().max() == (3000 if stride == 1 else 1500)


FUNCTIONS = {
    "convolution": (lambda x, w: np.sum(np.tanh(convolve_nd(x, w, stride=2, padding=1))), (2, 3, 7, 6), (4, 3, 3, 3)),
    "transposed": (lambda x, w: np.sum(np.tanh(transposed_convolve_nd(x, w, stride=2))), (2, 4, 3, 3), (4, 2, 3, 3)),
    "groups": (lambda x, w: np.sum(np.tanh(convolve_nd(x, w, groups=2))), (2, 4, 7), (6, 2, 3)),
    "second order": (
        lambda x, w: np.sum(grad(lambda y: np.sum(np.tanh(convolve_nd(y, w, padding=1))))(x) ** 2), (1, 2, 5), (3, 2, 3),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients(cupy, name):
    fun, *shapes = FUNCTIONS[name]
    args = [RANDOM.normal(size=shape) for shape in shapes]
    wanted = grad(fun, argnums=(0, 1))(*args)
    for compute in (grad(fun, argnums=(0, 1)), jit(grad(fun, argnums=(0, 1)))):
        for one, other in zip(compute(*map(cupy.asarray, args)), wanted, strict=True):
            assert isinstance(one, cupy.ndarray)
            close(one, other)


def test_the_call_of_an_equation(cupy):
    x, w = RANDOM.normal(size=(2, 3, 6)), RANDOM.normal(size=(4, 3, 2))
    (equation,) = make_tape(lambda x, w: convolve_nd(x, w))(x, w).equations
    call = convolution_call(equation)
    out = cupy.empty((2, 4, 5))
    assert call(cupy.asarray(x), cupy.asarray(w), out=out) is out
    close(out, convolve_nd(x, w))
    assert convolution_call(make_tape(np.tanh)(x).equations[0]) is None
