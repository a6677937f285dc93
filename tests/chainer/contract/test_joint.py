"""The contract, 1.7 to 1.9: ``chainer.backward``, ``chainer.grad`` and unchaining."""

import numpy as np
import pytest

import autodiff.chainer as chainer
import autodiff.chainer.functions as F
from autodiff.chainer import Function, FunctionNode, Variable


def variable(*values, **keywords):
    return Variable(np.array(values, np.float32), **keywords)


def scalar(value, **keywords):
    return Variable(np.array(value, np.float32), **keywords)


class Counting(FunctionNode):
    count = 0

    def forward(self, inputs):
        return (inputs[0] * 2,)

    def backward(self, indexes, grad_outputs):
        Counting.count += 1
        return (grad_outputs[0] * 2,)


def test_contract_071_what_backward_takes():
    x = scalar(1)
    with pytest.raises(TypeError, match="outputs must be a tuple or a list"):
        chainer.backward(x)
    with pytest.raises(TypeError, match="each output must be a Variable"):
        chainer.backward([np.ones(2)])
    with pytest.raises(TypeError, match="grad_outputs must be"):
        chainer.backward([x], x)
    with pytest.raises(ValueError, match="grad_outputs must be of the same length as outputs"):
        chainer.backward([x], [])
    with pytest.raises(ValueError, match="retain_grad"):
        chainer.backward([x], retain_grad=True)
    with pytest.raises(ValueError, match="loss_scale"):
        chainer.backward([x], loss_scale=2)
    chainer.backward([])
    chainer.backward([], [])


def test_contract_072_one_pass_for_all():
    x = variable(1, 2)
    Counting.count = 0
    (shared,) = Counting().apply((x,))
    y, z = shared * 3, shared * 5
    y.grad, z.grad = np.ones(2, np.float32), np.ones(2, np.float32)
    chainer.backward([y, z])
    assert Counting.count == 1
    assert x.grad.tolist() == [16, 16]
    assert (y.grad, z.grad) == (None, None)


def test_contract_073_outputs_without_a_gradient():
    x = variable(1, 2)
    y, z = x * 2, x * 3
    y.grad = np.ones(2, np.float32)
    with pytest.warns(RuntimeWarning):
        chainer.backward([y, z])
    assert x.grad.tolist() == [2, 2]
    x.cleargrad()
    y.grad = np.ones(2, np.float32)
    with pytest.warns(RuntimeWarning):
        chainer.backward([y, y])
    assert x.grad.tolist() == [2, 2]


def test_contract_074_what_grad_takes():
    x = scalar(1)
    y = x * 2
    for arguments, name in (((y, [x]), "outputs"), (([y], x), "inputs")):
        with pytest.raises(TypeError, match=f"{name} must be a tuple or a list"):
            chainer.grad(*arguments)
    with pytest.raises(TypeError, match="grad_outputs must be a tuple or a list or None"):
        chainer.grad([y], [x], y)
    with pytest.raises(TypeError, match="grad_inputs must be a tuple or a list or None"):
        chainer.grad([y], [x], None, y)
    with pytest.raises(ValueError, match="grad_outputs must be of the same length as outputs"):
        chainer.grad([y], [x], [])
    with pytest.raises(ValueError, match="grad_inputs must be of the same length as inputs"):
        chainer.grad([y], [x], None, [])
    assert isinstance(chainer.grad((y,), (x,)), list)


def test_contract_075_gradients_of_outputs():
    x = variable(1, 2)
    y = x * x
    y.grad = np.full(2, 9, np.float32)
    assert chainer.grad([y], [x])[0].array.tolist() == [2, 4]
    assert y.grad.tolist() == [9, 9]
    assert chainer.grad([y], [x], [None], loss_scale=3)[0].array.tolist() == [6, 12]
    g = variable(1, 10)
    assert chainer.grad([y], [x], [g], loss_scale=3)[0].array.tolist() == [2, 40]


def test_contract_076_given_gradients():
    x = variable(1, 2)
    y = x * x
    given, added = variable(1, 10), variable(100, 100)
    (g,) = chainer.grad([y], [x], [given], [added])
    assert g.array.tolist() == [102, 140]
    assert added.array.tolist() == [100, 100]
    (g,) = chainer.grad([y], [x], [given.array])
    assert g.array.tolist() == [2, 40]


