"""The contract, items 1 to 21: all about Variables that raises, with the whole text."""

import operator

import numpy as np
import pytest

import autodiff.chainer as chainer
import autodiff.chainer.functions as F
from autodiff.chainer import Variable
from tests.chainer.error_texts import heard


def variable(*values, dtype=np.float32, **keywords):
    return Variable(np.array(values, dtype), **keywords)


def floats(*shape):
    return Variable(np.ones(shape, np.float32))


def assign(name, value, target=None):
    setattr(variable(1) if target is None else target, name, value)


def set_element():
    v = variable(1, 2)
    v[0] = 1


EMPTY = Variable()

ROWS = {
    # Construction and plain attributes
    "001 a second positional argument": (
        lambda: Variable(np.ones(1), "x"),
        "TypeError: Variable.__init__() takes from 1 to 2 positional arguments but 3 were given",
    ),
    "002 an unknown keyword": (
        lambda: Variable(np.ones(1), volatil=True),
        (
            "TypeError: Variable got an unexpected keyword argument 'volatil' (LINE); it takes data, name, grad "
            "and requires_grad"
        ),
    ),
    "002 volatile": (
        lambda: Variable(np.ones(1), volatile=True),
        (
            "ValueError: Variable(volatile=...) is gone (LINE); use no_backprop_mode(), or "
            "using_config('enable_backprop', False), or run the program with python -m autodiff.chainer --compat v1"
        ),
    ),
    "003 a list": (
        lambda: Variable([1.0]),
        "TypeError: a Variable holds an array, got list (LINE); wrap a number or a list with np.asarray",
    ),
    "003 an int": (
        lambda: Variable(1),
        "TypeError: a Variable holds an array, got int (LINE); wrap a number or a list with np.asarray",
    ),
    "003 a float": (
        lambda: Variable(1.0),
        "TypeError: a Variable holds an array, got float (LINE); wrap a number or a list with np.asarray",
    ),
    "003 a NumPy scalar": (
        lambda: Variable(np.float32(1)),
        "TypeError: a Variable holds an array, got float32 (LINE); wrap a number or a list with np.asarray",
    ),
    "003 a Variable": (
        lambda: Variable(variable(1)),
        "TypeError: a Variable holds an array, got Variable (LINE); take its .array",
    ),
    "003 a string": (
        lambda: Variable("x"),
        "TypeError: a Variable holds an array, got str (LINE); wrap a number or a list with np.asarray",
    ),
    "005 requires_grad": (
        lambda: Variable(np.ones(1), requires_grad=1),
        "TypeError: requires_grad must be True or False, got 1 (LINE); bool() makes one of it",
    ),
    "007 assigning shape": (
        lambda: assign("shape", None),
        "AttributeError: the shape of a Variable cannot be assigned (LINE); use reshape()",
    ),
    "007 assigning ndim": (
        lambda: assign("ndim", None),
        ("AttributeError: the ndim of a Variable cannot be assigned (LINE); it is that of the array: assign to .array"),
    ),
    "007 assigning size": (
        lambda: assign("size", None),
        ("AttributeError: the size of a Variable cannot be assigned (LINE); it is that of the array: assign to .array"),
    ),
    "007 assigning dtype": (
        lambda: assign("dtype", None),
        "AttributeError: the dtype of a Variable cannot be assigned (LINE); use F.cast",
    ),
    "007 assigning T": (
        lambda: assign("T", None),
        ("AttributeError: the T of a Variable cannot be assigned (LINE); it is that of the array: assign to .array"),
    ),
    "007 assigning xp": (
        lambda: assign("xp", None),
        "AttributeError: the xp of a Variable cannot be assigned (LINE); use to_device()",
    ),
    "007 assigning device": (
        lambda: assign("device", None),
        "AttributeError: the device of a Variable cannot be assigned (LINE); use to_device()",
    ),
    "007 assigning rank": (
        lambda: assign("rank", None),
        (
            "AttributeError: the rank of a Variable cannot be assigned (LINE); it is the place in the graph: see "
            "creator_node"
        ),
    ),
    "007 assigning node": (
        lambda: assign("node", None),
        (
            "AttributeError: the node of a Variable cannot be assigned (LINE); it is the place in the graph: see "
            "creator_node"
        ),
    ),
    "007 assigning label": (
        lambda: assign("label", None),
        (
            "AttributeError: the label of a Variable cannot be assigned (LINE); it tells shape and dtype; assign "
            "to .name"
        ),
    ),
    "007 assigning layout": (
        lambda: assign("layout", None),
        ("AttributeError: the layout of a Variable cannot be assigned (LINE); arrays have NumPy's layout, called None"),
    ),
    "007 assigning raw_array": (
        lambda: assign("raw_array", None),
        "AttributeError: the raw_array of a Variable cannot be assigned (LINE); assign to .array",
    ),
    "007 assigning requires_grad": (
        lambda: assign("requires_grad", None),
        (
            "AttributeError: the requires_grad of a Variable cannot be assigned (LINE); make a new one: "
            "Variable(v.array, requires_grad=...)"
        ),
    ),
    "009 shape without an array": (
        lambda: EMPTY.shape,
        (
            "AttributeError: the Variable has no array yet, hence no shape (LINE); assign to .array, or call "
            "initialize(shape) of a Parameter"
        ),
    ),
    "009 ndim without an array": (
        lambda: EMPTY.ndim,
        (
            "AttributeError: the Variable has no array yet, hence no ndim (LINE); assign to .array, or call "
            "initialize(shape) of a Parameter"
        ),
    ),
    "009 size without an array": (
        lambda: EMPTY.size,
        (
            "AttributeError: the Variable has no array yet, hence no size (LINE); assign to .array, or call "
            "initialize(shape) of a Parameter"
        ),
    ),
    "009 dtype without an array": (
        lambda: EMPTY.dtype,
        (
            "AttributeError: the Variable has no array yet, hence no dtype (LINE); assign to .array, or call "
            "initialize(shape) of a Parameter"
        ),
    ),
    "009 T without an array": (
        lambda: EMPTY.T,
        (
            "AttributeError: the Variable has no array yet, hence no shape (LINE); assign to .array, or call "
            "initialize(shape) of a Parameter"
        ),
    ),
    "009 len without an array": (
        lambda: len(EMPTY),
        "TypeError: len() of a Variable without an array (LINE); assign to .array first",
    ),
    "009 label without an array": (
        lambda: EMPTY.label,
        "TypeError: a Variable without an array has no label (LINE); assign to .array first",
    ),
    "009 + without an array": (
        lambda: EMPTY + 1,
        (
            "AttributeError: the Variable has no array yet, hence no dtype (LINE); assign to .array, or call "
            "initialize(shape) of a Parameter"
        ),
    ),
    "009 * without an array": (
        lambda: variable(1) * EMPTY,
        (
            "AttributeError: the Variable has no array yet, hence no dtype (LINE); assign to .array, or call "
            "initialize(shape) of a Parameter"
        ),
    ),
    "009 - without an array": (
        lambda: -EMPTY,
        (
            "AttributeError: the Variable has no array yet, hence no dtype (LINE); assign to .array, or call "
            "initialize(shape) of a Parameter"
        ),
    ),
    "009 an element without an array": (
        lambda: EMPTY[0],
        (
            "AttributeError: the Variable has no array yet, hence no shape (LINE); assign to .array, or call "
            "initialize(shape) of a Parameter"
        ),
    ),
    "009 F.relu without an array": (
        lambda: F.relu(EMPTY),
        (
            "AttributeError: the Variable has no array yet, hence no dtype (LINE); assign to .array, or call "
            "initialize(shape) of a Parameter"
        ),
    ),
    "009 F.exp without an array": (
        lambda: F.exp(EMPTY),
        (
            "AttributeError: the Variable has no array yet, hence no dtype (LINE); assign to .array, or call "
            "initialize(shape) of a Parameter"
        ),
    ),
    "009 F.sum without an array": (
        lambda: F.sum(EMPTY),
        (
            "AttributeError: the Variable has no array yet, hence no dtype (LINE); assign to .array, or call "
            "initialize(shape) of a Parameter"
        ),
    ),
    "009 F.linear without an array": (
        lambda: F.linear(EMPTY, floats(2, 3)),
        (
            "AttributeError: the Variable has no array yet, hence no shape (LINE); assign to .array, or call "
            "initialize(shape) of a Parameter"
        ),
    ),
    "009 backward without an array": (
        lambda: EMPTY.backward(),
        (
            "AttributeError: the Variable has no array yet, hence no size (LINE); assign to .array, or call "
            "initialize(shape) of a Parameter"
        ),
    ),
    "009 reshape without an array": (
        lambda: EMPTY.reshape(1),
        (
            "AttributeError: the Variable has no array yet, hence no shape (LINE); assign to .array, or call "
            "initialize(shape) of a Parameter"
        ),
    ),
    "009 item without an array": (
        lambda: EMPTY.item(),
        (
            "AttributeError: the Variable has no array yet, hence no size (LINE); assign to .array, or call "
            "initialize(shape) of a Parameter"
        ),
    ),
    "010 a list as array": (
        lambda: assign("array", [1.0]),
        "AttributeError: a Variable holds an array, got list (LINE); wrap a number or a list with np.asarray",
    ),
    "010 a float as data": (
        lambda: assign("data", 1.0),
        "AttributeError: a Variable holds an array, got float (LINE); wrap a number or a list with np.asarray",
    ),
    "010 a Variable as array": (
        lambda: assign("array", variable(1)),
        "AttributeError: a Variable holds an array, got Variable (LINE); take its .array",
    ),
    "015 len of a number": (
        lambda: len(Variable(np.array(1.0))),
        "TypeError: len() of a Variable without axes (LINE); it is one number: v.item()",
    ),
    "015 iteration over a number": (
        lambda: list(Variable(np.array(1.0))),
        "TypeError: a Variable without axes has no items to index or to iterate over (LINE); it is one number: "
        "v.item()",
    ),
    "016 item of two": (
        lambda: variable(1, 2).item(),
        "ValueError: item() needs exactly one element, the Variable has shape (2,) (LINE)",
    ),
    "016 item of none": (
        lambda: floats(0).item(),
        "ValueError: item() needs exactly one element, the Variable has shape (0,) (LINE)",
    ),
    "017 reshape": (
        lambda: variable(1, 2, 3).reshape(2, 2),
        (
            "InvalidType: \nInvalid operation is performed in: Reshape (Forward) (LINE)\n\nExpect: prod(x.shape) "
            "== prod((2, 2))\nActual: x.shape is (3,), 3 elements\n\nThe number of elements must stay; one length "
            "may be -1."
        ),
    ),
    "017 reshape with two unknown lengths": (
        lambda: variable(1, 2, 3).reshape(-1, -1),
        (
            "InvalidType: \nInvalid operation is performed in: Reshape (Forward) (LINE)\n\nExpect: prod(x.shape) "
            "== prod((-1, -1))\nActual: x.shape is (3,), 3 elements\n\nThe number of elements must stay; one "
            "length may be -1."
        ),
    ),
    "017 reshape with -1": (
        lambda: variable(1, 2, 3).reshape(-1, 2),
        (
            "InvalidType: \nInvalid operation is performed in: Reshape (Forward) (LINE)\n\nExpect: prod(x.shape) "
            "== prod((-1, 2))\nActual: x.shape is (3,), 3 elements\n\nThe number of elements must stay; one length "
            "may be -1."
        ),
    ),
    "017 transpose with too few axes": (
        lambda: floats(2, 3).transpose(0),
        "OperandError: np.transpose(float32[2,3]) (LINE): axes don't match array",
    ),
    "017 transpose with an axis twice": (
        lambda: floats(2, 3).transpose(0, 0),
        "OperandError: np.transpose(float32[2,3]) (LINE): repeated axis in transpose",
    ),
    "017 transpose with an axis too large": (
        lambda: floats(2, 3).transpose(0, 2),
        "AxisError: np.transpose(float32[2,3]) (LINE): axis 2 is out of bounds for array of dimension 2",
    ),
    "017 mean over an axis too large": (
        lambda: floats(2, 3).mean(axis=2),
        "AxisError: axis 2 is out of bounds for array of dimension 2 (LINE); choose from -2 to 1",
    ),
    "019 assigning an element": (
        set_element,
        (
            "TypeError: a Variable does not support item assignment (LINE): its gradient would be wrong; compute a "
            "new one with F.where or F.scatter_add, or assign into v.array[...] where no gradient depends on it"
        ),
    ),
    "019 float": (
        lambda: float(variable(1)),
        (
            "TypeError: a Variable would become a float (LINE) and its derivative would be lost; take v.item() "
            "where that is wanted, functions of NumPy or chainer.functions in place of those of math, and np.stack in "
            "place of an array that Variables are written into"
        ),
    ),
    "019 int": (
        lambda: int(variable(1)),
        (
            "TypeError: a Variable would become an int (LINE) and its derivative would be lost; take v.item() "
            "where that is wanted, functions of NumPy or chainer.functions in place of those of math, and np.stack in "
            "place of an array that Variables are written into"
        ),
    ),
    "019 %": (
        lambda: variable(1) % 2,
        "TypeError: unsupported operand type(s) for %: 'Variable' and 'int'",
    ),
    "019 divmod": (
        lambda: divmod(variable(1), 2),
        "TypeError: unsupported operand type(s) for divmod(): 'Variable' and 'int'",
    ),
    "019 round": (
        lambda: round(variable(1)),
        "TypeError: type Variable doesn't define __round__ method",
    ),
    "019 format": (
        lambda: f"{variable(1):.2f}",
        "TypeError: a Variable takes no format, got '.2f' (LINE); format its number: v.item()",
    ),
    "019 % of a text": (
        lambda: operator.mod("%.2f", variable(1)),
        (
            "TypeError: a Variable would become a float (LINE) and its derivative would be lost; take v.item() "
            "where that is wanted, functions of NumPy or chainer.functions in place of those of math, and np.stack in "
            "place of an array that Variables are written into"
        ),
    ),
    "020 asarray": (
        lambda: np.asarray(variable(1)),
        (
            "ConcretizationError: a Variable would become a plain NumPy array (LINE) and its derivative would be "
            "lost silently; take v.array where that is wanted, and np.stack or np.concatenate to collect Variables"
        ),
    ),
    "021 as_variable of a list": (
        lambda: chainer.as_variable([1.0]),
        "TypeError: a Variable holds an array, got list (LINE); wrap a number or a list with np.asarray",
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_whole_text(name):
    bad, text = ROWS[name]
    assert heard(bad) == text
