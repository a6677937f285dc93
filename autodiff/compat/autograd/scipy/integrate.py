"""Ordinary differential equations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.scipy import integrate


def odeint(func: Callable[..., Any], y0: Any, t: Any, *options: Any, **kwargs: Any) -> Any:
    """scipy.integrate.odeint, differentiated by the first state, the times and the arguments of the function.

    These are its fourth argument, ``args=`` in SciPy.
    """
    return integrate.odeint(func, y0, t, *options, **kwargs)


__all__ = ["odeint"]
