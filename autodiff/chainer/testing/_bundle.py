"""Several test classes made of one."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from typing import Any


class ParameterizedTestCaseBundle:
    """The classes that were made of a test class; test runners find them in its module.

    Args:
        cases: the classes.
    """

    def __init__(self, cases: list[type]) -> None:
        self.cases = cases

    def __call__(self, *args: Any) -> Any:
        raise TypeError("this test class was made into several; they are in cases")


def make_decorator(variants: Callable[[type], Iterator[tuple[str, dict[str, Any]]]]) -> Callable[[Any], Any]:
    """A decorator of test classes, or of bundles of them.

    Args:
        variants: gives for a class the name and the members of each class that is made of it; members that are None
            are tests that it does not have.
    """

    def decorator(cases: Any) -> ParameterizedTestCaseBundle:
        bases = cases.cases if isinstance(cases, ParameterizedTestCaseBundle) else [cases]
        return ParameterizedTestCaseBundle([made for base in bases for made in expanded(base, variants(base))])

    return decorator


def tests_of(base: type) -> dict[str, Callable[..., Any]]:
    """The test methods of a class by name."""
    return {name: getattr(base, name) for name in dir(base) if is_test(name, getattr(base, name))}


def is_test(name: str, member: Any) -> bool:
    """Whether a member of a class is a test."""
    return name.startswith("test") and inspect.isfunction(member)


def expanded(base: type, variants: Iterator[tuple[str, dict[str, Any]]]) -> list[type]:
    """The classes made of one, in the place of it in its module."""
    module = vars(sys.modules[base.__module__])
    made = [type(name, (base,), {"__module__": base.__module__, **members}) for name, members in variants]
    if module.get(base.__name__) is base:
        del module[base.__name__]
    module.update({case.__name__: case for case in made})
    return made
