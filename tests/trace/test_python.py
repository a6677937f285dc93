"""Tapes as Python source: executed, they compute the same."""

from typing import Any

import numpy as np
import pytest

from autodiff import checkpoint, make_tape, tape_python
from autodiff.trace.parameters import instance_of
from autodiff.trace.primitive import Primitive
from autodiff.trace.tape import TapeError

from .tapes import FUNCTIONS, X
from .test_tape import assert_same


def executed(source: str, name: str = "tape") -> Any:
    scope: dict[str, Any] = {}
    exec(compile(source, "<tape>", "exec"), scope)
    return scope[name]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_source_computes_the_same(name: str) -> None:
    fun, args = FUNCTIONS[name]
    assert_same(executed(tape_python(make_tape(fun)(*args)))(*args), fun(*args))


def test_numpy_has_most_operations() -> None:
    def fun(p: Any) -> Any:
        y = np.sin(p["w"]) * p["b"]
        return {"y": [y.reshape(3, 1)[::-1, 0], np.sum(y)], "none": None}

    assert (
        tape_python(make_tape(fun)({"w": X, "b": 2.0}), "forward")
        == """\
import numpy as np


def forward(argument_1):
    a = argument_1['b']
    b = argument_1['w']
    c = np.sin(b)
    d = np.multiply(c, a)
    e = np.reshape(d, (3, 1))
    f = e[::-1, 0]
    g = np.add.reduce(d, axis=(-1,))
    return {'none': None, 'y': [f, g]}
"""
    )


def test_calls_become_functions() -> None:
    inner = checkpoint(np.tanh)
    assert (
        tape_python(make_tape(checkpoint(lambda x: inner(x) + 1.0))(X))
        == """\
import numpy as np


def checkpoint_2(a):
    b = np.tanh(a)
    return (b,)


def checkpoint_1(a):
    (b,) = checkpoint_2(a)
    c = np.add(b, 1.0)
    return (c,)


def tape(a):
    (b,) = checkpoint_1(a)
    return b
"""
    )


def test_small_constants_are_readable() -> None:
    weights = np.array([[1.0, np.nan], [-np.inf, -0.0]], np.float32)
    source = tape_python(make_tape(lambda x: x * weights)(X[:2]))
    assert source.splitlines()[2] == (
        'constant_1 = np.array([1.0, np.nan, -np.inf, -0.0], dtype=np.dtype("float32")).reshape((2, 2))'
    )


def test_other_operations_are_called_by_name() -> None:
    source = tape_python(make_tape(lambda x: x[np.array([0, 0])])(X))
    assert "from autodiff.trace.primitive import PRIMITIVES\n" in source
    assert 'PRIMITIVES["gather"](a, ' in source


def test_names_are_no_words_of_python() -> None:
    def chain(x: Any) -> Any:
        for _ in range(400):
            x = x * 0.5
        return x

    source = tape_python(make_tape(chain)(1.0))
    assert executed(source)(1.0) == 0.5**400


def test_a_parameter_that_cannot_be_written() -> None:
    by = {"by": instance_of(frozenset, "a set")}
    odd = Primitive("odd_one", "linear", ("x",), lambda x, *, by: x, lambda x, *, by: x, {}, params=by, register=False)
    tape = make_tape(lambda x: odd(x, by=frozenset()))(X)
    with pytest.raises(TapeError) as error:
        tape_python(tape)
    assert str(error.value) == "the parameter by of odd_one is a frozenset, which cannot be written as source"
