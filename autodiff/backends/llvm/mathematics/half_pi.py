"""Arguments of trigonometric functions less multiples of pi/2, exactly over the whole range.

Near zero k = rint(2 x / pi) is taken from x in three parts of pi/2, with products that are exact. Far out x / (pi/2)
has more digits before the point than a float holds; but only those digits of 2/pi count that make no whole turns of x,
so they are selected by the exponent of x and multiplied exactly. As nothing may branch, both are computed and one is
selected, at about three times the price of the near one alone.
"""

from __future__ import annotations

# fmt: off
CONSTANTS = {
    "FAR": 2.0**44,
    "DOUBLE_ROUNDER": 1.5 * 2.0**52,
    "TWO_OVER_PI": 0.6366197723675814,
    # pi/2 in parts of 53 bits.
    "HALF_PI_1": 1.5707963267948966,
    "HALF_PI_2": 6.123233995736766e-17,
    "HALF_PI_3": -1.4973849048591698e-33,
    # The bits of 1 / (2 pi) from the 22nd on, in parts of 29 bits: times 24 bits exact in float64.
    "TURNS_1": float.fromhex("0x1.b72722p-25"),
    "TURNS_2": float.fromhex("0x1.529fc2p-54"),
    "TURNS_3": float.fromhex("0x1.d5f47d4p-80"),
    "TURNS_4": float.fromhex("0x1.a6ee06dp-109"),
    "TURNS_5": float.fromhex("0x1.6295993p-138"),
    "TURNS_6": float.fromhex("0x1.8872083p-167"),
    "PAST_TURNS_1": 2.0**73,
    "PAST_TURNS_2": 2.0**102,
    # The bits of 2/pi, after twelve zeros.
    "TWO_OVER_PI_BITS": (
        0x000A2F9836E4E441, 0x529FC2757D1F534D, 0xDC0DB6295993C439, 0x041FE5163ABDEBBC,
        0x561B7246E3A424DD, 0x2E006492EEA09D19, 0x21CFE1DEB1CB129A, 0x73EE88235F52EBB4,
        0x484E99C7026B45F7, 0xE413991D63983533, 0x9F49C845F8BBDF92, 0x83B1FF897FFDE059,
        0x80FEF2F118B5A0A6, 0xD1F6D367ECF27CB0, 0x9B74F463F669E5FE, 0xA2D7527BAC7EBE5F,
        0x17B3D0739F78A529, 0x2EA6BFB5FB11F8D5, 0xD0856033046FC7B6,
    ),
    "EXPONENT_MASK": 0x7FF,
    "FRACTION_MASK": 0xFFFFFFFFFFFFF,
    "SIGN_AND_FRACTION_MASK": 0xFFFFFFFFFFFFF - 2**63,
    "INTEGER_BITS": 0x4330000000000000,  # of 2^52: a fraction of 52 bits becomes an integer
    "PART_1": 1.0,
    "PART_2": 2.0**-52,
    "PART_3": 2.0**-104,
    "PART_4": 2.0**-156,
}
# fmt: on

SOURCE = '''
def reduce_by_half_pi(x):
    """k, r, c with x = k pi/2 + r + c, k in the low bits of an integer, c the rounding error of r."""
    k, r, c = reduce_near(x)
    k_far, r_far, c_far = reduce_far(x)
    far = (abs(x) >= FAR) & (abs(x) < INFINITY)
    return where(far, k_far, k), where(far, r_far, r), where(far, c_far, c)

def reduce_near(x):
    """The same for |x| < FAR."""
    if single:
        k, y = reduce_single_near(widen(x))
        r = narrow(y)
        return narrow(k), r, narrow(y - widen(r))
    k, near, moved = subtract_half_pi(x)
    p = k * HALF_PI_2
    r, c = sum_of(near, -p)
    return moved, r, fma(k, -HALF_PI_3, c - product_error(k, HALF_PI_2, p))

def reduce_far(x):
    """The same for FAR <= |x| < infinity."""
    if single:
        k, y = reduce_single_far(widen(x))
        r = narrow(y)
        return narrow(k), r, narrow(y - widen(r))
    h, low, rest = turns(x)
    h = 4.0 * h
    k = rint(h)
    h, low = sum_of(h - k, 4.0 * low)
    h, low = ordered_sum_of(h, fma(4.0, rest, low))
    r = h * HALF_PI_1
    c = fma(low, HALF_PI_1, fma(h, HALF_PI_2, product_error(h, HALF_PI_1, r)))
    r, c = ordered_sum_of(r, c)
    return bits(k + DOUBLE_ROUNDER), r, c

def subtract_half_pi(x):
    """k, x - k HALF_PI_1 exactly, k as bits."""
    moved = fma(x, TWO_OVER_PI, DOUBLE_ROUNDER)
    k = moved - DOUBLE_ROUNDER
    p = k * HALF_PI_1
    return k, (x - p) - product_error(k, HALF_PI_1, p), bits(moved)

def reduce_single_near(x):
    """k, r of a float32 in float64."""
    k, near, moved = subtract_half_pi(x)
    return moved, fma(k, -HALF_PI_2, near)

def reduce_single_far(x):
    a = abs(x)
    past_1 = a >= PAST_TURNS_1
    past_2 = a >= PAST_TURNS_2
    p = x * where(past_2, TURNS_3, where(past_1, TURNS_2, TURNS_1))
    q = x * where(past_2, TURNS_4, where(past_1, TURNS_3, TURNS_2))
    h, low = sum_of(p - rint(p), q - rint(q))
    low = fma(x, where(past_2, TURNS_6, where(past_1, TURNS_5, TURNS_4)), low)
    low = fma(x, where(past_2, TURNS_5, where(past_1, TURNS_4, TURNS_3)), low)
    k = rint(4.0 * (h + low))
    return bits(k + DOUBLE_ROUNDER), fma(4.0, low, fma(4.0, h, -k)) * HALF_PI_1

def turns(x):
    """x / (2 pi) less whole turns, in three parts."""
    start = ((bits(x) >> 52) & EXPONENT_MASK) - 1065
    start = where(start < 0, 0, start)
    w_1, w_2, w_3, w_4 = window(TWO_OVER_PI_BITS, start >> 6, 4)
    shift = start & 63
    a = funnel(w_1, w_2, shift)
    b = funnel(w_2, w_3, shift)
    c = funnel(w_3, w_4, shift)
    m = number((bits(x) & SIGN_AND_FRACTION_MASK) | INTEGER_BITS)
    f_1 = part(funnel(0, a, 52), PART_1)
    f_2 = part(funnel(a, b, 40), PART_2)
    f_3 = part(funnel(b, c, 28), PART_3)
    f_4 = part(funnel(c, 0, 16), PART_4)
    p_1 = m * f_1
    p_2 = m * f_2
    p_3 = m * f_3
    h, t_1 = sum_of((p_1 - rint(p_1)) + product_error(m, f_1, p_1), p_2)
    h = h - rint(h)
    low, t_2 = sum_of(p_3, product_error(m, f_2, p_2))
    low, t_3 = sum_of(low, t_1)
    rest = fma(m, f_4, t_2 + t_3 + product_error(m, f_3, p_3))
    return h, low, rest

def part(word, one):
    """The low 52 bits of an integer as a fraction of `one`."""
    return number((word & FRACTION_MASK) | bits(one)) - one
'''
