"""Functions of Numba's, differentiated; and programs that functions of Numba's call."""

import math
import re
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import autodiff
from autodiff import grad, jacobian, jit, value_and_grad

numba = pytest.importorskip("numba")
import autodiff.numba  # noqa: E402
from autodiff.backends.export.steps import ExportError  # noqa: E402
from autodiff.backends.numba.users import meet_traced_values  # noqa: E402
from autodiff.trace.errors import ConcretizationError, DifferentiationError  # noqa: E402

SCALE = 3.0


@numba.njit
def logistic(x, steps=2):
    for _ in range(steps):
        x = 3.7 * x * (1.0 - x)
    return x


@numba.njit
def model(x, *rest):
    out = np.empty(len(x))
    total = np.full((2,), 0.5)
    for i in range(len(x)):
        out[i] = math.sin(x[i]) * rest[0] + logistic(x[i]) + math.atan2(x[i], float(rest[1])) ** 2
        if x[i] > 0.5:
            out[i] += SCALE * math.log(x[i])
        total[i % 2] += out[i]
    return total


def plain(x, a, b):
    first = 3.7 * x * (1 - x)
    out = np.sin(x) * a + 3.7 * first * (1 - first) + np.arctan2(x, b) ** 2
    out = out + np.where(x > 0.5, 3 * np.log(x), 0)
    return 0.5 + np.stack([np.sum(out[::2]), np.sum(out[1::2])])


X = np.array([0.1, 0.9, 0.3, 0.7])


@pytest.fixture(autouse=True, scope="module")
def compiled():
    assert model.signatures == []
    np.testing.assert_allclose(model(X, 2.0, 1.5), plain(X, 2.0, 1.5), rtol=1e-14)


def test_functions_of_numba_are_differentiated_by_their_python():
    for k in range(3):
        found, wanted = jacobian(model, k)(X, 2.0, 1.5), jacobian(plain, k)(X, 2.0, 1.5)
        np.testing.assert_allclose(found, wanted, rtol=1e-13, atol=1e-14)
    assert len(model.signatures) == 1  # nothing was compiled for traced values
    assert grad(logistic)(0.3) == grad(logistic.py_func)(0.3)
    assert grad(lambda x: logistic(x, steps=1))(0.3) == pytest.approx(3.7 * 0.4)
    assert grad(lambda x: logistic(steps=1, x=x))(0.3) == pytest.approx(3.7 * 0.4)


def test_they_take_all_functions_of_math():
    erfc = math.erfc
    tail = numba.njit(lambda x: 0.5 * erfc(x / math.sqrt(2.0)) + math.gamma(x) * math.ldexp(x, 2))
    step = 1e-5
    numerical = (tail(1.3 + step) - tail(1.3 - step)) / (2 * step)
    assert grad(tail)(1.3) == pytest.approx(numerical, rel=1e-8)
    assert jit(grad(tail))(1.3) == pytest.approx(grad(tail)(1.3), rel=1e-13)


def test_they_run_in_kernels_under_jit():
    compiled = jit(value_and_grad(lambda x: logistic(x, 5)))
    assert not compiled.explain(0.3).calls
    np.testing.assert_allclose(compiled(0.3), value_and_grad(lambda x: logistic.py_func(x, 5))(0.3), rtol=1e-13)


def test_they_take_variables_and_values_in_tuples():
    x = autodiff.Variable(np.array(0.3))
    logistic(x).backward()
    assert x.grad == grad(logistic)(0.3)
    second = numba.njit(lambda pair: pair[0] * pair[1][0])
    assert grad(lambda x: second((x, (2.0, 1.0))))(3.0) == 2.0


def test_errors_of_numba_stay_its_own():
    with pytest.raises(numba.core.errors.TypingError):
        logistic("text")


def test_functions_of_fixed_types_say_what_to_do():
    fixed = numba.njit("float64(float64)")(lambda x: x * 2)
    assert fixed(2.0) == 4.0
    with pytest.raises(TypeError) as error:
        grad(fixed)(2.0)
    assert str(error.value).startswith(
        "<lambda> was compiled by Numba for the types that its decorator names (test_numba.py:"
    )
    assert str(error.value).endswith("and takes no traced values; leave the types away, or call <lambda>.py_func")
    with pytest.raises(TypeError, match="No matching definition"):
        fixed("text")


def loss(x, pair, n, flag):
    scale, shift = pair
    return np.sum(np.sin(x)) * scale + np.sum(shift) + n * np.where(flag, 1.0, 2.0)


ARGUMENTS = np.ones((3, 2)), (2.0, np.array(0.5)), 4, True


