"""All functions on arrays of a GPU, with a stand-in for CuPy: forward, backward and double backward as on the host.

The cases are those whose results under Chainer are recorded. Arrays that a case makes itself are made by ``cupy``.
"""

import importlib
import warnings
from contextlib import suppress

import numpy as np
import pytest

import autodiff.chainer as chainer
from autodiff.chainer import functions as F
from tests.chainer.gpu.sweep import run
from tests.chainer.recorded import names
from tests.chainer.recorded.differentiation import FunctionCase
from tests.chainer.recorded.tables import FUNCTION_GROUPS, cases_of

HOST = {
    "copy dst=-1": "its result is on the host",
    "scatter_add slices=0 b=array([1,2,3],dtype=int32) int": "its table holds a host array",
}
ROWS = [
    pytest.param(group, case, dtype, id=f"{group}-{case.name}-{dtype}")
    for group in FUNCTION_GROUPS
    for case in cases_of(group)
    if isinstance(case, FunctionCase) and case.name not in HOST
    for dtype in case.dtypes
    if dtype != "d"
]


@pytest.mark.parametrize(("group", "case", "dtype"), ROWS)
def test_as_on_the_host(cupy, monkeypatch, group, case, dtype):
    module = importlib.import_module(f"tests.chainer.recorded.cases_{group}")
    expected = attempted(case, dtype, chainer.get_device("@numpy"))
    if hasattr(module, "np"):
        monkeypatch.setattr(module, "np", cupy)
    found = attempted(case, dtype, chainer.get_device("@cupy:0"))
    assert found.keys() == expected.keys(), (found, expected)
    bound = 1e-5 if dtype == "f" else 2e-2
    for name, value in expected.items():
        if isinstance(value, np.ndarray):
            assert (found[name].dtype, found[name].shape) == (value.dtype, value.shape), name
            scale = bound * max(1.0, float(np.abs(value[np.isfinite(value)]).max(initial=0)))
            np.testing.assert_allclose(found[name].astype("d"), value.astype("d"), bound, scale, err_msg=name)
        else:
            assert found[name] == value, name


def attempted(case, dtype, device):
    """What a case gives, or its error."""
    try:
        return run(case, dtype, device)
    except Exception as error:
        if isinstance(error, AssertionError):
            raise
        return {f"{type(error).__name__}": str(error).partition(" (")[0]}


def test_all_functions_are_among_the_cases(cupy):
    names.resolved.clear()
    for _, case, dtype in (row.values for row in ROWS):
        with suppress(Exception), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            case.function(*case.variables(dtype))
    called = {name.removeprefix("functions.") for name in names.resolved}
    assert set(F.__all__) - called == {"batch_renormalization", "copy", "sparse_matmul"}


@pytest.fixture(params=["@numpy", "@cupy:0", "@cupy:1"])
def place(cupy, request):
    return chainer.get_device(request.param)


def test_sparse_matmul(place):
    dense = np.array([[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]], np.float32)
    matrix = chainer.utils.CooMatrix(
        *map(place.send, (np.array([2, 1, 3], np.float32), np.array([0, 1, 1], "i"), np.array([1, 0, 2], "i"))), (2, 3)
    )
    x = chainer.Variable(place.send(np.arange(12.0, dtype=np.float32).reshape(3, 4)))
    y = F.sparse_matmul(matrix, x)
    np.testing.assert_allclose(chainer.cuda.to_cpu(y.array), dense @ np.arange(12.0).reshape(3, 4))
    y.grad = place.send(np.ones((2, 4), np.float32))
    y.backward()
    assert place.is_array_supported(x.grad)
    np.testing.assert_allclose(chainer.cuda.to_cpu(x.grad), dense.T @ np.ones((2, 4)))
    again = chainer.utils.sparse.to_coo(place.send(np.stack((dense, 2 * dense))))
    assert place.is_array_supported(again.row)
    for sparse, expected in ((matrix, dense), (again, np.stack((dense, 2 * dense)))):
        made = sparse.to_dense()
        assert place.is_array_supported(made)
        np.testing.assert_equal(chainer.cuda.to_cpu(made), expected)


def test_batch_renormalization(place):
    draws = np.random.RandomState(0)
    arrays = [draws.standard_normal(shape).astype(np.float32) for shape in ((5, 3), (3,), (3,))]
    running = [place.send(np.zeros(3, np.float32)), place.send(np.ones(3, np.float32))]
    results = []
    for device, (mean, var) in ((chainer.get_device(-1), (np.zeros(3, "f"), np.ones(3, "f"))), (place, running)):
        x, gamma, beta = (chainer.Variable(device.send(array)) for array in arrays)
        y = F.batch_renormalization(x, gamma, beta, 1.5, 0.5, running_mean=mean, running_var=var)
        F.sum(y * y).backward()
        results.append([chainer.cuda.to_cpu(a) for a in (y.array, x.grad, gamma.grad, mean, var)])
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_copies_between_devices(place):
    for target in ("@numpy", "@cupy:0", "@cupy:1"):
        x = chainer.Variable(place.send(np.arange(3.0)))
        y = F.copy(x, target)
        assert y.device == chainer.get_device(target)
        F.sum(y * y).backward()
        assert place.is_array_supported(x.grad)
        np.testing.assert_allclose(chainer.cuda.to_cpu(x.grad), 2 * np.arange(3.0))


def test_labels_out_of_range_are_found_in_debug_mode(place):
    x, t = place.send(np.zeros((2, 3), np.float32)), place.send(np.array([0, 3], "i"))
    with chainer.using_config("debug", True), pytest.raises(IndexError, match=r"^the label 3 is none of the 3 classes"):
        F.softmax_cross_entropy(x, t)
