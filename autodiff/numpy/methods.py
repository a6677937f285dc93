"""The attributes and methods that traced values share with arrays."""

from __future__ import annotations

from autodiff.numpy.dispatch import array_function, array_ufunc
from autodiff.trace.tracer import Tracer


def install() -> None:
    Tracer.__array_ufunc__ = array_ufunc  # type: ignore[attr-defined]
    Tracer.__array_function__ = array_function  # type: ignore[attr-defined]


install()
