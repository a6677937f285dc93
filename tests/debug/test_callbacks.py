"""Functions that see values while programs run: how often, with what, and that nothing else changes."""

import re
import sys
from typing import Any

import numpy as np
import pytest

import autodiff
from autodiff import debug, tree

X = np.array([0.1, 0.2, 0.3])


class Seen(list[Any]):
    """What a callback was called with."""

    def __call__(self, *values: Any) -> None:
        assert not any(isinstance(value, autodiff.Variable) or "Tracer" in repr(type(value)) for value in values)
        self.append(values[0] if len(values) == 1 else values)


def watched(seen: Seen) -> Any:
    return lambda x: np.sum(debug.callback(seen, np.sin(x) * 2) ** 2)


def plain(x: Any) -> Any:
    return np.sum((np.sin(x) * 2) ** 2)


ROWS: dict[str, tuple[Any, int]] = {
    "as it is": (lambda f: f, 1),
    "jit": (autodiff.jit, 1),
    "jit, NumPy": (autodiff.jit(backend="numpy"), 1),
    "grad": (autodiff.grad, 1),
    "jit of grad": (lambda f: autodiff.jit(autodiff.grad(f)), 1),
    "grad of jit": (lambda f: autodiff.grad(autodiff.jit(f)), 1),
    "value and grad": (autodiff.value_and_grad, 1),
    "jvp": (lambda f: lambda x: autodiff.jvp(f, (x,), (x,))[1], 1),
    "hessian": (autodiff.hessian, 1),
    "linearize": (lambda f: lambda x: autodiff.linearize(f, x)[1](x), 1),
    "checkpoint": (lambda f: autodiff.grad(autodiff.checkpoint(f)), 2),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_callback_runs_whenever_the_program_does(name: str) -> None:
    transform, times = ROWS[name]
    seen = Seen()
    f, wanted = transform(watched(seen)), transform(plain)
    for run in range(1, 4):
        for a, b in zip(tree.leaves(f(X * run)), tree.leaves(wanted(X * run)), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)
        assert len(seen) == times * run
        np.testing.assert_allclose(seen[-1], np.sin(X * run) * 2)


@pytest.mark.parametrize("transform", [autodiff.vmap, lambda f: autodiff.jit(autodiff.vmap(f)), lambda f: autodiff.vmap(autodiff.jit(f)), lambda f: autodiff.vmap(autodiff.grad(f))])  # fmt: skip
def test_each_example_of_a_batch_is_seen(transform: Any) -> None:
    seen = Seen()
    batch = np.stack([X, X + 1, X + 2, X + 3])
    transform(watched(seen))(batch)
    assert [value.shape for value in seen] == [(3,)] * 4
    np.testing.assert_allclose(np.stack(seen), 2 * np.sin(batch))


def test_batches_of_batches_and_values_that_are_the_same_for_all() -> None:
    seen = Seen()

    def f(x: Any, y: Any) -> Any:
        x, y = debug.callback(seen, x, y)
        return x * y

    grid = autodiff.vmap(autodiff.vmap(f, in_axes=(None, 0)), in_axes=(0, None))(X[:2], X)
    np.testing.assert_allclose(grid, np.outer(X[:2], X))
    assert [(float(x), float(y)) for x, y in seen] == [(x, y) for x in X[:2] for y in X]


def test_trees_are_seen_as_they_are() -> None:
    seen = Seen()

    @autodiff.jit
    def f(params: Any) -> Any:
        params = debug.callback(seen, params)
        return params["w"] * params["b"][0]

    f({"w": X, "b": [2.0, None]})
    (found,) = seen
    np.testing.assert_array_equal(found["w"], X)
    assert found["b"] == [2.0, None]


@pytest.mark.parametrize("compiled", [False, True])
def test_loops_and_branches(compiled: bool) -> None:
    seen = Seen()

    def f(x: Any) -> Any:
        x = autodiff.fori_loop(0, 3, lambda i, c: debug.callback(seen, c * 2), x)
        return autodiff.cond(x > 5, lambda: debug.callback(seen, -x), lambda: x)

    run = autodiff.jit(f) if compiled else f
    assert float(run(1.0)) == -8.0
    assert [float(value) for value in seen] == [2.0, 4.0, 8.0, -8.0]
    seen.clear()
    assert float(run(0.5)) == 4.0
    assert [float(value) for value in seen] == [1.0, 2.0, 4.0]
    seen.clear()
    assert float((autodiff.jit(autodiff.grad(f)) if compiled else autodiff.grad(f))(1.0)) == -8.0
    assert set(map(float, seen)) == {2.0, 4.0, 8.0, -8.0}


def test_variables() -> None:
    seen = Seen()
    v = autodiff.Variable(X)
    y = watched(seen)(v)
    y.backward()
    assert len(seen) == 1
    np.testing.assert_allclose(v.grad, autodiff.grad(plain)(X))


def test_what_is_not_used_is_not_called() -> None:
    seen = Seen()

    @autodiff.jit
    def f(x: Any) -> Any:
        debug.callback(seen, x)
        return x

    f(1.0)
    assert seen == []


def test_two_calls_are_two_calls() -> None:
    seen = Seen()

    def f(x: Any) -> Any:
        x = debug.callback(seen, x)
        return debug.callback(seen, np.sin(x)) + debug.callback(seen, np.sin(x))

    for run in (f, autodiff.jit(f), autodiff.jit(autodiff.grad(f))):
        seen.clear()
        run(1.0)
        assert [round(float(value), 3) for value in seen] == [1.0, 0.841, 0.841]


def test_errors_end_the_program() -> None:
    def refuse(x: Any) -> None:
        raise KeyError("enough")

    f = autodiff.jit(lambda x: debug.callback(refuse, x * 2) + 1)
    with pytest.raises(KeyError, match="enough"):
        f(1.0)


def test_values_may_be_kept() -> None:
    seen = Seen()
    f = autodiff.jit(lambda x: np.sum(np.tanh(debug.callback(seen, np.exp(x)) * 3)))
    for k in range(5):
        f(X + k)
    np.testing.assert_allclose(np.stack(seen), np.exp(np.stack([X + k for k in range(5)])), rtol=1e-12)


def test_printing(capsys: Any) -> None:
    f = autodiff.jit(lambda x, y: debug.print("{:.1f} and {}", x, y)[0] ** 2)
    assert capsys.readouterr().out == ""
    assert float(f(3.0, 4)) == 9.0
    f(2.0, 5)
    assert capsys.readouterr().out == "3.0 and 4\n2.0 and 5\n"


def test_a_breakpoint_in_a_compiled_program(monkeypatch: Any) -> None:
    stops = []

    def hook(*args: Any, **kwargs: Any) -> None:
        frame = sys._getframe(1)
        stops.append((frame.f_locals["line"], [float(value) for value in frame.f_locals["values"]]))

    monkeypatch.setattr(sys, "breakpointhook", hook)
    f = autodiff.jit(lambda x: debug.breakpoint(x * 2, x)[0] + 1)
    assert float(f(1.0)) == 3.0
    assert float(f(4.0)) == 9.0
    assert [values for _, values in stops] == [[2.0, 1.0], [8.0, 4.0]]
    assert stops[0][0].startswith("test_callbacks.py:")


def test_what_is_refused() -> None:
    with pytest.raises(
        TypeError, match=r"debug.callback needs a function, got float.* \(test_callbacks.py:\d+\); write debug"
    ):
        debug.callback(1.0, print)  # type: ignore[arg-type]
    with pytest.raises(
        TypeError, match=r"debug.callback needs values \(test_callbacks.py:\d+\); write x = debug.callback"
    ):
        debug.callback(print)
    tape = autodiff.make_tape(lambda x: debug.callback(print, x))(1.0)
    with pytest.raises(autodiff.trace.tape.TapeError, match="the parameter function of debug_call cannot be saved"):  # type: ignore[attr-defined]
        autodiff.save_tape(tape, "nowhere.json")


def test_prints_values_by_their_names(capsys: Any) -> None:
    f = autodiff.jit(lambda x: sum(debug.print("{} and {b:.1f}", x, b=2 * x)))
    assert float(f(1.0)) == 3.0
    assert capsys.readouterr().out == "1.0 and 2.0\n"
    assert float(debug.print("{x}", x=4.0)) == 4.0


def test_each_place_of_a_format_needs_a_value(capsys: Any) -> None:
    assert debug.print("{0} {text[0]} {{}}", 1.0, text=X) is not None  # any name
    assert capsys.readouterr().out == "1.0 0.1 {}\n"
    for text, values, named, message in (
        ("{} {y}", (1.0,), {"x": 1.0}, "the place {y} of '{} {y}' has no value (test_callbacks.py:"),
        ("{} {}", (1.0,), {}, "the place {} of '{} {}' has no value (test_callbacks.py:"),
        ("{1}", (1.0,), {}, "the place {1} of '{1}' has no value (test_callbacks.py:"),
        ("{", (1.0,), {}, "'{' is no format (test_callbacks.py:"),
    ):
        with pytest.raises(ValueError, match=re.escape(f"debug.print: {message}")):
            debug.print(text, *values, **named)
    with pytest.raises(TypeError, match=r"debug.print needs a text first, got float64\[3\] \(test_callbacks.py:"):
        debug.print(X)  # type: ignore[arg-type]
