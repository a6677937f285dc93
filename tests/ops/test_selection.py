"""Selecting by bits gives what np.where gives, bit by bit."""

import numpy as np
import pytest

from autodiff.ops.selection import MANY, select


@pytest.mark.parametrize("size", [3, MANY])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "complex64"])
def test_select_is_where(dtype: str, size: int) -> None:
    draw = np.random.default_rng(0)
    x, y = (draw.normal(size=(2, size)).astype(dtype) for _ in range(2))
    if x.dtype.kind == "f":
        x[0, :3], y[1, :3] = (np.nan, np.inf, -0.0), (-np.inf, np.nan, 0.0)
    mask = draw.random((2, size)) > 0.5
    scalar = x.dtype.type(2)
    for a, b in [(x, y), (x, 0), (0, x), (1, x), (x, -0.0), (x, np.nan), (scalar, x), (scalar, x.dtype.type(3)),
                 (x[:1], y), (x, y[:, :1]), (x.copy("F"), y), (x, np.float64(0.5)), (0.5, 1.5), (x, True)]:  # fmt: skip
        expected, found = np.where(mask, a, b), select(mask, a, b)
        assert found.dtype == expected.dtype
        assert found.tobytes() == expected.tobytes()
