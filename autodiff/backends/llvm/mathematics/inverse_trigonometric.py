"""Arc functions: arcsin, arccos, arctan, arctan2."""

from __future__ import annotations

from autodiff.backends.llvm.mathematics.language import ByWidth

CONSTANTS = {
    # Multiples of pi as a float and what it lacks.
    "QUARTER_PI": ByWidth(0.7853981852531433, 0.7853981633974483),
    "QUARTER_PI_LOW": ByWidth(-2.1855694143368964e-08, 3.061616997868383e-17),
    "HALF_PI": ByWidth(1.5707963705062866, 1.5707963267948966),
    "HALF_PI_LOW": ByWidth(-4.371138828673793e-08, 6.123233995736766e-17),
    "THREE_QUARTER_PI": ByWidth(2.356194496154785, 2.356194490192345),
    "THREE_QUARTER_PI_LOW": ByWidth(-5.9624403e-09, 9.184850993605148e-17),
    "PI": ByWidth(3.1415927410125732, 3.141592653589793),
    "PI_LOW": ByWidth(-8.742277657347586e-08, 1.2246467991473532e-16),
    "TAN_OF_EIGHTH_PI": 0.41421356237309503,
    "ARCTAN2_LARGE": ByWidth(2.0**125, 2.0**1021),
    # (arctan x - x) / x^3 as a function of x^2 for |x| <= tan(pi/8), minimax for the relative error of arctan x:
    # 2^-30.5, 2^-59.5.
    "ARCTAN": ByWidth(
        (-0.33333316, 0.1999853, -0.14244422, 0.10599357, -0.06090355),
        (
            -0.333333333333332,
            0.1999999999995377,
            -0.14285714280212455,
            0.11111110784165046,
            -0.09090897775743555,
            0.0769206049734187,
            -0.06663106833945129,
            0.05847906477242913,
            -0.0503936828009435,
            0.038065832244661556,
            -0.01790823522800419,
        ),
    ),
    # (arcsin x - x) / x^3 as a function of x^2 for |x| <= 1/2, minimax for the relative error of arcsin x:
    # 2^-27.6, 2^-55.9.
    "ARCSIN": ByWidth(
        (0.16666754, 0.07495252, 0.04547604, 0.02415209, 0.04221181),
        (
            0.16666666666665383,
            0.0750000000034293,
            0.044642856823562005,
            0.03038195932832676,
            0.022371753588389453,
            0.017359770178164344,
            0.01388460722252768,
            0.012173224341252868,
            0.00651108110366984,
            0.019573308016685487,
            -0.016293171344360254,
            0.03195837012765367,
        ),
    ),
}

SOURCE = '''
def arcsin_of_half(a):
    """s, t, large: arcsin a = s + t for 0 <= a <= 1/2, else pi/2 - 2 (s + t), s = sqrt((1 - a) / 2); NaN for a > 1."""
    large = a > 0.5
    z = where(large, fma(a, -0.5, 0.5), a * a)
    s = where(large, sqrt(z), a)
    return s, polynomial(z, ARCSIN) * z * s, large

def arcsin(x):
    s, t, large = arcsin_of_half(abs(x))
    return copysign(where(large, (HALF_PI - (s + s)) + (HALF_PI_LOW - (t + t)), s + t), x)

def arccos(x):
    s, t, large = arcsin_of_half(abs(x))
    negative = x < 0.0
    base = where(large, where(negative, PI, 0.0), HALF_PI)
    low = where(large, where(negative, PI_LOW, 0.0), HALF_PI_LOW)
    p = where(large, (s + s) + (t + t), s + t)
    return base + (low + where(negative ^ large, p, -p))

def arctan_of_quotient(v, u, swapped, negative):
    """The angle of the point (u, v), 0 <= v <= u, or of (v, u) if swapped, or of its mirror image if negative."""
    middle = v > u * TAN_OF_EIGHTH_PI
    q = where(middle, v - u, v) / where(middle, v + u, u)
    z = q * q
    p = polynomial(z, ARCTAN) * z * q
    edge = where(swapped, HALF_PI, where(negative, PI, 0.0))
    edge_low = where(swapped, HALF_PI_LOW, where(negative, PI_LOW, 0.0))
    base = where(middle, where(negative, THREE_QUARTER_PI, QUARTER_PI), edge)
    low = where(middle, where(negative, THREE_QUARTER_PI_LOW, QUARTER_PI_LOW), edge_low)
    turned = swapped ^ negative
    return (base + where(turned, -q, q)) + (low + where(turned, -p, p))

def arctan(x):
    a = abs(x)
    swapped = a > 1.0
    v = where(swapped, 1.0, a)
    u = where(swapped, a, 1.0)
    return copysign(arctan_of_quotient(v, u, swapped, swapped & ~swapped), x)

def arctan2(y, x):
    a = abs(x)
    b = abs(y)
    swapped = b > a
    u = where(swapped, b, a)
    v = where(swapped, a, b)
    infinite = v == INFINITY
    scale = where(u > ARCTAN2_LARGE, 0.125, 1.0)
    v = where(infinite, 1.0, v * scale)
    u = where(infinite | (u == 0.0), 1.0, u * scale)
    angle = copysign(arctan_of_quotient(v, u, swapped, copysign(1.0, x) < 0.0), y)
    return where((x == x) & (y == y), angle, NAN)
'''
