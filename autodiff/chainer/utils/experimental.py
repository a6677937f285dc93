"""A warning for interfaces that may change."""

from __future__ import annotations

import sys
import warnings


def experimental(api_name: str) -> None:
    """Warn that an interface may change, unless ``chainer.disable_experimental_feature_warning`` is True.

    Args:
        api_name: how users call it.

    >>> import warnings
    >>> warnings.simplefilter("error", FutureWarning)
    >>> experimental("net.Quick")
    Traceback (most recent call last):
    FutureWarning: net.Quick is experimental. Its interface may change
    """
    root = sys.modules.get("autodiff.chainer")
    if not getattr(root, "disable_experimental_feature_warning", False):
        warnings.warn(f"{api_name} is experimental. Its interface may change", FutureWarning, stacklevel=2)
