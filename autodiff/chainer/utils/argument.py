"""Keyword arguments that are collected by ``**kwargs``: their values, and what is said of unknown ones."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from autodiff.trace.source import at_user_line


def check_unexpected_kwargs(kwargs: Mapping[str, Any], **unexpected: str) -> None:
    """See that none of the keywords is one that was removed.

    Args:
        kwargs: what was given.
        unexpected: for each removed keyword what to say of it.

    Raises:
        ValueError: if there is one.
    """
    for name, message in unexpected.items():
        if name in kwargs:
            raise ValueError(
                f"{message}{at_user_line()}, or run the program with python -m autodiff.chainer --compat v1"
            )


def parse_kwargs(kwargs: Mapping[str, Any], *name_and_values: tuple[str, Any], **unexpected: str) -> tuple[Any, ...]:
    """The values of known keywords.

    Args:
        kwargs: what was given.
        name_and_values: pairs of a keyword and its default.
        unexpected: for each removed keyword what to say of it.

    Raises:
        ValueError: if a removed keyword is given.
        TypeError: if an unknown one is.

    >>> parse_kwargs({"ratio": 0.1}, ("ratio", 0.5), ("axis", None))
    (0.1, None)
    """
    if not kwargs:
        return tuple([default for _, default in name_and_values])
    check_unexpected_kwargs(kwargs, **unexpected)
    refuse_unknown(kwargs, {name for name, _ in name_and_values}, sys._getframe(1).f_code.co_name)
    return tuple(kwargs.get(name, default) for name, default in name_and_values)


def assert_kwargs_empty(kwargs: Mapping[str, Any]) -> None:
    """See that no keyword is left over.

    Raises:
        TypeError: if one is.
    """
    refuse_unknown(kwargs, set(), sys._getframe(1).f_code.co_name)


def refuse_unknown(kwargs: Mapping[str, Any], known: set[str], function: str) -> None:
    """Raise a TypeError that names the keywords which the function does not know."""
    unknown = sorted(set(kwargs) - known)
    if unknown:
        names = ", ".join(map(repr, unknown))
        raise TypeError(f"{function}() got unexpected keyword argument(s) {names}{at_user_line()}")
