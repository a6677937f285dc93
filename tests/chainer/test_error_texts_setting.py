"""The contract, items 113 to 140: all of configuration, hooks, Parameters and type checks that raises."""

import copy
import pickle

import numpy as np
import pytest

import autodiff.chainer as chainer
import autodiff.chainer.functions as F
from autodiff.chainer import FunctionHook, FunctionNode, Parameter, Variable
from autodiff.chainer.utils import type_check
from tests.chainer.error_texts import heard


def variable(*values, dtype=np.float32, **keywords):
    return Variable(np.array(values, dtype), **keywords)


def floats(*shape):
    return Variable(np.ones(shape, np.float32))


class Hook(FunctionHook):
    name = "Hook"


class Own(FunctionNode):
    def check_type_forward(self, in_types):
        type_check.expect(in_types.size() == 2)
        type_check._argname(in_types, ("x", "W"))
        x, W = in_types
        type_check.expect(x.dtype.kind == "f", x.ndim >= 2, x.shape[1] == W.shape[1] * 2)

    def forward(self, inputs):
        return (inputs[0] * 2,)


def debugging(function):
    with chainer.using_config("debug", True), np.errstate(all="ignore"):
        function()


def own(*inputs):
    return Own().apply(inputs)


def entered_twice():
    with Hook(), Hook():
        pass


def added_twice():
    f = Own()
    f.add_hook(Hook())
    f.add_hook(Hook())


def delete(config, name):
    delattr(config, name)


def with_dtype(dtype):
    with chainer.using_config("dtype", dtype):
        chainer.get_dtype()


def expect(condition):
    x = type_check.make_variable((2, 3), "x.shape")
    type_check.expect(condition(x))


def nan_backward():
    y = F.sqrt(variable(0)) * 0
    y.grad = np.ones(1, np.float32)
    y.backward()


def shape(*lengths):
    return type_check.make_variable(lengths, f"x{len(lengths)}.shape")


EMPTY = Parameter()

