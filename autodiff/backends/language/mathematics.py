"""The functions of vector mathematics: their names, and how many operands they have."""

from __future__ import annotations

_UNARY = """
    exp exp2 expm1 logistic softplus log log2 log10 log1p rsqrt cbrt
    sin cos tan sin_near cos_near tan_near arcsin arccos arctan
    sinh cosh tanh arcsinh arccosh arctanh erf erfc lgamma digamma
"""
FUNCTIONS: dict[str, int] = dict.fromkeys(_UNARY.split(), 1) | {"power": 2, "hypot": 2, "arctan2": 2}
