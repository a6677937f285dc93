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


def assert_same(found, expected, path, tolerance):
    if found is None and np.ndim(expected):
        found = np.zeros_like(expected).tolist()  # Chainer computes gradients that are zero wherever the parameters are
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key, value in expected.items():
            # Chainer rounds some noise to single precision
            assert_same(found[key], value, f"{path} {key}", 1e-6 if key == "sample" else tolerance)
    elif isinstance(expected, list) and any(isinstance(value, (list, str)) or value is None for value in expected):
        assert len(found) == len(expected), path
        for position, (own, value) in enumerate(zip(found, expected, strict=True)):
            assert_same(own, value, f"{path} {position}", tolerance)
    elif isinstance(expected, (float, int, list)) and isinstance(found, (float, int, list)):
        found = np.where(
            np.isnan(expected), np.nan, found
        )  # some gradients of Chainer are NaN where they should be zero
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance, err_msg=path)
    else:
        assert found == expected, path


@pytest.mark.parametrize("name", CASES)
def test_as_recorded(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the moments of the Cauchy distribution
        found = record(distributions, Variable, kl_divergence, name)
    if name in ("Dirichlet", "Poisson"):
        found["dtype"] = (
            "float32"  # Chainer draws them in single precision always; here they have the dtype of the parameters
        )
    assert_same(found, RECORDED[name], name, 1e-5 if name == "MultivariateNormal" else 1e-8)
