"""The table of programs over SciPy: it is complete, its page is true, and its check finds what is wrong."""

import numpy as np
import pytest
import scipy

from autodiff import custom_vjp
from autodiff.scipy import linalg
from tests.scipy.coverage import MODULES, read
from tests.scipy.coverage import PAGE as COVERAGE
from tests.scipy.observed import DIFFERENTIATED
from tests.scipy.programs.check import Program, check
from tests.scipy.programs.table import PAGE, all_programs, page


@pytest.mark.skipif(f"SciPy {scipy.__version__}" not in COVERAGE.read_text(), reason="the page is about another SciPy")
def test_there_is_a_program_for_each_function_that_is_differentiated():
    programs = all_programs()
    for module, names in read(COVERAGE.read_text()).items():
        differentiated = {name for name, kinds in names.items() if kinds[0] == DIFFERENTIATED}
        assert differentiated == set(programs.get(module.replace("stats.distributions", "stats"), ())) & set(names), (
            module
        )
    assert set(programs) <= set(MODULES)


@pytest.mark.skipif(f"SciPy {scipy.__version__}" not in PAGE.read_text(), reason="the page is about another SciPy")
def test_the_page_is_up_to_date():
    assert page(all_programs()) == PAGE.read_text(), "run python -m tests.scipy.programs"


def test_a_wrong_rule_is_found():
    wrong = custom_vjp(linalg.inv)
    wrong.defvjp(lambda a: (linalg.inv(a), linalg.inv(a)), lambda inverse, g: (-1.001 * inverse.T @ g @ inverse.T,))
    check(Program(linalg.inv, (np.eye(2),)))
    with pytest.raises(AssertionError, match="argument 0"):
        check(Program(wrong, (np.eye(2),)))
