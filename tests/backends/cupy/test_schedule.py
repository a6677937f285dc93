"""How tapes are run on a GPU: what becomes one kernel, and what is computed where."""

from dataclasses import replace

import numpy as np
import pytest

from autodiff import grad, make_tape
from autodiff.backends.cupy.schedule import on_device, schedule_for_gpu
from autodiff.backends.passes.rewrite.known import use_constants
from autodiff.trace.spec import spec

F = np.float32


def array(*shape, dtype=F):
    return spec(shape, dtype)


def scheduled(fun, *args):
    recorded = use_constants(make_tape(fun)(*args))
    return schedule_for_gpu(replace(recorded, constants=(), arguments=None, results=None))


def names(tape):
    return [equation.primitive.name for equation in tape.equations]


def inner(equation):
    return dict(equation.params)["tape"]


def test_single_numbers_that_are_computed_from_arrays_are_arrays():
    tape = make_tape(lambda x, n: (np.sum(x) * 2, n + 1))(array(3), 1.0)
    assert [equation.specs[0].kind for equation in on_device(tape).equations] == ["array", "array", "python"]


@pytest.mark.parametrize(
    ("fun", "args", "kernels"),
    [
        (lambda x: np.mean(x * x), (array(1000),), 1),
        (lambda x: np.sqrt(np.sum(x * x)) / np.max(x), (array(1000),), 1),
        (lambda x, y: np.mean(x) * y + 1, (array(1000), array()), 1),
        (lambda x, y: (np.mean(x) + np.mean(y), x * y), (array(10), array(10)), 1),
        (lambda x, y: np.mean(x) + np.mean(y), (array(10), array(2_000_000)), 2),
        (lambda x: x / np.sum(x), (array(1000),), 2),
        (lambda x: np.mean(np.exp(x - np.mean(x))), (array(1000),), 2),
        (lambda a, b: (a * b + 1) / np.sqrt(b), (array(), array()), 1),
        (lambda x, b: np.sum(np.maximum(x + b, 0) ** 2, axis=0), (array(64, 10), array(10)), 1),
        (lambda x: np.sum(x * x, axis=(0, 2, 3)), (array(8, 4, 5, 5),), 2),
    ],
)
def test_kernels(fun, args, kernels):
    tape = scheduled(fun, *args)
    assert names(tape).count("device_kernel") == kernels
    assert set(names(tape)) <= {"device_kernel", "reshape"}


def test_what_slices_of_one_array_send_back_is_put_together_by_one_kernel():
    def attention(x):
        queries, keys, values = np.transpose(x.reshape(2, 6, 3, 4, 5), (2, 0, 3, 1, 4))
        return np.sum(np.tanh(queries @ np.swapaxes(keys, -1, -2) @ values))

    tape = scheduled(grad(attention), array(2, 6, 60))
    kernels = [equation for equation in tape.equations if "tape" in dict(equation.params)]
    made = [name for kernel in kernels for name in names(inner(kernel))]
    assert "slice_into" not in made
    assert made.count("stack") == 1


def test_gates_that_are_split_are_added_by_the_kernel_that_reads_them():
    def step(x, h, w, u, b):
        entry, forget, change, leave = np.split(x @ w + h @ u + b, 4, axis=1)
        return np.tanh(leave) * np.tanh(np.exp(-forget) * h + np.exp(-entry) * np.tanh(change))

    tape = scheduled(step, array(5, 8), array(5, 8), array(8, 32), array(8, 32), array(32))
    assert names(tape).count("device_kernel") == 1


def test_what_waits_for_totals_stands_last_in_its_kernel():
    (equation,) = scheduled(lambda x, y: (np.mean(x) * y, np.sum(x)), array(1000), array()).equations
    tape = inner(equation)
    assert [e.primitive.name for e in tape.equations] == ["sum", "divide", "multiply"]
    assert len(equation.results) == len(tape.outputs) == 2
    assert equation.operands == (0, 1)


def test_a_total_that_others_need_too_is_an_output():
    tape = scheduled(lambda x, w: (np.sum(x) / 3, w * np.sum(x)), array(1000), array(7))
    first, second = tape.equations
    assert len(first.results) == 2
    assert first.results[0] in second.operands


def test_kernels_that_wait_for_other_arrays_stay_apart():
    tape = scheduled(lambda x, w: np.sum(x) * np.linalg.det(w), array(1000), array(3, 3))
    assert [name for name in names(tape) if name != "device_kernel"] == ["det"]
    assert names(tape)[-1] == "device_kernel"
