"""Operations whose evaluators are made of functions for which NumPy asks arrays of Dask."""

from __future__ import annotations

from typing import Any

from autodiff.trace.primitive import Primitive


def itself(primitive: Primitive, *operands: Any, **params: Any) -> Any:
    """The operation's own evaluator: by NumPy's protocols Dask's functions answer."""
    return primitive.evaluate(*operands, **params)
