"""The contract, 1.13 and 1.14: configuration and hooks."""

import io
import threading

import numpy as np
import pytest

import autodiff.chainer as chainer
import autodiff.chainer.functions as F
from autodiff.chainer import FunctionHook, FunctionNode, Variable
from autodiff.chainer.configuration import GlobalConfig, LocalConfig


def variable(*values, **keywords):
    return Variable(np.array(values, np.float32), **keywords)


def in_another_thread(function):
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


def test_contract_113_the_local_view():
    outer = GlobalConfig()
    inner = LocalConfig(outer)
    outer.entry = 1
    assert inner.entry == 1
    inner.entry = 2
    assert (outer.entry, inner.entry) == (1, 2)
    assert in_another_thread(lambda: inner.entry) == 1
    outer.entry = 3
    del inner.entry
    assert inner.entry == 3
    with pytest.raises(AttributeError):
        inner.unknown
    inner.new = 5
    assert inner.new == 5
    assert not hasattr(outer, "new")


def test_contract_114_names():
    names = (
        "autotune cudnn_deterministic cudnn_fast_batch_normalization debug dtype enable_backprop in_recomputing "
        "keep_graph_on_report lazy_grad_sum schedule_func train type_check use_cudnn use_cudnn_tensor_core use_ideep "
        "use_static_graph warn_nondeterministic compute_mode"
    )
    assert all(hasattr(chainer.config, name) for name in names.split())
    assert chainer.config.train
    assert chainer.config.dtype == np.float32


def test_contract_115_using_config():
    chainer.config.entry = "outer"
    using = chainer.using_config("entry", "inner")
    for _ in range(2):
        with using:
            assert chainer.config.entry == "inner"
        assert chainer.config.entry == "outer"
    with pytest.raises(KeyError), using:
        raise KeyError
    assert chainer.config.entry == "outer"
    del chainer.config.entry
    with chainer.using_config("entry", "inner"):
        assert in_another_thread(lambda: hasattr(chainer.config, "entry")) is False
    assert not hasattr(chainer.config, "entry")


def test_contract_116_show():
    outer = GlobalConfig()
    inner = LocalConfig(outer)
    outer.first, outer.the_second, inner.third = 1, "two", 3
    file = io.StringIO()
    inner.show(file=file)
    assert file.getvalue() == "first      1\nthe_second two\nthird      3\n"
    file = io.StringIO()
    outer.show(file=file)
    assert file.getvalue() == "first      1\nthe_second two\n"


def test_contract_117_modes():
    x = variable(1)
    with chainer.no_backprop_mode():
        assert (x * 2).creator is None
        with chainer.force_backprop_mode():
            assert (x * 2).creator is not None
            with chainer.no_backprop_mode():
                assert F.softmax(x.reshape(1, 1)).creator is None
        assert (x * 2).creator is None
        assert in_another_thread(lambda: (x * 2).creator is not None)
    assert (x * 2).creator is not None


def test_contract_118_debug_mode():
    assert not chainer.is_debug()
    chainer.set_debug(True)
    try:
        assert chainer.is_debug()
        with (
            np.errstate(all="ignore"),
            pytest.raises(RuntimeError, match="NaN is detected on forward computation of _ / _"),
        ):
            variable(0) / variable(0)
        with pytest.raises(RuntimeError, match="NaN is detected on forward computation of Softmax"):
            F.softmax(Variable(np.full((1, 2), np.nan, np.float32)))
        with np.errstate(all="ignore"):
            assert np.isinf((variable(1) / variable(0)).array)
        x = variable(0)
        y = F.sqrt(x) * 0
        y.grad = np.ones(1, np.float32)
        with (
            np.errstate(all="ignore"),
            pytest.raises(RuntimeError, match=r"NaN is detected on (forward|backward) computation"),
        ):
            y.backward()
    finally:
        chainer.set_debug(False)
    with pytest.warns(DeprecationWarning), chainer.DebugMode(True):
        assert chainer.is_debug()
    assert not chainer.is_debug()


