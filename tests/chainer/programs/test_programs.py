"""Programs with the same seeds have the losses that Chainer 7.8.1 gives."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.chainer.programs.record import FILE
from tests.chainer.programs.record_version_one import FILE as FILE_OF_VERSION_ONE
from tests.chainer.programs.record_version_one import SCRIPTS
from tests.chainer.programs.record_version_three import FILE as FILE_OF_VERSION_THREE
from tests.chainer.programs.record_version_three import SCRIPT
from tests.chainer.programs.table import PROGRAMS, STEPS
from tests.chainer.running.process import run

LOSSES, LOSSES_OF_VERSION_ONE, LOSSES_OF_VERSION_THREE = (
    json.loads(file.read_text()) for file in (FILE, FILE_OF_VERSION_ONE, FILE_OF_VERSION_THREE)
)
SHUFFLED = ("mnist_with_a_trainer", "training_that_is_resumed")  # in another order by Chainer 3 than by Chainer 7


def test_every_program_is_recorded():
    assert sorted(LOSSES) == sorted(PROGRAMS)
    assert len(PROGRAMS) >= 95


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_losses_are_those_of_chainer(name):
    losses = PROGRAMS[name]()
    assert len(losses) == STEPS
    assert np.isfinite(losses).all()
    np.testing.assert_allclose(losses, LOSSES[name], rtol=1e-5)


@pytest.mark.parametrize("script", SCRIPTS)
def test_programs_as_they_were_written_for_chainer_1(script):
    """Their losses are those of Chainer 1.24, whose orders of parameters and of examples are others than Chainer 7's."""
    out, _ = run("--compat", "v1", Path(__file__).parent / f"{script}.py")
    found = json.loads(out)
    assert len(found) == 10
    for name, losses in found.items():
        np.testing.assert_allclose(losses, LOSSES_OF_VERSION_ONE[name], rtol=1e-5, err_msg=name)


def test_programs_as_they_were_written_for_chainer_3():
    """Their losses are Chainer 7's, and Chainer 3's but where an iterator shuffles."""
    out, _ = run(SCRIPT)
    found = json.loads(out)
    assert len(found) >= 19
    for name, losses in found.items():
        assert len(losses) == STEPS
        for version, recorded in LOSSES_OF_VERSION_THREE.items():
            if version.startswith("7.") or name not in SHUFFLED:
                np.testing.assert_allclose(losses, recorded[name], rtol=1e-5, err_msg=f"{name} {version}")
