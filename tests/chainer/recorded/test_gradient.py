"""What real Chainer 7.8.1 computed for gradient, replayed with autodiff.chainer."""

import pytest

from tests.chainer.recorded.replay import parameters, replay


@pytest.mark.parametrize(("group", "case", "dtype"), parameters("gradient"))
def test_gradient_as_recorded(group, case, dtype):
    replay(group, case, dtype)
