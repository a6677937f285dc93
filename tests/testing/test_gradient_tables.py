"""Planted faults are found, each by the law that says most; right functions are not blamed."""

import pytest

from autodiff.testing import GradientMismatch, laws
from benchmarks.gradient_testing.__main__ import main
from benchmarks.gradient_testing.faults import FAULTS
from benchmarks.gradient_testing.right import RIGHT
from benchmarks.gradient_testing.table import table, times

PART = 9
"""One in so many right functions is tried here; `python -m benchmarks.gradient_testing --seeds 20` tries all."""


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_every_fault_is_found_and_named(fault):
    with pytest.raises(GradientMismatch) as error:
        laws(fault.planted(), **fault.laws_options())
    assert error.value.law in fault.laws
    raised = error.value.detail.partition("raised     ")[2].partition(":")[0]
    assert raised in ("", fault.raises)  # it is found as what it is


@pytest.mark.parametrize("right", RIGHT[::PART], ids=lambda right: right.name)
def test_right_functions_are_not_blamed(right):
    assert laws(right.fun, name=right.name, **right.options).points > 20


def test_there_are_as_many_as_promised():
    assert len({fault.name for fault in FAULTS}) >= 60
    assert len({right.name for right in RIGHT}) >= 150
    assert sum(right.kinked for right in RIGHT) >= 30


def test_a_run_goes_on_where_its_log_ends(tmp_path, capsys):
    log = tmp_path / "log"
    for _ in range(2):
        assert main(["--only", "factor 1.001", "sign", "--log", str(log)]) == 0
        assert len(log.read_text().splitlines()) == 2
        assert "| faults found | 2 of 2 |" in capsys.readouterr().out
    assert main(["--only", "factor 1.001", "--first-seed", "1", "--log", str(log)]) == 0
    assert len(log.read_text().splitlines()) == 3


def test_the_table_shows_the_worst_of_all_seeds():
    rows = [
        {"kind": "right", "name": "max", "word": word, "law": law, "seconds": seconds}
        for word, law, seconds in (("passed", "", 1.0), ("blamed", "forward", 2.5), ("passed", "", 1.0))
    ]
    assert "| max | **blamed** (forward) |" in table({"laws": rows})
    assert "| right functions blamed | 1 of 3 |" in table({"laws": rows})
    assert "| max | 3 | 1.5 | 2.5 |" in times(rows)
