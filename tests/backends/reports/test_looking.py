"""What programs say of how they run: schedules, kernels, and why something is in none."""

import re

import numpy as np
import pytest

from autodiff import checkpoint, cond, jit, make_tape, scan, while_loop
from autodiff.backends.kernels.products.convolution_call import convolutions
from autodiff.backends.reports.kernels import kernel_text
from autodiff.backends.reports.plan import Statement
from autodiff.ops.images.convolution import convolve_nd
from autodiff.trace.spec import spec
from autodiff.trace.tape import Equation, Tape, check_tape

LARGE = spec((10**6,), np.float32)
pytestmark = pytest.mark.usefixtures("numba_is_taken_to_be_there")


def names(tape):
    return [equation.primitive.name for equation in tape.equations]


def reasons(found):
    return [(call.kind, call.name, call.reason) for call in found.calls]


def test_a_schedule_is_a_tape_with_kernels():
    found = jit(lambda x: np.sum(np.exp(x) * x)).schedule(LARGE)
    assert isinstance(found, Tape)
    check_tape(found)
    assert names(found) == ["kernel_of_rows"]
    assert names(dict(found.equations[0].params)["tape"]) == ["exp", "multiply", "sum"]
    assert "exp(a)" in str(found)


def test_a_schedule_shows_the_bodies_of_loops_as_they_are_run():
    def body(c, x):
        return c.astype(np.float16).astype(float) + x, np.sum(np.exp(c) * x)  # kernels know no halves

    found = jit(lambda c, xs: scan(body, c, xs)).schedule(np.eye(3), np.ones((5, 3, 3)))
    (loop,) = found.equations
    assert "kernel_of_all" in names(dict(loop.params)["tape"])
    check_tape(found)


def test_kernels_begin_with_what_they_do():
    (found,) = kernels = jit(lambda x: np.sum(np.exp(x) * x)).kernels(LARGE)
    assert found.operations == "exp, multiply, sum"
    assert found.source.startswith("test_looking.py:")
    assert re.fullmatch(r"1000000 elements, in \d+ chunks of \d+, shared by threads", found.sizes)
    assert found.text.startswith("def kernel(block, lo, hi):\n")
    assert str(kernels) == f"# exp, multiply, sum\n# {found.source}\n# {found.sizes}\n{found.text}"
    (found,) = jit(lambda x: x / np.sum(x * x, axis=1, keepdims=True) + 1).kernels(spec((2000, 300), np.float32))
    assert found.sizes.startswith("2000 rows of 300 columns, in ")
    (found,) = jit(lambda x: np.sum(np.sin(x))).kernels(np.ones(3))
    assert found.sizes == "one thread"


def test_kernels_of_other_kinds():
    q = spec((64, 4, 128, 32), np.float32)
    (found,) = jit(lambda q, k: q @ np.swapaxes(k, -1, -2)).kernels(q, q)
    assert found.operations == "transpose, matmul"
    assert found.sizes == "256 matrices of 128 x 128, shared by threads"
    tape = make_tape(convolve_nd)(np.ones((16, 3, 12, 12)), np.ones((8, 3, 5, 5)))
    own = Equation(convolutions, (0, 1), (("tape", tape),), (2,), tape.output_specs)
    found = kernel_text(Statement(own, tape.inputs))
    assert found.operations == "convolve_nd"
    assert found.sizes == "16 images, in 8 chunks of 2, shared by threads"
    assert found.text.startswith("def kernel(block, lo, hi):\n")


def test_kernels_that_are_not_there_say_why():
    assert str(jit(np.linalg.pinv).kernels(np.eye(3))) == "# no kernels: pinv has no form in kernels\n"
    assert str(jit(np.sin, backend="numpy").kernels(1.0)) == "# no kernels: backend='numpy'\n"


def test_kernels_of_bodies_are_shown_too():
    def body(c, x):
        return np.linalg.pinv(c) + x, np.sum(np.exp(c) * x)

    found = jit(lambda c, xs: scan(body, c, xs)).kernels(np.eye(3), np.ones((5, 3, 3)))
    assert any("exp" in kernel.operations for kernel in found)


def test_one_kernel_needs_no_explanation():
    found = jit(lambda x: np.sum(np.sin(x))).explain(np.ones(3))
    assert (found.reason, found.calls) == ("", ())
    assert [kernel.operations for kernel in found.kernels] == ["sin, sum"]
    assert str(found) == (
        f"{found.name} runs as 1 kernel and 0 calls.\n"
        "\n"
        f"kernel 1: sin, sum  # {found.kernels[0].source}\n"
        "\n"
        "Derivatives are programs of their own: ask jit(grad(f)), jit(vmap(f)), ... for theirs."
    )