def test_contract_076_given_gradients_of_inputs_that_others_depend_on():
    x, far = scalar(1), scalar(1)
    middle, aside = x * 2, x * 5
    y, start, added = middle * 3, scalar(10), [scalar(1000), scalar(100), scalar(7), scalar(4)]
    for options in ({}, {"enable_double_backprop": True}):
        found = chainer.grad([y], [x, middle, far, aside], [start], added, **options)
        assert [float(g.array) for g in found] == [1000 + 2 * 130, 100 + 3 * 10, 7, 4]
    assert [v.grad for v in (x, middle, y)] == [None] * 3
    chainer.grad([y], [middle], [start], [added[1]], retain_grad=True)
    assert middle.grad == 130


def test_contract_077_unreachable_inputs():
    x, z = variable(1, 2), variable(3, 4)
    assert chainer.grad([x * 2], [x, z])[1] is None


def test_contract_080_side_effects():
    def run(**options):
        x = scalar(3)
        y = x * 2
        z = y * y
        (gx,) = chainer.grad([z], [x], **options)
        assert gx.array == 24
        return [None if v.grad is None else float(v.grad) for v in (x, y, z)]

    assert run() == [None, None, None]
    assert run(set_grad=True) == [24, None, None]
    assert run(retain_grad=True) == [None, 12, 1]
    assert run(set_grad=True, retain_grad=True) == [24, 12, 1]


@pytest.mark.parametrize("double", [False, True])
def test_contract_081_a_graph_only_when_asked(double):
    x = scalar(3)
    (g,) = chainer.grad([x * x * x], [x], enable_double_backprop=double)
    assert (g.creator is not None) == double
    if double:
        assert chainer.grad([g], [x])[0].array == 18


def test_contract_082_old_functions():
    class OldStyle(Function):
        def forward(self, inputs):
            return (inputs[0] * 2,)

        def backward(self, inputs, grad_outputs):
            return (grad_outputs[0] * 2,)

    x = variable(1)
    (g,) = chainer.grad([OldStyle()(x)], [x], enable_double_backprop=True)
    with pytest.raises(RuntimeError, match="cannot twice-differentiate"):
        chainer.grad([g], [x])


def test_contract_083_unchain():
    x = scalar(2)
    y = x * 3
    creator = y.creator_node
    y.unchain()
    assert y.creator is None
    assert y.rank == 1
    y.backward()
    assert x.grad is None
    y.creator_node = creator
    assert y.rank == 1
    y.cleargrad()
    y.backward()
    assert x.grad == 3
    y.creator = None
    assert y.creator_node is None


def test_contract_083_the_function_of_the_old_style_is_not_enough_to_restore():
    class OldStyle(Function):
        def forward(self, inputs):
            return (inputs[0] * 2,)

    y = OldStyle()(variable(1))
    function, node = y.creator, y.creator_node
    assert function.node is node
    y.unchain()
    y.creator_node = node
    assert y.creator is function


def test_contract_084_unchain_backward():
    x = scalar(2)
    y = x * 3
    z = y * y
    inner = y.creator_node
    z.unchain_backward()
    assert (z.creator, y.creator) == (None, None)
    assert (inner.inputs, inner.outputs) == (None, None)
    z.backward()
    assert x.grad is None
    x.unchain_backward()


def test_contract_086_one_of_several_outputs():
    x = variable(1, 2, 3, 4)
    a, b = F.split_axis(x, 2, axis=0)
    y = a * 2 + b * 3
    a.unchain()
    y.grad = np.ones(2, np.float32)
    y.backward()
    assert a.grad.tolist() == [2, 2]
    assert x.grad.tolist() == [0, 0, 3, 3]
    assert b.grad is None


@pytest.mark.parametrize("kind", [Function, FunctionNode])
def test_contract_087_creators_set_by_hand(kind):
    f = kind()
    v = scalar(1)
    v.set_creator(f) if kind is Function else v.set_creator_node(f)
    assert v.creator is f
    assert v.rank == 1
    assert v.creator_node is (f.node if kind is Function else f)
    w = scalar(1)
    w.creator = f
    assert w.creator is f
    w.creator_node = None
    assert w.creator is None
