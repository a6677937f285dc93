"""Where a function is smooth, as a value: an interval, the kinks inside it, and points worth hitting.

>>> from autodiff.testing import domains
>>> domains.positive.contains(0.5), domains.positive.contains(0.0)
(True, False)
>>> domains.real.avoiding(0.0).is_smooth(0.01)
False
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import inf, isfinite, isnan, pi

WIDTH = 3.0
"""How far drawn values reach where an interval is unbounded."""

IMAGINARY = (-0.9, 0.9)
"""Imaginary parts stay below one: off the poles of tanh and off the cuts of arctan."""


@dataclass(frozen=True)
class Domain:
    """An interval of the real line with kinks to avoid and points to hit.

    Args:
        low: lower end of the interval, minus infinity where there is none. Of complex numbers the real part
            lies in the interval.
        high: upper end.
        low_closed: whether the lower end itself belongs to the domain; it is then drawn too, as a kink.
        high_closed: whether the upper end does.
        avoid: points where the function has no derivative (kinks, poles, ties). Values keep `margin` away
            from them.
        margin: distance kept from `avoid` and from the finite ends, so that a small step stays inside.
        hit: points drawn on purpose. One that lies at a kink is drawn for the laws that need no numerical
            derivative only.
        imaginary: interval of the imaginary part for complex dtypes.
        distinct: whether equal elements are a kink, as they are for `sort` and `max`.

    Raises:
        ValueError: the interval leaves no room for its margins, or a hit lies outside it.

    >>> Domain(0.0, 1.0, hit=(0.5,)).is_smooth(0.5)
    True
    """

    low: float = -inf
    high: float = inf
    low_closed: bool = False
    high_closed: bool = False
    avoid: tuple[float, ...] = ()
    margin: float = 0.05
    hit: tuple[float, ...] = ()
    imaginary: tuple[float, float] = IMAGINARY
    distinct: bool = False

    def __post_init__(self) -> None:
        low, high = self.reach
        if isnan(low) or isnan(high) or not high - low > 2 * self.margin > 0:
            raise ValueError(
                f"a domain from {self.low} to {self.high} leaves no room for a margin of {self.margin} "
                "at each end; give a wider interval or a smaller positive margin"
            )
        for point in self.hit:
            if not self.contains(point):
                raise ValueError(
                    f"the hit {point} lies outside the domain from {self.low} to {self.high}; "
                    "move it inside, or close the end that it lies on"
                )

    @property
    def reach(self) -> tuple[float, float]:
        """The finite interval that values are drawn from, margins included."""
        low = self.low if isfinite(self.low) else min(-WIDTH, self.high - WIDTH)
        high = self.high if isfinite(self.high) else max(WIDTH, self.low + WIDTH)
        return low, high

    @property
    def kinks(self) -> tuple[float, ...]:
        """The points of the domain that are drawn on purpose although no derivative need exist there."""
        ends = [end for end, closed in ((self.low, self.low_closed), (self.high, self.high_closed)) if closed]
        return (*ends, *(point for point in self.hit if not self.is_smooth(point)))

    @property
    def smooth_hits(self) -> tuple[float, ...]:
        """The hits at which a numerical derivative exists."""
        return tuple(point for point in self.hit if self.is_smooth(point))

    def contains(self, point: float) -> bool:
        """Whether the point belongs to the interval, its closed ends included."""
        above = point >= self.low if self.low_closed else point > self.low
        below = point <= self.high if self.high_closed else point < self.high
        return above and below

    def is_smooth(self, point: float) -> bool:
        """Whether the point lies in the domain and keeps the margin from its ends and kinks."""
        return self.low + self.margin <= point <= self.high - self.margin and all(
            abs(point - kink) >= self.margin for kink in self.avoid
        )

    def avoiding(self, *points: float) -> "Domain":
        """The same domain with more points to keep away from."""
        return replace(self, avoid=self.avoid + points)

    def hitting(self, *points: float) -> "Domain":
        """The same domain with more points that are drawn on purpose."""
        return replace(self, hit=self.hit + points)


def between(low: float, high: float, avoid: Iterable[float] = ()) -> Domain:
    """The open interval from low to high."""
    return Domain(low, high, avoid=tuple(avoid))


real = Domain(hit=(0.0, 1.0))
moderate = Domain(-WIDTH, WIDTH, hit=(0.0, 1.0))
positive = Domain(0.0, inf, hit=(1.0,))
negative = Domain(-inf, 0.0, hit=(-1.0,))
nonzero = Domain(avoid=(0.0,), hit=(1.0, -1.0))
unit = Domain(-1.0, 1.0, hit=(0.0,))
probability = Domain(0.0, 1.0, hit=(0.5,))
greater_than_one = Domain(1.0, inf, hit=(2.0,))
angles = Domain(-pi, pi, hit=(0.0,))
kinked_at_zero = Domain(avoid=(0.0,), hit=(0.0, 1.0))
distinct = Domain(distinct=True)