@pytest.mark.parametrize(
    ("fun", "args", "expected"),
    [
        (np.linalg.pinv, (np.eye(3),), [("LAPACK", "pinv", "LAPACK does it")]),
        (
            lambda x: x[np.argpartition(x, 3)] @ x,
            (np.ones((12, 12)),),
            [("NumPy", "argpartition", "argpartition is no operation of single elements")],
        ),
        (lambda x: x.astype(np.float16), (np.ones(3),), [("NumPy", "cast", "kernels know no float16")]),
        (lambda x: x + 1, (np.ones(3, complex),), [("NumPy", "add", "kernels know no complex128")]),
        (
            np.spacing,
            (np.ones(3),),
            [("NumPy", "spacing", "spacing of float64 has no scalar expression")],
        ),
        (
            lambda x: (np.linalg.pinv(x), x + 1),
            (np.eye(3),),
            [
                ("LAPACK", "pinv", "LAPACK does it"),
                (
                    "NumPy",
                    "add",
                    "it has 9 elements: by itself a function pays from 2048 on, arithmetic and moves from 65536",
                ),
            ],
        ),
        (
            lambda x: (np.linalg.pinv(x), x[0, 0] * 2, x.T),
            (np.eye(3),),
            [
                ("LAPACK", "pinv", "LAPACK does it"),
                ("NumPy", "slice_of", "a single number"),
                ("NumPy", "multiply", "a single number"),
                ("view", "transpose", "it moves nothing"),
            ],
        ),
        (
            lambda x: np.max(x, axis=1),
            (np.ones((400, 400, 4)) + 0j,),
            [("NumPy", "max", "kernels know no complex128")],
        ),
        (
            checkpoint(lambda x: np.sin(x)),
            (np.ones(3),),
            [
                ("tape", "checkpoint", "checkpoint runs its operations one by one"),
                ("NumPy", "sin", "its operations are run one by one"),
            ],
        ),
    ],
)
def test_each_call_says_why_it_is_no_kernel(fun, args, expected):
    assert reasons(jit(fun).explain(*args)) == expected


def test_loops_and_branches_say_why_they_are_called_from_python():
    def limited(x):
        return while_loop(lambda x: np.sum(x) < 9, lambda x: x * 2, x, max_steps=5)

    found = jit(limited).explain(np.ones(3))
    assert reasons(found)[0] == ("loop", "while_loop", "a loop with a limit of steps")
    assert {kernel.inside for kernel in found.kernels} == {("condition of while_loop",), ("body of while_loop",)}
    found = jit(lambda x: cond(np.sum(x) > 0, np.linalg.pinv, lambda x: x * 2 + 1, x)).explain(np.eye(3))
    (branch,) = [call for call in found.calls if call.kind == "branch"]
    assert branch.reason == "pinv has no form in kernels"
    assert [call.inside for call in found.calls if call.name == "pinv"] == [("branches[0] of switch",)]


def test_without_kernels_there_is_one_reason():
    found = jit(lambda x: np.sum(np.exp(x)), backend="numpy").explain(np.ones(3))
    assert reasons(found) == [("NumPy", "exp", "backend='numpy'"), ("NumPy", "sum", "backend='numpy'")]


def test_without_numba_that_is_the_reason(monkeypatch):
    monkeypatch.setattr("autodiff.backends.choice.numba_is_there", lambda: False)
    found = jit(np.exp).explain(np.ones(3))
    why = "Numba is not installed: pip install autodiff[numba]"
    assert reasons(found) == [("NumPy", "exp", why)]
    assert str(found) == (
        f"exp runs as 0 kernels and 1 call.\nIt is not one kernel: {why}.\n"
        "\n"
        "what runs   lines\n"
        f"----------  {'-' * len(found.calls[0].source)}\n"
        f"NumPy: exp  {found.calls[0].source}\n"
        "\n"
        "Derivatives are programs of their own: ask jit(grad(f)), jit(vmap(f)), ... for theirs."
    )


def test_one_reason_is_said_once_and_a_line_has_one_row():
    def fun(x):
        y = np.exp(x) * x * np.exp(-x)
        return np.sum(y)

    found = str(jit(fun, backend="numpy").explain(np.ones(3)))
    assert found.count("backend='numpy'") == 1
    assert "\nNumPy: exp x 2, multiply x 2, negative  test_looking.py:" in found
    assert "\nNumPy: sum " in found


def test_neighbouring_lines_are_written_briefly():
    def fun(x):
        y = np.exp(x)
        y = y * x
        return np.sum(y)

    first = fun.__code__.co_firstlineno
    (found,) = jit(fun).kernels(LARGE)
    assert found.source == f"test_looking.py:{first + 1}-{first + 3}"
