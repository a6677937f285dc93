"""Hyperbolic functions and their inverses: sinh, cosh, arcsinh, arccosh, arctanh."""

from __future__ import annotations

from autodiff.backends.llvm.mathematics.language import ByWidth

CONSTANTS = {
    "SINH_HIGHEST": ByWidth(90.0, 711.0),  # sinh x is infinite above
    "SINH_LINEAR": ByWidth(2.0**-13, 2.0**-28),  # and x below, whose half would lose a bit where it is subnormal
    "ARCSINH_LARGE": ByWidth(2.0**14, 2.0**30),  # sqrt(x^2 + 1) is x above
}

SOURCE = '''
def half_exponentials(a):
    """(e^a - 1) / 2 and e^a / 2, for a >= 0."""
    a = where(a > SINH_HIGHEST, SINH_HIGHEST, a)
    k, n, r, c = reduce_by_ln2(a)
    p = small_expm1(r, c)
    half = n >> 1
    s = power_of_two(half)
    t = power_of_two(n - half - 1)
    return fma(p * s, t, fma(s, t, -0.5)), fma(p, s, s) * t

def sinh(x):
    a = abs(x)
    less, grown = half_exponentials(a)
    large = grown > 1e9
    y = where(large, grown, less + 0.5 * less / where(large, 1.0, grown))
    return copysign(where(a < SINH_LINEAR, a, y), x)

def cosh(x):
    less, grown = half_exponentials(abs(x))
    return grown + 0.25 / grown

def arcsinh(x):
    """log(a + sqrt(a^2 + 1)) = log1p(a + a^2 / (1 + sqrt(a^2 + 1)))."""
    a = abs(x)
    large = a > ARCSINH_LARGE
    b = where(large, 1.0, a)
    square = b * b
    return copysign(log1p_or_log_of_double(b + square / (1.0 + sqrt(square + 1.0)), a, large), x)

def arccosh(x):
    """log(x + sqrt(x^2 - 1)) = log1p(t + sqrt(2 t + t^2)), t = x - 1."""
    large = x > ARCSINH_LARGE
    t = where(large, 1.0, where(x < 1.0, NAN, x - 1.0))
    return log1p_or_log_of_double(t + sqrt(fma(t, t, t + t)), x, large)

def log1p_or_log_of_double(small, x, large):
    """log(1 + small), or log(2 x) where x is large."""
    u = where(large, x, small + 1.0)
    k = (bits(u) - SQRT_HALF_BITS) >> MANTISSA_BITS
    half = k >> 1
    g = power_of_two(-half)
    h = power_of_two(half - k)
    f = fma(where(large, x, small) * g, h, where(large, -1.0, fma(g, h, -1.0)))
    y = log_of_parts(convert(k) + where(large, 1.0, 0.0), f)
    return where(u < INFINITY, where(small == 0.0, 0.0, y), u)

def arctanh(x):
    a = abs(x)
    y = (a + a) / (1.0 - a)
    return copysign(0.5 * log1p(where(a > 1.0, NAN, y)), x)
'''
