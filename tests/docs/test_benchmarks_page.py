"""The page of benchmarks is made of the JSON that a run writes."""

from __future__ import annotations

import json

from benchmarks.compiled_programs.table import PROGRAMS
from benchmarks.contest.document import document
from benchmarks.contest.result import Measurement, Result
from benchmarks.environment import environment
from docs.building import benchmarks
from docs.building.tables import time_text


def test_page_of_a_run(tmp_path):
    program = next(iter(PROGRAMS.values()))
    times = {"autodiff": Measurement("autodiff", rounds=[0.002]), "jax": Measurement("jax", rounds=[0.004])}
    run = document([Result(program, program.rows[0], 2, times)], {"environment": environment()})
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "compiled.json").write_text(json.dumps(run))
    benchmarks.write(tmp_path)
    page = (tmp_path / "_generated" / "benchmarks" / "index.md").read_text()
    assert "## Compiled" in page
    assert f"Measured on {run['environment']['date']}: " in page
    assert "| program | size | dtype | autodiff | jax | autodiff / best peer |" in page
    title = program.title.removesuffix(f", {program.dtype}")
    assert f"| {title} | {program.rows[0].size} | {program.dtype} | 2 ms | 4 ms | 0.50 |" in page


def test_page_of_the_gallery(tmp_path):
    ours = {"cold": 2.0, "warm": [0.5], "median": 0.5, "failure": None}
    theirs = {"cold": None, "warm": [], "median": None, "failure": "MemoryError"}
    rows = [
        {
            "program": "orbit",
            "note": "",
            "mismatch": None,
            "libraries": {"autodiff": ours, "jax": {**ours, "median": 1.0}},
        },
        {"program": "ising", "note": "not all", "mismatch": None, "libraries": {"autodiff": ours, "jax": theirs}},
    ]
    (tmp_path / "figures").mkdir()
    run = {"environment": environment(), "threads": 2, "rows": rows}
    (tmp_path / "figures" / "gallery.json").write_text(json.dumps(run))
    benchmarks.write(tmp_path)
    page = (tmp_path / "_generated" / "benchmarks" / "index.md").read_text()
    assert "| [orbit](../gallery/orbit.md) | 2 s | 2 s | 500 ms | 1 s | 0.50 |" in page
    assert "| [ising](../gallery/ising.md) | 2 s |  | 500 ms |  |  |" in page
    assert "- [ising](../gallery/ising.md): jax failed: MemoryError\n- [ising](../gallery/ising.md): not all" in page


def test_page_without_a_run_says_how_to_make_one(tmp_path):
    benchmarks.write(tmp_path)
    page = (tmp_path / "_generated" / "benchmarks" / "index.md").read_text()
    assert "python -m benchmarks.compiled --json docs/figures/compiled.json" in page
    assert "python -m benchmarks.gallery --json docs/figures/gallery.json" in page


def test_times_have_three_digits():
    assert [time_text(seconds) for seconds in (None, 2.0, 0.0123, 4.56e-6, 9.998e-4, 0.9996)] == [
        "",
        "2 s",
        "12.3 ms",
        "4.56 us",
        "1 ms",
        "1 s",
    ]
