"""A form that is linear in each of two vectors."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class
from autodiff.facade import Variable
from autodiff.facade.functions.type_check import prod as product_of
from autodiff.facade.graph.applying import apply
from autodiff.trace.source import at_user_line


def bilinear(e1: Any, e2: Any, W: Any, V1: Any = None, V2: Any = None, b: Any = None) -> Variable:
    """y[n, l] = sum of e1[n, j] e2[n, k] W[j, k, l] over j and k, plus e1 V1 + e2 V2 + b.

    Args:
        e1: (N, J), or more axes that are taken as one; floats, of one dtype with all others.
        e2: (N, K), likewise.
        W: (J, K, L).
        V1: (J, L); V1, V2 and b are given together or not at all.
        V2: (K, L).
        b: (L,).

    Returns:
        (N, L).

    Raises:
        ValueError: if only some of V1, V2 and b are given.
        InvalidType: if shapes or dtypes do not fit.

    >>> bilinear(np.array([[2.0]]), np.array([[3.0]]), np.array([[[5.0]]]))
    variable([[30.]])
    """
    rest = (V1, V2, b)
    if any(part is None for part in rest) and any(part is not None for part in rest):
        missing = [name for name, part in zip(("V1", "V2", "b"), rest) if part is None]
        raise ValueError(
            f"bilinear() got no {' and no '.join(missing)}{at_user_line()}; give V1, V2 and b, or none of them"
        )

    def form(e1: Any, e2: Any, W: Any, *rest: Any) -> Any:
        first, second = (e.reshape((e.shape[0], prod(e.shape[1:]))) for e in (e1, e2))
        partial = (first @ W.reshape((W.shape[0], -1))).reshape((-1, *W.shape[1:]))
        y = np.matmul(second[:, np.newaxis], partial)[:, 0]
        return y + first @ rest[0] + second @ rest[1] + rest[2] if rest else y

    return apply("BilinearFunction", form, (e1, e2, W, *(() if b is None else rest)), check=fits)


def fits(*in_types: Any) -> tuple[Any, ...]:
    """The conditions on shapes and dtypes."""
    e1, e2, W, *rest = in_types
    conditions = (
        e1.dtype.kind == "f",
        e1.ndim >= 2,
        e2.dtype == e1.dtype,
        e2.ndim >= 2,
        e1.shape[0] == e2.shape[0],
        W.dtype == e1.dtype,
        W.ndim == 3,
        product_of(e1.shape[1:]) == W.shape[0],
        product_of(e2.shape[1:]) == W.shape[1],
    )
    if not rest:
        return conditions
    V1, V2, b = rest
    return (
        *conditions,
        *(part.dtype == e1.dtype for part in (V1, V2, b)),
        V1.ndim == 2,
        V1.shape[0] == W.shape[0],
        V1.shape[1] == W.shape[2],
        V2.ndim == 2,
        V2.shape[0] == W.shape[1],
        V2.shape[1] == W.shape[2],
        b.ndim == 1,
        b.shape[0] == W.shape[2],
    )


BilinearFunction = function_class("BilinearFunction", bilinear)
