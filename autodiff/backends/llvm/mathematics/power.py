"""Powers and roots: power, hypot, cbrt, rsqrt.

x^y = e^(y log x) loses as many bits as the exponent of the result has, so that log x is needed to about 65 bits: in
float64 as a sum of two floats, for float32 in float64.
"""

from __future__ import annotations

from autodiff.backends.llvm.mathematics.language import ByWidth

CONSTANTS = {
    "TWO_THIRDS_HIGH": 0.6666666666666666,
    "TWO_THIRDS_LOW": 3.700743415417188e-17,
    # log2((1+s)/(1-s)) / s as a function of s^2, for s up to (sqrt(2) - 1)^2, minimax for its relative error: 2^-45.1.
    "LOG2_FOR_SINGLE": (
        2.885390081777849,
        0.9617966941152608,
        0.5770779417580416,
        0.41220931822095364,
        0.3199028256875725,
        0.2829434470670312,
    ),
    # 2^x on +-1/2, minimax for its relative error: 2^-29.0.
    "EXP2_FOR_SINGLE": (
        1.0000000005541976,
        0.6931472057362527,
        0.24022646891035931,
        0.05550328778105154,
        0.009618488891639656,
        0.0013399934348595618,
        0.00015345911508128364,
    ),
    # ((log((1+s)/(1-s)) - 2 s) / s^3 - 2/3) / s^2 as a function of s^2, for s up to (sqrt(2) - 1)^2, minimax for the
    # relative error of the logarithm: 2^-66.3.
    "LOG_TAIL": (
        0.4000000000000229,
        0.2857142857008281,
        0.22222222523053725,
        0.1818178408205165,
        0.15386770936927038,
        0.13256490674967356,
        0.13199453114927043,
    ),
    # x^(-1/3) on [1/2, 4], minimax for its relative error: 2^-7.2, 2^-8.4.
    "INVERSE_CBRT": ByWidth(
        (1.6854211, -1.1108811, 0.5468643, -0.13090797, 0.011799897),
        (1.7952586, -1.5035154, 1.0272127, -0.38917002, 0.0745058, -0.0056202486),
    ),
    # (1 - h)^(-1/3) = 1 + h P(h), its first terms.
    "INVERSE_CBRT_STEP": ByWidth((1 / 3, 2 / 9), (1 / 3, 2 / 9, 14 / 81)),
    "CBRT_SCALE": ByWidth(2.0**24, 2.0**54),
    "CBRT_SCALED": ByWidth(8, 18),
    "HYPOT_LARGE": ByWidth(2.0**60, 2.0**500),
    "HYPOT_SMALL": ByWidth(2.0**-40, 2.0**-450),
    "HYPOT_SCALE": ByWidth(2.0**90, 2.0**600),
    "HYPOT_INVERSE_SCALE": ByWidth(2.0**-90, 2.0**-600),
}

