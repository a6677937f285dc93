import numpy as np
import pytest


def test_no_array_becomes_one_of_numpy_unasked(cupy):
    x = cupy.asarray(np.arange(3.0))
    text = "Implicit conversion to a NumPy array is not allowed"
    for convert in (np.asarray, np.array, lambda x: np.array([x, x]), lambda x: np.arange(9)[:3] + np.asarray(x)):
        with pytest.raises(TypeError) as caught:
            convert(x)
        assert str(caught.value).startswith(text)


def test_host_and_device_do_not_mix(cupy):
    x, host = cupy.arange(3.0), np.arange(3.0)
    for mix in (
        lambda: x + host,
        lambda: host + x,
        lambda: np.where(host > 1, x, 0.0),
        lambda: np.concatenate([x, host]),
        lambda: np.add(x, x, out=host),
    ):
        with pytest.raises(TypeError):
            mix()


def test_reductions_and_single_elements_are_arrays(cupy):
    x = cupy.arange(4.0)
    for value in (x.sum(), np.sum(x), np.max(x), x[1], np.add.reduce(x), np.linalg.norm(x), np.dot(x, x)):
        assert isinstance(value, cupy.ndarray)
        assert value.shape == ()
    assert float(x.sum()) == 6.0


def test_what_cupy_lacks_is_refused(cupy):
    x = cupy.arange(4.0)
    for missing in (
        lambda: np.spacing(x),
        lambda: np.sum(x, where=x > 1),
        lambda: np.sum(x, initial=1.0),
        lambda: np.add(x, x, where=x > 1),
        lambda: np.linalg.vector_norm(x),
        lambda: np.reshape(x, shape=(2, 2)),
    ):
        with pytest.raises(TypeError):
            missing()
    for method in (np.maximum.reduce, np.subtract.accumulate, np.logical_xor.reduce):
        with pytest.raises(NotImplementedError):
            method(x)


def test_views_share_memory(cupy):
    x = cupy.arange(6.0).reshape(2, 3)
    x[0, 1:] = 7.0
    x.T[2] += 1
    assert x.tolist() == [[0.0, 7.0, 8.0], [3.0, 4.0, 6.0]]
    assert x.T.base is not None
    assert x.T.strides == (8, 24)
    assert x[1].data.ptr == x.data.ptr + 24


def test_indices_wrap_and_repeated_places_keep_any_value(cupy):
    x = cupy.arange(3.0)
    assert x[cupy.asarray([4])].tolist() == [1.0]
    x[cupy.asarray([0, 0])] = cupy.asarray([5.0, 6.0])
    assert x.tolist() == [5.0, 1.0, 2.0]
    np.add.at(x, cupy.asarray([1, 1]), 1.0)
    assert x.tolist() == [5.0, 3.0, 2.0]


def test_two_gpus(cupy):
    with cupy.cuda.Device(1):
        x = cupy.zeros(2)
    assert x.device.id == 1
    assert cupy.zeros(2).device.id == 0
    with pytest.raises(ValueError, match="different from the current device"):
        x + 1
    assert x.copy().device.id == 0


def test_loops_are_those_that_cupy_chooses(cupy):
    bfloat16 = np.dtype(pytest.importorskip("ml_dtypes").bfloat16)
    x, truth = cupy.ones(3, np.float32).astype(bfloat16), cupy.ones(3, bool)
    for found, kind in (
        (x + x, bfloat16),
        (x + 2, bfloat16),
        (x * 2.5, np.float32),
        (np.tanh(x), bfloat16),
        (x + cupy.ones(3, np.float16), np.float32),
        (np.where(truth, x, x), np.float32),
        (np.where(truth, x, 0), np.float32),
        (cupy.ones(3, np.int32) + cupy.ones(3, np.float16), np.float64),
        (cupy.ones(3, np.float16) * 2.5, np.float16),
        (cupy.ones(3, np.float32) * np.float64(2), np.float64),
    ):
        assert found.dtype == kind
    with pytest.raises(TypeError, match="Wrong type"):
        np.invert(x)
