"""Programs with the same seeds have the losses that Chainer 7.8.1 gives."""

import json

import numpy as np
import pytest

from tests.chainer.programs.record import FILE
from tests.chainer.programs.table import PROGRAMS, STEPS

LOSSES = json.loads(FILE.read_text())


def test_every_program_is_recorded():
    assert sorted(LOSSES) == sorted(PROGRAMS)
    assert len(PROGRAMS) >= 50


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_losses_are_those_of_chainer(name):
    losses = PROGRAMS[name]()
    assert len(losses) == STEPS
    np.testing.assert_allclose(losses, LOSSES[name], rtol=1e-5)
