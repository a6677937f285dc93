"""Conditions of tests, warnings and replaced objects."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import unittest
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import metadata
from typing import Any
from unittest import mock

from autodiff.chainer.testing._bundle import ParameterizedTestCaseBundle

Test = Callable[..., Any]


def with_requires(*requirements: str) -> Callable[[Test], Test]:
    """A decorator of tests that are skipped unless packages are installed.

    Args:
        requirements: such as ``"scipy>=1.0"``.
    """
    return skipping(not satisfied(requirements), requirements)


def without_requires(*requirements: str) -> Callable[[Test], Test]:
    """A decorator of tests that are skipped if all of the packages are installed.

    Args:
        requirements: such as ``"scipy>=1.0"``.
    """
    return skipping(satisfied(requirements), requirements)


def skipping(condition: bool, requirements: tuple[str, ...]) -> Callable[[Any], Any]:
    """A decorator of tests, of test classes, and of bundles of these, which are skipped under a condition."""
    skip = unittest.skipIf(condition, f"requires: {','.join(requirements)}")

    def decorator(test: Any) -> Any:
        if not isinstance(test, ParameterizedTestCaseBundle):
            return skip(test)
        for case in test.cases:
            skip(case)
        return test

    return decorator


def satisfied(requirements: tuple[str, ...]) -> bool:
    """Whether all packages are installed, in a version that fits."""
    Requirement = importlib.import_module("packaging.requirements").Requirement  # pytest brings it
    for requirement in map(Requirement, requirements):
        try:
            version = metadata.version(requirement.name)
        except metadata.PackageNotFoundError:
            return False
        if not requirement.specifier.contains(version, prereleases=True):
            return False
    return True


@contextmanager
def assert_warns(expected: type[Warning]) -> Iterator[None]:
    """See that a block gives a warning of the class.

    Args:
        expected: the class.

    Raises:
        AssertionError: if it does not.

    >>> import warnings
    >>> with assert_warns(UserWarning):
    ...     warnings.warn("careful")
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    if not any(issubclass(warning.category, expected) for warning in caught):
        raise AssertionError(f"{expected.__name__} was not given")


def patch(target: str, *args: Any, **kwargs: Any) -> Any:
    """``unittest.mock.patch`` of an object that goes on doing its work: ``wraps`` is the object itself.

    Args:
        target: where it is, such as ``"numpy.sum"``.
        args: as for ``unittest.mock.patch``.
        kwargs: as for ``unittest.mock.patch``.

    >>> import numpy as np
    >>> with patch("numpy.sum") as called:
    ...     np.sum([1, 2]), called.call_count
    (np.int64(3), 1)
    """
    if not args and "wraps" not in kwargs and "new" not in kwargs:
        original = pkgutil.resolve_name(target)
        wrapped = functools.partial(original) if kwargs.get("autospec") else original
        kwargs["wraps"] = wrapped
    if kwargs.get("autospec"):
        side_effect = kwargs.pop("wraps")
        kwargs.setdefault("side_effect", side_effect)
    return mock.patch(target, *args, **kwargs)
