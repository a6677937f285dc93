"""Sums and products without rounding error: the result and what rounding took from it."""

from __future__ import annotations

from autodiff.backends.llvm.mathematics.language import ByWidth

CONSTANTS = {
    "SPLITTER": ByWidth(2.0**12 + 1.0, 2.0**27 + 1.0),
}

SOURCE = '''
def sum_of(x, y):
    """s, e with s + e = x + y exactly."""
    s = x + y
    moved = s - x
    return s, (x - (s - moved)) + (y - moved)

def ordered_sum_of(x, y):
    """s, e with s + e = x + y exactly, where |x| >= |y| or x = 0."""
    s = x + y
    return s, y - (s - x)

def product_error(x, y, p):
    """x y - p exactly, where p is the rounded product."""
    if fused:
        return fma(x, y, -p)
    x_high, x_low = halves(x)
    y_high, y_low = halves(y)
    return x_low * y_low - (((p - x_high * y_high) - x_low * y_high) - x_high * y_low)

def halves(x):
    """The upper half of the bits of x, and the rest."""
    t = x * SPLITTER
    high = t - (t - x)
    return high, x - high
'''
