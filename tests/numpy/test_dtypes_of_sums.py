"""Sums, products and their running kin in the dtype that is asked for: values wrap around, and dtypes are NumPy's."""

import numpy as np
import pytest

import autodiff

ARRAYS = {
    "uint8": np.array([[1, 200, 255], [7, 0, 99]], np.uint8),
    "int16": np.array([[1, 200, 255], [-7, 0, 9999]], np.int16),
    "bool": np.array([[True, False, True], [True, True, True]]),
    "int64": np.array([[1, -200, 255], [7, 0, 99]]),
    "float32": np.array([[1, 200, 255], [7, 0, 99]], np.float32) / 3,
}
DTYPES = ("u1", "i2", "i4", "u8", "i8", "?", "f4", "f8")
FUNCTIONS = {
    "sum": lambda a, dtype: a.sum(dtype=dtype),
    "sum of columns": lambda a, dtype: np.sum(a, axis=0, dtype=dtype),
    "sum where": lambda a, dtype: np.sum(a, dtype=dtype, where=a > 3),
    "sum from": lambda a, dtype: np.sum(a, dtype=dtype, initial=3),
    "prod": lambda a, dtype: np.prod(a, dtype=dtype),
    "cumsum": lambda a, dtype: np.cumsum(a, axis=1, dtype=dtype),
    "cumprod": lambda a, dtype: np.cumprod(a, dtype=dtype),
    "trace": lambda a, dtype: np.trace(a, dtype=dtype),
    "nansum": lambda a, dtype: np.nansum(a, axis=0, dtype=dtype),
    "nanprod": lambda a, dtype: np.nanprod(a, dtype=dtype),
    "nanmean": lambda a, dtype: np.nanmean(a, dtype=dtype),
    "nancumsum": lambda a, dtype: np.nancumsum(a, dtype=dtype),
    "add.accumulate": lambda a, dtype: np.add.accumulate(a, dtype=dtype),
    "add.reduce": lambda a, dtype: np.add.reduce(a, dtype=dtype),
    "multiply.reduce": lambda a, dtype: np.multiply.reduce(a, dtype=dtype),
    "mean": lambda a, dtype: np.mean(a, dtype=dtype),
    "std": lambda a, dtype: np.std(a, dtype=dtype),
    "var": lambda a, dtype: np.var(a, axis=0, dtype=dtype),
}


def outcome(function, a):
    try:
        return np.asarray(function(a))
    except TypeError:
        return TypeError


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", ARRAYS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_as_numpy(name, kind):
    a = ARRAYS[kind]
    for dtype in DTYPES:

        def program(a, dtype=dtype):
            return FUNCTIONS[name](a, dtype)

        theirs = outcome(program, a)
        for mode in (autodiff.jit(program, backend="numpy"), lambda a: autodiff.vmap(program)(a[None])[0]):
            ours = outcome(mode, a)
            if theirs is TypeError or ours is TypeError:
                assert ours is theirs
                continue
            assert ours.dtype == theirs.dtype
            np.testing.assert_allclose(ours, theirs, rtol=2e-6 if theirs.dtype == np.float32 else 1e-12)


@pytest.mark.parametrize("name", ["sum", "prod", "cumsum", "trace"])
@pytest.mark.parametrize("dtype", ["u1", "i2", "?"])
def test_kernels(name, dtype):
    a = ARRAYS["uint8"]
    ours, theirs = autodiff.jit(lambda a: FUNCTIONS[name](a, dtype) + 0)(a), FUNCTIONS[name](a, dtype) + 0
    np.testing.assert_array_equal(ours, theirs)
    assert ours.dtype == theirs.dtype


def test_first_values_have_the_dtype_of_the_result():
    x = np.ones(3, np.float32)
    programs = [
        lambda x: np.prod(x, initial=np.float64(2.5)),
        lambda x: np.multiply.reduce(x, initial=np.float64(2)),
        lambda x: np.nanprod(x, initial=np.float64(2)),
        lambda x: np.var(x, ddof=np.float64(1)),
        lambda x: np.std(x, ddof=np.float64(1)),
        lambda x: np.nanvar(x, ddof=0.5),
        lambda x: np.nanstd(x, ddof=0.5),
        lambda x: np.nanvar(x[0], ddof=0.5),
        lambda x: np.prod(x.astype(int), initial=2.5),
        lambda x: np.cov(np.stack([x, x * 2]), dtype=np.float32),
        lambda x: np.corrcoef(np.stack([x + np.arange(3, dtype="f"), x * np.arange(3, dtype="f")]), dtype=np.float32),
    ]
    for program in programs:
        theirs = program(x)
        for ours in (autodiff.jit(program)(x), autodiff.vjp(program, x)[0]):
            assert ours.dtype == theirs.dtype
            np.testing.assert_allclose(ours, theirs, rtol=1e-6)


@pytest.mark.parametrize(
    "name", ["logical_and", "logical_or", "logical_xor", "divide", "hypot", "copysign", "subtract"]
)
@pytest.mark.parametrize("method", ["accumulate", "reduce"])
def test_first_elements_are_results(name, method):
    ufunc = getattr(np, name)
    for a in (np.array([2, 0, 3]), np.array([2]), np.array([2.0, 0.5])):
        with np.errstate(all="ignore"):
            ours, theirs = autodiff.jit(lambda a: getattr(ufunc, method)(a))(a), getattr(ufunc, method)(a)
        np.testing.assert_allclose(ours, theirs)
        assert np.asarray(ours).dtype == np.asarray(theirs).dtype


def test_comparisons_do_not_go_on_from_their_results():
    with pytest.raises(TypeError, match=r"np\.less of int64 gives truth values"):
        autodiff.jit(np.less.accumulate)(np.array([1, 2]))


INTO = {
    "sum": np.sum,
    "prod": np.prod,
    "cumsum": np.cumsum,
    "max": np.max,
    "nansum": np.nansum,
    "nancumsum": np.nancumsum,
    "add.reduce": np.add.reduce,
    "add.accumulate": np.add.accumulate,
    "multiply.reduce": np.multiply.reduce,
    "maximum.reduce": np.maximum.reduce,
    "maximum.accumulate": np.maximum.accumulate,
    "logaddexp.reduce": np.logaddexp.reduce,
}


@pytest.mark.parametrize("name", INTO)
@pytest.mark.parametrize("dtype", ["?", "i1", "i4", "i8", "f4", "f8"])
def test_out_says_in_which_dtype_numpy_computes(name, dtype):
    for kind, array in ARRAYS.items():
        if not np.can_cast(array.dtype, dtype, "same_kind"):
            continue  # refused: NumPy cuts numbers off on the way
        whole = np.dtype(dtype).kind in "biu"
        if (name[:3] == "log" and whole) or (name[:3] == "max" and not np.can_cast(array.dtype, dtype)):
            continue  # where NumPy cuts numbers off depends on how arrays lie in memory

        def written(a):
            out = np.zeros_like(a, dtype=dtype, shape=INTO[name](a, axis=1).shape)
            INTO[name](a, axis=1, out=out)
            return out

        try:
            expected = written(array)
        except TypeError:
            continue
        found = autodiff.jit(written)(array)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-12 if dtype == "f8" else 1e-6, err_msg=kind)
