"""Backward passes of Variables on GPUs, with a stand-in for CuPy that has two."""

import re

import numpy as np
import pytest

import autodiff.chainer as chainer
from autodiff.chainer import FunctionNode, Variable
from autodiff.chainer import functions as F
from autodiff.chainer.backends import cuda
from autodiff.chainer.optimizers import SGD
from tests.chainer.gpu.user_kernels import NEEDS_COMPILER, kernels

__all__ = ["kernels"]


@pytest.fixture
def x(cupy):
    """A Variable on the second GPU, while the first one is current."""
    return Variable(sent([1.0, 2.0, 3.0]))


def sent(values, device=1, dtype=np.float32):
    return chainer.get_device(device).send(np.asarray(values, dtype))


def there(array, expected, device=1):
    assert array.device.id == device
    np.testing.assert_allclose(array.get(), expected, rtol=1e-6)


def test_seeds(x):
    y = F.sum(x * x)
    y.backward()
    there(x.grad, [2, 4, 6])
    z = x * x
    z.grad = sent([1, 10, 100])
    x.cleargrad()
    z.backward()
    there(x.grad, [2, 40, 600])
    assert z.grad is None


def test_a_seed_on_the_host_is_refused(x):
    y = x * x
    with pytest.raises(TypeError) as error:
        y.grad = np.ones(3, np.float32)
    assert re.sub(r"test_backward\.py:\d+", "LINE", str(error.value)) == (
        "the gradient is on @numpy but the Variable on @cupy:1 (LINE); bring it there: "
        "chainer.get_device('@cupy:1').send(grad)"
    )


def test_gradients_are_accumulated(x):
    for k in range(1, 4):
        F.sum(x * x * x).backward()
        there(x.grad, 3 * k * np.array([1.0, 4.0, 9.0]))


def test_gradients_share_no_memory(x):
    y = Variable(sent([1.0, 1.0, 1.0]))
    z = x + y
    z.grad = seed = sent([1.0, 2.0, 3.0])
    z.backward()
    assert len({id(x.grad), id(y.grad), id(seed)}) == 3
    with chainer.using_device(1):
        x.grad += 1
    there(y.grad, [1, 2, 3])
    there(seed, [1, 2, 3])


def test_retained_gradients(x):
    y = x * 2
    z = F.sum(y * y)
    z.backward(retain_grad=True)
    there(y.grad, [4, 8, 12])
    there(z.grad, 1.0)


@pytest.mark.parametrize("times", [2, 3])
def test_double_backprop(x, times):
    y = F.sum(x**4)
    for k in range(times):
        (g,) = chainer.grad([y], [x], enable_double_backprop=True)
        there(g.array, [[4, 32, 108], [12, 48, 108], [24, 48, 72]][k])
        y = F.sum(g)
    x.cleargrad()
    F.sum(x**3).backward(enable_double_backprop=True)
    F.sum(x.grad_var**2).backward()
    there(x.grad, 3 * np.array([1, 4, 9]) + 36 * np.array([1, 8, 27.0]))


def test_grad(x):
    y = x * x
    grads = chainer.grad([y], [x], grad_outputs=[Variable(sent([1, 2, 3]))], grad_inputs=[Variable(sent([1, 1, 1]))])
    there(grads[0].array, [3, 9, 19])
    assert x.grad is None
    chainer.grad([y], [x], set_grad=True, loss_scale=2.0)
    there(x.grad, [4, 8, 12])
    y.grad = sent([1, 1, 1])
    chainer.backward([y])
    there(x.grad, [6, 12, 18])


def test_between_two_gpus_and_the_host(x):
    near = F.copy(x, 0)
    both = near * 3 + F.copy(x * x, 0) + near
    assert both.device == chainer.get_device(0)
    home = F.copy(both, -1)
    assert home.device == chainer.get_device("@numpy")
    total = F.sum(home * home)
    np.testing.assert_allclose(total.item(), sum((4 * v + v * v) ** 2 for v in (1, 2, 3)))
    total.backward()
    there(x.grad, [2 * (4 * v + v * v) * (4 + 2 * v) for v in (1, 2, 3)])
    assert cuda.Device().id == 0
    (g,) = chainer.grad([F.sum(F.copy(x, 0) ** 3)], [x], enable_double_backprop=True)
    there(chainer.grad([F.sum(g)], [x])[0].array, [6, 12, 18])


def test_debug_mode_finds_nan(x):
    with chainer.using_config("debug", True), pytest.raises(RuntimeError, match=r"^NaN is detected on forward"):
        F.log(x - 4)
    with chainer.using_config("debug", True):
        F.sum(x * 2).backward()
    there(x.grad, [2, 2, 2])


