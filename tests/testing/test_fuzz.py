"""The fuzzer: programs are the same for a seed, text runs as the program does, and nothing is found where nothing is wrong."""

import json
import subprocess
import sys
from dataclasses import asdict

import numpy as np
import pytest

from autodiff.backends.kernels.checked import CheckedKernel
from autodiff.backends.llvm.statements import function, repeats
from autodiff.testing.fuzz import Plan, Report, fuzz_one, generate, jobs, printed, program_from
from autodiff.testing.fuzz.__main__ import main
from autodiff.testing.fuzz.calling import packed_in, several, unpacked
from autodiff.testing.fuzz.checking import contents, laid_out, quiet
from autodiff.testing.fuzz.drawing import ARRANGEMENTS, Argument, draw, unaligned
from autodiff.testing.fuzz.fuzzing import first_draw
from autodiff.testing.fuzz.jobs import reports
from autodiff.testing.fuzz.modes import COMPILED
from autodiff.testing.fuzz.printing import IMPORTS, eager_function_of, function_of, watched_function_of
from autodiff.testing.fuzz.program import every_line
from autodiff.testing.fuzz.shrinking import simpler_arguments
from autodiff.trace.trees.tree import flatten
from tests.backends.kernels.running import needs_numba

SEEDS = range(40)


def outcome(function, args):
    """The bits of what a function returns, or its error."""
    with quiet():
        try:
            return contents(flatten(function(*args))[0])
        except Exception as error:
            return str(error)


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_nothing_is_found_in_what_runs_without_kernels(first):
    whole = Report()
    for seed in range(first, first + 10):
        whole.add(fuzz_one(seed, Plan(draws=4, trials=0, backend="numpy")))
    assert [str(one) for one in whole.mismatches] == []
    assert whole.programs == 10
    assert whole.total() == 10 * 4 * 2
    assert whole.skipped < 0.15


@pytest.mark.parametrize("seed", range(100, 106))
def test_nothing_is_found_in_kernels(seed):
    report = fuzz_one(seed, Plan(draws=2, trials=0))
    assert [str(one) for one in report.mismatches] == []


@needs_numba
@pytest.mark.parametrize(("seed", "every", "checks"), [(140, 10, True), (141, 10, False), (140, 0, False)])
def test_a_share_of_the_programs_checks_its_kernels(seed, every, checks, monkeypatch):
    bound, kinds = CheckedKernel.bound, []
    monkeypatch.setattr(CheckedKernel, "bound", lambda self, **given: kinds.append(self.name) or bound(self, **given))
    report = fuzz_one(seed, Plan(draws=1, trials=0, checked=every))
    assert [str(one) for one in report.mismatches] == []
    assert bool(kinds) == checks


@needs_numba
@pytest.mark.parametrize(("seed", "every", "calls"), [(71128000011, 1, True), (71128000011, 2, False)])
def test_a_share_of_the_programs_calls_loops_that_it_has_twice(seed, every, calls, monkeypatch, tmp_path):
    """So short kernels have what only long ones have otherwise."""
    monkeypatch.setenv("AUTODIFF_CACHE_DIR", str(tmp_path / "cache"))
    seen, within = [], function.repeats_in
    monkeypatch.setattr(function, "repeats_in", lambda *given: seen.append(within(*given)) or seen[-1])
    thresholds = repeats.LONG, repeats.OFTEN
    report = fuzz_one(seed, Plan(draws=2, size="edges", trials=0, repeats=every))
    assert [str(one) for one in report.mismatches] == []
    assert any(seen) == calls
    assert thresholds == (repeats.LONG, repeats.OFTEN)


LATER = (
    "linear",
    "columns",
    "compiled columns",
    "rows",
    "second",
    "batch inside",
    "several",
    "trees",
    "gradient of trees",
)
"""Modes of few programs, each of which is tried here."""


@pytest.mark.parametrize("mode", LATER)
def test_nothing_is_found_in_modes_of_few_programs(mode):
    whole, skip = Report(), tuple(name for name in COMPILED if name not in ("value", mode))
    for seed in range(200, 206):
        whole.add(fuzz_one(seed, Plan(draws=2, trials=0, backend="numpy", skip=skip)))
    assert [str(one) for one in whole.mismatches] == []
    assert whole.counts[mode, "agrees"] > 6


@pytest.mark.parametrize("count", [1, 2, 4])
def test_arguments_come_out_of_trees_as_they_went_in(count):
    args = [np.full(k, k) for k in range(count)]
    leaves, structure = flatten(packed_in(args))
    assert len(leaves) == count
    assert [arg.tolist() for arg in unpacked(structure.unflatten(leaves))] == [arg.tolist() for arg in args]


