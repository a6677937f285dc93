"""Objects of other libraries, subclasses and arrays of Python objects meet traced values: the right value, or an error."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trace.foreign.kinds import REFUSED, TAKEN
from tests.trace.foreign.page import PAGE, page
from tests.trace.foreign.programs import PROGRAMS, VALUES, with_results
from tests.trace.foreign.transformations import TRANSFORMATIONS, jit_of_grad, value_and_grad, variable
from tests.trace.foreign.verdicts import Case, all_cases, of_constant, verdict

cases = cache(all_cases)


def accepted(case: Case) -> bool:
    """Whether a case gives the right value, or an error that names the user's line.

    A Variable has fewer methods than an array; Python says so.
    """
    return verdict(case) in ("right", "refused") or (case.name.startswith("variable of x.") and "raw" in verdict(case))


@given(case=st.deferred(lambda: st.sampled_from(cases())))
@settings(max_examples=300)
def test_the_right_value_or_an_error(case):
    assert accepted(case), verdict(case)


@pytest.mark.parametrize("transformation", [value_and_grad, jit_of_grad, variable])
@pytest.mark.parametrize("kind", TAKEN)
def test_what_is_taken_is_the_array_of_its_numbers(kind, transformation):
    for table, values in PROGRAMS:
        for name, program in table.items():
            own = of_constant(transformation, name, program, values, kind)
            array = of_constant(transformation, name, program, values, "ndarray")
            if "object" not in kind or not (
                "[k]" in name or "take" in name or ", k]" in name
            ):  # NumPy refuses these keys
                assert verdict(own) == verdict(array), name


@pytest.mark.parametrize("kind", REFUSED)
def test_no_result_of_another_kind_counts_as_a_constant(kind):
    for transformation in TRANSFORMATIONS:
        for name in ("result k", "result total(x * k)"):
            case = of_constant(transformation, name, with_results()[name], VALUES, kind)
            assert accepted(case), (case, verdict(case))


def test_the_page_says_what_happens():
    assert PAGE.read_text() == page()
