"""The contract, items 22 to 44: all about comparisons, operators and gradients that raises, with the whole text."""

import operator

import numpy as np
import pytest

import autodiff.chainer.functions as F
from autodiff.chainer import Variable
from tests.chainer.error_texts import heard


def variable(*values, dtype=np.float32, **keywords):
    return Variable(np.array(values, dtype), **keywords)


def floats(*shape):
    return Variable(np.ones(shape, np.float32))


def assign(name, value, target=None):
    setattr(variable(1) if target is None else target, name, value)


INTS = np.arange(1, 4)

ROWS = {
    # Comparison, hashing, truth
    "022 <": (
        lambda: variable(1) < 2,
        "TypeError: Variables do not support < operator (LINE); compare their arrays: v.array",
    ),
    "022 <=": (
        lambda: variable(1) <= None,
        "TypeError: Variables do not support <= operator (LINE); compare their arrays: v.array",
    ),
    "022 >": (
        lambda: variable(1) > variable(1),
        "TypeError: Variables do not support > operator (LINE); compare their arrays: v.array",
    ),
    "022 >=": (
        lambda: np.ones(1) >= variable(1),
        "TypeError: Variables do not support >= operator (LINE); compare their arrays: v.array",
    ),
    "022 ==": (
        lambda: variable(1) == variable(1),
        "TypeError: Variables do not support == operator (LINE); compare their arrays: v.array",
    ),
    "022 !=": (
        lambda: variable(1) != 1,
        "TypeError: Variables do not support != operator (LINE); compare their arrays: v.array",
    ),
    "022 in": (
        lambda: 1 in variable(1),
        "TypeError: Variables do not support == operator (LINE); compare their arrays: v.array",
    ),
    "023 hash": (
        lambda: hash(variable(1)),
        "TypeError: unhashable type: 'Variable'",
    ),
    "023 a key": (
        lambda: {variable(1): 1},
        "TypeError: unhashable type: 'Variable'",
    ),
    "024 bool": (
        lambda: bool(Variable(np.array(1.0))),
        "TypeError: a Variable has no truth value (LINE); test its array: if (v.array > 0).all()",
    ),
    "024 if not": (
        lambda: not variable(1),
        "TypeError: a Variable has no truth value (LINE); test its array: if (v.array > 0).all()",
    ),
    # Operators
    "027 a list": (
        lambda: operator.add(variable(1), [1.0]),
        (
            "TypeError: the operands of _ + _ must be Variables, arrays or numbers, got list (LINE); np.asarray "
            "makes an array of numbers"
        ),
    ),
    "027 a tuple": (
        lambda: variable(1) * (1.0,),
        (
            "TypeError: the operands of _ * _ must be Variables, arrays or numbers, got tuple (LINE); np.asarray "
            "makes an array of numbers"
        ),
    ),
    "027 None": (
        lambda: variable(1) - None,
        (
            "TypeError: the operands of _ - _ must be Variables, arrays or numbers, got NoneType (LINE); is the "
            "return of a function missing?"
        ),
    ),
    "027 None on the left": (
        lambda: None / variable(1),
        (
            "TypeError: the operands of _ / _ must be Variables, arrays or numbers, got NoneType (LINE); is the "
            "return of a function missing?"
        ),
    ),
    "027 a string": (
        lambda: variable(1) + "x",
        (
            "TypeError: the operands of _ + _ must be Variables, arrays or numbers, got str (LINE); np.asarray "
            "makes an array of numbers"
        ),
    ),
    "027 a complex number": (
        lambda: variable(1) * 1j,
        (
            "InvalidType: \nInvalid operation is performed in: _ * _ (Forward) (LINE)\n\nExpect: a constant that "
            "float32 can hold\nActual: 1j\n\nConstants are cast to the dtype of the Variable; this one would lose "
            "its value. Cast the Variable."
        ),
    ),
    "030 dtypes +": (
        lambda: variable(1) + variable(1, dtype=np.float64),
        (
            "InvalidType: \nInvalid operation is performed in: _ + _ (Forward) (LINE)\n\nExpect: lhs.dtype == "
            "rhs.dtype\nActual: float32 != float64\n\nVariables of different dtypes do not mix; cast one of them."
        ),
    ),
    "030 dtypes @": (
        lambda: floats(2, 2) @ Variable(np.ones((2, 2))),
        (
            "InvalidType: \nInvalid operation is performed in: MatMul (Forward) (LINE)\n\nExpect: lhs.dtype == "
            "rhs.dtype\nActual: float32 != float64\n\nVariables of different dtypes do not mix; cast one of them."
        ),
    ),
    "030 dtypes F.maximum": (
        lambda: F.maximum(variable(1), variable(1, dtype=np.float64)),
        (
            "InvalidType: \nInvalid operation is performed in: Maximum (Forward) (LINE)\n\nExpect: x1.dtype == "
            "x2.dtype\nActual: float32 != float64"
        ),
    ),
    "031 ints *": (
        lambda: Variable(INTS) * Variable(INTS),
        (
            "InvalidType: \nInvalid operation is performed in: _ * _ (Forward) (LINE)\n\nExpect: "
            "in_types[0].dtype.kind == f\nActual: i != f\n\nCast the Variable to a floating-point dtype."
        ),
    ),
    "031 ints /": (
        lambda: Variable(INTS) / Variable(INTS),
        (
            "InvalidType: \nInvalid operation is performed in: _ / _ (Forward) (LINE)\n\nExpect: "
            "in_types[0].dtype.kind == f\nActual: i != f\n\nCast the Variable to a floating-point dtype."
        ),
    ),
    "031 ints **": (
        lambda: Variable(INTS) ** Variable(INTS),
        (
            "InvalidType: \nInvalid operation is performed in: _ ** _ (Forward) (LINE)\n\nExpect: "
            "in_types[0].dtype.kind == f\nActual: i != f\n\nCast the Variable to a floating-point dtype."
        ),
    ),
    "031 ints abs": (
        lambda: abs(Variable(INTS)),
        (
            "InvalidType: \nInvalid operation is performed in: |_| (Forward) (LINE)\n\nExpect: "
            "in_types[0].dtype.kind == f\nActual: i != f\n\nCast the Variable to a floating-point dtype."
        ),
    ),
    "031 ints * 2.5": (
        lambda: Variable(INTS) * 2.5,
        (
            "InvalidType: \nInvalid operation is performed in: _ * _ (Forward) (LINE)\n\nExpect: a constant that "
            "int64 can hold\nActual: 2.5\n\nConstants are cast to the dtype of the Variable; this one would lose "
            "its value. Cast the Variable."
        ),
    ),
    "031 ints / 2": (
        lambda: Variable(INTS) / 2,
        (
            "InvalidType: \nInvalid operation is performed in: _ / _ (Forward) (LINE)\n\nExpect: "
            "in_types[0].dtype.kind == f\nActual: i != f\n\nCast the Variable to a floating-point dtype."
        ),
    ),
    "031 ints ** 2": (
        lambda: Variable(INTS) ** 2,
        (
            "InvalidType: \nInvalid operation is performed in: _ ** _ (Forward) (LINE)\n\nExpect: "
            "in_types[0].dtype.kind == f\nActual: i != f\n\nCast the Variable to a floating-point dtype."
        ),
    ),
    "033 shapes": (
        lambda: variable(1, 2) + variable(1, 2, 3),
        (
            "InvalidType: \nInvalid operation is performed in: _ + _ (Forward) (LINE)\n\nExpect: in_types[0].shape "
            "and in_types[1].shape broadcast\nActual: (2,) and (3,)\n\nAxes must have equal lengths or length 1, "
            "counted from the last."
        ),
    ),
    "033 shapes with an array": (
        lambda: variable(1, 2) * np.ones(3, np.float32),
        (
            "InvalidType: \nInvalid operation is performed in: _ * _ (Forward) (LINE)\n\nExpect: in_types[0].shape "
            "and in_types[1].shape broadcast\nActual: (2,) and (3,)\n\nAxes must have equal lengths or length 1, "
            "counted from the last."
        ),
    ),
    "034 @ with a number": (
        lambda: floats(2, 2) @ 2,
        "TypeError: @ multiplies matrices, got int (LINE); * multiplies by a number",
    ),
    "034 @ of shapes": (
        lambda: floats(2, 3) @ floats(2, 3),
        (
            "InvalidType: \nInvalid operation is performed in: MatMul (Forward) (LINE)\n\nExpect: "
            "in_types[0].shape[-1] == in_types[1].shape[-2]\nActual: (2, 3) and (2, 3)\n\nThe inner lengths must "
            "be equal; other axes must have equal lengths or length 1."
        ),
    ),
    "034 @ with a Variable without axes": (
        lambda: floats(2, 3) @ Variable(np.array(1, np.float32)),
        (
            "InvalidType: \nInvalid operation is performed in: MatMul (Forward) (LINE)\n\nExpect: "
            "in_types[0].shape[-1] == in_types[1].shape[-2]\nActual: (2, 3) and ()\n\nThe inner lengths must be "
            "equal; other axes must have equal lengths or length 1."
        ),
    ),
    "036 a Variable as index": (
        lambda: variable(1, 2)[Variable(np.array(0))],
        "IndexError: a Variable cannot be an index (LINE); index with its array: v[i.array]",
    ),
    "036 an index too large": (
        lambda: variable(1, 2)[2],
        "IndexError: index 2 is out of bounds for axis 0 with size 2 (LINE)",
    ),
    "036 too many indices": (
        lambda: variable(1, 2)[0, 0],
        "IndexError: too many indices for array: array is 1-dimensional, but 2 were indexed (LINE)",
    ),
    "036 a float as index": (
        lambda: variable(1, 2)[0.5],
        (
            "IndexError: only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or "
            "boolean arrays are valid indices, got 0.5 (LINE)"
        ),
    ),
    "036 a string as index": (
        lambda: variable(1, 2)["x"],
        (
            "IndexError: only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or "
            "boolean arrays are valid indices, got 'x' (LINE)"
        ),
    ),
    "037 a list": (
        lambda: F.relu([1.0]),
        (
            "TypeError: incompatible array types are mixed in the forward input (ReLU).\nActual: <class 'list'> "
            "(LINE)\nPass Variables or arrays; np.asarray makes an array of a list or a number."
        ),
    ),
    "037 a number": (
        lambda: F.exp(1.0),
        (
            "TypeError: incompatible array types are mixed in the forward input (exp).\nActual: <class 'float'> "
            "(LINE)\nPass Variables or arrays; np.asarray makes an array of a list or a number."
        ),
    ),
    "037 a list for a method": (
        lambda: F.sum([1.0]),
        (
            "TypeError: incompatible array types are mixed in the forward input (Sum).\nActual: <class 'list'> "
            "(LINE)\nPass Variables or arrays; np.asarray makes an array of a list or a number."
        ),
    ),
    "037 a list beside a Variable": (
        lambda: F.linear(floats(1, 2), [[1.0, 2.0]]),
        (
            "TypeError: incompatible array types are mixed in the forward input (LinearFunction).\nActual: <class "
            "'autodiff.facade.variables.variable.Variable'>, <class 'list'> (LINE)\nPass Variables or arrays; np.asarray "
            "makes an array of a list or a number."
        ),
    ),
    "038 sum of ints": (
        lambda: F.sum(Variable(INTS)),
        (
            "InvalidType: \nInvalid operation is performed in: Sum (Forward) (LINE)\n\nExpect: x.dtype.kind == f\n"
            "Actual: i != f"
        ),
    ),
    "038 mean of ints": (
        lambda: F.mean(Variable(INTS)),
        (
            "InvalidType: \nInvalid operation is performed in: Mean (Forward) (LINE)\n\nExpect: x.dtype.kind == f\n"
            "Actual: i != f"
        ),
    ),
    # Gradient attributes
    "040 a number as grad": (
        lambda: assign("grad", 1.0),
        "TypeError: a gradient must be an array, got float (LINE); for example np.ones_like(v.array)",
    ),
    "040 a NumPy scalar as grad": (
        lambda: assign("grad", np.float32(1)),
        "TypeError: a gradient must be an array, got float32 (LINE); for example np.ones_like(v.array)",
    ),
    "040 a list as grad": (
        lambda: assign("grad", [1.0]),
        "TypeError: a gradient must be an array, got list (LINE); for example np.ones_like(v.array)",
    ),
    "040 a Variable as grad": (
        lambda: assign("grad", variable(1)),
        "TypeError: a gradient must be an array, got Variable (LINE); assign it to .grad_var",
    ),
    "040 a grad of another dtype": (
        lambda: assign("grad", np.ones(1)),
        "TypeError: the gradient has dtype float64 but the Variable float32 (LINE); they must be equal",
    ),
    "040 a grad of another shape": (
        lambda: assign("grad", np.ones(2, np.float32)),
        "ValueError: the gradient has shape (2,) but the Variable (1,) (LINE); they must be equal",
    ),
    "040 an array as grad_var": (
        lambda: assign("grad_var", np.ones(1, np.float32)),
        "AttributeError: grad_var must be a Variable, got ndarray (LINE); assign an array to .grad",
    ),
    "040 a grad_var of another dtype": (
        lambda: assign("grad_var", variable(1, dtype=np.float64)),
        "TypeError: the gradient has dtype float64 but the Variable float32 (LINE); they must be equal",
    ),
    "040 a grad_var of another shape": (
        lambda: assign("grad_var", variable(1, 2)),
        "ValueError: the gradient has shape (2,) but the Variable (1,) (LINE); they must be equal",
    ),
    "044 copydata into nothing": (
        lambda: Variable().copydata(variable(1)),
        (
            "AttributeError: a Variable without an array cannot be initialised (LINE); only a Parameter knows how: "
            "assign to .array"
        ),
    ),
    "044 copydata of another shape": (
        lambda: variable(1, 2).copydata(variable(1, 2, 3)),
        "ValueError: copydata: the Variable has shape (2,), but the source (3,) (LINE); they must be equal",
    ),
    "043 addgrad of another shape": (
        lambda: variable(1, 2, grad=np.ones(2, "f")).addgrad(variable(1, 2, 3, grad=np.ones(3, "f"))),
        "ValueError: addgrad: the Variable has shape (2,), but the source (3,) (LINE); they must be equal",
    ),
    "043 addgrad of an array": (
        lambda: variable(1, 2).addgrad(np.ones(2)),
        "TypeError: addgrad takes a Variable, got ndarray (LINE); wrap it: Variable(array)",
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_whole_text(name):
    bad, text = ROWS[name]
    assert heard(bad) == text
