"""Methods of arrays and ufuncs, np.polynomial and np.random: what happens in each mode is what the page says."""

import numpy as np
import pytest

from tests.numpy.observed import PAGE, UNLIKE, page, table


def test_no_derivative_is_unlike_differences():
    wrong = [f"{name}: {kinds}" for names in table().values() for name, kinds in names.items() if UNLIKE in kinds]
    assert wrong == []


@pytest.mark.skipif(f"NumPy {np.__version__}" not in PAGE.read_text(), reason="the page is about another NumPy")
def test_the_page_is_up_to_date():
    assert page() == PAGE.read_text(), "run python -m tests.numpy.observed"
