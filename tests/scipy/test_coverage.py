"""SciPy's public namespaces, name by name: the page is true, no blank, and what is refused says so."""

import subprocess
import sys
from zlib import crc32

import numpy as np
import pytest
import scipy
import scipy.optimize
import scipy.sparse
import scipy.stats

import autodiff
from autodiff.scipy import optimize, stats
from autodiff.trace.errors import DifferentiationError
from tests.scipy.coverage import MODULES, PAGE, PROGRAMS, bad, heading, names, page, read, trial
from tests.scipy.observed import CONSTANT, DIFFERENTIATED, MODES, OBSCURE, REFUSED, SILENT, of_refusal

SHOWN = read(PAGE.read_text())
OF_THIS_SCIPY = pytest.mark.skipif(
    f"SciPy {scipy.__version__}" not in PAGE.read_text(), reason="the page is about another SciPy"
)
DRAWN = 24
"""One program of so many is tried again by the tests; the command that writes the page tries all."""


@OF_THIS_SCIPY
def test_the_page_holds_every_public_name_and_no_other():
    assert {module: sorted(own) for module, own in SHOWN.items()} == {
        module: [name for name, _, _ in names(module)] for module in MODULES
    }


@OF_THIS_SCIPY
def test_the_page_is_what_its_trials_make_of_it():
    assert page(SHOWN) == PAGE.read_text(), "run python -m tests.scipy.coverage"
    kinds = {kind for own in SHOWN.values() for each in own.values() for kind in each}
    assert kinds == {DIFFERENTIATED, CONSTANT, REFUSED}
    assert bad(SHOWN) == []


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_all_submodules_are_there():
    left_out = {"cython_optimize", "cython_special", "cython_blas", "cython_lapack", "misc", "models", "odrpack"}
    public = set()
    for module in ["", *MODULES]:
        path = f"scipy.{module}".rstrip(".")
        own = __import__(path, fromlist=["_"])
        public |= {f"{module}.{name}".lstrip(".") for name in getattr(own, "__all__", ()) if is_submodule(own, name)}
    assert {name for name in public if name.rpartition(".")[2] not in left_out} <= set(MODULES)


def is_submodule(module, name):
    found = getattr(module, name, None)
    deprecated = "deprecated" in (getattr(found, "__doc__", None) or "") or hasattr(found, "_sub_module_deprecation")
    return type(found) is type(np) and found.__name__.startswith(module.__name__) and not deprecated


@OF_THIS_SCIPY
@pytest.mark.parametrize("module", MODULES)
def test_names_are_tried_again(module):
    wrong = []
    for name, original, own in names(module):
        if module == "stats.distributions" or (
            name in PROGRAMS.get(module, ()) and crc32(f"{module}.{name}".encode()) % DRAWN
        ):
            continue
        if name not in PROGRAMS.get(module, ()) and SHOWN[module][name][0] == REFUSED:
            found = of_refusal(f"scipy.{module}.{name}", own, MODES[:1]) + (REFUSED,) * 3
        else:
            found = trial(module, name, original, own)
        if found != SHOWN[module][name]:
            wrong.append(f"{name}: {heading(found)}")
    assert wrong == [], "run python -m tests.scipy.coverage"


def test_distributions_are_those_of_stats():
    assert stats.distributions.norm is stats.norm
    with pytest.raises(AttributeError):
        stats.distributions.describe  # noqa: B018


def test_a_refusal_that_is_none_is_seen():
    def silent(x):
        return 1.0

    def obscure(x):
        return np.asarray(x.no_such_thing)

    assert of_refusal("scipy.f", silent) == (SILENT,) * 4
    assert of_refusal("scipy.f", obscure) == (OBSCURE,) * 4


def test_classes_refuse_traced_values_and_stay_classes():
    with pytest.raises(DifferentiationError, match=r"^scipy\.optimize\.Bounds cannot be called with a traced value"):
        autodiff.grad(lambda x: optimize.Bounds(x, 2.0) and x[0])(np.ones(2))
    bounds = optimize.Bounds(0, 1)
    assert type(bounds) is scipy.optimize.Bounds
    assert isinstance(bounds, optimize.Bounds)
    assert not isinstance(1.0, optimize.Bounds)

    class Exponential(stats.rv_continuous):
        def _pdf(self, x):
            return np.exp(-x)

    own = Exponential(a=0.0)
    assert type(own) is Exponential
    assert isinstance(own, scipy.stats.rv_continuous)
    assert issubclass(Exponential, stats.rv_continuous)
    assert not issubclass(scipy.sparse.csr_array, autodiff.scipy.sparse.lil_array)
    assert own.cdf(1.0) == pytest.approx(1 - np.exp(-1))


def test_objects_that_can_be_called_refuse_traced_values_in_their_methods():
    assert stats.ortho_group.rvs(3, random_state=0).shape == (3, 3)
    with pytest.raises(DifferentiationError, match=r"^scipy\.stats\.multivariate_hypergeom\.logpmf cannot be called"):
        autodiff.grad(lambda x: stats.multivariate_hypergeom.logpmf(x, [3, 4], 5))(np.array([2.0, 3.0]))


def test_scipy_is_imported_by_nobody_who_does_not_ask():
    program = "import sys, autodiff, autodiff.scipy; print([m for m in sys.modules if m.startswith('scipy.')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_transforms_take_traced_values_whatever_was_imported_before():
    program = """
import numpy as np, scipy.fft
import autodiff
print(autodiff.grad(lambda x: np.sum(np.abs(scipy.fft.fft(x)) ** 2))(np.ones(2)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[4. 4.]\n"


def test_modules_are_found_by_name():
    assert autodiff.scipy.stats.norm.name == "norm"
    assert autodiff.scipy.stats.qmc.__name__ == "autodiff.scipy.stats.qmc"
    with pytest.raises(AttributeError, match=r"^autodiff.scipy has no module 'misc'; it has cluster, constants"):
        autodiff.scipy.misc  # noqa: B018
