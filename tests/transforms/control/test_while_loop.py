"""while_loop and fori_loop: equal to Python's loops, in every mode and order."""

from typing import Any

import numpy as np
import pytest

from autodiff import Variable, check_tape, eval_tape, grad, jit, jvp, make_tape, vmap
from autodiff.transforms.control.cond import cond
from autodiff.transforms.control.scan import scan
from autodiff.transforms.control.while_loop import fori_loop, while_loop

from .loops import check_against, names_on, staged

POINTS = [(0.1, 1.6), (0.9, 1.5), (4.0, 1.4), (6.0, 2.0)]


@pytest.mark.parametrize("max_steps", [None, 12])
def test_a_while_loop_is_a_loop(max_steps: Any) -> None:
    def advance(c: Any, x: Any, a: Any) -> Any:
        return c[0] * a + np.sin(x) + 1, c[1] * np.cos(c[0] * x), c[2] + 1

    def fun(x: Any, a: Any) -> Any:
        c = while_loop(lambda c: c[0] < 5.0, lambda c: advance(c, x, a), (x, 1.0, 0), max_steps)
        return c[0] ** 2 + np.sin(c[1])

    def loop(x: Any, a: Any) -> Any:
        c = (x, 1.0, 0)
        while c[0] < 5.0:
            c = advance(c, x, a)
        return c[0] ** 2 + np.sin(c[1])

    check_against(fun, loop, POINTS)
    check_against(
        lambda a, x: fun(x, a), lambda a, x: loop(x, a), [p[::-1] for p in POINTS], ["grad", "jacfwd of grad"]
    )


def test_on_a_tape_it_is_one_operation_whatever_it_does() -> None:
    fun = lambda x: while_loop(lambda c: c < 100, lambda c: c * x, x)  # noqa: E731
    assert names_on(make_tape(fun)(1.5)) == ["while_loop"]
    assert names_on(make_tape(grad(fun))(1.5)) == ["while_loop_backwards", "add"]
    assert staged(grad(fun))(1.5) == pytest.approx(12 * 1.5**11)


def test_examples_that_have_stopped_keep_their_carry() -> None:
    steps = vmap(lambda n: while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] * 2), (0, 1.0)))(np.arange(4))
    assert steps[0].tolist() == [0, 1, 2, 3]
    assert steps[1].tolist() == [1.0, 2.0, 4.0, 8.0]


def test_a_condition_that_is_the_same_for_all_examples_selects_nothing() -> None:
    fun = lambda x: while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * x), (0, x))  # noqa: E731
    tape = make_tape(vmap(fun))(np.arange(4.0))
    check_tape(tape)
    params = dict(next(e for e in tape.equations if e.primitive.name == "while_loop").params)
    assert names_on(params["body"]) == ["add", "multiply"]
    assert eval_tape(tape, np.arange(4.0))[1].tolist() == [0.0, 1.0, 16.0, 81.0]


def test_loops_in_loops_and_branches() -> None:
    def fun(x: Any) -> Any:
        def body(c: Any) -> Any:
            inner = scan(lambda d, k: (d + np.sin(k * x), None), c[1], np.arange(3.0))[0]
            return c[0] + 1, cond(inner > 2, lambda: inner * 0.5, lambda: inner + x)

        return while_loop(lambda c: c[0] < 3, body, (0, x))[1]

    def loop(x: Any) -> Any:
        c = x
        for _ in range(3):
            for k in np.arange(3.0):
                c = c + np.sin(k * x)
            c = c * 0.5 if c > 2 else c + x
        return c

    check_against(fun, loop, [(0.3,), (0.8,), (-0.5,)], ["value", "grad", "jvp", "jacfwd of grad"])


def test_newtons_method_in_a_batch() -> None:
    def root(a: Any) -> Any:
        return while_loop(lambda x: np.abs(x * x - a) > 1e-12 * a, lambda x: (x + a / x) / 2, a)

    numbers = np.linspace(0.5, 50, 20)
    np.testing.assert_allclose(vmap(root)(numbers), np.sqrt(numbers))
    np.testing.assert_allclose(vmap(grad(root))(numbers), 0.5 / np.sqrt(numbers), rtol=1e-5)
    np.testing.assert_allclose(grad(lambda a: np.sum(vmap(root)(a)))(numbers), 0.5 / np.sqrt(numbers), rtol=1e-5)


def test_no_steps_at_all() -> None:
    fun = lambda x: while_loop(lambda c: c < 0, lambda c: c * 2, x)  # noqa: E731
    assert fun(3.0) == staged(fun)(3.0) == 3.0
    assert grad(fun)(3.0) == staged(grad(fun))(3.0) == 1.0


