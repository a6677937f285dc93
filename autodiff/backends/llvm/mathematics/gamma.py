"""The logarithm of the gamma function and its derivative: lgamma, digamma.

Up to a bound polynomials, which are multiplied by what makes their zeros; beyond it Stirling's series. Below zero the
reflection formulas, whose terms cancel near the zeros there: the stated error is there in units of the last place of
the largest of the result, the function at 1 - x, and 1. At zero, the negative integers
and -infinity both are what SciPy's are.
"""

from __future__ import annotations

from autodiff.backends.llvm.mathematics.language import ByWidth

CONSTANTS = {
    "HALF_LOG_2_PI": 0.9189385332046728,
    "LGAMMA_LARGE": 7.0,
    # lgamma(x) / ((x-1) (x-2)) around 1.5 on [1, 2] and around 2.5 on [2, 3], minimax for its relative error: 2^-24.1,
    # 2^-28.4 and 2^-54.6, 2^-53.6.
    "LGAMMA_1": ByWidth(
        (
            0.48312896,
            -0.14595959,
            0.06290925,
            -0.031322867,
            0.016846783,
            -0.0092458,
            0.0050708377,
            -0.0040419167,
            0.0029642563,
        ),
        (
            0.4831289505409809,
            -0.14595989591430594,
            0.06291140107456973,
            -0.03130848750105262,
            0.016797098630793306,
            -0.009425622444860242,
            0.005446457858835768,
            -0.003212074219916581,
            0.0019229158712322336,
            -0.001164411385802003,
            0.0007115249878648089,
            -0.0004380350996292685,
            0.0002712641568581947,
            -0.0001685720487521836,
            0.00010561659245008931,
            -6.793678171580242e-05,
            4.2184210887185774e-05,
            -2.148814323876419e-05,
            1.4706030250591926e-05,
            -1.8527921675421216e-05,
            1.0967887116798005e-05,
        ),
    ),
    "LGAMMA_2": ByWidth(
        (
            0.37957716,
            -0.07466357,
            0.019905271,
            -0.006018855,
            0.0019466646,
            -0.00065746834,
            0.000244322,
            -8.7485845e-05,
            0.0,
        ),
        (
            0.37957716063055885,
            -0.07466357415449941,
            0.019905154304748502,
            -0.006018768527036919,
            0.0019490574886499993,
            -0.0006586397065646541,
            0.00022905364492193558,
            -8.130229408895038e-05,
            2.92991838795279e-05,
            -1.0682259023774039e-05,
            3.931336328787341e-06,
            -1.4575547736776191e-06,
            5.403781228861682e-07,
            -2.0150721905993852e-07,
            8.323646815240017e-08,
            -3.386031556826151e-08,
            5.906191011175038e-09,
            0.0,
            0.0,
            0.0,
            0.0,
        ),
    ),
    # x (lgamma(x) - (x - 1/2) log x + x - log(2 pi)/2) as a function of 1/x^2 for x from 6 and from 7, minimax:
    # 2^-28.6, 2^-57.6.
    "STIRLING": ByWidth(
        (0.083333336, -0.0027779453, 0.0007817473),
        (
            0.08333333333333333,
            -0.0027777777777562218,
            0.0007936507772339929,
            -0.0005952333899354462,
            0.000841103699531758,
            -0.0018710707102792812,
            0.00468446804248223,
        ),
    ),
    # sin(pi x) / x as a function of x^2 for |x| <= 1/2, minimax for its relative error: 2^-25.1, 2^-54.5.
    "SIN_PI": ByWidth(
        (3.1415927, -5.167715, 2.550145, -0.59863293, 0.07824092),
        (
            3.141592653589793,
            -5.167712780049947,
            2.5501640398760843,
            -0.5992645292891811,
            0.08214588618510144,
            -0.0073704276268253864,
            0.0004662876162776008,
            -2.1876007492582427e-05,
            7.442328632370693e-07,
        ),
    ),
    # The positive zero of digamma.
    "DIGAMMA_ZERO": ByWidth(1.4616321325302124, 1.4616321449683622),
    "DIGAMMA_ZERO_LOW": ByWidth(1.243815006546356e-08, 9.549995429965697e-17),
    "DIGAMMA_LARGE": 6.0,
    # digamma(x) x (x+1) / (x - zero) around 1.75 on [1, 2.5] and around 4.25 on [2.5, 6], minimax for its relative
    # error: 2^-26.0, 2^-24.3 and 2^-54.3, 2^-53.8.
    "DIGAMMA_1": ByWidth(
        (
            4.130007,
            2.2917242,
            0.14617729,
            -0.01521519,
            0.0024342549,
            -0.00046435796,
            0.000104213235,
            -3.0289975e-05,
        ),
        (
            4.130006732420316,
            2.291724080453089,
            0.14617793722654762,
            -0.015213502121085992,
            0.002433311804483398,
            -0.00047049967147844255,
            0.00010103227160150087,
            -2.3141665754337327e-05,
            5.53002249362115e-06,
            -1.3604387356125799e-06,
            3.418775568849775e-07,
            -8.701789792407855e-08,
            2.168303434455009e-08,
            -5.891536902664838e-09,
            2.716001811937677e-09,
            -3.323685775468757e-10,
            -9.4396406117175e-10,
            -5.786643351879054e-11,
            3.96618615722752e-10,
        ),
    ),
    "DIGAMMA_2": ByWidth(
        (
            10.600105,
            2.8331835,
            0.08263143,
            -0.0047353674,
            0.00041322465,
            -4.411064e-05,
            6.0001857e-06,
            -7.333327e-07,
        ),
        (
            10.600105816475207,
            2.833183600407459,
            0.0826294823429087,
            -0.00473545626161746,
            0.0004152070470179216,
            -4.415859994941191e-05,
            5.248794109304751e-06,
            -6.703850833634294e-07,
            8.999511636656235e-08,
            -1.2526078170595408e-08,
            1.79158227880487e-09,
            -2.615011429388424e-10,
            3.868878178366064e-11,
            -5.869596495983158e-12,
            9.286133337357609e-13,
            -1.2647708723292943e-13,
            1.3495064355294771e-14,
            -4.691703593564311e-15,
            1.1457074600411619e-15,
        ),
    ),
    # x^2 (log x - 1/(2x) - digamma(x)) as a function of 1/x^2 for x from 6, minimax: 2^-27.6, 2^-57.6.
    "DIGAMMA_TAIL": ByWidth(
        (0.08333333, -0.00833073, 0.0037645907),
        (
            0.08333333333333333,
            -0.008333333333322668,
            0.003968253961095676,
            -0.00416666448834564,
            0.0075753976338380664,
            -0.021057538138545974,
            0.08120203185056142,
            -0.3630593612935381,
            1.1986775522486242,
        ),
    ),
}