def test_results_go_into_the_next_call():
    calls = []
    several(lambda x, n: calls.append((x, n)) or (x * 2, n + 1))(np.arange(3.0), np.float32(1))
    assert [np.asarray(x).tolist() for x, _ in calls] == [
        [0, 1, 2],
        [2, 1, 0],
        [0, 1, 2],
        [0, 1, 2],
        [0, 2, 4],
        [0, 1, 2],
    ]
    assert [str(np.asarray(x).dtype) for x, _ in calls][2] == "float32"
    assert [type(n) for _, n in calls] == [np.float32, np.float32, np.float64, np.ndarray, np.float32, np.float32]
    assert [float(n) for _, n in calls] == [1, 1, 1, 1, 2, 1]


def test_programs_with_few_draws_have_values_of_every_flavour():
    firsts = [first_draw(seed, Plan(draws=1)) for seed in range(100)]
    assert set(firsts) == set(range(10)) == {first_draw(seed, Plan(draws=1)) for seed in range(0, 100, 10)}
    assert {first_draw(seed, Plan(draws=10)) for seed in range(100)} == {0}


def test_nothing_is_found_in_tapes():
    whole = Report()
    for seed in range(20):
        whole.add(fuzz_one(seed, Plan(draws=2, trials=0, compiled=False)))
    assert [str(one) for one in whole.mismatches] == []


def test_large_draws_have_large_arrays():
    sizes = [max(np.size(one.value) for one in draw(generate(seed), 0, "large").arguments) for seed in range(20)]
    assert max(sizes) > 60_000


def test_a_seed_makes_one_program_whatever_strings_hash_to():
    text = "from autodiff.testing.fuzz import generate, printed; print([printed(generate(seed)) for seed in range(40)])"
    texts = {
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", text],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path))},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert texts == {f"{[printed(generate(seed)) for seed in SEEDS]}\n"}


def test_programs_have_everything_in_them():
    lines = [line for seed in range(300) for line in every_line(generate(seed).main)]
    text = "\n".join(line.text for line in lines)
    for part in (
        "autodiff.cond(", "autodiff.switch(", "autodiff.scan(", "autodiff.fori_loop(", "autodiff.while_loop(",
        "autodiff.vmap(", "autodiff.checkpoint(", "np.where(", "np.argmax(", "np.cumsum(", "np.sort(", " @ ", "out=",
        "] += ", "special.softmax(", "np.einsum(", "np.concatenate(", "np.pad(", "keepdims=True", "::-1]", "astype(",
        "autodiff.random.uniform(", "np.linalg.", "np.fft.",
    ):  # fmt: skip
        assert part in text, part
    dtypes = {one.dtype for seed in range(300) for one in generate(seed).inputs}
    assert dtypes >= {"float32", "float64", "int32", "int64", "bool", "uint8", "uint64", "complex64", "complex128"}


def test_draws_are_repeatable_and_have_every_layout():
    program = generate(3)
    assert contents(laid_out(draw(program, 1).arguments)) == contents(laid_out(draw(program, 1).arguments))
    layouts = {one.layout for seed in range(60) for one in draw(generate(seed), 0).arguments}
    assert layouts == set(ARRANGEMENTS)


def test_unaligned_arrays_are_not_aligned():
    array = unaligned(np.arange(3.0))
    assert not array.flags.aligned
    assert array.tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_text_of_a_program_runs_as_the_program_does(seed):
    program = generate(seed)
    drawn = draw(program, 0)
    constants = laid_out(drawn.constants)
    scope = {one.name: value for one, value in zip(program.constants, constants, strict=True)}
    exec(IMPORTS + printed(program), scope)
    args = laid_out(drawn.arguments)
    assert outcome(scope["f"], args) == outcome(function_of(program, constants), args)


@pytest.mark.parametrize("seed", SEEDS)
def test_watching_a_program_does_not_change_it(seed):
    program = generate(seed)
    drawn = draw(program, 0)
    constants, args = laid_out(drawn.constants), laid_out(drawn.arguments)
    watched = watched_function_of(program, constants, lambda _, value: value)
    assert outcome(watched, args) == outcome(eager_function_of(program, constants), args)


def test_programs_are_saved_as_json():
    for seed in SEEDS:
        program = generate(seed)
        assert program_from(json.loads(json.dumps(asdict(program)))) == program


def test_the_command_line_counts(capsys):
    assert main(["--programs", "3", "--draws", "2", "--jobs", "1"]) == 0
    assert "3 programs, 12 checks" in capsys.readouterr().out


def test_other_processes_report_the_same(monkeypatch):
    monkeypatch.setattr(jobs, "LIFE", 1)  # the third share is for a second pool
    plan = Plan(draws=1, compiled=False)
    one, two = Report(), Report()
    for report in reports(range(9), plan, jobs=1):
        one.add(report)
    for report in reports(range(9), plan, jobs=2):
        two.add(report)
    assert (one.counts, one.programs) == (two.counts, two.programs)


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float32, np.complex128])
def test_arguments_of_all_dtypes_have_simpler_ones(dtype):
    values = np.array([0, 1, 3]).astype(dtype) if dtype is not np.float32 else np.array([0.1234, 2.5, np.nan], dtype)
    simpler = [argument.value for argument in simpler_arguments(Argument(values))]
    assert simpler
    assert all(value.dtype == values.dtype and value.shape == values.shape for value in simpler)
