"""Every name that old programs use is there and has recorded cases."""

from contextlib import suppress

import pytest

from tests.chainer.recorded import names, used
from tests.chainer.recorded.tables import FUNCTION_GROUPS, GROUPS, cases_of

PACKAGES = {
    "functions": used.FUNCTIONS,
    "links": used.LINKS,
    "optimizers": used.OPTIMIZERS,
    "initializers": used.INITIALIZERS,
}
NAMES = [f"{package}.{name}" for package, every in PACKAGES.items() for name in every]


@pytest.fixture(scope="module")
def called():
    """The names that all cases look up."""
    names.resolved.clear()
    for group in GROUPS:
        for case in cases_of(group):
            with suppress(Exception):  # whether a case passes is what the other tests say
                case.evaluate(case.dtypes[0])
    return set(names.resolved)


@pytest.mark.parametrize("name", NAMES)
def test_used_name_has_recorded_cases(name, called):
    assert name in called


@pytest.mark.parametrize("name", NAMES)
def test_used_name_is_implemented(name):
    names.Name(*name.split(".")).value()


@pytest.mark.parametrize("name", used.FUNCTIONS)
def test_no_case_of_a_used_function_is_skipped(name):
    cases = [case for group in FUNCTION_GROUPS for case in cases_of(group) if case.name.split()[0] == name]
    for case in cases:
        case.evaluate(case.dtypes[0])
