"""What a derivative is where the textbook says nothing: the table of all decided cases.

A row is a function, the point, and the gradient of the sum of its result; ``second`` is the gradient of the sum of that
gradient. Every way to ask for them gives the same.
"""

from dataclasses import dataclass
from math import inf, log, nan, pi
from typing import Any

import numpy as np
import scipy.special as sp

import autodiff
from autodiff.scipy.special import log_softmax, logsumexp, softmax


@dataclass(frozen=True)
class Row:
    """A function at a point, and its derivatives there; several arguments are a tuple."""

    name: str
    fun: Any
    at: Any
    gradient: Any
    second: Any = None

    @property
    def args(self):
        at = self.at if isinstance(self.at, tuple) else (self.at,)
        return tuple(map(as_argument, at))

    def total(self, *args):
        return np.sum(self.fun(*args))

    @property
    def argnums(self):
        return tuple(range(len(self.args)))


def as_argument(value):
    return np.array(value) if isinstance(value, list) else np.float64(value)


def plain(x):
    """What can be compared: Variables cannot."""
    return x.array if isinstance(x, autodiff.Variable) else x


def one_each(given, args):
    given = given if isinstance(given, tuple) else (given,) * len(args)
    return tuple(np.broadcast_to(np.array(one, float), np.shape(arg)) for one, arg in zip(given, args, strict=True))


I = np.eye(2).tolist()  # noqa: E741
O = np.zeros((2, 2)).tolist()  # noqa: E741
ONES = np.ones((2, 2)).tolist()
RISING = np.array([1, 2, 3])

