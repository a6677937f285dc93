"""Programs that ask of what class a value is: traced values take the branch that plain ones take."""

# ruff: noqa: E721 - what users write is what is tested

from __future__ import annotations

import functools
import numbers
import sys
from functools import singledispatch
from types import ModuleType

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, PPoly
from scipy.sparse import csr_array
from scipy.spatial.transform import Rotation

import autodiff
from autodiff import differentiable

X = np.array([0.8, 0.5, 1.3])


def by_match(x):
    total = 0.0
    for v in (x, x[0], 2.0, float(x[1]), [x[0], 3.0], {"a": x[1]}, (x[0], x[1]), None, "text"):
        match v:
            case np.ndarray():
                total = total + (v**2).sum()
            case np.floating() as found:
                total = total + found**3
            case int() | float() if v < 100:
                total = total + 10 * v
            case [a, np.floating() | float() as b] if isinstance(v, list):
                total = total + a * b
            case {"a": np.floating(real=q)}:
                total = total + q
            case (a, float(b)):
                total = total + a / b
            case None | str():
                total = total + 1.0
            case _:
                total = total + 1000.0
    return total


def by_attributes(x):
    match x:
        case np.ndarray(shape=(2, _)):
            return x.prod()
        case np.ndarray(shape=(3,), ndim=n):
            return x.sum() * n
        case object():
            return 100.0 * x.prod()


def by_class(x):
    if x.__class__ is np.ndarray and x[0].__class__.__name__ == "float64" and float(x[0]).__class__ == float:
        return x.sum() + x.prod()
    return x.prod()


def by_abstract_classes(x):
    v = x[0]
    found = (
        isinstance(v, numbers.Real),
        isinstance(v, np.generic),
        np.isscalar(v),
        hasattr(v, "__len__"),
        hasattr(x, "__len__"),
        hasattr(float(v), "shape"),
        getattr(float(v), "ndim", None) is None,
        getattr(x, "shape", None) == (3,),
        hasattr(x, "__call__"),  # an attribute of classes, not of arrays
        getattr(v, "mro", None) is None,
    )
    return sum(w * v for w, yes in zip(2.0 ** np.arange(10), found) if yes)


def by_dispatch(x):
    @singledispatch
    def size(v):
        return 5.0 * v

    @size.register
    def _(v: np.ndarray):
        return (v**2).sum()

    @size.register(float)
    @size.register(np.floating)
    def _(v):
        return np.array([v, v**3])[1]

    return size(x) + size(x[0]) + size(float(x[1])) + size(True)


class Grower:
    @functools.singledispatchmethod
    def grow(self, v):
        return 7.0 * v

    @grow.register
    def _(self, v: np.ndarray):
        return np.array([v.sum(), 1.0])[0] ** 2

    @grow.register(list)
    @classmethod
    def _(cls, v):
        return v[0]


def by_method(x):
    return Grower().grow(x) + Grower().grow(x[0]) + Grower().grow([x[1]])


differentiable(Grower)
PROGRAMS = {f.__name__: f for f in (by_match, by_attributes, by_class, by_abstract_classes, by_dispatch, by_method)}


@pytest.mark.parametrize("name", PROGRAMS)
def test_traced_values_take_the_branch_of_plain_ones(name):
    plain = PROGRAMS[name]
    program = differentiable(plain)
    np.testing.assert_allclose(program(X), plain(X))
    np.testing.assert_allclose(autodiff.value_and_grad(program)(X)[0], plain(X))
    if name != "by_match":  # it branches on a value
        np.testing.assert_allclose(autodiff.jit(program)(X), plain(X))
    direction = np.array([0.3, -1.0, 0.7])
    slope = (plain(X + 1e-6 * direction) - plain(X - 1e-6 * direction)) / 2e-6
    np.testing.assert_allclose(autodiff.grad(program)(X) @ direction, slope, rtol=1e-6)


def test_functions_that_a_loaded_module_has_made_with_singledispatch(tmp_path):
    source = """
import functools
import numpy as np

@functools.singledispatch
def size(v):
    return 5.0 * v

@size.register(np.ndarray)
def _(v):
    return np.array([v[0], v[1] ** 2])[1]
"""
    file = tmp_path / "sizes.py"
    file.write_text(source)
    module = ModuleType("sizes")
    module.__file__ = str(file)
    exec(compile(source, str(file), "exec"), vars(module))
    sys.modules["sizes"] = module
    try:
        differentiable(module)
        np.testing.assert_allclose(autodiff.grad(module.size)(X), [0.0, 2 * X[1], 0.0])
        assert module.size(2.0) == 10.0
    finally:
        del sys.modules["sizes"]


def test_conditions_of_a_case_are_kept():
    @differentiable
    def f(x):
        match x:
            case np.ndarray() if x[0] > 0:
                return 2.0 * x[0]
            case np.ndarray():
                return 3.0 * x[0]

    np.testing.assert_allclose(autodiff.grad(f)(np.array([1.0])), [2.0])
    np.testing.assert_allclose(autodiff.grad(f)(np.array([-1.0])), [3.0])


def test_lists_with_traced_values_are_operands():
    def traced_left(x):
        a = x[:2]
        return a * [1.0, x[0]] + [x[1], 2.0] * a - (x[0], x[1]) + ([a, a * 2] @ a) / [[3.0, x[0]]] ** a

    for transformed in (lambda f: lambda x: autodiff.vjp(f, x)[0], autodiff.jit):
        np.testing.assert_allclose(transformed(traced_left)(X), traced_left(X))

    @differentiable
    def made_here(x):
        y = np.ones(2)
        y += [x[0], 2.0]
        y *= (x[1], x[0])
        return y + np.array([1.0, 2.0]) ** [x[0], x[1]] - [x[0], 1.0] / np.array([1.0, 2.0])

    assert autodiff.jacobian(made_here)(X).shape == (2, 3)
    for transformed in (lambda f: lambda x: autodiff.vjp(f, x)[0], autodiff.jit):
        np.testing.assert_allclose(transformed(made_here)(X), made_here(X))


def test_objects_of_scipy_are_instances_of_its_classes_whoever_made_them():
    rotation, matrix = Rotation.identity(), csr_array(np.eye(3))
    spline = CubicSpline(np.arange(4.0), np.arange(4.0))

    @autodiff.differentiable
    def program(x):
        turned = Rotation.from_rotvec(x)
        yes = [
            isinstance(rotation, Rotation), isinstance(turned, Rotation), isinstance(turned, (int, Rotation)),
            isinstance(matrix, csr_array), isinstance(matrix, (int, csr_array)),
            isinstance(spline, CubicSpline), isinstance(spline, (PPoly, float)),
        ]  # fmt: skip
        no = [isinstance(turned, csr_array), isinstance(x, Rotation), isinstance(matrix, PPoly)]
        assert all(yes), yes
        assert not any(no), no
        return turned.apply(np.array([1.0, 2.0, 3.0]))[0]

    found = autodiff.grad(program)(np.zeros(3))
    np.testing.assert_allclose(found, [0.0, 3.0, -2.0], atol=1e-12)
