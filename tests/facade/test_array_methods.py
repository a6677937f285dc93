"""Methods of Variables that arrays have: NumPy's values, and the gradients of NumPy's functions."""

import numpy as np
import pytest

from autodiff import Parameter, Variable, grad

ARRAY = np.array([[0.5, -1.0, 2.0], [3.0, 0.25, -4.0]])
CALLS = {
    "sum": lambda v: v.sum(),
    "sum of rows": lambda v: v.sum(axis=1, keepdims=True),
    "prod": lambda v: v.prod(axis=0),
    "max": lambda v: v.max(axis=1),
    "min": lambda v: v.min(),
    "mean": lambda v: v.mean(axis=0),
    "std": lambda v: v.std(ddof=1),
    "var": lambda v: v.var(axis=1, keepdims=True),
    "cumsum": lambda v: v.cumsum(axis=1),
    "cumprod": lambda v: v.cumprod(axis=0),
    "dot": lambda v: v.dot(np.arange(3.0)),
    "ravel": lambda v: v.ravel(),
    "flatten": lambda v: v.flatten(),
    "squeeze": lambda v: v[:1].squeeze(0),
    "swapaxes": lambda v: v.swapaxes(0, 1),
    "clip": lambda v: v.clip(-2, 1),
    "astype": lambda v: v.astype(np.float32),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_methods_of_arrays(call):
    v = Variable(ARRAY.copy())
    found, wanted = call(v), call(ARRAY)
    assert isinstance(found, Variable)
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_array_equal(found.array, wanted)
    np.sum(found**2).backward()
    np.testing.assert_allclose(v.grad, grad(lambda x: np.sum(call(x) ** 2))(ARRAY), rtol=1e-6)


def test_places_are_plain_arrays():
    v = Parameter(ARRAY.copy())
    assert (v.argmax(), v.argmin()) == (3, 5)
    assert v.argmax(axis=1).tolist() == [2, 0]
    assert not isinstance(v.argmin(axis=0), Variable)


def test_what_tensors_of_others_have_is_refused_with_what_to_write():
    v = Variable(ARRAY)
    with pytest.raises(
        AttributeError,
        match=r"^Variables have no 'detach' \(test_array_methods.py:\d+\): write Variable\(v.array\), or v.array",
    ):
        v.detach()
    with pytest.raises(AttributeError, match=r"^Variables have no 'exp' \(.*\): write np.exp\(v\)$"):
        v.exp()
    with pytest.raises(AttributeError, match=r"^Variables have no 'relu' \(.*\): write F.relu\(v\), of autodiff"):
        v.relu()
    with pytest.raises(AttributeError, match=r"^'Variable' object has no attribute 'nothing'$"):
        _ = v.nothing
    with pytest.raises(AttributeError, match=r"^the Variable has no array yet, hence no shape"):
        _ = Parameter().shape  # what a property raises is what is seen
    with pytest.raises(
        AttributeError,
        match=r"^arrays of NumPy have no 'detach', nor have traced ones \(.*\): write autodiff.stop_gradient\(x\)$",
    ):
        grad(lambda x: x.detach() * x)(1.0)
