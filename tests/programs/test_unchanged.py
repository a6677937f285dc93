"""Programs of others, whose text is not changed: with the switch they have derivatives, and without it they say so."""

from __future__ import annotations

import importlib
import sys
from functools import cache

import numpy as np
import pytest

import autodiff
from autodiff.trace.errors import AutodiffError
from tests.programs.unchanged.table import PROGRAMS

PACKAGE = "tests.programs.unchanged"
ROWS = [pytest.param(module, name, id=name) for module, rows in PROGRAMS.items() for name in rows]
BY_OTHER_STEPS = {"inner_fit": 1e-7}
"""Where SciPy takes differences and autodiff.scipy derivatives: how far values may differ."""
WITHOUT = {"cholesky_by_hand", "logistic"}
"""What needs no switch."""
SHAPES_ALONE = {
    *("ode_by_solve_ivp", "ode_by_odeint", "quadrature", "implied_volatility", "inner_fit"),  # SciPy asks for numbers
    *("option_lattice", "american_put", "dynamic_time_warping", "lists", "branches"),  # which one is larger?
    *("masks", "conversions"),  # how many are chosen; what a text shows
}
"""What cannot run where only shapes are known, under vmap and jit."""


@cache
def plain(module):
    return loaded(module, sys.modules.pop(f"{PACKAGE}.{module}", None))


@cache
def switched(module):
    with autodiff.differentiable(f"{PACKAGE}.{module}"):
        return loaded(module, sys.modules.pop(f"{PACKAGE}.{module}", None))


def loaded(module, before):
    """The module, imported anew, and the old one put back."""
    found = importlib.import_module(f"{PACKAGE}.{module}")
    sys.modules.pop(f"{PACKAGE}.{module}")
    if before is not None:
        sys.modules[f"{PACKAGE}.{module}"] = before
    return found


def point(module, name):
    return np.array(PROGRAMS[module][name])


def differences(function, x, step=1e-4):
    """Central differences of fourth order."""

    def slope(direction):
        near = function(x + step * direction) - function(x - step * direction)
        far = function(x + 2 * step * direction) - function(x - 2 * step * direction)
        return (8 * near - far) / (12 * step)

    return np.array([slope(direction) for direction in np.eye(x.size)])


@pytest.mark.parametrize(("module", "name"), ROWS)
def test_value_and_gradient(module, name):
    x, own, original = point(module, name), getattr(switched(module), name), getattr(plain(module), name)
    value = original(x)
    np.testing.assert_allclose(own(x), value, rtol=BY_OTHER_STEPS.get(name, 0))
    assert type(own(x)) is type(value)
    wanted = differences(original, x)
    found, gradient = autodiff.value_and_grad(own)(x)
    np.testing.assert_allclose(found, value, rtol=BY_OTHER_STEPS.get(name, 1e-12))
    np.testing.assert_allclose(gradient, wanted, rtol=2e-6, atol=2e-7)
    np.testing.assert_allclose(autodiff.jvp(own, (x,), (np.ones_like(x),))[1], wanted.sum(), rtol=2e-6, atol=2e-7)


@pytest.mark.parametrize(("module", "name"), ROWS)
def test_without_the_switch(module, name):
    x, original = point(module, name), getattr(plain(module), name)
    if name in WITHOUT:
        np.testing.assert_allclose(autodiff.grad(original)(x), differences(original, x), rtol=1e-6, atol=1e-7)
        return
    with pytest.raises(AutodiffError, match=r"would (become|be written)") as caught:
        autodiff.grad(original)(x)
    assert f"{module}.py:" in str(caught.value)
    assert "python -m autodiff script.py" in str(caught.value)


@pytest.mark.parametrize(("module", "name"), [row for row in ROWS if row.id not in SHAPES_ALONE])
def test_batches_and_tapes(module, name):
    x, own = point(module, name), getattr(switched(module), name)
    gradient = autodiff.grad(own)(x)
    tape = autodiff.make_tape(autodiff.grad(own))(x)
    np.testing.assert_allclose(autodiff.eval_tape(tape, x), gradient, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(autodiff.vmap(own)(np.stack([x, x * 1.01]))[1], own(x * 1.01), rtol=1e-9)