def test_the_callers_array_is_not_written_to() -> None:
    def body(c: Any) -> Any:
        c += 1
        return c

    init = np.zeros(2)
    assert while_loop(lambda c: c[0] < 3, body, init).tolist() == [3.0, 3.0]
    assert init.tolist() == [0.0, 0.0]


def test_a_fori_loop_with_known_bounds() -> None:
    def loop(x: Any) -> Any:
        c = x
        for i in range(1, 5):
            c = c * x + i
        return c

    check_against(lambda x: fori_loop(1, 5, lambda i, c: c * x + i, x), loop, [(0.3,), (1.7,)])
    assert fori_loop(3, 3, lambda i, c: c * 2, 1.5) == fori_loop(3, 1, lambda i, c: c * 2, 1.5) == 1.5
    assert staged(lambda x: fori_loop(3, 1, lambda i, c: c * 2, x))(1.5) == 1.5


def test_the_index_is_a_python_number() -> None:
    x = np.ones(2, np.float32)
    seen = []
    assert fori_loop(0, 2, lambda i, c: seen.append(type(i)) or c * i, x).dtype == np.float32  # type: ignore[func-returns-value]
    assert seen == [int, int]
    assert staged(lambda x: fori_loop(0, 2, lambda i, c: c * i, x))(x).dtype == np.float32


def test_a_fori_loop_with_traced_bounds() -> None:
    def fun(x: Any, n: Any) -> Any:
        return fori_loop(0, n, lambda i, c: c * x + i, x)

    def loop(x: Any, n: Any) -> Any:
        c = x
        for i in range(int(n)):
            c = c * x + np.float64(i)
        return c

    check_against(fun, loop, [(0.3, 3), (0.7, 1), (1.2, 4)])


def test_what_stopped_examples_compute_has_no_influence() -> None:
    def fun(x: Any) -> Any:
        return while_loop(lambda c: c > 1.0, lambda c: np.log(c) * 1.5, x)

    def loop(x: Any) -> Any:
        while x > 1.0:
            x = np.log(x) * 1.5
        return x

    points = np.array([0.0, -1.0, 3.0, 1.0, 40.0])  # the logarithms of the first two are not finite
    np.testing.assert_allclose(vmap(fun)(points), [loop(x) for x in points])
    np.testing.assert_allclose(vmap(grad(fun))(points), [grad(loop)(x) for x in points])
    np.testing.assert_allclose(grad(lambda x: np.sum(vmap(fun)(x)))(points), [grad(loop)(x) for x in points])
    bounded = lambda x: while_loop(lambda c: c > 1.0, lambda c: np.log(c) * 1.5, x, max_steps=5)  # noqa: E731
    with np.errstate(all="ignore"):  # inside of a scan NumPy warns of what is not taken
        found = vmap(grad(bounded))(points)
    np.testing.assert_allclose(found, [grad(loop)(x) for x in points])


@pytest.mark.parametrize("max_steps", [None, 9])
def test_variables(max_steps: Any) -> None:
    fun = lambda x: while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * x), (0, x), max_steps)[1]  # noqa: E731
    for run in (fun, lambda x: eval_tape(make_tape(fun)(np.array(2.0)), x)):
        x = Variable(np.array(2.0))
        run(x).backward()
        assert x.grad == 32.0


def test_a_count_that_differs_between_examples_still_gives_way_to_other_dtypes() -> None:
    def counted(x: Any) -> Any:
        steps, _ = while_loop(lambda s: s[1] < 100, lambda s: (s[0] + 1, 2 * s[1]), (0, x))
        return np.float32(0.5) * x + steps, steps * 0.5, x < steps, steps + steps

    x = np.array([1, 3, 50], np.float32)
    wanted = [np.stack(column) for column in zip(*map(counted, x), strict=True)]
    for found, one in zip(vmap(counted)(x), wanted, strict=True):
        assert found.dtype == one.dtype
        np.testing.assert_array_equal(found, one)


@pytest.mark.parametrize("run", [lambda f: f, jit], ids=["eager", "jit"])
def test_loops_without_a_step_give_what_a_step_would(run: Any) -> None:
    for init in (1.0, 1):
        for loop in (
            lambda c: fori_loop(0, 0, lambda i, c: np.fabs(c), c),
            lambda c: while_loop(lambda c: c < 0, np.fabs, c),
            lambda c: scan(lambda c, x: (np.fabs(c), c), c, np.zeros(0))[0],
        ):
            found = run(loop)(init)
            assert (type(found), found) == (np.float64, 1.0)
    x = np.ones(2, np.float32)
    assert run(lambda c: np.arctan2(x, fori_loop(0, 0, lambda i, c: np.fabs(c), c)))(1.0).dtype == np.float64


