"""SciPy's public namespaces, function by function: no blank, and what is refused says so."""

import subprocess
import sys

import numpy as np
import pytest
import scipy

import autodiff
from autodiff.trace.errors import DifferentiationError
from tests.scipy.coverage import MODULES, PAGE, names, page, table


def test_no_name_is_left_undecided():
    assert [f"{module}.{name}" for module, kinds in table().items() for name, kind in kinds.items() if not kind] == []


@pytest.mark.skipif(f"SciPy {scipy.__version__}" not in PAGE.read_text(), reason="the page is about another SciPy")
def test_the_page_is_up_to_date():
    assert page() == PAGE.read_text(), "run python -m tests.scipy.coverage"


@pytest.mark.parametrize("module", MODULES)
def test_what_is_refused_says_so_by_name(module):
    kinds = table()[module]
    for name, _, own in names(module):
        if kinds[name] == "refused":
            with pytest.raises(
                DifferentiationError, match=rf"^scipy\.{module}\.{name} cannot be called with a traced value \("
            ):
                autodiff.grad(lambda x, own=own: own(x))(np.ones(3))


def test_scipy_is_imported_by_nobody_who_does_not_ask():
    program = "import sys, autodiff, autodiff.scipy; print([m for m in sys.modules if m.startswith('scipy.')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_modules_are_found_by_name():
    assert autodiff.scipy.stats.norm.name == "norm"
    with pytest.raises(AttributeError, match=r"^autodiff.scipy has no module 'odr'; it has cluster, fft"):
        autodiff.scipy.odr  # noqa: B018