SOURCE = '''
def one_if_below(x, bound, y):
    return where(x < bound, 1.0, y)

def positive_log(x):
    """log x for a positive, finite x."""
    k, f = split_at_sqrt_half(x)
    return log_of_parts(k, f)

def lgamma(x):
    """For x < 0: -log(sin(pi a) / pi) - lgamma(1 + a), a = -x."""
    a = abs(x)
    negative = x < 0.0
    below_1 = a < 1.0
    large = a >= LGAMMA_LARGE
    steps = one_if_below(a, 3.0, a - 1.0) * one_if_below(a, 4.0, a - 2.0)
    steps = steps * (one_if_below(a, 5.0, a - 3.0) * one_if_below(a, 6.0, a - 4.0))
    reflected_steps = where(below_1, 1.0, steps * a)
    argument = where(large | below_1, a, steps)
    argument = where(negative & ~large, reflected_steps, argument)
    logarithm = positive_log(argument)
    shift = where(negative, 0.5, -0.5)
    inverse = 1.0 / a
    series = polynomial(inverse * inverse, STIRLING) * inverse
    far = fma(a + shift, logarithm - 1.0, (HALF_LOG_2_PI + shift) + series)
    y = a - where(a < 3.0, 1.0, floor(a) - 1.0)
    y = where(below_1, a, y)
    first = y < 1.0
    q = polynomial(y - where(first, 0.5, 1.5), choose(first, LGAMMA_1, LGAMMA_2))
    near = fma(y * (y - 1.0), q, where(below_1, -logarithm, logarithm))
    value = where(large, far, near)
    s = a - rint(a)
    reflected = -positive_log(abs(s) * polynomial(s * s, SIN_PI) / PI) - value
    value = where(negative, reflected, value)
    value = where((a == 0.0) | (negative & (s == 0.0)), INFINITY, value)
    return where(a < INFINITY, value, x)

def digamma(x):
    """For x < 0: digamma(1 - x) - pi / tan(pi x)."""
    negative = x < 0.0
    a = where(negative, 1.0 - x, x)
    below_1 = a < 1.0
    large = a >= DIGAMMA_LARGE
    y = where(below_1, a + 1.0, a)
    first = y < 2.5
    q = polynomial(y - where(first, 1.75, 4.25), choose(first, DIGAMMA_1, DIGAMMA_2))
    numerator = ((y - DIGAMMA_ZERO) - DIGAMMA_ZERO_LOW) * q
    denominator = y * (y + 1.0)
    numerator = where(below_1, fma(numerator, a, -denominator), numerator)
    denominator = where(below_1, denominator * a, denominator)
    quotient = where(large, 1.0, numerator) / where(large, a, denominator)
    square = quotient * quotient
    far = positive_log(a) - fma(polynomial(square, DIGAMMA_TAIL), square, 0.5 * quotient)
    value = where(large, far, quotient)
    value = where(a < INFINITY, value, a)
    s = x - rint(x)
    t = 0.5 - abs(s)
    sine = s * polynomial(s * s, SIN_PI)
    cosine = t * polynomial(t * t, SIN_PI)
    return where(negative, value - PI * cosine / where(s == 0.0, NAN, sine), value)
'''
