"""Functions that compute half precision in single precision."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

Forward = Callable[[Any, tuple[Any, ...]], tuple[Any, ...]]


def _fp16_mixed_precision_helper(fn: Forward) -> Forward:
    """A decorator of ``FunctionNode.forward``: arrays of half precision are handed over in single precision."""

    @functools.wraps(fn)
    def forward(self: Any, in_data: tuple[Any, ...]) -> tuple[Any, ...]:
        half = [x is not None and x.dtype == np.float16 for x in in_data]
        single = tuple(x.astype(np.float32) if is_half else x for x, is_half in zip(in_data, half))
        out = fn(self, single)
        if not any(half):
            return out
        return tuple(y.astype(np.float16) if y is not None and y.dtype == np.float32 else y for y in out)

    return forward
