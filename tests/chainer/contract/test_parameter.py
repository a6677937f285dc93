"""The contract, 1.17 and 1.18: Parameters, and conditions on operands."""

import numpy as np
import pytest

import autodiff.chainer as chainer
from autodiff.chainer import Parameter, Variable
from autodiff.chainer.utils import type_check
from autodiff.chainer.utils.type_check import InvalidType


@pytest.mark.parametrize(
    ("initializer", "values"),
    [(None, [np.nan, np.nan]), (3, [3, 3]), (np.float64(0.5), [0.5, 0.5]), (chainer.initializers.One(), [1, 1])],
)
def test_contract_132_initializers(initializer, values):
    for shape in (2, (2,)):
        p = Parameter(initializer, shape)
        np.testing.assert_array_equal(p.array, np.array(values, np.float32))
        assert p.dtype == np.float32
    assert Parameter(initializer).array is None


def test_contract_132_arrays():
    a = np.array([1, 2], np.float32)
    assert Parameter(a).array is a
    p = Parameter(a, (3, 2))
    assert p.array.tolist() == [[1, 2]] * 3


def test_contract_133_the_first_gradient():
    assert np.isnan(Parameter(1, (2,)).grad).all()
    assert Parameter(np.ones(2)).grad is None


def test_contract_134_without_an_array():
    p = Parameter()
    assert p.array is None
    assert not p.is_initialized
    with pytest.raises(RuntimeError):
        _ = p.grad
    assert p.grad_var is None
    assert Parameter(chainer.initializers.One(np.float16)).dtype == np.float16


def test_contract_135_initialize():
    p = Parameter(2)
    with chainer.using_config("dtype", np.dtype(np.float64)):
        p.initialize((2, 3))
    assert p.dtype == np.float64
    assert p.array.tolist() == [[2] * 3] * 2
    assert np.isnan(p.grad).all()
    p = Parameter(2)
    p.cleargrad()
    p.initialize(2)
    assert p.grad is None
    p = Parameter(2)
    with pytest.warns(DeprecationWarning):
        p.zerograd()
    p.initialize((2,))
    assert p.grad.tolist() == [0, 0]
    assert p.grad.dtype == np.float32
    p.initialize((3,))
    assert p.shape == (3,)


def test_contract_136_update():
    calls = []

    class Rule(chainer.UpdateRule):
        def update(self, parameter):
            calls.append(parameter)

    p = Parameter(np.ones(2, np.float32))
    p.update()
    p.update_rule = Rule()
    p.update()
    assert calls[0] is p


def test_contract_137_the_device_is_remembered():
    p = Parameter()
    p.to_device("@numpy")
    p.initialize((2,))
    assert p.device == chainer.get_device("@numpy")
    assert isinstance(p, Variable)
    with pytest.raises(TypeError):
        hash(p)


def test_contract_138_registration():
    class Link(chainer.Link):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.W = Parameter(1, (2,))
            self.unregistered = Parameter(1, (2,))

    link = Link()
    assert link.W.name == "W"
    assert [p is link.W for p in link.params()] == [True]


def test_contract_139_invalid_type():
    with pytest.raises(InvalidType) as raised:
        chainer.functions.linear(Variable(np.ones((3, 4), np.float32)), Variable(np.ones((2, 5), np.float32)))
    text = str(raised.value)
    assert text.startswith("\nInvalid operation is performed in: LinearFunction (Forward)")
    assert text.endswith("\n\nExpect: x.shape[1] == W.shape[1]\nActual: 4 != 5")
    assert isinstance(raised.value, Exception)


def test_contract_140_expressions():
    x = type_check.Variable(10, "x")
    y = type_check.Variable((1, 2, 3), "y")
    T = type_check
    for condition, expect, actual in (
        (x == 3, "x == 3", "10 != 3"),
        (x != 10, "x != 10", "10 == 10"),
        (x < 3, "x < 3", "10 >= 3"),
        (x >= 11, "x >= 11", "10 < 11"),
        (x + 2 == y[1] * 4, "x + 2 == y[1] * 4", "12 != 8"),
        ((x + 2) * 3 == 5, "(x + 2) * 3 == 5", "36 != 5"),
        (-x == 1, "-x == 1", "-10 != 1"),
        (x // 3 == x % 3, "x // 3 == x % 3", "3 != 1"),
        (2 - x == 0, "2 - x == 0", "-8 != 0"),
        (y[-1] == 7, "y[-1] == 7", "3 != 7"),
        (y[1:] == (1,), "y[1:] == (1,)", "(2, 3) != (1,)"),
        (x.real == 5, "x.real == 5", "10 != 5"),
    ):
        with pytest.raises(InvalidType) as raised:
            T.expect(x == 10, condition)
        assert (raised.value.expect, raised.value.actual) == (expect, actual)
    T.expect(x == 10, y[0] == 1)
    assert T.eval(x + 1) == 11
    with pytest.raises(InvalidType, match="cannot broadcast inputs of the following shapes"):
        T.expect_broadcast_shapes(T.Variable((2,), "a"), T.Variable((3,), "b"))
    assert T.same_types(np.ones(2), np.ones(3))
    assert not T.same_types(np.ones(2), 1)
    with chainer.using_config("type_check", False):
        chainer.functions.concat([np.ones((2, 3), np.float32), np.ones((2, 3), np.float64)])
