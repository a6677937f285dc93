"""Keywords of old versions, which the configuration has replaced."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.utils.argument import check_unexpected_kwargs, refuse_unknown

REMOVED = ("train", "use_cudnn")


def refuse_keywords(name: str, keywords: dict[str, Any]) -> None:
    """Say what became of keywords that a function does not take.

    Raises:
        ValueError: for one that was removed.
        TypeError: for any other one.
    """
    check_unexpected_kwargs(
        keywords,
        **{each: f"{name}({each}=...) is gone; use chainer.using_config({each!r}, ...)" for each in REMOVED},
    )
    refuse_unknown(keywords, set(), name)
