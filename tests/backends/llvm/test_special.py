"""SciPy's functions of single numbers in kernels: to the bit, in loops, and on programs from the cache."""

import importlib
import pkgutil
import re
import subprocess
import sys

import numpy as np
import pytest

import autodiff.ops.special
from autodiff import grad, jit, make_tape, scan
from autodiff.backends.choice import numba_is_there
from autodiff.backends.kernels import scalars
from autodiff.backends.language.special import OPERANDS
from autodiff.backends.native import special
from autodiff.backends.passes.schedule import schedule
from autodiff.scipy import special as functions
from autodiff.trace.primitive import PRIMITIVES

scipy_special = pytest.importorskip("scipy.special")
pytestmark = pytest.mark.skipif(not numba_is_there(), reason="kernels are compiled by Numba")

for module in pkgutil.iter_modules(autodiff.ops.special.__path__):
    importlib.import_module(f"autodiff.ops.special.{module.name}")

SOFT = {"chdtri": (2.0, 0.3), "pdtr": (3.0, 1.5), "pdtrc": (3.0, 1.5), "binom": (5.0, 2.0)}
"""Arguments where those of the others say nothing."""

ARGUMENTS = (0.3, 0.45, 0.6, 0.7)


def arguments(name):
    """Numbers at which a function is one, as far as possible."""
    return SOFT.get(name, ARGUMENTS[: len(OPERANDS[name])])


@pytest.mark.parametrize("name", OPERANDS)
def test_functions_are_those_of_scipy_with_their_operands(name):
    primitive = PRIMITIVES[name]
    assert primitive.evaluate is getattr(scipy_special, name)
    assert primitive.operands == OPERANDS[name]
    assert special.can_call(name)


def chunks(count):
    names = list(OPERANDS)
    return [names[k::count] for k in range(count)]


@pytest.mark.parametrize("names", chunks(4), ids=lambda names: names[0])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_kernels_have_the_bits_of_scipy(names):
    def all_of_them(*values):
        return [PRIMITIVES[name](*values[: len(OPERANDS[name])]) for name in names]

    values = [np.array([x, 1.5 * x, 0.9, 2.0]) for x in ARGUMENTS]
    assert [e.primitive.name for e in schedule(make_tape(all_of_them)(*values)).tape.equations] == ["kernel_of_all"]
    with np.errstate(all="ignore"):
        for name, found, wanted in zip(names, jit(all_of_them)(*values), all_of_them(*values), strict=True):
            np.testing.assert_array_equal(found, wanted, err_msg=name)


def test_numbers_of_single_precision_are_computed_in_double():
    x = np.linspace(0.1, 0.9, 7, dtype=np.float32)
    found = jit(lambda x: functions.erfinv(x) * functions.j0(x))(x)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, functions.erfinv(x.astype(float)) * functions.j0(x.astype(float)), rtol=3e-7)


@pytest.mark.parametrize("function", ["erfinv", "j0", "ndtri", "dawsn"])
def test_loops_with_them_and_their_gradients_stay_kernels(function):
    own = getattr(functions, function)

    def loss(x):
        return np.sum(scan(lambda c, _: (0.5 * own(0.5 + 0.3 * np.tanh(c)) + 0.4 * c, None), x, None, length=20)[0])

    x = np.array([0.1, -0.2, 0.3])
    names = [e.primitive.name for e in schedule(make_tape(grad(loss))(x)).tape.equations]
    assert names == ["kernel_of_all"]
    np.testing.assert_allclose(jit(grad(loss))(x), grad(loss)(x), rtol=1e-13)


def test_large_arrays_are_shared_among_threads():
    x = np.linspace(0.1, 5.0, 200_000)
    fun = lambda x: functions.j0(x) * functions.gammaincc(2.0, x) + x  # noqa: E731 - one expression
    names = [e.primitive.name for e in schedule(make_tape(fun)(x)).tape.equations]
    assert names == ["kernel_of_rows"]
    np.testing.assert_array_equal(jit(fun)(x), fun(x))


def test_what_scipy_lacks_runs_without_a_kernel(monkeypatch):
    monkeypatch.setattr(scalars, "can_call", lambda name: False)
    x = np.linspace(0.1, 0.9, 5)
    report = jit(lambda x: functions.ellipk(x) + 1).explain(x)
    assert "ellipk of float64 has no scalar expression" in str(report)


def test_a_function_that_no_scipy_has_is_none(monkeypatch):
    monkeypatch.setitem(OPERANDS, "of_nobody", ("x",))
    assert special.address("of_nobody") is None
    assert not special.can_call("of_nobody")


PROGRAM = """
import numpy as np, autodiff
from autodiff.scipy import special
f = autodiff.jit(lambda x: special.k0(x) * 2)
assert f(np.array([0.5, 1.5])).tobytes() == (special.k0(np.array([0.5, 1.5])) * 2).tobytes()
print(autodiff.cache_info().hits, autodiff.cache_info().compiled)
"""


def test_another_process_finds_the_kernel_on_disk_and_the_functions_in_its_own_scipy(tmp_path, monkeypatch):
    monkeypatch.setenv("AUTODIFF_CACHE_DIR", str(tmp_path))
    runs = [subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True) for _ in "ab"]
    (_, first), (_, second) = (map(int, re.findall(r"\d+", run.stdout)) for run in runs)
    assert first > second == 0


def test_c_cannot_have_them(tmp_path):
    with pytest.raises(ValueError, match=r"export: the code would need scipy_j0, which are not in C's libraries"):
        autodiff.export(lambda x: functions.j0(x) + 1, (np.ones(3),), "bessel", folder=tmp_path)
