"""One small program on the device, held against the same program on NumPy's arrays in double precision."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import autodiff
import autodiff.chainer.functions
import autodiff.scipy.special
from benchmarks.contest.closeness import SEED, WrongResultError
from benchmarks.contest.trees import leaves, mapped
from benchmarks.gpu_programs.check import Check
from benchmarks.gpu_programs.checks import CHECKS
from benchmarks.gpu_programs.program import doubled

CALLS = {"jit": 7, "eager": 1}
"""Under `jit` the first call compiles; later ones may be captured as a graph, and replay it. The last one is of new
arrays."""


def checked(cupy: Any, name: str, way: str) -> float:
    """The largest error of results and gradients, under `jit` or without.

    Raises:
        WrongResultError: if it is above what the check allows, or a result has another shape or dtype.
    """
    check = CHECKS[name]
    given = check.arguments(np.random.default_rng(SEED))
    function = autodiff.value_and_grad(check.loss, check.differentiated, has_aux=True)
    expected = leaves(function(*mapped(doubled, given)))
    run = autodiff.jit(function) if way == "jit" else function
    errors, arguments = [], mapped(cupy.asarray, given)
    for call in range(CALLS[way]):
        if call and call == CALLS[way] - 1:
            arguments = mapped(cupy.asarray, given)
        error, where = largest_error(cupy, check, run(*arguments), expected)
        if not error <= check.tolerance:
            raise WrongResultError(f"{where} of call {call + 1} is off by {error:.3g}, allowed {check.tolerance:.3g}")
        errors.append(error)
    return max(errors)


def largest_error(cupy: Any, check: Check, results: Any, expected: list[Any]) -> tuple[float, str]:
    """In proportion to the largest element of each result, and of which result it is."""
    found = leaves(results)
    if len(found) != len(expected):
        raise WrongResultError(f"{len(found)} results, needed {len(expected)}")
    worst = 0.0, "nothing"
    for number, (own, right) in enumerate(zip(found, expected)):
        where = f"result {number}"
        if not isinstance(own, cupy.ndarray):
            raise WrongResultError(f"{where} is no array on the device: {type(own).__name__}")
        if own.shape != np.shape(right):
            raise WrongResultError(f"{where} has shape {own.shape}, needed {np.shape(right)}")
        if own.dtype != check.dtype:
            raise WrongResultError(f"{where} has dtype {own.dtype}, needed {check.dtype}")
        error = distance(cupy.asnumpy(own).astype(np.float64), np.asarray(right))
        worst = max(worst, (error, where), key=lambda pair: np.inf if np.isnan(pair[0]) else pair[0])
    return worst


def distance(found: Any, right: Any) -> float:
    """Of two arrays, in proportion to the largest finite element; infinite where one has what the other has not."""
    same = (found == right) | (np.isnan(found) & np.isnan(right))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        difference = np.where(same, 0.0, np.abs(found - right))
    size = float(np.max(np.abs(right), where=np.isfinite(right), initial=0.0)) or 1.0
    return float(np.max(np.where(np.isfinite(difference), difference, np.inf), initial=0.0)) / size
