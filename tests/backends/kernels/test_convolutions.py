"""Convolutions as kernels: what they compute, and which ones become kernels."""

from dataclasses import replace

import numpy as np
import pytest

import autodiff
from autodiff import make_tape
from autodiff.backends.kernels.products import convolutions
from autodiff.backends.kernels.products.convolution_call import convolution_call, convolution_of
from autodiff.backends.kernels.products.convolutions import convolution_kernel, unsupported, with_convolutions
from autodiff.backends.straight import Straight
from autodiff.ops.images.convolution import convolve, convolve_nd, convolve_to_input, convolve_to_kernel
from autodiff.ops.images.geometry import geometry_of
from autodiff.trace.spec import spec, spec_of
from tests.backends.kernels.running import names, needs_numba

RNG = np.random.default_rng(0)

# fmt: off
CASES = {
    # images, kernels, stride, padding, dilation, groups
    "padded":                ((3, 4, 9, 8),    (5, 4, 3, 3),  1,      1,                1,      1),
    "many images":           ((19, 2, 6, 6),   (3, 2, 3, 3),  1,      1,                1,      1),
    "stride":                ((3, 4, 12, 10),  (5, 4, 3, 3),  (3, 2), (1, 2),           1,      1),
    "one side and stride":   ((3, 4, 7, 9),    (5, 4, 2, 3),  2,      ((0, 2), (1, 0)), 1,      1),
    "wide padding":          ((3, 2, 5, 5),    (4, 2, 2, 3),  1,      4,                1,      1),
    "dilation":              ((1, 4, 11, 12),  (4, 4, 3, 3),  1,      ((0, 4), (3, 1)), (2, 3), 1),
    "one pixel":             ((3, 9, 7, 6),    (5, 9, 1, 1),  1,      0,                1,      1),
    "one pixel, stride":     ((3, 9, 7, 6),    (5, 9, 1, 1),  2,      0,                1,      1),
    "whole image":           ((9, 3, 4, 5),    (8, 3, 4, 5),  1,      0,                1,      1),
    "groups":                ((3, 6, 7, 8),    (4, 3, 3, 3),  1,      1,                1,      2),
    "many rows":             ((2, 3, 37, 16),  (4, 3, 3, 3),  1,      1,                1,      1),
    "long rows and stride":  ((2, 2, 3, 700),  (3, 2, 2, 3),  2,      1,                1,      1),
    "many terms":            ((2, 70, 5, 6),   (4, 70, 3, 3), 1,      1,                1,      1),
    "one axis and stride":   ((3, 4, 31),      (6, 2, 4),     (3,),   ((2, 0),),        2,      2),
}
# fmt: on


def operands(case, dtype):
    """Images, kernels, results to go back from, and the geometry."""
    images, kernel, stride, padding, dilation, groups = CASES[case]
    geometry = geometry_of(len(images) - 2, stride, padding, dilation, groups)
    x, w = (RNG.normal(size=shape).astype(dtype) for shape in (images, kernel))
    g = RNG.normal(size=(images[0], kernel[0], *geometry.counts(images[2:], kernel[2:]))).astype(dtype)
    return x, w, g, geometry


def calls(case, dtype):
    """The three operations with their operands."""
    x, w, g, geometry = operands(case, dtype)
    yield lambda x, w: convolve(x, w, geometry=geometry), (x, w)
    yield lambda g, w: convolve_to_input(g, w, lengths=x.shape[2:], geometry=geometry), (g, w)
    yield lambda x, g: convolve_to_kernel(x, g, kernel=w.shape[2:], geometry=geometry), (x, g)


def kernel_of(fun, arrays):
    """The tape with a kernel in place of its one operation, however small it is."""
    tape = with_convolutions(make_tape(fun)(*arrays))
    assert names(tape) == ["kernel_of_convolution"]
    return tape


def same(found, wanted):
    assert type(found) is np.ndarray
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    assert found.flags.c_contiguous
    size = float(np.max(np.abs(wanted)))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=size * 40 * np.finfo(wanted.dtype).eps)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(convolutions, "WORK", 0)
    monkeypatch.setattr(convolutions, "FEW", 0)


@needs_numba
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("case", CASES)
def test_values_are_those_of_numpy(case):
    dtype = (np.float32, np.float64)[len(case) % 2]
    for fun, arrays in calls(case, dtype):
        run = Straight(kernel_of(fun, arrays)).run
        for _ in range(2):  # the second time in memory that the first one has left
            (found,) = run(*arrays)
            same(found, fun(*arrays))


@needs_numba
@pytest.mark.usefixtures("small")
def test_operands_lie_in_memory_as_they_like():
    for case in ("many images", "one side and stride"):
        for fun, (first, second) in calls(case, np.float64):
            run = Straight(kernel_of(fun, (first, second))).run
            turned = np.asfortranarray(first)
            apart = np.repeat(second, 2, axis=-1)[..., ::2]
            assert not turned.flags.c_contiguous
            assert not apart.flags.c_contiguous
            wanted = fun(first, second)
            same(run(turned, apart)[0], wanted)
            same(run(first[::-1], second)[0], fun(first[::-1], second))