ROWS = {
    # Configuration
    "113 an unknown entry": (
        lambda: chainer.config.unknown,
        (
            "AttributeError: the configuration has no entry 'unknown' (LINE); config.show() lists them, an "
            "assignment adds one"
        ),
    ),
    "113 an unknown global entry": (
        lambda: chainer.global_config.unknown,
        (
            "AttributeError: the configuration has no entry 'unknown' (LINE); config.show() lists them, an "
            "assignment adds one"
        ),
    ),
    "113 deleting what is global": (
        lambda: delete(chainer.config, "autotune"),
        (
            "AttributeError: this thread has no configuration entry 'autotune' of its own (LINE); those of all "
            "threads are entries of global_config"
        ),
    ),
    "113 deleting an unknown entry": (
        lambda: delete(chainer.global_config, "unknown"),
        (
            "AttributeError: the configuration has no entry 'unknown' (LINE); config.show() lists them, an "
            "assignment adds one"
        ),
    ),
    "118 NaN of an operator": (
        lambda: debugging(lambda: variable(0) / variable(0)),
        "RuntimeError: NaN is detected on forward computation of _ / _ (LINE)\nSTACK",
    ),
    "118 NaN of a function": (
        lambda: debugging(lambda: F.softmax(Variable(np.full((1, 2), np.nan, "f")))),
        "RuntimeError: NaN is detected on forward computation of Softmax (LINE)\nSTACK",
    ),
    "118 NaN of backward": (
        lambda: debugging(nan_backward),
        "RuntimeError: NaN is detected on backward computation of sqrt (LINE)\nSTACK",
    ),
    "119 a dtype": (
        lambda: chainer.get_dtype("floaty"),
        "TypeError: 'floaty' is no dtype (LINE); for example np.float32, or chainer.mixed16",
    ),
    "119 a configured dtype": (
        lambda: with_dtype("floaty"),
        "TypeError: 'floaty' is no dtype (LINE); for example np.float32, or chainer.mixed16",
    ),
    "120 train": (
        lambda: F.dropout(floats(2), train=True),
        (
            "ValueError: train= is gone; use chainer.using_config('train', value) (LINE), or run the program with "
            "python -m autodiff.chainer --compat v1"
        ),
    ),
    "120 test": (
        lambda: F.batch_normalization(floats(2, 3), floats(3), floats(3), test=True),
        "TypeError: batch_normalization() got unexpected keyword argument(s) 'test' (LINE)",
    ),
    "120 an unknown keyword": (
        lambda: F.dropout(floats(2), ration=0.5),
        "TypeError: dropout() got unexpected keyword argument(s) 'ration' (LINE)",
    ),
    # Hooks
    "121 a name twice": (
        entered_twice,
        "KeyError: a function hook named 'Hook' is entered already (LINE); give this one another name",
    ),
    "121 a name twice on a function": (
        added_twice,
        "KeyError: Own has a hook named 'Hook' already (LINE); give this one a name=",
    ),
    "121 no hook": (
        lambda: Own().add_hook(1),
        "TypeError: a hook must be a FunctionHook, got int (LINE)",
    ),
    "121 deleting an unknown hook": (
        lambda: Own().delete_hook("Hook"),
        "KeyError: Own has no hook named 'Hook' (LINE); it has []",
    ),
    # Parameters
    "132 an initializer that is none": (
        lambda: Parameter("x", (2,)),
        (
            "TypeError: a Parameter is initialised by an array, a number, a function or None, got str (LINE); "
            "np.asarray makes an array of a list"
        ),
    ),
    "132 an array of another shape": (
        lambda: Parameter(np.ones(3), (2,)),
        (
            "ValueError: an initial array of shape (3,) does not fit into shape (2,) (LINE); leave the shape out, "
            "or give an array of this shape"
        ),
    ),
    "132 a layout": (
        lambda: Parameter(0, (2,), layout="NHWC"),
        "ValueError: there is no layout 'NHWC' (LINE); arrays have NumPy's layout, called None",
    ),
    "134 grad": (
        lambda: EMPTY.grad,
        (
            "RuntimeError: the gradient of a Parameter without an array is not known (LINE); initialise it, assign "
            "a gradient, or call cleargrad()"
        ),
    ),
    "134 shape": (
        lambda: EMPTY.shape,
        (
            "AttributeError: the Variable has no array yet, hence no shape (LINE); assign to .array, or call "
            "initialize(shape) of a Parameter"
        ),
    ),
    "134 arithmetic": (
        lambda: EMPTY + 1,
        (
            "AttributeError: the Variable has no array yet, hence no dtype (LINE); assign to .array, or call "
            "initialize(shape) of a Parameter"
        ),
    ),
    "131 grad of an unpickled one": (
        lambda: pickle.loads(pickle.dumps(EMPTY)).grad,
        (
            "RuntimeError: the gradient of a Parameter without an array is not known (LINE); initialise it, assign "
            "a gradient, or call cleargrad()"
        ),
    ),
    "131 grad of a copy": (
        lambda: copy.copy(EMPTY).grad,
        (
            "RuntimeError: the gradient of a Parameter without an array is not known (LINE); initialise it, assign "
            "a gradient, or call cleargrad()"
        ),
    ),
    "137 hash": (
        lambda: hash(EMPTY),
        "TypeError: unhashable type: 'Parameter'",
    ),
    # Type checks
    "139 the number of operands": (
        lambda: own(floats(2, 4)),
        (
            "InvalidType: \nInvalid operation is performed in: Own (Forward) (LINE)\n\nExpect: in_types.size == 2\n"
            "Actual: 1 != 2"
        ),
    ),
    "139 a dtype": (
        lambda: own(variable(1, dtype=int), floats(3, 2)),
        (
            "InvalidType: \nInvalid operation is performed in: Own (Forward) (LINE)\n\nExpect: x.dtype.kind == f\n"
            "Actual: i != f"
        ),
    ),
    "139 the number of axes": (
        lambda: own(floats(2), floats(3, 2)),
        (
            "InvalidType: \nInvalid operation is performed in: Own (Forward) (LINE)\n\nExpect: x.ndim >= 2\n"
            "Actual: 1 < 2"
        ),
    ),
    "139 shapes": (
        lambda: own(floats(2, 4), floats(3, 3)),
        (
            "InvalidType: \nInvalid operation is performed in: Own (Forward) (LINE)\n\nExpect: x.shape[1] == "
            "W.shape[1] * 2\nActual: 4 != 6"
        ),
    ),
    "139 F.linear": (
        lambda: F.linear(floats(2, 4), floats(3, 3)),
        (
            "InvalidType: \nInvalid operation is performed in: LinearFunction (Forward) (LINE)\n\nExpect: "
            "x.shape[1] == W.shape[1]\nActual: 4 != 3"
        ),
    ),
    "140 expect": (
        lambda: expect(lambda shape: shape[0] == 3),
        "InvalidType: Expect: x.shape[0] == 3\nActual: 2 != 3",
    ),
    "140 expect of an expression": (
        lambda: expect(lambda shape: shape[0] + 2 * shape[1] < 3),
        "InvalidType: Expect: x.shape[0] + 2 * x.shape[1] < 3\nActual: 8 >= 3",
    ),
    "140 expect of a product": (
        lambda: type_check.expect(type_check.prod(type_check.make_variable((2, 3), "s")) == 7),
        "InvalidType: Expect: prod(s) == 7\nActual: 6 != 7",
    ),
    "140 the truth of an expression": (
        lambda: expect(lambda shape: shape[0] == 2 and shape[1] == 3),
        (
            "RuntimeError: the expression x.shape[0] == 2 has no truth value (LINE); give it to type_check.expect, "
            "or the value of type_check.eval to Python"
        ),
    ),
    "140 expect_broadcast_shapes": (
        lambda: type_check.expect_broadcast_shapes(shape(2, 3), shape(4)),
        "InvalidType: cannot broadcast inputs of the following shapes:\nx2.shape = (2, 3)\nx1.shape = (4,)",
    ),
    "140 a missing operand": (
        lambda: type_check.get_types([None], "x", False),
        "ValueError: operand 0 is None (LINE); an array is needed",
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_whole_text(name):
    bad, text = ROWS[name]
    assert heard(bad) == text
