"""The contract, 1.10 to 1.12: VariableNode, FunctionNode, Function and FunctionAdapter."""

import gc
import weakref

import numpy as np
import pytest

import autodiff.chainer as chainer
import autodiff.chainer.functions as F
from autodiff.chainer import Function, FunctionAdapter, FunctionNode, Variable
from autodiff.chainer.utils import type_check
from autodiff.chainer.variable import VariableNode


def variable(*values, dtype=np.float32, **keywords):
    return Variable(np.array(values, dtype), **keywords)


ONES = np.ones(2, np.float32)


class Square(FunctionNode):
    def forward(self, inputs):
        self.retain_inputs((0,))
        return (inputs[0] ** 2,)

    def backward(self, indexes, grad_outputs):
        (x,) = self.get_retained_inputs()
        return (2 * x * grad_outputs[0],)


def test_contract_088_a_node_takes_no_gradient():
    x = variable(1, 2)
    with pytest.raises(ValueError, match="grad"):
        VariableNode(x, "n", grad=ONES)
    node = VariableNode(x, "n")
    assert (node.name, node.shape, node.dtype, node.rank) == ("n", (2,), np.float32, 0)
    assert (node.data, node.grad, node.grad_var, node.creator, node.creator_node) == (None,) * 5
    assert node.requires_grad
    assert node.label == "(2), float32"


def test_contract_089_a_node_refers_weakly_to_its_variable():
    x = variable(1, 2)
    node = x.node
    assert node.data is None
    x.grad = ONES
    assert node.grad is x.grad
    x.retain_data()
    assert node.data is x.array
    reference = weakref.ref(x)
    del x
    assert reference() is None
    assert (node.grad, node.grad_var) == (None, None)


def test_contract_090_get_variable():
    x = variable(1, 2, name="x")
    node = x.node
    assert node.get_variable() is x
    array = x.array
    x.retain_data()
    del x
    assert node.get_variable_or_none() is None
    again = node.get_variable()
    assert again.node is node
    assert again.name == "x"
    assert again.array is array


def test_contract_091_retaining_the_data_of_a_dead_variable():
    x = variable(1, 2)
    node = x.node
    del x
    with pytest.raises(RuntimeError):
        node.retain_data()


def test_contract_092_identity():
    x = variable(1, 2)
    assert x.node == x.node
    assert len({x.node, x.node, variable(1, 2).node}) == 2
    x._node._rank = 5
    assert x.rank == 5
    x._node._requires_grad = False
    assert not x.node.requires_grad


def test_contract_093_subclasses_need_not_call_the_constructor():
    class Own(Square):
        def __init__(self):
            self.own = 1

    x = variable(1, 2)
    f = Own()
    (y,) = f.apply((x,))
    calls = []
    f.backward = lambda indexes, grads: calls.append(indexes) or (grads[0],)
    y.grad = ONES
    y.backward()
    assert calls == [(0,)]


def test_contract_094_none_goes_in_and_out():
    class Optional(FunctionNode):
        def forward(self, inputs):
            assert inputs[0] is None
            return None, inputs[1] * 2

        def backward(self, indexes, grad_outputs):
            assert indexes == (1,)
            assert grad_outputs[0] is None
            return None, grad_outputs[1] * 2

    x = variable(1, 2)
    nothing, y = Optional().apply((None, x))
    assert nothing.array is None
    y.grad = ONES
    y.backward()
    assert x.grad.tolist() == [2, 2]
    assert nothing.grad is None
    assert isinstance(Square().apply([np.ones(2, np.float32)]), tuple)


@pytest.mark.parametrize(
    ("outs", "message"),
    [
        (np.ones(2), "must be a tuple"),
        ((np.float32(1),), "forward output must be a tuple of ndarrays"),
        (([1],), "forward output must be a tuple of ndarrays"),
    ],
)
def test_contract_095_what_forward_returns(outs, message):
    class Returns(FunctionNode):
        def forward(self, inputs):
            return outs

    with pytest.raises(TypeError, match=message):
        Returns().apply((variable(1, 2),))


def test_contract_095_what_apply_takes():
    with pytest.raises(TypeError, match="incompatible array types are mixed in the forward input"):
        Square().apply(([1.0, 2.0],))


def test_contract_095_forward_cpu():
    class OnTheCpu(FunctionNode):
        def forward_cpu(self, inputs):
            return (inputs[0] * 3,)

    assert OnTheCpu().apply((variable(1, 2),))[0].array.tolist() == [3, 6]
    f = OnTheCpu()
    f.forward_cpu = lambda inputs: (inputs[0] * 5,)
    assert f.apply((variable(1, 2),))[0].array.tolist() == [5, 10]


def test_contract_096_calling_the_node():
    with pytest.raises(RuntimeError, match="apply"):
        Square()(variable(1, 2))


