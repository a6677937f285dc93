"""donate_argnums: which arrays are given up."""

from functools import partial

import numpy as np
import pytest

from autodiff import Variable, grad, vmap
from autodiff import jit as jit_

jit = partial(jit_, backend="numpy")


def step(params, x, lr=0.1):
    return {name: p - lr * x for name, p in params.items()}, x.sum()


def params():
    return {"w": np.ones(4), "b": np.zeros(4), "scale": 2.0}


def test_results_are_those_of_the_function():
    plain, donating = jit(step), jit(step, donate_argnums=(0, 1))
    for _ in range(4):
        expected = plain(params(), np.arange(4.0))
        found = donating(params(), np.arange(4.0))
        assert found[1] == expected[1]
        for name, value in expected[0].items():
            np.testing.assert_array_equal(found[0][name], value)


def test_the_paths_of_what_is_given_up():
    jitted = jit(step, donate_argnums=0)
    given = params()
    assert jitted.donated(given, np.ones(4)) == ["args[0]['b']", "args[0]['w']"]
    assert jit(step, donate_argnums=-2).donated(given, np.ones(4)) == ["args[1]"]
    assert jit(step, donate_argnums=1).donated(given, x=np.ones(4)) == []
    assert jit(step, donate_argnums=2).donated(given, np.ones(4), 0.5) == []


def read_only():
    array = np.ones(4)
    array.flags.writeable = False
    return array


class Array(np.ndarray):
    pass


x = np.ones(4)
LEFT_ALONE = {
    "a view": (np.ones(8)[::2], np.ones(4)),
    "read-only": (read_only(), np.ones(4)),
    "a subclass": (np.ones(4).view(Array), np.ones(4)),
    "the same array": (x, x),
    "shown by the other": (x, x[::-1]),
    "shown by a view of a view": (x, x[::-1][::-1]),
    "not of this process's memory": (np.frombuffer(bytearray(32)), np.ones(4)),
}


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_arrays_that_others_see_are_left_alone(name):
    first, second = LEFT_ALONE[name]
    jitted = jit(lambda x, y: x * y, donate_argnums=0)
    before = first.copy(), second.copy()
    for _ in range(3):
        assert jitted.donated(first, second) == []
        np.testing.assert_array_equal(jitted(first, second), before[0] * before[1])
        np.testing.assert_array_equal(first, before[0])
        np.testing.assert_array_equal(second, before[1])


def test_the_program_knows_what_it_may_write_to():
    jitted = jit(lambda x, y: x * y, donate_argnums=(0, 1))
    a = np.ones(4)
    for args in ((np.ones(4), np.ones(4)), (a, a), (np.ones(4), a[:]), (a[:], np.ones(4))):
        jitted(*args)
    (recorded,) = jitted.programs.values()
    assert {key: program.donated for key, program in recorded.reusing.items()} == {
        (): (),
        (0, 1): (0, 1),
        (0,): (0,),
        (1,): (1,),
    }
    assert all(program.choice.name == "numpy" for program in recorded.reusing.values())


def test_under_other_transformations_nothing_is_given_up():
    jitted = jit(lambda x: np.sum(x**2), donate_argnums=0)
    a = np.arange(3.0)
    for _ in range(3):
        np.testing.assert_array_equal(grad(jitted)(a), 2 * a)
        np.testing.assert_array_equal(vmap(jitted)(a), a**2)
        variable = Variable(a)
        jitted(variable).backward()
        np.testing.assert_array_equal(variable.grad, 2 * a)
    np.testing.assert_array_equal(a, np.arange(3.0))
    (recorded,) = [found for found in jitted.programs.values() if found.specs[0].shape == (3,)]
    assert list(recorded.reusing) == [()]


def test_with_static_arguments():
    jitted = jit(lambda n, x, y: n * x * y, static_argnums=0, donate_argnums=2)
    assert jitted.donated(3, np.ones(2), np.ones(2)) == ["args[2]"]
    np.testing.assert_array_equal(jitted(3, np.ones(2), np.ones(2)), [3.0, 3.0])
