"""Truth values beside wide numbers: the last vector of a kernel stores a few bytes, and none behind them.

LLVM fills vectors of eight bytes up to sixteen, and the mask of their last round says anything there if it was the bits of a
number that was spilled meanwhile: so the loops here keep more values than a machine has registers. Kernels of this folder
work between pages that nobody may touch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff


def remainders(x: Any) -> Any:
    v = np.fmod(x, 0.7)
    s = v.sum(axis=1)
    return s, np.isnan(2.0**s), np.arctan(v)


def choices(x: Any) -> Any:
    v = np.fmod(x, 0.7)
    chosen = np.isfinite(np.exp(v) ** v)
    return chosen[:, 0], np.where(chosen, np.arctan(v), np.fmod(v, 0.3)), np.fmod(v, 0.2) > 0.1


def given_choices(x: Any) -> Any:
    v = np.fmod(x, 0.7) ** 2
    return np.where(x[::-1] > 0, np.arctan(v), 3.0**v), (x > 0) & (np.fmod(v, 0.3) > 0.1)


@pytest.mark.parametrize("fun", [remainders, choices, given_choices])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("length", [*range(1, 11), 15, 16, 17, 23, 24, 25, 33, 41])
def test_few_bytes(fun: Callable[[Any], Any], dtype: str, length: int) -> None:
    x = np.linspace(-2, 3, length).reshape(length, 1).astype(dtype)
    compiled = autodiff.jit(fun)
    for expected, found in zip(fun(x), compiled(x), strict=True):
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-5 if dtype == "float32" else 1e-13)
