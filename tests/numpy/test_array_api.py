"""The array API standard, 2024.12: each of its functions, with the arguments that it names, on traced arrays.

The standard's own test suite compares a library with what the standard says; here the library behind is NumPy, which
passes it. So each call is compared with NumPy's: values, dtypes and shapes, while a derivative is recorded (``jvp``)
and where only shapes are known (``make_tape``).
"""

import re

import numpy as np
import pytest

import autodiff
from autodiff.trace.errors import ConcretizationError, DifferentiationError
from autodiff.trace.tracer import Tracer, concrete
from autodiff.trace.trees.tree import flatten

rng = np.random.default_rng(0)
ARGUMENTS = {
    "x": rng.normal(size=(2, 3)), "y": rng.normal(size=(2, 3)), "u": rng.uniform(0.1, 0.9, (2, 3)),
    "v": rng.normal(size=3), "w": rng.normal(size=3), "m": rng.normal(size=(3, 3)) + 3 * np.eye(3),
    "s": np.diag([3.0, 4.0, 6.0]) + 0.5, "f": rng.normal(size=(2, 3)).astype(np.float32), "z": rng.normal(size=3) + 1j,
    "i": rng.integers(1, 9, (2, 3)), "j": rng.integers(1, 4, (2, 3)), "b": np.array([[True, False, True], [False] * 3]),
    "k": np.array([2, 0]), "h": rng.normal(size=(2, 4, 4)),
}  # fmt: skip
"""Arrays by the letters under which the calls below name them."""

