"""`chainer.backward` leaves on inputs the gradients that were recorded of `chainer.grad`."""

import pytest

from tests.chainer.recorded.comparison import difference
from tests.chainer.recorded.deviations import DEVIATIONS
from tests.chainer.recorded.differentiation import FunctionCase
from tests.chainer.recorded.replay import records
from tests.chainer.recorded.tables import FUNCTION_GROUPS, cases_of

ROWS = [
    pytest.param(group, case, id=f"{group}-{case.name}")
    for group in FUNCTION_GROUPS
    for case in cases_of(group)
    if isinstance(case, FunctionCase) and case.dtypes[0] == "f" and case.name not in DEVIATIONS.get(group, {})
]


@pytest.mark.parametrize(("group", "case"), ROWS)
def test_backward_as_recorded(group, case):
    recorded = records(group)[case.name]["f"]
    now = case.evaluate("f", "swept")
    for key in (key for key in recorded if key.startswith("gradient")):
        assert difference(key, recorded[key], now[key], case.tolerance) is None
