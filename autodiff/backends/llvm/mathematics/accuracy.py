"""How far each function may be from the exact value, in units of the last place of the result."""

from __future__ import annotations

# fmt: off
_SINGLE_AND_DOUBLE: dict[str, tuple[float, float]] = {
    "exp":      (1.10, 1.10),
    "exp2":     (0.90, 0.90),
    "expm1":    (1.70, 1.70),
    "logistic": (2.40, 2.40),
    "softplus": (1.90, 1.90),
    "log":      (0.90, 0.90),
    "log2":     (0.90, 0.90),
    "log10":    (0.80, 0.80),
    "log1p":    (1.50, 1.50),
    "sin":      (0.90, 0.90),
    "cos":      (0.90, 0.90),
    "tan":      (2.40, 2.40),
    "sin_near": (0.90, 0.90),  # for |x| < 2^44
    "cos_near": (0.90, 0.90),
    "tan_near": (2.40, 2.40),
    "arcsin":   (2.20, 2.20),
    "arccos":   (1.30, 1.30),
    "arctan":   (2.00, 2.00),
    "arctan2":  (2.00, 2.00),
    "sinh":     (2.30, 2.30),
    "cosh":     (1.40, 1.40),
    "tanh":     (2.70, 2.70),
    "arcsinh":  (1.90, 1.90),
    "arccosh":  (2.30, 2.30),
    "arctanh":  (2.30, 2.30),
    "sqrt":     (0.50, 0.50),
    "rsqrt":    (1.50, 1.50),
    "cbrt":     (0.55, 0.65),
    "hypot":    (1.30, 1.30),
    "power":    (0.60, 1.00),
    "erf":      (1.20, 1.30),
    "erfc":     (3.60, 3.00),
    "lgamma":   (3.50, 3.00),  # below zero of the largest of the result, the function at 1 - x, and 1
    "digamma":  (7.50, 6.00),  # the same
}
# fmt: on

MAXIMUM_ULPS: dict[tuple[str, str], float] = {
    (name, dtype): ulps
    for name, both in _SINGLE_AND_DOUBLE.items()
    for dtype, ulps in zip(("float32", "float64"), both)
}
