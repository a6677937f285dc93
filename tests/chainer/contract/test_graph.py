"""The contract, 1.5 and 1.6: how the graph is built, and ``backward``. Tests are named by the numbers of its items."""

import gc
import weakref

import numpy as np
import pytest

import autodiff.chainer as chainer
import autodiff.chainer.functions as F
from autodiff.chainer import Function, FunctionNode, Variable


def variable(*values, dtype=np.float32, **keywords):
    return Variable(np.array(values, dtype), **keywords)


def scalar(value, **keywords):
    return Variable(np.array(value, np.float32), **keywords)


class Recorder(FunctionNode):
    """One or more outputs, each a multiple of the sum of the inputs; remembers how backward was called."""

    def __init__(self, outputs=1):
        self.count = outputs
        self.calls = []

    def forward(self, inputs):
        total = inputs[0].copy()
        for array in inputs[1:]:
            total += array
        return tuple(total * (k + 1) for k in range(self.count))

    def backward(self, indexes, grad_outputs):
        self.calls.append((indexes, grad_outputs))
        total = None
        for k, g in enumerate(grad_outputs):
            if g is not None:
                part = g * (k + 1)
                total = part if total is None else total + part
        return (total,) * len(indexes)


def test_contract_045_what_is_a_root():
    x = scalar(2)
    with chainer.no_backprop_mode():
        under_no_backprop = x * 2
    unchained = x * 2
    unchained.unchain()
    for root in (x, under_no_backprop, unchained):
        assert root.creator is None
    assert (x * 2).creator is not None


def test_contract_046_rank():
    x = scalar(3)
    y = x * x
    z = y + x
    w = z * y
    assert [v.rank for v in (x, y, z, w)] == [0, 1, 2, 3]
    assert w.creator_node.rank == 2
    assert z.creator_node.rank == 1


def test_contract_047_requires_grad_of_outputs():
    a, b = scalar(1), scalar(1, requires_grad=False)
    assert (a * b).requires_grad
    c = b * b
    assert not c.requires_grad
    assert c.creator is not None
    c.backward()
    assert b.grad is None


def test_contract_048_references():
    x = variable(1, 2)
    f = Recorder()
    (y,) = f.apply((x,))
    assert f.inputs == (x.node,)
    assert f.outputs[0]() is y.node
    gc.disable()
    try:
        node, function = weakref.ref(y.node), weakref.ref(y.creator_node)
        del y, f
        assert node() is None
        assert function() is None
        y = F.softmax(variable(1, 2).reshape(1, 2))
        node = weakref.ref(y.node)
        del y
        assert node() is None
    finally:
        gc.enable()


def test_contract_049_without_a_graph():
    x = variable(1, 2)
    f = Recorder()
    with chainer.using_config("enable_backprop", False):
        (y,) = f.apply((x,))
    assert y.creator is None
    assert y.rank == 0
    assert y.requires_grad
    assert (f.inputs, f.outputs) == (None, None)
    assert f.get_retained_inputs() == ()


def test_contract_051_the_initial_gradient():
    x = Variable(np.array([5], np.float32))
    y = x**2 - 2 * x + 1
    with pytest.warns(DeprecationWarning):
        y.backward()
    assert x.grad.tolist() == [8.0]
    x = scalar(3)
    y = x * 2
    y.backward(loss_scale=8)
    assert x.grad == 16


def test_contract_052_nothing_requires_a_gradient():
    y = variable(1, 2, requires_grad=False) * 2
    y.backward()
    assert y.grad is None


def test_contract_053_leaves_accumulate():
    x = scalar(3)
    y = x * 2
    y.backward()
    first = x.grad
    y.backward()
    assert first == 2
    assert x.grad == 4
    (x * x).backward()
    assert x.grad == 10


@pytest.mark.parametrize("retain", [False, True])
def test_contract_054_a_gradient_that_an_intermediate_has(retain):
    x = variable(1, 2)
    y = x * 2
    z = y * 3
    y.grad = np.array([7, 7], np.float32)
    z.grad = np.ones(2, np.float32)
    z.backward(retain_grad=retain)
    assert x.grad.tolist() == [6, 6]
    assert y.grad.tolist() == ([3, 3] if retain else [7, 7])


