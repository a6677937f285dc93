"""``autodiff.numpy`` as a whole namespace: all names of NumPy's, types and constants as they are, arrays to be written to."""

from __future__ import annotations

import types

import numpy as np
import pytest

import autodiff
import autodiff.numpy as anp
from autodiff import grad

MODULES = {"": np, "linalg": np.linalg, "fft": np.fft, "emath": np.emath}
NAMES = [
    (module, name) for module, own in MODULES.items() for name in getattr(own, "__all__", dir(own)) if name[0] != "_"
]


def ours(module):
    return getattr(anp, module) if module else anp


@pytest.mark.parametrize("module", MODULES)
def test_all_names_are_there(module):
    original, own = MODULES[module], ours(module)
    for name in [name for of, name in NAMES if of == module]:
        found, theirs = getattr(own, name), getattr(original, name)
        if isinstance(theirs, type):
            assert found is theirs or name in ("ndenumerate", "broadcast") or issubclass(found, theirs)
        elif callable(theirs):
            assert callable(found)
        elif not isinstance(theirs, types.ModuleType) and name not in ("r_", "c_", "mgrid", "ogrid"):
            assert found is theirs


MAKERS = {
    "zeros": lambda np: np.zeros(3),
    "ones": lambda np: np.ones((2, 2)),
    "empty": lambda np: np.empty(3) * 0,
    "full": lambda np: np.full(3, 2.5),
    "arange": lambda np: np.arange(3.0),
    "linspace": lambda np: np.linspace(0.0, 1.0, 4),
    "logspace": lambda np: np.logspace(0.0, 1.0, 4),
    "eye": lambda np: np.eye(3),
    "identity": lambda np: np.identity(2),
    "tri": lambda np: np.tri(3),
    "array": lambda np: np.array([[1.0, 2.0], [3.0, 4.0]]),
    "asarray": lambda np: np.asarray([1.0, 2.0]),
    "zeros_like": lambda np: np.zeros_like([1.0, 2.0]),
    "diag": lambda np: np.diag([1.0, 2.0]),
    "tile": lambda np: np.tile([1.0, 2.0], 2),
    "hanning": lambda np: np.hanning(5) + 0.0,
    "array of lists of integers": lambda np: np.array([[1, 2], [3, 4]], dtype=float, order="F", ndmin=3),
}


@pytest.mark.parametrize("name", MAKERS)
def test_what_is_made_is_numpys_and_takes_traced_values(name):
    make = MAKERS[name]
    made = make(anp)
    assert type(made) is np.ndarray
    np.testing.assert_array_equal(made, make(np))
    assert (made.dtype, made.flags.f_contiguous) == (make(np).dtype, make(np).flags.f_contiguous)
    if name == "hanning":
        return

    def program(x, np):
        out = make(np)
        if name != "asarray":
            out = out * 1.0
        out[0] = x**2
        return np.sum(out**3)

    slope = (program(0.7 + 1e-6, np) - program(0.7 - 1e-6, np)) / 2e-6
    np.testing.assert_allclose(grad(lambda x: program(x, anp))(0.7), slope, rtol=1e-7)


def test_errors_are_numpys():
    assert anp.linalg.LinAlgError is np.linalg.LinAlgError
    with pytest.raises(np.linalg.LinAlgError):
        anp.linalg.inv(np.zeros((2, 2)))
    with pytest.raises(AttributeError, match="nothing_like_it"):
        anp.nothing_like_it  # noqa: B018


def test_lists_of_traced_values():
    x = np.array([0.3, -0.8])
    found = grad(lambda x: anp.dot([x[0], 2.0], [x[1], x[0]]) + anp.linalg.det([[x[0], 1.0], [x[1], x[1]]]))(x)
    np.testing.assert_allclose(found, [x[1] + 2.0 + x[1], x[0] + x[0] - 1.0])
    assert autodiff.grad(lambda x: anp.maximum([x[0], 0.0], 0.1)[0])(x).tolist() == [1.0, 0.0]
    assert autodiff.grad(lambda x: anp.add.reduce([x[0], x[1] ** 2]))(x).tolist() == [1.0, -1.6]
