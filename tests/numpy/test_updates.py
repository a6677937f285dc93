"""``x.at[i].set(v)`` and its like: what NumPy writes in place, as new arrays; and what the array API asks of arrays."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import autodiff
from autodiff import Variable, grad, jit, jvp, vjp, vmap
from autodiff.numpy import at

X = np.array([[0.3, -0.8, 1.2], [0.5, 0.9, -0.4]])
KEYS = {
    "a number": (1, 2),
    "a slice": (slice(None), slice(0, 2)),
    "a row": 0,
    "places that occur twice": (np.array([0, 1, 0]), np.array([1, 2, 1])),
    "a mask": X > 0,
    "from behind": (Ellipsis, -1),
}
UFUNCS = {
    "add": np.add, "subtract": np.subtract, "mul": np.multiply, "multiply": np.multiply, "divide": np.divide,
    "min": np.minimum, "max": np.maximum,
}  # fmt: skip


def values_for(key):
    return np.cos(np.arange(1.0, 1.0 + X[key].size)).reshape(X[key].shape) if X[key].size > 1 else 0.25


@pytest.mark.parametrize("method", ["set", *UFUNCS])
@pytest.mark.parametrize("key", KEYS)
def test_values_and_derivatives(key, method):
    where, v = KEYS[key], values_for(KEYS[key])

    def plain(x, v):
        out = x.copy()
        if method == "set":
            out[where] = v
        else:
            UFUNCS[method].at(out, where, v)
        return np.sum(np.sin(out) * np.arange(1.0, 7.0).reshape(2, 3))

    def own(x, v):
        return np.sum(np.sin(getattr(at(x)[where], method)(v)) * np.arange(1.0, 7.0).reshape(2, 3))

    assert own(X, v) == plain(X, v)
    value, pullback = vjp(own, X, np.asarray(v))
    np.testing.assert_allclose(value, plain(X, v), rtol=1e-12)
    for cotangent, direction in zip(pullback(1.0), (np.sin(X), np.ones_like(v)), strict=True):
        first = cotangent.shape == X.shape and direction.shape == X.shape
        step = 1e-6 * direction
        pair = [plain(X + s * step, v) if first else plain(X, v + s * step) for s in (1, -1)]
        np.testing.assert_allclose(np.sum(cotangent * direction), (pair[0] - pair[1]) / 2e-6, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(jvp(own, (X, np.asarray(v)), (X, np.zeros_like(v)))[1], np.sum(pullback(1.0)[0] * X))
    np.testing.assert_allclose(vmap(lambda x: own(x, v))(np.stack([X, -X]))[0], plain(X, v))


def test_the_attribute_leaves_the_array_as_it_is():
    def program(x):
        y = x.at[0].add(2.0)
        assert y is not x
        return np.sum(x * y) + x.at[1, 1].get() + y.at[:, 0].set(x[0, 0] ** 2).sum()

    np.testing.assert_allclose(jit(grad(program), backend="numpy")(X), grad(program)(X))
    v = Variable(X)
    np.sum(at(v)[0].set(v[1] ** 2)).backward()
    np.testing.assert_allclose(v.grad, np.stack([np.zeros(3), 1 + 2 * X[1]]))
    np.testing.assert_array_equal(at(np.arange(3))[1].set(7.9), [0, 7, 2])
    assert repr(at(X)).startswith("<the places of array(")


def test_powers():
    found = jit(grad(lambda x: np.sum(x.at[[0, 0, 1]].power(2.0))))(np.array([3.0, 0.5, 1.0]))
    np.testing.assert_allclose(found, [4 * 3.0**3, 1.0, 1.0])


def test_traced_indices():
    found = vmap(lambda k: at(np.zeros(3))[k].set(1.0))(np.arange(3))
    np.testing.assert_array_equal(found, np.eye(3))


def test_the_array_api():
    def program(x):
        xp = x.__array_namespace__()
        assert xp is autodiff.numpy
        assert x.device == "cpu"
        assert x.to_device("cpu") is x
        with pytest.raises(
            ValueError, match=r"a traced array lies on 'cpu' and not on 'gpu' \(test_updates.py:\d+\); move arrays"
        ):
            x.to_device("gpu")
        with pytest.raises(BufferError, match=r"a traced float64\[2,3\] would be handed to another library"):
            np.from_dlpack(x)
        return xp.sum(xp.permute_dims(xp.concat([x, xp.zeros((1, 3))]), (1, 0)) ** 2) + xp.linalg.vector_norm(x)

    np.testing.assert_allclose(grad(program)(X), 2 * X + X / np.linalg.norm(X))


SCIPY = """
import numpy as np, scipy.integrate, scipy.special, scipy.stats
from scipy.spatial.transform import Rotation
from autodiff import jvp
x, v = np.array([0.9, -0.4, 1.3]), np.array([0.3, 0.5, -0.2])
for f in (scipy.stats.zscore, scipy.stats.skew, scipy.integrate.trapezoid, scipy.special.logsumexp, scipy.special.softmax,
          lambda x: Rotation.from_rotvec(x).as_matrix()):
    slope = (np.asarray(f(x + 1e-6 * v)) - np.asarray(f(x - 1e-6 * v))) / 2e-6
    np.testing.assert_allclose(jvp(f, (x,), (v,))[1], slope, atol=1e-7)
"""


def test_scipy_takes_traced_arrays_by_the_array_api():
    run = subprocess.run(
        [sys.executable, "-c", SCIPY],
        env=os.environ | {"SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert run.returncode == 0, run.stderr
