"""Values, gradients, draws and divergences of every distribution, against what Chainer computes."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

from autodiff.chainer import distributions
from autodiff.chainer.distribution import kl_divergence
from autodiff.facade import Variable
from tests.chainer.distributions.program import CASES, record

RECORDED = json.loads((Path(__file__).parent / "recorded.json").read_text())


def assert_same(found, expected, path):
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key, value in expected.items():
            assert_same(found[key], value, f"{path} {key}")
    elif isinstance(expected, list) and any(isinstance(value, (list, str)) or value is None for value in expected):
        assert len(found) == len(expected), path
        for position, (own, value) in enumerate(zip(found, expected, strict=True)):
            assert_same(own, value, f"{path} {position}")
    elif isinstance(expected, (float, int, list)) and isinstance(found, (float, int, list)):
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8, err_msg=path)
    else:
        assert found == expected, path


@pytest.mark.parametrize("name", CASES)
def test_as_recorded(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the moments of the Cauchy distribution
        found = record(distributions, Variable, kl_divergence, name)
    assert_same(found, RECORDED[name], name)
