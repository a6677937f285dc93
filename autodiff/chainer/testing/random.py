"""Tests with the same random numbers each time."""

from __future__ import annotations

import functools
import os
import random
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from autodiff.chainer.testing._bundle import ParameterizedTestCaseBundle

SEED = 100
_states: list[Any] = []


def do_setup(deterministic: bool = True) -> None:
    """Seed NumPy's global random numbers; what they were, and Python's own, is remembered.

    Within another one nothing is seeded again.

    Args:
        deterministic: whether the seed is fixed. With the environment variable CHAINER_TEST_RANDOM_NONDETERMINISTIC
            set to 1 it never is.
    """
    nested = bool(_states)
    _states.append((random.getstate(), np.random.get_state()))  # noqa: NPY002 - what users' tests draw from
    if nested:
        return
    free = os.environ.get("CHAINER_TEST_RANDOM_NONDETERMINISTIC", "0") not in ("", "0")
    np.random.seed(SEED if deterministic and not free else None)  # noqa: NPY002


def do_teardown() -> None:
    """Go back to the random numbers of before, from the outermost :func:`do_setup`."""
    pythons, numpys = _states.pop()
    if not _states:
        random.setstate(pythons)
        np.random.set_state(numpys)  # noqa: NPY002


def generate_seed() -> int:
    """A random seed, drawn within a test of :func:`fix_random`.

    Raises:
        AssertionError: outside of one.
    """
    if not _states:
        raise AssertionError("generate_seed is called in tests of classes that are decorated with fix_random")
    return int(np.random.randint(0xFFFFFFFF, dtype=np.uint32))  # noqa: NPY002


def fix_random(*, setup_method: str = "setUp", teardown_method: str = "tearDown") -> Callable[[Any], Any]:
    """A decorator of test classes, whose tests start each from the same seed, or of one test.

    Args:
        setup_method: the method that is called before each test.
        teardown_method: the method that is called after it.
    """

    def decorator(case: Any) -> Any:
        if isinstance(case, FunctionType):
            return seeded(case)
        for klass in case.cases if isinstance(case, ParameterizedTestCaseBundle) else [case]:
            surround(klass, setup_method, teardown_method)
        return case

    return decorator


def seeded(test: Callable[..., Any]) -> Callable[..., Any]:
    """A test that starts from the same seed."""

    @functools.wraps(test)
    def run(*args: Any, **kwargs: Any) -> Any:
        do_setup()
        try:
            return test(*args, **kwargs)
        finally:
            do_teardown()

    return run


def surround(klass: type, setup_method: str, teardown_method: str) -> None:
    """Seed before the one method, and go back after the other."""
    own_setup, own_teardown = getattr(klass, setup_method), getattr(klass, teardown_method)

    @functools.wraps(own_setup)
    def setup(self: Any) -> None:
        do_setup()
        try:
            own_setup(self)
        except BaseException:
            do_teardown()
            raise

    @functools.wraps(own_teardown)
    def teardown(self: Any) -> None:
        try:
            own_teardown(self)
        finally:
            do_teardown()

    setattr(klass, setup_method, setup)
    setattr(klass, teardown_method, teardown)
