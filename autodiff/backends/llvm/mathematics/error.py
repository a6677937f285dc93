"""Error functions: erf, erfc.

erf x = x + x P(x^2) near zero; beyond 1 it is 1 - e^R(x), R near log erfc. erfc x = e^(-x^2) Q(t) / (1 + 2 x) with
t = (x - 4) / (x + 4), and the square in two parts, since its error is that of an exponent; 1 - erf x near zero.
"""

from __future__ import annotations

from autodiff.backends.llvm.mathematics.language import ByWidth

CONSTANTS = {
    "ERF_HIGHEST": ByWidth(4.0, 6.0),  # erf x is 1 above
    "ERFC_HIGHEST": ByWidth(10.1, 27.3),  # erfc x is 0 above
    # erf(x) / x - 1 as a function of x^2 for |x| <= 1, minimax for the relative error of erf x: 2^-29.4, 2^-56.0.
    "ERF": ByWidth(
        (0.12837917, -0.37612626, 0.11283579, -0.026853347, 0.005187162, -0.0007997853, 7.806903e-05),
        (
            0.12837916709551256,
            -0.37612638903183343,
            0.11283791670936957,
            -0.026866170641961472,
            0.005223977596765683,
            -0.0008548325486960134,
            0.00012055280571530614,
            -1.4924467394667538e-05,
            1.6444176075183675e-06,
            -1.618421535747172e-07,
            1.3617789791377687e-08,
            -7.610064155292384e-10,
        ),
    ),
    # log erfc x on [1, 4] and [1, 6], minimax for the error of erf x: 2^-29.9, 2^-54.8.
    "LOG_ERFC": ByWidth(
        (-0.00035374807, -1.1270399, -0.6382259, -0.103037134, 0.021805188, -0.0029395695, 0.00018556966),
        (
            -1.081973451980472e-06,
            -1.1283685472531046,
            -0.6366682630610131,
            -0.10263590814378118,
            0.018862340756196954,
            0.0005879360840236471,
            -0.002102484979140054,
            0.0009226739634301697,
            -0.0002322081686771163,
            2.869202475471123e-05,
            3.371674260805718e-06,
            -2.6097337343730396e-06,
            6.751819034325852e-07,
            -1.064048412354819e-07,
            1.072341994743001e-08,
            -6.408925844378725e-10,
            1.739816152381427e-11,
        ),
    ),
    # e^(x^2) erfc(x) (1 + 2 x) as a function of t for x from 1/2 to 10.1 and 27.3, minimax for its relative error:
    # 2^-25.1, 2^-54.6.
    "SCALED_ERFC": ByWidth(
        (
            1.2329952,
            -0.13962111,
            0.015378356,
            0.06809558,
            -0.10102669,
            0.09376436,
            -0.06634898,
            0.03696455,
            -0.016418377,
            0.0053943936,
        ),
        (
            1.2329951186255526,
            -0.1396211168405625,
            0.015379652102613398,
            0.0680970542546901,
            -0.10103906603604078,
            0.09373283499847042,
            -0.06633036581730523,
            0.03716751553492527,
            -0.01619773400294168,
            0.005031970007573447,
            -0.0007577736516393538,
            -0.00019925690135016262,
            0.0001506232265075431,
            -2.4398292112635054e-05,
            -1.1226397374580167e-05,
            5.707036486945487e-06,
            3.018833928526214e-07,
            -8.202743602838544e-07,
            6.520597707000025e-08,
            1.038621176325606e-07,
            -1.1614289262130054e-08,
            -9.857202241659094e-09,
        ),
    ),
}

SOURCE = """
def erf(x):
    a = abs(x)
    clipped = where(a > ERF_HIGHEST, ERF_HIGHEST, a)
    k, n, r, c = reduce_by_ln2(polynomial(clipped, LOG_ERFC))
    far = 1.0 - (fma(polynomial(r, EXP) * r, r, r) + 1.0) * power_of_two(n)
    return copysign(where(a < 1.0, fma(polynomial(a * a, ERF), a, a), far), x)

def erfc(x):
    a = abs(x)
    a = where(a > ERFC_HIGHEST, ERFC_HIGHEST, a)
    square = a * a
    k, n, r, c = reduce_by_ln2(-square)
    r, c = ordered_sum_of(r, c - product_error(a, a, square))
    q = polynomial((a - 4.0) / (a + 4.0), SCALED_ERFC) / fma(2.0, a, 1.0)
    p = r + fma(polynomial(r, EXP) * r, r, c)
    far = scale(fma(p, q, q), k, n)
    near = 1.0 - fma(polynomial(square, ERF), x, x)
    return where(a < 0.5, near, where(x < 0.0, 2.0 - far, far))
"""
