"""The contract, items 83 to 112: all about functions that users write that raises, with the whole text."""

import numpy as np
import pytest

import autodiff
import autodiff.chainer as chainer
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
    x = variable(3)
    y = Old()(x)
    start(x, y)


def same_node_twice():
    f = Own()
    f.apply((variable(1),))
    f.apply((variable(1),))


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


def applied():
    f = Own()
    f.apply((variable(1),))
    return f


def old_creator():
    return Old()(variable(1)).creator


ROWS = {
    "083 a chain that was cut": (
        relink_unchained,
        (
            "RuntimeError: the operation _ * 2 was unchained itself (LINE), so it cannot be a creator again; "
            "compute the Variable anew"
        ),
    ),
    "083 a number as creator": (
        lambda: variable(1).set_creator(1),
        (
            "AttributeError: a creator is a Function or a FunctionNode, got int (LINE); None makes a root of the "
            "Variable"
        ),
    ),
    "083 a string as creator_node": (
        lambda: setattr(variable(1), "creator_node", "x"),
        (
            "AttributeError: a creator is a Function or a FunctionNode, got str (LINE); None makes a root of the "
            "Variable"
        ),
    ),
    "088 a gradient": (
        lambda: VariableNode(variable(1), "n", grad=ONE),
        (
            "ValueError: a VariableNode takes a Variable and a name, got grad (LINE); a gradient is given to the "
            "Variable"
        ),
    ),
    "088 an unknown attribute": (
        lambda: variable(1).node.array,
        "AttributeError: a VariableNode has no attribute 'array' (LINE); the array is .data",
    ),
    "091 a dead Variable": (
        lambda: node_of_the_dead().retain_data(),
        (
            "RuntimeError: the Variable of this node is gone, and its array with it (LINE); call retain_data() "
            "while the Variable lives"
        ),
    ),
    "095 no tuple": (
        lambda: Own(out=[ONE]).apply((variable(1),)),
        "TypeError: forward output must be a tuple (Own)\nActual: <class 'list'> (LINE)",
    ),
    "095 an array": (
        lambda: Own(out=ONE).apply((variable(1),)),
        "TypeError: forward output must be a tuple (Own)\nActual: <class 'numpy.ndarray'> (LINE)",
    ),
    "095 a NumPy scalar": (
        lambda: Own(out=(np.float32(1),)).apply((variable(1),)),
        (
            "TypeError: forward output must be a tuple of ndarrays.\nFunction: Own\nActual output types: (<class "
            "'numpy.float32'>,) (LINE)\nNumPy gives numbers where arrays have no axes; np.asarray makes arrays of "
            "them."
        ),
    ),
    "095 a list within": (
        lambda: Own(out=([1.0],)).apply((variable(1),)),
        (
            "TypeError: forward output must be a tuple of ndarrays.\nFunction: Own\nActual output types: (<class "
            "'list'>,) (LINE)\nNumPy gives numbers where arrays have no axes; np.asarray makes arrays of them."
        ),
    ),
    "095 a Variable within": (
        lambda: Own(out=(variable(1),)).apply((variable(1),)),
        (
            "TypeError: forward output must be a tuple of ndarrays.\nFunction: Own\nActual output types: (<class "
            "'autodiff.facade.variables.variable.Variable'>,) (LINE)\nNumPy gives numbers where arrays have no axes; "
            "np.asarray makes arrays of them."
        ),
    ),
    "095 a list as input": (
        lambda: Own().apply(([1.0],)),
        (
            "TypeError: incompatible array types are mixed in the forward input (Own).\nActual: <class 'list'> "
            "(LINE)\nPass Variables or arrays; np.asarray makes an array of a list or a number."
        ),
    ),
    "095 a number as input": (
        lambda: Own().apply((1.0,)),
        (
            "TypeError: incompatible array types are mixed in the forward input (Own).\nActual: <class 'float'> "
            "(LINE)\nPass Variables or arrays; np.asarray makes an array of a list or a number."
        ),
    ),
    "095 a Variable in place of a tuple": (
        lambda: Own().apply(variable(1)),
        "TypeError: apply takes a tuple of inputs, got a Variable (LINE); write Own(...).apply((x,))",
    ),
    "095 no forward": (
        lambda: FunctionNode().apply((variable(1),)),
        "NotImplementedError: FunctionNode has neither forward nor forward_cpu (LINE)",
    ),
    "095 no forward of the old style": (
        lambda: Function()(variable(1)),
        "NotImplementedError: Function has neither forward nor forward_cpu (LINE)",
    ),
    "096 a call": (
        lambda: Own()(variable(1)),
        (
            "RuntimeError: Own is derived from FunctionNode and was called like a function (LINE); use "
            "Own(...).apply((x, ...)), which returns a tuple of Variables"
        ),
    ),
    "097 retaining an input that is not there": (
        lambda: RetainsInput().apply((variable(1),)),
        (
            "IndexError: retain_inputs((1,)) was called in the forward of RetainsInput (LINE), but the number of "
            "its inputs is 1; they are counted from 0"
        ),
    ),
    "097 retaining an output that is not there": (
        lambda: RetainsOutput().apply((variable(1),)),
        (
            "IndexError: retain_outputs((1,)) was called in the forward of RetainsOutput (LINE), but the number of "
            "its outputs is 1; they are counted from 0"
        ),
    ),
    "098 too many gradients": (
        lambda: back(Own(grads=(variable(1),) * 3), inputs=2),
        (
            "ValueError: number of gradients returned from backward is incorrect: 3 != expected 2 (LINE)\n  "
            "function=Own (Own) has a bug\n    input 0: shape=(1,) dtype=float32\n    input 1: shape=(1,) "
            "dtype=float32\n    output 0: shape=(1,) dtype=float32"
        ),
    ),
    "098 too few gradients": (
        lambda: back(Own(grads=()), inputs=2),
        (
            "ValueError: number of gradients returned from backward is incorrect: 0 != expected 2 (LINE)\n  "
            "function=Own (Own) has a bug\n    input 0: shape=(1,) dtype=float32\n    input 1: shape=(1,) "
            "dtype=float32\n    output 0: shape=(1,) dtype=float32"
        ),
    ),
    "098 no tuple": (
        lambda: back(Own(grads=variable(1))),
        (
            "ValueError: number of gradients returned from backward is incorrect: a Variable, no tuple, != "
            "expected 1 (LINE)\n  function=Own (Own) has a bug\n    input 0: shape=(1,) dtype=float32\n    output "
            "0: shape=(1,) dtype=float32"
        ),
    ),
    "098 nothing": (
        lambda: back(Own(grads=None)),
        (
            "ValueError: number of gradients returned from backward is incorrect: a NoneType, no tuple, != "
            "expected 1 (LINE)\n  function=Own (Own) has a bug\n    input 0: shape=(1,) dtype=float32\n    output "
            "0: shape=(1,) dtype=float32"
        ),
    ),
    "099 a type in debug mode": (
        lambda: back(Own(grads=(ONE,)), debug=True),
        (
            "ValueError: type of gradients returned from backward is incorrect: input-index=0, actual <class "
            "'numpy.ndarray'> != expected <class 'autodiff.facade.variables.variable.Variable'> (LINE)\n  function=Own (Own) "
            "has a bug\n    input 0: shape=(1,) dtype=float32\n    output 0: shape=(1,) dtype=float32\nSTACK"
        ),
    ),
    "099 a shape in debug mode": (
        lambda: back(Own(grads=(variable(1, 2),)), debug=True),
        (
            "ValueError: shape of gradients returned from backward is incorrect: input-index=0, actual (2,) != "
            "expected (1,) (LINE)\n  function=Own (Own) has a bug\n    input 0: shape=(1,) dtype=float32\n    "
            "output 0: shape=(1,) dtype=float32\nSTACK"
        ),
    ),
    "099 a dtype in debug mode": (
        lambda: back(Own(grads=(variable(1, dtype=np.float64),)), debug=True),
        (
            "TypeError: dtype of gradients returned from backward is incorrect: input-index=0, actual float64 != "
            "expected float32 (LINE)\n  function=Own (Own) has a bug\n    input 0: shape=(1,) dtype=float32\n    "
            "output 0: shape=(1,) dtype=float32\nSTACK"
        ),
    ),
    "099 NaN in debug mode": (
        lambda: back(Own(grads=(variable(np.nan),)), debug=True),
        "RuntimeError: NaN is detected on backward computation of Own (LINE)\nSTACK",
    ),
    "100 the count of backward_accumulate": (
        lambda: back(OwnSum(grads=(variable(1), variable(1)))),
        (
            "ValueError: number of gradients returned from backward_accumulate is incorrect: 2 != expected 1 "
            "(LINE)\n  function=OwnSum (OwnSum) has a bug\n    input 0: shape=(1,) dtype=float32\n    output 0: "
            "shape=(1,) dtype=float32"
        ),
    ),
    "100 nothing from backward_accumulate": (
        lambda: back(OwnSum()),
        (
            "ValueError: number of gradients returned from backward_accumulate is incorrect: a NoneType, no tuple, "
            "!= expected 1 (LINE)\n  function=OwnSum (OwnSum) has a bug\n    input 0: shape=(1,) "
            "dtype=float32\n    output 0: shape=(1,) dtype=float32"
        ),
    ),
    "102 output_data": (
        lambda: applied().output_data,
        "RuntimeError: retained output data is gone (LINE): Own kept none; call retain_outputs in forward",
    ),
    "103 applied twice": (
        same_node_twice,
        "RuntimeError: this Own was applied before (LINE); make a new object for each application",
    ),
    "106 a list": (
        lambda: Old()([1.0]),
        (
            "TypeError: incompatible array types are mixed in the forward input (Old).\nActual: <class 'list'> "
            "(LINE)\nPass Variables or arrays; np.asarray makes an array of a list or a number."
        ),
    ),
    "108 no array": (
        lambda: back(Old(grads=(1.0,))),
        (
            "TypeError: type of gradients returned from backward is incorrect: input-index=0, actual <class "
            "'float'> is no array (LINE)\n  function=Old (Old) has a bug\n    input 0: shape=(1,) "
            "dtype=float32\n    output 0: shape=(1,) dtype=float32"
        ),
    ),
    "108 a Variable": (
        lambda: back(Old(grads=(variable(1),))),
        (
            "TypeError: type of gradients returned from backward is incorrect: input-index=0, actual <class "
            "'autodiff.facade.variables.variable.Variable'> is no array (LINE)\n  function=Old (Old) has a bug\n    input 0: "
            "shape=(1,) dtype=float32\n    output 0: shape=(1,) dtype=float32"
        ),
    ),
    "108 a shape": (
        lambda: back(Old(grads=(np.ones(2, np.float32),))),
        (
            "ValueError: shape of gradients returned from backward is incorrect: input-index=0, actual (2,) != "
            "expected (1,) (LINE)\n  function=Old (Old) has a bug\n    input 0: shape=(1,) dtype=float32\n    "
            "output 0: shape=(1,) dtype=float32"
        ),
    ),
    "108 a dtype": (
        lambda: back(Old(grads=(np.ones(1),))),
        (
            "TypeError: dtype of gradients returned from backward is incorrect: input-index=0, actual float64 != "
            "expected float32 (LINE)\n  function=Old (Old) has a bug\n    input 0: shape=(1,) dtype=float32\n    "
            "output 0: shape=(1,) dtype=float32"
        ),
    ),
    "108 no tuple": (
        lambda: back(Old(grads=1.0)),
        (
            "TypeError: type of gradients returned from backward is incorrect: <class 'float'> is no tuple "
            "(LINE)\n  function=Old (Old) has a bug\n    input 0: shape=(1,) dtype=float32\n    output 0: "
            "shape=(1,) dtype=float32"
        ),
    ),
    "109 output_data of the old style": (
        lambda: old_creator().output_data,
        "RuntimeError: retained output data is gone (LINE): Old kept none; call retain_outputs in forward",
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_whole_text(name):
    bad, text = ROWS[name]
    assert heard(bad) == text


def test_a_traced_value_and_a_variable_from_outside():
    class Product(FunctionNode):
        def forward(self, inputs):
            return (inputs[0] * inputs[1],)

    W = Variable(np.array([3.0]))
    assert heard(lambda: autodiff.grad(lambda t: np.sum(Product().apply((t, W))[0]))(np.ones(1))) == (
        "TypeError: Product was applied to traced values of grad, vmap, ... and to a Variable from outside (LINE), whose "
        "own gradient would be lost; pass its .array if it is constant there, or make the model a function of its "
        "parameters with autodiff.functional"
    )
