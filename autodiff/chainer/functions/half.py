"""Half precision where a library knows none: computed in single precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.ops.elementwise import cast


def in_single(function: Callable[..., Any], *operands: Any) -> Any:
    """A function of arrays; where they are in half precision, computed in single precision and rounded."""
    dtype = operands[0].dtype
    if dtype != np.float16:
        return function(*operands)
    out = function(*(cast(operand, dtype=np.float32) for operand in operands))
    if isinstance(out, tuple):
        return tuple(cast(part, dtype=dtype) for part in out)
    return cast(out, dtype=dtype)