def test_contract_055_the_gradient_of_the_start():
    x = variable(1, 2)
    y = x * 2
    y.grad = np.ones(2, np.float32)
    y.backward()
    assert y.grad is None
    y.grad = np.ones(2, np.float32)
    g = y.grad_var
    y.backward(retain_grad=True)
    assert y.grad_var is g


def test_contract_056_gradients_of_intermediates():
    x = scalar(1)
    y = x * 2
    z = y * y
    z.backward()
    assert y.grad is None
    z.backward(retain_grad=True)
    assert y.grad == 4
    assert z.grad == 1


def test_contract_057_backward_on_a_leaf():
    x = scalar(3)
    x.backward()
    assert x.grad == 1
    x.grad = np.array(5, np.float32)
    x.backward()
    assert x.grad == 5


def test_contract_058_each_function_once_and_in_order():
    x = variable(1)
    f, g, h = Recorder(), Recorder(), Recorder()
    (a,) = f.apply((x,))
    (b,) = g.apply((a,))
    (c,) = h.apply((a, b))
    c.grad = np.ones(1, np.float32)
    c.backward()
    assert [len(each.calls) for each in (f, g, h)] == [1, 1, 1]
    assert x.grad.tolist() == [2]


def test_contract_059_only_what_is_required():
    a, b = variable(1), variable(1, requires_grad=False)
    f, g = Recorder(), Recorder()
    (constant,) = f.apply((b,))
    (y,) = g.apply((constant, a))
    y.grad = np.ones(1, np.float32)
    y.backward()
    assert f.calls == []
    assert g.calls[0][0] == (1,)
    assert b.grad is None


def test_contract_060_outputs_without_gradients_and_gradients_that_are_none():
    x = variable(1)
    f = Recorder(outputs=3)
    used, dropped, unchained = f.apply((x,))
    del dropped
    z = used * 2 + unchained
    unchained.unchain()
    z.grad = np.ones(1, np.float32)
    z.backward()
    ((_, grads),) = f.calls
    assert grads[0].array.tolist() == [2]
    assert grads[1:] == (None, None)
    assert x.grad.tolist() == [2]
    assert unchained.grad.tolist() == [1]

    class Stops(Recorder):
        def backward(self, indexes, grad_outputs):
            return (None,)

    x = variable(1)
    (y,) = Stops().apply((x * 2,))
    y.grad = np.ones(1, np.float32)
    y.backward()
    assert x.grad is None


@pytest.mark.parametrize("start", ["output", "graph", "double", "several"])
def test_contract_060_gradients_that_other_outputs_have(start):
    for function, wanted in ((lambda x: Recorder(2).apply((x,)), [15, 15]), (lambda x: F.split_axis(x, 2, 0), [1, 7])):
        x = variable(1, 1)
        first, second = function(x)
        given = second.grad = np.full_like(second.array, 7)
        y = first if start == "output" else F.sum(first)
        y.grad = np.ones_like(y.array)
        if start == "several":
            chainer.backward([y])
        else:
            y.backward(enable_double_backprop=start == "double")
        assert x.grad.tolist() == wanted
        assert second.grad is None
        assert not np.shares_memory(x.grad, given)
    x = variable(1, 1)
    first, second = Recorder(2).apply((x,))
    second.grad = np.full_like(second.array, 7)
    F.sum(first * second).backward()  # the graph has another gradient for it
    assert x.grad.tolist() == [4, 4]
    assert second.grad.tolist() == [7, 7]


def test_contract_061_several_uses_are_summed():
    x = variable(1, 2)
    y = x * 2
    z = y + y * y + F.concat([y[:1], y[1:]], axis=0)
    for lazy in (False, True):
        x.cleargrad()
        z.grad = np.ones(2, np.float32)
        with chainer.using_config("lazy_grad_sum", lazy):
            z.backward()
        assert x.grad.tolist() == [12, 20]


class Wrong(FunctionNode):
    def __init__(self, gradient):
        self.gradient = gradient

    def forward(self, inputs):
        return (inputs[0] * 2,)

    def backward(self, indexes, grad_outputs):
        return (Variable(self.gradient),)