def test_contract_119_get_dtype():
    assert chainer.get_dtype() == np.float32
    assert chainer.get_dtype(np.float64) == np.float64
    assert chainer.get_dtype(chainer.mixed16) == np.float16
    assert chainer.get_dtype(chainer.mixed16, map_mixed16=np.float32) == np.float32
    with chainer.using_config("dtype", np.dtype(np.float16)):
        assert chainer.get_dtype() == np.float16
        assert chainer.Parameter(1, (2,)).dtype == np.float16
    with chainer.using_config("dtype", chainer.mixed16):
        assert chainer.get_dtype() == np.float16
        assert chainer.get_dtype(map_mixed16=np.float32) == np.float32


class Double(FunctionNode):
    def forward(self, inputs):
        return (inputs[0] * 2,)

    def backward(self, indexes, grad_outputs):
        return (grad_outputs[0] + grad_outputs[0],)


class Log(FunctionHook):
    name = "Log"

    def __init__(self):
        self.lines = []

    def added(self, function):
        self.lines.append(("added", function))

    def deleted(self, function):
        self.lines.append(("deleted", function))

    def forward_preprocess(self, function, in_data):
        self.lines.append(("before forward", function.label, len(in_data)))

    def forward_postprocess(self, function, in_data):
        self.lines.append(("after forward", function.label, len(in_data)))

    def backward_preprocess(self, function, in_data, out_grad):
        self.lines.append(("before backward", function.label, in_data, [g.tolist() for g in out_grad]))

    def backward_postprocess(self, function, in_data, out_grad):
        self.lines.append(("after backward", function.label))


def test_contract_121_hooks():
    assert len(chainer.get_function_hooks()) == 0
    log = Log()
    with log:
        assert list(chainer.get_function_hooks()) == ["Log"]
        assert in_another_thread(lambda: len(chainer.get_function_hooks())) == 0
        with pytest.raises(KeyError), Log():
            pass
    assert log.lines == [("added", None), ("deleted", None)]
    assert len(chainer.get_function_hooks()) == 0


def test_contract_121_local_hooks():
    f, log = Double(), Log()
    with pytest.raises(TypeError):
        f.add_hook("no hook")
    f.add_hook(log)
    with pytest.raises(KeyError):
        f.add_hook(Log())
    f.add_hook(Log(), name="another")
    assert list(f.local_function_hooks) == ["Log", "another"]
    f.delete_hook("another")
    (y,) = f.apply((variable(1),))
    y.grad = np.ones(1, np.float32)
    y.backward()
    f.delete_hook("Log")
    names = [line[0] for line in log.lines]
    assert names == ["added", "before forward", "after forward", "before backward", "after backward", "deleted"]
    assert log.lines[0] == ("added", f)
    with pytest.raises(KeyError):
        f.delete_hook("Log")


def test_contract_122_callbacks():
    log = Log()
    x = variable(3)
    with log:
        (y,) = Double().apply((x,))
        y.grad = np.array([5], np.float32)
        y.backward()
        chainer.grad([y], [x])
    lines = [line for line in log.lines if line[1] == "Double"]
    assert lines == [
        ("before forward", "Double", 1),
        ("after forward", "Double", 1),
        ("before backward", "Double", (None,), [[5]]),
        ("after backward", "Double"),
        ("before backward", "Double", (None,), [[1]]),
        ("after backward", "Double"),
    ]
    assert ("before forward", "_ + _", 2) in log.lines  # the formula in backward is made of functions too


def test_contract_122_callbacks_of_built_in_functions():
    log = Log()
    x = variable(1, 2)
    with log:
        y = F.concat([x, x * 2], axis=0)
        y.grad = np.ones(4, np.float32)
        y.backward()
    assert [line[:2] for line in log.lines if line[0] == "before forward"][:2] == [
        ("before forward", "_ * 2"),
        ("before forward", "Concat"),
    ]
    assert [line[1] for line in log.lines if line[0] == "before backward"] == ["Concat", "_ * 2"]


def test_entries_are_listed():
    assert {"train", "dtype", "enable_backprop"} <= set(dir(chainer.global_config))
    chainer.global_config.entry_of_this_test = 1
    assert "entry_of_this_test" in dir(chainer.global_config)
    del chainer.global_config.entry_of_this_test
    assert "entry_of_this_test" not in dir(chainer.global_config)
