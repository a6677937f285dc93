"""Variables inside and outside of the transformations of functions."""

import numpy as np
import pytest

from autodiff import grad, jvp, make_tape, value_and_grad, vjp, vmap
from autodiff.facade import Parameter, Variable
from autodiff.trace.errors import LeakedTracerError

A = np.array([4.0, 5.0, 6.0])
P = np.array([1.0, 2.0, 3.0])


def test_a_parameter_outside_stays_connected():
    p = Parameter(P)
    g = grad(lambda x: np.sum(x * p * x))(A)
    assert type(g) is Variable
    np.testing.assert_allclose(g.array, 2 * A * P)
    np.sum(g).backward()
    np.testing.assert_allclose(p.grad, 2 * A)


def test_a_variable_made_inside_and_a_parameter_made_outside():
    p = Parameter(P)

    def f(x):
        v = Variable(x)
        return np.sum(v * v * v * p)

    value, g = value_and_grad(f)(A)
    assert type(value) is Variable
    np.testing.assert_allclose(value.array, np.sum(A**3 * P))
    np.testing.assert_allclose(g.array, 3 * A**2 * P)
    np.sum(g).backward()
    np.testing.assert_allclose(p.grad, 3 * A**2)


def test_backward_inside():
    def f(x):
        v = Variable(x)
        np.sum(v * v * v).backward()
        return np.sum(v.grad)

    np.testing.assert_allclose(grad(f)(A), 6 * A)


def test_backward_inside_does_not_reach_outside():
    p = Variable(P)

    def f(x):
        np.sum(Variable(x) * (p * Variable(P))).backward()
        return np.sum(x)

    with pytest.raises(LeakedTracerError, match=r"reached a Variable that was made outside"):
        grad(f)(A)
    assert p.grad is None


def test_a_traced_value_cannot_be_written_outside():
    p = Variable(P)

    def f(x):
        p.array = x
        return np.sum(x)

    with pytest.raises(LeakedTracerError, match="was assigned to a Variable made before it began"):
        grad(f)(A)
    assert p.array is P


def test_variables_as_arguments():
    v = Variable(np.array(2.0))
    g = grad(grad(lambda x: x**3))(v)
    assert g.item() == 12
    g.backward()
    assert v.grad == 6
    value, pullback = vjp(np.tanh, v)
    assert type(value) is Variable
    assert type(pullback(np.array(1.0))[0]) is Variable
    branch = grad(lambda x: x**2 if x > 1 else x)(v)
    assert branch.item() == 4


def test_forward_mode():
    p = Parameter(P)
    value, tangent = jvp(lambda x: x * p, (A,), (np.ones(3),))
    assert type(value) is Variable
    assert tangent.array.tolist() == P.tolist()
    np.sum(tangent).backward()
    assert p.grad.tolist() == [1, 1, 1]
    assert jvp(lambda x: Variable(x) * 2.0, (A,), (A,))[1].tolist() == (2 * A).tolist()


def test_batches_capture_variables():
    p = Parameter(P)
    for f in (lambda x: np.sum(x * p), lambda x: np.sum(Variable(x) * p), lambda x: np.sum(x * (p * 1.0))):
        out = vmap(f)(np.ones((2, 3)))
        assert type(out) is Variable
        p.cleargrad()
        np.sum(out).backward()
        assert p.grad.tolist() == [2, 2, 2]
    assert vmap(lambda x: np.sum(x * x))(Variable(np.ones((2, 3)))).array.tolist() == [3, 3]


def test_a_tape_of_variables_made_inside():
    tape = make_tape(lambda x: Variable(x) * 2.0)(np.ones(3))
    assert [equation.primitive.name for equation in tape.equations] == ["multiply"]
