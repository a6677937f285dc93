"""Programs of many kinds as kernels of grids, in three orders of threads and blocks, against NumPy in float64."""

import numpy as np
import pytest

from autodiff import grad, make_tape, value_and_grad
from autodiff.backends.cupy.kernels.call import kernel_of
from autodiff.backends.cupy.kernels.kernel import DeviceKernel, Launch
from autodiff.backends.cupy.schedule import schedule_for_gpu
from autodiff.trace.spec import spec
from tests.backends.cupy.hosting import ORDERS, unavailable
from tests.backends.cupy.nvrtc import checked, missing, needs_nvrtc
from tests.backends.cupy.running import Programs

RNG = np.random.default_rng(5)
F = np.float32


def array(*shape, dtype=F):
    return RNG.uniform(0.1, 1.5, shape).astype(dtype)


def softmax(x):
    grown = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return grown / np.sum(grown, axis=-1, keepdims=True)


def layer_norm(x, scale, shift):
    centred = x - np.mean(x, axis=-1, keepdims=True)
    return centred / np.sqrt(np.mean(centred**2, axis=-1, keepdims=True) + 1e-5) * scale + shift


def layer_norm_gradient(x, scale, shift, g):
    return grad(lambda *args: np.sum(layer_norm(*args) * g), argnums=(0, 1, 2))(x, scale, shift)


def cross_entropy(scores, labels):
    shifted = scores - np.max(scores, axis=-1, keepdims=True)
    logs = shifted - np.log(np.sum(np.exp(shifted), axis=-1, keepdims=True))
    return -np.mean(np.take_along_axis(logs, labels[:, None], 1))


def batch_norm(x, scale, shift):
    centred = x - np.mean(x, axis=(0, 2, 3), keepdims=True)
    variance = np.mean(centred**2, axis=(0, 2, 3), keepdims=True)
    return np.sum(np.tanh(centred / np.sqrt(variance + 1e-5) * scale + shift) ** 2)


def adam(w, g, m, v, rate):
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return w - rate * (m / 0.1) / (np.sqrt(v / 0.001) + 1e-8), m, v


def reductions(x):
    return (
        np.max(x, axis=-1), np.min(x, axis=-1), np.prod(x, axis=-1), np.any(x > 1.4, axis=-1),
        np.all(x > 0.2, axis=-1), np.sum(x > 0.5, axis=-1), np.max(x), np.min(x), np.any(x > 1.4), np.all(x > 0.2),
        np.sum(x), np.sum(x > 0.5), np.sum(x, axis=0),
    )  # fmt: skip


def integers(i, u, b):
    return i * i - u, np.maximum(i, u), np.where(b, i, u), np.sum(i * u), i / u, (i > u) & b, u + u


labels = RNG.integers(0, 33, 50)
labels[:3] = -33, -1, 32
transposed = array(20, 30, 2)

PROGRAMS = {
    "elements":            (lambda x, y: (np.tanh(x) * y, np.sum(x * y)), array(1001), array(1001)),
    "float64":             (lambda x, y: (np.exp(x) * y, np.sum(x / y)), array(3000, dtype=float), array(3000, dtype=float)),
    "single number":       (lambda x, y: (x * y + 1) / np.sqrt(y), array(), array()),
    "middle axes":         (lambda x, m, b: x * m + b, array(5, 4, 3), array(4, 1), array(3)),
    "columns":             (lambda x, b: (x * np.exp(b), np.sum(x * b, axis=-1), b * 2), array(50, 33), array(33)),
    "views":               (lambda x, y: np.tanh(x.T) * y, array(30, 20), array(20, 30)),
    "slices":              (lambda x: np.exp(x[::2, 1:-1]) * x[1::2, 2:], array(30, 20)),
    "softmax, 3":          (softmax, array(7, 3, dtype=float)),
    "softmax, 10":         (softmax, array(1000, 10)),
    "softmax, 1000":       (softmax, array(6, 1000)),
    "softmax, 1002":       (softmax, array(6, 1002)),
    "softmax, 40001":      (softmax, array(3, 40001)),
    "few long rows":       (lambda x, y: (np.sum(x * y, axis=1), np.max(x, axis=1), x - y), array(3, 70000), array(3, 70000)),
    "softmax, long":       (softmax, array(200_001)),
    "layer norm":          (layer_norm_gradient, array(64, 100), array(100), array(100), array(64, 100)),
    "layer norm, 3 axes":  (layer_norm_gradient, array(6, 10, 102), array(102), array(102), array(6, 10, 102)),
    "cross-entropy":       (value_and_grad(cross_entropy), array(50, 33), labels),
    "batch norm":          (grad(batch_norm, argnums=(0, 1, 2)), array(4, 6, 5, 7), array(6, 1, 1), array(6, 1, 1)),
    "adam":                (adam, *(array(1001) for _ in range(4)), array()),
    "reductions":          (reductions, array(50, 33)),
    "sums of columns":     (lambda x, y: (np.sum(x * y, axis=0), np.sum(x)), array(300, 700), array(300, 700)),
    "sums of few columns": (lambda x: np.sum(x * x, axis=0), array(3000, 3)),
    "sums of both":        (lambda x, y: (np.sum(x * y, axis=0), np.sum(x * y, axis=1)), array(30, 40000), array(30, 40000)),
    "layer norm, float64": (layer_norm_gradient, *(array(*shape, dtype=float) for shape in ((40, 1000), (1000,), (1000,), (40, 1000)))),
    "counts of columns":   (lambda x: (np.sum(x, axis=0), np.sum(x, axis=1), np.sum(x)), array(40, 300) > 1),
    "integers":            (integers, RNG.integers(1, 99, (20, 3)), RNG.integers(1, 200, (20, 3)).astype(np.uint8), array(20, 3) > 1),
}  # fmt: skip

