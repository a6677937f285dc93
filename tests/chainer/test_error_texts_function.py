"""The contract, items 45 to 112: everything it says about graphs, gradients and functions that raises, with the text."""

import numpy as np
import pytest

import autodiff.chainer as chainer
import autodiff.chainer.functions as F
from autodiff.chainer import Function, FunctionNode, Variable
from autodiff.chainer.variable import VariableNode
from tests.chainer.error_texts import heard


def variable(*values, dtype=np.float32, **keywords):
    return Variable(np.array(values, dtype), **keywords)


def scalar(value=1.0):
    return Variable(np.array(value, np.float32))


ONE = np.ones(1, np.float32)


class Own(FunctionNode):
    """Returns what it is given: from forward, and from backward."""

    def __init__(self, out=None, grads=None):
        self.out, self.grads = out, grads

    def forward(self, inputs):
        return (inputs[0] * 2,) if self.out is None else self.out

    def backward(self, indexes, grad_outputs):
        return self.grads() if callable(self.grads) else self.grads


class OwnSum(Own):
    def backward_accumulate(self, indexes, grad_outputs, grad_inputs):
        return self.grads


class Old(Function):
    """The same in the old style."""

    def __init__(self, grads=None):
        self.grads = grads

    def forward(self, inputs):
        return (inputs[0] * 2,)

    def backward(self, inputs, grad_outputs):
        return (grad_outputs[0] * 2,) if self.grads is None else self.grads


def back(function, debug=False, inputs=1):
    """Apply a function, new or old, and run backward through it."""
    xs = [variable(1) for _ in range(inputs)]
    with chainer.using_config("debug", debug):
        y = function(*xs) if isinstance(function, Function) else function.apply(xs)[0]
        y.grad = ONE
        y.backward()


def twice(start):
    x = scalar(3)
    y = Old()(x)
    start(x, y)


def backward_twice(x, y):
    y.backward(enable_double_backprop=True)
    gradient = x.grad_var
    x.cleargrad()
    gradient.backward()


def grad_twice(x, y):
    (gradient,) = chainer.grad([y], [x], enable_double_backprop=True)
    chainer.grad([gradient], [x])


def fails():
    raise FloatingPointError("underflow")


def same_node_twice():
    f = Own()
    f.apply((variable(1),))
    f.apply((variable(1),))


def same_function_twice():
    f = Old()
    kept = f(variable(1))
    f(variable(1))
    return kept


def node_of_the_dead():
    return variable(1).node


def relink_unchained():
    x = variable(1)
    y = x * 2
    creator = y.creator_node
    y.unchain_backward()
    y.creator_node = creator


class RetainsInput(Own):
    def forward(self, inputs):
        self.retain_inputs((1,))
        return (inputs[0] * 2,)


class RetainsOutput(Own):
    def forward(self, inputs):
        self.retain_outputs((1,))
        return (inputs[0] * 2,)


def wrong_start():
    x = variable(1, 2)
    y = Variable(x.array, grad=np.ones(3, np.float32))
    y.creator_node = (x * 2).creator_node
    y.backward()


def grad_with(gradient):
    x = scalar()
    chainer.grad([x * 2], [x], grad_outputs=[gradient])


def applied():
    f = Own()
    f.apply((variable(1),))
    return f


def old_creator():
    return Old()(variable(1)).creator


