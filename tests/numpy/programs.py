"""One program for every differentiable function of NumPy: written with plain ``np``, differentiated as it stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

_RNG = np.random.default_rng(2026)
V = np.array([0.3, -1.2, 0.7, 2.1, -0.4])
P = np.array([0.3, 1.2, 0.7, 2.1, 0.4])  # positive
U = np.array([0.3, -0.2, 0.7, 0.1, -0.4])  # between -1 and 1
W = np.array([1.5, 0.4, -0.9, 0.2, 1.1])
A = _RNG.normal(size=(3, 4))
B = _RNG.normal(size=(4, 2))
S = _RNG.normal(size=(3, 3)) + 3 * np.eye(3)
H = S @ S.T  # symmetric, positive definite
T = _RNG.normal(size=(2, 3, 4))
N = np.array([0.3, np.nan, 0.7, 2.1, -0.4])
ORDER = np.array([0, 2, 1])

Program = tuple[Callable[..., Any], tuple[Any, ...]]


def unary(names: str, x: Any) -> dict[str, Program]:
    return {name: (getattr(np, name), (x,)) for name in names.split()}


def _written(x: Any, write: Callable[[Any], None]) -> Any:
    """A copy of an array, traced wherever anything is, after something was written to it."""
    y = x * 1.0
    write(y)
    return y


def _parts(z: Any) -> Any:
    return np.real(z) + 2 * np.imag(z)


PROGRAMS: dict[str, Program] = {
    **unary("absolute abs cbrt conjugate conj cos cosh deg2rad exp exp2 expm1 fabs negative positive rad2deg", V),
    **unary("radians degrees sin sinh square tanh arctan atan arcsinh asinh sinc i0 nan_to_num real", V),
    **unary("log log10 log1p log2 sqrt reciprocal", P),
    **unary("arccos acos arcsin asin arctanh atanh tan", U),
    "arccosh": (np.arccosh, (P + 1,)),
    "acosh": (np.acosh, (P + 1,)),
    "real_if_close": (lambda x: np.real_if_close(x * 2), (V,)),
    "imag": (lambda x: np.imag(np.exp(1j * x)), (V,)),
    "sign of complex numbers": (lambda x: _parts(np.sign(x + 2j)), (V,)),
    "angle": (lambda x: np.angle(x + 2j), (V,)),
    "unwrap": (lambda x: np.unwrap(3 * x), (V,)),
    "add": (np.add, (V, W)),
    "subtract": (np.subtract, (V, W)),
    "multiply": (np.multiply, (V, W)),
    "divide": (np.divide, (V, W)),
    "true_divide": (np.true_divide, (V, W)),
    "power": (np.power, (P, W)),
    "pow": (np.pow, (P, W)),
    "float_power": (np.float_power, (P, W)),
    "mod": (np.mod, (V, P)),
    "remainder": (np.remainder, (V, P)),
    "fmod": (np.fmod, (V, P)),
    "divmod": (lambda x, y: np.divmod(x, y)[1], (V, P)),
    "modf": (lambda x: np.modf(x)[0], (V,)),
    "frexp": (lambda x: np.frexp(x)[0], (V,)),
    "ldexp": (lambda x: np.ldexp(x, [1, 2, 0, -1, 3]), (V,)),
    "maximum": (np.maximum, (V, W)),
    "minimum": (np.minimum, (V, W)),
    "fmax": (np.fmax, (V, W)),
    "fmin": (np.fmin, (V, W)),
    "clip": (lambda x: np.clip(x, -0.5, 1.0), (V,)),
    "hypot": (np.hypot, (V, W)),
    "arctan2": (np.arctan2, (V, W)),
    "atan2": (np.atan2, (V, W)),
    "logaddexp": (np.logaddexp, (V, W)),
    "logaddexp2": (np.logaddexp2, (V, W)),
    "copysign": (lambda x: np.copysign(x, W), (V,)),
    "heaviside": (lambda x, y: x * np.heaviside(x, y), (V, W)),
    "nextafter": (lambda x: np.nextafter(x, 9.0), (V,)),
    "where": (lambda x, y: np.where(x > y, x * y, y), (V, W)),
    # reductions
    **unary("sum prod mean var std max min amax amin ptp median cumsum cumprod", A),
    **unary("cumulative_sum cumulative_prod diff ediff1d gradient trapezoid sort", V),
    **unary("nansum nanprod nanmean nanvar nanstd nanmax nanmin nanmedian nancumsum nancumprod", V),
    "sum of nan": (lambda x: np.nansum(np.where(x > 2, np.nan, x) * x), (V,)),
    "average": (lambda x, w: np.average(x, weights=w), (V, P)),
    "quantile": (lambda x: np.quantile(x, [0.1, 0.6], axis=1), (A,)),
    "percentile": (lambda x: np.percentile(x, 30), (A,)),
    "nanquantile": (lambda x: np.nanquantile(x, 0.3), (V,)),
    "nanpercentile": (lambda x: np.nanpercentile(x, 30), (V,)),
    "partition": (lambda x: np.partition(x, 2)[2], (V,)),
    "interp": (lambda x, f: np.interp(x, [-2.0, 0.0, 1.0, 1.5, 3.0], f), (V, W)),
    "convolve": (np.convolve, (V, W)),
    "correlate": (np.correlate, (V, W)),
    "cov": (np.cov, (A,)),
    "corrcoef": (np.corrcoef, (A,)),
    "bincount": (lambda w: np.bincount([0, 1, 1, 3, 0], weights=w), (W,)),
    "histogram": (lambda w: np.histogram(V, bins=3, weights=w)[0], (W,)),
    "histogram2d": (lambda w: np.histogram2d(V, P, bins=[2, 3], weights=w, density=True)[0], (P,)),
    "histogramdd": (lambda x, w: np.histogramdd([x, P, W], bins=2, weights=w)[0], (V, W)),
    "edges of histogramdd": (lambda x: np.histogramdd([x, P], bins=2)[1][0], (V,)),
    "quantile with weights": (lambda x: np.quantile(x, [0.3, 0.8], weights=P, method="inverted_cdf"), (V,)),
    "nanquantile with weights": (lambda x: np.nanquantile(x, 0.6, weights=P, method="inverted_cdf"), (V,)),
    "histogram_bin_edges": (lambda x: np.histogram_bin_edges(x, bins=4), (V,)),
    "unique": (np.unique, (V,)),
    "union1d": (np.union1d, (V, W)),
    "sort_complex": (lambda x: np.sort_complex(x + 2j * x).imag, (V,)),
    "poly": (np.poly, (V,)),
    "polyfit": (lambda y: np.polyfit(V, y, 2), (W,)),
    "polyval": (np.polyval, (W, V)),
    "polyadd": (np.polyadd, (V, W)),
    "polysub": (np.polysub, (V, W)),
    "polymul": (np.polymul, (V, W)),
    "polyder": (np.polyder, (V,)),
    "polydiv": (lambda u, v: np.polydiv(u, v)[0], (V, W[:3])),
    "roots": (lambda p: np.roots(p).real + np.roots(p).imag, (V,)),
    "polyint": (np.polyint, (V,)),
    # shapes
    **unary("ravel transpose permute_dims squeeze flip fliplr flipud rot90 tril triu atleast_1d atleast_2d", A),
    **unary("atleast_3d copy diagflat diag diagonal matrix_transpose vstack hstack dstack column_stack", A),
    "reshape": (lambda x: np.reshape(x, (2, -1), order="F"), (A,)),
    "swapaxes": (lambda x: np.swapaxes(x, 0, 2), (T,)),
    "moveaxis": (lambda x: np.moveaxis(x, 0, -1), (T,)),
    "rollaxis": (lambda x: np.rollaxis(x, 2), (T,)),
    "expand_dims": (lambda x: np.expand_dims(x, 1), (A,)),
    "broadcast_to": (lambda x: np.broadcast_to(x, (2, 5)), (V,)),
    "broadcast_arrays": (lambda x, y: np.multiply(*np.broadcast_arrays(x, y)), (V, A[:, :1])),
    "roll": (lambda x: np.roll(x, (1, -1), (0, 1)), (A,)),
    "tile": (lambda x: np.tile(x, (2, 1, 2)), (A,)),
    "repeat": (lambda x: np.repeat(x, [1, 0, 2], axis=0), (A,)),
    "resize": (lambda x: np.resize(x, (5, 4)), (A,)),
    "astype": (lambda x: np.astype(x, np.float64), (A,)),
    "vander": (lambda x: np.vander(x, 3), (V,)),
    "meshgrid": (lambda x, y: np.multiply(*np.meshgrid(x, y)), (V, W)),
    "concatenate": (lambda x, y: np.concatenate([x, y]), (V, W)),
    "concat": (lambda x, y: np.concat([x, y]), (V, W)),
    "stack": (lambda x, y: np.stack([x, y], axis=1), (V, W)),
    "unstack": (lambda x: np.multiply(*np.unstack(x)), (T,)),
    "block": (lambda x, y: np.block([[x, y], [y, x]]), (A, A)),
    "append": (lambda x, y: np.append(x, y), (V, W)),
    "insert": (lambda x, y: np.insert(x, 1, y[0]), (V, W)),
    "delete": (lambda x: np.delete(x, [0, 2], axis=1), (A,)),
    "split": (lambda x: np.split(x, 2, axis=1)[1], (A,)),
    "array_split": (lambda x: np.array_split(x, 2)[0], (A,)),
    "hsplit": (lambda x: np.hsplit(x, 2)[0], (A,)),
    "vsplit": (lambda x: np.vsplit(x, 3)[0], (A,)),
    "dsplit": (lambda x: np.dsplit(x, 2)[0], (T,)),
    "pad": (lambda x: np.pad(x, 1, mode="reflect"), (A,)),
    "trim_zeros": (lambda x: np.trim_zeros(np.where(x > 2, 0, x)), (V,)),
    "select": (lambda x: np.select([x > 1, x < 0], [x**2, -x], x), (V,)),
    "choose": (lambda x, y: np.choose([0, 1, 1, 0, 1], [x, y]), (V, W)),
    "compress": (lambda x: np.compress([True, False, True], x, axis=0), (A,)),
    "extract": (lambda x: np.extract(V > 0, x), (V,)),
    "piecewise": (lambda x: np.piecewise(x, [x < 0, x >= 0], [lambda t: -t, lambda t: t**2]), (V,)),
    "apply_along_axis": (lambda x: np.apply_along_axis(lambda r: r * np.sum(r), 0, x), (A,)),
    "apply_over_axes": (lambda x: np.apply_over_axes(np.sum, x, [0]), (A,)),
    "take": (lambda x: np.take(x, ORDER, axis=1), (A,)),
    "take_along_axis": (lambda x: np.take_along_axis(x, np.argsort(A, axis=0), axis=0), (A,)),
    "full_like": (lambda x: np.full_like(x, x[0]), (V,)),
    "zeros_like": (lambda x: np.zeros_like(x) + x, (V,)),
    "ones_like": (lambda x: np.ones_like(x) * x, (V,)),
    "linspace": (lambda x: np.linspace(x[0], x[1], 4), (V,)),
    "logspace": (lambda x: np.logspace(x[0], x[1], 4), (U,)),
    "geomspace": (lambda x: np.geomspace(x[0], x[1], 4), (P,)),
    "put": (lambda x, y: _written(x, lambda z: np.put(z, [0, 2], y[:2])), (V, W)),
    "put_along_axis": (lambda x, y: _written(x, lambda z: np.put_along_axis(z, ORDER[:2], y[:2], 0)), (V, W)),
    "place": (lambda x, y: _written(x, lambda z: np.place(z, V > 0, y[:3])), (V, W)),
    "putmask": (lambda x, y: _written(x, lambda z: np.putmask(z, V > 0, y)), (V, W)),
    "copyto": (lambda x, y: _written(x, lambda z: np.copyto(z, y, where=V > 0)), (V, W)),
    "fill_diagonal": (lambda x, y: _written(x, lambda z: np.fill_diagonal(z, y[:3])), (A, W)),
    # products
    "dot": (np.dot, (A, B)),
    "vdot": (np.vdot, (V, W)),
    "vecdot": (np.vecdot, (A, A)),
    "inner": (np.inner, (A, A)),
    "outer": (np.outer, (V, W)),
    "matmul": (np.matmul, (A, B)),
    "matvec": (np.matvec, (A, B[:, 0])),
    "vecmat": (np.vecmat, (B[:, 0], B)),
    "tensordot": (lambda x, y: np.tensordot(x, y, 1), (T, B)),
    "einsum": (lambda x, y: np.einsum("aij,jk->ik", x, y), (T, B)),
    "einsum of one operand": (lambda x: np.einsum("iij->j", x), (T[:, :2],)),
    "kron": (np.kron, (A, B)),
    "cross": (np.cross, (S, H)),
    "trace": (np.trace, (S,)),
    # linear algebra
    "linalg.cholesky": (lambda x: np.linalg.cholesky(x @ x.T), (S,)),
    "linalg.cond": (np.linalg.cond, (S,)),
    "linalg.cross": (np.linalg.cross, (S, H)),
    "linalg.det": (np.linalg.det, (S,)),
    "linalg.diagonal": (np.linalg.diagonal, (S,)),
    "linalg.eig": (lambda x: np.sum(np.linalg.eig(x @ x.T)[0].real ** 2), (S,)),
    "linalg.eigh": (lambda x: np.linalg.eigh(x + x.T)[0], (S,)),
    "linalg.eigvals": (lambda x: np.sum(np.linalg.eigvals(x @ x.T).real ** 2), (S,)),
    "linalg.eigvalsh": (lambda x: np.linalg.eigvalsh(x + x.T), (S,)),
    "linalg.inv": (np.linalg.inv, (S,)),
    "linalg.lstsq": (lambda x, y: np.linalg.lstsq(x, y)[0], (T[0].T, V[:4])),
    "linalg.matmul": (np.linalg.matmul, (A, B)),
    "linalg.matrix_norm": (np.linalg.matrix_norm, (A,)),
    "linalg.matrix_power": (lambda x: np.linalg.matrix_power(x, 3), (S,)),
    "linalg.matrix_transpose": (np.linalg.matrix_transpose, (A,)),
    "linalg.multi_dot": (lambda x, y, z: np.linalg.multi_dot([x, y, z]), (S, A, B)),
    "linalg.norm": (np.linalg.norm, (A,)),
    "linalg.norm of order 3": (lambda x: np.linalg.norm(x, 3, axis=1), (A,)),
    "linalg.outer": (np.linalg.outer, (V, W)),
    "linalg.pinv": (np.linalg.pinv, (A,)),
    "linalg.qr": (lambda x: np.linalg.qr(x)[1], (S,)),
    "linalg.slogdet": (lambda x: np.linalg.slogdet(x)[1], (S,)),
    "linalg.solve": (np.linalg.solve, (S, A)),
    "linalg.svd": (lambda x: np.linalg.svd(x, full_matrices=False)[1], (A,)),
    "linalg.svdvals": (np.linalg.svdvals, (A,)),
    "linalg.tensordot": (lambda x, y: np.linalg.tensordot(x, y, axes=1), (T, B)),
    "linalg.tensorinv": (lambda x: np.linalg.tensorinv(x, ind=1), (S,)),
    "linalg.tensorsolve": (np.linalg.tensorsolve, (S, V[:3])),
    "linalg.trace": (np.linalg.trace, (S,)),
    "linalg.vecdot": (np.linalg.vecdot, (A, A)),
    "linalg.vector_norm": (np.linalg.vector_norm, (A,)),
}


def _fourier(name: str) -> Program:
    transform = getattr(np.fft, name)
    return lambda x: _parts(transform(x)), (T,)


TRANSFORMS = """
    fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn fftshift ifftshift
"""
PROGRAMS.update({f"fft.{name}": _fourier(name) for name in TRANSFORMS.split()})