class WrongOldStyle(Function):
    label = "wrong one"

    def __init__(self, gradient):
        self.gradient = gradient

    def forward(self, inputs):
        return (inputs[0] * 2,)

    def backward(self, inputs, grad_outputs):
        return (self.gradient,)


@pytest.mark.parametrize(
    ("gradient", "error"),
    [("no array", TypeError), (np.ones(2, np.float64), TypeError), (np.ones(3, np.float32), ValueError)],
)
@pytest.mark.parametrize("debug", [False, True])
def test_contract_063_gradients_are_looked_at(gradient, error, debug):
    with chainer.using_config("debug", debug):
        y = WrongOldStyle(gradient)(variable(1, 2))
        y.grad = np.ones(2, np.float32)
        with pytest.raises(error) as raised:
            y.backward()
    assert "wrong one" in str(raised.value)
    assert "has a bug" in str(raised.value)
    assert ("Stacktrace" in str(raised.value)) == debug
    if debug:
        assert "test_graph.py" in str(raised.value)
        assert "line " in str(raised.value)


def test_contract_064_errors_in_debug_mode_say_where_the_function_was_called():
    class Fails(Recorder):
        def backward(self, indexes, grad_outputs):
            raise FloatingPointError("division by the moon")

    with chainer.using_config("debug", True):
        (y,) = Fails().apply((variable(1),))
        y.grad = np.ones(1, np.float32)
        with pytest.raises(FloatingPointError) as raised:
            y.backward()
    assert raised.value.args[0].startswith("division by the moon")
    assert "Stacktrace of the function is below" in raised.value.args[0]
    assert "test_graph.py" in raised.value.args[0]


@pytest.mark.parametrize("double", [False, True])
def test_contract_065_gradients_with_a_graph(double):
    x = scalar(3)
    (x * x * x).backward(enable_double_backprop=double)
    assert (x.grad_var.creator is not None) == double
    assert x.grad_var.requires_grad
    gx = x.grad_var
    x.cleargrad()
    gx.backward()
    assert x.grad == (18 if double else None)


def test_contract_065_double_backpropagation_overrides_no_backprop_mode():
    x = scalar(3)
    y = x * x
    with chainer.no_backprop_mode():
        y.backward(enable_double_backprop=True)
    assert x.grad_var.creator is not None


def test_contract_066_the_second_pass_accumulates_unless_cleared():
    x = scalar(2)
    y = x * x * x
    y.backward(enable_double_backprop=True)
    gx = x.grad_var
    gx.backward()
    assert x.grad == 12 + 12
    x.cleargrad()
    (x**4).backward(enable_double_backprop=True)
    for order in (2, 3, 4):
        g = x.grad_var
        x.cleargrad()
        g.backward(enable_double_backprop=True)
        assert x.grad == {2: 48, 3: 48, 4: 24}[order]


class OldStyle(Function):
    def forward(self, inputs):
        return (inputs[0] * 2,)

    def backward(self, inputs, grad_outputs):
        return (grad_outputs[0] * 2,)


def test_contract_067_old_functions_are_differentiated_once():
    x = variable(1, 2)
    y = OldStyle()(x)
    y.grad = np.ones(2, np.float32)
    y.backward(enable_double_backprop=True)
    gx = x.grad_var
    gx.grad = np.ones(2, np.float32)
    message = 'cannot twice-differentiate an old style Function "OldStyle"'
    with pytest.raises(RuntimeError, match=message):
        gx.backward()
    with pytest.raises(RuntimeError, match=message):
        chainer.grad([gx], [x])


def test_contract_068_the_loss_scale():
    x = scalar(3)
    y = x * 2
    y.backward(loss_scale=4)
    assert x.grad == 8
    assert x._loss_scale == 4
    x.cleargrad()
    y.grad = np.array(1, np.float32)
    y.backward(loss_scale=4)
    assert x.grad == 2
    assert x._loss_scale == 4


def test_contract_058_long_chains():
    x = scalar(1)
    y = x
    for _ in range(20000):
        y = y + x
    y.backward()
    assert x.grad == 20001
