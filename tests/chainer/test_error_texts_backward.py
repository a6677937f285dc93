"""The contract, items 45 to 82: all about backward and grad that raises, with the whole text."""

import numpy as np
import pytest

import autodiff.chainer as chainer
from autodiff.chainer import Function, FunctionNode, Variable
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


def backward_twice(x, y):
    y.grad = ONE
    y.backward(enable_double_backprop=True)
    gradient = x.grad_var
    gradient.grad = ONE
    gradient.backward()


def grad_twice(x, y):
    (gradient,) = chainer.grad([y], [x], enable_double_backprop=True)
    chainer.grad([gradient], [x])


def fails():
    raise FloatingPointError("underflow")


def wrong_start():
    x = variable(1, 2)
    y = Variable(x.array, grad=np.ones(3, np.float32))
    y.creator_node = (x * 2).creator_node
    y.backward()


def grad_with(gradient):
    x = scalar()
    chainer.grad([x * 2], [x], grad_outputs=[gradient])


ROWS = {
    "052 more than one element": (
        lambda: (variable(1, 2) * 2).backward(),
        (
            "DifferentiationError: backward() from a Variable of shape (2,) needs its gradient (LINE): set y.grad "
            "= np.ones_like(y.array), or another weight for each element; or reduce it to one number first"
        ),
    ),
    "052 a zero-size loss": (
        lambda: (variable(1, 2)[:0] * 2).backward(),
        (
            "DifferentiationError: backward() from a Variable of shape (0,) needs its gradient (LINE): set y.grad "
            "= np.ones_like(y.array), or another weight for each element; or reduce it to one number first"
        ),
    ),
    "006 a wrong gradient of the constructor": (
        wrong_start,
        "ValueError: the gradient has shape (3,) but the Variable (2,) (LINE); they must be equal",
    ),
    "063 no Variable": (
        lambda: back(Own(grads=(1.0,))),
        (
            "TypeError: type of gradients returned from backward is incorrect: input-index=0, actual <class "
            "'float'> != expected <class 'autodiff.facade.variables.variable.Variable'> (LINE)\n  function=Own (Own) has a "
            "bug\n    input 0: shape=(1,) dtype=float32\n    output 0: shape=(1,) dtype=float32"
        ),
    ),
    "063 an array": (
        lambda: back(Own(grads=(ONE,))),
        (
            "TypeError: type of gradients returned from backward is incorrect: input-index=0, actual <class "
            "'numpy.ndarray'> != expected <class 'autodiff.facade.variables.variable.Variable'> (LINE)\n  function=Own (Own) "
            "has a bug\n    input 0: shape=(1,) dtype=float32\n    output 0: shape=(1,) dtype=float32"
        ),
    ),
    "063 a dtype": (
        lambda: back(Own(grads=(variable(1, dtype=np.float64),))),
        (
            "TypeError: dtype of gradients returned from backward is incorrect: input-index=0, actual float64 != "
            "expected float32 (LINE)\n  function=Own (Own) has a bug\n    input 0: shape=(1,) dtype=float32\n    "
            "output 0: shape=(1,) dtype=float32"
        ),
    ),
    "063 a shape": (
        lambda: back(Own(grads=(variable(1, 2),))),
        (
            "ValueError: shape of gradients returned from backward is incorrect: input-index=0, actual (2,) != "
            "expected (1,) (LINE)\n  function=Own (Own) has a bug\n    input 0: shape=(1,) dtype=float32\n    "
            "output 0: shape=(1,) dtype=float32"
        ),
    ),
    "063 in debug mode": (
        lambda: back(Own(grads=(variable(1, 2),)), debug=True),
        (
            "ValueError: shape of gradients returned from backward is incorrect: input-index=0, actual (2,) != "
            "expected (1,) (LINE)\n  function=Own (Own) has a bug\n    input 0: shape=(1,) dtype=float32\n    "
            "output 0: shape=(1,) dtype=float32\nSTACK"
        ),
    ),
    "064 an error within backward": (
        lambda: back(Own(grads=fails)),
        "FloatingPointError: underflow",
    ),
    "064 in debug mode": (
        lambda: back(Own(grads=fails), debug=True),
        "FloatingPointError: underflow\nSTACK",
    ),
    "067 backward": (
        lambda: twice(backward_twice),
        (
            'RuntimeError: cannot twice-differentiate an old style Function "Old" (LINE); derive it from '
            "FunctionNode, whose backward computes with Variables"
        ),
    ),
    "067 grad": (
        lambda: twice(grad_twice),
        (
            'RuntimeError: cannot twice-differentiate an old style Function "Old" (LINE); derive it from '
            "FunctionNode, whose backward computes with Variables"
        ),
    ),
    "071 a Variable": (
        lambda: chainer.backward(scalar()),
        (
            "TypeError: outputs must be a tuple or a list, not <class 'autodiff.facade.variables.variable.Variable'>. (LINE) "
            "Put it into a list."
        ),
    ),
    "071 arrays": (
        lambda: chainer.backward([ONE]),
        (
            "TypeError: each output must be a Variable, not <class 'numpy.ndarray'> (LINE); gradients are computed "
            "of and for the Variables of a graph"
        ),
    ),
    "071 grad_outputs": (
        lambda: chainer.backward([scalar()], scalar()),
        (
            "TypeError: grad_outputs must be a tuple or a list, not <class 'autodiff.facade.variables.variable.Variable'>. "
            "(LINE) Put it into a list."
        ),
    ),
    "071 a number as grad_output": (
        lambda: chainer.backward([scalar()], [1.0]),
        "TypeError: a Variable holds an array, got float (LINE); wrap a number or a list with np.asarray",
    ),
    "071 lengths": (
        lambda: chainer.backward([scalar()], [scalar(), scalar()]),
        (
            "ValueError: grad_outputs must be of the same length as outputs.\nlen(outputs) = 1, len(grad_outputs) "
            "= 2 (LINE)\nGive None where there is none."
        ),
    ),
    "071 retain_grad": (
        lambda: chainer.backward([scalar()], retain_grad=True),
        (
            "ValueError: backward(outputs) does not support retain_grad (LINE); use chainer.grad(..., "
            "retain_grad=True), or call y.backward()"
        ),
    ),
    "071 loss_scale": (
        lambda: chainer.backward([scalar()], loss_scale=2.0),
        ("ValueError: backward(outputs) does not support loss_scale (LINE); scale grad_outputs, or call y.backward()"),
    ),
    "071 another keyword": (
        lambda: chainer.backward([scalar()], scale=2.0),
        "TypeError: backward got an unexpected keyword argument 'scale' (LINE); it takes enable_double_backprop",
    ),
    "074 outputs": (
        lambda: chainer.grad(scalar(), [scalar()]),
        (
            "TypeError: outputs must be a tuple or a list, not <class 'autodiff.facade.variables.variable.Variable'>. (LINE) "
            "Put it into a list."
        ),
    ),
    "074 inputs": (
        lambda: chainer.grad([scalar()], scalar()),
        (
            "TypeError: inputs must be a tuple or a list, not <class 'autodiff.facade.variables.variable.Variable'>. (LINE) "
            "Put it into a list."
        ),
    ),
    "074 an array among outputs": (
        lambda: chainer.grad([ONE], [scalar()]),
        (
            "TypeError: each output must be a Variable, not <class 'numpy.ndarray'> (LINE); gradients are computed "
            "of and for the Variables of a graph"
        ),
    ),
    "074 an array among inputs": (
        lambda: chainer.grad([scalar()], [ONE]),
        (
            "TypeError: each input must be a Variable, not <class 'numpy.ndarray'> (LINE); gradients are computed "
            "of and for the Variables of a graph"
        ),
    ),
    "074 grad_outputs": (
        lambda: chainer.grad([scalar()], [scalar()], grad_outputs=scalar()),
        (
            "TypeError: grad_outputs must be a tuple or a list or None, not <class "
            "'autodiff.facade.variables.variable.Variable'>. (LINE) Put it into a list."
        ),
    ),
    "074 grad_inputs": (
        lambda: chainer.grad([scalar()], [scalar()], grad_inputs=scalar()),
        (
            "TypeError: grad_inputs must be a tuple or a list or None, not <class "
            "'autodiff.facade.variables.variable.Variable'>. (LINE) Put it into a list."
        ),
    ),
    "074 length of grad_outputs": (
        lambda: chainer.grad([scalar()], [scalar()], grad_outputs=[]),
        (
            "ValueError: grad_outputs must be of the same length as outputs.\nlen(outputs) = 1, len(grad_outputs) "
            "= 0 (LINE)\nGive None where there is none."
        ),
    ),
    "074 length of grad_inputs": (
        lambda: chainer.grad([scalar()], [scalar()], grad_inputs=[]),
        (
            "ValueError: grad_inputs must be of the same length as inputs.\nlen(inputs) = 1, len(grad_inputs) = 0 "
            "(LINE)\nGive None where there is none."
        ),
    ),
    "076 a grad_output of another shape": (
        lambda: grad_with(np.ones(2, np.float32)),
        "ValueError: the gradient has shape (2,) but the Variable () (LINE); they must be equal",
    ),
    "076 a grad_output of another dtype": (
        lambda: grad_with(np.ones(())),
        "TypeError: the gradient has dtype float64 but the Variable float32 (LINE); they must be equal",
    ),
    "076 a number as grad_output": (
        lambda: grad_with(1.0),
        "TypeError: a Variable holds an array, got float (LINE); wrap a number or a list with np.asarray",
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_whole_text(name):
    bad, text = ROWS[name]
    assert heard(bad) == text
