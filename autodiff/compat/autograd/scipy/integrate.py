"""Ordinary differential equations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.scipy import integrate


def odeint(func: Callable[..., Any], y0: Any, t: Any, func_args: tuple[Any, ...] = (), **kwargs: Any) -> Any:
    """scipy.integrate.odeint, differentiated by the first state, the times and the arguments of the function."""
    return integrate.odeint(func, y0, t, func_args, **kwargs)


__all__ = ["odeint"]
