"""`python -m benchmarks.gpu` on the stand-in for CuPy: everything but a device."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from autodiff.backends import gpu
from autodiff.backends.cupy.runtime.replay import LOOKED_AT
from benchmarks.compiled_programs.program import LeftOutError
from benchmarks.contest.closeness import compare, inputs_of
from benchmarks.contest.peers import OURS
from benchmarks.contest.result import Measurement
from benchmarks.contest.trees import leaves
from benchmarks.gpu import NO_GPU
from benchmarks.gpu_contest import budget as budgets
from benchmarks.gpu_contest import sanitized
from benchmarks.gpu_contest.budget import Budget
from benchmarks.gpu_contest.entrant import DeviceReference, judged
from benchmarks.gpu_contest.peers import PEERS, load
from benchmarks.gpu_contest.peers.peer import Place
from benchmarks.gpu_contest.report import checks, failed, table
from benchmarks.gpu_contest.result import DeviceResult
from benchmarks.gpu_contest.sanitizer import said
from benchmarks.gpu_contest.turns import lost
from benchmarks.gpu_programs.checks import CHECKS
from benchmarks.gpu_programs.program import COARSE
from benchmarks.gpu_programs.table import PROGRAMS, chosen_rows, row_of
from tests.backends.cupy.hosting import needs_compiler
from tests.standin.fixture import cupy

__all__ = ["cupy"]
ROOT = Path(__file__).parents[2]
STANDIN = Place(standin=True, memory=0.1)
ROWS = chosen_rows([])
LIBRARIES = {"torch": "torch", "jax": "jax"}


@pytest.fixture(scope="module")
def references(tmp_path_factory):
    """The right results of all rows."""
    folder = tmp_path_factory.mktemp("references")
    for name, number in ROWS:
        own = folder / f"{name} {number}"
        own.mkdir()
        DeviceReference(small=True).write(name, number, str(own))
    return folder


def tolerance(row):
    """Above 1 for rows that round more."""
    return max(1.0, COARSE.get(row.precision, 0.0) / 1e-5)


def worked(peer, name, number):
    program, row = PROGRAMS[name], row_of(name, number, small=True)
    try:
        peer.set_precision(row)
    except LeftOutError as reason:
        pytest.skip(str(reason))
    return peer.work(program, row, program.given(row, inputs_of(program, row)))


def compared(peer, work, name, number, references):
    program, row = PROGRAMS[name], row_of(name, number, small=True)
    results = [peer.plain(leaf) for leaf in leaves(work.result())]
    return compare(judged(program, row), row, results, references / f"{name} {number}") / tolerance(row)


@pytest.mark.parametrize(("name", "number"), ROWS)
def test_every_row_by_hand_in_cupy(cupy, references, name, number):
    peer = load("cupy", STANDIN)
    if type(PROGRAMS[name]).cupy.__qualname__.startswith("DeviceProgram"):
        pytest.skip("nobody writes its derivative by hand")
    work = worked(peer, name, number)
    assert compared(peer, work, name, number, references) < 1e-5
    assert work.seconds(2) > 0


@needs_compiler
@pytest.mark.parametrize(("name", "number"), ROWS)
def test_every_row_compiled_by_autodiff(cupy, references, name, number):
    peer = load(OURS, STANDIN)
    work = worked(peer, name, number)
    assert compared(peer, work, name, number, references) < 1e-5
    assert work.seconds(LOOKED_AT + 2) > 0  # captured and replayed, where that pays
    assert compared(peer, work, name, number, references) < 1e-5
    assert " runs as " in peer.explained(work)


@pytest.mark.parametrize("library", LIBRARIES)
def test_programs_of_a_peer(references, library):
    pytest.importorskip(LIBRARIES[library])
    peer = load(library, STANDIN)
    for name, number in ROWS:
        if number or (library == "jax" and name not in ("layer norm", "LSTM")):
            continue  # it compiles for a second, and other programs are those of CPUs
        work = worked(peer, name, number)
        assert compared(peer, work, name, number, references) < 1e-5
        assert work.seconds(2) > 0


def test_a_copy_is_timed(cupy):
    assert load(OURS, STANDIN).copy(100).seconds(3) > 0


def test_cold_calls_begin_behind_a_flush(cupy):
    peer = load("cupy", STANDIN)
    work = worked(peer, "cross-entropy", 2)
    flushed = []
    work.flush = lambda: flushed.append(1)
    work.seconds(3)
    assert len(flushed) == 3


def test_donated_arguments_are_handed_on(cupy):
    peer = load("cupy", STANDIN)
    work = worked(peer, "perceptron", 4)
    steps = []
    call = work.call
    work.call = lambda state, *args: steps.append(float(state["steps"])) or call(state, *args)
    work.seconds(3)
    assert steps == [10.0, 11.0, 12.0]
    work.result()
    assert steps[3] == 10.0


@pytest.mark.parametrize("name", CHECKS)
def test_small_programs_are_functions_of_numpy(name):
    """What a device is held against is right itself: the gradients of the small programs, along a line."""
    from autodiff import value_and_grad

    check = CHECKS[name]
    given = [x.astype(np.float64) if x.dtype.kind == "f" else x for x in check.arguments(np.random.default_rng(3))]
    if len(given) == 1:
        given = [x[..., :700] for x in given]
    (_, results), gradients = value_and_grad(check.loss, check.differentiated, has_aux=True)(*given)
    assert all(np.all(np.isfinite(leaf)) for leaf in (*leaves(results), *gradients))
    assert [g.shape for g in gradients] == [given[n].shape for n in check.differentiated]


def run(*arguments):
    command = [sys.executable, "-m", "benchmarks.gpu", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)


@pytest.mark.skipif(gpu.found()[0] is not None, reason="there is a GPU")
def test_without_a_gpu_it_says_so():
    done = run("--peer", "cupy")
    reason = gpu.found()[1]
    assert done.returncode == NO_GPU
    assert done.stdout == ""
    assert done.stderr == (
        f"nothing to measure: RuntimeError: CuPy has no GPU here: {reason}. With --stand-in everything runs on the CPU "
        "at tiny sizes, as a trial.\n"
    )


@needs_compiler
def test_a_run_on_the_stand_in(tmp_path):
    arguments = ["--only", "elementwise, 1e7", "--only", "64-32-10", "--check", "row and column", "--json", tmp_path]
    done = run("--stand-in", *map(str, arguments))
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    title, first, fast, second, summary = lines[-5:]
    assert title.split() == ["autodiff", "cupy", "copy", "ratio"]
    assert first.startswith("elementwise, 1e7 ")
    assert fast.startswith("elementwise, 1e7 fast_math ")
    assert second.startswith("perceptron, 64-32-10 batch 32 ")
    assert summary == "no goals are judged"
    assert "too few calls, or no device: THE FIGURES MEAN NOTHING" in lines
    written = json.loads((tmp_path / "gpu.json").read_text())
    assert [row["size"] for row in written["rows"]] == ["1e7", "1e7 fast_math", "64-32-10 batch 32"]
    ours, _ = written["rows"][0]["measurements"]
    assert len(ours["rounds"]) == 2
    assert " runs as 1 kernel and 0 calls." in ours["explained"]
    assert set(written["checks"]) == {"jit", "eager"}
    assert all("error" in said["row and column"] for said in written["checks"].values())


def measured(name, *seconds, **words):
    return Measurement(name, list(seconds), **words)


def result(size=0, copy=None, **measurements):
    program = PROGRAMS["elementwise"]
    found = {name: measured(name, *([own] if own else []), **({} if own else {"failure": "no memory"}))
             for name, own in measurements.items()}  # fmt: skip
    return DeviceResult(program, program.rows[size], 0, found, copy and measured("copy", copy))


def test_the_table():
    results = [
        result(0, copy=0.95e-3, autodiff=1e-3, torch=2e-3),
        result(1, copy=0.8e-3, autodiff=1e-3, torch=2e-3),
        result(2, autodiff=2e-6, torch=1e-6),
        result(2, autodiff=1e-6, torch=None),
        DeviceResult(PROGRAMS["layer norm"], PROGRAMS["layer norm"].rows[0], 0, {}, skipped="out of time"),
    ]
    found = list(table(results, ["autodiff", "torch"], {"standin": False, "quick": False}))
    assert "\n".join(found) == (
        """
  torch: no memory: elementwise, 1e4

