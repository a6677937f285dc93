"""The contract, 1.19: the Variables of Chainer 1. Their tests run in a process that is switched to it."""

import re

import pytest

from tests.chainer.running.process import ROOT, run


@pytest.fixture(scope="module")
def outcomes():
    """The names of the tests of Chainer 1's Variables, and how they ended."""
    file = ROOT / "tests/chainer/running/v1_variable.py"
    options = ("-v", "--tb=short", "-p", "no:cacheprovider")
    out, _, _ = run("--compat", "v1", "-m", "pytest", *options, file, cwd=ROOT, check=False)
    return re.findall(r"::(test_\w+)\S* (PASSED|FAILED|ERROR|SKIPPED)", out)


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(141, id="contract_141_signature"),
        pytest.param(142, id="contract_142_flags"),
        pytest.param(143, id="contract_143_volatile_results"),
        pytest.param(144, id="contract_144_volatile_may_be_set"),
        pytest.param(145, id="contract_145_backward"),
        pytest.param(146, id="contract_146_texts_and_comparisons"),
    ],
)
def test_chainer_1(number, outcomes):
    own = [outcome for name, outcome in outcomes if f"contract_{number}_" in name]
    assert own
    assert set(own) == {"PASSED"}
