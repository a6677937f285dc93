"""The hooks under the names they had in ``chainer.optimizer``; they warn and are those of ``optimizer_hooks``."""

from __future__ import annotations

import warnings
from typing import Any

from autodiff.chainer import optimizer_hooks


def make_deprecation_message(module_name: str) -> str:
    """What is said about a hook under its old name.

    >>> make_deprecation_message("Lasso")
    'chainer.optimizer.Lasso is deprecated from v4. Use chainer.optimizer_hooks.Lasso instead.'
    """
    return f"chainer.optimizer.{module_name} is deprecated from v4. Use chainer.optimizer_hooks.{module_name} instead."


def moved(kind: type) -> Any:
    """A subclass of the same name that warns when it is made."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        warnings.warn(make_deprecation_message(kind.__name__), DeprecationWarning, stacklevel=2)
        kind.__init__(self, *args, **kwargs)  # type: ignore[misc]

    body = {
        "__init__": __init__,
        "__doc__": f"Deprecated name of ``optimizer_hooks.{kind.__name__}``.",
        "__module__": __name__,
    }
    return type(kind.__name__, (kind,), body)


WeightDecay = moved(optimizer_hooks.WeightDecay)
Lasso = moved(optimizer_hooks.Lasso)
GradientClipping = moved(optimizer_hooks.GradientClipping)
GradientNoise = moved(optimizer_hooks.GradientNoise)
GradientHardClipping = moved(optimizer_hooks.GradientHardClipping)