seconds a call, medians over rounds in which everybody had a turn; copy: part of a copy's speed, goal 0.9 for elementwise; ratio: ours over the best peer's, goal 1.0
                                            autodiff         torch   copy  ratio
elementwise, 1e7                                1 ms          2 ms   0.95   0.50  met
elementwise, 1e8                                1 ms          2 ms   0.80   0.50  missed: below the speed of a copy
elementwise, 1e4                                2 us          1 us          2.00  missed: too slow
elementwise, 1e4                                1 us        failed                missed: no peer measured
layer norm, 16384x1024                       skipped       skipped                missed: out of time
1 of 5 goals met"""
    )
    assert not failed(results, {})


def test_what_is_wrong_is_named_and_ends_with_1():
    wrong, late = {"wrong": "result 1 of call 2 is off by 2, allowed 1e-05"}, {"not run": "out of time"}
    found = {"jit": {"softmax": {"error": 1e-7}, "sorted": wrong, "rolled": late, "norms": late}}
    assert list(checks(found)) == [
        "",
        "small programs on the device against NumPy in double precision, jit: 1 of 4 right",
        "  not run, out of time: 2, from 'rolled' on",
        "  sorted: WRONG: result 1 of call 2 is off by 2, allowed 1e-05",
    ]
    assert failed([], found)
    assert failed([result(autodiff=None)], {})
    assert not failed([result(autodiff=1.0, torch=None)], {})


def test_a_budget_shares_what_is_left(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(budgets, "monotonic", lambda: now[0])
    budget = Budget(108.0, rows=4)
    assert budget.checks_left == pytest.approx(37.8)
    assert budget.next_row()
    assert budget.row_left == 50.0
    now[0] = 90.0
    assert budget.next_row()
    assert (budget.row_left, budget.patience) == (pytest.approx(20 / 3), pytest.approx(20 / 3))
    now[0] = 95.0
    assert not budget.next_row()
    assert budget.patience == 5.0


def test_who_is_silent_or_has_lost_the_device_is_started_again():
    assert lost("no answer from torch within 9 seconds", "torch")
    assert lost("the interpreter for torch ended without an answer", "torch")
    assert lost("CUDARuntimeError: cudaErrorIllegalAddress: an illegal memory access was encountered", "autodiff")
    assert not lost("OutOfMemoryError: Out of memory allocating 400 bytes", "autodiff")


@needs_compiler
def test_what_runs_under_a_sanitizer(cupy, capsys):
    assert sanitized.main(["row and column", "adam"]) == 0
    assert capsys.readouterr().out == "2 programs ran as 2 modules of kernels; 2 are right\n"


@pytest.mark.skipif(gpu.found()[0] is not None, reason="there is a GPU")
def test_no_sanitizer_without_a_gpu(capsys):
    assert sanitized.main([]) == NO_GPU
    assert capsys.readouterr().out == f"nothing ran: CuPy has no GPU here: {gpu.found()[1]}\n"


def test_what_a_sanitizer_found():
    assert [said(status) for status in (0, 86, 1)] == [
        "clean, and all results right",
        "errors, printed above",
        "ended with status 1: wrong results or no run",
    ]


def test_all_peers_have_names():
    assert list(PEERS) == ["autodiff", "cupy", "torch", "torch.compile", "torch graphs", "jax"]
