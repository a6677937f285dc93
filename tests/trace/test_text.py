"""Tapes as text: golden copies."""

import numpy as np

from autodiff import checkpoint, grad, make_tape

from .tapes import X


def test_lines_are_aligned_and_name_the_user() -> None:
    def fun(x):
        y = np.sin(x)
        return y * 2.0 + np.sum(y), x

    first = fun.__code__.co_firstlineno
    file = "test_text.py"
    assert str(make_tape(fun)(X)) == (
        "tape(a: float64[3]):\n"
        f"    b: float64[3] = sin(a)             # {file}:{first + 1}\n"
        f"    c: float64[3] = multiply(b, 2.0)   # {file}:{first + 2}\n"
        f"    d: float64[] = sum(b, axes=(-1,))  # {file}:{first + 2}\n"
        f"    e: float64[3] = add(c, d)          # {file}:{first + 2}\n"
        "    return e, a"
    )


def text_of(fun, *args):
    """The tape's text without source lines."""
    return "\n".join(line.partition("#")[0].rstrip() for line in str(make_tape(fun)(*args)).splitlines())


def test_inner_tapes_stand_indented_below_their_operation() -> None:
    inner = checkpoint(lambda x: np.tanh(x) * 2.0)
    assert (
        text_of(checkpoint(lambda x: inner(x) + X), X)
        == """\
tape(a: float64[3], b: float64[3]):
    c: float64[3] = checkpoint(a, b)
        tape(a: float64[3], b: float64[3]):
            c: float64[3] = checkpoint(a)
                tape(a: float64[3]):
                    b: float64[3] = tanh(a)
                    c: float64[3] = multiply(b, 2.0)
                    return c
            d: float64[3] = add(c, b)
            return d
    return c"""
    )


def test_python_numbers_are_marked_as_weak() -> None:
    assert (
        text_of(lambda a, b: a * b + np.float32(1), 1.0, np.float32(2))
        == """\
tape(a: float, b: float32[]):
    c: float32[] = multiply(a, b)
    d: float32[] = add(c, np.float32(1.0))
    return d"""
    )


def test_parameters_are_written_shortly() -> None:
    assert (
        text_of(lambda x: x.astype(np.float32)[..., 0:2].reshape(2, 1), X)
        == """\
tape(a: float64[3]):
    b: float32[3] = cast(a, dtype=float32)
    c: float32[2] = slice_of(b, key=((0, 2, None), ...))
    d: float32[2,1] = reshape(c, shape=(2, 1))
    return d"""
    )


def test_many_inputs_stand_in_lines_of_their_own() -> None:
    text = text_of(lambda *xs: xs[0] + xs[-1], *[X] * 8)
    assert text.splitlines()[:3] == ["tape(", "    a: float64[3],", "    b: float64[3],"]
    assert text.splitlines()[8:] == ["    h: float64[3],", "):", "    i: float64[3] = add(a, h)", "    return i"]


def test_a_tape_without_operations_or_results() -> None:
    assert str(make_tape(lambda x: x)(1.0)) == "tape(a: float):\n    return a"
    assert str(make_tape(lambda x: 2.0)(1.0)) == "tape(a: float):\n    return 2.0"
    assert str(make_tape(lambda x: ())(1.0)) == "tape(a: float):\n    return"


def test_more_than_twenty_six_values() -> None:
    def chain(x):
        for _ in range(27):
            x = np.sin(x)
        return x

    assert text_of(chain, 1.0).splitlines()[-3:] == [
        "    ba: float64[] = sin(z)",
        "    bb: float64[] = sin(ba)",
        "    return bb",
    ]


def test_the_text_is_the_same_every_time() -> None:
    fun = grad(checkpoint(lambda x: np.sum(np.tanh(x) * X)))
    assert str(make_tape(fun)(X)) == str(make_tape(fun)(X))
