"""Debug mode: an array that was changed in place before the backward pass that needs it is an error."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff.chainer.functions as F
import autodiff.chainer.links as L
from autodiff import Variable
from autodiff.chainer import Function, FunctionNode
from autodiff.facade.settings.configuration import using_config


def variable():
    return Variable(np.array([[1.0, 2.0, 3.0]], np.float32))


class Cube(FunctionNode):
    def forward(self, inputs):
        self.retain_inputs((0,))
        return (inputs[0] ** 3,)

    def backward(self, indexes, grad_outputs):
        (x,) = self.get_retained_inputs()
        return (3 * x**2 * grad_outputs[0],)


class Logistic(FunctionNode):
    def forward(self, inputs):
        self.retain_outputs((0,))
        return (1 / (1 + np.exp(-inputs[0])),)

    def backward(self, indexes, grad_outputs):
        (y,) = self.get_retained_outputs()
        return (y * (1 - y) * grad_outputs[0],)


class OldCube(Function):
    def forward(self, inputs):
        return (inputs[0] ** 3,)

    def backward(self, inputs, grad_outputs):
        return (3 * inputs[0] ** 2 * grad_outputs[0],)


def constant_changed(x):
    c = np.ones((1, 3), np.float32)
    return x * c, c


def operand_changed(x):
    return x * variable(), x.array


def result_changed(x):
    y = F.exp(x)
    return y, y.array


def part_changed(x):
    first, second, _ = F.split_axis(x * 2, 3, 1)
    return first * second, second.array


def weight_changed(x):
    link = L.Linear(3, 2)
    return link(x), link.W.array


def recorded_function_changed(x):
    return F.softmax(x), x.array  # the result is needed, the operand is not


def recorded_result_changed(x):
    y = F.softmax(x)
    return y, y.array


def of_function_node(x):
    return Cube().apply((x,))[0], x.array


def result_of_function_node(x):
    y = Logistic().apply((x,))[0]
    return y, y.array


def of_old_function(x):
    return OldCube()(x), x.array


CHANGES = [
    (constant_changed, "operand 1 of _ * _"),
    (operand_changed, "operand 0 of _ * _"),
    (result_changed, "the result of exp"),
    (part_changed, "operand 1 of _ * _"),
    (weight_changed, "operand 1 of LinearFunction"),
    (recorded_result_changed, "the result of Softmax"),
    (of_function_node, "operand 0 of Cube"),
    (result_of_function_node, "the result of Logistic"),
]


@pytest.mark.parametrize(
    ("compute", "what", "double"),
    [
        *((compute, what, double) for compute, what in CHANGES for double in (False, True)),
        (of_old_function, "operand 0 of OldCube", False),  # which cannot be differentiated twice
    ],
)
def test_a_change_is_an_error(compute, what, double):
    with using_config("debug", True):
        y, array = compute(variable())
        total = F.sum(y)
        array[...] = 7
        with pytest.raises(RuntimeError) as caught:
            total.backward(enable_double_backprop=double)
    text, _, stack = str(caught.value).partition("\nStacktrace of the function is below:\n")
    found, _, rest = text.partition(" (test_changed_arrays.py:")
    assert found == what
    line, _, rest = rest.partition("), float32[")
    assert f"line {line}, in {compute.__name__}" in stack
    _, _, rest = rest.partition("], was changed in place before the backward pass (test_changed_arrays.py:")
    assert rest.partition(")")[2] == (
        " that needs it: the gradient would be that of other numbers. Copy it before it is changed, or assign a new "
        "array to the Variable."
    )


def test_what_is_not_needed_may_change():
    with using_config("debug", True):
        for compute in (recorded_function_changed, lambda x: (x + np.ones((1, 3), np.float32), x.array)):
            y, array = compute(variable())
            array[...] = 7
            F.sum(y).backward()


def test_arrays_that_are_assigned_count():
    with using_config("debug", True):
        x, y = variable(), variable()
        z = F.sum(x * y)
        x.array = 2 * x.array
        z.backward()
    np.testing.assert_array_equal(y.grad, [[2.0, 4.0, 6.0]])


def test_steps_of_training_change_parameters_between_graphs():
    with using_config("debug", True):
        w = variable()
        for _ in range(3):
            w.cleargrad()
            F.sum(w**2).backward()
            w.array -= np.float32(0.1) * w.grad
    np.testing.assert_allclose(w.array, np.array([[1.0, 2.0, 3.0]]) * 0.8**3, rtol=1e-6)


def test_outside_of_debug_mode_nothing_is_looked_at():
    x = variable()
    y = F.sum(x**2)
    x.array[...] = 1
    y.backward()
    np.testing.assert_array_equal(x.grad, [[2.0, 2.0, 2.0]])