def test_contract_097_retaining():
    class Keeps(FunctionNode):
        def forward(self, inputs):
            self.retain_inputs((1, 0))
            self.retain_outputs((1,))
            return inputs[0] + 1, inputs[1] * 2

    a, b = variable(1, 2), variable(3, 4)
    f = Keeps()
    _, z = f.apply((a, b))
    assert [v.array.tolist() for v in f.get_retained_inputs()] == [[3, 4], [1, 2]]
    assert f.get_retained_inputs()[0] is b
    assert f.get_retained_outputs()[0] is z

    class KeepsNothing(Keeps):
        def forward(self, inputs):
            return (inputs[0] + 1,)

    f = KeepsNothing()
    f.apply((a,))
    assert (f.get_retained_inputs(), f.get_retained_outputs()) == ((), ())


def test_contract_097_an_output_that_died_comes_back():
    class Exp(FunctionNode):
        def forward(self, inputs):
            self.retain_outputs((0, 1))
            return np.exp(inputs[0]), np.exp(2 * inputs[0])

        def backward(self, indexes, grad_outputs):
            y, z = self.get_retained_outputs()
            total = 0
            if grad_outputs[0] is not None:
                total = y * grad_outputs[0]
            if grad_outputs[1] is not None:
                total = total + 2 * z * grad_outputs[1]
            return (total,)

    x = variable(0, 1, dtype=np.float64)
    y, z = Exp().apply((x,))
    del y
    (g,) = chainer.grad([z], [x], enable_double_backprop=True)
    del z
    np.testing.assert_allclose(g.array, 2 * np.exp([0, 2.0]))
    (g2,) = chainer.grad([g], [x], enable_double_backprop=True)
    np.testing.assert_allclose(g2.array, 4 * np.exp([0, 2.0]))
    (g3,) = chainer.grad([g2], [x])
    np.testing.assert_allclose(g3.array, 8 * np.exp([0, 2.0]))


@pytest.mark.parametrize(("count", "fits"), [(1, True), (2, True), (3, False), (0, False)])
def test_contract_098_the_number_of_gradients(count, fits):
    class Add(FunctionNode):
        def forward(self, inputs):
            return (inputs[0] + inputs[1],)

        def backward(self, indexes, grad_outputs):
            assert indexes == (1,)
            assert isinstance(grad_outputs[0], Variable)
            return (grad_outputs[0],) * count

    x = variable(1, 2)
    (y,) = Add().apply((variable(1, 2, requires_grad=False), x))
    y.grad = ONES
    if fits:
        y.backward()
        assert x.grad.tolist() == [1, 1]
    else:
        with pytest.raises(ValueError, match="number of gradients returned from backward is incorrect"):
            y.backward()


def test_contract_098_by_default_there_are_no_gradients():
    class Identity(FunctionNode):
        def forward(self, inputs):
            return inputs

    x = variable(1, 2)
    (y,) = Identity().apply((x,))
    y.grad = ONES
    y.backward()
    assert x.grad is None


@pytest.mark.parametrize(
    ("gradient", "error", "stem"),
    [
        (np.ones(2, np.float32), ValueError, "type of gradients returned from backward is incorrect"),
        (variable(1, 2, 3), ValueError, "shape of gradients returned from backward is incorrect"),
        (variable(np.nan, 1), RuntimeError, "NaN is detected on backward computation"),
    ],
)
def test_contract_099_debug_mode_looks_at_gradients(gradient, error, stem):
    class Wrong(FunctionNode):
        def forward(self, inputs):
            return (inputs[0] * 2,)

        def backward(self, indexes, grad_outputs):
            return (gradient,)

    with chainer.using_config("debug", True):
        (y,) = Wrong().apply((variable(1, 2),))
        y.grad = ONES
        with pytest.raises(error, match=stem):
            y.backward()


def test_contract_100_backward_accumulate():
    class Accumulates(FunctionNode):
        def forward(self, inputs):
            return (inputs[0] + 2 * inputs[1],)

        def backward_accumulate(self, indexes, grad_outputs, grad_inputs):
            (g,) = grad_outputs
            found = (g, 2 * g)
            return tuple(found[k] if before is None else found[k] + before for k, before in zip(indexes, grad_inputs))

    a, b = variable(1, 2), variable(3, 4)
    (y,) = Accumulates().apply((a, b))
    z = y + a * 10
    z.grad = ONES
    z.backward()
    assert a.grad.tolist() == [11, 11]
    assert b.grad.tolist() == [2, 2]


def test_contract_101_check_type_forward():
    seen = []

    class Checked(FunctionNode):
        def check_type_forward(self, in_types):
            seen.append(type(in_types).__name__)
            type_check.expect(in_types.size() == 1, in_types[0].dtype.kind == "f", in_types[0].shape[0] == 2)

        def forward(self, inputs):
            return inputs

    Checked().apply((variable(1, 2),))
    assert seen == ["LightTypeInfoTuple"]
    with pytest.raises(type_check.InvalidType) as raised:
        Checked().apply((variable(1, 2, 3),))
    assert "Expect: in_types[0].shape[0] == 2\nActual: 3 != 2" in str(raised.value)
    assert "Invalid operation is performed in: Checked (Forward)" in str(raised.value)


