"""Planted faults are found, each by the law that says most; right functions are not blamed."""

import pytest

from autodiff.testing import GradientMismatch, laws
from benchmarks.gradient_testing.faults import FAULTS
from benchmarks.gradient_testing.right import RIGHT

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