SOURCE = '''
def power(x, y):
    a = abs(x)
    size = where(a == 1.0, 1.0, power_of_size(a, y))
    whole = rint(y) == y
    half = 0.5 * y
    odd = whole & (rint(half) != half)
    signed = where(odd, copysign(size, x), size)
    undefined = (x < 0.0) & (x > -INFINITY) & ~whole
    return where((y == 0.0) | (x == 1.0), 1.0, where(undefined, NAN, signed))

def power_of_size(a, y):
    """a^y for a >= 0."""
    if single:
        wide = widen(a)
        exponent = widen(y) * with_ends(log2_for_single(wide), wide, 0.0)
        return narrow(exp2_for_single(exponent))
    high, low = log_with_error(a)
    high = with_ends(high, a, 0.0)
    t = y * high
    inside = (t > EXP_LOWEST) & (t < EXP_HIGHEST)
    error = where(inside, fma(y, low, product_error(y, high, t)), 0.0)
    t = where(t < EXP_LOWEST, EXP_LOWEST, t)
    t = where(t > EXP_HIGHEST, EXP_HIGHEST, t)
    k, n, r, c = reduce_by_ln2(t)
    r, c = ordered_sum_of(r, c + error)
    return scale(1.0 + (r + fma(polynomial(r, EXP) * r, r, fma(r, c, c))), k, n)

def log2_for_single(x):
    """log2 x for a positive float64 that is no denormal."""
    k = (bits(x) - SQRT_HALF_BITS) >> MANTISSA_BITS
    f = number(bits(x) - (k << MANTISSA_BITS)) - 1.0
    s = f / (2.0 + f)
    return fma(polynomial(s * s, LOG2_FOR_SINGLE), s, convert(k))

def exp2_for_single(x):
    """2^x as a float64, as far as a float32 reaches."""
    x = where(x < -160.0, -160.0, x)
    x = where(x > 130.0, 130.0, x)
    moved = x + ROUNDER
    n = bits(moved) - ROUNDER_BITS
    return polynomial(x - (moved - ROUNDER), EXP2_FOR_SINGLE) * power_of_two(n)

def log_with_error(x):
    """log x as a sum of two floats, to about 66 bits."""
    k, f = split_at_sqrt_half(x)
    d = 2.0 + f
    d_low = f - (d - 2.0)
    inverse = 1.0 / d
    s = f * inverse
    p = s * d
    s_low = (((f - p) - product_error(s, d, p)) - s * d_low) * inverse
    z = s * s
    z_low = fma(s + s, s_low, product_error(s, s, z))
    a, a_low = ordered_sum_of(TWO_THIRDS_HIGH, z * polynomial(z, LOG_TAIL))
    a_low = a_low + TWO_THIRDS_LOW
    b = z * a
    b_low = fma(z, a_low, fma(z_low, a, product_error(z, a, b)))
    c = s * b
    c_low = fma(s, b_low, fma(s_low, b, product_error(s, b, c)))
    high, low = ordered_sum_of(k * LN2_HIGH, s + s)
    high, low_2 = ordered_sum_of(high, c)
    return ordered_sum_of(high, (low + low_2) + fma(k, LN2_LOW, (s_low + s_low) + c_low))

def hypot(x, y):
    a = abs(x)
    b = abs(y)
    large = where(a > b, a, b)
    scale_down = large > HYPOT_LARGE
    scale_up = large < HYPOT_SMALL
    factor = where(scale_down, HYPOT_INVERSE_SCALE, where(scale_up, HYPOT_SCALE, 1.0))
    back = where(scale_down, HYPOT_SCALE, where(scale_up, HYPOT_INVERSE_SCALE, 1.0))
    u = a * factor
    v = b * factor
    infinite = (a == INFINITY) | (b == INFINITY)
    return where(infinite, INFINITY, sqrt(fma(u, u, v * v)) * back)

def cbrt(x):
    """|x| = 2^(3 k) m; the cube root of m by a step on a start for 1 / cbrt(m), and a step on the root."""
    a = abs(x)
    denormal = a < SMALLEST_NORMAL
    a = where(denormal, a * CBRT_SCALE, a)
    moved = fma(convert((bits(a) >> MANTISSA_BITS) - EXPONENT_BIAS), 0.3333333333333333, ROUNDER)
    k = bits(moved) - ROUNDER_BITS
    m = number(bits(a) - ((k + k + k) << MANTISSA_BITS))
    r = polynomial(m, INVERSE_CBRT)
    h = fma(-m * r, r * r, 1.0)
    r = fma(polynomial(h, INVERSE_CBRT_STEP) * h, r, r)
    y = m * r * r
    square = y * y
    cube = square * y
    rest = ((m - cube) - product_error(square, y, cube)) - product_error(y, y, square) * y
    y = fma(rest * 0.3333333333333333, r * r, y)
    y = number(bits(y) + (where(denormal, k - CBRT_SCALED, k) << MANTISSA_BITS))
    return where((a > 0.0) & (a < INFINITY), copysign(y, x), x)

def rsqrt(x):
    return 1.0 / sqrt(x)
'''
