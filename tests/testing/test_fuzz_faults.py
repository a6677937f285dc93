"""Faults that are planted behind jit: the fuzzer finds each, says what it is, and shrinks to the operation that has it."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

from autodiff.ops.elementwise import tanh
from autodiff.testing.fuzz import Plan, fuzz_one, generate, jobs, printed
from autodiff.testing.fuzz.__main__ import main
from autodiff.testing.fuzz.checking import Compiled, check
from autodiff.testing.fuzz.drawing import Argument, Draw
from autodiff.testing.fuzz.modes import COMPILED, OPTIONS, Mode
from autodiff.testing.fuzz.oracle import Oracle
from autodiff.testing.fuzz.program import Function, Input, Line, Program
from autodiff.testing.fuzz.report import script
from autodiff.testing.fuzz.transformations import gradient, plain


@pytest.fixture(autouse=True)
def without_kernels(monkeypatch):
    monkeypatch.setitem(OPTIONS, "backend", "numpy")


def program(*lines, results=("v1",), dtype="float64"):
    """A program of one argument x0."""
    made = tuple(Line(text, (text.split(" = ")[0],)) for text in lines)
    return Program(0, (Input("x0", ("n",), dtype),), (), Function("f", ("x0",), made, results))


def ended(one, value, fault, eager=plain):
    """How a check ends where ``fault`` is what jit makes of a function."""
    draw = Draw(tuple(map(Argument, value if isinstance(value, tuple) else (value,))))
    return check(one, draw, Mode("jit(f)", eager, fault, 0), Compiled(one))


def off_by(ulps):
    return lambda f: lambda x: f(x) + ulps * np.spacing(f(x))


def to_nan(f):
    def run(x):
        out = f(x).copy()
        out[-1] = np.nan
        return out

    return run


def writing(f):
    def run(x):
        out = f(x)
        x[0] += 1
        return out

    return run


def raising(f):
    raise ValueError("no kernel")


class Forgetful:
    """Gives the same memory out again."""

    def __init__(self, f):
        self.f = f
        self.out = None

    def __call__(self, x):
        if self.out is None:
            self.out = self.f(x).copy()
        else:
            self.out[...] = self.f(x)
        return self.out


class Drifting:
    """Gives other bits every time."""

    def __init__(self, f):
        self.f = f
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return self.f(x) * (1 + self.calls * np.finfo(x.dtype).eps)


X = np.array([0.3, -1.2, 2.0])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_ten_units_in_the_last_place_are_found_and_four_are_not(dtype):
    one = program("v1 = np.tanh(x0)", dtype=dtype)
    assert ended(one, X.astype(dtype), off_by(3)).word == "agrees"
    found = ended(one, X.astype(dtype), off_by(10))
    assert found.finding.kind == "value"
    assert "3 of 3 elements are wrong" in found.finding.detail


@pytest.mark.parametrize(
    ("fault", "kind", "detail"),
    [
        (to_nan, "pattern", "result 0[2]: arrived np.float64(nan), eager np.float64(0.9640275800758169)"),
        (lambda f: lambda x: f(x).astype(np.float32), "dtype", "result 0: arrived array of float32[3], eager array of float64[3]"),
        (lambda f: lambda x: f(x)[:, None], "shape", "result 0: arrived array of float64[3, 1], eager array of float64[3]"),
        (lambda f: lambda x: (f(x),), "structure", "arrived (*,), eager *"),
        (writing, "input", "argument 0 was changed"),
        (lambda f: lambda x: raising(f), "raises", "eager returned; compiled raised ValueError: no kernel"),
        (Forgetful, "repeat", "result 0 was changed by the next call"),
        (Drifting, "repeat", "result 0 has other bits in another call"),
    ],
)  # fmt: skip
def test_a_fault_is_found_and_named(fault, kind, detail):
    outcome = ended(program("v1 = np.tanh(x0)"), X, fault)
    assert outcome.word == "mismatch"
    assert outcome.finding.kind == kind
    assert outcome.finding.detail.startswith(detail)


def test_a_result_that_is_the_argument_is_found():
    one = program("v1 = x0.copy()")
    outcome = ended(one, X, lambda f: lambda x: x)
    assert outcome.word == "mismatch"
    assert outcome.finding.detail.startswith("a result shares memory with an argument")
    assert ended(program("v1 = x0[1:]"), X, lambda f: lambda x: x[1:]).word == "agrees"


def test_an_array_without_axes_in_place_of_a_number_is_found():
    outcome = ended(program("v1 = np.sum(x0)"), X, lambda f: lambda x: np.asarray(f(x)))
    assert outcome.finding.kind == "kind"
    assert outcome.finding.detail == "result 0: arrived array of float64[], eager NumPy scalar of float64"


def test_a_wrong_whole_number_is_found():
    outcome = ended(program("v1 = np.argmax(x0)"), X, lambda f: lambda x: f(x) - 1)
    assert outcome.finding.detail == "result 0[]: arrived np.int64(1), eager np.int64(2)"


def test_what_only_eager_raises_is_found():
    outcome = ended(program("v1 = x0.reshape(2, 2)"), X, lambda f: lambda x: x)
    assert outcome.finding.detail.startswith("eager raised ValueError: cannot reshape array of size 3")


def test_a_difference_of_nearly_equal_numbers_may_be_far_from_eagers():
    one = program("v0 = np.exp(x0)", "v1 = v0 - x0 * 7.38905609893065", dtype="float64")
    x = np.array([2.0, 1.0, 0.5])
    assert ended(one, x, lambda f: lambda x: f(x) + 4 * np.spacing(np.exp(x))).word == "agrees"
    assert ended(one, x, lambda f: lambda x: f(x) * 1.000001).finding.kind == "value"


def test_a_step_that_rounding_decides_is_no_mismatch():
    one = program("v0 = np.sin(x0)", "v2 = np.sin(x0)", "v1 = np.floor(v0 / v2)")
    assert ended(one, X, lambda f: lambda x: f(x) - 1).word == "agrees"
    assert ended(one, X, lambda f: lambda x: f(x) - 2).finding.kind == "value"


def test_a_whole_number_that_rounding_decides_is_left_undecided():
    one = program("v0 = np.sin(x0)", "v2 = np.sin(x0)", "v1 = v0 == v2")
    assert ended(one, X, lambda f: lambda x: ~f(x)).word == "undecided"


def test_a_single_precision_run_that_takes_another_way_is_left_undecided():
    one = Program(
        0,
        (Input("x0", ("n",), "float32"),),
        (),
        Function(
            "f",
            ("x0",),
            (
                Line("v0 = np.sum(x0)", ("v0",)),
                Line("v1 = v0 > 0.6", ("v1",), kind="exact"),
                Line("v2 = np.where(v1, x0, -x0)", ("v2",), kind="exact"),
            ),
            ("v2",),
        ),
    )
    x = np.array([0.1, 0.2, 0.3], np.float32)
    assert Oracle(one, Draw((Argument(x),)), COMPILED["value"]).reference is None
    assert ended(one, x, lambda f: lambda x: -f(x)).word == "undecided"


def test_a_derivative_off_by_much_is_found():
    one = program("v1 = np.tanh(x0)")
    outcome = ended(one, X, lambda f: lambda x: (gradient(f)(x)[0], (gradient(f)(x)[1][0] * 1.001,)), gradient)
    assert outcome.finding.kind == "value"
    assert outcome.finding.detail.startswith("result 1[")


def wrong_tanh(x):
    return np.tanh(x) * (1 + 64 * np.finfo(np.asarray(x).dtype).eps)


def test_a_long_program_shrinks_to_the_operation_with_the_fault(monkeypatch):
    monkeypatch.setattr(tanh, "evaluate", wrong_tanh)
    found = []
    for seed in [seed for seed in range(800) if "np.tanh(x" in printed(generate(seed))][:12]:
        found += fuzz_one(seed, Plan(draws=2, backend="numpy")).mismatches
    assert found
    for mismatch in found:
        assert mismatch.finding.kind == "value"
        body = mismatch.script.split("args =")[0]
        assert "np.tanh" in body
        assert len(body.splitlines()) <= 12


def test_a_script_runs_by_itself(tmp_path):
    one = program("v0 = np.exp(x0)", "v1 = np.tanh(v0)")
    path = tmp_path / "again.py"
    path.write_text(script(one, Draw((Argument(X, "unaligned"),)), COMPILED["gradient"]))
    shown = subprocess.run(
        [sys.executable, str(path)],
        env={"PYTHONPATH": ":".join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert len(shown) == 2
    assert shown[0].startswith("((array([")


def test_the_command_line_prints_a_script_and_fails(monkeypatch, capsys):
    monkeypatch.setattr(tanh, "evaluate", wrong_tanh)
    seeds = (seed for seed in range(2000) if "np.tanh(x0)" in printed(generate(seed)))
    seed = next(seed for seed in seeds if fuzz_one(seed, Plan(draws=1, trials=0, backend="numpy")).mismatches)
    assert main(["--compiled", "--only", str(seed), "--draws", "1", "--jobs", "1", "--backend", "numpy"]) == 1
    said = capsys.readouterr().out
    assert re.match(rf"MISMATCH seed {seed}, draw \d, value: value\n", said)
    assert "print(autodiff.jit(f)(*args))" in said


def kill_process(seed, plan):
    os._exit(3)


def test_a_program_that_kills_its_process_is_named(monkeypatch):
    monkeypatch.setattr(jobs, "fuzz_one", kill_process)
    report = jobs.alone(7, Plan())
    assert str(report.mismatches[0]) == (
        "MISMATCH seed 7, draw 0, any: crash\n"
        "  the process that ran it died; run it with --only and --jobs 1 under a debugger\n" + printed(generate(7))
    )