ELEMENTWISE = {
    "x": "abs atan ceil cos cosh exp expm1 floor isfinite isinf isnan negative positive round sign signbit sin sinh square "
    "tan tanh trunc asinh",
    "u": "acos asin atanh log log10 log1p log2 reciprocal sqrt",
    "x, y": "add atan2 copysign divide equal floor_divide greater greater_equal hypot less less_equal logaddexp maximum "
    "minimum multiply nextafter not_equal remainder subtract",
    "f, f": "add divide multiply",
    "i, j": "add bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor equal floor_divide multiply "
    "pow remainder subtract maximum",
    "i": "abs bitwise_invert negative sign square isfinite",
    "b, ~b": "logical_and logical_or logical_xor bitwise_and equal",
    "b": "logical_not bitwise_invert",
    "z": "abs conj exp imag real sqrt square isfinite sin",
    "u, y": "pow",
    "x, 2.0": "add multiply pow maximum divide",
}
CALLS = [f"xp.{name}({args})" for args, names in ELEMENTWISE.items() for name in names.split()] + """
xp.acosh(1.0 + u); xp.clip(x, -0.5, 0.5); xp.clip(x, min=0.0); xp.clip(i, 2, 5)
xp.arange(3); xp.arange(1.0, 4.0, 0.5, dtype=xp.float32); xp.asarray(x); xp.asarray(x, dtype=xp.float32); xp.asarray(x, copy=True)
xp.asarray([x[0, 0], 1.0]); xp.empty((2, 3)).shape; xp.empty_like(x).shape; xp.eye(3, 4, k=1); xp.full((2, 2), 3.0); xp.full_like(x, 2.0)
xp.linspace(0.0, 1.0, 5, endpoint=False); xp.meshgrid(v, w, indexing="ij"); xp.ones((2, 3), dtype=xp.int64); xp.ones_like(x)
xp.tril(m, k=1); xp.triu(m); xp.zeros((2, 3)); xp.zeros_like(x, dtype=xp.float32)
xp.astype(x, xp.float32); xp.astype(i, xp.float64, copy=False); xp.can_cast(xp.float32, xp.float64); xp.finfo(xp.float32).eps; xp.iinfo(xp.int32).max
xp.isdtype(x.dtype, "real floating"); xp.isdtype(xp.int32, ("integral", "bool")); xp.result_type(x, f); xp.result_type(f, 1.0)
xp.take(x, k, axis=1); xp.take(v, k); xp.take_along_axis(x, xp.argsort(x, axis=1), axis=1)
xp.matmul(x, m); xp.matmul(m, v); xp.matrix_transpose(x); xp.tensordot(x, y, axes=2); xp.tensordot(x, m, axes=((1,), (0,))); xp.vecdot(x, y); xp.vecdot(x, y, axis=0)
xp.broadcast_arrays(x, v); xp.broadcast_to(v, (2, 3)); xp.concat([x, y], axis=1); xp.concat((x, y), axis=None); xp.expand_dims(x, axis=1)
xp.flip(x); xp.flip(x, axis=1); xp.moveaxis(h, 0, -1); xp.permute_dims(h, (2, 0, 1)); xp.repeat(x, 2, axis=1); xp.repeat(x, 3)
xp.reshape(x, (3, 2)); xp.reshape(x, (-1,), copy=True); xp.roll(x, 1); xp.roll(x, (1, 2), axis=(0, 1)); xp.squeeze(x[:1], axis=0)
xp.stack([x, y], axis=-1); xp.tile(x, (2, 1)); xp.unstack(x, axis=1)
xp.argmax(x); xp.argmax(x, axis=1, keepdims=True); xp.argmin(x, axis=0); xp.count_nonzero(b); xp.count_nonzero(b, axis=1); xp.searchsorted(xp.sort(v), w)
xp.searchsorted(v, w, side="right", sorter=xp.argsort(v)); xp.where(b, x, y); xp.where(b, x, 0.0); xp.nonzero(b)
xp.argsort(x); xp.argsort(x, axis=0, stable=True); xp.sort(x); xp.sort(x, axis=0, stable=True)
xp.cumulative_sum(x, axis=1); xp.cumulative_sum(v, include_initial=True); xp.cumulative_prod(x, axis=0); xp.diff(x); xp.diff(x, axis=0, n=1, prepend=y)
xp.max(x); xp.max(x, axis=1, keepdims=True); xp.mean(x, axis=(0, 1)); xp.mean(f); xp.min(x, axis=0); xp.prod(x, axis=1); xp.prod(i); xp.std(x, correction=1); xp.std(x, axis=0)
xp.sum(x, axis=0, dtype=xp.float32); xp.sum(i); xp.sum(b); xp.var(x, axis=1, correction=1.0, keepdims=True); xp.all(b, axis=1); xp.any(b); xp.any(x, axis=0, keepdims=True)
xp.e; xp.inf; xp.pi; xp.newaxis; x[:, xp.newaxis]; xp.nan; xp.isin(i, j)
xp.linalg.cholesky(s); xp.linalg.cholesky(s, upper=True); xp.linalg.cross(v, w); xp.linalg.det(m); xp.linalg.diagonal(m, offset=1); xp.linalg.eigh(s); xp.linalg.eigvalsh(s)
xp.linalg.inv(m); xp.linalg.matmul(x, m); xp.linalg.matrix_norm(m); xp.linalg.matrix_norm(m, ord=1, keepdims=True); xp.linalg.matrix_power(m, 3); xp.linalg.matrix_rank(m)
xp.linalg.matrix_transpose(x); xp.linalg.outer(v, w); xp.linalg.pinv(x); xp.linalg.qr(m); xp.linalg.qr(x.T, mode="reduced"); xp.linalg.slogdet(m); xp.linalg.solve(m, v); xp.linalg.solve(m, m.T)
xp.linalg.svd(x, full_matrices=False).S; xp.linalg.svdvals(x); xp.linalg.tensordot(x, y, axes=2); xp.linalg.trace(m, offset=0); xp.linalg.vecdot(x, y); xp.linalg.vector_norm(x)
xp.linalg.vector_norm(x, axis=1, ord=3, keepdims=True)
xp.fft.fft(v); xp.fft.fft(x, n=4, axis=0, norm="ortho"); xp.fft.ifft(z); xp.fft.fftn(h, axes=(1, 2)); xp.fft.ifftn(h + 0j); xp.fft.rfft(x); xp.fft.irfft(z, n=5)
xp.fft.rfftn(h); xp.fft.irfftn(h + 0j, axes=(1, 2)); xp.fft.hfft(z); xp.fft.ihfft(v); xp.fft.fftfreq(5, d=0.5); xp.fft.rfftfreq(5); xp.fft.fftshift(x, axes=1); xp.fft.ifftshift(x)
x.dtype; x.ndim; x.shape; x.size; x.T; x.mT; x.device; x.to_device("cpu"); x.__array_namespace__() is not None
abs(x); x + y; x - 1.0; 2.0 * x; x / y; x // y; x % y; u**y; 2.0**x; -x; +x; x @ m; x < y; x <= 0.0; x > y; x >= y; x == y; x != y
i & j; i | j; i ^ j; i << j; i >> j; ~i; ~b; b & b; i // j; i % j; i**j; x[0]; x[..., 1]; x[0, ::-1]; x[-1, None]; x[:, 1:]; x[b]
""".replace("\n", ";").strip(";").split(";")  # fmt: skip
DEPENDS_ON_VALUES = {"xp.nonzero(b)", "x[b]"}
"""Calls whose shapes are known with the values alone: the standard leaves them out for such arrays."""