# fmt: off
ROWS = [
    # Powers.
    Row("x**y at (0,0)",                  lambda x, y: x**y,                       (0, 0),      (0, 0)),
    Row("x**y at (0,1)",                  lambda x, y: x**y,                       (0, 1),      (1, 0)),
    Row("x**y at (0,2)",                  lambda x, y: x**y,                       (0, 2),      (0, 0)),
    Row("x**y at (0,0.5)",                lambda x, y: x**y,                       (0, 0.5),    (inf, 0)),
    Row("x**y at (0,-1)",                 lambda x, y: x**y,                       (0, -1),     (-inf, -inf)),
    Row("x**y at (-2,3)",                 lambda x, y: x**y,                       (-2, 3),     (12, nan)),
    Row("x**0 at 0 (py int)",             lambda x: x**0,                          0,           0,      0),
    Row("x**1 at 0",                      lambda x: x**1,                          0,           1,      0),
    Row("d2 x**2 at 0",                   lambda x: x**2,                          0,           0,      2),
    Row("d2 x**1 at 0 (array exponent)",  lambda x: x ** np.array(1.0),            0,           1,      0),
    Row("d2 x**2 at 0 (array exponent)",  lambda x: x ** np.array(2.0),            0,           0,      2),
    Row("d2 x**3 at 0",                   lambda x: x**3,                          0,           0,      0),
    Row("0**x at 0 (base const)",         lambda x: 0.0**x,                        0,           0),
    Row("0**x at 2 (base const)",         lambda x: 0.0**x,                        2,           0,      0),
    Row("sqrt at 0",                      np.sqrt,                                 0,           inf),
    Row("sqrt(x*x) at 0",                 lambda x: np.sqrt(x * x),                0,           nan),
    Row("sqrt(x)**2 at 0",                lambda x: np.sqrt(x) ** 2,               0,           nan),
    Row("cbrt at 0",                      np.cbrt,                                 0,           inf),
    Row("1/x at 0",                       lambda x: 1 / x,                         0,           -inf),
    Row("x/x at 0",                       lambda x: x / x,                         0,           nan),
    # Logarithms.
    Row("log at 0",                       np.log,                                  0,           inf),
    Row("log at -1",                      np.log,                                  -1,          nan),
    Row("x*log(x) at 0",                  lambda x: x * np.log(x),                 0,           nan),
    Row("xlogy(0,0)",                     sp.xlogy,                                (0, 0),      (0, 0)),
    Row("entr(0)",                        sp.entr,                                 0,           inf),
    # Kinks and ties.
    Row("abs at 0",                       np.abs,                                  0,           0,      0),
    Row("abs at -0.0",                    np.abs,                                  -0.0,        0,      0),
    Row("sign at 0",                      np.sign,                                 0,           0,      0),
    Row("maximum(x,y) tie",               np.maximum,                              (1, 1),      (0.5, 0.5), (0, 0)),
    Row("minimum(x,y) tie",               np.minimum,                              (1, 1),      (0.5, 0.5), (0, 0)),
    Row("maximum(x,0) at 0",              lambda x: np.maximum(x, 0),              0,           0.5,    0),
    Row("fmax(nan,1)",                    np.fmax,                                 (nan, 1),    (0, 1)),
    Row("maximum(nan,1)",                 np.maximum,                              (nan, 1),    (1, 0)),
    Row("max([1,1,0]) tie",               np.max,                                  [1, 1, 0.0], [0.5, 0.5, 0], 0),
    Row("min([1,1,2]) tie",               np.min,                                  [1, 1, 2.0], [0.5, 0.5, 0], 0),
    Row("max([nan,1])",                   np.max,                                  [nan, 1],    [nan, 0]),
    Row("median([1,2,3,4])",              np.median,                               [1, 2, 3, 4.0], [0, 0.5, 0.5, 0], 0),
    Row("median ties [1,1,1]",            np.median,                               [1, 1, 1.0], [0, 1, 0], 0),
    Row("sort ties [2,1,1]",              lambda x: np.sort(x) * RISING,           [2, 1, 1.0], [3, 1, 2], 0),
    Row("relu at 0",                      lambda x: np.where(plain(x) > 0, x, 0),  0,           0,      0),
    Row("clip(x,0,1) at 0",               lambda x: np.clip(x, 0, 1),              0,           1,      0),
    Row("clip(x,0,1) at 1",               lambda x: np.clip(x, 0, 1),              1,           1,      0),
    Row("clip(x,0,1) at nan",             lambda x: np.clip(x, 0, 1),              nan,         0),
    Row("arctan2(0,0)",                   np.arctan2,                              (0, 0),      (0, 0)),
    Row("hypot(0,0)",                     np.hypot,                                (0, 0),      (0, 0)),
    Row("sqrt(x2+y2) at 0",               lambda x, y: np.sqrt(x**2 + y**2),       (0, 0),      (nan, nan)),
    # Norms and moments.
    Row("norm([0,0])",                    np.linalg.norm,                          [0.0, 0],    0),
    Row("norm([0,0])**2",                 lambda x: np.linalg.norm(x) ** 2,        [0.0, 0],    0),
    Row("norm ord=1 [0,1]",               lambda x: np.linalg.norm(x, 1),          [0.0, 1],    [0, 1], 0),
    Row("norm ord=inf tie [1,1]",         lambda x: np.linalg.norm(x, np.inf),     [1.0, 1],    0.5,    0),
    Row("norm ord=3 [0,0]",               lambda x: np.linalg.norm(x, 3),          [0.0, 0],    0),
    Row("norm fro 0 2x2",                 lambda x: np.linalg.norm(x, "fro"),      O,           0),
    Row("norm ord=-1 [0,-2,3]",           lambda x: np.linalg.norm(x, -1),         [0.0, -2, 3], 0),
    Row("norm ord=-1 [1,2]",              lambda x: np.linalg.norm(x, -1),         [1.0, 2],    [4 / 9, 1 / 9]),
    Row("norm ord=-2.5 [0,0]",            lambda x: np.linalg.norm(x, -2.5),       [0.0, 0],    0),
    Row("norm ord=1/2 [0,-4,1]",          lambda x: np.linalg.norm(x, 0.5),        [0.0, -4, 1], [0, -1.5, 3]),
    Row("norm ord=1/2 [0,0]",             lambda x: np.linalg.norm(x, 0.5),        [0.0, 0],    0),
    Row("std([1,1,1])",                   np.std,                                  [1.0, 1, 1], 0),
    Row("var([1,1,1])",                   np.var,                                  [1.0, 1, 1], 0,      0),
    # Reductions of nothing but NaN depend on nothing.
    Row("nanmax([nan,nan])",              np.nanmax,                               [nan, nan],  0,      0),
    Row("nanmin([nan,nan])",              np.nanmin,                               [nan, nan],  0,      0),
    Row("nanmean([nan,nan])",             np.nanmean,                              [nan, nan],  0,      0),
    Row("nanvar([nan,nan])",              np.nanvar,                               [nan, nan],  0,      0),
    Row("nanstd([nan,nan])",              np.nanstd,                               [nan, nan],  0,      0),
    Row("nanmedian([nan,nan])",           np.nanmedian,                            [nan, nan],  0,      0),
    Row("nanquantile([nan,nan])",         lambda x: np.nanquantile(x, 0.3),        [nan, nan],  0,      0),
    Row("nanvar([nan,2],ddof=1)",         lambda x: np.nanvar(x, ddof=1),          [nan, 2.0],  [0, nan]),
    # Selection.
    Row("where(x>0,log x,0) at 0",        lambda x: np.where(plain(x) > 0, np.log(x), 0),  0,   0,      0),
    Row("where(x>0,sqrt x,0) at 0",       lambda x: np.where(plain(x) > 0, np.sqrt(x), 0), 0,   0,      0),
    Row("where(x!=0,x/x..) 0/0",          lambda x: np.where(plain(x) != 0, x / x, 0),     0,   0,      0),
    # Exponentials.
    Row("logsumexp([-inf,-inf])",         logsumexp,                               [-inf, -inf], 0),
    Row("logsumexp([-inf,0])",            logsumexp,                               [-inf, 0],   [0, 1], 0),
    Row("logsumexp([inf,0])",             logsumexp,                               [inf, 0],    [1, 0]),
    Row("logsumexp([1000,1000])",         logsumexp,                               [1000.0, 1000], 0.5, 0),
    Row("logaddexp(-inf,-inf)",           np.logaddexp,                            (-inf, -inf), (0.5, 0.5)),
    Row("logaddexp(inf,inf)",             np.logaddexp,                            (inf, inf),  (0.5, 0.5)),
    Row("logaddexp(1000,1000)",           np.logaddexp,                            (1000, 1000), (0.5, 0.5), (0, 0)),
    Row("softmax([1000,0]) w(1,2)",       lambda x: softmax(x) * RISING[:2],       [1000.0, 0], 0,      0),
    Row("log_softmax([1000,0]) [1]",      lambda x: log_softmax(x)[1],             [1000.0, 0], [-1, 1], 0),
    Row("softmax([-inf,-inf])[0]",        lambda x: softmax(x)[0],                 [-inf, -inf], nan),
    Row("softmax([-inf,0])[1]",           lambda x: softmax(x)[1],                 [-inf, 0],   0),
    Row("sigmoid(-1000)",                 sp.expit,                                -1000,       0,      0),
    Row("log(sigmoid(-1000))",            sp.log_expit,                            -1000,       1,      0),
    Row("softplus(1000)",                 lambda x: np.logaddexp(x, 0),            1000,        1,      0),
    Row("softplus(-1000)",                lambda x: np.logaddexp(x, 0),            -1000,       0,      0),
    Row("logit(0)",                       sp.logit,                                0,           inf),
    Row("d2 tanh(1000)",                  np.tanh,                                 1000,        0,      0),
    # Logarithms of what has overflowed or vanished.
    Row("log(expit(-1000))",              lambda x: np.log(sp.expit(x)),           -1000,       1,      0),
    Row("log(expit(1000))",               lambda x: np.log(sp.expit(x)),           1000,        0,      0),
    Row("log10(expit(-1000))",            lambda x: np.log10(sp.expit(x)),         -1000,       1 / log(10), 0),
    Row("log(exp(800))",                  lambda x: np.log(np.exp(x)),             800,         1,      0),
    Row("log2(exp(-800))",                lambda x: np.log2(np.exp(x)),            -800,        1 / log(2), 0),
    Row("log1p(exp(800))",                lambda x: np.log1p(np.exp(x)),           800,         1,      0),
    Row("log1p(exp(-800))",               lambda x: np.log1p(np.exp(x)),           -800,        0,      0),
    Row("log(1+exp(800))",                lambda x: np.log(1 + np.exp(x)),         800,         1,      0),
    Row("log(1+exp(-800))",               lambda x: np.log(1 + np.exp(x)),         -800,        0,      0),
    Row("log(exp(800)+2)",                lambda x: np.log(np.exp(x) + 2.0),       800,         1,      0),
    Row("log(1/(1+exp(800)))",            lambda x: np.log(1 / (1 + np.exp(-x))),  -800,        1,      0),
    Row("log(1/(1+exp(-800)))",           lambda x: np.log(1 / (1 + np.exp(-x))),  800,         0,      0),
    Row("log(softmax) 0",                 lambda x: np.log(softmax(x))[1],         [1000.0, 0], [-1, 1], 0),
    Row("where(x<0,log(expit(x)),0)",     lambda x: np.where(plain(x) < 0, np.log(sp.expit(x)), 0), [-800.0, 5], [1, 0], 0),
    # Smooth at the point, and infinite there.
    Row("sinc(0)",                        np.sinc,                                 0,           0,      -(pi**2) / 3),
    Row("arcsin(1)",                      np.arcsin,                               1,           inf),
    Row("arccos(1)",                      np.arccos,                               1,           -inf),
    Row("arccosh(1)",                     np.arccosh,                              1,           inf),
    Row("arctanh(1)",                     np.arctanh,                              1,           inf),
    Row("gammaln(0)",                     sp.gammaln,                              0,           -inf),
    Row("erfinv(1)",                      sp.erfinv,                               1,           inf),
    # Products.
    Row("prod([0,2,3])",                  np.prod,                                 [0, 2, 3.0], [6, 0, 0], [5, 3, 2]),
    Row("prod([0,0,3])",                  np.prod,                                 [0, 0, 3.0], 0,      [3, 3, 0]),
    Row("cumprod([0,2,3])",               np.cumprod,                              [0, 2, 3.0], [9, 0, 0], [6, 4, 2]),
    # Steps.
    Row("floor(0.5)",                     np.floor,                                0.5,         0,      0),
    Row("floor(1)",                       np.floor,                                1,           0,      0),
    Row("round(0.5)",                     np.round,                                0.5,         0,      0),
    Row("mod(4,2)",                       np.mod,                                  (4, 2),      (1, -2), (0, 0)),
    Row("mod(5,3)",                       np.mod,                                  (5, 3),      (1, -1), (0, 0)),
    Row("angle real -1",                  np.angle,                                -1,          0,      0),
    Row("nan_to_num(nan)",                np.nan_to_num,                           nan,         0,      0),
    Row("nan_to_num(inf)",                np.nan_to_num,                           inf,         0,      0),
    Row("constant fn",                    lambda x: 3.0,                           1,           0,      0),
    # Linear algebra.
    Row("det singular diag(0,0)",         np.linalg.det,                           O,           0),
    Row("det rank1 [[1,1],[1,1]]",        np.linalg.det,                           ONES,        [[1, -1], [-1, 1]]),
    Row("slogdet rank1",                  lambda x: np.linalg.slogdet(x)[1],       ONES,
        [[inf, -inf], [-inf, inf]]),
    Row("eigvalsh(I)",                    np.linalg.eigvalsh,                      I,           I,      0),
    Row("eigh(I) vals",                   lambda x: np.linalg.eigh(x)[0],          I,           I),
    Row("svd(I) s only via svd",          lambda x: np.linalg.svd(x)[1],           I,           I),
    Row("svd(0) s",                       lambda x: np.linalg.svd(x)[1],           O,           I),
    Row("pinv(0)",                        np.linalg.pinv,                          O,           0),
]
# fmt: on