@pytest.fixture(scope="module")
def slope():
    return autodiff.numba.njit(value_and_grad(loss, (0, 1)), ARGUMENTS)


def test_compiled_loops_call_programs(slope):
    @numba.njit(nogil=True)
    def loop(x, shift, n):
        found = np.zeros((n, 3))
        for k in range(n):
            value, (by_x, (by_scale, by_shift)) = slope(x, (k, shift), k, k > 2)
            found[k, 0], found[k, 1], found[k, 2] = value, by_x[2, 1], by_scale + by_shift[()]
        return found

    x, shift = np.arange(6.0).reshape(3, 2).T.copy().T, np.array(0.5)
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(loop, (x, x), (shift, shift), (6, 6))
    np.testing.assert_array_equal(first, second)
    for k, row in enumerate(first):
        value, (by_x, (by_scale, by_shift)) = value_and_grad(loss, (0, 1))(x, (float(k), shift), k, k > 2)
        np.testing.assert_allclose(row, [value, by_x[2, 1], by_scale + by_shift], rtol=1e-14)


def test_python_calls_programs_too_and_differentiates_them(slope):
    _, (by_x, _) = slope(*ARGUMENTS)
    np.testing.assert_allclose(by_x, 2 * np.cos(np.ones((3, 2))), rtol=1e-14)
    np.testing.assert_allclose(grad(lambda x: slope(x, *ARGUMENTS[1:])[0])(ARGUMENTS[0]), by_x, rtol=1e-14)


def test_other_shapes_and_dtypes_are_refused(slope):
    x, *others = ARGUMENTS
    text = r"^x must be float64\[3,2\]: the function was made for arrays of this shape alone$"
    with pytest.raises(ValueError, match=text):
        slope(x.T, *others)
    with pytest.raises(
        numba.core.errors.TypingError, match=r"x must be an array float64\[3,2\], got array\(float32, 2d"
    ):
        slope(x.astype(np.float32), *others)
    with pytest.raises(numba.core.errors.TypingError, match="n must be a number of int64, got float64"):
        slope(x, others[0], 1.5, True)


def test_what_is_wrong_in_a_call_is_raised():
    solve = autodiff.numba.njit(lambda a, i: np.linalg.solve(a, np.ones(2))[i], (np.eye(2), np.array([0])))
    assert solve(2 * np.eye(2), np.array([1])) == 0.5
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        solve(np.zeros((2, 2)), np.array([0]))
    with pytest.raises(IndexError, match="an index is out of range for the axis that it picks from"):
        solve(np.eye(2), np.array([2]))


def test_trees_that_numba_does_not_know_are_refused():
    for fun, args, what in (
        (lambda tree: tree["x"], ({"x": 1.0},), "arguments have a dict"),
        (lambda x: [x], (1.0,), "results have a list"),
    ):
        with pytest.raises(TypeError) as error:
            autodiff.numba.njit(fun, args)
        assert str(error.value).startswith(f"autodiff.numba.njit: the {what} (test_numba.py:")
        assert str(error.value).endswith(
            "), which code compiled by Numba cannot hand over as arrays; take arrays, numbers and tuples of them"
        )
    with pytest.raises(ExportError, match=r"^autodiff.numba.njit: some operations.*\n  eigvalsh \(test_numba.py:"):
        autodiff.numba.njit(lambda a: np.linalg.eigvalsh(a), (np.eye(2),))


def test_a_numba_that_is_not_known_is_refused(monkeypatch):
    monkeypatch.delattr("numba.core.dispatcher._DispatcherBase._compile_for_args")
    with pytest.raises(ImportError, match=r"^autodiff.numba does not know Numba .*, whose functions have no"):
        meet_traced_values(lambda function, args, traced: None)


def test_ufuncs_of_numba_are_refused_by_name():
    doubled = numba.vectorize(lambda x: x * 2)
    with pytest.raises(DifferentiationError, match=r"^<lambda> cannot be called with a traced value"):
        grad(lambda x: np.sum(doubled(x)))(X)


def test_without_the_import_the_error_names_it(monkeypatch):
    monkeypatch.delitem(sys.modules, "autodiff.numba")
    for transformed in (grad(logistic), jit(grad(logistic))):
        with pytest.raises(ConcretizationError) as error:
            transformed(0.3)
        assert re.sub(r"test_numba\.py:\d+", "LINE", str(error.value)) == (
            "a function compiled by Numba is called with a traced float (LINE), of which Numba has no type; import "
            "autodiff.numba, with which such functions take traced values"
        )