def test_contract_102_what_a_node_shows():
    x = variable(1, 2)
    f = Square()
    assert (f.label, f.rank, f.stack, f.inputs, f.outputs) == ("Square", 0, None, None, None)
    (y,) = f.apply((x * 1,))
    assert f.rank == 1
    with pytest.raises(RuntimeError):
        f.output_data
    f.unchain()
    assert (f.inputs, f.outputs, y.creator) == (None, None, None)


def test_contract_106_functions_of_the_old_style():
    class Two(Function):
        def forward(self, inputs):
            return inputs[0] + 1, inputs[0] * 2

    class One(Function):
        def forward(self, inputs):
            return (inputs[0] * 3,)

    assert isinstance(Two()(variable(1, 2)), tuple)
    assert One()(variable(1, 2)).array.tolist() == [3, 6]
    f = One()
    node = f.node
    assert isinstance(node, FunctionAdapter)
    y = f(variable(1, 2))
    assert f.node is node
    gc.disable()
    try:
        reference = weakref.ref(node)
        del node
        assert reference() is not None
        y.unchain()
        assert reference() is None
    finally:
        gc.enable()


def test_contract_106_an_earlier_call_of_a_function_keeps_its_state():
    class Scaled(Function):
        def forward(self, inputs):
            self.factor = float(inputs[0][0])
            return (self.factor * inputs[0],)

        def backward(self, inputs, grad_outputs):
            return (self.factor * grad_outputs[0],)

    f, x = Scaled(), variable(2, 1)
    y = f(x)
    again = y.creator is f
    z = f(y)
    z.grad = ONES
    z.backward()
    np.testing.assert_array_equal(x.grad, [8, 8])
    assert again
    assert z.creator is f
    assert y.creator is not f
    assert (y.creator.factor, f.factor) == (2, 4)


def test_contract_107_all_inputs_are_retained_unless_some_are_chosen():
    seen = []

    class Keeps(Function):
        def __init__(self, kept):
            self.kept = kept

        def forward(self, inputs):
            if self.kept is not None:
                self.retain_inputs(self.kept)
            return (inputs[0] + inputs[1],)

        def backward(self, inputs, grad_outputs):
            seen.append([None if array is None else array.tolist() for array in inputs])
            return grad_outputs * 2

    for kept in (None, (1,)):
        y = Keeps(kept)(variable(1, 2), variable(3, 4))
        y.grad = ONES
        y.backward()
    assert seen == [[[1, 2], [3, 4]], [None, [3, 4]]]


def test_contract_108_backward_of_the_old_style():
    class OnTheCpu(Function):
        def forward_cpu(self, inputs):
            return (inputs[0] + inputs[1],)

        def backward_cpu(self, inputs, grad_outputs):
            assert isinstance(grad_outputs[0], np.ndarray)
            return grad_outputs[0], None

    a, b = variable(1, 2), variable(3, 4)
    y = OnTheCpu()(a, b)
    y.grad = ONES
    y.backward()
    assert a.grad.tolist() == [1, 1]
    assert b.grad is None


def test_contract_109_output_data():
    class Keeps(Function):
        def forward(self, inputs):
            self.retain_outputs((1,))
            return inputs[0] + 1, inputs[0] * 2

    f = Keeps()
    f(variable(1, 2))  # nothing holds the graph
    _, z = (f := Keeps())(variable(1, 2))
    assert f.output_data[0] is None
    assert f.output_data[1] is z.array
    assert (f.rank, f.label, f.stack, len(f.inputs), len(f.outputs)) == (0, "Keeps", None, 1, 2)


def test_contract_110_the_creator_is_the_function():
    class Named(Function):
        label = "a name"

        def forward(self, inputs):
            return (inputs[0] * 2,)

    f = Named()
    y = f(variable(1, 2))
    assert y.creator is f
    assert type(y.creator_node).__name__ == "FunctionAdapter"
    assert y.creator_node.function is f
    assert y.creator_node.label == "a name"


def test_contract_111_gradients_of_the_old_style_cannot_be_differentiated():
    class OldStyle(Function):
        def forward(self, inputs):
            return (inputs[0] * 2,)

        def backward(self, inputs, grad_outputs):
            return (grad_outputs[0] * 2,)

    x = variable(1, 2)
    y = OldStyle()(x) * x
    (g,) = chainer.grad([F.sum(y)], [x], enable_double_backprop=True)
    with pytest.raises(RuntimeError, match='cannot twice-differentiate an old style Function "OldStyle"'):
        chainer.grad([F.sum(g)], [x])


def test_contract_112_the_second_argument_of_retain_outputs_only_warns():
    class Keeps(Function):
        def forward(self, inputs):
            self.retain_outputs((0,), retain_after_backward=True)
            return (inputs[0] * 2,)

    with pytest.warns(Warning):
        y = Keeps()(variable(1, 2))
    assert y.creator.output_data[0] is y.array
