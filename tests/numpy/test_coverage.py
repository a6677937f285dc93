"""NumPy's namespace, function by function."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff
from autodiff.numpy.dispatch import FUNCTIONS, UFUNCS
from autodiff.numpy.refused import REASONS
from autodiff.testing import check_grads
from autodiff.trace.errors import DifferentiationError
from tests.numpy.coverage import PAGE, functions, page, share, status
from tests.numpy.programs import PROGRAMS


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    function, args = PROGRAMS[name]
    check_grads(function, args, order=2)


def test_nine_tenths_are_differentiated():
    assert share(status()) >= 0.9


def test_nothing_is_missing():
    assert [name for name, (kind, _) in status().items() if kind == "missing"] == []


@pytest.mark.skipif(f"NumPy {np.__version__}" not in PAGE.read_text(), reason="the page is about another NumPy")
def test_the_page_is_up_to_date():
    assert page() == PAGE.read_text(), "run python -m tests.numpy.coverage"


def test_every_differentiable_or_constant_function_is_in_a_dispatch_table():
    absent = [
        name
        for name, function in functions()
        if status()[name][0] in ("differentiable", "constant")
        and name not in {"isscalar", "iterable", "isfortran", "broadcast_shapes"}  # NumPy asks nobody
        and (function not in UFUNCS if isinstance(function, np.ufunc) else function not in FUNCTIONS)
    ]
    assert absent == []


@pytest.mark.parametrize("name", ["floor", "ceil", "trunc", "rint", "fix", "around", "round", "sign"])
def test_piecewise_constant_functions_have_derivative_zero(name):
    function = getattr(np, name)
    x = np.array([0.3, -1.7, 2.0])
    gradient = autodiff.grad(lambda x: np.sum(function(x) * x))(x)
    np.testing.assert_array_equal(gradient, function(x))


@pytest.mark.parametrize("name", [name for names in REASONS.values() for name in names.split()])
def test_refused_functions_say_why(name):
    reason = next(reason for reason, names in REASONS.items() if name in names.split())
    two = {"polydiv", "intersect1d", "setdiff1d", "setxor1d"}
    others = ([1.0, 2.0, 3.0],) if name in two else ()

    def program(x):
        return getattr(np, name)(x, *others)

    with pytest.raises(DifferentiationError, match=rf"np.{name} cannot be called .*test_coverage.py:\d+.*{reason}"):
        autodiff.grad(program)(np.array([1.0, 2.0, 4.0]))
