"""Tables of functions of SciPy: a row each, checked against all laws at few points, so that hundreds take a minute."""

from zlib import crc32

import numpy as np

import autodiff
from autodiff.testing import Case, Domain, check_laws

POINTS = 3


def row(name, fun, *domains, **options):
    """A function of as many real vectors as there are domains."""
    shapes = [(POINTS,)] if len(domains) == 1 else [((POINTS,),) * len(domains)]
    return Case(name, fun, list(domains), dtypes=("float64",), shapes=shapes, **options)


FEW_DIGITS = dict.fromkeys(
    ("forward", "reverse", "forward over reverse", "forward over forward", "digits", "continuous"),
    "SciPy's own values are right to eight digits only: their differences are compared by `check_roughly`",
)


def rough(name, fun, *domains, **options):
    """A row whose values differ from those of an analytic function by more than a numerical derivative bears."""
    return row(name, fun, *domains, skip=FEW_DIGITS, **options)


def between(low, high):
    return Domain(low, high, margin=0.02 * (high - low))


def arguments(case):
    """Points of the domains, always the same for a row."""
    rng = np.random.default_rng(crc32(case.name.encode()))
    drawn = []
    for domain in case.each_domain:
        low, high = domain.reach
        drawn.append(rng.uniform(low + domain.margin, high - domain.margin, POINTS))
    return tuple(drawn)


def check_row(case):
    check_laws(case.fun, arguments(case), order=case.order, batch=case.batch, skip=case.skip, name=case.name)
    if case.skip is FEW_DIGITS:
        check_roughly(case)


def check_roughly(case, step=1e-4, rtol=1e-3):
    """The derivative is the difference quotient to a few digits."""
    args = arguments(case)
    direction = tuple(np.ones_like(x) for x in args)
    _, tangents = autodiff.jvp(case.fun, args, direction)
    after, before = (case.fun(*(x + sign * step for x in args)) for sign in (1, -1))
    for tangent, a, b in zip(*(x if isinstance(x, tuple) else (x,) for x in (tangents, after, before)), strict=True):
        np.testing.assert_allclose(tangent, (a - b) / (2 * step), rtol=rtol, atol=1e-6)
