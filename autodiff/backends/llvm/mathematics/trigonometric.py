"""Sine, cosine, tangent.

x = k pi/2 + r with |r| <= pi/4 (`half_pi.py`); which of sine and cosine of r to take, and its sign, stand in the low
two bits of k. sin_near, cos_near and tan_near are the same functions for |x| < 2^44, at less than half of the price;
beyond they mean nothing.
"""

from __future__ import annotations

from autodiff.backends.llvm.mathematics.language import ByWidth

CONSTANTS = {
    "SIGN_SHIFT": ByWidth(31, 63),
    # (sin x - x) / x^3 as a function of x^2 for |x| <= pi/4, minimax for the relative error of sin x: 2^-28.0, 2^-58.0.
    "SIN": ByWidth(
        (-0.16666655, 0.008332191, -0.00019518599),
        (
            -0.16666666666666632,
            0.008333333333322472,
            -0.0001984126982983568,
            2.755731369733537e-06,
            -2.505075848791227e-08,
            1.5896796214790738e-10,
        ),
    ),
    # (cos x - 1 + x^2/2) / x^4 as a function of x^2 for |x| <= pi/4, minimax for the error of cos x: 2^-32.7, 2^-63.5.
    "COS": ByWidth(
        (0.041666653, -0.0013887618, 2.4463192e-05),
        (
            0.04166666666666665,
            -0.0013888888888881692,
            2.4801587293652402e-05,
            -2.7557315436678997e-07,
            2.0875857876417803e-09,
            -1.1366082624134725e-11,
        ),
    ),
}

SOURCE = '''
def sin_of_reduced(r, c):
    z = r * r
    return r + fma(polynomial(z, SIN) * z, r, fma(z, -0.5 * c, c))

def cos_of_reduced(r, c):
    z = r * r
    half = 0.5 * z
    one = 1.0 - half
    return one + fma(polynomial(z, COS) * z, z, fma(-r, c, (1.0 - one) - half))

def with_sign_of_bit(y, k):
    """y, negated where the second bit of k is set."""
    return number(bits(y) ^ ((k >> 1) << SIGN_SHIFT))

def sin(x):
    k, r, c = reduce_by_half_pi(x)
    return sin_of_parts(x, k, r, c)

def cos(x):
    k, r, c = reduce_by_half_pi(x)
    return cos_of_parts(k, r, c)

def tan(x):
    k, r, c = reduce_by_half_pi(x)
    return tan_of_parts(x, k, r, c)

def sin_near(x):
    k, r, c = reduce_near(x)
    return sin_of_parts(x, k, r, c)

def cos_near(x):
    k, r, c = reduce_near(x)
    return cos_of_parts(k, r, c)

def tan_near(x):
    k, r, c = reduce_near(x)
    return tan_of_parts(x, k, r, c)

def sin_of_parts(x, k, r, c):
    y = where((k & 1) == 0, sin_of_reduced(r, c), cos_of_reduced(r, c))
    return where(x == 0.0, x, with_sign_of_bit(y, k))

def cos_of_parts(k, r, c):
    y = where((k & 1) == 0, cos_of_reduced(r, c), sin_of_reduced(r, c))
    return with_sign_of_bit(y, k + 1)

def tan_of_parts(x, k, r, c):
    s = sin_of_reduced(r, c)
    c = cos_of_reduced(r, c)
    even = (k & 1) == 0
    return where(x == 0.0, x, where(even, s, -c) / where(even, c, s))
'''
