"""NumPy's elementwise functions that are no ufuncs, or take more than ufuncs do."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.numpy.dispatch import as_operand, implements, register_ufuncs
from autodiff.ops import elementwise as ew

register_ufuncs()


@implements(np.where)
def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Elements of ``x`` where the condition holds, of ``y`` elsewhere."""
    return ew.where(as_operand(condition), as_operand(x), as_operand(y))
