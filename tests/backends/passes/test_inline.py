"""Calls become what they call."""

import numpy as np

from autodiff import custom_jvp, custom_vjp, grad, jit, make_tape, vmap
from autodiff.backends.passes.rewrite.inline import INLINE
from autodiff.trace.tape import check_tape
from tests.backends.passes.alone import alone
from tests.backends.passes.tapes import names, run, same_bits

inline = alone(INLINE)

X = np.linspace(-1.0, 2.0, 6).reshape(2, 3)
inner = jit(lambda x: np.tanh(x) * x)
clipped = custom_vjp(lambda x: np.clip(x, -1, 1) * 2)
clipped.defvjp(lambda x: (clipped(x), None), lambda residuals, g: (g,))
cubed = custom_jvp(lambda x: x * x * x)
cubed.defjvp(lambda primals, tangents: (cubed(primals[0]), 3 * primals[0] ** 2 * tangents[0]))


def check(fun, plain):
    tape = inline(make_tape(fun)(X))
    check_tape(tape)
    assert {"jit", "custom_vjp", "custom_jvp"}.isdisjoint(names(tape))
    (out,) = run(tape, (X,))
    assert same_bits(out, plain(X))
    return tape


def test_programs_in_programs():
    outer = jit(lambda x: inner(x) + inner(x * 2))
    tape = check(lambda x: outer(x) - 1, lambda x: np.tanh(x) * x + np.tanh(x * 2) * (x * 2) - 1)
    assert names(tape) == ["tanh", "multiply", "multiply", "tanh", "multiply", "add", "subtract"]


def test_functions_with_rules_of_their_own():
    check(lambda x: clipped(x) + cubed(x), lambda x: np.clip(x, -1, 1) * 2 + x * x * x)


def test_derivatives_of_programs():
    plain = grad(lambda x: np.sum(np.tanh(x) * x))
    assert names(check(grad(lambda x: np.sum(inner(x))), plain))


def test_batches_of_programs():
    check(vmap(inner), lambda x: np.tanh(x) * x)


def test_lines_of_the_user_stay():
    tape = inline(make_tape(lambda x: inner(x))(X))
    assert all(equation.source.startswith("test_inline.py:") for equation in tape.equations)


def test_numbers_of_python_stay_weak():
    tape = inline(make_tape(lambda x, y: jit(lambda a: a * 2)(x) * y)(2.0, X.astype(np.float32)))
    check_tape(tape)
    assert [repr(e.specs[0]) for e in tape.equations] == ["float", "float32[2,3]"]
