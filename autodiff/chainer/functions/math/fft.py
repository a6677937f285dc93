"""The Fourier transform, with real and imaginary parts as two arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.half import in_single
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable


def fft(x: tuple[Any, Any]) -> tuple[Variable, Variable]:
    """The Fourier transform along the last axis.

    Args:
        x: real and imaginary part, floating-point numbers of one shape.

    Returns:
        real and imaginary part.

    Raises:
        InvalidType: if both differ in shape or dtype, or have no axis.

    >>> fft((np.array([1.0, 0.0]), np.array([0.0, 0.0])))[0]
    variable([1., 1.])
    """
    return transformed(np.fft.fft, x)


def ifft(x: tuple[Any, Any]) -> tuple[Variable, Variable]:
    """The inverse Fourier transform along the last axis.

    Args:
        x: real and imaginary part, floating-point numbers of one shape.

    Returns:
        real and imaginary part.

    Raises:
        InvalidType: if both differ in shape or dtype, or have no axis.

    >>> ifft((np.array([1.0, 1.0]), np.array([0.0, 0.0])))[0]
    variable([1., 0.])
    """
    return transformed(np.fft.ifft, x)


def transformed(transform: Callable[[Any], Any], x: tuple[Any, Any]) -> tuple[Variable, Variable]:
    """Real and imaginary part of a transform."""

    def fun(real: Any, imag: Any) -> tuple[Any, Any]:
        out = transform(real + 1j * imag)
        return np.real(out), np.imag(out)

    real, imag = x
    return apply(
        "FFT",
        lambda real, imag: in_single(fun, real, imag),
        (real, imag),
        lambda real, imag: (
            real.dtype.kind == "f",
            imag.dtype.kind == "f",
            real.ndim > 0,
            real.shape == imag.shape,
            real.dtype == imag.dtype,
        ),
    )


FFT = function_class("FFT", lambda real, imag, method: (fft if method == "fft" else ifft)((real, imag)), "method")
