"""Filled arrays: distinct magnitudes, inside the domain, the same for the same seed."""

import numpy as np
import pytest

from autodiff.testing import Domain, domains, fill

NAMED = [
    domains.real,
    domains.positive,
    domains.negative,
    domains.nonzero,
    domains.unit,
    domains.probability,
    domains.greater_than_one,
    domains.angles,
]


def seeded(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("domain", NAMED)
@pytest.mark.parametrize("size", [1, 5, 40, 200])
def test_values_are_smooth_points_of_the_domain(domain: Domain, size: int) -> None:
    assert all(domain.is_smooth(x) for x in fill((size,), "float64", domain, seeded()))


@pytest.mark.parametrize("seed", range(20))
def test_magnitudes_differ_within_an_operand_and_between_operands(seed: int) -> None:
    random = seeded(seed)
    both = [fill((20,), "float32", domains.real, random, count=20, place=k, places=2) for k in range(2)]
    magnitudes = np.sort(abs(np.concatenate(both)))
    assert np.diff(magnitudes).min() > 1e-3


def test_values_are_short_decimals_so_that_they_can_be_read() -> None:
    assert all(len(repr(x)) <= 7 for x in fill((8,), "float64", domains.real, seeded()).tolist())


def test_the_seed_decides_everything() -> None:
    one, two = (fill((3, 2), "complex128", domains.unit, seeded(7)) for _ in range(2))
    assert np.array_equal(one, two)


def test_complex_values_have_their_real_part_in_the_domain_and_a_small_imaginary_part() -> None:
    z = fill((30,), "complex64", domains.positive, seeded())
    assert z.dtype == np.complex64
    assert (z.real > 0).all()
    assert (abs(z.imag) < 0.9).all()
    assert (z.imag != 0).all()


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8"])
def test_whole_numbers_of_the_domain(dtype: str) -> None:
    whole = fill((50,), dtype, Domain(0.5, 4.5, avoid=(3.0,)), seeded())
    assert set(whole.tolist()) == {1, 2, 4}


def test_bools_take_both_values() -> None:
    assert set(fill((50,), "bool", domains.real, seeded()).tolist()) == {False, True}


def test_empty_arrays_can_be_filled() -> None:
    assert fill((2, 0), "float32", domains.real, seeded()).shape == (2, 0)


def test_a_domain_without_whole_numbers_refuses_them() -> None:
    with pytest.raises(ValueError, match="no number") as error:
        fill((2,), "int64", Domain(0.1, 0.9), seeded())
    assert str(error.value) == (
        "no number of dtype int64 lies between 0.1 and 0.9 away from (); widen the domain or leave integer dtypes out"
    )
