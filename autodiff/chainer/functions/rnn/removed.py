"""Keywords of old versions, which the configuration has replaced."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.utils.argument import refuse_unknown
from autodiff.trace.source import at_user_line

REMOVED = ("train", "use_cudnn")


def refuse_keywords(name: str, keywords: dict[str, Any]) -> None:
    """Say what became of keywords that a function does not take.

    Raises:
        ValueError: for one that was removed.
        TypeError: for any other one.
    """
    for keyword in REMOVED:
        if keyword in keywords:
            raise ValueError(
                f"{name}({keyword}=...) is gone{at_user_line()}; use chainer.using_config({keyword!r}, ...)"
            )
    refuse_unknown(keywords, set(), name)
