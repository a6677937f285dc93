"""Domains: what they contain, where they are smooth, and how they refuse nonsense."""

import math

import pytest

from autodiff.testing import Domain, domains


def test_open_and_closed_ends() -> None:
    half = Domain(0.0, 1.0, low_closed=True)
    assert half.contains(0.0)
    assert not half.contains(1.0)
    assert half.kinks == (0.0,)


def test_smooth_points_keep_the_margin_from_ends_and_kinks() -> None:
    domain = Domain(0.0, 2.0, avoid=(1.0,), margin=0.1)
    assert [domain.is_smooth(x) for x in (0.05, 0.15, 0.95, 1.2, 1.95)] == [False, True, False, True, False]


def test_a_hit_at_a_kink_is_a_kink_and_any_other_hit_is_smooth() -> None:
    assert domains.kinked_at_zero.kinks == (0.0,)
    assert domains.kinked_at_zero.smooth_hits == (1.0,)
    assert domains.unit.kinks == ()


@pytest.mark.parametrize("domain", [domains.real, domains.positive, domains.negative, domains.greater_than_one])
def test_unbounded_domains_are_drawn_from_a_moderate_interval(domain: Domain) -> None:
    low, high = domain.reach
    assert -6 <= low < high <= 6


def test_far_half_lines_have_room_as_well() -> None:
    assert Domain(100.0, math.inf).reach == (100.0, 103.0)
    assert Domain(-math.inf, -100.0).reach == (-103.0, -100.0)


def test_more_points_can_be_avoided_and_hit() -> None:
    domain = domains.real.avoiding(2.0).hitting(2.0, -1.0)
    assert domain.kinks == (2.0,)
    assert domain.smooth_hits == (0.0, 1.0, -1.0)


def test_too_narrow_a_domain_is_refused() -> None:
    with pytest.raises(ValueError, match="no room") as error:
        Domain(0.0, 0.05)
    assert str(error.value) == (
        "a domain from 0.0 to 0.05 leaves no room for a margin of 0.05 at each end; "
        "give a wider interval or a smaller positive margin"
    )


def test_a_hit_outside_is_refused() -> None:
    with pytest.raises(ValueError, match="outside") as error:
        Domain(0.0, 1.0, hit=(0.0,))
    assert str(error.value) == (
        "the hit 0.0 lies outside the domain from 0.0 to 1.0; move it inside, or close the end that it lies on"
    )