def evaluate(call, arguments):
    """A call as the standard writes it, in the namespace of the arrays."""
    xp = arguments["x"].__array_namespace__()
    return eval(call, {"xp": xp, **arguments})


def leaves(result):
    """The parts of a result, plain."""
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        result = tuple(result)
    return [concrete(leaf) for leaf in flatten(result)[0]]


def alike(found, expected):
    """Whether two results agree; arrays in value, dtype and shape."""
    assert len(found) == len(expected)
    for ours, own in zip(found, expected, strict=True):
        if isinstance(own, (np.ndarray, np.generic)):
            assert (np.asarray(ours).dtype, np.shape(ours)) == (own.dtype, own.shape)
            np.testing.assert_allclose(ours, own, rtol=1e-12 if own.dtype.itemsize > 4 else 1e-5, atol=1e-13)
        else:
            np.testing.assert_equal(ours, own)


@pytest.mark.parametrize("call", list(dict.fromkeys(part.strip() for part in CALLS)))
def test_the_standard(call):
    expected = leaves(evaluate(call, ARGUMENTS))
    floating = {name: value for name, value in ARGUMENTS.items() if value.dtype.kind in "fc"}
    found = []

    def recorded(given):
        assert all(isinstance(value, Tracer) for value in given.values())
        found.extend(leaves(evaluate(call, {**ARGUMENTS, **given})))
        return 0.0

    autodiff.jvp(recorded, (floating,), (floating,))
    alike(found, expected)
    if call in DEPENDS_ON_VALUES:
        with pytest.raises(ConcretizationError):
            autodiff.make_tape(lambda given: evaluate(call, given))(ARGUMENTS)
        return
    if all(isinstance(value, (np.ndarray, np.generic, float)) for value in expected):

        def numbers(given):
            result = evaluate(call, given)
            return tuple(result) if hasattr(result, "_fields") else result

        alike(leaves(autodiff.eval_tape(autodiff.make_tape(numbers)(ARGUMENTS), ARGUMENTS)), expected)


@pytest.mark.parametrize("name", ["unique_all", "unique_counts", "unique_inverse", "unique_values"])
def test_what_the_standard_has_and_traced_arrays_have_not_says_so(name):
    with pytest.raises(
        DifferentiationError, match=rf"^np.{name} cannot be called with a traced value .* depends on the"
    ):
        autodiff.grad(lambda x: getattr(x.__array_namespace__(), name)(x))(np.ones(3))


def test_every_function_of_the_standard_is_called():
    names = """abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert bitwise_or
    bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1 floor floor_divide greater
    greater_equal hypot imag isfinite isinf isnan less less_equal log log1p log2 log10 logaddexp logical_and logical_not
    logical_or logical_xor maximum minimum multiply negative nextafter not_equal positive pow real reciprocal remainder
    round sign signbit sin sinh square sqrt subtract tan tanh trunc arange asarray empty empty_like eye full full_like
    linspace meshgrid ones ones_like tril triu zeros zeros_like astype can_cast finfo iinfo isdtype result_type take
    take_along_axis matmul matrix_transpose tensordot vecdot broadcast_arrays broadcast_to concat expand_dims flip moveaxis
    permute_dims repeat reshape roll squeeze stack tile unstack argmax argmin count_nonzero nonzero searchsorted where
    argsort sort cumulative_sum cumulative_prod max mean min prod std sum var all any diff e inf nan newaxis pi isin
    linalg.cholesky linalg.cross linalg.det linalg.diagonal linalg.eigh linalg.eigvalsh linalg.inv linalg.matmul
    linalg.matrix_norm linalg.matrix_power linalg.matrix_rank linalg.matrix_transpose linalg.outer linalg.pinv linalg.qr
    linalg.slogdet linalg.solve linalg.svd linalg.svdvals linalg.tensordot linalg.trace linalg.vecdot linalg.vector_norm
    fft.fft fft.ifft fft.fftn fft.ifftn fft.rfft fft.irfft fft.rfftn fft.irfftn fft.hfft fft.ihfft fft.fftfreq fft.rfftfreq
    fft.fftshift fft.ifftshift"""
    text = ";".join(CALLS)
    assert [name for name in names.split() if not re.search(rf"xp\.{name}\b", text)] == []
