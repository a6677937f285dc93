"""scan: equal to a Python loop, in every mode and order."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff import Variable, check_tape, checkpoint, eval_tape, grad, hessian, jvp, linearize, make_tape, vjp, vmap
from autodiff.transforms.control.map import map as map_slices
from autodiff.transforms.control.scan import scan
from autodiff.transforms.control.while_loop import fori_loop, while_loop

from .loops import check_against, close, names_on, staged

XS = np.linspace(0.1, 0.9, 7)
POINTS = [(0.3, XS), (-0.4, XS[::-1] * 0.7), (1.2, XS**2)]


def step(c: Any, x: Any) -> Any:
    return np.sin(c) + x * c, c * x


def plain(init: Any, xs: Any, reverse: bool = False) -> Any:
    c, ys = init, [None] * len(xs)
    for k in range(len(xs))[:: -1 if reverse else 1]:
        c, ys[k] = step(c, xs[k])
    return c, np.stack(ys)


def total(result: Any) -> Any:
    return result[0] * 2 + np.sum(result[1] ** 2)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("block", [None, 1, 3, 7, 10, "sqrt"])
def test_a_scan_is_a_loop(reverse: bool, block: Any) -> None:
    def fun(c: Any, xs: Any) -> Any:
        return scan(step, c, xs, reverse=reverse, checkpoint=block)

    close(fun(0.3, XS), plain(0.3, XS, reverse), "values")
    check_against(lambda c, xs: total(fun(c, xs)), lambda c, xs: total(plain(c, xs, reverse)), POINTS)
    flipped = (lambda xs, c: total(fun(c, xs)), lambda xs, c: total(plain(c, xs, reverse)))
    check_against(*flipped, [point[::-1] for point in POINTS], ["grad", "jacfwd of grad"])


def test_what_the_body_closes_over_has_derivatives() -> None:
    def loss(w: Any, loop: Any) -> Any:
        b = np.array([0.1, 0.2])
        return np.sum(loop(lambda c, x: (np.tanh(w @ c + x * b), np.sum(c)), np.ones(2), XS)[1])

    def python(f: Any, c: Any, xs: Any) -> Any:
        ys = []
        for x in xs:
            c, y = f(c, x)
            ys.append(y)
        return c, np.stack(ys)

    points = [(np.array([[0.5, -0.2], [0.3, 0.8]]),), (np.array([[0.1, 0.2], [1.3, -0.8]]),)]
    check_against(lambda w: loss(w, scan), lambda w: loss(w, python), points)


def test_scans_in_scans() -> None:
    def outer(x: Any, loop: Any) -> Any:
        def row(c: Any, r: Any) -> Any:
            return loop(lambda d, s: (d * np.cos(s * x) + c, None), c, r)[0], None

        return loop(row, x, np.arange(6.0).reshape(2, 3))[0]

    def python(f: Any, c: Any, xs: Any) -> Any:
        for x in xs:
            c = f(c, x)[0]
        return c, None

    check_against(lambda x: outer(x, scan), lambda x: outer(x, python), [(0.3,), (0.7,), (-1.1,)])


def test_on_a_tape_it_is_one_operation_and_so_is_its_derivative() -> None:
    for length in (5, 500):
        xs = np.linspace(0, 1, length)
        tape = make_tape(lambda c, xs: scan(step, c, xs))(0.3, xs)
        assert names_on(tape) == ["cast", "scan"]
        gradient = make_tape(grad(lambda c, xs: scan(step, c, xs)[0]))(0.3, xs)
        assert names_on(gradient) == ["cast", "scan", "scan"]


def test_trees_go_in_and_out() -> None:
    def f(carry: Any, x: Any) -> Any:
        return {"n": carry["n"] + 1, "s": (carry["s"][0] + x["a"],)}, [x["a"] * carry["n"], None, {"b": x["b"][0]}]

    xs = {"a": np.arange(3.0), "b": (np.arange(6).reshape(3, 2),)}
    for run in (lambda f: f, staged):
        carry, ys = run(lambda init, xs: scan(f, init, xs))({"n": 0, "s": (1.0,)}, xs)
        assert (carry["n"], carry["s"]) == (3, (4.0,))
        np.testing.assert_array_equal(ys[0], [0.0, 1.0, 4.0])
        assert ys[1] is None
        np.testing.assert_array_equal(ys[2]["b"], [[0, 1], [2, 3], [4, 5]])


def test_integers_in_the_carry_count_and_have_no_derivative() -> None:
    def fun(x: Any) -> Any:
        return scan(lambda c, _: ((c[0] + 1, c[1] * x + c[0]), None), (np.int32(0), x), length=4)[0][1]

    def loop(x: Any) -> Any:
        c = x
        for k in range(4):
            c = c * x + np.float64(k)
        return c

    check_against(fun, loop, [(0.5,), (2.0,)])
    assert scan(lambda c, _: (c + 1, c), np.int32(0), length=3)[1].dtype == np.int32


@pytest.mark.parametrize("run", [lambda f: f, staged], ids=["eager", "staged"])
def test_python_numbers_in_init_take_the_dtype_of_the_carry(run: Any) -> None:
    xs = np.arange(3, dtype=np.float32)
    carry, ys = run(lambda xs: scan(lambda c, x: (c + x, c * x), 0.0, xs))(xs)
    assert (carry.dtype, ys.dtype) == (np.float32, np.float32)
    carry, ys = run(lambda xs: scan(lambda c, x: (c + 1, x * c), 0, xs))(xs)  # a Python int all along, and weak
    assert (type(carry), ys.dtype) == (int, np.float32)
    carry, _ = run(lambda xs: scan(lambda c, x: (0.5, None), np.float32(1), xs))(xs)
    assert (carry, carry.dtype) == (0.5, np.float32)


@pytest.mark.parametrize("run", [lambda f: f, staged], ids=["eager", "staged"])
def test_no_steps_at_all(run: Any) -> None:
    carry, ys = run(lambda c, xs: scan(lambda c, x: (c + x, (c * x, x[0] > 0)), c, xs))(np.ones(2), np.zeros((0, 2)))
    np.testing.assert_array_equal(carry, [1.0, 1.0])
    assert [(y.shape, y.dtype) for y in ys] == [((0, 2), np.float64), ((0,), np.bool_)]
    gradient = run(grad(lambda c, xs: np.sum(scan(step, c, xs)[0]) * 3, (0, 1)))(2.0, np.zeros(0))
    assert gradient[0] == 3.0
    assert gradient[1].shape == (0,)
    assert vmap(lambda c: scan(step, c, np.zeros(0)))(np.arange(2.0))[1].shape == (2, 0)


def test_a_body_may_write_to_what_it_gets() -> None:
    def f(c: Any, x: Any) -> Any:
        c += x
        x *= 2
        return c, c

    init, xs = np.zeros(2), np.arange(6.0).reshape(3, 2)
    carry, ys = scan(f, init, xs)
    np.testing.assert_array_equal(ys, np.cumsum(np.arange(6.0).reshape(3, 2), 0))
    np.testing.assert_array_equal(init, 0)
    np.testing.assert_array_equal(xs, np.arange(6.0).reshape(3, 2))
    close(staged(lambda c, xs: scan(f, c, xs))(init, xs), (carry, ys), "staged")


def test_results_share_no_memory_with_arguments() -> None:
    xs = np.arange(4.0).reshape(2, 2)
    tape = make_tape(lambda c, xs: scan(lambda c, x: (x, c), c, xs))(xs[0], xs)
    carry, ys = eval_tape(tape, xs[0], xs)
    assert not np.shares_memory(carry, xs)
    assert not np.shares_memory(ys, xs)


def test_python_branches_on_known_values() -> None:
    def f(c: Any, x: Any) -> Any:
        return (c * x if c < 1 else c - x), None

    def loop(c: Any) -> Any:
        for x in XS + 1:
            c = f(c, x)[0]
        return c

    fun = lambda c: scan(f, c, XS + 1)[0]  # noqa: E731
    assert grad(fun)(0.3) == grad(loop)(0.3)
    assert hessian(lambda c: fun(c) ** 2)(0.3) == pytest.approx(hessian(lambda c: loop(c) ** 2)(0.3))
    assert grad(checkpoint(fun))(0.3) == grad(loop)(0.3)


def test_kinks_are_those_of_the_operations() -> None:
    fun = lambda x: scan(lambda c, _: (np.maximum(c, 0.0), None), x, length=3)[0]  # noqa: E731
    loop = lambda x: np.maximum(np.maximum(np.maximum(x, 0.0), 0.0), 0.0)  # noqa: E731
    for x in (0.0, -1.0, 2.0):
        assert grad(fun)(x) == grad(loop)(x) == staged(grad(fun))(x) == vmap(grad(fun))(np.array([x]))[0]


def test_masked_slopes_stay_masked() -> None:
    fun = lambda x: scan(lambda c, _: (np.where(x > 0, np.log(np.where(x > 0, x, 1)), c), None), 0.0, length=2)[0]  # noqa: E731
    assert vmap(grad(fun))(np.array([0.0, 2.0])).tolist() == [0.0, 0.5]


def test_complex_carries() -> None:
    def loss(c: Any, loop: Any) -> Any:
        last, _ = loop(lambda z, k: (z * z * 0.3 + c + k, None), c, np.array([0.1j, 0.2]))
        return np.real(last * np.conj(last))

    def python(f: Any, c: Any, xs: Any) -> Any:
        for x in xs:
            c = f(c, x)[0]
        return c, None

    point = 0.3 + 0.4j
    wanted = grad(lambda c: loss(c, python))(point)
    assert grad(lambda c: loss(c, scan))(point) == pytest.approx(wanted)
    assert staged(grad(lambda c: loss(c, scan)))(point) == pytest.approx(wanted)
    assert vmap(grad(lambda c: loss(c, scan)))(np.array([point]))[0] == pytest.approx(wanted)


def test_variables_go_through() -> None:
    x = Variable(np.array([0.3, 0.5]))
    y, _ = scan(lambda c, k: (c * x + k, None), x, np.arange(3.0))
    (y[0] + y[1] * 2).backward()
    wanted = grad(lambda x: np.sum(scan(lambda c, k: (c * x + k, None), x, np.arange(3.0))[0] * np.array([1.0, 2.0])))
    np.testing.assert_allclose(x.grad, wanted(np.array([0.3, 0.5])))


def test_linearize_and_vjp_of_replayed_tapes() -> None:
    tape = make_tape(lambda c, xs: scan(step, c, xs))(0.3, XS)
    fun = lambda c: total(eval_tape(tape, c, XS))  # noqa: E731
    assert linearize(fun, 0.3)[1](1.0) == pytest.approx(grad(lambda c: total(plain(c, XS)))(0.3))
    _, pullback = vjp(lambda c: eval_tape(tape, c, XS)[1], 0.3)
    np.testing.assert_allclose(pullback(XS)[0], vjp(lambda c: plain(c, XS)[1], 0.3)[1](XS)[0])
    assert jvp(fun, (0.3,), (2.0,))[1] == pytest.approx(2 * grad(fun)(0.3))


def test_unbatched_parts_of_the_carry_stay_unbatched() -> None:
    def f(c: Any, x: Any) -> Any:
        return (c[0] + 1.0, c[1] * x), None

    tape = make_tape(vmap(lambda x: scan(f, (0.0, x), np.arange(3.0))[0]))(np.ones(4))
    check_tape(tape)
    inner = dict(next(e for e in tape.equations if e.primitive.name == "scan").params)["tape"]
    shapes = [spec.shape for spec in inner.inputs[:2]]
    assert shapes == [(), (4,)]


def test_map_is_vmap_one_by_one() -> None:
    xs = {"a": np.arange(6.0).reshape(3, 2), "b": np.arange(3.0)}
    f = lambda t: (np.sum(np.sin(t["a"])) * t["b"], t["a"] * 2)  # noqa: E731
    close(map_slices(f, xs), vmap(f)(xs), "values")
    loss = lambda m: lambda a: np.sum(m(f, {"a": a, "b": xs["b"]})[0])  # noqa: E731
    wanted = grad(loss(lambda f, xs: vmap(f)(xs)))(xs["a"])
    close(grad(loss(map_slices))(xs["a"]), wanted, "grad")
    close(staged(grad(loss(map_slices)))(xs["a"]), wanted, "staged grad")
    rows = np.arange(12.0).reshape(2, 3, 2)
    close(vmap(lambda a: map_slices(np.sum, a))(rows), rows.sum(-1), "batched")


OPERATIONS = [
    lambda c, x: np.sin(c) * x,
    lambda c, x: c + 0.5 * x,
    lambda c, x: np.tanh(c * x),
    lambda c, x: np.where(c > x, c, x * 2),
    lambda c, x: np.maximum(c, x) - 0.1,
    lambda c, x: x,
    lambda c, x: 0.7 * c,
]


@given(
    st.lists(st.sampled_from(range(len(OPERATIONS))), min_size=1, max_size=3),
    st.integers(1, 4),
    st.booleans(),
    st.sampled_from([None, 1, 2, "sqrt"]),
    st.floats(-2, 2),
)
def test_programs_drawn_at_random(ops: list[int], length: int, reverse: bool, block: Any, start: float) -> None:
    def body(c: Any, x: Any) -> Any:
        for k in ops:
            c = OPERATIONS[k](c, x)
        return c, c * x

    xs = np.cos(np.arange(length) * 1.7)

    def fun(c: Any) -> Any:
        last, ys = scan(body, c, xs, reverse=reverse, checkpoint=block)
        return last * 1.5 + np.sum(ys * xs)

    def loop(c: Any) -> Any:
        total = 0.0
        for k in range(length)[:: -1 if reverse else 1]:
            c, y = body(c, xs[k])
            total = total + y * xs[k]
        return c * 1.5 + total

    check_against(fun, loop, [(start,), (start / 2 - 0.3,)], ["value", "grad", "jvp"])


def test_single_precision_stays() -> None:
    xs = XS.astype(np.float32)
    for fun in (grad, jacrev_of, lambda f: vmap(grad(f), (0, None))):
        start = np.ones(2, np.float32) if fun not in (grad, jacrev_of) else np.float32(0.3)
        loss = fun(lambda c, xs: total(scan(step, c, xs)))
        assert loss(start, xs).dtype == np.float32
        assert staged(loss)(start, xs).dtype == np.float32


def jacrev_of(f: Any) -> Any:
    return lambda c, xs: np.sum(vjp(f, c, xs)[1](np.float32(1))[1])


def test_variables_through_a_replayed_tape() -> None:
    from autodiff.chainer import grad as grad_of_variables

    tape = make_tape(lambda c, xs: total(scan(step, c, xs)))(np.array(0.3), XS)
    x = Variable(np.array(0.3))
    eval_tape(tape, x, XS).backward()
    wanted = grad(lambda c: total(plain(c, XS)))
    assert x.grad == pytest.approx(wanted(0.3))
    x = Variable(np.array(0.3))
    (first,) = grad_of_variables([eval_tape(tape, x, XS)], [x], enable_double_backprop=True)
    first.backward()
    assert x.grad == pytest.approx(grad(wanted)(0.3))


def test_of_several_results_some_are_not_used() -> None:
    def fun(c: Any) -> Any:
        return scan(lambda c, x: (c * x, (np.sin(c), np.exp(c))), c, XS)[1][0][2]

    def loop(c: Any) -> Any:
        return np.sin(c * XS[0] * XS[1])

    check_against(fun, loop, [(0.3,), (1.2,)])


def test_integer_slices_and_boolean_results() -> None:
    def fun(c: Any, ks: Any) -> Any:
        return scan(lambda c, k: (c * k, c * k > 5), c, ks)

    for run in (fun, staged(fun)):
        last, flags = run(1.5, np.arange(1, 4))
        assert (last, flags.tolist()) == (9.0, [False, False, True])
    last, flags = vmap(fun, (0, None))(np.array([1.5, 0.0]), np.arange(1, 4))
    assert flags.tolist() == [[False, False, True], [False, False, False]]
    assert grad(lambda c: fun(c, np.arange(1, 4))[0])(1.5) == 6.0


LOOPS_OVER_A_FLAG = {
    "scan": lambda x: scan(lambda c, v: ((~c[0], c[1] + np.where(c[0], v, 0.0)), c[0]), (True, 0.0), x),
    "fori_loop": lambda x: fori_loop(0, 3, lambda i, c: (~c[0], c[1] + np.where(c[0], x[i], 0.0)), (True, 0.0)),
    "while_loop": lambda x: while_loop(
        lambda c: c[0] | (c[1] < 2), lambda c: (~c[0], c[1] + np.sum(x)), (True, 0.0), 9
    ),
    "a bool in every step": lambda x: scan(lambda c, v: (True, ~c * v), True, x),
}


@pytest.mark.parametrize("name", LOOPS_OVER_A_FLAG)
def test_a_bool_of_python_is_not_minus_two_after_a_negation(name):
    fun, x = LOOPS_OVER_A_FLAG[name], np.array([1.0, 2.0, 4.0])
    wanted = {
        "scan": ((False, 5.0), np.array([True, False, True])),
        "fori_loop": (False, 5.0),
        "while_loop": (False, 7.0),
        "a bool in every step": (True, np.zeros(3)),
    }[name]
    close(fun(x), wanted, "eagerly")
    close(staged(fun)(x), wanted, "of a tape")