def test_a_body_that_does_not_run_raises_nothing() -> None:
    assert fori_loop(0, 0, lambda i, c: float(c) * 2, 1.0) == 1.0


BODIES = {
    "a tangent that is zero": lambda x, c: 0.5 * c + np.mean(jvp(np.tanh, (x,), (x,))[1]),
    "a kink at zero": lambda x, c: 0.5 * c + np.sum(np.where(x > 0, x, 0.0)),
    "a maximum of equal numbers": lambda x, c: 0.5 * c + np.sum(np.maximum(x, x * x)),
    "constants in the step back": lambda x, c: (
        0.5 * c + np.prod(np.sort(x * c, axis=0)[[0, 0, 2]]) + np.cumsum(c)[::-1]
    ),
    "a branch that takes one operand": lambda x, c: cond(
        np.sum(c) > 1.0, lambda a, b: b, lambda a, b: a, c, c * np.sum(x)
    ),
    "a result on which nothing depends": lambda x, c: 0.5 * c + c * np.sum(x * x) / (c * np.sum(x * x)) * np.sum(x),
    "an overflow that rules avoid": lambda x, c: 0.5 * c + np.sum(np.log(1 + np.exp(x))),
}


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("backend", ["auto", "numpy"])
def test_what_a_compiler_makes_of_a_body_is_not_what_is_differentiated(name: str, backend: str) -> None:
    """Rewriting rules keep values: the derivative of a step is recorded before them."""

    def fun(x: Any, c: Any) -> Any:
        return np.sum(while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, BODIES[name](x, s[1])), (0, c))[1])

    x, c = np.array([[-1.0], [1.0], [0.0]]), np.array([1.0, 2.0, -0.5])
    for k in (0, 1):
        np.testing.assert_allclose(jit(grad(fun, k), backend=backend)(x, c), grad(fun, k)(x, c), rtol=1e-13)


def test_the_step_back_is_compiled() -> None:
    fun = lambda x, n: while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, np.sin(s[1]) * x), (0, x))[1]  # noqa: E731
    program = jit(grad(fun))
    assert program(0.7, 4) == pytest.approx(grad(fun)(0.7, 4), rel=1e-13)
    text = str(program.schedule(0.7, 4))
    assert "back(" in text
    assert text.count("kernel_of_all") == 3


def powers_counted(p: Any) -> Any:
    def body(k: Any, table: Any) -> Any:
        table = table.copy()
        table[k] = p * table[k - 1]
        return table

    return fori_loop(1, 4, body, np.ones(4))[-1]


def powers_until(p: Any) -> Any:
    def body(c: Any) -> Any:
        k, table = c
        table[k] = p * table[k - 1]
        return k + 1, table

    return while_loop(lambda c: c[0] < 4, body, (1, np.ones(4)))[1][-1]


def powers_scanned(p: Any) -> Any:
    def body(c: Any, x: Any) -> Any:
        k, table = c
        table[k] = p * table[k - 1] * x[0]
        x[1] = p
        return (k + 1, table), (table, x)

    (_, table), (tables, rows) = scan(body, (1, np.ones(4)), np.ones((3, 2)))
    return table[-1] + np.sum(tables) + np.sum(rows)


@pytest.mark.parametrize("fun", [powers_counted, powers_until, powers_scanned])
def test_traced_values_may_be_written_to_a_plain_carry(fun: Any) -> None:
    expected = jit(grad(fun))(2.0)
    assert grad(fun)(2.0) == expected
    assert jvp(fun, (2.0,), (1.0,))[1] == expected
    assert vmap(grad(fun))(np.array([2.0]))[0] == expected
    assert grad(grad(fun))(2.0) == jit(grad(grad(fun)))(2.0)


def test_writing_to_a_carry_changes_nobody_elses_array() -> None:
    held = np.ones(3)

    def fun(p: Any) -> Any:
        start = p * np.ones(3)

        def body(k: Any, x: Any) -> Any:
            x[0] = p * x[0]
            return held if k == 1 else x

        return fori_loop(0, 3, body, start)[0] + np.sum(start)

    assert grad(fun)(2.0) == 4.0
    np.testing.assert_array_equal(held, np.ones(3))


def test_a_plain_carry_comes_out_plain_while_something_is_traced() -> None:
    def fun(p: Any) -> Any:
        last = fori_loop(0, 3, lambda k, x: 2 * x, np.ones(3))
        carry, rows = scan(lambda c, x: (c + x, c), np.ones(3), np.ones((4, 3)))
        found = while_loop(lambda x: x[0] < 3, lambda x: x + 1, np.ones(3, np.float32))
        assert {type(x) for x in (last, carry, rows, found)} == {np.ndarray}
        assert found.dtype == np.float32
        return p * last[0]

    assert grad(fun)(2.0) == 8.0
