"""The laws hold of right functions, and each planted fault is found by the laws that should find it."""

from typing import Any

import numpy as np
import pytest
from planted import PLANTS, Plant

import autodiff
from autodiff.testing import LAWS, GradientMismatch, Undecided, check_laws, domains, laws


def laws_with(plant: Plant, only: tuple[str, ...]) -> None:
    laws(
        plant.fun,
        domain=[domains.nonzero] * plant.arity,
        skip=[law for law in LAWS if law not in only],
        name=plant.name,
        max_examples=25,
    )


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.name)
def test_each_fault_is_found(plant: Plant) -> None:
    with pytest.raises(GradientMismatch):
        laws_with(plant, tuple(LAWS))


@pytest.mark.parametrize(
    ("plant", "law"), [pytest.param(p, law, id=f"{p.name}-{law}") for p in PLANTS for law in p.found_by]
)
def test_the_right_law_finds_it_alone(plant: Plant, law: str) -> None:
    with pytest.raises(GradientMismatch) as error:
        laws_with(plant, (law,))
    assert error.value.law == law


@pytest.mark.parametrize(
    ("plant", "law"), [pytest.param(p, law, id=f"{p.name}-{law}") for p in PLANTS for law in p.not_by]
)
def test_other_laws_still_hold(plant: Plant, law: str) -> None:
    laws_with(plant, (law,))
