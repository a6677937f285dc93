"""Loops and branches on tapes: printed, compared, saved, loaded, drawn, written as source."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autodiff import check_tape, eval_tape, grad, load_tape, make_tape, save_tape, tape_graphviz, tape_python, vmap
from autodiff.trace.tape import TapeError
from autodiff.transforms.control.cond import cond
from autodiff.transforms.control.scan import scan
from autodiff.transforms.control.while_loop import while_loop

from .loops import close

X = np.array([0.3, -0.8, 1.1])


def scanned(x: Any) -> Any:
    return scan(lambda c, y: (c * np.sin(y), c + X[0]), 1.0, x)


def chosen(x: Any) -> Any:
    return cond(np.sum(x) > 0, lambda x: {"y": x * 2.0}, lambda x: {"y": np.sin(x)}, x)


def repeated(x: Any) -> Any:
    return while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * x), (0, x))[1]


def total(f: Any) -> Any:
    return lambda x: np.sum(f(x))


FUNCTIONS: dict[str, Any] = {
    "scan": scanned,
    "switch": chosen,
    "while_loop": repeated,
    "grad of scan": grad(lambda x: scanned(x)[0]),
    "grad of while_loop": grad(total(repeated)),
    "vmap of switch": vmap(lambda x: cond(x > 0, np.sin, np.cos, x)),
    "vmap of grad": vmap(grad(total(repeated))),
}


def text_of(fun: Any) -> str:
    return "\n".join(line.partition("#")[0].rstrip() for line in str(make_tape(fun)(X)).splitlines())


def test_text_of_a_scan() -> None:
    assert (
        text_of(scanned)
        == """\
tape(a: float64[3]):
    b: float64[], c: float64[3] = scan(np.float64(1.0), a, carry=1, length=3, reverse=False, slices=1, unroll=1)
        tape(a: float64[], b: float64[]):
            c: float64[] = sin(b)
            d: float64[] = multiply(a, c)
            e: float64[] = add(a, np.float64(0.3))
            return d, e
    return b, c"""
    )


def test_text_of_a_cond() -> None:
    assert (
        text_of(chosen)
        == """\
tape(a: float64[3]):
    b: float64[] = sum(a, axes=(-1,))
    c: bool[] = greater(b, 0)
    d: bool[] = logical_not(c)
    e: int64[] = cast(d, dtype=int64)
    f: float64[3] = switch(e, a)
        branches[0](a: float64[3]):
            b: float64[3] = multiply(a, 2.0)
            return b
        branches[1](a: float64[3]):
            b: float64[3] = sin(a)
            return b
    return f"""
    )


def test_text_of_a_while_loop() -> None:
    assert (
        text_of(repeated)
        == """\
tape(a: float64[3]):
    b: int, c: float64[3] = while_loop(0, a, a, carry=2, max_steps=None)
        body(a: int, b: float64[3], c: float64[3]):
            d: int = add(a, 1)
            e: float64[3] = multiply(b, c)
            return d, e
        condition(a: int, b: float64[3], c: float64[3]):
            d: bool = less(a, 3)
            return d
    return c"""
    )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_saved_and_loaded(name: str, tmp_path: Path) -> None:
    fun = FUNCTIONS[name]
    tape = make_tape(fun)(X)
    save_tape(tape, tmp_path / "tape.json")
    loaded = load_tape(tmp_path / "tape.json")
    assert (loaded, hash(loaded), str(loaded)) == (tape, hash(tape), str(tape))
    close(eval_tape(loaded, X), fun(X), name)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_equal_programs_are_equal_tapes(name: str) -> None:
    fun = FUNCTIONS[name]
    assert make_tape(fun)(X) == make_tape(fun)(X + 1)
    assert make_tape(fun)(X) != make_tape(fun)(np.ones(4))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_as_python_source(name: str) -> None:
    tape = make_tape(FUNCTIONS[name])(X)
    scope: dict[str, Any] = {}
    exec(tape_python(tape, "run"), scope)
    close(scope["run"](X), FUNCTIONS[name](X), name)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_drawn(name: str) -> None:
    text = tape_graphviz(make_tape(FUNCTIONS[name])(X))
    assert text.count("{") == text.count("}")
    assert "subgraph cluster_" in text or name == "vmap of switch"


def test_a_damaged_inner_tape_is_found() -> None:
    tape = make_tape(scanned)(X)
    (equation,) = tape.equations
    params = dict(equation.params)
    inner = params["tape"]
    broken = type(inner)(inner.inputs, inner.equations[1:], inner.outputs)
    params["tape"] = broken
    wrong = type(equation)(
        equation.primitive, equation.operands, tuple(sorted(params.items())), equation.results, equation.specs
    )
    with pytest.raises((TapeError, IndexError)):
        check_tape(type(tape)(tape.inputs, (wrong,), tape.outputs, tape.constants, tape.arguments, tape.results))
