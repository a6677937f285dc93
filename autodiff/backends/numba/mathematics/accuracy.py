"""How far each function may be from the exact value, in units of the last place of the result."""

from __future__ import annotations

_SINGLE_AND_DOUBLE: dict[str, tuple[float, float]] = {
    # fmt: off
    "exp":      (1.1, 1.1),
    "exp2":     (1.1, 1.1),
    "expm1":    (1.6, 1.6),
    "log":      (1.0, 1.0),
    "log1p":    (1.5, 1.5),
    "tanh":     (2.5, 2.5),
    "logistic": (2.5, 2.5),
    "softplus": (2.5, 2.5),
    # fmt: on
}

MAXIMUM_ULPS: dict[tuple[str, str], float] = {
    (name, dtype): ulps
    for name, both in _SINGLE_AND_DOUBLE.items()
    for dtype, ulps in zip(("float32", "float64"), both)
}
