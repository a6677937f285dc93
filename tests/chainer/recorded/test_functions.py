"""What real Chainer 7.8.1 computed for functions, replayed with autodiff.chainer."""

import pytest

from tests.chainer.recorded.replay import parameters, replay
from tests.chainer.recorded.tables import FUNCTION_GROUPS


@pytest.mark.parametrize(("group", "case", "dtype"), parameters(*FUNCTION_GROUPS))
def test_functions_as_recorded(group, case, dtype):
    replay(group, case, dtype)
