"""All passes together."""

import numpy as np
import pytest

from autodiff import checkpoint, cond, grad, jit, make_tape, scan, value_and_grad, while_loop
from autodiff.backends.passes import simplify
from autodiff.trace.tape import check_tape, inner_tapes
from tests.backends.passes.tapes import names, run, same_bits

X = np.linspace(-2, 2, 12).reshape(3, 4)


def body(text):
    """The lines of a tape without the user's lines."""
    return [line.partition("#")[0].strip() for line in text.splitlines()]


def test_the_first_row_of_the_benchmarks():
    def fun(x, a, b):
        return np.sum(np.tanh(a * x + b) * (1 / (1 + np.exp(-x))) + np.log1p(np.exp(-(x**2))))

    tape = simplify(make_tape(value_and_grad(fun))(X[0].astype(np.float32), 2.0, 0.5))
    assert body(str(tape)) == [
        "tape(a: float32[4], b: float, c: float):",
        "d: float32[4] = multiply(b, a)",
        "e: float32[4] = add(d, c)",
        "f: float32[4] = tanh(e)",
        "g: float32[4] = negative(a)",
        "h: float32[4] = exp(g)",
        "i: float32[4] = add(1.0, h)",
        "j: float32[4] = divide(1.0, i)",
        "k: float32[4] = multiply(f, j)",
        "l: float32[4] = square(a)",
        "m: float32[4] = negative(l)",
        "n: float32[4] = exp(m)",
        "o: float32[4] = log1p(n)",
        "p: float32[4] = add(k, o)",
        "q: float32[] = sum(p, axes=(-1,))",
        "r: float32[4] = add(1.0, n)",
        "s: float32[4] = multiply(k, j)",
        "t: float32[4] = square(f)",
        "u: float32[4] = subtract(1.0, t)",
        "v: float32[4] = multiply(j, u)",
        "w: float32[4] = divide(n, r)",
        "x: float32[4] = multiply(s, h)",
        "y: float32[4] = multiply(v, b)",
        "z: float32[4] = multiply(2.0, a)",
        "ba: float32[4] = multiply(w, z)",
        "bb: float32[4] = subtract(y, ba)",
        "bc: float32[4] = add(bb, x)",
        "return q, bc",
    ]


def test_softmax_cross_entropy():
    def loss(z, i):
        y = z - np.max(z, axis=1, keepdims=True)
        return -np.mean((y - np.log(np.sum(np.exp(y), axis=1, keepdims=True)))[np.arange(4), i])

    z = np.linspace(-3, 3, 20).reshape(4, 5)
    tape = make_tape(value_and_grad(loss))(z, np.array([0, 4, 2, 1]))
    after = simplify(tape)
    check_tape(after)
    assert len(tape.equations) == 51
    assert [line.split(" = ")[1].split("(")[0] for line in body(str(after))[-9:-1]] == [
        "scatter_add",
        "reshape",
        "sum",
        "subtract",
        "divide",
        "reshape",
        "multiply",
        "add",
    ]


def step(carry, x):
    after = np.tanh(carry * x * 1 + x)
    return after, after**2


@pytest.mark.parametrize(
    "fun",
    [
        lambda x: scan(step, x[0] * 1.0, x)[1],
        grad(lambda x: np.sum(scan(step, x[0] * 1.0, x)[1])),
        jit(lambda x: cond(np.sum(x) > -1, lambda x: x * 1, lambda x: x * 2, x)),
        lambda x: while_loop(lambda c: np.sum(c * 1) < 100, lambda c: c * c + 1, x),
        grad(lambda x: np.sum(while_loop(lambda c: np.sum(c * 1) < 100, lambda c: c * c + 1, x, max_steps=9))),
        grad(checkpoint(lambda x: np.sum(np.sin(np.sin(x * 1) * 1)))),
    ],
)
def test_tapes_in_loops_branches_and_checkpoints_are_simplified_too(fun):
    tape = make_tape(fun)(X)
    after = simplify(tape, exact=True)
    check_tape(after)
    inner = [own for equation in after.equations for _, own in inner_tapes(equation)]
    assert inner
    literals = [o for own in inner for e in own.equations for o in e.operands if not isinstance(o, int)]
    assert "1" not in map(repr, literals)
    plain = simplify(make_tape(lambda x: fun(x))(X), exact=True)
    for one, other in zip(run(after, (X,)), run(plain, (X,)), strict=True):
        assert same_bits(one, other)


def test_loops_keep_carries_that_share_nothing():
    def fun(x):
        return scan(lambda c, _: ((c[0] + 1, c[0] + 1), None), (x, x * 2), length=2)[0]

    tape = make_tape(fun)(X)
    after = simplify(tape)
    ((_, own),) = inner_tapes(after.equations[-1])
    assert names(own) == ["add", "copy"]
    one, other = run(after, (X,))
    assert same_bits(one, other)
    assert not np.may_share_memory(one, other)


def test_numbers_of_python_and_scalars_keep_their_kinds():
    tape = make_tape(lambda x, n, s: (x * 1, n + 0, s / 1, x * n, np.negative(-s), x**2))(1.5, 2, np.float32(3))
    after = simplify(tape)
    check_tape(after)
    args = (1.5, 2, np.float32(3))
    for one, other in zip(run(tape, args), run(after, args), strict=True):
        assert same_bits(one, other)


def test_a_simplified_tape_is_simple():
    for fun in (grad(lambda x: np.sum(np.tanh(x @ x.T) ** 3)), lambda x: np.linalg.inv(x @ x.T)):
        after = simplify(make_tape(fun)(X))
        assert simplify(after) == after


def test_the_lines_of_the_user_stay():
    after = simplify(make_tape(lambda x: np.sin(x) * 2 / 4)(X))
    assert all(equation.source.startswith("test_simplify.py:") for equation in after.equations)


def test_the_effort_grows_with_the_length(monkeypatch):
    from autodiff.backends.passes.rewrite.rewriting import Builder

    placed = []
    place = Builder.place

    def counted(self, equation):
        placed.append(equation)
        return place(self, equation)

    monkeypatch.setattr(Builder, "place", counted)

    def deep(layers):
        def fun(x):
            for _ in range(layers):
                x = np.tanh(x - np.mean(x, axis=1, keepdims=True)) / (1 + np.exp(-x))
            return np.sum(x)

        placed.clear()
        tape = make_tape(grad(fun))(X)
        simplify(tape)
        return len(placed) / len(tape.equations)

    assert deep(64) <= 1.2 * deep(8) < 10
