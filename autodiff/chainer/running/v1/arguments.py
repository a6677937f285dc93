"""Calls with the arguments of Chainer 1, in its order, as calls with those of today."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from autodiff.facade.settings.configuration import using_config
from autodiff.trace.source import at_user_line

WITHOUT_EFFECT = ("use_cudnn", "deterministic")


def bound(name: str, names: Sequence[str], args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """All arguments by name, without those that have no effect here.

    Args:
        name: what is called.
        names: the parameters in the old order.
        args: what was given by position.
        kwargs: what was given by name.

    Raises:
        TypeError: if there are too many, or one is given twice.

    >>> bound("relu", ["x", "use_cudnn"], (3, True), {})
    {'x': 3}
    """
    if len(args) > len(names):
        raise TypeError(f"{name}() takes {len(names)} arguments in Chainer 1, got {len(args)}{at_user_line()}")
    given = dict(zip(names, args))
    twice = given.keys() & kwargs.keys()
    if twice:
        raise TypeError(f"{name}() got {', '.join(sorted(twice))} by position and by name{at_user_line()}")
    given.update(kwargs)
    for removed in WITHOUT_EFFECT:
        given.pop(removed, None)
    return given


def without_effect(names: Sequence[str], args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments that have no effect here, which objects show as attributes: given or by default."""
    given = {"use_cudnn": True, "deterministic": False, **dict(zip(names, args)), **kwargs}
    return {name: given[name] for name in WITHOUT_EFFECT if name in names}


def mode(name: str, given: dict[str, Any], default: bool | None = None) -> AbstractContextManager[None]:
    """The context that ``train=`` or ``test=`` asks for; they are taken out of the arguments.

    Args:
        name: what is called.
        given: the arguments by name.
        default: the value of ``train`` if neither is there; None for that of the configuration.
    """
    train = default
    for keyword in ("train", "test"):
        if keyword in given:
            value = bool(given.pop(keyword))
            train = value if keyword == "train" else not value
            warn_old(f"{name}({keyword}=...)", f"chainer.using_config('train', {train})")
    return nullcontext() if train is None else using_config("train", train)


def warn_old(what: str, remedy: str, level: int = 4) -> None:
    """Say what has taken the place of something; ``level`` is how far away the user's line is."""
    warnings.warn(f"{what} is gone since Chainer 2; use {remedy}", DeprecationWarning, stacklevel=level)
