"""Logarithms: log, log2, log10, log1p.

x = 2^k (1 + f) with 1 + f from sqrt(1/2) to sqrt(2), by arithmetic on the bits of x. Then log x = k ln 2 + log(1 + f),
where ln 2 has two parts, the first with so few bits that k times it is exact. In float32 log(1 + f) is f - f^2/2 +
f^3 P(f); in float64, where that would need twenty terms, log(1 + f) = 2 s + s^3 Q(s^2) with s = f / (2 + f), which is
f - f^2/2 + s (f^2/2 + s^2 Q).
"""

from __future__ import annotations

from autodiff.backends.llvm.mathematics.language import ByWidth

CONSTANTS = {
    "LOG_ENDS": 0x03530422,  # NaN stays, zero to -infinity, infinity stays, NaN where it is negative
    "FOUR_BITS": ByWidth(0x40800000, 0x4010000000000000),
    "SQRT_HALF_BITS": ByWidth(0x3F3504F3, 0x3FE6A09E667F3BCD),
    "SMALLEST_NORMAL": ByWidth(2.0**-126, 2.0**-1022),
    "DENORMAL_SCALE": ByWidth(2.0**25, 2.0**54),
    "DENORMAL_EXPONENT": ByWidth(25.0, 54.0),
    # log2(e), log10(e) and log10(2), the first parts with half of the bits.
    "LOG2_E_HIGH": ByWidth(1.4423828125, 1.4426950216293335),
    "LOG2_E_LOW": ByWidth(0.00031222838896340733, 1.9259629911266175e-08),
    "LOG10_E_HIGH": ByWidth(0.4342041015625, 0.4342944622039795),
    "LOG10_E_LOW": ByWidth(9.038034075182765e-05, 1.9699272335463627e-08),
    "LOG10_2_HIGH": ByWidth(0.301025390625, 0.3010299801826477),
    "LOG10_2_LOW": ByWidth(4.605038981195214e-06, 1.5481333490135613e-08),
    "UPPER_HALF": ByWidth(-(2**12), -(2**27)),
    "HARMLESS": 2.0**-60,  # log(1 + x) is x below
    # (log(1+x) - x + x^2/2) / x^3 on [sqrt(1/2) - 1, sqrt(2) - 1], minimax for the relative error of log(1+x): 2^-28.9.
    "LOG_SINGLE": (
        0.33333313,
        -0.25000167,
        0.20002224,
        -0.1665936,
        0.1420956,
        -0.12547082,
        0.12103883,
        -0.10948209,
        0.05407824,
    ),
    # (log((1+s)/(1-s)) - 2 s) / s^3 as a function of s^2, for s up to (sqrt(2) - 1)^2, minimax for the relative error
    # of the logarithm: 2^-59.5.
    "LOG_DOUBLE": (
        0.6666666666666734,
        0.3999999999941664,
        0.28571428742028504,
        0.22222198604965981,
        0.18183562858804372,
        0.15314084584979543,
        0.147956364272462,
    ),
}

SOURCE = '''
def split_at_sqrt_half(x):
    """k, f with x = 2^k (1 + f), for a positive, finite x."""
    denormal = x < SMALLEST_NORMAL
    x = where(denormal, x * DENORMAL_SCALE, x)
    k = (bits(x) - SQRT_HALF_BITS) >> MANTISSA_BITS
    f = number(bits(x) - (k << MANTISSA_BITS)) - 1.0
    return convert(k) - where(denormal, DENORMAL_EXPONENT, 0.0), f

def log_of_parts(k, f):
    """k ln 2 + log(1 + f)."""
    if single:
        q = fma(polynomial(f, LOG_SINGLE), f, -0.5)
        return fma(k, LN2_HIGH, fma(q, f * f, k * LN2_LOW) + f)
    s = f / (2.0 + f)
    z = s * s
    half_square = 0.5 * f * f
    low = fma(s, fma(polynomial(z, LOG_DOUBLE), z, half_square), k * LN2_LOW)
    return fma(k, LN2_HIGH, f - (half_square - low))

def with_ends(y, x, pole):
    """The logarithm y of x - pole, right at infinity, at the pole and below."""
    if scales:
        return repaired(y, x - pole, LOG_ENDS)
    y = where(x < INFINITY, y, x)
    return where(x > pole, y, where(x == pole, -INFINITY, NAN))

def log(x):
    k, f = split_at_sqrt_half(x)
    return with_ends(log_of_parts(k, f), x, 0.0)

def log2(x):
    k, f = split_at_sqrt_half(x)
    return with_ends(scaled_log(k, 0.0, f, LOG2_E_HIGH, LOG2_E_LOW), x, 0.0)

def log10(x):
    k, f = split_at_sqrt_half(x)
    return with_ends(scaled_log(k * LOG10_2_HIGH, k * LOG10_2_LOW, f, LOG10_E_HIGH, LOG10_E_LOW), x, 0.0)

def scaled_log(base, base_low, f, factor, factor_low):
    """base + factor log(1 + f), both in two parts, with a log(1 + f) of which the first part has half of the bits."""
    half_square = 0.5 * f * f
    if single:
        rest = polynomial(f, LOG_SINGLE) * f * (f * f)
    else:
        s = f / (2.0 + f)
        z = s * s
        rest = s * fma(polynomial(z, LOG_DOUBLE), z, half_square)
    high = number(bits(f - half_square) & UPPER_HALF)
    low = ((f - high) - half_square) + rest
    y, error = ordered_sum_of(base, high * factor)
    return y + (fma(low, factor, fma(low + high, factor_low, base_low)) + error)

def log1p(x):
    """1 + x = 2^k (1 + f), f = 2^-k x + (2^-k - 1): nothing of x is lost. g is 4 2^-k, since for the largest x 2^-k is
    denormal."""
    k = (bits(x + 1.0) - SQRT_HALF_BITS) >> MANTISSA_BITS
    g = number(FOUR_BITS - (k << MANTISSA_BITS))
    f = fma(x * 0.25, g, fma(g, 0.25, -1.0))
    y = log_of_parts(convert(k), f)
    return where(abs(x) < HARMLESS, x, with_ends(y, x, -1.0))

def log1p_of_fraction(x):
    """log(1 + x) for x from 0 to 1."""
    large = x > 0.4142135
    f = fma(x, where(large, 0.5, 1.0), where(large, -0.5, 0.0))
    return log_of_parts(where(large, 1.0, 0.0), f)
'''