ROWS = {
    "052 more than one element": (lambda: (variable(1, 2) * 2).backward(), "?", "?"),
    "052 a zero-size loss": (lambda: (variable(1, 2)[:0] * 2).backward(), "?", "?"),
    "006 a wrong gradient of the constructor": (wrong_start, "?", "?"),
    "063 no Variable": (lambda: back(Own(grads=(1.0,))), "?", "?"),
    "063 an array": (lambda: back(Own(grads=(ONE,))), "?", "?"),
    "063 a dtype": (lambda: back(Own(grads=(variable(1, dtype=np.float64),))), "?", "?"),
    "063 a shape": (lambda: back(Own(grads=(variable(1, 2),))), "?", "?"),
    "063 in debug mode": (lambda: back(Own(grads=(variable(1, 2),)), debug=True), "?", "?"),
    "064 an error within backward": (lambda: back(Own(grads=fails)), "?", "?"),
    "064 in debug mode": (lambda: back(Own(grads=fails), debug=True), "?", "?"),
    "067 backward": (lambda: twice(backward_twice), "?", "?"),
    "067 grad": (lambda: twice(grad_twice), "?", "?"),
    "071 a Variable": (lambda: chainer.backward(scalar()), "?", "?"),
    "071 arrays": (lambda: chainer.backward([ONE]), "?", "?"),
    "071 grad_outputs": (lambda: chainer.backward([scalar()], scalar()), "?", "?"),
    "071 a number as grad_output": (lambda: chainer.backward([scalar()], [1.0]), "?", "?"),
    "071 lengths": (lambda: chainer.backward([scalar()], [scalar(), scalar()]), "?", "?"),
    "071 retain_grad": (lambda: chainer.backward([scalar()], retain_grad=True), "?", "?"),
    "071 loss_scale": (lambda: chainer.backward([scalar()], loss_scale=2.0), "?", "?"),
    "071 another keyword": (lambda: chainer.backward([scalar()], scale=2.0), "?", "?"),
    "074 outputs": (lambda: chainer.grad(scalar(), [scalar()]), "?", "?"),
    "074 inputs": (lambda: chainer.grad([scalar()], scalar()), "?", "?"),
    "074 an array among outputs": (lambda: chainer.grad([ONE], [scalar()]), "?", "?"),
    "074 an array among inputs": (lambda: chainer.grad([scalar()], [ONE]), "?", "?"),
    "074 grad_outputs": (lambda: chainer.grad([scalar()], [scalar()], grad_outputs=scalar()), "?", "?"),
    "074 grad_inputs": (lambda: chainer.grad([scalar()], [scalar()], grad_inputs=scalar()), "?", "?"),
    "074 length of grad_outputs": (lambda: chainer.grad([scalar()], [scalar()], grad_outputs=[]), "?", "?"),
    "074 length of grad_inputs": (lambda: chainer.grad([scalar()], [scalar()], grad_inputs=[]), "?", "?"),
    "076 a grad_output of another shape": (lambda: grad_with(np.ones(2, np.float32)), "?", "?"),
    "076 a grad_output of another dtype": (lambda: grad_with(np.ones(())), "?", "?"),
    "076 a number as grad_output": (lambda: grad_with(1.0), "?", "?"),
    "083 a chain that was cut": (relink_unchained, "?", "?"),
    "083 a number as creator": (lambda: variable(1).set_creator(1), "?", "?"),
    "083 a string as creator_node": (lambda: setattr(variable(1), "creator_node", "x"), "?", "?"),
    "088 a gradient": (lambda: VariableNode(variable(1), "n", grad=ONE), "?", "?"),
    "088 an unknown attribute": (lambda: variable(1).node.array, "?", "?"),
    "091 a dead Variable": (lambda: node_of_the_dead().retain_data(), "?", "?"),
    "095 no tuple": (lambda: Own(out=[ONE]).apply((variable(1),)), "?", "?"),
    "095 an array": (lambda: Own(out=ONE).apply((variable(1),)), "?", "?"),
    "095 a NumPy scalar": (lambda: Own(out=(np.float32(1),)).apply((variable(1),)), "?", "?"),
    "095 a list within": (lambda: Own(out=([1.0],)).apply((variable(1),)), "?", "?"),
    "095 a Variable within": (lambda: Own(out=(variable(1),)).apply((variable(1),)), "?", "?"),
    "095 nothing": (lambda: Own(out=()).apply((variable(1),)), "?", "?"),
    "095 a list as input": (lambda: Own().apply(([1.0],)), "?", "?"),
    "095 a number as input": (lambda: Own().apply((1.0,)), "?", "?"),
    "095 a Variable in place of a tuple": (lambda: Own().apply(variable(1)), "?", "?"),
    "095 no forward": (lambda: FunctionNode().apply((variable(1),)), "?", "?"),
    "095 no forward of the old style": (lambda: Function()(variable(1)), "?", "?"),
    "096 a call": (lambda: Own()(variable(1)), "?", "?"),
    "097 retaining an input that is not there": (lambda: RetainsInput().apply((variable(1),)), "?", "?"),
    "097 retaining an output that is not there": (lambda: RetainsOutput().apply((variable(1),)), "?", "?"),
    "098 too many gradients": (lambda: back(Own(grads=(variable(1),) * 3), inputs=2), "?", "?"),
    "098 too few gradients": (lambda: back(Own(grads=()), inputs=2), "?", "?"),
    "098 no tuple": (lambda: back(Own(grads=variable(1))), "?", "?"),
    "098 nothing": (lambda: back(Own(grads=None)), "?", "?"),
    "099 a type in debug mode": (lambda: back(Own(grads=(ONE,)), debug=True), "?", "?"),
    "099 a shape in debug mode": (lambda: back(Own(grads=(variable(1, 2),)), debug=True), "?", "?"),
    "099 a dtype in debug mode": (lambda: back(Own(grads=(variable(1, dtype=np.float64),)), debug=True), "?", "?"),
    "099 NaN in debug mode": (lambda: back(Own(grads=(variable(np.nan),)), debug=True), "?", "?"),
    "100 the count of backward_accumulate": (lambda: back(OwnSum(grads=(variable(1), variable(1)))), "?", "?"),
    "100 nothing from backward_accumulate": (lambda: back(OwnSum()), "?", "?"),
    "102 output_data": (lambda: applied().output_data, "?", "?"),
    "103 applied twice": (same_node_twice, "?", "?"),
    "106 called twice": (same_function_twice, "?", "?"),
    "106 a list": (lambda: Old()([1.0]), "?", "?"),
    "108 no array": (lambda: back(Old(grads=(1.0,))), "?", "?"),
    "108 a Variable": (lambda: back(Old(grads=(variable(1),))), "?", "?"),
    "108 a shape": (lambda: back(Old(grads=(np.ones(2, np.float32),))), "?", "?"),
    "108 a dtype": (lambda: back(Old(grads=(np.ones(1),))), "?", "?"),
    "108 no tuple": (lambda: back(Old(grads=1.0)), "?", "?"),
    "109 output_data of the old style": (lambda: old_creator().output_data, "?", "?"),
}


@pytest.mark.parametrize("name", ROWS)
def test_whole_text(name):
    bad, kind, text = ROWS[name]
    assert heard(bad) == (kind, text)
