"""A hundred and fifty functions whose derivatives are right: a gradient test that blames one of them is wrong.

Smooth ones and kinked ones, of NumPy, of SciPy, and as authors write them. Each is tested as its author would test it:
the function, and where it is defined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import scipy.special as sp

from autodiff.scipy import special
from autodiff.testing import Domain
from autodiff.testing.draws.domains import greater_than_one, positive, probability, real, unit

SQUARE = [(3, 3), (2, 2), (1, 1), (2, 3, 3)]
LONG = [(5,), (2, 4), (3, 3)]
ROWS = [(3,), (2, 3), (3, 3), (2, 1, 4)]
PAIRS = [((2, 3), (3, 2)), ((3, 3), (3, 3)), ((1, 4), (4, 2))]
VECTORS = [((3,), (3,)), ((1,), (1,)), ((5,), (5,))]
POINTS = np.linspace(-2.0, 2.0, 7)
WEIGHTS = np.sin(np.arange(12.0)).reshape(3, 4)

above_zero = Domain(0.1, 20.0)
right_of_minus_one = Domain(-1.0, float("inf"), hit=(0.0,))


@dataclass(frozen=True)
class Right:
    """A function whose derivatives are right.

    Attributes:
        name: what it is.
        fun: function of arrays.
        options: what `laws` has to know of it.
        kinked: whether it has kinks where its author tests it.
    """

    name: str
    fun: Callable[..., Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    kinked: bool = False


def table(**rows: Any) -> list[Right]:
    """Rows of a function, or of a function and its options."""
    return [
        Right(name, row, MappingProxyType({})) if callable(row) else Right(name, row[0], MappingProxyType(row[1]))
        for name, row in rows.items()
    ]


def kinked(**rows: Any) -> list[Right]:
    """Rows of functions that have kinks."""
    return [Right(one.name, one.fun, one.options, kinked=True) for one in table(**rows)]


def on(domain: Any, **options: Any) -> dict[str, Any]:
    """Where a function is defined."""
    return {"domain": domain, **options}


TWO = on((real, real))


def regular(x: Any) -> Any:
    """A matrix that can be inverted, made of any."""
    return np.tanh(x) + 4 * np.eye(x.shape[-1])


def definite(x: Any) -> Any:
    """A positive definite matrix, made of any."""
    bounded = np.tanh(x)
    return bounded @ np.swapaxes(bounded, -1, -2) + 2 * np.eye(x.shape[-1])


def softmax(x: Any) -> Any:
    """exp(x) as parts of its sum."""
    shifted = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return shifted / np.sum(shifted, axis=-1, keepdims=True)


def huber(x: Any) -> Any:
    """Half the square, and straight on from one."""
    size = np.abs(x)
    return np.where(size < 1, 0.5 * x * x, size - 0.5)


def branch(x: Any) -> Any:
    """A Python branch, whose two sides meet."""
    total = np.sum(x)
    return x * total if total > 0 else -x * total


def layer_norm(x: Any) -> Any:
    """Rows with mean 0 and variance 1."""
    centred = x - np.mean(x, axis=-1, keepdims=True)
    return centred / np.sqrt(np.mean(centred * centred, axis=-1, keepdims=True) + 0.1)


def newton(x: Any) -> Any:
    """The square root of 1 + x*x by three steps."""
    y = 1 + x * x / 2
    for _ in range(3):
        y = (y + (1 + x * x) / y) / 2
    return y


def horner(x: Any) -> Any:
    """A polynomial."""
    total = 0.0 * x
    for coefficient in (0.5, -1.0, 2.0, 0.25):
        total = total * x + coefficient
    return total


SMOOTH = table(
    # NumPy's elementwise functions.
    sin=np.sin,
    cos=np.cos,
    tan=(np.tan, on(Domain(-1.4, 1.4))),
    tanh=np.tanh,
    arctan=np.arctan,
    sinh=np.sinh,
    cosh=np.cosh,
    arcsin=(np.arcsin, on(unit)),
    arccos=(np.arccos, on(unit)),
    arcsinh=np.arcsinh,
    arctanh=(np.arctanh, on(unit)),
    arccosh=(np.arccosh, on(greater_than_one)),
    exp=np.exp,
    exp2=np.exp2,
    expm1=np.expm1,
    log=(np.log, on(positive)),
    log2=(np.log2, on(positive)),
    log10=(np.log10, on(positive)),
    log1p=(np.log1p, on(right_of_minus_one)),
    sqrt=(np.sqrt, on(positive)),
    cbrt=(np.cbrt, on(positive)),
    square=np.square,
    reciprocal=(np.reciprocal, on(positive)),
    negative=np.negative,
    positive=np.positive,
    sinc=np.sinc,
    deg2rad=np.deg2rad,
    i0=np.i0,
    add=(np.add, TWO),
    subtract=(np.subtract, TWO),
    multiply=(np.multiply, TWO),
    divide=(np.divide, on((real, positive))),
    power=(np.power, on((positive, unit))),
    arctan2=(np.arctan2, on((positive, real))),
    hypot=(np.hypot, on((positive, positive))),
    logaddexp=(np.logaddexp, TWO),
    logaddexp2=(np.logaddexp2, TWO),
    float_power=(lambda x: np.float_power(x, 1.5), on(positive)),
    # NumPy's reductions, products and moves.
    sum=np.sum,
    mean=np.mean,
    prod=np.prod,
    var=np.var,
    cumsum=np.cumsum,
    cumprod=np.cumprod,
    sum_of_rows=(lambda x: np.sum(x, axis=-1), on(real, shapes=ROWS)),
    std=(np.std, on(real, shapes=LONG)),
    dot=(np.dot, on((real, real), shapes=VECTORS)),
    matmul=(np.matmul, on((real, real), shapes=PAIRS)),
    outer=(np.outer, on((real, real), shapes=VECTORS)),
    inner=(np.inner, on((real, real), shapes=VECTORS)),
    kron=(np.kron, on((real, real), shapes=VECTORS)),
    cross=(np.cross, on((real, real), shapes=[((3,), (3,)), ((2, 3), (2, 3))])),
    einsum=(lambda x, y: np.einsum("ij,jk->ki", x, y), on((real, real), shapes=PAIRS)),
    tensordot=(lambda x, y: np.tensordot(x, y, 1), on((real, real), shapes=PAIRS)),
    convolve=(np.convolve, on((real, real), shapes=VECTORS)),
    transpose=np.transpose,
    ravel=np.ravel,
    flip=np.flip,
    roll=(lambda x: np.roll(x, 1), {}),
    diff=(np.diff, on(real, shapes=ROWS)),
    stack=lambda x: np.stack([x, x * x]),
    concatenate=(lambda x: np.concatenate([x, np.sin(x)], axis=-1), on(real, shapes=ROWS)),
    tile=lambda x: np.tile(x, 2),
    repeat=lambda x: np.repeat(x, 2),
    pad=(lambda x: np.pad(x, 1), on(real, shapes=ROWS)),
    first=(lambda x: x[..., 0], on(real, shapes=ROWS)),
    picked=(lambda x: x[..., [0, 1, 0]], on(real, shapes=LONG)),
    triu=(np.triu, on(real, shapes=SQUARE)),
    trace=(np.trace, on(real, shapes=SQUARE[:3])),
    diagonal=(np.diagonal, on(real, shapes=SQUARE[:3])),
    gradient=(np.gradient, on(real, shapes=[(4,), (7,)])),
    interp=(lambda y: np.interp(0.3, POINTS, y), on(real, shapes=[(7,)])),
    trapezoid=(np.trapezoid, on(real, shapes=ROWS)),
    average=(lambda x: np.average(x, axis=-1, weights=None), on(real, shapes=ROWS)),
    polyval=(lambda x: np.polyval([1.0, -2.0, 0.5], x), {}),
    vander=(lambda x: np.vander(x, 3), on(real, shapes=[(3,), (1,)])),
    # Linear algebra and Fourier transforms.
    inv=(lambda x: np.linalg.inv(regular(x)), on(real, shapes=SQUARE)),
    det=(lambda x: np.linalg.det(regular(x)), on(real, shapes=SQUARE)),
    slogdet=(lambda x: np.linalg.slogdet(definite(x))[1], on(real, shapes=SQUARE)),
    solve=(lambda x: np.linalg.solve(regular(x), np.ones((x.shape[-1], 1))), on(real, shapes=SQUARE)),
    cholesky=(lambda x: np.linalg.cholesky(definite(x)), on(real, shapes=SQUARE)),
    eigvalsh=(
        lambda x: np.linalg.eigvalsh(definite(x) + np.diag(np.arange(x.shape[-1]) * 9.0)),
        on(real, shapes=SQUARE),
    ),
    matrix_power=(lambda x: np.linalg.matrix_power(np.tanh(x), 3), on(real, shapes=SQUARE)),
    pinv=(lambda x: np.linalg.pinv(regular(x)), on(real, shapes=SQUARE)),
    multi_dot=(lambda x: np.linalg.multi_dot([x, x, x]), on(real, shapes=SQUARE[:3])),
    power_spectrum=(lambda x: np.abs(np.fft.rfft(x)) ** 2, on(real, shapes=LONG)),
    fft_real=(lambda x: np.real(np.fft.fft(x)), on(real, shapes=LONG)),
    irfft=(lambda x: np.fft.irfft(np.fft.rfft(x) * 0.5, n=x.shape[-1]), on(real, shapes=LONG)),
    fft2=(lambda x: np.imag(np.fft.fft2(x)), on(real, shapes=[(2, 3), (3, 3)])),
    # SciPy's special functions.
    erf=sp.erf,
    erfc=sp.erfc,
    ndtr=sp.ndtr,
    log_ndtr=sp.log_ndtr,
    expit=sp.expit,
    log_expit=sp.log_expit,
    logit=(sp.logit, on(probability)),
    gammaln=(sp.gammaln, on(positive)),
    digamma=(sp.digamma, on(positive)),
    gamma=(sp.gamma, on(above_zero)),
    beta=(sp.beta, on((above_zero, above_zero))),
    betaln=(sp.betaln, on((above_zero, above_zero))),
    xlogy=(sp.xlogy, on((real, positive))),
    entr=(sp.entr, on(positive)),
    rel_entr=(sp.rel_entr, on((positive, positive))),
    erfinv=(sp.erfinv, on(unit)),
    ndtri=(sp.ndtri, on(probability)),
    j0=sp.j0,
    j1=sp.j1,
    i0e=(sp.i0e, on(positive)),
    y0=(sp.y0, on(positive)),
    k0=(sp.k0, on(Domain(0.05, 20.0))),
    jv=lambda x: sp.jv(2, x),
    exprel=sp.exprel,
    logsumexp=special.logsumexp,
    gammainc=(lambda x: sp.gammainc(1.5, x), on(positive)),
    softmax_of_scipy=(lambda x: special.softmax(x, axis=-1), on(real, shapes=ROWS)),
    log_softmax_of_scipy=(lambda x: special.log_softmax(x, axis=-1), on(real, shapes=ROWS)),
    # As authors write them.
    logistic=lambda x: 1 / (1 + np.exp(-x)),
    softplus=lambda x: np.logaddexp(0, x),
    log_cosh=lambda x: np.logaddexp(x, -x) - np.log(2.0),
    langevin=(lambda x: 1 / np.tanh(x) - 1 / x, on(positive)),
    tukey=lambda x: np.where(np.abs(x) < 2, 1 - (1 - (x / 2) ** 2) ** 3, 1.0),
    silu=lambda x: x / (1 + np.exp(-x)),
    gelu=lambda x: x * sp.ndtr(x),
    gaussian=lambda x: np.exp(-x * x / 2),
    student=lambda x: -2 * np.log1p(x * x / 3),
    rosenbrock=(lambda x, y: (1 - x) ** 2 + 100 * (y - x * x) ** 2, TWO),
    cauchy=lambda x: 1 / (1 + x * x),
    softmax=(softmax, on(real, shapes=ROWS)),
    layer_norm=(layer_norm, on(real, shapes=ROWS)),
    newton=newton,
    horner=horner,
    mse=(lambda x, y: np.mean((x - y) ** 2), TWO),
    cosine=(lambda x, y: x @ y / (np.linalg.norm(x) * np.linalg.norm(y)), on((positive, positive), shapes=VECTORS)),
    affine=(lambda x: np.tanh(x @ WEIGHTS + 0.5), on(real, shapes=[(3,), (2, 3)])),
    kinetic=lambda x: np.sum(x**2) / 2,
    pendulum=lambda x: np.cos(x) * np.exp(-0.1 * x * x),
    harmonic=(lambda x: 1 / np.mean(1 / x), on(positive)),
    geometric=(lambda x: np.exp(np.mean(np.log(x))), on(positive)),
    entropy=(lambda x: -np.sum(x * np.log(x)), on(positive)),
    absolute_square=(lambda z: np.abs(z) ** 2, on(real, dtypes=("complex128", "float64"))),
    smooth_step=lambda x: 0.5 + 0.5 * np.tanh(3 * x),
    cube=lambda x: x**3,
)

KINKED = kinked(
    where=lambda x: np.where(x > 0, np.sin(x), x * x),
    clip=lambda x: np.clip(x, -1, 1),
    sort=np.sort,
    max=np.max,
    min=np.min,
    abs=np.abs,
    fabs=np.fabs,
    relu=lambda x: np.maximum(x, 0),
    leaky_relu=lambda x: np.where(x > 0, x, 0.1 * x),
    relu6=lambda x: np.minimum(np.maximum(x, 0), 6),
    elu=lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    hinge=lambda x: np.maximum(0, 1 - x),
    huber=huber,
    branch=branch,
    maximum=(np.maximum, TWO),
    minimum=(np.minimum, TWO),
    fmax=(np.fmax, TWO),
    fmin=(np.fmin, TWO),
    median=np.median,
    ptp=np.ptp,
    norm=np.linalg.norm,
    root_of_squares=lambda x: np.sqrt(np.sum(x * x)),
    norm1=lambda x: np.sum(np.abs(x)),
    norm_inf=lambda x: np.max(np.abs(x)),
    largest_of_rows=(lambda x: np.max(x, axis=-1), on(real, shapes=ROWS)),
    smallest_of_rows=(lambda x: np.min(x, axis=-1), on(real, shapes=ROWS)),
    quantile=(lambda x: np.quantile(x, 0.3), {}),
    total_variation=(lambda x: np.sum(np.abs(np.diff(x))), on(real, shapes=ROWS)),
    soft_threshold=lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0),
    squared_hinge=lambda x: np.maximum(0, 1 - x) ** 2,
    triangle=lambda x: np.maximum(1 - np.abs(x), 0),
    pinball=lambda x: np.maximum(0.3 * x, -0.7 * x),
    top_two=(lambda x: np.sort(x, axis=-1)[..., -2:], on(real, shapes=LONG)),
    identity_of_relus=lambda x: np.maximum(x, 0) - np.maximum(-x, 0),
    select=lambda x: np.select([x < 0, x < 1], [x * x, x], 2 * x - 1),
    safe_log=lambda x: np.where(x > 0, np.log(np.where(x > 0, x, 1.0)), 0.0) * x,
    sorted_pairs=lambda x: np.sort(np.stack([x, -x]), axis=0),
    maximum_of_three=lambda x: np.maximum(np.maximum(x, -x), x * x),
    distance=(lambda x, y: np.abs(x - y), TWO),
    hard_tanh=lambda x: np.clip(x, -1, 1) * x,
    huber_of_pairs=(lambda x, y: huber(x - y), TWO),
    x_abs_x=lambda x: x * np.abs(x),
)

RIGHT = [*SMOOTH, *KINKED]