WHOLE = {
    "elements", "float64", "single number", "middle axes", "views", "softmax, 3", "softmax, 1000", "layer norm",
    "layer norm, 3 axes", "adam", "sums of columns", "integers",
}  # fmt: skip
"""Programs that are one kernel."""


@pytest.fixture(scope="module")
def programs():
    if reason := unavailable():
        pytest.skip(reason)
    return Programs(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(programs, name):
    fun, *args = PROGRAMS[name]
    wide = [x.astype(np.float64) if x.dtype.kind == "f" else x for x in args]
    expected = fun(*wide)
    expected = expected if isinstance(expected, tuple) else (expected,)
    expected = [part for one in expected for part in (one if isinstance(one, tuple) else (one,))]
    for order in ORDERS:
        found = programs.run(name, *args, order=order)
        assert len(found) == len(expected)
        for one, other in zip(found, expected):
            assert one.shape == np.shape(other)
            if one.dtype.kind == "f":
                step = 1e-6 if one.dtype == np.float32 else 1e-14
                size = np.max(np.abs(other), initial=1e-3)
                np.testing.assert_allclose(one, other, rtol=20 * step, atol=4 * step * size)
            else:
                np.testing.assert_array_equal(one, other)


def test_orders_of_threads_and_blocks_give_the_same_bits(programs):
    for name, (_, *args) in PROGRAMS.items():
        found = [[one.tobytes() for one in programs.run(name, *args, order=order)] for order in ORDERS]
        assert found[0] == found[1] == found[2], name


@pytest.mark.parametrize("name", sorted(WHOLE))
def test_one_kernel(programs, name):
    assert programs.names(name) == ["device_kernel"]


def test_kernels_compile_without_spills(programs):
    if reason := missing():
        pytest.skip(reason)
    checked(programs.module.source)


@needs_nvrtc
@pytest.mark.parametrize("classes", [20_000, 30_522, 32_000])
def test_cross_entropy_of_many_classes_keeps_to_its_registers(classes):
    def loss(x, labels):
        shifted = x - np.max(x, axis=1, keepdims=True)
        logs = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
        return -np.mean(logs[np.arange(x.shape[0]), labels])

    given = value_and_grad(loss), spec((4096, classes), np.float32), spec((4096,), np.int64)
    program = Programs({"loss": given})
    assert program.names("loss") == ["device_kernel"]
    checked(program.module.source)


def test_sums_over_more_columns_than_y_counts_blocks():
    tape = make_tape(lambda x: np.sum(x, axis=0))(spec((2, 8_400_000), np.float32))
    (equation,) = schedule_for_gpu(tape).equations
    kernel = kernel_of(**dict(equation.params))
    assert kernel.launches[0].blocks == (65_625, 1)


def test_a_launch_that_no_device_takes_is_refused():
    with pytest.raises(ValueError, match="no device launches"):
        DeviceKernel((), (), (Launch("f", (1, 65_536), 32),), ())
