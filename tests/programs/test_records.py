"""Structured arrays to whose fields traced values are written."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff
from autodiff import differentiable, grad
from autodiff.trace.errors import ConcretizationError

X = np.array([0.2, 0.5, 0.7])
PART = np.dtype([("pos", float, 2), ("m", float), ("id", int)])
NESTED = np.dtype([("a", [("b", float), ("c", float)]), ("d", float)])


@differentiable
def particles(x):
    p = np.zeros(3, dtype=PART)
    p["m"], p["id"] = x, np.arange(3)
    p["pos"][:, 0] = x**2
    p["pos"][1] = [x[0], x[1]]
    heavy = p[p["id"] > 0]
    assert isinstance(p, np.ndarray)
    assert (len(p), p.dtype, p.shape, p.ndim) == (3, PART, (3,), 1)
    total = np.sum(p["m"] * np.sum(p["pos"] ** 2, axis=1)) + np.sum(heavy["m"] ** 3) + p[0]["m"] * p["pos"][2, 0]
    for k, each in enumerate(p):
        p["m"][k] += each["pos"][0] * 0.1
    p[1] = (np.zeros(2), x[2], 5)
    p[2] = p[0]
    return total + np.sum(p["m"] ** 2) + p["id"].sum()


@differentiable
def nested(x):
    p = np.zeros(2, dtype=NESTED)
    p["a"]["b"], p["d"][0] = x[:2], x[2]
    first = p[:1]
    first["a"]["c"], first["d"] = 5 * x[0], x[1]
    return (p["a"]["b"] * p["d"]).sum() + p["a"]["c"].sum()


@differentiable
def of_rows(x):
    p = np.array([(1.0, 2), (3.0, 4)], dtype=[("v", float), ("n", int)])
    p["v"][0] = x[0]
    p["v"] *= 2 * x[1]
    return np.sum(p["v"] * p["n"])


@pytest.mark.parametrize("fun", [particles, nested, of_rows])
def test_derivatives_are_those_of_the_plain_program(fun):
    numerical = [(fun(X + h) - fun(X - h)) / 2e-6 for h in 1e-6 * np.eye(3)]
    found = grad(fun)(X)
    np.testing.assert_allclose(found, numerical, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(autodiff.jacfwd(fun)(X), found, rtol=1e-13)
    np.testing.assert_allclose(autodiff.jit(grad(fun))(X), found, rtol=1e-13)
    np.testing.assert_allclose(autodiff.value_and_grad(fun)(X)[0], fun(X), rtol=1e-15)


def test_what_is_plain_stays_numpys():
    @differentiable
    def program(x):
        p = np.zeros(3, dtype=PART)
        p["id"] = [3, 1, 2]
        q = np.sort(p, order="id")
        p[0] = q[2]
        assert p[0] == q[2]
        assert p["m"].tolist() == [0.0, 0.0, 0.0]
        with pytest.raises(ValueError, match="no field of name missing"):
            p["missing"]
        return np.sum(x) * q["id"][0]

    assert type(program(X)) is np.float64
    np.testing.assert_array_equal(grad(program)(X), np.ones(3))


def test_the_whole_is_refused_once_a_field_is_traced():
    @differentiable
    def program(x):
        p = np.zeros(3, dtype=PART)
        p["m"] = x
        return np.sort(p, order="m")["m"][0]

    line = program.__code__.co_firstlineno + 4
    with pytest.raises(ConcretizationError) as error:
        grad(program)(X)
    assert str(error.value) == (
        "the field 'm' of a structured array is traced, and the whole would become plain "
        f"(test_records.py:{line}); take the fields one by one, p['m']"
    )
