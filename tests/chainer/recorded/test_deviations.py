"""Every deviation that is written down is one: a case that agrees again must leave the list."""

import pytest

from tests.chainer.recorded.comparison import check
from tests.chainer.recorded.deviations import DEVIATIONS
from tests.chainer.recorded.replay import records
from tests.chainer.recorded.tables import cases_of

ROWS = [(group, name) for group, names in DEVIATIONS.items() for name in names]


@pytest.mark.parametrize(("group", "name"), ROWS)
def test_deviation_is_one(group, name):
    (case,) = (case for case in cases_of(group) if case.name == name)
    assert any(deviates(group, case, dtype) for dtype in case.dtypes)


def deviates(group, case, dtype):
    try:
        check(records(group)[case.name][dtype], case.evaluate(dtype), case.tolerance)
    except AssertionError:
        return True
    return False
