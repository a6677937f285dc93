"""Programs of scipy.special and scipy.stats: the tables of the tests, one program for each function."""

import numpy as np
import scipy.special as sp
import scipy.stats

from autodiff.scipy import special, stats
from tests.scipy import test_special, test_special_functions
from tests.scipy.programs.check import Program
from tests.scipy.rows import FEW_DIGITS, arguments
from tests.scipy.test_stats import CONTINUOUS, DISCRETE, LOC, SCALE

some, wide, unit = np.array([0.4, 1.1, 2.3]), np.array([-1.3, 0.2, 0.9]), np.array([0.2, 0.5, 0.8])

# fmt: off
ELEMENTARY = [
    ((some,), "cbrt digamma exp10 exp2 gamma gammaln loggamma psi log1p entr i0 i0e i1 i1e j0 j1 k0 k0e k1 k1e y0 y1"),
    ((wide,), "cosm1 dawsn erf erfc erfcx erfi expit expm1 exprel log_expit log_ndtr ndtr sinc"),
    ((unit,), "erfcinv erfinv logit ndtri"),
    ((some, unit), "beta betaln kl_div rel_entr xlogy xlog1py"),
]
LAWS = {
    "logsumexp": Program(special.logsumexp, (wide,)), "softmax": Program(special.softmax, (wide,)),
    "log_softmax": Program(special.log_softmax, (wide,)), "polygamma": Program(lambda x: special.polygamma(1, x), (some,)),
    "jn": Program(lambda x: special.jn(2, x), (some,)),
}
# fmt: on


def of_row(case):
    """A row of the tests as a program: of few digits where SciPy has few."""
    rough = case.skip is FEW_DIGITS
    return Program(case.fun, arguments(case), 1e-2 if rough else 1e-4, 1e-3 if rough else 3e-4, 1e-5)


def special_programs():
    rows = [*test_special_functions.ROWS, *test_special.MADE_OF_UFUNCS]
    found = {case.name.split()[0]: of_row(case) for case in reversed(rows) if hasattr(sp, case.name.split()[0])}
    simple = {name: Program(getattr(special, name), args) for args, names in ELEMENTARY for name in names.split()}
    return {**found, **simple, **LAWS}


def stats_programs():
    found = {name: continuous(name) for name in CONTINUOUS} | {
        name: discrete(name) for name in DISCRETE.keys() - WHOLE - {"poisson_binom"}
    }
    found["poisson_binom"] = Program(lambda p: stats.poisson_binom.logpmf([1, 2], p), (unit,))
    return found


WHOLE = {"hypergeom", "nhypergeom", "randint"}
"""Distributions whose parameters are whole numbers, so that there is nothing to differentiate by."""


def continuous(name):
    """The logarithm of a density, in its argument and all smooth parameters."""
    own, shapes = getattr(scipy.stats, name), CONTINUOUS[name]
    x = own.ppf([0.3, 0.6], *shapes) * SCALE + LOC
    whole = [info.integrality for info in own._shape_info()]
    smooth = [shape for shape, integral in zip(shapes, whole, strict=True) if not integral]

    def logpdf(x, *given):
        parameters = iter(given)
        each = [shape if integral else next(parameters) for shape, integral in zip(shapes, whole, strict=True)]
        return getattr(stats, name).logpdf(x, *each, *parameters)

    return Program(logpdf, (x, *smooth, LOC, SCALE), 1e-3, 1e-4, 1e-5)


def discrete(name):
    """The logarithm of a probability, in all smooth parameters."""
    own, shapes = getattr(scipy.stats, name), DISCRETE[name]
    k = own.ppf([0.3, 0.6], *shapes)
    whole = [info.integrality for info in own._shape_info()]

    def logpmf(*given):
        parameters = iter(given)
        each = [shape if integral else next(parameters) for shape, integral in zip(shapes, whole, strict=True)]
        return getattr(stats, name).logpmf(k, *each)

    smooth = tuple(float(shape) for shape, integral in zip(shapes, whole, strict=True) if not integral)
    return Program(logpmf, smooth, 1e-3, 1e-4, 1e-5)
