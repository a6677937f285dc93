"""Which functions let an array without axes have an axis 0: those that NumPy lets, and no others."""

import numpy as np
import pytest

from autodiff import jit, jvp

FUNCTIONS = {
    name: getattr(np, name)
    for name in [
        "sum",
        "prod",
        "max",
        "min",
        "any",
        "all",
        "ptp",
        "argmax",
        "argmin",
        "argsort",
        "sort",
        "cumsum",
        "cumprod",
        "mean",
        "var",
        "std",
        "median",
        "average",
        "flip",
        "diff",
        "nansum",
        "nanprod",
        "nanmax",
        "nanmean",
        "nanvar",
        "nanstd",
        "nanmedian",
        "count_nonzero",
    ]
} | {
    "quantile": lambda x, axis: np.quantile(x, 0.3, axis=axis),
    "nanpercentile": lambda x, axis: np.nanpercentile(x, 30, axis=axis),
    "logaddexp": lambda x, axis: np.logaddexp.reduce(x, axis=axis),
}


def outcome(fun, x):
    """The shape of what a function returns, or the class of its error."""
    try:
        return np.shape(fun(x))
    except (TypeError, ValueError) as error:
        return next(each for each in type(error).__mro__ if each.__module__ in ("numpy.exceptions", "builtins"))


@pytest.mark.parametrize("axis", [0, -1, 1, (0,), ()], ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_axes_of_numbers_are_numpys(name, axis):
    x = np.array(1.5)
    fun = lambda x: FUNCTIONS[name](x, axis=axis)  # noqa: E731 - one expression
    wanted = outcome(fun, x)
    assert outcome(jit(fun), x) == wanted
    assert outcome(lambda x: jvp(fun, (x,), (x,))[0], x) == wanted


@pytest.mark.parametrize("name", ["mean", "var", "std", "sum", "max"])
@pytest.mark.parametrize("axis", [0, -1])
def test_so_are_they_where_axes_are_kept(name, axis):
    fun = lambda x: FUNCTIONS[name](x, axis=axis, keepdims=True)  # noqa: E731 - one expression
    assert outcome(jit(fun), np.array(1.5)) == outcome(fun, np.array(1.5))
