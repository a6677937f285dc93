"""Exponentials: exp, exp2, expm1, logistic, softplus, tanh.

x = n ln 2 + r with |r| <= ln(2)/2; then e^x = 2^n (1 + r + r^2 P(r)). n is rounded by adding and subtracting a number
so large that no bits are left for a fraction: NaN stays NaN, and n stands in the low bits. ln 2 is subtracted in two
parts, the first with so few bits that n times it is exact. 2^n is multiplied in two halves, since results reach from
2^-1075 to 2^1024 and neither end is a float.
"""

from __future__ import annotations

from autodiff.backends.llvm.mathematics.language import ByWidth

CONSTANTS = {
    "INFINITY": float("inf"),
    "NAN": float("nan"),
    "MANTISSA_BITS": ByWidth(23, 52),
    "EXPONENT_BIAS": ByWidth(127, 1023),
    "ROUNDER": ByWidth(1.5 * 2.0**23, 1.5 * 2.0**52),
    "ROUNDER_BITS": ByWidth(0x4B400000, 0x4338000000000000),
    "LOG2_E": 1.4426950408889634,
    "LN2": 0.6931471805599453,
    "LN2_HIGH": ByWidth(float.fromhex("0x1.63p-1"), float.fromhex("0x1.62e42feep-1")),
    "LN2_LOW": ByWidth(-0.00021219444005469057, 1.9082149292705877e-10),
    "EXP_LOWEST": ByWidth(-104.0, -746.0),  # e^x is 0 below
    "EXP_HIGHEST": ByWidth(89.0, 710.0),  # and infinite above
    "EXP2_LOWEST": ByWidth(-151.0, -1076.0),
    "EXP2_HIGHEST": ByWidth(128.0, 1024.0),
    "EXPM1_LOWEST": ByWidth(-18.0, -38.0),  # e^x - 1 is -1 below
    "TANH_HIGHEST": ByWidth(10.0, 20.0),  # tanh x is 1 above
    # (e^x - 1 - x) / x^2 on +-ln(2)/2, minimax for the relative error of e^x: 2^-28.2, 2^-62.7.
    "EXP": ByWidth(
        (0.49999994, 0.16666517, 0.041668102, 0.008369166, 0.0013838027),
        (
            0.5,
            0.16666666666666688,
            0.041666666666666824,
            0.008333333333314331,
            0.0013888888888804155,
            0.00019841269901952566,
            2.480158747197058e-05,
            2.7557230070907065e-06,
            2.7557158606088177e-07,
            2.5113498194877308e-08,
            2.0947344557660925e-09,
        ),
    ),
    # The same function, minimax for the relative error of e^x - 1: 2^-26.1, 2^-61.0.
    "EXPM1": ByWidth(
        (0.5, 0.16666539, 0.041666612, 0.008367095, 0.0013917813),
        (
            0.5,
            0.16666666666666677,
            0.04166666666666667,
            0.008333333333321435,
            0.001388888888887901,
            0.0001984126988659953,
            2.4801587341008035e-05,
            2.755724374667628e-06,
            2.7557256629106637e-07,
            2.51091883838885e-08,
            2.0920809642796284e-09,
        ),
    ),
    # ((2^x - 1) / x - ln 2) / x on +-1/2, minimax for the relative error of 2^x: 2^-28.2, 2^-59.4.
    "EXP2": ByWidth(
        (0.2402265, 0.05550358, 0.009618077, 0.0013391653, 0.00015459037),
        (
            0.24022650695910072,
            0.055504108664822936,
            0.009618129107628048,
            0.0013333558146164351,
            0.000154035303940561,
            1.5252734036954664e-05,
            1.3215486312957882e-06,
            1.0177985540099828e-07,
            7.055064309866448e-09,
            4.4655587455054256e-10,
            2.5516432454150385e-11,
        ),
    ),
}

SOURCE = '''
def power_of_two(n):
    return number((n + EXPONENT_BIAS) << MANTISSA_BITS)

def scale(x, k, n):
    """2^n x, for n from -1075 to 1024; k is n as a float."""
    if scales:
        return scaled(x, k)
    half = n >> 1
    return x * power_of_two(half) * power_of_two(n - half)

def reduce_by_ln2(x):
    """k, n, r, c with x = n ln 2 + r + c, where c is the rounding error of r and k is n as a float."""
    moved = fma(x, LOG2_E, ROUNDER)
    n = bits(moved) - ROUNDER_BITS
    k = moved - ROUNDER
    near = fma(k, -LN2_HIGH, x)
    r = fma(k, -LN2_LOW, near)
    c = fma(k, -LN2_LOW, near - r)
    return k, n, r, c

def exp(x):
    x = where(x < EXP_LOWEST, EXP_LOWEST, x)
    x = where(x > EXP_HIGHEST, EXP_HIGHEST, x)
    k, n, r, c = reduce_by_ln2(x)
    return scale(fma(polynomial(r, EXP), r * r, r) + 1.0, k, n)

def exp_of_negative(x):
    """e^x for x <= 0, closer."""
    x = where(x < EXP_LOWEST, EXP_LOWEST, x)
    k, n, r, c = reduce_by_ln2(x)
    return scale(fma(polynomial(r, EXP), r * r, c) + r + 1.0, k, n)

def exp2(x):
    x = where(x < EXP2_LOWEST, EXP2_LOWEST, x)
    x = where(x > EXP2_HIGHEST, EXP2_HIGHEST, x)
    moved = x + ROUNDER
    n = bits(moved) - ROUNDER_BITS
    k = moved - ROUNDER
    r = x - k
    return scale(fma(fma(polynomial(r, EXP2), r, LN2), r, 1.0), k, n)

def small_expm1(r, c):
    """e^(r + c) - 1 for |r| <= ln(2)/2."""
    return r + fma(polynomial(r, EXPM1), r * r, c)

def expm1(x):
    y = where(x < EXPM1_LOWEST, EXPM1_LOWEST, x)
    y = where(y > EXP_HIGHEST, EXP_HIGHEST, y)
    k, n, r, c = reduce_by_ln2(y)
    p = small_expm1(r, c)
    half = n >> 1
    s = power_of_two(half)
    t = power_of_two(n - half)
    y = where(x > 40.0, fma(p, s, s) * t, fma(p * s, t, fma(s, t, -1.0)))
    return copysign(y, x)

def tanh(x):
    a = abs(x)
    a = where(a > TANH_HIGHEST, TANH_HIGHEST, a)
    k, n, r, c = reduce_by_ln2(a + a)
    s = power_of_two(n)
    m = fma(small_expm1(r, c), s, s - 1.0)
    large = m > 1.0
    quotient = where(large, 2.0, m) / (m + 2.0)
    return copysign(where(large, 1.0 - quotient, quotient), x)

def logistic(x):
    e = exp_of_negative(-abs(x))
    return where(x < 0.0, e, 1.0) / (1.0 + e)

def softplus(x):
    e = exp_of_negative(-abs(x))
    return where(x < 0.0, 0.0, x) + log1p_of_fraction(e)
'''