@needs_numba
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("case", ["many images", "one side and stride"])
def test_threads_change_no_bit(case):
    before = autodiff.get_num_threads()
    try:
        for fun, arrays in calls(case, np.float64):
            found = []
            for number in (1, 2, 2):
                autodiff.set_num_threads(number)
                (value,) = Straight(kernel_of(fun, arrays)).run(*arrays)
                found.append(value.tobytes())
            assert len(set(found)) == 1
    finally:
        autodiff.set_num_threads(before)


@needs_numba
@pytest.mark.usefixtures("small")
def test_results_are_memory_of_their_own():
    for fun, arrays in calls("padded", np.float32):
        run = Straight(kernel_of(fun, arrays)).run
        (first,) = run(*arrays)
        kept = first.copy()
        (second,) = run(arrays[0] * 2, arrays[1])
        assert not np.shares_memory(first, second)
        np.testing.assert_array_equal(first, kept)


@needs_numba
@pytest.mark.usefixtures("small")
def test_wrong_operands_are_refused():
    (fun, arrays), *_ = calls("padded", np.float32)
    (equation,) = make_tape(fun)(*arrays).equations
    replaced = convolution_kernel(equation, [spec_of(array) for array in arrays])
    call = convolution_call(tape=dict(replaced.params)["tape"]).call
    with pytest.raises(
        ValueError, match=r"^an array has the shape \(2,\) where the program was recorded for \(5, 4, 3, 3\): "
    ):
        call(arrays[0], np.ones(2)[::-1])


def kinds(case):
    found = []
    for fun, arrays in calls(case, np.float32):
        found.append(convolution_of(dict(kernel_of(fun, arrays).equations[0].params)["tape"]).kind)
    return found


@pytest.mark.usefixtures("small")
def test_gradients_by_images_are_convolutions_where_they_can_be():
    assert kinds("padded") == ["forward", "turned", "to_kernel"]
    assert kinds("stride") == ["forward", "to_input", "to_kernel"]
    assert kinds("wide padding") == ["forward", "to_input", "to_kernel"]


def test_images_are_copied_only_where_something_is_padded_or_moved():
    tapes = {case: make_tape(fun)(*arrays) for case in CASES for fun, arrays in [next(iter(calls(case, np.float32)))]}
    texts = {case: convolution_of(tape).text for case, tape in tapes.items()}
    assert "pointer(block, 3)" in texts["padded"]
    assert "pointer(block, 3)" not in texts["whole image"]
    assert "columns" in texts["whole image"]
    assert "columns" not in texts["one pixel"]


def reason(fun, *arrays):
    (equation,) = make_tape(fun)(*arrays).equations
    return unsupported(equation, [spec_of(array) for array in arrays])


def test_reasons_against_a_kernel():
    x, w = np.ones((4, 8, 20, 20)), np.ones((8, 8, 3, 3))
    assert reason(convolve_nd, x, w) == ""
    assert reason(np.sin, x) == "it is no convolution"
    assert reason(convolve_nd, x[:, :, :3, :3], w) == "it is as small as 2304 multiplications"
    assert reason(convolve_nd, x, w.astype(np.float32)) == "its operands are not both float32 or both float64 arrays"
    assert reason(convolve_nd, x[..., None], w[..., None]) == "it has 3 spatial axes"
    assert reason(convolve_nd, x, np.ones((8, 8, 18, 20))) == "an image of its result has 3 pixels"


def test_sums_of_large_kernels_are_not_made_in_parts():
    geometry = geometry_of(2, 1, 1, 1, 1)
    fun, arrays = (lambda x, g: convolve_to_kernel(x, g, kernel=(3, 3), geometry=geometry)), [np.ones((1, 1, 4, 4))] * 2
    (equation,) = make_tape(fun)(*arrays).equations
    large = spec((2048, 2048, 3, 3), np.float64)
    images = spec((4, 2048, 9, 9), np.float64)
    found = unsupported(replace(equation, specs=(large,), operands=(0, 1)), [images, images])
    assert found == "kernels of 301989888 bytes are too large to be summed in parts"


@needs_numba
def test_programs_run_convolutions_as_kernels():
    x, w = RNG.normal(size=(4, 3, 12, 12)), RNG.normal(size=(8, 3, 3, 3))

    def loss(w, x):
        return np.sum(np.tanh(convolve_nd(x, w, padding=1)) ** 2)

    step = autodiff.jit(autodiff.grad(loss))
    np.testing.assert_allclose(step(w, x), autodiff.grad(loss)(w, x), rtol=1e-10, atol=1e-10)
    assert str(step.kernels(w, x)).count("multiply_matrices_float64") == 2