class Cube(FunctionNode):
    def forward_cpu(self, inputs):
        self.retain_inputs((0,))
        return (inputs[0] ** 3,)

    def forward_gpu(self, inputs):
        assert cuda.Device().id == 1
        self.retain_inputs((0,))
        return (cuda.elementwise("T x", "T y", "y = x * x * x", "cube_forward")(inputs[0]),)

    def backward(self, indexes, grad_outputs):
        (x,) = self.get_retained_inputs()
        return CubeGradient().apply((x, grad_outputs[0]))


class CubeGradient(FunctionNode):
    def forward_gpu(self, inputs):
        self.retain_inputs((0, 1))
        kernel = cuda.elementwise("T x, T gy", "T gx", "T square = x * x; gx = 3 * square * gy", "cube_backward")
        return (kernel(*inputs),)

    def backward(self, indexes, grad_outputs):
        x, gy = self.get_retained_inputs()
        (g,) = grad_outputs
        return 6 * x * gy * g, 3 * x * x * g


@NEEDS_COMPILER
def test_functions_with_kernels_of_their_own(kernels, x):
    (y,) = Cube().apply((x,))
    there(y.array, [1, 8, 27])
    y.grad = sent([1, 1, 1])
    y.backward(enable_double_backprop=True)
    there(x.grad, [3, 12, 27])
    gx = x.grad_var
    x.cleargrad()
    gx.grad = sent([1, 1, 1])
    gx.backward()
    there(x.grad, [6, 12, 18])


class OldCube(chainer.Function):
    def forward_gpu(self, inputs):
        return (cuda.elementwise("T x", "T y", "y = x * x * x", "cube_forward")(*inputs),)

    def backward_gpu(self, inputs, grad_outputs):
        return (cuda.elementwise("T x, T gy", "T gx", "gx = 3 * x * x * gy", "old_backward")(*inputs, *grad_outputs),)


@NEEDS_COMPILER
def test_functions_of_the_old_style(kernels, x):
    y = OldCube()(x)
    F.sum(y).backward()
    there(x.grad, [3, 12, 27])


class Watching(chainer.FunctionHook):
    name = "Watching"

    def __init__(self):
        self.seen = []

    def note(self, when, function, arrays):
        self.seen.append((when, function.label, {array.device.id for array in arrays if array is not None}))

    def forward_preprocess(self, function, in_data):
        self.note("forward", function, in_data)

    def backward_preprocess(self, function, in_data, out_grad):
        self.note("backward", function, (*in_data, *out_grad))


def test_hooks(x):
    with Watching() as hook:
        F.sum(F.tanh(x) * x).backward()
    assert hook.seen == [
        ("forward", "Tanh", {1}), ("forward", "_ * _", {1}), ("forward", "Sum", {1}),
        ("backward", "Sum", {1}), ("backward", "_ * _", {1}), ("backward", "Tanh", {1}),
    ]  # fmt: skip


def half_precision(scale):
    """A float16 model whose gradients are too small for float16, and its optimizer."""
    link = chainer.Link()
    with link.init_scope():
        link.w = chainer.Parameter(np.array([0.5, -0.25], np.float16))
    link.to_device(1)
    optimizer = SGD(lr=2.0**20).setup(link)
    optimizer.use_fp32_update()
    if scale:
        optimizer.loss_scaling(scale=scale)
    return link, optimizer


@pytest.mark.parametrize(("scale", "moved"), [(None, 0.0), (2.0**14, 2.0**20 * 2.0**-26)])
def test_loss_scale(cupy, scale, moved):
    link, optimizer = half_precision(scale)
    small = sent([2.0**-14] * 2, dtype=np.float16)
    optimizer.update(lambda: F.sum(link.w * small) * np.float16(2.0**-12))
    there(link.w.array, np.array([0.5, -0.25]) - moved)
    assert link.w.dtype == np.float16


def test_a_dynamic_scale_skips_updates_that_overflow(cupy):
    link, optimizer = half_precision(None)
    optimizer.lr = 0.125
    optimizer.loss_scaling()
    optimizer.set_loss_scale(2.0**15)
    with pytest.warns(
        UserWarning, match=r"^Non finite number found in param.grad of /w \(iteration: 0, loss_scale: 32768"
    ):
        optimizer.update(lambda: F.sum(link.w * np.float16(4.0)))
    there(link.w.array, [0.5, -0.25])
    assert optimizer._loss_scale == 2.0**14
    optimizer.set_loss_scale(2.0**10)
    optimizer.update(lambda: F.sum(link.w * np.float16(4.0)))
    there(link.w.array, [0.0, -0.75])
