"""The contract, items 1 to 44: everything it says about Variables that raises, with the whole text."""

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


EMPTY = Variable()
I = np.arange(3)

ROWS = {
    # Construction and plain attributes
    "001 a second positional argument": (lambda: Variable(np.ones(1), "x"), "?", "?"),
    "002 an unknown keyword": (lambda: Variable(np.ones(1), volatil=True), "?", "?"),
    "002 volatile": (lambda: Variable(np.ones(1), volatile=True), "?", "?"),
    "003 a list": (lambda: Variable([1.0]), "?", "?"),
    "003 an int": (lambda: Variable(1), "?", "?"),
    "003 a float": (lambda: Variable(1.0), "?", "?"),
    "003 a NumPy scalar": (lambda: Variable(np.float32(1)), "?", "?"),
    "003 a Variable": (lambda: Variable(variable(1)), "?", "?"),
    "003 a string": (lambda: Variable("x"), "?", "?"),
    "005 requires_grad": (lambda: Variable(np.ones(1), requires_grad=1), "?", "?"),
    **{
        f"007 assigning {name}": (lambda name=name: assign(name, None), "?", "?")
        for name in ("shape", "ndim", "size", "dtype", "T", "xp", "device", "rank", "node", "label", "layout", "raw_array", "requires_grad")
    },
    "009 shape without an array": (lambda: EMPTY.shape, "?", "?"),
    "009 ndim without an array": (lambda: EMPTY.ndim, "?", "?"),
    "009 size without an array": (lambda: EMPTY.size, "?", "?"),
    "009 dtype without an array": (lambda: EMPTY.dtype, "?", "?"),
    "009 T without an array": (lambda: EMPTY.T, "?", "?"),
    "009 len without an array": (lambda: len(EMPTY), "?", "?"),
    "009 label without an array": (lambda: EMPTY.label, "?", "?"),
    "009 + without an array": (lambda: EMPTY + 1, "?", "?"),
    "009 * without an array": (lambda: variable(1) * EMPTY, "?", "?"),
    "009 - without an array": (lambda: -EMPTY, "?", "?"),
    "009 an element without an array": (lambda: EMPTY[0], "?", "?"),
    "009 F.relu without an array": (lambda: F.relu(EMPTY), "?", "?"),
    "009 F.exp without an array": (lambda: F.exp(EMPTY), "?", "?"),
    "009 F.sum without an array": (lambda: F.sum(EMPTY), "?", "?"),
    "009 F.linear without an array": (lambda: F.linear(EMPTY, floats(2, 3)), "?", "?"),
    "009 backward without an array": (lambda: EMPTY.backward(), "?", "?"),
    "009 reshape without an array": (lambda: EMPTY.reshape(1), "?", "?"),
    "009 item without an array": (lambda: EMPTY.item(), "?", "?"),
    "010 a list as array": (lambda: assign("array", [1.0]), "?", "?"),
    "010 a float as data": (lambda: assign("data", 1.0), "?", "?"),
    "010 a Variable as array": (lambda: assign("array", variable(1)), "?", "?"),
    "015 len of a number": (lambda: len(Variable(np.array(1.0))), "?", "?"),
    "015 iteration over a number": (lambda: list(Variable(np.array(1.0))), "?", "?"),
    "015 unpacking too many": (lambda: (lambda a: a)(*variable(1, 2)), "?", "?"),
    "016 item of two": (lambda: variable(1, 2).item(), "?", "?"),
    "016 item of none": (lambda: floats(0).item(), "?", "?"),
    "017 reshape": (lambda: variable(1, 2, 3).reshape(2, 2), "?", "?"),
    "017 reshape with two unknown lengths": (lambda: variable(1, 2, 3).reshape(-1, -1), "?", "?"),
    "017 reshape with -1": (lambda: variable(1, 2, 3).reshape(-1, 2), "?", "?"),
    "017 transpose with too few axes": (lambda: floats(2, 3).transpose(0), "?", "?"),
    "017 transpose with an axis twice": (lambda: floats(2, 3).transpose(0, 0), "?", "?"),
    "017 transpose with an axis too large": (lambda: floats(2, 3).transpose(0, 2), "?", "?"),
    "017 mean over an axis too large": (lambda: floats(2, 3).mean(axis=2), "?", "?"),
    "019 assigning an element": (lambda: variable(1, 2).__setitem__(0, 1), "?", "?"),
    "019 float": (lambda: float(variable(1)), "?", "?"),
    "019 int": (lambda: int(variable(1)), "?", "?"),
    "019 %": (lambda: variable(1) % 2, "?", "?"),
    "019 divmod": (lambda: divmod(variable(1), 2), "?", "?"),
    "019 round": (lambda: round(variable(1)), "?", "?"),
    "019 format": (lambda: f"{variable(1):.2f}", "?", "?"),
    "019 % of a text": (lambda: "%.2f" % variable(1), "?", "?"),  # noqa: UP031
    "020 asarray": (lambda: np.asarray(variable(1)), "?", "?"),
    "021 as_variable of a list": (lambda: chainer.as_variable([1.0]), "?", "?"),
    # Comparison, hashing, truth
    "022 <": (lambda: variable(1) < 2, "?", "?"),
    "022 <=": (lambda: variable(1) <= None, "?", "?"),
    "022 >": (lambda: variable(1) > variable(1), "?", "?"),
    "022 >=": (lambda: np.ones(1) >= variable(1), "?", "?"),
    "022 ==": (lambda: variable(1) == variable(1), "?", "?"),
    "022 !=": (lambda: variable(1) != 1, "?", "?"),
    "022 in": (lambda: 1 in variable(1), "?", "?"),
    "023 hash": (lambda: hash(variable(1)), "?", "?"),
    "023 a key": (lambda: {variable(1): 1}, "?", "?"),
    "024 bool": (lambda: bool(Variable(np.array(1.0))), "?", "?"),
    "024 if not": (lambda: not variable(1), "?", "?"),
    # Operators
    "027 a list": (lambda: variable(1) + [1.0], "?", "?"),
    "027 a tuple": (lambda: variable(1) * (1.0,), "?", "?"),
    "027 None": (lambda: variable(1) - None, "?", "?"),
    "027 None on the left": (lambda: None / variable(1), "?", "?"),
    "027 a string": (lambda: variable(1) + "x", "?", "?"),
    "027 a complex number": (lambda: variable(1) * 1j, "?", "?"),
    "030 dtypes +": (lambda: variable(1) + variable(1, dtype=np.float64), "?", "?"),
    "030 dtypes @": (lambda: floats(2, 2) @ Variable(np.ones((2, 2))), "?", "?"),
    "030 dtypes F.maximum": (lambda: F.maximum(variable(1), variable(1, dtype=np.float64)), "?", "?"),
    "031 ints *": (lambda: Variable(I) * Variable(I), "?", "?"),
    "031 ints /": (lambda: Variable(I) / Variable(I), "?", "?"),
    "031 ints **": (lambda: Variable(I) ** Variable(I), "?", "?"),
    "031 ints abs": (lambda: abs(Variable(I)), "?", "?"),
    "031 ints * 2.5": (lambda: Variable(I) * 2.5, "?", "?"),
    "031 ints / 2": (lambda: Variable(I) / 2, "?", "?"),
    "031 ints ** 2": (lambda: Variable(I) ** 2, "?", "?"),
    "033 shapes": (lambda: variable(1, 2) + variable(1, 2, 3), "?", "?"),
    "033 shapes with an array": (lambda: variable(1, 2) * np.ones(3, np.float32), "?", "?"),
    "034 @ with a number": (lambda: floats(2, 2) @ 2, "?", "?"),
    "034 @ of shapes": (lambda: floats(2, 3) @ floats(2, 3), "?", "?"),
    "034 @ with a Variable without axes": (lambda: floats(2, 3) @ Variable(np.array(1, np.float32)), "?", "?"),
    "036 a Variable as index": (lambda: variable(1, 2)[Variable(np.array(0))], "?", "?"),
    "036 an index too large": (lambda: variable(1, 2)[2], "?", "?"),
    "036 too many indices": (lambda: variable(1, 2)[0, 0], "?", "?"),
    "036 a float as index": (lambda: variable(1, 2)[0.5], "?", "?"),
    "036 a string as index": (lambda: variable(1, 2)["x"], "?", "?"),
    "036 a mask of another length": (lambda: variable(1, 2)[np.array([True])], "?", "?"),
    "037 a list": (lambda: F.relu([1.0]), "?", "?"),
    "037 a number": (lambda: F.exp(1.0), "?", "?"),
    "037 a list for a method": (lambda: F.sum([1.0]), "?", "?"),
    "037 a list beside a Variable": (lambda: F.linear(floats(1, 2), [[1.0, 2.0]]), "?", "?"),
    "038 sum of ints": (lambda: F.sum(Variable(I)), "?", "?"),
    "038 mean of ints": (lambda: F.mean(Variable(I)), "?", "?"),
    # Gradient attributes
    "040 a number as grad": (lambda: assign("grad", 1.0), "?", "?"),
    "040 a NumPy scalar as grad": (lambda: assign("grad", np.float32(1)), "?", "?"),
    "040 a list as grad": (lambda: assign("grad", [1.0]), "?", "?"),
    "040 a Variable as grad": (lambda: assign("grad", variable(1)), "?", "?"),
    "040 a grad of another dtype": (lambda: assign("grad", np.ones(1)), "?", "?"),
    "040 a grad of another shape": (lambda: assign("grad", np.ones(2, np.float32)), "?", "?"),
    "040 an array as grad_var": (lambda: assign("grad_var", np.ones(1, np.float32)), "?", "?"),
    "040 a grad_var of another dtype": (lambda: assign("grad_var", variable(1, dtype=np.float64)), "?", "?"),
    "040 a grad_var of another shape": (lambda: assign("grad_var", variable(1, 2)), "?", "?"),
    "044 copydata into nothing": (lambda: Variable().copydata(variable(1)), "?", "?"),
    "044 copydata of another shape": (lambda: variable(1, 2).copydata(variable(1, 2, 3)), "?", "?"),
    "043 addgrad of another shape": (lambda: variable(1, 2, grad=np.ones(2, "f")).addgrad(variable(1, 2, 3, grad=np.ones(3, "f"))), "?", "?"),
    "043 addgrad of an array": (lambda: variable(1, 2).addgrad(np.ones(2)), "?", "?"),
}


@pytest.mark.parametrize("name", ROWS)
def test_whole_text(name):
    bad, kind, text = ROWS[name]
    assert heard(bad) == (kind, text)
