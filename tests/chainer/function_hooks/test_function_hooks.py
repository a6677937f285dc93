"""Hooks that watch functions."""

from __future__ import annotations

import gc
import io

import numpy as np
import pytest

import autodiff.chainer as chainer
import autodiff.chainer.functions as F
from autodiff.backends import gpu
from autodiff.chainer.function_hooks import CUDAProfileHook, CupyMemoryProfileHook, PrintHook, TimerHook
from autodiff.chainer.function_hooks.cupy_memory_profile import in_unit, suited
from autodiff.chainer.functions.activation.leaky_relu import LeakyReLU
from autodiff.facade import Variable
from autodiff.facade.functions.function_node import FunctionNode
from autodiff.facade.graph.observing import FunctionHook, watched_alone
from autodiff.facade.settings.mode import no_backprop_mode


class Double(FunctionNode):
    def forward(self, inputs):
        return (inputs[0] * 2,)

    def backward(self, indexes, grad_outputs):
        return (grad_outputs[0] * 2,)


def loss(x):
    return F.sum(Double().apply((F.exp(x),))[0])


def test_times_of_both_passes_by_name():
    hook = TimerHook()
    with hook:
        loss(Variable(np.ones((2, 3)))).backward()
    assert [name for name, _ in hook.call_history] == ["Exp", "Double", "Sum", "Sum", "MulConstant", "Double", "Exp"]
    times = [seconds for name, seconds in hook.call_history if name != "MulConstant"]  # which Double contains
    assert hook.total_time() == pytest.approx(sum(times))
    summary = hook.summary()
    assert list(summary) == ["Exp", "Double", "Sum", "MulConstant"]
    assert summary["Exp"]["occurrence"] == 2


@pytest.mark.parametrize(
    ("unit", "times"),
    [
        ("auto", ("0.00sec", "2.50sec")),
        ("auto_foreach", ("1.23ms", "2.50sec")),
        ("ns", ("1230000.00ns", "2500000000.00ns")),
    ],
)
def test_the_report_of_times(unit, times):
    hook = TimerHook()
    hook.call_history = [("Exp", 0.00123), ("Sum", 2.5)]
    file = io.StringIO()
    hook.print_report(unit, file)
    rows = [line.split() for line in file.getvalue().splitlines()]
    assert rows == [["FunctionName", "ElapsedTime", "Occurrence"], ["Exp", times[0], "1"], ["Sum", times[1], "1"]]
    assert len({len(line) for line in file.getvalue().splitlines()}) == 1


def test_an_unknown_unit_is_refused():
    hook = TimerHook()
    hook.call_history = [("Exp", 1.0)]
    with pytest.raises(ValueError, match="there is no unit 'hours'"):
        hook.print_report("hours", io.StringIO())


def test_the_report_goes_to_standard_output(capsys):
    TimerHook().print_report()
    assert capsys.readouterr().out == "FunctionName  ElapsedTime  Occurrence\n"


def test_inputs_and_gradients_are_printed():
    file = io.StringIO()
    y = F.exp(Variable(np.zeros((2, 3), np.float32)))
    with PrintHook(file=file):
        z = F.sum(y)
        z.backward()
    lines = file.getvalue().splitlines()
    assert lines[:2] == ["function\tSum", "input data"]
    assert lines[2].startswith("<variable at 0x")
    assert lines[3:9] == [
        "- device: CPU",
        "- backend: <class 'numpy.ndarray'>",
        "- shape: (2, 3)",
        "- dtype: float32",
        "- statistics: mean=1.00000000, std=0.00000000",
        "- grad: None",
    ]
    backward = lines[lines.index("output gradient") :]
    assert backward[6:8] == [
        "- statistics: mean=0.00000000, std=0.00000000",
        "- grad: mean=1.00000000, std=0.00000000",
    ]


def test_how_lines_end_can_be_said():
    file = io.StringIO()
    with PrintHook(sep="|", end="E\n", file=file, flush=False):
        F.exp(Variable(np.zeros(2)))
    assert all(text.endswith("E") for text in file.getvalue().splitlines()[:2])


@pytest.mark.skipif(gpu.found()[0] is not None, reason="CuPy is there")
@pytest.mark.parametrize("hook", [CUDAProfileHook, CupyMemoryProfileHook])
def test_without_cupy_gpu_hooks_say_so(hook):
    with pytest.raises(RuntimeError, match="CUDA is not correctly set up"):
        hook()


def test_units_of_memory():
    assert [suited(size) for size in (0, 1023, 1024, 3 * 1024**3)] == ["B", "B", "KB", "GB"]
    assert in_unit(1536, "KB") == "1.50KB"
    with pytest.raises(ValueError, match="there is no unit 'bits'"):
        in_unit(1, "bits")


def test_hooks_see_what_functions_were_given():
    """As counters of operations do, with a graph and without one."""

    class Steps(FunctionHook):
        def __init__(self):
            self.seen = []

        def forward_postprocess(self, function, in_data):
            self.seen.append((function.label, function.sy, function.pw))

    hook, x = Steps(), np.ones((1, 1, 4, 4), np.float32)
    with hook:
        F.average_pooling_2d(Variable(x), 2, 1, (0, 1))
        with no_backprop_mode():
            F.convolution_2d(Variable(x), x[:, :, :2, :2], stride=2, pad=1)
    assert hook.seen == [("AveragePooling2D", 1, 1), ("Convolution2DFunction", 2, 1)]


def test_hooks_of_one_function():
    """Of an object that is to be applied, and of the creator of a Variable, forwards and backwards."""

    class Steps(FunctionHook):
        def __init__(self):
            self.seen = []

        def forward_preprocess(self, function, in_data):
            self.seen.append(f"forward {function.label}")

        def backward_postprocess(self, function, in_data, out_grad):
            self.seen.append(f"backward {function.label} {[g.shape for g in out_grad]}")

    x = Variable(np.ones(3, np.float32))
    hook, function = Steps(), LeakyReLU(0.1)
    function.add_hook(hook)
    F.sum(2 * function.apply((x,))[0]).backward()
    assert hook.seen == ["forward LeakyReLU", "backward LeakyReLU [(3,)]"]

    hook, y = Steps(), F.exp(x)
    y.creator.add_hook(hook)
    F.sum(y * F.exp(x)).backward()
    chainer.grad([y], [x])
    assert hook.seen == ["backward exp [(3,)]"] * 2
    y.creator.delete_hook(hook.name)
    y.grad = np.ones(3, np.float32)
    y.backward()
    assert hook.seen == ["backward exp [(3,)]"] * 2
    y.creator.add_hook(hook)
    assert watched_alone
    del y
    gc.collect()
    assert not watched_alone
