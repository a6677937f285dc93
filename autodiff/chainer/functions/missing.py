"""The names of Chainer's functions that are not implemented: each says so when it is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from autodiff.trace.source import at_user_line


def missing(name: str) -> Callable[..., NoReturn]:
    """A function that says that it is not implemented.

    Args:
        name: its name in ``chainer.functions``.

    >>> missing("crf1d").__name__
    'crf1d'
    """

    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(
            f"chainer.functions.{name} is not implemented in autodiff{at_user_line()}; compose it of NumPy's "
            "functions, which work on Variables"
        )

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


discriminative_margin_based_clustering_loss = missing("discriminative_margin_based_clustering_loss")
